/* Documents for web maps: TileJSON 3.0.0 of a style or of a world's vector tiles, and a style for
 * MapLibre.
 *
 * The templates of tiles are absolute and pinned to the present world and style, so a map that has
 * read a document never mixes tiles of two versions. Vector tiles are the same in every style and
 * pinned to the world alone.
 *
 * The MapLibre style shows the world's relief and contours, and terrain and hillshade from its
 * heights encoded as colours (the style terrarium). config/maplibre-style.json has its fixed part:
 * the layers from bottom to top with their paint properties. The hillshade is weak and the lines of
 * contours are thin, because the relief shows water and shades already. Names are there for those
 * who ask (labels=1). No glyphs are served: MapLibre then draws texts in a font of the browser, and
 * other programs may refuse a style with texts.
 *
 * Two members of that file are constants of MapLibre. It takes the map for the earth, whose equator
 * is 2π · 6371008.8 m long where it lifts the ground (its lng_lat.ts has that mean radius, not the
 * one of Web Mercator); the same width is 2²⁵ m here, so the exaggeration of the terrain,
 * 40030228.88 / 33554432, makes heights true to scale (at the equator). "terrane:terrarium"
 * is the encoding as MapLibre's "custom" one would write it, which it allows in that encoding only:
 * height = red · redFactor + green · greenFactor + blue · blueFactor − baseShift. */
#include <string.h>

#include "server/http/response/base_url.h"
#include "server/http/response/template.h"
#include "server/http/routes/guess.h"
#include "server/http/routes/handlers.h"
#include "server/http/routes/map_document.h"
#include "server/http/routes/resolve.h"
#include "server/http/routes/views.h"
#include "server/render/vector_layers.h"
#include "server/worlds/embedded_json.h"

/* One tile in the templates of addresses, and one with 512 pixels a side. */
static const char tile_template[] = "/{z}/{x}/{y}", tile_template_512[] = "/{z}/{x}/{y}@2x";

/* The tiles that a TileJSON describes. */
struct tileset {
    const struct world *world;
    const struct painter *painter; /* null for the world's vector tiles */
    struct place centre;           /* where a map of the world begins */
    uint32_t size;
    bool labels;         /* whether vector tiles have labels */
    struct buffer tiles; /* the template of the addresses */
};

static void write_texts(struct json_writer *json, const struct tileset *set)
{
    const struct world *world = set->world;
    struct buffer name = {0};
    buffer_format(&name, "%s – %s", world_title(world),
                  set->painter ? painter_title(set->painter) : "Contours");
    json_member_buffer(json, "name", &name);
    if (world_description(world)[0])
        json_member_string(json, "description", world_description(world));
    map_write_attribution(json, world);
}

static void write_tilejson(struct json_writer *json, struct tileset *set)
{
    json_member_string(json, "tilejson", "3.0.0");
    write_texts(json, set);
    json_member_string(json, "scheme", "xyz");
    map_write_tiles(json, &set->tiles);
    if (set->painter)
        json_member_integer(json, "tileSize", set->size);
    map_write_extent(json);
    map_write_center(json, set->centre);
    json_write_integer(json, world_view(set->world)->zoom);
    json_array_close(json);
    if (set->painter && painter_encoding(set->painter))
        json_member_string(json, "encoding", painter_encoding(set->painter));
    if (!set->painter) {
        json_write_key(json, "vector_layers");
        vector_layers_write(json, set->world, set->labels);
    }
}

/* The style's name in "{style}.json": the piece of the target without the extension. */
static bool parse_style_document(const struct http_request *request,
                                 const struct target_text *piece, struct target_text *style,
                                 struct problem *problem)
{
    struct buffer target = {0};
    static const char extension[] = ".json";
    size_t size = sizeof extension - 1;
    if (piece->raw_length <= size ||
        memcmp(piece->raw + piece->raw_length - size, extension, size) != 0) {
        problem_set(problem, PROBLEM_NOT_FOUND,
                    "a style's document is /tiles/{style}.json, a tile /tiles/{style}/{z}/{x}/{y}"
                    ".png");
        guess_extension(request, "json", &target);
        guess_set_example(problem, &target);
        return false;
    }
    *style = *piece;
    style->raw_length -= size;
    style->length -= size;
    return true;
}

enum handler_result handle_tilejson(struct http_request *request, struct problem *problem)
{
    const struct target_text *piece = request->captures[0];
    struct target_text style;
    struct tileset set = {.world = NULL};
    struct buffer body = {0};
    struct json_writer json;
    const struct parameter_values *values = request->values;
    const struct resolved_world *world = &request->worlds[0];
    if (piece && !parse_style_document(request, piece, &style, problem))
        return HANDLER_FAILED;
    set.world = world->base->world;
    set.centre = views_centre(request, 0);
    const struct painter *painter = piece
                                        ? resolve_style(request, style.text, style.length, problem)
                                        : resolve_style(request, NULL, 0, problem);
    const char *format = painter ? map_choose_format(request, values, painter, problem) : NULL;
    if (!format || !base_url_append(request, &set.tiles, problem))
        return HANDLER_FAILED;
    /* Vector tiles are the same in every style. */
    set.painter = values->map_format == MAP_FORMAT_MVT ? NULL : painter;
    set.size = values->map_size == 0 ? 256 : 512;
    resolve_append_tiles(&world->identity, set.painter,
                         set.size == 512 ? tile_template_512 : tile_template, format, &set.tiles);
    set.labels = values->labels && !set.painter;
    if (set.labels)
        buffer_text(&set.tiles, "?labels=1");
    json_begin_object(&json, &body, values->pretty);
    write_tilejson(&json, &set);
    json_finish_object(&json);
    return map_respond(request, &body);
}

struct style_writer {
    struct json_writer json;
    const struct resolved_world *world;
    struct place centre; /* where a map of it begins */
    const struct painter *relief;
    const struct painter *terrarium; /* null if the world has no style of that name and encoding */
    const char *tile;                /* the template of one of the relief's tiles */
    const char *format;              /* of the relief's tiles */
    bool labels;                     /* whether it letters the names of features */
    struct buffer base;              /* of addresses */
};

/* A source of vector tiles, or of the painter's tiles, which are pictures or heights. Pictures may
 * be twice as fine; heights are a mesh, which would not show it, and are smaller as PNG. MapLibre
 * would fill in "{ratio}" by the resolution of its screen, but no other program knows it. */
static void write_source(struct style_writer *writer, const char *name,
                         const struct painter *painter)
{
    struct json_writer *json = &writer->json;
    const bool heights = painter && painter == writer->terrarium;
    struct buffer address = {0};
    buffer_text(&address, buffer_string(&writer->base));
    resolve_append_tiles(&writer->world->identity, painter, heights ? tile_template : writer->tile,
                         heights ? "png" : writer->format, &address);
    if (!painter && writer->labels)
        buffer_text(&address, "?labels=1");
    json_member_object(json, name);
    json_member_string(json, "type", !painter ? "vector" : heights ? "raster-dem" : "raster");
    map_write_tiles(json, &address);
    map_write_extent(json);
    map_write_attribution(json, writer->world->base->world);
    if (painter)
        json_member_integer(json, "tileSize", 256);
    if (heights)
        json_member_string(json, "encoding", "terrarium");
    json_object_close(json);
}

/* Terrain and hillshade have separate sources, because they need tiles of different zooms. */
static void write_sources(struct style_writer *writer)
{
    json_member_object(&writer->json, "sources");
    write_source(writer, "relief", writer->relief);
    if (writer->terrarium) {
        write_source(writer, "terrain", writer->terrarium);
        write_source(writer, "hillshade", writer->terrarium);
    }
    write_source(writer, "contour", NULL);
    json_object_close(&writer->json);
}

static void write_metadata(struct style_writer *writer, const struct json *metadata)
{
    struct json_writer *json = &writer->json;
    json_member_object(json, "metadata");
    json_member_string(json, "terrane:fingerprint", writer->world->identity.fingerprint);
    if (writer->terrarium)
        template_write_members(json, metadata);
    json_object_close(json);
}

/* Heights need a style with heights, and rivers a drainage network; names are for those who ask. */
static bool has_layer(const struct style_writer *writer, const struct json *layer)
{
    const struct json *part = json_member(layer, "source-layer");
    if (strcmp(json_text(json_member(layer, "source")), "hillshade") == 0)
        return writer->terrarium != NULL;
    if (part && strcmp(json_text(part), "labels") == 0)
        return writer->labels;
    return !part || strcmp(json_text(part), "rivers") != 0 ||
           world_has_drainage(writer->world->base->world);
}

static void write_layers(struct style_writer *writer, const struct json *layers)
{
    struct json_writer *json = &writer->json;
    json_member_array(json, "layers");
    for (const struct json *layer = json_first(layers); layer; layer = json_next(layer))
        if (has_layer(writer, layer))
            template_write(json, layer);
    json_array_close(json);
}

/* A tile of MapLibre's zooms has 512 pixels a side, so they are one less; none is below 0. */
static void write_view(struct style_writer *writer)
{
    struct json_writer *json = &writer->json;
    const struct world *world = writer->world->base->world;
    map_write_center(json, writer->centre);
    json_array_close(json);
    json_member_integer(json, "zoom", world_view(world)->zoom - (world_view(world)->zoom > 0));
}

/* The template's members, those of heights only where the world has a style with heights. */
static void write_style(struct style_writer *writer, const struct json *template)
{
    struct json_writer *json = &writer->json;
    for (const struct json *member = json_first(template); member; member = json_next(member)) {
        const char *key = json_key(member);
        if (strcmp(key, "name") == 0)
            json_member_string(json, key, world_title(writer->world->base->world));
        else if (strcmp(key, "metadata") == 0)
            write_metadata(writer, member);
        else if (strcmp(key, "sources") == 0)
            write_sources(writer);
        else if (strcmp(key, "layers") == 0)
            write_layers(writer, member);
        else if (strcmp(key, "center") == 0)
            write_view(writer);
        else if (writer->terrarium || (strcmp(key, "terrain") != 0 && strcmp(key, "sky") != 0))
            template_write_member(json, member);
    }
}

/* The world's style of that name, if its pixels are heights; else null. */
static const struct painter *find_heights(const struct catalog_world *world, const char *style)
{
    const struct painter *painter = catalog_painter(world, style, NULL);
    const char *encoding = painter ? painter_encoding(painter) : NULL;
    return encoding && strcmp(encoding, "terrarium") == 0 ? painter : NULL;
}

/* Heights on which water is level: over those of the style terrarium it would lie on its bed.
 * Without that style in the world there is neither terrain nor hillshade. */
static const struct painter *find_terrarium(const struct catalog_world *world)
{
    const struct painter *ground = find_heights(world, "terrarium");
    const struct painter *level = find_heights(world, "terrarium-water");
    return ground && level ? level : ground;
}

enum handler_result handle_style(struct http_request *request, struct problem *problem)
{
    struct style_writer writer = {.world = &request->worlds[0], .centre = views_centre(request, 0)};
    struct buffer body = {0};
    const struct parameter_values *values = request->values;
    struct error error;
    writer.labels = values->labels;
    writer.relief = resolve_style(request, NULL, 0, problem);
    writer.tile = values->map_size == 0 ? tile_template : tile_template_512;
    writer.terrarium = find_terrarium(writer.world->base);
    writer.format =
        writer.relief ? map_choose_format(request, values, writer.relief, problem) : NULL;
    if (!writer.format || !base_url_append(request, &writer.base, problem))
        return HANDLER_FAILED;
    struct json_document *template = embedded_json_open("maplibre-style.json", &error);
    json_begin_object(&writer.json, &body, values->pretty);
    write_style(&writer, json_root(template));
    json_finish_object(&writer.json);
    body.failed = body.failed || writer.base.failed || !template;
    json_free(template);
    buffer_free(&writer.base);
    return map_respond(request, &body);
}
