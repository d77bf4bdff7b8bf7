/* A style for MapLibre: the world's relief and contours, and terrain and hillshade from its heights
 * encoded as colours (the style terrarium).
 *
 * It has no texts and so needs no glyphs from another server. Every source is pinned: a map that
 * has loaded the style keeps to one version of the world. The tables below are the layers from
 * bottom to top with their paint properties. */
#include <string.h>

#include "core/base/json_writer.h"
#include "core/tile/address.h"
#include "core/tile/mercator.h"
#include "server/http/response/base_url.h"
#include "server/http/routes/handlers.h"
#include "server/http/routes/resolve.h"
#include "server/http/routes/router.h"

/* MapLibre takes the map for the earth, whose equator is 2π · 6378137 m long; the same width is
 * 2²⁵ m here, so heights are true to scale (at the equator) when they are stretched likewise. */
#define EXAGGERATION (40075016.68557849 / 33554432)

struct style_writer {
    struct json_writer json;
    const struct catalog_world *world;
    const char *base;
};

/* A property of a layer's paint or of the sky: a colour, or a number where that is null. */
struct property {
    const char *name;
    const char *colour;
    double number;
};

enum { PROPERTIES_MAX = 6 };

enum features { ALL, INDEX, NO_INDEX }; /* the features of a source's layer that are drawn */

struct layer {
    const char *id, *type, *source;
    const char *source_layer; /* of vector tiles; else null */
    enum features features;
    struct property paint[PROPERTIES_MAX];
};

static const struct layer relief_layer = {
    .id = "relief", .type = "raster", .source = "relief", .paint = {{"raster-opacity", NULL, 1}}};

/* Weak, because the relief has shades of its own, from the same sun. */
static const struct layer hillshade_layer = {.id = "hillshade",
                                             .type = "hillshade",
                                             .source = "hillshade",
                                             .paint = {
                                                 {"hillshade-exaggeration", NULL, 0.2},
                                                 {"hillshade-illumination-direction", NULL, 315},
                                                 {"hillshade-shadow-color", "#1d2b3a", 0},
                                                 {"hillshade-highlight-color", "#fffaf0", 0},
                                                 {"hillshade-accent-color", "#2b3a2b", 0},
                                             }};

/* Thin lines, because the relief shows water and shades already. */
static const struct layer contour_layers[] = {
    {.id = "water",
     .type = "fill",
     .source = "contour",
     .source_layer = "water",
     .paint = {{"fill-color", "#2a6fb0", 0}, {"fill-opacity", NULL, 0.1}}},
    {.id = "contour",
     .type = "line",
     .source = "contour",
     .source_layer = "contour",
     .features = NO_INDEX,
     .paint = {{"line-color", "#5b4632", 0},
               {"line-opacity", NULL, 0.3},
               {"line-width", NULL, 0.6}}},
    {.id = "contour-index",
     .type = "line",
     .source = "contour",
     .source_layer = "contour",
     .features = INDEX,
     .paint = {{"line-color", "#4a3826", 0}, {"line-opacity", NULL, 0.5}, {"line-width", NULL, 1}}},
};

static const struct property sky[PROPERTIES_MAX] = {
    {"sky-color", "#8fbce0", 0},
    {"horizon-color", "#e8f0f6", 0},
    {"fog-color", "#dfe8ee", 0},
};

/* Terrarium as MapLibre's "custom" encoding would write it, which it allows in that encoding only:
 * height = red · redFactor + green · greenFactor + blue · blueFactor − baseShift. */
static const struct property terrarium_factors[PROPERTIES_MAX] = {
    {"redFactor", NULL, 256},
    {"greenFactor", NULL, 1},
    {"blueFactor", NULL, 0.00390625},
    {"baseShift", NULL, 32768},
};

static void write_properties(struct json_writer *json, const char *key,
                             const struct property properties[PROPERTIES_MAX])
{
    json_member_object(json, key);
    for (size_t i = 0; i < PROPERTIES_MAX && properties[i].name; i++) {
        if (properties[i].colour)
            json_member_string(json, properties[i].name, properties[i].colour);
        else
            json_member_double(json, properties[i].name, properties[i].number);
    }
    json_object_close(json);
}

/* ["==", ["get", "index"], true], or "!=". */
static void write_filter(struct json_writer *json, enum features features)
{
    json_member_array(json, "filter");
    json_write_string(json, features == INDEX ? "==" : "!=");
    json_array_open(json);
    json_write_string(json, "get");
    json_write_string(json, "index");
    json_array_close(json);
    json_write_bool(json, true);
    json_array_close(json);
}

static void write_layer(struct json_writer *json, const struct layer *layer)
{
    json_object_open(json);
    json_member_string(json, "id", layer->id);
    json_member_string(json, "type", layer->type);
    json_member_string(json, "source", layer->source);
    if (layer->source_layer)
        json_member_string(json, "source-layer", layer->source_layer);
    if (layer->features != ALL)
        write_filter(json, layer->features);
    write_properties(json, "paint", layer->paint);
    json_object_close(json);
}

static void write_bounds(struct json_writer *json)
{
    json_member_array(json, "bounds");
    json_write_double(json, -MERCATOR_LONGITUDE_MAX);
    json_write_double(json, -MERCATOR_LATITUDE_MAX);
    json_write_double(json, MERCATOR_LONGITUDE_MAX);
    json_write_double(json, MERCATOR_LATITUDE_MAX);
    json_array_close(json);
}

/* Opens a source with the members that all have; `path` follows the base address. */
static void open_source(struct style_writer *style_writer, const char *name, const char *type,
                        struct buffer *path)
{
    struct json_writer *json = &style_writer->json;
    const char *attribution = world_attribution(style_writer->world->world);
    struct buffer address = {0};
    json_member_object(json, name);
    json_member_string(json, "type", type);
    json_member_array(json, "tiles");
    buffer_format(&address, "%s%s", style_writer->base, buffer_string(path));
    json_write_string(json, buffer_string(&address));
    json_array_close(json);
    json->out->failed = json->out->failed || path->failed || address.failed;
    buffer_free(&address);
    json_member_integer(json, "minzoom", 0);
    json_member_integer(json, "maxzoom", TILE_ZOOM_MAX);
    write_bounds(json);
    if (attribution[0])
        json_member_string(json, "attribution", attribution);
}

/* A source of PNG tiles, `encoding` being that of heights or null. MapLibre asks for pictures twice
 * as fine where its screen is; heights are a mesh, which would not show it. */
static void write_raster(struct style_writer *style_writer, const char *name,
                         const struct painter *painter, const char *encoding)
{
    struct buffer path = {0};
    resolve_append_tiles_path(style_writer->world, painter, &path);
    buffer_text(&path, encoding ? "/{z}/{x}/{y}.png" : "/{z}/{x}/{y}{ratio}.png");
    open_source(style_writer, name, encoding ? "raster-dem" : "raster", &path);
    buffer_free(&path);
    json_member_integer(&style_writer->json, "tileSize", 256);
    if (encoding)
        json_member_string(&style_writer->json, "encoding", encoding);
    json_object_close(&style_writer->json);
}

/* Contours and water as vector tiles, which belong to the world and to no style. */
static void write_contour_source(struct style_writer *style_writer)
{
    struct buffer path = {0};
    resolve_append_world_path(style_writer->world, true, &path);
    buffer_text(&path, "/tiles/contour/{z}/{x}/{y}.mvt");
    open_source(style_writer, "contour", "vector", &path);
    buffer_free(&path);
    json_object_close(&style_writer->json);
}

/* Terrain and hillshade have separate sources, because they need tiles of different zooms. */
static void write_sources(struct style_writer *style_writer, const struct painter *relief,
                          const struct painter *terrarium)
{
    json_member_object(&style_writer->json, "sources");
    write_raster(style_writer, "relief", relief, NULL);
    if (terrarium) {
        write_raster(style_writer, "terrain", terrarium, "terrarium");
        write_raster(style_writer, "hillshade", terrarium, "terrarium");
    }
    write_contour_source(style_writer);
    json_object_close(&style_writer->json);
}

static void write_terrain(struct json_writer *json)
{
    json_member_object(json, "terrain");
    json_member_string(json, "source", "terrain");
    json_member_double(json, "exaggeration", EXAGGERATION);
    json_object_close(json);
    write_properties(json, "sky", sky);
}

static void write_view(struct json_writer *json)
{
    json_member_array(json, "center");
    json_write_integer(json, 0);
    json_write_integer(json, 0);
    json_array_close(json);
    json_member_integer(json, "zoom", 5);
}

static void write_metadata(struct json_writer *json, const struct world *world, bool has_heights)
{
    json_member_object(json, "metadata");
    json_member_string(json, "terrane:fingerprint", world_fingerprint(world));
    if (has_heights)
        write_properties(json, "terrane:terrarium", terrarium_factors);
    json_object_close(json);
}

static void write_style(struct style_writer *style_writer, const struct painter *relief)
{
    struct json_writer *json = &style_writer->json;
    const struct painter *terrarium = catalog_painter(style_writer->world, "terrarium", NULL);
    const char *encoding = terrarium ? painter_encoding(terrarium) : NULL;
    if (!encoding || strcmp(encoding, "terrarium") != 0)
        terrarium = NULL;
    json_object_open(json);
    json_member_integer(json, "version", 8);
    json_member_string(json, "name", world_title(style_writer->world->world));
    write_metadata(json, style_writer->world->world, terrarium);
    write_view(json);
    write_sources(style_writer, relief, terrarium);
    if (terrarium)
        write_terrain(json);
    json_member_array(json, "layers");
    write_layer(json, &relief_layer);
    if (terrarium)
        write_layer(json, &hillshade_layer);
    for (size_t i = 0; i < sizeof contour_layers / sizeof *contour_layers; i++)
        write_layer(json, &contour_layers[i]);
    json_array_close(json);
    json_object_close(json);
}

/* Without the style terrarium in the world there is neither terrain nor hillshade. */
enum handler_result handle_style(struct http_request *request, struct problem *problem)
{
    struct style_writer style_writer = {.world = NULL};
    struct buffer body = {0}, base = {0};
    struct parameter_values values;
    if (!router_read_parameters(request, &values, problem))
        return HANDLER_FAILED;
    enum handler_result resolved = resolve_world(request, request->world_text, problem);
    if (resolved != HANDLER_DONE)
        return resolved;
    const struct painter *relief = resolve_style(request, NULL, problem);
    if (!relief || !base_url_append(request, &base, problem))
        return HANDLER_FAILED;
    style_writer.world = request->world;
    style_writer.base = buffer_string(&base);
    json_begin(&style_writer.json, &body, values.pretty);
    write_style(&style_writer, relief);
    json_finish(&style_writer.json);
    body.failed = body.failed || base.failed;
    buffer_free(&base);
    return base_url_respond(request, &body, "application/json");
}
