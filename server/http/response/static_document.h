/* Documents that stay the same as long as the program runs: written when first asked for, their
 * answers made once in each coding and shared by all requests of a loop. response_static_document()
 * uses them. */
#ifndef TERRANE_SERVER_HTTP_RESPONSE_STATIC_DOCUMENT_H
#define TERRANE_SERVER_HTTP_RESPONSE_STATIC_DOCUMENT_H

#include "core/base/buffer.h"
#include "server/http/request/conditional.h"
#include "server/render/coding.h"

enum { STATIC_DOCUMENT_CODINGS = CODING_ZSTD + 1 };

/* Of one loop; zeroed at first. */
struct static_document {
    struct buffer text;
    struct static_document_response {
        struct MHD_Response *response; /* null until it is asked for */
        size_t length;
        char etag[ETAG_TEXT];
    } responses[STATIC_DOCUMENT_CODINGS];
};

void static_document_free(struct static_document *document);

#endif
