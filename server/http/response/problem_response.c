#include "server/http/response/problem_response.h"

#include <stdio.h>

#include "server/http/response/response.h"

enum handler_result response_problem(struct http_request *request, const struct problem *problem)
{
    struct buffer body = {0};
    problem_write(problem, &body);
    request->response.body_length = body.length;
    struct MHD_Response *response = response_new(&body, "application/problem+json", CACHE_NO_STORE);
    if (problem_retry_after(problem)) {
        char seconds[16];
        snprintf(seconds, sizeof seconds, "%u", problem_retry_after(problem));
        response_add_header(response, "Retry-After", seconds);
    }
    if (problem->allow)
        response_add_header(response, "Allow", problem->allow);
    if (problem->close_connection)
        response_add_header(response, "Connection", "close");
    return response_set(request, problem_status(problem), response);
}

size_t response_write_problem(const struct problem *problem, struct buffer *out)
{
    struct buffer body = {0};
    problem_write(problem, &body);
    const size_t length = body.length;
    buffer_format(out,
                  "HTTP/1.1 %u %s\r\nContent-Type: application/problem+json\r\n"
                  "Cache-Control: no-store\r\nAccess-Control-Allow-Origin: *\r\n"
                  "X-Content-Type-Options: nosniff\r\nConnection: close\r\n"
                  "Content-Length: %zu\r\n\r\n",
                  problem_status(problem), MHD_get_reason_phrase_for(problem_status(problem)),
                  length);
    buffer_append(out, body.data, body.length);
    out->failed = out->failed || body.failed;
    buffer_free(&body);
    return length;
}
