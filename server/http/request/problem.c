/* A row of kind_table for each kind of problem. Texts are cut to their fields, so that a problem
 * needs no memory: it must be possible to report that there is none. */
#include "server/http/request/problem.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/base/json_writer.h"
#include "core/base/utf8.h"
#include "core/worldfile/diagnostics.h"
#include "server/http/request/world_errors.h"

static const struct {
    const char *slug; /* behind https://terrane.dev/problems/ */
    const char *title;
    unsigned status;
    unsigned retry_after;
} kind_table[] = {
    [PROBLEM_BAD_REQUEST] = {"request", "Bad request", 400, 0},
    [PROBLEM_PATH] = {"path", "Bad path or query", 400, 0},
    [PROBLEM_PARAMETER] = {"parameter", "Bad parameter", 400, 0},
    [PROBLEM_BODY] = {"body", "Bad body", 400, 0},
    [PROBLEM_FORBIDDEN] = {"forbidden", "Forbidden", 403, 0},
    [PROBLEM_NOT_FOUND] = {"not-found", "Not found", 404, 0},
    [PROBLEM_METHOD] = {"method", "Method not allowed", 405, 0},
    [PROBLEM_GONE] = {"gone", "No longer the same", 410, 0},
    [PROBLEM_TOO_LARGE] = {"too-large", "Too large", 413, 0},
    [PROBLEM_TARGET_TOO_LONG] = {"too-long", "Target too long", 414, 0},
    [PROBLEM_CONTENT_ENCODING] = {"media", "Unsupported encoding", 415, 0},
    [PROBLEM_RANGE] = {"range", "No such range", 416, 0},
    [PROBLEM_MISDIRECTED] = {"host", "Unknown host", 421, 0},
    [PROBLEM_INVALID_WORLD] = {"world", "Errors in the world file", 422, 0},
    [PROBLEM_TOO_MANY_REQUESTS] = {"too-many", "Too many requests", 429, 1},
    [PROBLEM_HEADERS_TOO_LARGE] = {"headers", "Headers too large", 431, 0},
    [PROBLEM_INTERNAL] = {"internal", "Internal error", 500, 0},
    [PROBLEM_BUSY] = {"busy", "Too busy", 503, 1},
    [PROBLEM_SHUTTING_DOWN] = {"stopping", "Shutting down", 503, 5},
};

static void set_detail(struct problem *problem, enum problem_kind kind, const char *format,
                       va_list arguments)
{
    *problem = (struct problem){.kind = kind};
    vsnprintf(problem->detail, sizeof problem->detail, format, arguments);
}

bool problem_set(struct problem *problem, enum problem_kind kind, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    set_detail(problem, kind, format, arguments);
    va_end(arguments);
    return false;
}

bool problem_parameter(struct problem *problem, const char *name, const char *allowed,
                       const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    set_detail(problem, PROBLEM_PARAMETER, format, arguments);
    va_end(arguments);
    snprintf(problem->allowed, sizeof problem->allowed, "%s", allowed);
    return problem_set_parameter(problem, name);
}

bool problem_set_parameter(struct problem *problem, const char *parameter)
{
    if (problem_status(problem) < 500 && problem->kind != PROBLEM_INVALID_WORLD &&
        !problem->parameter[0])
        snprintf(problem->parameter, sizeof problem->parameter, "%s", parameter);
    return false;
}

bool problem_out_of_memory(struct problem *problem)
{
    return problem_set(problem, PROBLEM_BUSY, "out of memory");
}

bool problem_shutting_down(struct problem *problem)
{
    return problem_set(problem, PROBLEM_SHUTTING_DOWN, "the server is shutting down");
}

bool problem_response_memory(struct problem *problem)
{
    return problem_set(problem, PROBLEM_BUSY,
                       "too many large answers are being sent; try again soon");
}

bool problem_from_error(struct problem *problem, enum problem_kind kind, const struct error *error)
{
    char text[sizeof problem->detail];
    error_format(error, text, sizeof text);
    if (error->code == ERROR_UNKNOWN)
        kind = PROBLEM_NOT_FOUND;
    if (error->code == ERROR_WORLD)
        kind = PROBLEM_INVALID_WORLD;
    if (error->code == ERROR_MEMORY)
        kind = PROBLEM_BUSY;
    if (error->code == ERROR_WORK)
        kind = PROBLEM_TOO_LARGE;
    if (error->code == ERROR_CANCELLED)
        return problem_shutting_down(problem);
    return problem_set(problem, kind, "%s", text);
}

unsigned problem_status(const struct problem *problem)
{
    return kind_table[problem->kind].status;
}

enum metrics_counter problem_shed_reason(const struct problem *problem)
{
    if (problem->shed_reason != COUNTER_NONE)
        return problem->shed_reason;
    return problem->kind == PROBLEM_BUSY            ? SHED_MEMORY
           : problem->kind == PROBLEM_SHUTTING_DOWN ? SHED_STOPPING
                                                    : COUNTER_NONE;
}

unsigned problem_retry_after(const struct problem *problem)
{
    return problem->retry_after ? problem->retry_after : kind_table[problem->kind].retry_after;
}

/* Without the incomplete UTF-8 character that snprintf() leaves at the end of a text that fills its
 * field. Nothing for a text that is null or "". */
static void member_if_set(struct json_writer *json, const char *key, const char *before,
                          const char *text)
{
    struct buffer whole = {0};
    if (!text || !text[0])
        return;
    buffer_text(&whole, before);
    buffer_append(&whole, text, utf8_trim(text, strlen(text)));
    json_member_buffer(json, key, &whole);
}

/* A path below the base; an example may also be a body. */
static void path_if_set(struct json_writer *json, const char *key, const char *base_path,
                        const char *text)
{
    member_if_set(json, key, text && text[0] == '/' ? base_path : "", text);
}

void problem_write(const struct problem *problem, const char *base_path, struct buffer *out)
{
    char type[64];
    struct json_writer json;
    snprintf(type, sizeof type, "https://terrane.dev/problems/%s", kind_table[problem->kind].slug);
    json_begin_object(&json, out, false);
    json_member_string(&json, "type", type);
    json_member_string(&json, "title", kind_table[problem->kind].title);
    json_member_integer(&json, "status", kind_table[problem->kind].status);
    member_if_set(&json, "detail", "", problem->detail);
    member_if_set(&json, "parameter", "", problem->parameter);
    if (problem->column > 0)
        json_member_integer(&json, "column", problem->column);
    member_if_set(&json, "allowed", "", problem->allowed);
    path_if_set(&json, "example", base_path, problem->example);
    if (problem->fits > 0)
        json_member_integer(&json, "fits", (int64_t)problem->fits);
    member_if_set(&json, "current", "", problem->current_fingerprint);
    path_if_set(&json, "list", base_path, problem->list_path);
    if (problem->diagnostics)
        world_errors_write(&json, "errors", problem->diagnostics->errors,
                           problem->diagnostics->count);
    json_finish_object(&json);
}
