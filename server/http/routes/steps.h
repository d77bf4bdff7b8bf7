/* The way of a request from its route to its answer: one order of steps for all routes.
 *
 * A route's row says which world it needs, its functions say what else is known of a request before
 * it is made: struct route_steps. The router does the rest: it reads the parameters, resolves the
 * worlds, admits the charge and has the worlds compiled. So make() finds its worlds resolved and
 * its charge admitted. */
#ifndef TERRANE_SERVER_HTTP_ROUTES_STEPS_H
#define TERRANE_SERVER_HTTP_ROUTES_STEPS_H

#include "server/http/jobs/admission.h"
#include "server/http/request/reference.h"
#include "server/http/response/answer_job.h"

typedef bool route_step(struct http_request *request, struct problem *problem);

/* What a route does besides making its answer, in this order. Each function may be null. A step is
 * false with a problem, unless it says otherwise. */
struct route_steps {
    /* Reads the rest of the URL into the request's work; its values are there. No world is. */
    route_step *read;
    /* Reads the body into the work, which is a struct answer_job: at once on the loop, or on a
     * render thread. The worlds of the URL are resolved. */
    answer_work *read_body;
    /* The reference to a second world in the body, and the name of the member; null for none. */
    const struct reference *(*other_world)(const struct http_request *request, const char **name);
    /* Completes the order by names of the worlds: layers, biomes, styles. 400, 404 or 410. */
    route_step *order;
    /* Answers what needs nothing made, 304 or a hit in memory: DONE, FAILED or CONTINUE. */
    http_handler *find;
    /* The charge for the answer, without that for compiling the worlds. */
    bool (*charge)(struct http_request *request, struct charge *charge, struct problem *problem);
    bool is_paid_by_piece; /* while it is made: the charge is compared with the limit alone */
};

/* Takes the next steps of the request, whose route is set. */
enum handler_result steps_take(struct http_request *request, struct problem *problem);

#endif
