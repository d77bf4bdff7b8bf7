/* Problems: why a request is refused, as RFC 9457's application/problem+json says it. All code that
 * refuses a request fills a struct problem and returns; only this module knows how it is written.
 */
#ifndef TERRANE_SERVER_HTTP_REQUEST_PROBLEM_H
#define TERRANE_SERVER_HTTP_REQUEST_PROBLEM_H

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "server/log/metrics.h"

struct diagnostics;

enum problem_kind {
    PROBLEM_BAD_REQUEST,       /* 400: HTTP that can be read in more than one way */
    PROBLEM_PATH,              /* 400: a path or query that does not parse */
    PROBLEM_PARAMETER,         /* 400: a parameter of the query */
    PROBLEM_BODY,              /* 400: the body of a POST */
    PROBLEM_FORBIDDEN,         /* 403: not by this client, or not on this server */
    PROBLEM_NOT_FOUND,         /* 404 */
    PROBLEM_METHOD,            /* 405 */
    PROBLEM_GONE,              /* 410: a pin that matches nothing: reference_refuse_pin() */
    PROBLEM_TOO_LARGE,         /* 413 */
    PROBLEM_TARGET_TOO_LONG,   /* 414: the target */
    PROBLEM_CONTENT_ENCODING,  /* 415: a body with Content-Encoding */
    PROBLEM_RANGE,             /* 416: a part that has no bytes */
    PROBLEM_MISDIRECTED,       /* 421: a Host that no absolute URL may be built from */
    PROBLEM_INVALID_WORLD,     /* 422: errors of a world file, in `diagnostics` if it was sent */
    PROBLEM_TOO_MANY_REQUESTS, /* 429: a client has used up its share */
    PROBLEM_HEADERS_TOO_LARGE, /* 431 */
    PROBLEM_INTERNAL,          /* 500 */
    PROBLEM_BUSY,              /* 503: a full queue or memory limit, too long a wait, no memory; see
                                  `shed_reason`, and "Where a 503 comes from" in server/http/ARCHITECTURE.md */
    PROBLEM_SHUTTING_DOWN,     /* 503: the server drains */
};

struct problem {
    enum problem_kind kind;
    unsigned retry_after;  /* seconds, if they are known; 0 for the default of the kind */
    bool close_connection; /* what follows on the connection cannot be trusted */
    /* Which limit of load refused the request, if one did. In PROBLEM_BUSY, COUNTER_NONE stands for
     * SHED_MEMORY; in PROBLEM_SHUTTING_DOWN, for SHED_STOPPING. */
    enum metrics_counter shed_reason;
    const char *allow;     /* the Allow header of a 405, static; else null */
    const char *ows_code;  /* static: of an OWS exception where the kind does not say it; or null */
    const char *list_path; /* static: the path that lists what exists; or null */
    char detail[512];
    char parameter[64]; /* these are "" where they do not apply */
    unsigned column;    /* in the parameter's text, from 1; 0 where it does not apply */
    char allowed[256];
    char example[128];
    uint64_t fits;            /* of what there was too much, how much would fit; 0 for unknown */
    uint64_t complete_length; /* of what a 416 has no such part of, for Content-Range */
    char current_fingerprint[64];          /* of a pinned world or style that has changed */
    const struct diagnostics *diagnostics; /* borrowed until it is written; or null */
};

/* Fills `problem` (the rest is cleared) and returns false, so that a caller can write
 * `return problem_set(...)`. Texts that are too long are cut; problem_write() and
 * response_ows_exception() do it at a character. */
bool problem_set(struct problem *problem, enum problem_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The 503s that any part of the server may have to give. All return false. */
bool problem_out_of_memory(struct problem *problem);
bool problem_shutting_down(struct problem *problem);
/* No room in the server's budget for responses. */
bool problem_response_memory(struct problem *problem);

/* From an error: unknown names are 404, too much work is 413, what a world leads to is 422, memory
 * and a cancelled job are 503, all others are `kind`. Returns false. */
bool problem_from_error(struct problem *problem, enum problem_kind kind, const struct error *error);

/* A bad parameter: its name, and the allowed values (either may be ""). Returns false. */
bool problem_parameter(struct problem *problem, const char *name, const char *allowed,
                       const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Names the parameter, unless one is named already or the problem is the server's or the world's.
 * Returns false. */
bool problem_set_parameter(struct problem *problem, const char *parameter);

unsigned problem_status(const struct problem *problem);
/* `shed_reason`, or what COUNTER_NONE stands for. */
enum metrics_counter problem_shed_reason(const struct problem *problem);
/* Seconds for the Retry-After header; 0 for none. */
unsigned problem_retry_after(const struct problem *problem);
/* The JSON document; `base_path` stands in front of the paths in it: "" or "/terrane". */
void problem_write(const struct problem *problem, const char *base_path, struct buffer *out);

#endif
