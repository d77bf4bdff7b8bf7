/* Each loop has its own copies, made when they are first requested, so there is no lock. A document
 * is kept as text and as one response for each coding, and so is written and compressed once. */
#include "server/http/response/static_document.h"

#include <stdlib.h>

#include "server/http/response/response.h"

enum { DOCUMENTS = 2 * STATIC_DOCUMENTS }; /* compact and indented */

/* A zeroed one has not been written yet. */
struct static_document {
    struct buffer text;
    struct document_response {
        struct MHD_Response *response; /* null until it is requested */
        size_t length;
        char etag[ETAG_TEXT];
    } responses[CODINGS];
};

void static_documents_free(struct static_document *documents)
{
    for (size_t i = 0; documents && i < DOCUMENTS; i++) {
        buffer_free(&documents[i].text);
        for (size_t coding = 0; coding < CODINGS; coding++)
            response_destroy(documents[i].responses[coding].response);
    }
    free(documents);
}

/* Without a response when memory is out. */
static const struct document_response *find_response(struct event_loop *loop,
                                                     struct static_document *document,
                                                     enum coding coding)
{
    struct document_response *found = &document->responses[coding];
    if (found->response)
        return found;
    const struct hash128 hash = hash_bytes(document->text.data, document->text.length, 0);
    struct buffer body = {0};
    buffer_append(&body, document->text.data, document->text.length);
    if (!response_compress_document(loop, hash, coding, &body))
        body.failed = true;
    found->length = body.length;
    etag_write_with_coding(hash, coding, found->etag);
    etag_add_length(found->etag, found->length);
    struct response response = response_new(&body, "application/json", CACHE_REVALIDATE);
    response_add_vary(&response, coding);
    response_add_header(&response, "ETag", found->etag);
    found->response = response_finish(&response);
    return found;
}

static struct static_document *find_document(struct event_loop *loop, enum static_document_id id,
                                             bool pretty)
{
    struct static_document **documents = &loop->requests->static_documents;
    if (!*documents)
        *documents = calloc(DOCUMENTS, sizeof **documents);
    return *documents ? &(*documents)[2 * id + pretty] : NULL;
}

enum handler_result response_static_document(struct http_request *request,
                                             enum static_document_id id, bool pretty,
                                             static_document_writer *write, struct problem *problem)
{
    struct error error = {0};
    struct static_document *document = find_document(request->loop, id, pretty);
    if (!document) {
        problem_out_of_memory(problem);
        return HANDLER_FAILED;
    }
    if (document->text.length == 0 && !write(pretty, &document->text, &error)) {
        buffer_free(&document->text);
        problem_from_error(problem, PROBLEM_INTERNAL, &error);
        return HANDLER_FAILED;
    }
    const enum coding coding = response_select_coding(&request->headers, document->text.length);
    const struct document_response *found = find_response(request->loop, document, coding);
    return response_set_shared(request, found->etag, found->length, found->response);
}
