/* /openapi.json: written once for each loop and form, then shared by all requests. */
#include "server/http/response/static_document.h"
#include "server/http/routes/handlers.h"
#include "server/http/routes/openapi.h"
#include "server/http/routes/router.h"

enum handler_result handle_openapi(struct http_request *request, struct problem *problem)
{
    struct parameter_values values;
    if (!router_read_parameters(request, &values, problem))
        return HANDLER_FAILED;
    return response_static_document(request, STATIC_DOCUMENT_OPENAPI, values.pretty, openapi_write,
                                    problem);
}
