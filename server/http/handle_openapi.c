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
    if (openapi_write(pretty, &body, &error))
        return response_document(exchange, &body, "application/json", CACHE_REVALIDATE);
    buffer_free(&body);
    problem_from_error(problem, PROBLEM_INTERNAL, &error);
    return FAILED;
}
