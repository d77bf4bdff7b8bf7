/* The body of POST /heights, as JSON or in binary. */
#ifndef TERRANE_SERVER_HTTP_REQUEST_HEIGHTS_BODY_H
#define TERRANE_SERVER_HTTP_REQUEST_HEIGHTS_BODY_H

#include "core/base/place.h"
#include "core/worldfile/world.h"
#include "server/http/request/problem.h"
#include "server/queries/query.h"

enum { HEIGHTS_DEPTH_MAX = 4 }; /* of the JSON */

struct heights_body {
    struct place *places; /* owned; in an order that keeps near ones together */
    uint32_t *ranks;      /* owned; the index in `places` of each point of the request */
    size_t count;
    unsigned layer;
    int zoom; /* -1 for full detail */
};

/* Both read points into a body whose layer and zoom are set, and which is to be freed afterwards.
 * False with 400 (or 404 for a layer, 413 for too many points) that names the point; then nothing
 * is to be freed.
 *
 * JSON: {"points":[[x,y],…],"layer":"height","zoom":9}. Without the members layer and zoom, those
 * of the body stay. */
bool heights_body_parse(const char *text, size_t length, const struct world *world,
                        struct heights_body *body, struct problem *problem);
/* Binary: 16 bytes a point, x and y, each a number of 8 bytes with the low byte first. float64 are
 * metres, rounded to the nearest 2⁻¹⁶ m, ties to even; int64 are units of 2⁻¹⁶ m. */
bool heights_body_read(const uint8_t *bytes, size_t length, enum coordinate_type type,
                       struct heights_body *body, struct problem *problem);
void heights_body_free(struct heights_body *body);

#endif
