/* The job that makes one product for all requests that wait for it: its parts that run on render
 * and fetch threads. fetch_or_render.c starts it and shares its result. */
#ifndef TERRANE_SERVER_HTTP_PRODUCTS_PRODUCT_JOB_H
#define TERRANE_SERVER_HTTP_PRODUCTS_PRODUCT_JOB_H

#include "server/http/jobs/http_request.h"
#include "server/http/jobs/server_state.h"
#include "server/http/products/cached_response.h"
#include "server/http/products/recipe.h"

struct product_job {
    struct job job; /* first member */
    struct http_server *server;
    struct cache_key key;
    struct recipe recipe;          /* with a reference to the world */
    struct generation *generation; /* of the world; retained by the loop that started the job */
    struct tier_fetch fetch;
    const char *tier;               /* where the product was found; null if it was rendered */
    struct tier_record *record;     /* of the rendered product, for the tiers; or null */
    size_t reserved;                /* of the response budget, until `cached` has it */
    bool found_in_memory;           /* nothing had to be made */
    struct cached_response *cached; /* the result; if null: */
    struct problem problem;
};

/* On a render thread: compiles the world if it is lazy, renders the product, and fills `cached` and
 * `record`, or `problem`. The function of `job`. */
void product_job_render(struct job *job, struct worker_context *worker);
/* On a fetch thread: fills `cached` and `tier` from a record that a tier has found. A record of
 * another format or version is passed over. */
void product_job_use_record(struct product_job *product, const struct record *record,
                            const char *tier);

#endif
