/* Events for clients that follow reloads, such as the map page: with --watch alone, so that no
 * other server holds connections open for them. Errors name files by their paths on the author's
 * machine, which a page of another site open in the same browser must not read: so events have no
 * CORS headers, and are refused to pages of other origins and at Hosts that are not known
 * (base_url_check_site() says which). */
#include "server/http/jobs/server_state.h"
#include "server/http/response/base_url.h"
#include "server/http/response/event_stream.h"
#include "server/http/response/page_settings.h"
#include "server/http/routes/handlers.h"
#include "server/queries/parameters.h"

enum handler_result handle_events(struct http_request *request, struct problem *problem)
{
    if (!request->server->page->events)
        problem_set(problem, PROBLEM_NOT_FOUND,
                    "this server has no events: it was started without --watch");
    else if (base_url_check_site(request, problem))
        return event_stream_respond(request, request->values->once, problem);
    return HANDLER_FAILED;
}
