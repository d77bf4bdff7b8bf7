/* The path "/", and the files of the map page.
 *
 * A client that accepts text/html gets the page. Every other client gets a guide in plain text:
 * five commands that work as they stand, then what there is besides, from the tables of routes,
 * formats and worlds. */
#include <string.h>

#include "server/base/version.h"
#include "server/http/jobs/server_state.h"
#include "server/http/response/base_url.h"
#include "server/http/response/response.h"
#include "server/http/response/static_files.h"
#include "server/http/routes/handlers.h"
#include "server/http/routes/router.h"
#include "server/render/chunk_format.h"
#include "server/render/format.h"

/* Five commands about places of the built-in world terra: "$B" is the base of the server's
 * addresses,
 * "$W" the world in front of the path unless it is the default one. */
static const struct {
    const char *title;
    const char *curl_arguments;
} commands[] = {
    {"1. Find a mountain: the nearest ground of 1800 m (metres; x east, y south).",
     "'$B$W/locate?min_height=1800&x=0&y=0&radius=30000&format=text'"},
    {"2. Ask about a place, its summit: height, slope, biome, every layer.",
     "'$B$W/at?x=1243&y=5960&format=text'"},
    {"3. Go there: the way up from the nearest river, five heights along it.",
     "'$B$W/profile?line=3763,1273;1243,5960&samples=5&format=text'"},
    {"4. Look at it, here in the terminal. Tiles are {zoom}/{column}/{row}.",
     "'$B$W/tiles/relief/12/2048/2048.ansi?cols=80'"},
    {"5. Take the ground along: a chunk of 65 x 65 heights, one metre apart, as float32.",
     "-o ground.r32f '$B$W/chunks/19/93.r32f?size=64&step=1'"},
};

static const char guide_footer[] =
    "  format=text prints tables, pretty=1 indents JSON; an error names what is allowed\n"
    "Any path goes for another world with /worlds/NAME in front, for another seed with "
    "/worlds/NAME~SEED.\n"
    "All of it, with an example for everything: /openapi.json\n";

/* The paths of the routes of a tag, without those that have parts to fill in. */
static void write_paths(const char *tag, struct buffer *out)
{
    const struct route *route;
    for (size_t i = 0; (route = router_route_at(i)); i++)
        if (strcmp(route->tag, tag) == 0 && !strchr(route->pattern, '{') &&
            (!route->query || route->form == QUERY_JSON))
            buffer_format(out, " /%s%s", route->pattern, route->body ? " (POST)" : "");
    buffer_byte(out, '\n');
}

/* One line for each family of routes. */
static void write_families(struct buffer *out)
{
    buffer_text(out, "\nWhat there is besides:\n  tiles     ");
    for (size_t i = 0; format_at(i); i++)
        buffer_format(out, " .%s", format_at(i)->name);
    buffer_text(out,
                "; @2x; styles relief, terrarium, contour ...\n"
                "  pictures  /render?bbox=x0,y0,x1,y1&width=1024 of any rectangle\n  chunks    ");
    for (size_t i = 0; chunk_format_at(i); i++)
        if (chunk_format_at(i)->shapes & CHUNK_FLAT)
            buffer_format(out, " .%s", chunk_format_at(i)->name);
    buffer_text(out, "; many at once by POST /chunks; in 3-D /volumes\n  questions ");
    write_paths("questions", out);
    buffer_text(out, "  maps      ");
    write_paths("maps", out);
    buffer_text(out, "  /verify    whether what you computed yourself is the same ground\n");
    buffer_text(out, guide_footer);
}

static void write_command(const char *text, const char *base, const char *world, struct buffer *out)
{
    buffer_text(out, "  curl ");
    for (; *text; text++) {
        if (text[0] == '$' && (text[1] == 'B' || text[1] == 'W'))
            buffer_text(out, *++text == 'B' ? base : world);
        else
            buffer_byte(out, (uint8_t)*text);
    }
    buffer_byte(out, '\n');
}

/* The worlds by name and title; the default one is marked. */
static void write_worlds(const struct catalog *catalog, struct buffer *out)
{
    const struct catalog_world *standard = catalog_default(catalog);
    buffer_text(out, "\nWorlds, of which /worlds and /worlds/NAME tell more:\n");
    for (size_t i = 0; i < catalog_world_count(catalog); i++) {
        const struct catalog_world *world = catalog_world_at(catalog, i);
        buffer_format(out, "  %-16s %s%s\n", world->identity.name, world_title(world->world),
                      world == standard ? " (the default)" : "");
    }
}

static void write_guide(const struct catalog *catalog, const char *base, struct buffer *out)
{
    static const char built_in[] = "terra";
    const bool standard = strcmp(catalog_default(catalog)->identity.name, built_in) == 0;
    buffer_text(out, "Terrane " TERRANE_VERSION ": endless procedural worlds, as tiles, chunks and "
                     "answers.\nA browser that opens this address gets the map.\n");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        buffer_format(out, "\n%s\n", commands[i].title);
        write_command(commands[i].curl_arguments, base, standard ? "" : "/worlds/terra", out);
    }
    write_families(out);
    write_worlds(catalog, out);
}

/* Browsers accept text/html; curl accepts everything and prefers nothing, so it gets the guide. */
static bool accepts_viewer(struct http_request *request)
{
    return headers_accept(&request->headers, "text/html") &&
           static_files_respond(request->server->static_files, "viewer/index.html", request);
}

enum handler_result handle_index(struct http_request *request, struct problem *problem)
{
    struct buffer body = {0}, base = {0};
    if (accepts_viewer(request))
        return HANDLER_DONE;
    if (!base_url_append_as_asked(request, &base, problem))
        return HANDLER_FAILED;
    write_guide(request->generation->catalog, buffer_string(&base), &body);
    body.failed = body.failed || base.failed;
    buffer_free(&base);
    const enum handler_result handled =
        base_url_respond(request, &body, "text/plain; charset=utf-8");
    response_depends_on_accept(request);
    return handled;
}

enum handler_result handle_viewer(struct http_request *request, struct problem *problem)
{
    const struct http_target *target = &request->target;
    struct buffer path = {0};
    for (unsigned i = 0; i < target->segment_count; i++)
        buffer_format(&path, "%s%s", i > 0 ? "/" : "", target->segments[i].text);
    const bool found =
        static_files_respond(request->server->static_files, buffer_string(&path), request);
    if (path.failed)
        problem_out_of_memory(problem);
    else if (!found)
        problem_set(problem, PROBLEM_NOT_FOUND, "the viewer has no such file");
    buffer_free(&path);
    return found ? HANDLER_DONE : HANDLER_FAILED;
}
