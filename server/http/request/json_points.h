/* The points of a JSON body in one pass, because a tree of 10,000 pairs takes longer to build than
 * their heights take to sample. */
#ifndef TERRANE_SERVER_HTTP_REQUEST_JSON_POINTS_H
#define TERRANE_SERVER_HTTP_REQUEST_JSON_POINTS_H

#include "core/base/buffer.h"
#include "core/base/place.h"

/* Reads the pairs of numbers in the array behind the first "points" of a text into places[], at
 * most *count, which becomes their number, and appends the text without them to `rest`:
 * {"points":[],"zoom":9}. True if every pair is JSON and two coordinates. If `rest` then proves to
 * be a body with the member "points" and no other that could contain an array, the text is the same
 * body with these points. False if there is anything else in the array or no such array; then the
 * whole text has to be parsed, which also tells what is wrong with it. When memory is out `rest`
 * has failed. */
bool json_points_take(const char *text, size_t length, struct place *places, size_t *count,
                      struct buffer *rest);

#endif
