/* What a reader needs to know of each route, besides what router.c's table says. */
#include <string.h>

#include "server/http/openapi.h"

#define JSON "application/json"
#define XML "application/xml"
#define DIGEST "00000000000000000000000000000000"

enum {
    DOCUMENT = OPENAPI_TAGGED,
    MAP = OPENAPI_TAGGED | OPENAPI_NAMES | OPENAPI_ABSOLUTE,
    TILE = OPENAPI_TAGGED | OPENAPI_NAMES | OPENAPI_CACHED | OPENAPI_PACKED,
    CHUNK = OPENAPI_TAGGED | OPENAPI_NAMES | OPENAPI_CACHED | OPENAPI_PACKED | OPENAPI_SAMPLES |
            OPENAPI_BOUNDED,
    QUESTION = OPENAPI_TAGGED | OPENAPI_NAMES,
    SEARCH = QUESTION | OPENAPI_BOUNDED,
};

static const struct openapi_route rows[] = {
    {"", "", "index", "ops", "the map for a browser, a guide in plain text for everybody else",
     DOCUMENT, OPENAPI_ONE, "text/plain", NULL, NULL, {"/"}, NULL},
    {"viewer/*", "viewer/{file}", "viewer", "ops", "the map's files", DOCUMENT | OPENAPI_NAMES,
     OPENAPI_ONE, "*/*", NULL, NULL, {"/viewer/index.html"}, NULL},
    {"livez", "livez", "livez", "ops", "whether the server runs", 0, OPENAPI_ONE, "text/plain",
     NULL, NULL, {"/livez"}, NULL},
    {"readyz", "readyz", "readyz", "ops", "whether the server takes requests: 503 while it stops",
     0, OPENAPI_ONE, "text/plain", NULL, NULL, {"/readyz"}, NULL},
    {"version", "version", "version", "ops", "the program's version, and the formats' ones",
     DOCUMENT, OPENAPI_ONE, JSON, "Version", NULL, {"/version", "/version?pretty=1"}, NULL},
    {"openapi.json", "openapi.json", "openapi", "ops", "this document", DOCUMENT, OPENAPI_ONE,
     JSON, "Document", NULL, {"/openapi.json", "/openapi.json?pretty=1"}, NULL},
    {"worlds", "worlds", "worlds", "worlds", "the worlds there are", DOCUMENT, OPENAPI_ONE, JSON,
     "Worlds", NULL, {"/worlds", "/worlds?pretty=1"}, NULL},
    {"worlds/{world}", "worlds/{world}", "world", "worlds",
     "a world: its fingerprint, layers, biomes, objects, styles, limits and addresses", QUESTION,
     OPENAPI_ONE, JSON, "World", NULL,
     {"/worlds/terra", "/worlds/terra?pretty=1", "/worlds/terra~42"}, NULL},

    {"tiles/{z}/{x}/{y}", "tiles/{z}/{x}/{y}.{format}", "tileOfQuery", "tiles",
     "a tile, its world and style in the query", TILE, OPENAPI_TILES, NULL, NULL, NULL,
     {"/tiles/3/4/2.png", "/tiles/3/4/2.webp?world=terra&style=biome&size=512&t=0",
      "/tiles/9/256/258.mvt?style=contour&interval=20", "/tiles/3/4/2.txt?cols=60",
      "/tiles/3/4/2.json?size=2"}, NULL},
    {"tiles/{z}/{x}/{y}", "tiles/{z}/{x}/{y}@2x.{format}", "tileOfQuery2", "tiles",
     "a tile of 512 samples a side, its world and style in the query", TILE, OPENAPI_DOUBLED, NULL,
     NULL, NULL,
     {"/tiles/3/4/2@2x.png", "/tiles/3/4/2@2x.webp?world=terra&style=biome&size=512&t=0"},
     "interval cols"},
    {"tiles/{style}/{z}/{x}/{y}", "tiles/{style}/{z}/{x}/{y}.{format}", "tile", "tiles", "a tile",
     TILE, OPENAPI_TILES, NULL, NULL, NULL,
     {"/tiles/relief/3/4/2.png", "/tiles/terrarium/3/4/2.png?size=512&t=0",
      "/tiles/contour/9/256/258.mvt?interval=20", "/tiles/relief/3/4/2.ansi?cols=60",
      "/tiles/height/3/4/2.r32f", "/tiles/height/3/4/2.json?size=2"}, NULL},
    {"tiles/{style}/{z}/{x}/{y}", "tiles/{style}/{z}/{x}/{y}@2x.{format}", "tile2", "tiles",
     "a tile of 512 samples a side", TILE, OPENAPI_DOUBLED, NULL, NULL, NULL,
     {"/tiles/relief/3/4/2@2x.png", "/tiles/terrarium/3/4/2@2x.png?size=512&t=0"},
     "interval cols"},
    {"tiles/{style}", "tiles/{style}.json", "tilejson", "maps", "TileJSON 3.0.0 of a style", MAP,
     OPENAPI_ONE, JSON, "TileJson", NULL,
     {"/tiles/terrarium.json", "/tiles/relief.json?size=512&pretty=1",
      "/tiles/contour.json?format=mvt"}, NULL},
    {"tiles.json", "tiles.json", "tilejsonDefault", "maps", "TileJSON 3.0.0 of the default style",
     MAP, OPENAPI_ONE, JSON, "TileJson", NULL,
     {"/tiles.json", "/tiles.json?size=512&pretty=1", "/tiles.json?format=mvt"}, NULL},
    {"style.json", "style.json", "mapStyle", "maps", "a style for MapLibre", MAP, OPENAPI_ONE, JSON,
     "MapStyle", NULL, {"/style.json", "/style.json?pretty=1"}, NULL},
    {"wmts.xml", "wmts.xml", "wmts", "maps", "WMTS 1.0.0 capabilities, for QGIS and GDAL", MAP,
     OPENAPI_ONE, XML, NULL, NULL,
     {"/wmts.xml", "/wmts.xml?style=relief&service=WMTS&request=GetCapabilities&version=1.0.0",
      "/wmts.xml?SERVICE=WMTS&REQUEST=GetCapabilities&VERSION=1.0.0"}, NULL},
    {"gdal.xml", "gdal.xml", "gdal", "maps", "a GDAL TMS file of a style", MAP, OPENAPI_ONE, XML,
     NULL, NULL, {"/gdal.xml", "/gdal.xml?style=grey16"}, NULL},

    {"chunks/{x}/{y}", "chunks/{cx}/{cy}.{format}", "chunk", "chunks",
     "a chunk of samples for a game server", CHUNK, OPENAPI_CHUNKS, NULL, NULL, NULL,
     {"/chunks/0/0.r32f?size=64&step=1", "/chunks/3/-2.json?size=4&step=64&apron=1&t=0",
      "/chunks/3/-2.r16?layers=height,biome", "/chunks/3/-2.glb"}, NULL},
    {"chunks", "chunks", "chunks", "chunks",
     "many chunks at once: records of 32 bytes, little-endian (\"TRNC\", u16 version 1, u16 "
     "status, i64 cx, i64 cy, u32 bytes, u32 CRC-32), each with its payload behind it",
     OPENAPI_NAMES | OPENAPI_BOUNDED | OPENAPI_PACKED, OPENAPI_ONE,
     "application/vnd.terrane.chunks", NULL, "ChunksRequest",
     {"{\"chunks\":[[0,0],[1,0]]}",
      "{\"format\":\"r16\",\"size\":16,\"step\":2,\"apron\":1,\"t\":0,\"layers\":[\"height\"],"
      "\"chunks\":[[3,-2]]}"}, NULL},
    {"volumes/{x}/{y}/{z}", "volumes/{cx}/{cy}/{cz}.{format}", "volume", "chunks",
     "a cube of samples, the slowest index upwards", CHUNK, OPENAPI_VOLUMES, NULL, NULL, NULL,
     {"/volumes/0/0/0.r32f?layer=height&size=4&step=2&t=0", "/volumes/0/0/-1.json?layer=height&size=2"}, NULL},
    {"verify", "verify", "verify", "chunks",
     "whether you have the same ground, by the digest of a chunk's samples", SEARCH,
     OPENAPI_OR_TEXT, JSON, "Verify", NULL,
     {"/verify?chunk=0,0", "/verify?chunk=3,-2&size=16&step=2&apron=1&layers=height,biome&t=0",
      "/verify?chunk=0,0&digest=" DIGEST "&format=text", "/verify?chunk=0,0&pretty=1"}, NULL},

    {"at", "at", "at", "questions", "everything about a place", QUESTION, OPENAPI_OR_TEXT, JSON,
     "At", NULL,
     {"/at?x=1000&y=-250.5", "/at?lon=0.5&lat=-0.25&zoom=9&pretty=1",
      "/at?x=1000&y=-250.5&z=0&t=0&format=text"}, NULL},
    {"heights", "heights", "heights", "questions", "the heights, or another layer, of many points",
     OPENAPI_NAMES, OPENAPI_ONE, JSON, "Heights", "HeightsRequest",
     {"{\"points\":[[0,0],[1000,-250.5]]}",
      "{\"points\":[[0,0]],\"layer\":\"height\",\"zoom\":9}"}, NULL},
    {"profile", "profile", "profile", "questions", "heights along a line", SEARCH, OPENAPI_OR_TEXT,
     JSON, "Profile", NULL,
     {"/profile?line=0,0;5000,2500", "/profile?line=0,0;5000,2500&samples=5&format=text",
      "/profile?line=0,0;5000,2500&pretty=1"}, NULL},
    {"profile.svg", "profile.svg", "profileSvg", "questions", "heights along a line, drawn", SEARCH,
     OPENAPI_ONE, "image/svg+xml", NULL, NULL, {"/profile.svg?line=0,0;5000,2500&samples=64"}, NULL},
    {"stats", "stats", "stats", "questions", "what the layers of a rectangle are like", SEARCH,
     OPENAPI_OR_TEXT, JSON, "Stats", NULL,
     {"/stats?bbox=0,0,10000,10000&samples=32", "/stats?bbox=0,0,10000,10000&samples=32&format=text",
      "/stats?bbox=0,0,10000,10000&samples=32&pretty=1"}, NULL},
    {"objects", "objects", "objects", "questions", "the trees and rocks of a rectangle", SEARCH,
     OPENAPI_OR_TEXT, JSON, "Objects", NULL,
     {"/objects?bbox=0,0,200,200", "/objects?bbox=0,0,200,200&kind=rock&format=text",
      "/objects?bbox=0,0,200,200&pretty=1"}, NULL},
    {"objects.geojson", "objects.geojson", "objectsGeojson", "questions",
     "the trees and rocks of a rectangle, as GeoJSON", SEARCH, OPENAPI_ONE, "application/geo+json",
     "FeatureCollection", NULL,
     {"/objects.geojson?bbox=0,0,200,200", "/objects.geojson?bbox=0,0,200,200&kind=rock&pretty=1"}, NULL},
    {"locate", "locate", "locate", "questions", "the nearest place of a biome, or so high", SEARCH,
     OPENAPI_OR_TEXT, JSON, "Locate", NULL,
     {"/locate?min_height=100&x=0&y=0&radius=20000", "/locate?biome=river&lon=0.5&lat=-0.25",
      "/locate?biome=river&x=0&y=0&format=text", "/locate?biome=river&x=0&y=0&pretty=1"}, NULL},
    {"spawn", "spawn", "spawn", "questions", "dry, gentle, low land near a place", SEARCH,
     OPENAPI_OR_TEXT, JSON, "Spawn", NULL,
     {"/spawn?x=0&y=0&radius=2000", "/spawn?lon=0.5&lat=-0.25&format=text",
      "/spawn?x=0&y=0&pretty=1"}, NULL},
    {"sight", "sight", "sight", "questions", "whether one sees a place from another", SEARCH,
     OPENAPI_OR_TEXT, JSON, "Sight", NULL,
     {"/sight?from=0,0,2&to=3000,1000,2", "/sight?from=0,0,2&to=3000,1000,2&format=text",
      "/sight?from=0,0,2&to=3000,1000,2&pretty=1"}, NULL},
    {"diff", "diff", "diff", "questions", "how far two worlds differ over a rectangle", SEARCH,
     OPENAPI_OR_TEXT, JSON, "Diff", NULL,
     {"/diff?b=terra~2&bbox=-1000,-1000,1000,1000&samples=32",
      "/diff?a=terra&b=terra~2&bbox=-1000,-1000,1000,1000&samples=32&format=text",
      "/diff?a=terra&b=terra~2&bbox=-1000,-1000,1000,1000&samples=32&pretty=1"}, NULL},
    {"explain", "explain", "explain", "questions",
     "each layer's formula and value at a place, and the rule that chose the biome", QUESTION,
     OPENAPI_OR_TEXT, JSON, "Explain", NULL,
     {"/explain?x=1000&y=-250.5", "/explain?lon=0.5&lat=-0.25&zoom=9&pretty=1",
      "/explain?x=1000&y=-250.5&z=0&t=0&format=text"}, NULL},
};

const struct openapi_route *openapi_route_at(size_t index)
{
    return index < sizeof rows / sizeof *rows ? &rows[index] : NULL;
}

const struct route *openapi_route_of(const struct openapi_route *row)
{
    for (size_t i = 0; router_at(i); i++)
        if (strcmp(router_at(i)->pattern, row->pattern) == 0)
            return router_at(i);
    return NULL;
}
