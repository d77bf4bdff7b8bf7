/* Answers that are made on a render thread while the request waits.
 *
 * A route defines a struct whose first member is a struct answer_job, and a struct answer_type with
 * its functions. Its first step calls answer_job_new() and fills the members with what the request
 * says, its last one calls answer_job_run(). make() runs on a render thread, or not at all if the
 * server is shutting down; everything else runs on the request's loop. The request owns the job and
 * frees it when it ends. */
#ifndef TERRANE_SERVER_HTTP_RESPONSE_ANSWER_JOB_H
#define TERRANE_SERVER_HTTP_RESPONSE_ANSWER_JOB_H

#include "server/http/response/response.h"

struct answer_job;

struct answer_type {
    enum metrics_kind kind; /* what the job is counted as */
    bool compressed;        /* the output is compressed on the render thread */
    /* Appends the output to `out`; false with `problem`. A failed buffer is reported by the caller.
     * May not touch the request but for what stays while it waits: see http_request.h. */
    bool (*make)(struct answer_job *answer, struct worker_context *worker);
    /* Called when make() has succeeded; null for a response with the output. */
    enum handler_result (*finish)(struct answer_job *answer, struct problem *problem);
    /* Releases what the members own; may be null. */
    void (*release)(struct answer_job *answer);
};

/* A part of an answer: what a render thread does. */
typedef bool answer_work(struct answer_job *answer, struct worker_context *worker);

struct answer_job {
    const struct answer_type *type;
    struct http_request *request;
    /* Of the job under way. */
    answer_work *work;
    http_handler *resume;
    /* The headers of the response; set by the route or by make(). */
    const char *content_type;
    char etag[ETAG_TEXT]; /* of the recipe; "" for a hash of the output */
    /* Of an answer in pieces: answer_pieces.h. */
    uint64_t piece_price;  /* of the next one */
    bool has_begun;        /* a piece was submitted */
    uint32_t waited, took; /* of the pieces so far: see struct job */
    int64_t give_up; /* when no more is tried, by the loop's clock; 0 while a piece makes its way */
    /* The result of the work. */
    struct buffer out;
    enum coding coding; /* of `out` */
    bool done;          /* it has succeeded; else `problem` is set */
    struct problem problem;
};

/* A job of `size` bytes, zero but for its head; null with 503 when memory is out. */
void *answer_job_new(struct http_request *request, const struct answer_type *type, size_t size,
                     struct problem *problem);
/* Submits the job that makes the answer, the request's work. WAITING, or FAILED if the queue is
 * full. */
http_handler answer_job_run;
/* Has the request's body read. CONTINUE or FAILED if it is short; else WAITING, and `resume` is
 * called once a render thread has read it. */
enum handler_result answer_job_read_body(struct answer_job *answer, answer_work *read,
                                         http_handler *resume, struct problem *problem);

/* For a finish() that has submitted the job again and again: the response with the output. */
enum handler_result answer_job_respond(struct answer_job *answer);

/* For a step that gives the request other work: takes the job from the request, then frees it. */
void answer_job_detach(struct answer_job *answer);
void answer_job_free(struct answer_job *answer);

#endif
