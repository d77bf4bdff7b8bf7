/* Settings: the options that also have an environment variable and a key in the settings file. The
 * file is one JSON object; config/terrane.json holds every default. */
#ifndef TERRANE_SERVER_SETTINGS_SETTINGS_H
#define TERRANE_SERVER_SETTINGS_SETTINGS_H

#include "core/base/buffer.h"
#include "core/worldfile/json.h"
#include "server/settings/options.h"
#include "server/worlds/catalog.h"

enum {
    SETTINGS_BYTES_MAX = 1 << 20,
    SETTINGS_THREADS_MAX = 256, /* event loops; render threads */
};

/* The key of the settings file that only editors read. */
#define SETTINGS_SCHEMA_KEY "$schema"

typedef unsigned setting_whole;
typedef uint64_t setting_bytes;
typedef bool setting_switch;
typedef const char *setting_text; /* null if not given and without a default */
typedef struct {
    const char *const *texts;
    size_t count;
} setting_list;

/* The values of all settings, a member for each SETTING of table.def: units and ranges are there.
 */
struct settings {
#define OPTION(id, ...)
#define SETTING(id, member, flag, type, ...) setting_##type member;
#include "server/settings/table.def"
};

/* Values and defaults of all settings; points into `options`. With empty options the defaults. */
void settings_resolve(const struct options *options, struct settings *settings);

/* Adds the values of the environment, those of the file of --config and then the defaults of the
 * profile to the flags that `options` holds. Lists in the environment are separated by the row's
 * separator. An empty variable counts as none, as service managers can hardly unset one. Errors
 * name the variable, or the file and key; they are put into `diagnostics`, which need no text. */
bool settings_load(struct options *options, struct diagnostics *diagnostics);

/* The keys of a settings file, in `keys`, and pointers to them. Returns how many there are. */
size_t settings_keys(char keys[OPTION_COUNT][OPTION_KEY_TEXT],
                     const char *pointers[OPTION_COUNT + 1]);

/* Adds the settings of one file, the text of the diagnostics; false with all its errors. */
bool settings_read(struct options *options, struct diagnostics *diagnostics);

/* Appends a setting's value in the form of its environment variable, or "-" if it has none. */
void settings_write_value(const struct options *options, enum option_id id, struct buffer *out);

/* Append every setting of the command, its value and its origin: a table, or one JSON object. */
void settings_print(const struct options *options, bool json, struct buffer *out);

/* The JSON Schema of a settings file: config/terrane.schema.json. */
void settings_schema(struct buffer *out);

/* The folders and limits of the catalog; points into `options`. */
struct catalog_options settings_catalog(const struct options *options);

#endif
