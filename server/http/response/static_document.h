/* Documents that stay the same as long as the program runs: written when they are first requested,
 * their responses made once in each coding and shared by all requests of a loop. */
#ifndef TERRANE_SERVER_HTTP_RESPONSE_STATIC_DOCUMENT_H
#define TERRANE_SERVER_HTTP_RESPONSE_STATIC_DOCUMENT_H

#include "server/http/jobs/http_request.h"

enum static_document_id {
    STATIC_DOCUMENT_OPENAPI,
    STATIC_DOCUMENT_VERSION,
    STATIC_DOCUMENT_FORMULAS,
    STATIC_DOCUMENTS,
};

/* Appends the document's JSON, indented if `pretty`. False with the error. */
typedef bool static_document_writer(bool pretty, struct buffer *out, struct error *error);

/* Answers 200, or 304 if the client has it. HANDLER_FAILED with 503 or 500. */
enum handler_result response_static_document(struct http_request *request,
                                             enum static_document_id id, bool pretty,
                                             static_document_writer *write,
                                             struct problem *problem);

/* All documents of a loop; null is allowed. */
void static_documents_free(struct static_document *documents);

#endif
