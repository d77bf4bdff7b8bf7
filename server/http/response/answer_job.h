/* Answers that are made on a render thread while the request waits.
 *
 * An endpoint defines a struct whose first member is a struct answer_job, and a struct answer_type
 * with its functions. Its handler checks the request, then calls answer_job_new(), fills the
 * members and calls answer_job_run(). make() runs on a render thread, or not at all if the server
 * is shutting down; everything else runs on the request's loop. The request owns the job and frees
 * it when it ends. */
#ifndef TERRANE_SERVER_HTTP_RESPONSE_ANSWER_JOB_H
#define TERRANE_SERVER_HTTP_RESPONSE_ANSWER_JOB_H

#include "server/http/response/response.h"

struct answer_job;

struct answer_type {
    enum metrics_kind kind; /* what the job is counted as */
    bool compressed;        /* the output is compressed on the render thread */
    /* Appends the output to `out`; false with `problem`. A failed buffer is reported by the caller.
     * May not touch the request but for what stays while it waits: target, headers, body, world. */
    bool (*make)(struct answer_job *answer, struct worker_context *worker);
    /* Called when make() has succeeded; null for a response with the output. */
    enum handler_result (*finish)(struct answer_job *answer, struct problem *problem);
    /* Releases what the members own; may be null. */
    void (*release)(struct answer_job *answer);
};

struct answer_job {
    const struct answer_type *type;
    struct http_request *request;
    /* The headers of the response; set by the handler or by make(). */
    const char *content_type;
    enum cache_policy policy;
    char etag[ETAG_TEXT]; /* of the recipe; "" for a hash of the output */
    /* The result of make(). */
    struct buffer out;
    enum coding coding; /* of `out` */
    bool done;          /* `out` is the output; else `problem` is set */
    struct problem problem;
};

/* A job of `size` bytes, zero but for its head; null with 503 when memory is out. */
void *answer_job_new(struct http_request *request, const struct answer_type *type, size_t size,
                     struct problem *problem);
/* Submits the job. WAITING, or FAILED if the queue is full. */
enum handler_result answer_job_run(struct answer_job *answer, struct problem *problem);
/* For a make() that reads the request's body, and whose finish() then knows what is wanted: runs it
 * at once if the body is short, else submits the job. */
enum handler_result answer_job_read_body(struct answer_job *answer, struct problem *problem);

/* For a finish() that has submitted the job again and again: the response with the output. */
enum handler_result answer_job_respond(struct answer_job *answer);

/* For a finish() that gives the request other work: takes the job from the request, then frees it.
 */
void answer_job_detach(struct answer_job *answer);
void answer_job_free(struct answer_job *answer);

#endif
