/* The body of POST /heights, as JSON or in binary. */
#ifndef TERRANE_SERVER_HTTP_REQUEST_HEIGHTS_BODY_H
#define TERRANE_SERVER_HTTP_REQUEST_HEIGHTS_BODY_H

#include "core/base/place.h"
#include "core/worldfile/world.h"
#include "server/http/request/problem.h"
#include "server/queries/query.h"

enum {
    HEIGHTS_DEPTH_MAX = 4, /* of the JSON */
    HEIGHTS_LAYERS_MAX = 16,
};

struct heights_body {
    struct place *places; /* owned; in an order that keeps near ones together */
    uint32_t *ranks;      /* owned; the index in `places` of each point of the request */
    size_t count;
    unsigned layers[HEIGHTS_LAYERS_MAX];
    unsigned layer_count;
    bool has_list; /* of layers: the request has named them so, even if it is one */
    int zoom;      /* -1 for full detail */
};

/* Sets the layers to those of a text, "height,biome". False with 400, or 404 for an unknown one. */
bool heights_body_set_layers(const char *names, const struct world *world,
                             struct heights_body *body, struct problem *problem);

/* Both read points into a body whose layers and zoom are set, and which is to be freed afterwards.
 * False with 400 (or 404 for a layer, 413 for too many points) that names the point; then nothing
 * is to be freed.
 *
 * JSON: {"points":[[x,y],…],"layer":"height","zoom":9}, or "layers":["height","biome"] instead of
 * the layer. Without these members, what the body has stays. */
bool heights_body_parse(const char *text, size_t length, const struct world *world,
                        struct heights_body *body, struct problem *problem);
/* Binary: 16 bytes a point, x and y, each a number of 8 bytes with the low byte first. float64 are
 * metres, rounded to the nearest 2⁻¹⁶ m, ties to even; int64 are units of 2⁻¹⁶ m. */
bool heights_body_read(const uint8_t *bytes, size_t length, enum coordinate_type type,
                       struct heights_body *body, struct problem *problem);
void heights_body_free(struct heights_body *body);

#endif
