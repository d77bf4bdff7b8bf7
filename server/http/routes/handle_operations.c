/* The routes for operators and orchestrators: whether the server is alive and ready, its version
 * and its interface. None of these requests waits for a render thread, so they are answered under
 * load. */
#include "core/base/json_writer.h"
#include "server/base/version.h"
#include "server/http/jobs/server_state.h"
#include "server/http/openapi/document.h"
#include "server/http/response/base_url.h"
#include "server/http/response/response.h"
#include "server/http/response/static_document.h"
#include "server/http/routes/handlers.h"
#include "server/http/routes/router.h"
#include "server/queries/parameters.h"
#include "server/render/format.h"

static enum handler_result answer_text(struct http_request *request, const char *text)
{
    struct buffer body = {0};
    buffer_text(&body, text);
    request->response.body_length = body.length;
    return response_set(request, MHD_HTTP_OK,
                        response_new(&body, "text/plain; charset=utf-8", CACHE_NO_STORE));
}

enum handler_result handle_livez(struct http_request *request, struct problem *problem)
{
    (void)problem;
    return answer_text(request, "alive\n");
}

/* The socket is opened when the server is ready, so only shutting down is reported here. */
enum handler_result handle_readyz(struct http_request *request, struct problem *problem)
{
    if (!drain_has_begun(&request->server->group.drain))
        return answer_text(request, "ready\n");
    problem_set(problem, PROBLEM_SHUTTING_DOWN, "the server is about to end; ask another one");
    return HANDLER_FAILED;
}

static bool write_version(bool pretty, struct buffer *out, struct error *error)
{
    struct json_writer json;
    json_begin_object(&json, out, pretty);
    json_member_string(&json, "name", "terrane");
    json_member_string(&json, "version", TERRANE_VERSION);
    json_member_object(&json, "formats");
    for (size_t i = 0; format_at(i); i++)
        json_member_integer(&json, format_at(i)->name, format_at(i)->version);
    json_object_close(&json);
    json_member_string(&json, "libmicrohttpd", MHD_get_version());
    json_finish_object(&json);
    return !out->failed || error_memory(error);
}

/* Documents that are written once for each loop and form, then shared by all requests. */
static enum handler_result respond_static(struct http_request *request, enum static_document_id id,
                                          static_document_writer *write, struct problem *problem)
{
    return response_static_document(request, id, request->values->pretty, write, problem);
}

enum handler_result handle_version(struct http_request *request, struct problem *problem)
{
    return respond_static(request, STATIC_DOCUMENT_VERSION, write_version, problem);
}

static bool write_openapi(bool pretty, struct buffer *out, struct error *error)
{
    const struct route_table routes = router_table();
    return openapi_write(&routes, "", pretty, out, error);
}

/* Behind a proxy with a prefix the document is written for each request. */
static enum handler_result respond_with_openapi(struct http_request *request, const char *base_path)
{
    struct buffer body = {0};
    struct error error;
    const struct route_table routes = router_table();
    if (!openapi_write(&routes, base_path, request->values->pretty, &body, &error))
        body.failed = true;
    const enum handler_result result =
        response_document(request, &body, "application/json", CACHE_REVALIDATE);
    base_url_add_vary(request);
    return result;
}

enum handler_result handle_openapi(struct http_request *request, struct problem *problem)
{
    struct buffer path = {0};
    enum handler_result result = HANDLER_FAILED;
    const bool known = base_url_append_path(request, &path, problem);
    if (known && path.failed)
        problem_out_of_memory(problem);
    else if (known && (path.length > 0 || base_url_varies(request)))
        result = respond_with_openapi(request, buffer_string(&path));
    else if (known)
        result = respond_static(request, STATIC_DOCUMENT_OPENAPI, write_openapi, problem);
    buffer_free(&path);
    return result;
}
