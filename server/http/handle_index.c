#include "server/http/assets.h"
#include "server/http/handlers.h"
#include "server/http/response.h"
#include "server/version.h"

/* Commands that work as they stand: "$H" is the server as the client called it, "$W" the default
 * world. */
static const struct {
    const char *what;
    const char *arguments;
} commands[] = {
    {"a tile: zoom 3, column 4, row 2", "-o tile.png 'http://$H/tiles/3/4/2.png'"},
    {"heights as colours (terrarium), 512 pixels",
     "-o tile.png 'http://$H/tiles/terrarium/3/4/2@2x.png'"},
    {"the same formulas with another seed",
     "-o tile.png 'http://$H/worlds/$W~42/tiles/relief/3/4/2.png'"},
    {"what is at a place (metres; x east, y south)", "'http://$H/at?x=1000&y=-250.5&pretty=1'"},
    {"the heights of many points", "-d '{\"points\":[[0,0],[1000,0]]}' 'http://$H/heights'"},
    {"TileJSON, for map libraries", "'http://$H/tiles.json'"},
    {"all worlds", "'http://$H/worlds?pretty=1'"},
    {"a world with its layers, biomes and styles", "'http://$H/worlds/$W?pretty=1'"},
};

static void write_command(const char *text, const char *host, const char *world, struct buffer *out)
{
    buffer_text(out, "  curl ");
    for (; *text; text++) {
        if (text[0] == '$' && (text[1] == 'H' || text[1] == 'W'))
            buffer_text(out, *++text == 'H' ? host : world);
        else
            buffer_byte(out, (uint8_t)*text);
    }
    buffer_byte(out, '\n');
}

static void write_guide(const struct catalog *catalog, const char *host, struct buffer *out)
{
    const struct catalog_world *standard = catalog_default(catalog);
    buffer_text(out, "Terrane " TERRANE_VERSION ": endless procedural worlds, as map tiles.\n"
                     "A browser that opens this address gets the map.\n\nWorlds:\n");
    for (size_t i = 0; i < catalog_world_count(catalog); i++) {
        const struct catalog_world *world = catalog_world_at(catalog, i);
        buffer_format(out, "  %-16s %s%s\n", world->name, world_title(world->world),
                      world == standard ? " (the default)" : "");
    }
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        buffer_format(out, "\n%s:\n", commands[i].what);
        write_command(commands[i].arguments, host, standard->name, out);
    }
}

static bool accepts_viewer(struct exchange *exchange)
{
    return headers_accept_html(&exchange->headers) &&
           assets_answer(exchange->loop->server->assets, "viewer/index.html", exchange);
}

enum handled handle_index(struct exchange *exchange, struct problem *problem)
{
    (void)problem;
    if (accepts_viewer(exchange))
        return HANDLED;
    struct buffer body = {0};
    const char *host = exchange->headers.host;
    write_guide(exchange->loop->server->catalog, host ? host : "localhost", &body);
    enum handled handled =
        response_document(exchange, &body, "text/plain; charset=utf-8", CACHE_REVALIDATE);
    response_header(exchange->response, "Vary", "Accept");
    return handled;
}

enum handled handle_viewer(struct exchange *exchange, struct problem *problem)
{
    const struct request *request = &exchange->request;
    struct buffer path = {0};
    for (unsigned i = 0; i < request->segment_count; i++)
        buffer_format(&path, "%s%s", i > 0 ? "/" : "", request->segments[i].text);
    bool found = assets_answer(exchange->loop->server->assets, buffer_string(&path), exchange);
    buffer_free(&path);
    if (found)
        return HANDLED;
    problem_set(problem, PROBLEM_NOT_FOUND, "the viewer has no such file");
    return FAILED;
}
