/* Lists of places as texts and bytes have them, exact in 2⁻¹⁶ m: a double on the way would round
 * them. Every error is ERROR_VALUE and names the index of the place and its axis: "points[3]: x:
 * …".
 */
#ifndef TERRANE_TERRAIN_PLACE_LIST_H
#define TERRANE_TERRAIN_PLACE_LIST_H

#include "core/base/buffer.h"
#include "core/base/place.h"
#include "core/worldfile/json.h"

enum { PLACE_LIST_BYTES = 16 }; /* of a place: x and y, each 8 bytes, the low one first */

/* Reads an array of pairs of numbers in metres, [[x,y],…], into as many places. */
bool place_list_parse(const struct json *points, struct place *places, struct error *error);

/* The same in one pass, because a tree of 10,000 pairs takes longer to build than their heights
 * take to sample. Reads the pairs in the array behind the first "points" of a text into places[],
 * at most `max`, and appends the text without them to `rest`: {"points":[],"zoom":9}. True if every
 * pair is JSON and two coordinates. If `rest` then proves to be an object with the member "points"
 * and no other that could contain an array, the text is the same object with these points. False if
 * there is anything else in the array or no such array; then the whole text has to be parsed, which
 * also tells what is wrong with it. When memory is out `rest` has failed. */
bool place_list_take(const char *text, size_t length, struct place *places, size_t max,
                     size_t *count, struct buffer *rest);

/* Coordinates as float64, in metres: rounded to the nearest 2⁻¹⁶ m, ties to even. */
bool place_list_read_metres(const uint8_t *bytes, size_t count, struct place *places,
                            struct error *error);
/* Coordinates as int64, in units of 2⁻¹⁶ m. */
bool place_list_read_units(const uint8_t *bytes, size_t count, struct place *places,
                           struct error *error);

#endif
