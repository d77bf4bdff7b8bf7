#include "server/http/arguments.h"
#include "server/http/handlers.h"
#include "server/http/openapi.h"
#include "server/http/response.h"

enum handled handle_openapi(struct exchange *exchange, struct problem *problem)
{
    struct buffer body = {0};
    struct error error = {0};
    bool pretty = false;
    if (!argument_switch(&exchange->request, "pretty", &pretty, problem))
        return FAILED;
    /* It is the same as long as the program runs, and takes a millisecond to write. */
    struct buffer *kept = &exchange->loop->openapi[pretty];
    if (kept->length == 0 && !openapi_write(pretty, kept, &error)) {
        buffer_free(kept);
        problem_from_error(problem, PROBLEM_INTERNAL, &error);
        return FAILED;
    }
    buffer_append(&body, kept->data, kept->length);
    return response_document(exchange, &body, "application/json", CACHE_REVALIDATE);
}
