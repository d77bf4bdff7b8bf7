/* The names of a place's surroundings, as part of the output of /at: core/labels/label_place.h. */
#ifndef TERRANE_SERVER_QUERIES_NAMED_PLACE_H
#define TERRANE_SERVER_QUERIES_NAMED_PLACE_H

#include "core/base/json_writer.h"
#include "core/labels/label_place.h"

/* Finds them. */
bool named_place_find(struct sampler *sampler, const struct world *world, struct label_place *place,
                      struct error *error);
/* "named": {"in": […], "on": {…} or null, "near": […]}, or null in a world without names. */
void named_place_write(struct json_writer *json, const struct world *world,
                       const struct label_place *place);
/* The line "named", of areas the smallest of each kind: "in Vesar Range (range), on Ulma
 * (river), 12.3 km from Mount Kor (peak)". */
void named_place_write_line(struct buffer *out, const struct world *world,
                            const struct label_place *place);
/* The text of that line; nothing where nothing is named. */
void named_place_write_text(struct buffer *out, const struct label_place *place);
/* Nanoseconds that finding takes, at most. */
uint64_t named_place_price(const struct world *world);

#endif
