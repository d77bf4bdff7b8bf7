/* The files that programs in browsers load: the JavaScript client, which is embedded, and the
 * library as WebAssembly, which a build may lack. */
#include "server/http/jobs/server_state.h"
#include "server/http/response/static_files.h"
#include "server/http/routes/handlers.h"

static enum handler_result respond_with(struct http_request *request, const char *path,
                                        const char *missing, struct problem *problem)
{
    if (static_files_respond(request->server->static_files, path, request))
        return HANDLER_DONE;
    problem_set(problem, PROBLEM_NOT_FOUND, "%s", missing);
    return HANDLER_FAILED;
}

enum handler_result handle_client_script(struct http_request *request, struct problem *problem)
{
    return respond_with(request, "viewer/terrane.js", "the program was built without terrane.js",
                        problem);
}

enum handler_result handle_wasm(struct http_request *request, struct problem *problem)
{
    return respond_with(request, "terrane.wasm",
                        "this server was installed without terrane.wasm: run `make wasm` and "
                        "`make install`, or install the Debian package, then start it again; "
                        "chunks over HTTP have the same bits",
                        problem);
}
