/* Whether a request may cost what it costs: asked by handlers when they know what they are asked
 * for, before any of the work. */
#ifndef TERRANE_SERVER_HTTP_ADMISSION_H
#define TERRANE_SERVER_HTTP_ADMISSION_H

#include "server/http/exchange.h"

struct charge {
    uint64_t cost;       /* see server/cost.h */
    const char *smaller; /* static: what would cost less, "a smaller size or fewer layers" */
    const char *example; /* static: a request that works */
};

/* Sets what the exchange's next job costs. False with 413 that says the cost, the limit and what to
 * ask for instead. */
bool admission_check(struct exchange *exchange, const struct charge *charge,
                     struct problem *problem);
/* The problem of a request that finds no room, or has waited too long: 503 with the time that what
 * waits should take. Returns false. */
bool admission_busy(const struct http_server *server, struct problem *problem, const char *detail);

#endif
