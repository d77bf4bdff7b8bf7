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

#include "server/http/routes/handlers.h"
#include "server/http/routes/router.h"

#define BIT(name) PARAMETER_BIT(name)
#define JSON "application/json"
#define XML "application/xml"
#define TEXT "text/plain"

enum {
    DOCUMENT = ROUTE_ETAG | ROUTE_COMPRESSED,
    MAP = DOCUMENT | ROUTE_NAMES | ROUTE_ABSOLUTE_URLS,
    TILE = DOCUMENT | ROUTE_NAMES | ROUTE_CACHE_HEADERS,
    CHUNK = TILE | ROUTE_SAMPLE_HEADERS | ROUTE_COST_LIMIT,
    ROUTES_MAX = 64,
    NAME_SIZE = 32,
};

static const struct route fixed_rows[] = {
    {.pattern = "",
     .methods = METHOD_GET,
     .handle = handle_index,
     .id = "index",
     .tag = "ops",
     .summary = "the map for a browser, a guide in plain text for other clients",
     .traits = DOCUMENT,
     .type = TEXT,
     .examples = "/"},
    {.pattern = "viewer/*",
     .methods = METHOD_GET,
     .handle = handle_viewer,
     .path = "viewer/{file}",
     .id = "viewer",
     .tag = "ops",
     .summary = "the files of the map page",
     .traits = DOCUMENT | ROUTE_NAMES,
     .type = "*/*",
     .examples = "/viewer/index.html"},
    {.pattern = "livez",
     .methods = METHOD_GET,
     .handle = handle_livez,
     .id = "livez",
     .tag = "ops",
     .summary = "whether the server runs",
     .type = TEXT,
     .examples = "/livez"},
    {.pattern = "readyz",
     .methods = METHOD_GET,
     .handle = handle_readyz,
     .id = "readyz",
     .tag = "ops",
     .summary = "whether the server takes requests: 503 while it stops",
     .type = TEXT,
     .examples = "/readyz"},
    {.pattern = "metrics",
     .methods = METHOD_GET,
     .handle = handle_metrics,
     .id = "metrics",
     .tag = "ops",
     .summary = "counters and times for Prometheus; OpenMetrics by Accept",
     .type = TEXT,
     .examples = "/metrics"},
    {.pattern = "version",
     .methods = METHOD_GET,
     .parameters = BIT(PRETTY),
     .handle = handle_version,
     .id = "version",
     .tag = "ops",
     .summary = "the versions of the program and of its formats",
     .traits = DOCUMENT,
     .type = JSON,
     .schema = "Version",
     .examples = "/version /version?pretty=1"},
    {.pattern = "openapi.json",
     .methods = METHOD_GET,
     .parameters = BIT(PRETTY),
     .handle = handle_openapi,
     .id = "openapi",
     .tag = "ops",
     .summary = "this document",
     .traits = DOCUMENT,
     .type = JSON,
     .schema = "Document",
     .examples = "/openapi.json /openapi.json?pretty=1"},
    {.pattern = "worlds",
     .methods = METHOD_GET,
     .parameters = BIT(PRETTY),
     .handle = handle_worlds,
     .id = "worlds",
     .tag = "worlds",
     .summary = "the list of worlds",
     .traits = DOCUMENT,
     .type = JSON,
     .schema = "Worlds",
     .examples = "/worlds /worlds?pretty=1"},
    {.pattern = "worlds/{world}",
     .methods = METHOD_GET,
     .parameters = BIT(PRETTY),
     .handle = handle_world,
     .id = "world",
     .tag = "worlds",
     .summary = "a world: its fingerprint, layers, biomes, objects, styles, limits and addresses",
     .traits = DOCUMENT | ROUTE_NAMES,
     .type = JSON,
     .schema = "World",
     .examples = "/worlds/terra /worlds/terra?pretty=1 /worlds/terra~42"},
    {.pattern = "tiles/{z}/{x}/{y}",
     .methods = METHOD_GET,
     .parameters = BIT(WORLD) | BIT(STYLE) | BIT(TILE_SIZE) | BIT(T) | BIT(INTERVAL) | BIT(COLS),
     .handle = handle_tile_by_query,
     .path = "tiles/{z}/{x}/{y}.{format}",
     .id = "tileOfQuery",
     .tag = "tiles",
     .summary = "a tile; world and style are parameters",
     .traits = TILE,
     .content = ROUTE_TILES,
     .examples = "/tiles/3/4/2.png /tiles/3/4/2.webp?world=terra&style=relief&size=512&t=0 "
                 "/tiles/9/256/258.mvt?style=contour&interval=20 /tiles/3/4/2.txt?cols=60 "
                 "/tiles/3/4/2.json?size=2 /tiles/3/4/2@2x.webp?world=terra&style=biome&t=0"},
    {.scope = ROUTE_WORLD,
     .pattern = "tiles/{style}/{z}/{x}/{y}",
     .methods = METHOD_GET,
     .parameters = BIT(TILE_SIZE) | BIT(T) | BIT(INTERVAL) | BIT(COLS),
     .handle = handle_tile,
     .path = "tiles/{style}/{z}/{x}/{y}.{format}",
     .id = "tile",
     .tag = "tiles",
     .summary = "a tile",
     .traits = TILE,
     .content = ROUTE_TILES,
     .examples = "/tiles/relief/3/4/2.png /tiles/terrarium/3/4/2.png?size=512&t=0 "
                 "/tiles/contour/9/256/258.mvt?interval=20 /tiles/relief/3/4/2.ansi?cols=60 "
                 "/tiles/height/3/4/2.r32f /tiles/height/3/4/2.json?size=2 "
                 "/tiles/relief/3/4/2@2x.png?t=0 /tiles/terrarium/3/4/2@2x.png?size=512",
     .url_name = "tiles",
     .url = "tiles/{style}/{z}/{x}/{y}.png"},
    {.scope = ROUTE_WORLD,
     .pattern = "tiles/{style}",
     .methods = METHOD_GET,
     .parameters = BIT(MAP_SIZE) | BIT(MAP_FORMAT) | BIT(PRETTY),
     .handle = handle_tilejson,
     .path = "tiles/{style}.json",
     .id = "tilejson",
     .tag = "maps",
     .summary = "TileJSON 3.0.0 of a style",
     .traits = MAP,
     .type = JSON,
     .schema = "TileJson",
     .examples = "/tiles/terrarium.json /tiles/relief.json?size=512&pretty=1 "
                 "/tiles/contour.json?format=mvt",
     .url_name = "tilejson",
     .url = "tiles/{style}.json"},
    {.scope = ROUTE_WORLD,
     .pattern = "tiles.json",
     .methods = METHOD_GET,
     .parameters = BIT(MAP_SIZE) | BIT(MAP_FORMAT) | BIT(PRETTY),
     .handle = handle_tilejson,
     .id = "tilejsonDefault",
     .tag = "maps",
     .summary = "TileJSON 3.0.0 of the default style",
     .traits = MAP,
     .type = JSON,
     .schema = "TileJson",
     .examples = "/tiles.json /tiles.json?size=512&pretty=1 /tiles.json?format=mvt"},
    {.scope = ROUTE_WORLD,
     .pattern = "style.json",
     .methods = METHOD_GET,
     .parameters = BIT(PRETTY),
     .handle = handle_style,
     .id = "mapStyle",
     .tag = "maps",
     .summary = "a style for MapLibre",
     .traits = MAP,
     .type = JSON,
     .schema = "MapStyle",
     .examples = "/style.json /style.json?pretty=1",
     .url_name = "style"},
    {.scope = ROUTE_WORLD,
     .pattern = "wmts.xml",
     .methods = METHOD_GET,
     .parameters = BIT(STYLE) | BIT(SERVICE) | BIT(SERVICE_CAPITALS) | BIT(REQUEST) |
                   BIT(REQUEST_CAPITALS) | BIT(VERSION) | BIT(VERSION_CAPITALS),
     .handle = handle_wmts,
     .id = "wmts",
     .tag = "maps",
     .summary = "WMTS 1.0.0 capabilities, for QGIS and GDAL",
     .traits = MAP,
     .type = XML,
     .examples = "/wmts.xml "
                 "/wmts.xml?style=relief&service=WMTS&request=GetCapabilities&version=1.0.0 "
                 "/wmts.xml?SERVICE=WMTS&REQUEST=GetCapabilities&VERSION=1.0.0",
     .url_name = "wmts"},
    {.scope = ROUTE_WORLD,
     .pattern = "gdal.xml",
     .methods = METHOD_GET,
     .parameters = BIT(STYLE),
     .handle = handle_gdal,
     .id = "gdal",
     .tag = "maps",
     .summary = "a file with which GDAL reads a style's tiles",
     .traits = MAP,
     .type = XML,
     .examples = "/gdal.xml /gdal.xml?style=relief",
     .url_name = "gdal",
     .url = "gdal.xml?style={style}"},
    {.scope = ROUTE_WORLD,
     .pattern = "chunks/{x}/{y}",
     .methods = METHOD_GET,
     .parameters = BIT(CHUNK_SIZE) | BIT(STEP) | BIT(APRON) | BIT(LAYERS) | BIT(T),
     .handle = handle_chunk,
     .path = "chunks/{cx}/{cy}.{format}",
     .id = "chunk",
     .tag = "chunks",
     .summary = "a chunk of samples for a game server",
     .traits = CHUNK,
     .content = ROUTE_CHUNKS,
     .examples = "/chunks/0/0.r32f?size=16&step=2 "
                 "/chunks/3/-2.json?size=4&step=64&apron=1&t=0 "
                 "/chunks/3/-2.r16?layers=height,biome /chunks/3/-2.glb",
     .url_name = "chunk",
     .url = "chunks/{cx}/{cy}.{format}?size=64&step=1"},
    {.scope = ROUTE_WORLD,
     .pattern = "chunks",
     .methods = METHOD_POST,
     .handle = handle_chunks,
     .id = "chunks",
     .tag = "chunks",
     .summary = "many chunks at once: records of 32 bytes, little-endian (\"TRNC\", u16 version 1, "
                "u16 status, i64 cx, i64 cy, u32 bytes, u32 CRC-32), each with its payload behind "
                "it",
     .traits = ROUTE_NAMES | ROUTE_CACHE_HEADERS | ROUTE_COST_LIMIT | ROUTE_COMPRESSED,
     .type = "application/vnd.terrane.chunks",
     .body = "ChunksRequest",
     .examples = "{\"chunks\":[[0,0],[1,0]]} "
                 "{\"format\":\"r16\",\"size\":16,\"step\":2,\"apron\":1,\"t\":0,"
                 "\"layers\":[\"height\"],\"chunks\":[[3,-2]]}",
     .url_name = "chunks"},
    {.scope = ROUTE_WORLD,
     .pattern = "volumes/{x}/{y}/{z}",
     .methods = METHOD_GET,
     .parameters = BIT(VOLUME_SIZE) | BIT(STEP) | BIT(LAYER) | BIT(T),
     .handle = handle_volume,
     .path = "volumes/{cx}/{cy}/{cz}.{format}",
     .id = "volume",
     .tag = "chunks",
     .summary = "a cube of samples, the slowest index upwards",
     .traits = CHUNK,
     .content = ROUTE_VOLUMES,
     .examples = "/volumes/0/0/0.r32f?layer=height&size=4&step=2&t=0 "
                 "/volumes/0/0/-1.json?layer=height&size=2",
     .url_name = "volume",
     .url = "volumes/{cx}/{cy}/{cz}.{format}?layer={layer}&size=32&step=1"},
};

enum { FIXED_COUNT = sizeof fixed_rows / sizeof *fixed_rows };

/* The queries whose handler is not handle_query(): it reads more than parameters. */
static const struct {
    const struct query *query;
    http_handler *handle;
} special_queries[] = {
    {&query_heights, handle_heights},
    {&query_diff, handle_diff},
    {&query_verify, handle_verify},
};

static struct route routes[ROUTES_MAX];
static size_t route_count;
static char query_names[ROUTES_MAX][2][NAME_SIZE]; /* patterns and ids with an extension */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static http_handler *query_handler(const struct query *query)
{
    for (size_t i = 0; i < sizeof special_queries / sizeof *special_queries; i++)
        if (special_queries[i].query == query)
            return special_queries[i].handle;
    return handle_query;
}

/* The route of a query, at the path of its name; JSON or text is chosen by format=. */
static void add_query(const struct query *query)
{
    routes[route_count++] = (struct route){
        .scope = ROUTE_WORLD,
        .pattern = query->name,
        .methods = query->body ? METHOD_POST : METHOD_GET,
        .parameters = query->parameters,
        .handle = query_handler(query),
        .query = query,
        .id = query->name,
        .tag = query->tag ? query->tag : "questions",
        .summary = query->summary,
        .traits = ROUTE_NAMES | ROUTE_CACHE_HEADERS | ROUTE_COMPRESSED |
                  (query->body ? 0U : ROUTE_ETAG) | (query->limited ? ROUTE_COST_LIMIT : 0U),
        .type = JSON,
        .schema = query->schema,
        .body = query->body,
        .examples = query->examples,
        .url_name = query->name,
    };
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
    route->schema = row->schema;
    route->examples = query->more_examples[form];
    route->url_name = NULL;
}

/* Runs once, before the first look-up returns; nothing is written afterwards. */
static void build(void)
{
    memcpy(routes, fixed_rows, sizeof fixed_rows);
    route_count = FIXED_COUNT;
    for (size_t i = 0; query_at_index(i); i++) {
        const struct query *query = query_at_index(i);
        add_query(query);
        for (int form = 0; form < QUERY_FORMS; form++)
            if ((query->forms >> form & 1) && query_forms[form].extension[0])
                add_form(query, (enum query_form)form);
    }
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
