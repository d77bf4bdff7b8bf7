/* The rows of the table of routes.
 *
 * Routes that are no queries stand here. Those of queries are made from the table of queries when
 * the routes are first used: one for each query, and one more for each output with an extension of
 * its own, such as /profile.svg. Threads may look routes up from then on without a lock.
 *
 * The order matters in one place only: the metrics count by index, so the page lists routes in this
 * order. No two patterns match the same path. */
#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "server/http/products/respond.h"
#include "server/http/routes/handlers.h"
#include "server/http/routes/router.h"

#define BIT(name) PARAMETER_BIT(name)
#define JSON "application/json"
#define XML "application/xml"
#define TEXT "text/plain"

enum {
    DOCUMENT = ROUTE_ETAG | ROUTE_COMPRESSED,
    MAP = DOCUMENT | ROUTE_NAMES | ROUTE_ABSOLUTE_URLS,
    TILE = DOCUMENT | ROUTE_NAMES | ROUTE_CACHE_HEADERS | ROUTE_RANGES,
    CHUNK = TILE | ROUTE_SAMPLE_HEADERS | ROUTE_WORK_LIMIT,
    ROUTES_MAX = 64,
    NAME_SIZE = 32,
};

/* ROUTE(scope, pattern, the world that it needs, the function that answers, id, tag, summary, other
 * members of struct route …) */
#define ROUTE(scope_, pattern_, world_, make_, id_, tag_, summary_, ...)                           \
    {                                                                                              \
        .scope = ROUTE_##scope_, .pattern = pattern_, .world = ROUTE_WORLD_##world_,               \
        .make = make_, .id = id_, .tag = tag_, .summary = summary_, __VA_ARGS__                    \
    }

static const struct route fixed_rows[] = {
    ROUTE(FIXED, "", NONE, handle_index, "index", "ops",
          "the map for a browser, a guide in plain text for other clients", .traits = DOCUMENT,
          .type = TEXT, .examples = "/"),
    ROUTE(FIXED, "viewer/*", NONE, handle_viewer, "viewer", "ops", "the files of the map page",
          .path = "viewer/{file}", .traits = DOCUMENT | ROUTE_NAMES, .type = "*/*",
          .examples = "/viewer/index.html"),
    ROUTE(FIXED, "terrane.js", NONE, handle_client_script, "clientScript", "ops",
          "the JavaScript client as one module", .traits = DOCUMENT, .type = "text/javascript",
          .examples = "/terrane.js"),
    ROUTE(FIXED, "terrane.wasm", NONE, handle_wasm, "wasm", "ops",
          "the library as WebAssembly, for the client; 404 if the server has none",
          .traits = DOCUMENT | ROUTE_NAMES, .type = "application/wasm",
          .examples = "/terrane.wasm"),
    ROUTE(OF_WORLD, "w/{world}", VIEW, handle_page, "page", "ops",
          "the map page of a place in a world, with what programs that show links read of it",
          .steps = &page_steps,
          .parameters = BIT(PAGE_X) | BIT(PAGE_Y) | BIT(PAGE_ZOOM) | BIT(PAGE_STYLE) | BIT(T),
          .traits = DOCUMENT | ROUTE_NAMES | ROUTE_CACHE_HEADERS | ROUTE_WORK_LIMIT,
          .type = "text/html",
          .examples = "/w/terra /w/terra~42?x=1000&y=-250.5&zoom=9&style=biome&t=0"),
    ROUTE(FIXED, "livez", NONE, handle_livez, "livez", "ops", "whether the server runs",
          .type = TEXT, .examples = "/livez"),
    ROUTE(FIXED, "readyz", NONE, handle_readyz, "readyz", "ops",
          "whether the server takes requests: 503 while it stops", .type = TEXT,
          .examples = "/readyz"),
    ROUTE(FIXED, "metrics", NONE, handle_metrics, "metrics", "ops",
          "counters and times for Prometheus; OpenMetrics by Accept", .type = TEXT,
          .examples = "/metrics"),
    ROUTE(FIXED, "version", NONE, handle_version, "version", "ops",
          "the versions of the program and of its formats", .parameters = BIT(PRETTY),
          .traits = DOCUMENT, .type = JSON, .schema = "Version",
          .examples = "/version /version?pretty=1"),
    ROUTE(FIXED, "openapi.json", NONE, handle_openapi, "openapi", "ops", "this document",
          .parameters = BIT(PRETTY), .traits = DOCUMENT, .type = JSON, .schema = "Document",
          .examples = "/openapi.json /openapi.json?pretty=1"),
    ROUTE(FIXED, "events", NONE, handle_events, "events", "worlds",
          "server-sent events for clients that follow reloads; with --watch alone: \"worlds\" has "
          "the generation and the fingerprints of the worlds, \"errors\" why a reload has failed",
          .parameters = BIT(ONCE), .traits = ROUTE_NAMES | ROUTE_SAME_ORIGIN,
          .type = "text/event-stream", .examples = "/events?once=1"),
    ROUTE(FIXED, "worlds", VIEWS, handle_worlds, "worlds", "worlds", "the list of worlds",
          .parameters = BIT(PRETTY), .traits = DOCUMENT, .type = JSON, .schema = "Worlds",
          .examples = "/worlds /worlds?pretty=1"),
    ROUTE(OF_WORLD, "worlds/{world}", VIEW, handle_world, "world", "worlds",
          "a world: its fingerprint, layers, biomes, objects, styles, limits and addresses",
          .parameters = BIT(PRETTY), .traits = DOCUMENT | ROUTE_NAMES, .type = JSON,
          .schema = "World", .examples = "/worlds/terra /worlds/terra?pretty=1 /worlds/terra~42"),
    ROUTE(WORLD, "world.json", IDENTITY, handle_world_file, "worldFile", "worlds",
          "the file of a world, as it was loaded: to read, to change, to serve with --worlds",
          .traits = DOCUMENT | ROUTE_NAMES, .type = JSON, .schema = "WorldFile", .url_name = "file",
          .examples = "/world.json"),
    ROUTE(FIXED, "formulas", NONE, handle_formulas, "formulas", "worlds",
          "the functions that formulas of world files can call, with their parameters",
          .parameters = BIT(PRETTY), .traits = DOCUMENT, .type = JSON, .schema = "Formulas",
          .examples = "/formulas /formulas?pretty=1"),
    ROUTE(FIXED, "preview", NONE, answer_job_run, "preview", "worlds",
          "takes a world file and serves it for a while, as a world of its own",
          .steps = &preview_steps, .traits = ROUTE_WORK_LIMIT | ROUTE_SAME_ORIGIN | ROUTE_CREATES,
          .type = JSON, .schema = "Preview", .body = "WorldFile",
          .examples = "{\"generator\":1,\"title\":\"Hills\",\"seed\":\"1\",\"layers\":{"
                      "\"height\":{\"formula\":\"200*perlin(wavelength=1000)\"}}}"),
    ROUTE(FIXED, "tiles/{z}/{x}/{y}", IDENTITY, product_make, "tileOfQuery", "tiles",
          "a tile; world and style are parameters", .steps = &tile_by_query_steps,
          .path = "tiles/{z}/{x}/{y}.{format}",
          .parameters = BIT(WORLD) | BIT(STYLE) | BIT(TILE_SIZE) | BIT(T) | BIT(INTERVAL) |
                        BIT(LABELS) | BIT(COLS),
          .traits = TILE, .content = ROUTE_TILES,
          .examples = "/tiles/3/4/2.png "
                      "/tiles/3/4/2.webp?world=terra&style=relief&size=512&t=0 "
                      "/tiles/9/256/258.mvt?style=contour&interval=20&labels=1 "
                      "/tiles/3/4/2.txt?cols=60 "
                      "/tiles/3/4/2.json?size=2 "
                      "/tiles/3/4/2@2x.webp?world=terra&style=biome&t=0"),
    ROUTE(WORLD, "tiles/{style}/{z}/{x}/{y}", IDENTITY, product_make, "tile", "tiles", "a tile",
          .steps = &tile_steps, .path = "tiles/{style}/{z}/{x}/{y}.{format}",
          .parameters = BIT(TILE_SIZE) | BIT(T) | BIT(INTERVAL) | BIT(LABELS) | BIT(COLS),
          .traits = TILE, .content = ROUTE_TILES, .url_name = "tiles",
          .url = "tiles/{style}/{z}/{x}/{y}.png",
          .examples = "/tiles/relief/3/4/2.png "
                      "/tiles/terrarium/3/4/2.png?size=512&t=0 "
                      "/tiles/contour/9/256/258.mvt?interval=20&labels=1 "
                      "/tiles/relief/3/4/2.ansi?cols=60 "
                      "/tiles/height/3/4/2.r32f "
                      "/tiles/height/3/4/2.json?size=2 "
                      "/tiles/terrarium-water/3/4/2.terrain "
                      "/tiles/relief/3/4/2@2x.png?t=0 "
                      "/tiles/terrarium/3/4/2@2x.png?size=512"),
    ROUTE(WORLD, "render", COMPILED, handle_render, "render", "tiles",
          "a picture of any rectangle, of up to 4096 x 4096 pixels", .steps = &render_steps,
          .parameters = BIT(BBOX) | BIT(WIDTH) | BIT(PIXEL_STEP) | BIT(WORLD) | BIT(STYLE) |
                        BIT(RENDER_FORMAT) | BIT(T),
          .traits = ROUTE_ETAG | ROUTE_NAMES | ROUTE_CACHE_HEADERS | ROUTE_WORK_LIMIT,
          .content = ROUTE_PICTURES, .url_name = "render",
          .examples = "/render?bbox=0,0,200,200&width=64&style=relief&t=0 "
                      "/render?bbox=0,0,200,200&step=2.5&format=r32f "
                      "/render?bbox=0,0,200,200&width=64&format=webp&world=terra"),
    ROUTE(WORLD, "tiles/{style}", VIEW, handle_tilejson, "tilejson", "maps",
          "TileJSON 3.0.0 of a style", .path = "tiles/{style}.json",
          .parameters = BIT(MAP_SIZE) | BIT(MAP_FORMAT) | BIT(LABELS) | BIT(PRETTY), .traits = MAP,
          .type = JSON, .schema = "TileJson", .url_name = "tilejson", .url = "tiles/{style}.json",
          .examples = "/tiles/terrarium.json "
                      "/tiles/relief.json?size=512&pretty=1 "
                      "/tiles/relief.json?format=webp "
                      "/tiles/contour.json?format=mvt&labels=1"),
    ROUTE(WORLD, "tiles.json", VIEW, handle_tilejson, "tilejsonDefault", "maps",
          "TileJSON 3.0.0 of the default style",
          .parameters = BIT(MAP_SIZE) | BIT(MAP_FORMAT) | BIT(LABELS) | BIT(PRETTY), .traits = MAP,
          .type = JSON, .schema = "TileJson",
          .examples = "/tiles.json /tiles.json?size=512&pretty=1 "
                      "/tiles.json?format=mvt&labels=1"),
    ROUTE(WORLD, "style.json", VIEW, handle_style, "mapStyle", "maps", "a style for MapLibre",
          .parameters = BIT(PICTURE_SIZE) | BIT(PICTURE_FORMAT) | BIT(LABELS) | BIT(PRETTY),
          .traits = MAP, .type = JSON, .schema = "MapStyle", .url_name = "style",
          .examples = "/style.json /style.json?labels=1 /style.json?pretty=1 "
                      "/style.json?size=512&format=webp"),
    ROUTE(WORLD, "tiles/{style}/layer.json", IDENTITY, handle_terrain, "terrain", "maps",
          "terrain for Cesium: where the tiles in the format terrain are",
          .parameters = BIT(PRETTY), .traits = MAP, .type = JSON, .schema = "TerrainLayer",
          .url_name = "terrain",
          .examples = "/tiles/height/layer.json /tiles/terrarium-water/layer.json?pretty=1"),
    ROUTE(WORLD, "wmts.xml", IDENTITY, handle_wmts, "wmts", "maps",
          "WMTS 1.0.0 capabilities, for QGIS and GDAL",
          .parameters = BIT(STYLE) | BIT(SERVICE) | BIT(SERVICE_CAPITALS) | BIT(REQUEST) |
                        BIT(REQUEST_CAPITALS) | BIT(VERSION) | BIT(VERSION_CAPITALS),
          .traits = MAP, .type = XML, .url_name = "wmts",
          .examples = "/wmts.xml "
                      "/wmts.xml?style=relief&service=WMTS&request=GetCapabilities&version=1.0.0 "
                      "/wmts.xml?SERVICE=WMTS&REQUEST=GetCapabilities&VERSION=1.0.0"),
    ROUTE(WORLD, "wmts", IDENTITY, handle_wmts_request, "wmtsRequest", "maps",
          "WMTS 1.0.0 by parameters: capabilities and tiles", .steps = &wmts_steps,
          .parameters = BIT(WMTS_SERVICE) | BIT(WMTS_VERSION) | BIT(WMTS_REQUEST) |
                        BIT(WMTS_LAYER) | BIT(WMTS_STYLE) | BIT(WMTS_FORMAT) |
                        BIT(WMTS_MATRIX_SET) | BIT(WMTS_MATRIX) | BIT(WMTS_ROW) | BIT(WMTS_COLUMN),
          .traits = MAP | ROUTE_OWS, .type = XML,
          .examples = "/wmts "
                      "/wmts?SERVICE=WMTS&VERSION=1.0.0&REQUEST=GetTile&LAYER=relief&STYLE=default"
                      "&FORMAT=image/png&TILEMATRIXSET=WebMercatorQuad&TILEMATRIX=20&TILEROW=524289"
                      "&TILECOL=524290 "
                      "/wmts?SERVICE=WMTS&VERSION=1.0.0&REQUEST=GetTile&LAYER=height&STYLE=default"
                      "&FORMAT=image/tiff&TILEMATRIXSET=WebMercatorQuad&TILEMATRIX=0&TILEROW=0"
                      "&TILECOL=0"),
    ROUTE(WORLD, "gdal.xml", IDENTITY, handle_gdal, "gdal", "maps",
          "a file with which GDAL reads a style's tiles",
          .parameters = BIT(STYLE) | BIT(GDAL_FORMAT), .traits = MAP, .type = XML,
          .url_name = "gdal", .url = "gdal.xml?style={style}",
          .examples = "/gdal.xml /gdal.xml?style=relief /gdal.xml?style=height&format=tif"),
    ROUTE(WORLD, "chunks/{x}/{y}", IDENTITY, product_make, "chunk", "chunks",
          "a chunk of samples for a game server", .steps = &chunk_steps,
          .path = "chunks/{cx}/{cy}.{format}",
          .parameters = BIT(CHUNK_SIZE) | BIT(STEP) | BIT(DX) | BIT(DY) | BIT(APRON) | BIT(LAYERS) |
                        BIT(CRS) | BIT(COLOURS) | BIT(MATERIALS) | BIT(SKIRT) | BIT(T),
          .traits = CHUNK, .content = ROUTE_CHUNKS, .url_name = "chunk",
          .url = "chunks/{cx}/{cy}.{format}?size=64&step=1",
          .examples = "/chunks/0/0.r32f?size=16&step=2 "
                      "/chunks/3/-2.json?size=4&step=64&apron=1&t=0 "
                      "/chunks/3/-2.r16?layers=height,biome "
                      "/chunks/3/-2.tif?crs=3857&dx=5&dy=9 "
                      "/chunks/3/-2.glb?style=relief&skirt=8 "
                      "/chunks/3/-2.png?materials=0"),
    ROUTE(WORLD, "chunks", COMPILED, handle_batch, "chunks", "chunks",
          "many chunks at once: records of 32 bytes, little-endian (\"TRNC\", u16 version 1, "
          "u16 status, i64 cx, i64 cy, u32 bytes, u32 CRC-32), each with its payload behind it",
          .steps = &chunks_steps,
          .traits = ROUTE_NAMES | ROUTE_CACHE_HEADERS | ROUTE_WORK_LIMIT | ROUTE_COMPRESSED,
          .type = "application/vnd.terrane.chunks", .body = "ChunksRequest", .url_name = "chunks",
          .examples = "{\"chunks\":[[0,0],[1,0]]} "
                      "{\"format\":\"r16\",\"size\":16,\"step\":2,\"apron\":1,\"t\":0,\"layers\":["
                      "\"height\"],\"chunks\":[[3,-2]]} "
                      "{\"format\":\"glb\",\"size\":4,\"skirt\":8,\"chunks\":[[3,-2]]} "
                      "{\"format\":\"png\",\"size\":4,\"materials\":0,\"chunks\":[[3,-2]]} "
                      "{\"size\":16,\"objects\":true,\"chunks\":[[3,-2]]}"),
    ROUTE(WORLD, "digests", COMPILED, handle_digests, "digests", "chunks",
          "digests of many chunks at once, and which of them another world or version changes",
          .steps = &digests_steps,
          .traits = ROUTE_NAMES | ROUTE_CACHE_HEADERS | ROUTE_WORK_LIMIT | ROUTE_COMPRESSED,
          .type = JSON, .schema = "Digests", .body = "DigestsRequest", .url_name = "digests",
          .examples = "{\"chunks\":[[0,0],[1,0]]} "
                      "{\"size\":16,\"step\":2,\"apron\":1,\"t\":0,\"layers\":[\"height\"],"
                      "\"chunks\":[[3,-2]],\"against\":\"terra~2\"}"),
    ROUTE(WORLD, "volumes/{x}/{y}/{z}", IDENTITY, product_make, "volume", "chunks",
          "a cube of samples, the slowest index upwards", .steps = &volume_steps,
          .path = "volumes/{cx}/{cy}/{cz}.{format}",
          .parameters = BIT(VOLUME_SIZE) | BIT(STEP) | BIT(LAYER) | BIT(T),
          .traits = CHUNK | ROUTE_EXTREMES, .content = ROUTE_VOLUMES, .url_name = "volume",
          .url = "volumes/{cx}/{cy}/{cz}.{format}?layer={layer}&size=32&step=1",
          .examples = "/volumes/0/0/0.r32f?layer=height&size=4&step=2&t=0 "
                      "/volumes/0/0/-1.json?layer=height&size=2"),
    ROUTE(WORLD, "volumes", COMPILED, handle_batch, "volumes", "chunks",
          "many volumes at once: records of 48 bytes, little-endian (\"TRNV\", u16 version 1, "
          "u16 status, i64 cx, i64 cy, i64 cz, f32 minimum, f32 maximum, u32 bytes, u32 CRC-32), "
          "each with its payload behind it; 204 says that the surface is not in the volume",
          .steps = &volumes_steps,
          .traits = ROUTE_NAMES | ROUTE_CACHE_HEADERS | ROUTE_WORK_LIMIT | ROUTE_COMPRESSED,
          .type = "application/vnd.terrane.volumes", .body = "VolumesRequest",
          .url_name = "volumes",
          .examples = "{\"layer\":\"height\",\"size\":4,\"volumes\":[[0,0,0],[0,0,1]]} "
                      "{\"layer\":\"height\",\"format\":\"r8\",\"size\":4,\"step\":4096,"
                      "\"t\":0,\"surface\":100,\"volumes\":[[0,0,0]]}"),
};

enum { FIXED_COUNT = sizeof fixed_rows / sizeof *fixed_rows };

/* The queries that read more than parameters of one world. */
static const struct {
    const struct query *query;
    const struct route_steps *steps;
    http_handler *make;
} special_queries[] = {
    {&query_heights, &heights_steps, handle_heights},
    {&query_diff, &diff_steps, answer_job_run},
    {&query_verify, &verify_steps, handle_verify},
};

static struct route routes[ROUTES_MAX];
static size_t route_count;
static char query_names[ROUTES_MAX][2][NAME_SIZE]; /* patterns and ids with an extension */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void set_steps(const struct query *query, struct route *route)
{
    route->steps = &query_steps;
    route->make = handle_query;
    for (size_t i = 0; i < sizeof special_queries / sizeof *special_queries; i++) {
        if (special_queries[i].query != query)
            continue;
        route->steps = special_queries[i].steps;
        route->make = special_queries[i].make;
    }
}

/* The route of a query, at the path of its name; JSON or text is chosen by format=. */
static void add_query(const struct query *query)
{
    struct route *route = &routes[route_count++];
    *route = (struct route){
        .scope = ROUTE_WORLD,
        .pattern = query->name,
        .parameters = query->parameters,
        .world = ROUTE_WORLD_COMPILED,
        .query = query,
        .id = query->name,
        .tag = query->tag ? query->tag : "questions",
        .summary = query->summary,
        .traits = ROUTE_NAMES | ROUTE_CACHE_HEADERS | ROUTE_COMPRESSED |
                  (query->body ? 0U : ROUTE_ETAG) | (query->limited ? ROUTE_WORK_LIMIT : 0U) |
                  (query->binary ? ROUTE_BINARY : 0U),
        .type = JSON,
        .schema = query->schema,
        .body = query->body,
        .examples = query->examples,
        .url_name = query->name,
    };
    set_steps(query, route);
}

/* "profile.svg" with the id "profileSvg": the form is in the path, and only JSON can be indented.
 */
static void add_form(const struct query *query, enum query_form form)
{
    const struct query_form_row *row = &query_forms[form];
    char *pattern = query_names[route_count][0], *id = query_names[route_count][1];
    struct route *route = &routes[route_count];
    add_query(query);
    snprintf(pattern, NAME_SIZE, "%s%s", query->name, row->extension);
    snprintf(id, NAME_SIZE, "%s%c%s", query->name, toupper((unsigned char)row->extension[1]),
             row->extension + 2);
    route->pattern = pattern;
    route->id = id;
    route->parameters &= ~(BIT(FORMAT) | (row->schema ? 0 : BIT(PRETTY)));
    route->form = form;
    route->type = row->content_type;
    route->schema =
        form == QUERY_GEOJSON && query->geojson_schema ? query->geojson_schema : row->schema;
    route->examples = query->more_examples[form];
    route->url_name = NULL;
}

/* The queries with a tag of their own, or those without. */
static void add_queries(bool tagged)
{
    for (size_t i = 0; query_at_index(i); i++) {
        const struct query *query = query_at_index(i);
        if ((query->tag != NULL) != tagged)
            continue;
        add_query(query);
        for (int form = 0; form < QUERY_FORMS; form++)
            if (query->more_examples[form])
                add_form(query, (enum query_form)form);
    }
}

/* Runs once, before the first look-up returns; nothing is written afterwards. Documents list the
 * routes in this order, each tag in one place. */
static void build(void)
{
    for (size_t i = 0; i < FIXED_COUNT; i++) {
        if (fixed_rows[i].steps == &chunk_steps)
            add_queries(false);
        routes[route_count++] = fixed_rows[i];
    }
    add_queries(true);
}

struct route_table router_table(void)
{
    return (struct route_table){routes, router_count()};
}

const struct route *router_route_at(size_t index)
{
    return index < router_count() ? &routes[index] : NULL;
}

size_t router_count(void)
{
    pthread_once(&once, build);
    return route_count;
}

size_t router_index(const struct route *route)
{
    return route ? (size_t)(route - routes) : router_count();
}

void router_append_url(const struct route *route, struct buffer *out)
{
    buffer_format(out, "/%s%s", route->url ? route->url : route->pattern,
                  route->query ? route->query->url : "");
}
