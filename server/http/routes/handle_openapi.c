#include "server/http/request/parameters.h"
#include "server/http/response/static_document.h"
#include "server/http/routes/handlers.h"
#include "server/http/routes/openapi.h"

enum handler_result handle_openapi(struct http_request *request, struct problem *problem)
{
    bool pretty = false;
    if (!parameter_bool(&request->target, "pretty", &pretty, problem))
        return HANDLER_FAILED;
    return response_static_document(request, STATIC_DOCUMENT_OPENAPI, pretty, openapi_write,
                                    problem);
}
