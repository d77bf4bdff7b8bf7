/* The list of worlds, and the descriptor of one: what a client must know to build every address and
 * to label a map. The templates of addresses come from the table of routes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/json_writer.h"
#include "core/tile/address.h"
#include "server/http/jobs/server_state.h"
#include "server/http/products/chunk_batch.h"
#include "server/http/response/base_url.h"
#include "server/http/response/page_settings.h"
#include "server/http/response/response.h"
#include "server/http/routes/handlers.h"
#include "server/http/routes/resolve.h"
#include "server/http/routes/router.h"
#include "server/http/routes/views.h"

static const char type_json[] = "application/json";

/* The members that the list and the descriptor have in common. */
static void write_summary(struct json_writer *json, const struct world_identity *identity,
                          const struct world *world)
{
    json_member_string(json, "name", identity->name);
    json_member_string(json, "title", world_title(world));
    json_member_string(json, "description", world_description(world));
    json_member_string(json, "seed", identity->seed);
    json_member_string(json, "fingerprint", identity->fingerprint);
}

/* A world of a document. */
struct listed_world {
    const struct world_identity *identity;
    const struct catalog_world *world; /* with any seed */
    struct place centre;               /* where a map of it begins */
};

/* Where a map of the world begins, with the template of its tiles. */
static void write_view(struct json_writer *json, const struct http_request *request,
                       const struct listed_world *listed, const char *base_path)
{
    const struct catalog_world *world = listed->world;
    const struct world_view *view = world_view(world->world);
    const struct painter *painter = catalog_view_painter(world);
    struct buffer tiles = {0};
    buffer_text(&tiles, base_path);
    resolve_append_tiles(listed->identity, painter, "/{z}/{x}/{y}",
                         resolve_tile_format(request, painter), &tiles);
    json_member_object(json, "view");
    json_member_place(json, "x", listed->centre.x);
    json_member_place(json, "y", listed->centre.y);
    if (view->where)
        json_member_string(json, "where", view->where);
    json_member_integer(json, "zoom", view->zoom);
    json_member_string(json, "style", painter_name(painter));
    json_member_place(json, "t", view->t);
    json_member_buffer(json, "tiles", &tiles);
    json_object_close(json);
}

static void write_material_names(struct json_writer *json, const struct world *world)
{
    json_member_array(json, "materials");
    for (unsigned i = 0; i < world_material_count(world); i++)
        json_write_string(json, world_material(world, i)->name);
    json_array_close(json);
}

/* Null where nothing has a name: a map needs to ask for none. */
static void write_names_fingerprint(struct json_writer *json, const struct world *world)
{
    const char *fingerprint = world_names_fingerprint(world);
    json_member_string(json, "names_fingerprint", fingerprint[0] ? fingerprint : NULL);
}

/* The document, which contains the path of the base and templates of the tiles that the client
 * accepts; frees both buffers. */
static enum handler_result respond(struct http_request *request, struct buffer *body,
                                   struct buffer *base)
{
    body->failed = body->failed || base->failed;
    buffer_free(base);
    const enum handler_result result =
        response_document(request, body, type_json, CACHE_REVALIDATE);
    base_url_add_vary(request);
    response_depends_on_accept(request);
    return result;
}

/* What the map page needs to know of the settings. */
static void write_page(struct json_writer *json, const struct page_settings *page)
{
    json_member_object(json, "page");
    json_member_bool(json, "events", page->events);
    json_member_string(json, "markers", page->markers);
    json_member_integer(json, "markers_interval", page->markers_interval);
    json_object_close(json);
}

enum handler_result handle_worlds(struct http_request *request, struct problem *problem)
{
    const struct catalog *catalog = request->generation->catalog;
    struct buffer body = {0};
    struct json_writer json;
    struct buffer base = {0};
    if (!base_url_append_path(request, &base, problem))
        return HANDLER_FAILED;
    json_begin_object(&json, &body, request->values->pretty);
    json_member_string(&json, "default", catalog_default(catalog)->identity.name);
    json_member_array(&json, "worlds");
    for (size_t i = 0; i < catalog_world_count(catalog); i++) {
        const struct catalog_world *world = catalog_world_at(catalog, i);
        const struct listed_world listed = {&world->identity, world, views_centre(request, i)};
        struct buffer path = {0};
        json_object_open(&json);
        write_summary(&json, &world->identity, world->world);
        write_view(&json, request, &listed, buffer_string(&base));
        write_material_names(&json, world->world);
        write_names_fingerprint(&json, world->world);
        buffer_text(&path, buffer_string(&base));
        resolve_append_world_path(&world->identity, false, &path);
        json_member_buffer(&json, "url", &path);
        json_object_close(&json);
    }
    json_array_close(&json);
    write_page(&json, request->server->page);
    json_finish_object(&json);
    return respond(request, &body, &base);
}

/* A layer's fingerprint pins its picture as a style's does, because the range may change. */
static void write_layers(struct json_writer *json, const struct catalog_world *entry)
{
    const struct world *world = entry->world;
    json_member_array(json, "layers");
    for (unsigned i = 0; i < world_layer_count(world); i++) {
        const struct world_layer *layer = world_layer(world, i);
        json_object_open(json);
        json_member_string(json, "name", layer->name);
        json_member_string(json, "formula", layer->formula);
        json_member_string(json, "unit", layer->unit);
        json_member_array(json, "range");
        json_write_float(json, layer->range_low);
        json_write_float(json, layer->range_high);
        json_array_close(json);
        const struct painter *painter = catalog_painter(entry, layer->name, NULL);
        json_member_string(json, "fingerprint", painter ? painter_fingerprint(painter) : NULL);
        json_member_bool(json, "time", painter && painter_uses_time(painter));
        json_object_close(json);
    }
    json_array_close(json);
}

/* Names are what queries take, titles and colours what a map's legend shows. */
static void open_entry(struct json_writer *json, const char *name, const char *title,
                       uint32_t colour)
{
    char text[8];
    snprintf(text, sizeof text, "#%06x", (unsigned)(colour & 0xFFFFFF));
    json_object_open(json);
    json_member_string(json, "name", name);
    json_member_string(json, "title", title);
    json_member_string(json, "color", text);
}

static void write_biomes(struct json_writer *json, const struct world *world)
{
    json_member_array(json, "biomes");
    for (unsigned i = 0; i < world_biome_count(world); i++) {
        const struct world_biome *biome = world_biome(world, i);
        open_entry(json, biome->name, biome->title, biome->colour);
        json_object_close(json);
    }
    json_array_close(json);
}

static void write_materials(struct json_writer *json, const struct world *world)
{
    const unsigned count = world_material_count(world);
    json_member_array(json, "materials");
    for (unsigned i = 0; i < count; i++) {
        const struct world_material *material = world_material(world, i);
        open_entry(json, material->name, material->title, material->colour);
        json_member_string(json, "weight", material->weight);
        json_object_close(json);
    }
    json_array_close(json);
    json_member_string(json, "materials_fingerprint",
                       count > 0 ? world_materials_fingerprint(world) : NULL);
}

/* The kinds of objects with the bounds of their placement, in metres and degrees. */
static void write_objects(struct json_writer *json, const struct world *world)
{
    json_member_array(json, "objects");
    for (unsigned i = 0; i < world_object_count(world); i++) {
        const struct world_object *object = world_object(world, i);
        open_entry(json, object->name, object->title, object->colour);
        json_member_float(json, "radius", object->radius);
        json_member_string(json, "density", object->density);
        json_member_place(json, "spacing", object->spacing);
        json_member_place(json, "min_distance", object->min_distance);
        json_member_float(json, "max_slope", object->max_slope);
        json_object_close(json);
    }
    json_array_close(json);
}

/* Each style with the template of its pinned tiles. */
static void write_styles(struct json_writer *json, const struct http_request *request,
                         const char *base_path)
{
    const struct resolved_world *resolved = &request->worlds[0];
    const struct catalog_world *world = resolved->base;
    json_member_array(json, "styles");
    for (size_t i = 0; i < world->style_count; i++) {
        const struct painter *painter = world->painters[i];
        struct buffer tiles = {0};
        buffer_text(&tiles, base_path);
        resolve_append_tiles(&resolved->identity, painter, "/{z}/{x}/{y}",
                             resolve_tile_format(request, painter), &tiles);
        json_object_open(json);
        json_member_string(json, "name", painter_name(painter));
        json_member_string(json, "title", painter_title(painter));
        json_member_string(json, "fingerprint", painter_fingerprint(painter));
        if (painter_encoding(painter))
            json_member_string(json, "encoding", painter_encoding(painter));
        json_member_bool(json, "time", painter_uses_time(painter));
        json_member_buffer(json, "tiles", &tiles);
        painter_write_legend(painter, json);
        json_object_close(json);
    }
    json_array_close(json);
}

/* The fingerprint of the version with that seed, or with its own if the seed is null. Without
 * memory for it the document fails. */
static void write_version(struct json_writer *json, const struct catalog_world *version,
                          const char *seed)
{
    char reseeded[WORLD_FINGERPRINT_TEXT];
    if (!seed)
        json_write_string(json, version->identity.fingerprint);
    else if (world_fingerprint_reseeded(version->world, seed, reseeded))
        json_write_string(json, reseeded);
    else
        json->out->failed = true;
}

/* The pins under which the world is served, the present version first. */
static void write_versions(struct json_writer *json, const struct http_request *request)
{
    const struct catalog *catalog = request->generation->catalog;
    const struct world_identity *identity = &request->worlds[0].identity;
    const struct catalog_world *base = request->worlds[0].base;
    const char *seed = identity->is_reseeded ? identity->seed : NULL;
    const struct catalog_world *present =
        base->is_preview ? base : catalog_find(catalog, identity->name, NULL);
    json_member_array(json, "versions");
    if (present)
        write_version(json, present, seed);
    for (size_t i = 0; i < catalog_former_count(catalog); i++)
        if (strcmp(catalog_former_at(catalog, i)->identity.name, identity->name) == 0)
            write_version(json, catalog_former_at(catalog, i), seed);
    json_array_close(json);
}

/* The bounds of requests that a client can know in advance. */
static void write_limits(struct json_writer *json, uint64_t chunk_samples)
{
    json_member_object(json, "limits");
    json_member_integer(json, "minzoom", 0);
    json_member_integer(json, "maxzoom", TILE_ZOOM_MAX);
    json_member_array(json, "sizes");
    for (const char *at = parameter_table[PARAMETER_MAP_SIZE].choices; *at; at += *at == ' ')
        json_write_integer(json, strtol(at, (char **)&at, 10));
    json_array_close(json);
    json_member_place(json, "coordinate", PLACE_LIMIT);
    json_member_integer(json, "points", QUERY_POINTS_MAX);
    json_member_integer(json, "objects", QUERY_OBJECTS_MAX);
    json_member_integer(json, "profile_samples", PROFILE_SAMPLES_MAX);
    json_member_integer(json, "stats_samples", QUERY_SAMPLES_MAX);
    json_member_integer(json, "chunks", CHUNK_BATCH_MAX);
    json_member_integer(json, "chunk_samples", (int64_t)chunk_samples);
    json_object_close(json);
}

/* The templates of the addresses of every route that has one; {style} may be NAME@FINGERPRINT. */
static void write_urls(struct json_writer *json, const struct world_identity *world,
                       const char *base_path)
{
    const struct route *route;
    json_member_object(json, "urls");
    for (size_t i = 0; (route = router_route_at(i)); i++) {
        struct buffer url = {0};
        if (!route->url_name)
            continue;
        buffer_text(&url, base_path);
        resolve_append_world_path(world, true, &url);
        router_append_url(route, &url);
        json_member_buffer(json, route->url_name, &url);
    }
    json_object_close(json);
}

enum handler_result handle_world(struct http_request *request, struct problem *problem)
{
    struct buffer body = {0};
    struct json_writer json;
    const struct world_identity *identity = &request->worlds[0].identity;
    const struct catalog_world *world = request->worlds[0].base;
    const struct listed_world listed = {identity, world, views_centre(request, 0)};
    struct buffer base = {0};
    if (!base_url_append_path(request, &base, problem))
        return HANDLER_FAILED;
    json_begin_object(&json, &body, request->values->pretty);
    write_summary(&json, identity, world->world);
    write_view(&json, request, &listed, buffer_string(&base));
    json_member_string(&json, "attribution", world_attribution(world->world));
    json_member_integer(&json, "generator", world_generator(world->world));
    write_versions(&json, request);
    write_layers(&json, world);
    write_biomes(&json, world->world);
    write_materials(&json, world->world);
    write_names_fingerprint(&json, world->world);
    write_objects(&json, world->world);
    write_styles(&json, request, buffer_string(&base));
    write_limits(&json, request->generation->chunk_samples);
    write_urls(&json, identity, buffer_string(&base));
    json_finish_object(&json);
    /* Titles and colours may change under the same fingerprint, so even a pin does not make it
     * immutable. */
    return respond(request, &body, &base);
}

/* The text as it was read, with the order and the lines that its author gave it. A seed in the
 * address is not written into it. */
enum handler_result handle_world_file(struct http_request *request, struct problem *problem)
{
    struct buffer body = {0};
    size_t length;
    const char *text = catalog_world_text(request->worlds[0].base, &length);
    (void)problem;
    buffer_append(&body, text, length);
    return response_document(request, &body, type_json, CACHE_REVALIDATE);
}
