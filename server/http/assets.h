/* The viewer's files: built into the binary, their answers made once, in every coding, and shared.
 */
#ifndef TERRANE_SERVER_HTTP_ASSETS_H
#define TERRANE_SERVER_HTTP_ASSETS_H

#include "server/http/response.h"

struct assets;

/* All embedded files below "viewer/". Null when memory is out. */
struct assets *assets_new(void);
void assets_free(struct assets *assets); /* null is allowed */

/* Fills the exchange's answer with the file of that path ("viewer/index.html"): 200 or 304. False
 * if there is none. */
bool assets_answer(const struct assets *assets, const char *path, struct exchange *exchange);

#endif
