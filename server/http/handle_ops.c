#include "server/http/arguments.h"
#include "server/http/handlers.h"
#include "server/http/response.h"
#include "server/json_writer.h"
#include "server/version.h"

static enum handled answer_text(struct exchange *exchange, const char *text)
{
    struct buffer body = {0};
    buffer_text(&body, text);
    return response_answer(exchange, MHD_HTTP_OK,
                           response_new(&body, "text/plain; charset=utf-8", CACHE_NEVER));
}

enum handled handle_livez(struct exchange *exchange, struct problem *problem)
{
    (void)problem;
    return answer_text(exchange, "alive\n");
}

/* While the server stops every request is refused with 503 before it gets here; before it has
 * started there is nobody to ask. */
enum handled handle_readyz(struct exchange *exchange, struct problem *problem)
{
    (void)problem;
    return answer_text(exchange, "ready\n");
}

enum handled handle_version(struct exchange *exchange, struct problem *problem)
{
    struct buffer body = {0};
    struct json_writer json;
    bool pretty = false;
    if (!argument_switch(&exchange->request, "pretty", &pretty, problem))
        return FAILED;
    json_begin(&json, &body, pretty);
    json_object_open(&json);
    json_member_string(&json, "name", "terrane");
    json_member_string(&json, "version", TERRANE_VERSION);
    json_write_key(&json, "formats");
    json_object_open(&json);
    for (size_t i = 0; format_at(i); i++)
        json_member_integer(&json, format_at(i)->name, format_at(i)->version);
    json_object_close(&json);
    json_member_string(&json, "libmicrohttpd", MHD_get_version());
    json_object_close(&json);
    json_finish(&json);
    return response_document(exchange, &body, "application/json", CACHE_REVALIDATE);
}
