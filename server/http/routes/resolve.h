/* From the names in a path to worlds and painters, pins checked. */
#ifndef TERRANE_SERVER_HTTP_ROUTES_RESOLVE_H
#define TERRANE_SERVER_HTTP_ROUTES_RESOLVE_H

#include "server/http/jobs/admission.h"
#include "server/http/request/reference.h"
#include "server/http/response/answer_job.h"
#include "server/queries/parameters.h"

/* Sets the request's `world` and `world_pinned` from its `world_text`. DONE: go on. FAILED: 400,
 * 404, 410 or 503. WAITING: a world with this seed must be compiled first; the route's handler is
 * called again then, and must come here again. */
enum handler_result resolve_world(struct http_request *request, struct problem *problem);
/* Reads the parameters, then resolves the world: a malformed request does not compile one. */
enum handler_result resolve_request(struct http_request *request, struct parameter_values *values,
                                    struct problem *problem);

/* resolve_world() for the world in `text` and a caller that can use a lazy world
 * (server/worlds/catalog.h) where the world is not compiled. It never waits: false with 400, 404,
 * 410 or 503. */
bool resolve_lazy_world(struct http_request *request, const struct target_text *text,
                        struct problem *problem);

/* Compiles the request's world if it is lazy, as resolve_world() does: for handlers that refuse
 * what they can before. DONE, FAILED or WAITING. */
enum handler_result resolve_compiled(struct http_request *request, struct problem *problem);

/* Checks the limit of cost for the request of a job that has read it. DONE: go on. FAILED: 413. If
 * the world is lazy, it is compiled when the charge is within the limit: WAITING, with the job
 * freed, and the handler begins again then. */
enum handler_result resolve_check_limit(struct answer_job *answer, const struct charge *charge,
                                        struct problem *problem);
/* The same, and charges the client, or fails with 429: once the world is compiled. */
enum handler_result resolve_charge(struct answer_job *answer, const struct charge *charge,
                                   struct problem *problem);

/* The version of the world that the reference names, with its own seed (catalog_find_version()), or
 * the preview, with a reference for the caller; null with ERROR_UNKNOWN. The pin is still to be
 * checked. On the request's loop. */
const struct catalog_world *resolve_base(const struct http_request *request,
                                         const struct reference *reference, struct error *error);

/* The painter of a style's or layer's name of the request's world; `text` is null for the default
 * style. Null with 400, 404 or 410. */
const struct painter *resolve_style(struct http_request *request, const struct target_text *text,
                                    struct problem *problem);

/* Appends "/worlds/NAME[~SEED]", with "@FINGERPRINT" if `pinned`. */
void resolve_append_world_path(const struct catalog_world *world, bool pinned, struct buffer *out);
/* Appends "/worlds/WORLD@FINGERPRINT/tiles/STYLE@FINGERPRINT", `tile`, the template of one of a
 * style's tiles, and the extension of the format; for a null painter the template of the world's
 * vector tiles. */
void resolve_append_tiles(const struct catalog_world *world, const struct painter *painter,
                          const char *tile, const char *format, struct buffer *out);

/* The format in which a document offers a style's tiles: "webp" if the client's Accept header names
 * image/webp and the style is of pictures, else "png". The response needs
 * response_depends_on_accept(). */
const char *resolve_tile_format(const struct http_request *request, const struct painter *painter);

#endif
