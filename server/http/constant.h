/* Documents that stay the same as long as the program runs: written when first asked for, their
 * answers made once in each coding and shared by all requests of a loop. response_constant() uses
 * them. */
#ifndef TERRANE_SERVER_HTTP_CONSTANT_H
#define TERRANE_SERVER_HTTP_CONSTANT_H

#include "core/base/buffer.h"
#include "server/coding.h"
#include "server/http/conditional.h"

enum { CONSTANT_CODINGS = CODING_ZSTD + 1 };

/* Of one loop; zeroed at first. */
struct constant {
    struct buffer text;
    struct constant_answer {
        struct MHD_Response *response; /* null until it is asked for */
        size_t length;
        char etag[ETAG_TEXT];
    } answers[CONSTANT_CODINGS];
};

void constant_free(struct constant *constant);

#endif
