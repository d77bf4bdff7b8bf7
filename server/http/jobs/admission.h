/* Whether a request may cost what it costs: asked by handlers when they know what they are asked
 * for, before any of the work; and what each client may ask for. */
#ifndef TERRANE_SERVER_HTTP_JOBS_ADMISSION_H
#define TERRANE_SERVER_HTTP_JOBS_ADMISSION_H

#include "server/http/http_request.h"

struct charge {
    uint64_t cost;       /* see server/render/cost.h */
    const char *smaller; /* static: what would cost less, "a smaller size or fewer layers" */
    const char *example; /* static: a request that works */
};

/* Whether the client may ask for anything, before it is looked at what: false with 429. Fills the
 * exchange's bucket if clients are limited. */
bool admission_check_rate(struct http_request *request, struct problem *problem);
/* Sets what the exchange's next job costs. False with 413 that says the cost, the limit and what to
 * ask for instead, or with 429 if the client has spent what it may. */
bool admission_check_cost(struct http_request *request, const struct charge *charge,
                          struct problem *problem);
/* Gives back what the client has paid for work that was not done. */
void admission_refund(struct http_request *request);
/* The problem of a request that finds no room, or has waited too long: 503 with the time that what
 * waits should take. Returns false. */
bool admission_set_busy(const struct http_server *server, struct problem *problem,
                        const char *detail);

#endif
