/* Reading what a request wants of chunks and volumes: format, address, parameters, layers. */
#ifndef TERRANE_SERVER_HTTP_PRODUCTS_CHUNK_PARAMETERS_H
#define TERRANE_SERVER_HTTP_PRODUCTS_CHUNK_PARAMETERS_H

#include "server/http/request/problem.h"
#include "server/http/request/target.h"
#include "server/queries/parameters.h"
#include "server/render/chunk_format.h"
#include "server/render/chunk_maker.h"

/* The path's last piece, "4.r32f", for an order whose shape is set: the format, and the length of
 * the number in front. False with 404. */
bool chunk_parse_format(const struct target_text *text, size_t *digits, struct chunk_order *order,
                        struct problem *problem);
/* One number of the path. False with 400. */
bool chunk_parse_index(const char *text, size_t length, const char *name, int64_t *index,
                       struct problem *problem);
/* The size, step, shift, apron, skirt, time and four materials of parameters or of a batch's body.
 */
void chunk_order_set_values(struct chunk_order *order, const struct parameter_values *values);
/* False with 400, for a parameter that only the formats have of which the filter is true. */
bool chunk_check_applicable(const struct chunk_order *order, const char *name,
                            chunk_format_filter *filter, struct problem *problem);
/* "height,biome": layers of the order's world; "materials" or "materials@m1-…" is one for each
 * material. False with 400, 404 for an unknown layer, or 410 for a pin that no longer matches. */
bool chunk_parse_layers(const char *text, struct chunk_order *order, struct problem *problem);
/* Adds a layer of that name to the order. After the last one, chunk_check_layers() checks that the
 * format has room for all. */
bool chunk_add_layer(const char *name, struct chunk_order *order, struct problem *problem);
bool chunk_check_layers(const struct chunk_order *order, struct problem *problem);
/* Checks a parameter `materials` that is given, once the layers are there. False with 400. */
bool chunk_check_materials(const struct chunk_order *order, struct problem *problem);
/* True if `count` chunks of the order may be made at once; else false with 413 that says the
 * limit. */
bool chunk_check_samples(const struct chunk_order *order, size_t count, uint64_t limit,
                         struct problem *problem);
/* False with 404 that says the range. */
bool chunk_check_range(const struct chunk_order *order, const struct chunk_address *address,
                       struct problem *problem);

#endif
