#include "server/http/arguments.h"
#include "server/http/handlers.h"
#include "server/http/openapi.h"
#include "server/http/response.h"

enum handled handle_openapi(struct exchange *exchange, struct problem *problem)
{
    bool pretty = false;
    if (!argument_switch(&exchange->request, "pretty", &pretty, problem))
        return FAILED;
    return response_constant(exchange, &exchange->loop->openapi[pretty], pretty, openapi_write,
                             problem);
}
