/* JSON files that are built into the binary: golden.json, openapi.json, maplibre-style.json. */
#ifndef TERRANE_SERVER_WORLDS_EMBEDDED_JSON_H
#define TERRANE_SERVER_WORLDS_EMBEDDED_JSON_H

#include "core/worldfile/json.h"

/* The file of that path in config/, to be freed with json_free(); null with an error that names the
 * file. */
struct json_document *embedded_json_open(const char *path, struct error *error);

#endif
