/* What a request is refused with: RFC 9457, application/problem+json. This module is the only one
 * that knows how such an answer reads; everything else fills a `struct problem` and returns. */
#ifndef TERRANE_SERVER_HTTP_REQUEST_PROBLEM_H
#define TERRANE_SERVER_HTTP_REQUEST_PROBLEM_H

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "server/log/metrics.h"

enum problem_kind {
    PROBLEM_BAD_REQUEST,       /* 400: no HTTP that we would want to guess about */
    PROBLEM_PATH,              /* 400: a path or query that does not parse */
    PROBLEM_PARAMETER,         /* 400: a parameter of the query */
    PROBLEM_BODY,              /* 400: the body of a POST */
    PROBLEM_NOT_FOUND,         /* 404 */
    PROBLEM_METHOD,            /* 405 */
    PROBLEM_GONE,              /* 410: a pin that matches no more */
    PROBLEM_TOO_LARGE,         /* 413 */
    PROBLEM_TARGET_TOO_LONG,   /* 414: the target */
    PROBLEM_CONTENT_ENCODING,  /* 415: an encoded body */
    PROBLEM_MISDIRECTED,       /* 421: a Host that no address may be built from */
    PROBLEM_TOO_MANY_REQUESTS, /* 429: one client wants more than its share */
    PROBLEM_HEADERS_TOO_LARGE, /* 431: more of them than are taken */
    PROBLEM_INTERNAL,          /* 500 */
    PROBLEM_BUSY,              /* 503: more renders are waiting than may */
    PROBLEM_SHUTTING_DOWN,     /* 503: the server is going down */
};

struct problem {
    enum problem_kind kind;
    unsigned retry_after;  /* seconds, if more is known than the kind says; else 0 */
    bool close_connection; /* the connection cannot be trusted any further */
    /* If it was turned away for the load's sake: why. Of PROBLEM_BUSY and PROBLEM_SHUTTING_DOWN
     * alone, SHED_NOT stands for SHED_MEMORY and SHED_STOPPING. */
    enum metrics_shed shed_reason;
    const char *allow;     /* the Allow header of a 405, static; else null */
    const char *list_path; /* path of the list of what there is, static; or null */
    char detail[512];
    char parameter[64]; /* each "" where it does not apply */
    char allowed[256];
    char example[128];
    char current_fingerprint[64]; /* the fingerprint that is valid now */
};

/* Fills `problem` (the rest is cleared) and returns false, so that a caller can write
 * `return problem_set(...)`. Longer texts are cut at a character. */
bool problem_set(struct problem *problem, enum problem_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The 503s that any part of the server may have to give. All return false. */
bool problem_out_of_memory(struct problem *problem);
bool problem_shutting_down(struct problem *problem);
/* No room in the server's budget for responses. */
bool problem_response_memory(struct problem *problem);

/* problem_set() from an error: unknown names are 404, memory is 503, all else is `kind`. */
bool problem_from_error(struct problem *problem, enum problem_kind kind, const struct error *error);

/* A bad parameter: its name, and what is allowed (either may be ""). All return false. */
bool problem_parameter(struct problem *problem, const char *name, const char *allowed,
                       const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Names the parameter, unless one is named already or none is to blame. Returns false. */
bool problem_set_parameter(struct problem *problem, const char *parameter);

unsigned problem_status(const struct problem *problem);
/* Its `shed_reason`, or what that stands for. */
enum metrics_shed problem_shed_reason(const struct problem *problem);
/* Seconds for the Retry-After header; 0 for none. */
unsigned problem_retry_after(const struct problem *problem);
/* The JSON document. */
void problem_write(const struct problem *problem, struct buffer *out);

#endif
