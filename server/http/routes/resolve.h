/* From the names in a request to worlds and painters, pins checked. All on the request's loop. */
#ifndef TERRANE_SERVER_HTTP_ROUTES_RESOLVE_H
#define TERRANE_SERVER_HTTP_ROUTES_RESOLVE_H

#include "server/http/jobs/http_request.h"
#include "server/http/request/reference.h"

/* Fills the request's worlds by its path and by the parameters world, a and b; its values are
 * there. False with 400, 404, 410 or 503. */
bool resolve_worlds(struct http_request *request, struct problem *problem);
/* Fills the request's second world; `name` is what the problem calls the reference. */
bool resolve_other_world(struct http_request *request, const struct reference *reference,
                         const char *name, struct problem *problem);

/* The painter of a style's or layer's name of the request's world; `text` is null for the default
 * style. Null with 400, 404 or 410. */
const struct painter *resolve_style(const struct http_request *request, const char *text,
                                    size_t length, struct problem *problem);

/* Appends "/worlds/NAME[~SEED]", with "@FINGERPRINT" if `pinned`. */
void resolve_append_world_path(const struct world_identity *world, bool pinned, struct buffer *out);
/* Appends "/worlds/WORLD@FINGERPRINT/tiles/STYLE@FINGERPRINT", `tile`, the template of one of a
 * style's tiles, and the extension of the format; for a null painter the template of the world's
 * vector tiles. */
void resolve_append_tiles(const struct world_identity *world, const struct painter *painter,
                          const char *tile, const char *format, struct buffer *out);

/* The format in which a document offers a style's tiles: "webp" if the client's Accept header names
 * image/webp and the style is of pictures, else "png". The response needs
 * response_depends_on_accept(). */
const char *resolve_tile_format(const struct http_request *request, const struct painter *painter);

#endif
