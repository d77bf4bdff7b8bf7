/* Admission: whether a request may be made at all, and whether it may cost what it costs. The
 * latter is asked when it is known what is wanted and before any of the work (routes/steps.c). All
 * on the loop's thread. */
#ifndef TERRANE_SERVER_HTTP_JOBS_ADMISSION_H
#define TERRANE_SERVER_HTTP_JOBS_ADMISSION_H

#include "server/http/jobs/http_request.h"

/* Nanoseconds of a request besides what it asks for: reading it, waking a thread, sending the
 * response. Each request is charged so much once. */
#define ADMISSION_REQUEST ((uint64_t)20000)

struct charge {
    uint64_t nanoseconds; /* that the work takes at most: see server/render/price.h */
    const char *smaller;  /* static: what would cost less, "a smaller size or fewer layers" */
    const char *example;  /* static: a request that works */
    const char *parts;    /* static: of what a 413 says how many would fit, "points"; or null */
    bool is_value;        /* `parts` is a parameter, and `count` its value */
    uint64_t count;       /* of them in the request */
    /* What fewer parts would cost; null if each costs about the same. UINT64_MAX: too much. */
    uint64_t (*nanoseconds_of)(const void *context, uint64_t count);
    const void *context;
    const char *parameter; /* static: the parameter that a 413 is about; or null */
};

/* Counts the request against its client's limit of requests: false with 429. Finds the client's
 * bucket if clients are limited. */
bool admission_check_rate(struct http_request *request, struct problem *problem);
/* Adds to a 413 that has another reason than the price how many parts would fit: `count` of the
 * charge, or as many as the request may pay. */
void admission_add_fitting(const struct http_request *request, const struct charge *charge,
                           struct problem *problem);
/* False with 413, which says the price, the limit and what to ask for instead. Charges nothing. */
bool admission_check_limit(struct http_request *request, const struct charge *charge,
                           struct problem *problem);
/* Reserves what the request's next job takes at most. False with 413, which says the price, the
 * limit and what to ask for instead, or with 429 if the client has spent what it may. */
bool admission_reserve(struct http_request *request, const struct charge *charge,
                       struct problem *problem);
/* For an answer that is paid by piece: reserves what the job of its next piece takes at most, or
 * returns the microseconds until the client may have it. The charge for the request itself is
 * reserved with the first piece. */
int64_t admission_reserve_piece(struct http_request *request, uint64_t nanoseconds);
/* At the end of that job: gives back what it has not used. The rest of the charge stands, whatever
 * comes of the request. */
void admission_settle_piece(struct http_request *request);
/* 429 for a client that may go on in so many microseconds. Returns false. */
bool admission_refuse_rendering(int64_t wait, struct problem *problem);
/* Gives back what is reserved: the work was not done. */
void admission_refund(struct http_request *request);
/* Gives back what admission.used leaves of what is reserved: at the end of the work. */
void admission_settle(struct http_request *request);
/* The charge for what a part has used of what was reserved for it stands, whatever comes of the
 * request: it is not refunded. */
void admission_keep_part(struct http_request *request, uint64_t reserved, uint64_t used);

/* 503 with the time until the jobs that wait now should be done. Both return false. */
bool admission_set_busy(const struct http_server *server, struct problem *problem,
                        const char *detail);
/* admission_set_busy() for a job that finds no room in the queue. */
bool admission_set_queue_full(const struct http_server *server, struct problem *problem);

#endif
