#include "server/http/response/static_document.h"

#include "server/http/response/response.h"

void static_document_free(struct static_document *document)
{
    buffer_free(&document->text);
    for (size_t i = 0; i < STATIC_DOCUMENT_CODINGS; i++)
        if (document->responses[i].response)
            MHD_destroy_response(document->responses[i].response);
    *document = (struct static_document){0};
}

/* Null, and nothing kept, when memory is out. */
static const struct static_document_response *find_response(struct event_loop *loop,
                                                            struct static_document *document,
                                                            enum coding coding)
{
    struct static_document_response *answer = &document->responses[coding];
    if (answer->response)
        return answer;
    const struct hash128 hash = hash_bytes(document->text.data, document->text.length, 0);
    struct buffer body = {0};
    buffer_append(&body, document->text.data, document->text.length);
    if (!response_compress_document(loop, hash, coding, &body))
        body.failed = true;
    answer->length = body.length;
    etag_write_with_coding(hash, coding, answer->etag);
    etag_add_length(answer->etag, answer->length);
    struct MHD_Response *response = response_new(&body, "application/json", CACHE_REVALIDATE);
    if (response_add_vary(response, coding) &&
        response_add_header(response, "ETag", answer->etag)) {
        answer->response = response;
        return answer;
    }
    if (response)
        MHD_destroy_response(response);
    return NULL;
}

enum handler_result response_static_document(struct http_request *request,
                                             struct static_document *document, bool pretty,
                                             static_document_writer *write, struct problem *problem)
{
    struct error error = {0};
    if (document->text.length == 0 && !write(pretty, &document->text, &error)) {
        buffer_free(&document->text);
        problem_from_error(problem, PROBLEM_INTERNAL, &error);
        return HANDLER_FAILED;
    }
    const enum coding coding = response_select_coding(&request->headers, document->text.length);
    const struct static_document_response *answer = find_response(request->loop, document, coding);
    if (!answer)
        return response_set(request, MHD_HTTP_OK, NULL);
    const bool known = headers_match_etag(&request->headers, answer->etag);
    response_set(request, known ? MHD_HTTP_NOT_MODIFIED : MHD_HTTP_OK, answer->response);
    request->response_shared = true;
    request->body_length = answer->length;
    return HANDLER_DONE;
}
