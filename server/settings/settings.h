/* Settings: options that also have a place in the environment and in the settings file. The file is
 * one JSON object; config/terrane.json holds every default. */
#ifndef TERRANE_SERVER_SETTINGS_SETTINGS_H
#define TERRANE_SERVER_SETTINGS_SETTINGS_H

#include "core/base/buffer.h"
#include "core/world/json.h"
#include "server/settings/options.h"
#include "server/worlds/catalog.h"

enum { SETTINGS_BYTES_MAX = 1 << 20 };

/* A key of the settings file that is for editors alone. */
#define SETTINGS_SCHEMA_KEY "$schema"

/* Adds what the environment and then the file of --config say to the flags that `options` holds.
 * Lists in the environment are separated by ":", those of addresses by ","; an empty variable is
 * like none, as service managers can set but hardly unset one. Errors name the variable, or the
 * file and key. */
bool settings_load(struct options *options, struct error *error);

/* Adds the settings of one file's content; `file` is for messages. */
bool settings_read(struct options *options, const struct json *root, const char *file,
                   struct error *error);

/* Appends a setting's value as its variable would have it, or "-" if it has none. */
void settings_write_value(const struct options *options, enum option_id id, struct buffer *out);

/* Every setting of the command, its value and its origin: a table, or one JSON object. */
bool settings_print(const struct options *options, bool json, struct buffer *out,
                    struct error *error);

/* The JSON Schema of a settings file: config/terrane.schema.json. */
bool settings_schema(struct buffer *out, struct error *error);

/* What the catalog is to load; points into `options`. */
struct catalog_options settings_catalog(const struct options *options);

#endif
