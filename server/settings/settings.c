/* Settings: the environment and the settings file, and their values as a struct, a table or JSON.
 *
 * All loops run over the table of options, so that nothing here knows a setting by name, but for
 * --config, which says where the file is, and the members that the catalog needs. */
#include "server/settings/settings.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/json_writer.h"
#include "server/base/file.h"

static bool is_setting(const struct options *options, enum option_id id)
{
    const struct option_row *row = &option_table[id];
    return row->scope != SCOPE_FLAG && (row->commands & options->command);
}

static const char *list_separator(enum option_id id)
{
    return option_table[id].separator ? option_table[id].separator : ":";
}

/* Adds the parts of "a:b:c", or of "a,b,c" where values may contain colons. */
static bool add_separated(struct options *options, enum option_id id, const char *text,
                          struct error *error)
{
    char *copy = strdup(text);
    if (!copy)
        return error_memory(error);
    char *rest = copy, *part;
    bool done = true;
    while (done && (part = strsep(&rest, list_separator(id))))
        done = options_add(options, id, part, ORIGIN_ENVIRONMENT, error);
    free(copy);
    return done;
}

static bool load_environment(struct options *options, struct error *error)
{
    for (enum option_id id = 0; id < OPTION_COUNT; id++) {
        char name[OPTION_KEY_TEXT];
        option_key(id, true, name);
        const char *text = is_setting(options, id) ? getenv(name) : NULL;
        /* Service managers and compose files leave a setting out by an empty variable. */
        if (!text || !*text)
            continue;
        bool done = option_table[id].kind == OPTION_LIST
                        ? add_separated(options, id, text, error)
                        : options_add(options, id, text, ORIGIN_ENVIRONMENT, error);
        if (!done)
            return error_in_path(error, "%s", name);
    }
    return true;
}

static bool read_switch(struct options *options, enum option_id id, const struct json *value,
                        struct error *error)
{
    const enum json_type type = json_type(value);
    if (type != JSON_TRUE && type != JSON_FALSE)
        return error_set(error, ERROR_VALUE, "must be true or false, not %s", json_type_name(type));
    return options_add(options, id, type == JSON_TRUE ? "1" : "0", ORIGIN_FILE, error);
}

/* A string, or for numeric settings a number; sizes in bytes may be either. */
static bool read_scalar(struct options *options, enum option_id id, const struct json *value,
                        struct error *error)
{
    enum option_kind kind = option_table[id].kind;
    bool numeric = kind == OPTION_WHOLE || kind == OPTION_BYTES;
    enum json_type type = json_type(value);
    if (type == JSON_STRING ? kind == OPTION_WHOLE : !(type == JSON_NUMBER && numeric))
        return error_set(error, ERROR_VALUE, "must be %s, not %s",
                         kind == OPTION_WHOLE   ? "a number"
                         : kind == OPTION_BYTES ? "a number or a string such as \"256M\""
                                                : "a string",
                         json_type_name(type));
    return options_add(options, id, json_text(value), ORIGIN_FILE, error);
}

static bool read_list(struct options *options, enum option_id id, const struct json *value,
                      struct error *error)
{
    /* `listen`, the one list with a default, may be a single string. */
    if (json_type(value) == JSON_STRING && option_table[id].fallback)
        return read_scalar(options, id, value, error);
    if (json_type(value) != JSON_ARRAY)
        return error_set(error, ERROR_VALUE, "must be an array of strings, not %s",
                         json_type_name(json_type(value)));
    unsigned index = 0;
    for (const struct json *item = json_first(value); item; item = json_next(item), index++) {
        char key[OPTION_KEY_TEXT];
        option_key(id, false, key);
        if (json_type(item) != JSON_STRING)
            error_set(error, ERROR_VALUE, "must be a string, not %s",
                      json_type_name(json_type(item)));
        else if (options_add(options, id, json_text(item), ORIGIN_FILE, error))
            continue;
        return error_in_path(error, "%s[%u]", key, index);
    }
    return true;
}

size_t settings_keys(char keys[OPTION_COUNT][OPTION_KEY_TEXT],
                     const char *pointers[OPTION_COUNT + 1])
{
    size_t count = 0;
    for (enum option_id id = 0; id < OPTION_COUNT; id++) {
        if (option_table[id].scope != SCOPE_SETTING)
            continue;
        option_key(id, false, keys[count]);
        pointers[count] = keys[count];
        count++;
    }
    pointers[count++] = SETTINGS_SCHEMA_KEY;
    return count;
}

/* Refuses unknown keys, with the nearest known one, so that a typing error does not pass silently.
 */
static bool check_keys(struct diagnostics *diagnostics, struct error *error)
{
    char names[OPTION_COUNT][OPTION_KEY_TEXT];
    const char *allowed[OPTION_COUNT + 1];
    const struct json_keys keys = {"", allowed, settings_keys(names, allowed)};
    return diagnostics_allow(diagnostics, diagnostics->root, &keys, error);
}

/* Adds the value of a setting, if the file has one. */
static bool read_setting(struct options *options, enum option_id id, const struct json *root,
                         struct error *error)
{
    char key[OPTION_KEY_TEXT];
    option_key(id, false, key);
    const struct json *value =
        option_table[id].scope == SCOPE_SETTING ? json_member(root, key) : NULL;
    if (!value || json_type(value) == JSON_NULL)
        return true;
    const enum option_kind kind = option_table[id].kind;
    const bool done = kind == OPTION_LIST     ? read_list(options, id, value, error)
                      : kind == OPTION_SWITCH ? read_switch(options, id, value, error)
                                              : read_scalar(options, id, value, error);
    return done || error_in_path(error, "%s", key);
}

static bool read_settings(struct options *options, struct diagnostics *diagnostics,
                          struct error *error)
{
    const struct json *root = diagnostics->root;
    if (json_type(root) != JSON_OBJECT)
        return error_set(error, ERROR_VALUE, "settings must be an object, not %s",
                         json_type_name(json_type(root)));
    bool done = check_keys(diagnostics, error);
    for (enum option_id id = 0; id < OPTION_COUNT && done; id++)
        done = diagnostics_take(diagnostics, read_setting(options, id, root, error), error);
    return done;
}

bool settings_read(struct options *options, struct diagnostics *diagnostics)
{
    struct error error = {0};
    struct json_document *document =
        json_parse(diagnostics->text, diagnostics->length, NULL, &error);
    diagnostics->root = json_root(document);
    if (!document || !read_settings(options, diagnostics, &error))
        diagnostics_add(diagnostics, &error);
    json_free(document);
    diagnostics->root = NULL;
    return diagnostics->count == 0;
}

static bool load_file(struct options *options, const char *path, struct diagnostics *diagnostics)
{
    struct buffer text = {0};
    struct error error = {0};
    bool done = file_read(path, SETTINGS_BYTES_MAX, &text, &error);
    *diagnostics =
        (struct diagnostics){.file = path, .text = (const char *)text.data, .length = text.length};
    if (done)
        done = settings_read(options, diagnostics);
    else
        diagnostics_add(diagnostics, &error);
    buffer_free(&text);
    return done;
}

/* The defaults of the profile, where it has others. */
static bool apply_profile(struct options *options, struct error *error)
{
    if (!is_setting(options, OPTION_PROFILE) ||
        strcmp(options_text(options, OPTION_PROFILE), "game") != 0)
        return true;
    for (enum option_id id = 0; id < OPTION_COUNT; id++)
        if (option_table[id].game &&
            !options_add(options, id, option_table[id].game, ORIGIN_PROFILE, error))
            return error_in_path(error, "%s", option_table[id].name);
    return true;
}

/* The environment comes first, as it may name the file; the profile last, as both may name it. */
bool settings_load(struct options *options, struct diagnostics *diagnostics)
{
    struct error error = {0};
    *diagnostics = (struct diagnostics){0};
    if (!load_environment(options, &error)) {
        diagnostics_add(diagnostics, &error);
        return false;
    }
    const char *path = options_text(options, OPTION_CONFIG);
    if (path && !load_file(options, path, diagnostics))
        return false;
    if (!apply_profile(options, &error))
        diagnostics_add(diagnostics, &error);
    return diagnostics->count == 0;
}

/* "default", "profile NAME", "file PATH", "environment NAME" or "flag --NAME", for --print-config.
 */
static void origin_text(const struct options *options, enum option_id id, struct buffer *out)
{
    char name[OPTION_KEY_TEXT];
    switch (options->values[id].origin) {
    case ORIGIN_DEFAULT:
        buffer_text(out, "default");
        break;
    case ORIGIN_PROFILE:
        buffer_format(out, "profile %s", options_text(options, OPTION_PROFILE));
        break;
    case ORIGIN_FILE:
        buffer_format(out, "file %s", options_text(options, OPTION_CONFIG));
        break;
    case ORIGIN_ENVIRONMENT:
        option_key(id, true, name);
        buffer_format(out, "environment %s", name);
        break;
    case ORIGIN_FLAG:
        buffer_format(out, "flag --%s", option_table[id].name);
        break;
    }
}

static void write_value(struct json_writer *json, const struct options *options, enum option_id id)
{
    const char *text = options_text(options, id);
    if (option_table[id].kind == OPTION_LIST) {
        size_t count;
        const char *const *texts = options_list(options, id, &count);
        json_array_open(json);
        for (size_t i = 0; i < count; i++)
            json_write_string(json, texts[i]);
        json_array_close(json);
    } else if (option_table[id].kind == OPTION_WHOLE && text) {
        json_write_integer(json, options_whole(options, id));
    } else if (option_table[id].kind == OPTION_SWITCH) {
        json_write_bool(json, options_whole(options, id) != 0);
    } else {
        json_write_string(json, text);
    }
}

static void print_json(const struct options *options, struct buffer *out)
{
    struct json_writer json;
    json_begin_object(&json, out, true);
    for (enum option_id id = 0; id < OPTION_COUNT; id++) {
        if (!is_setting(options, id))
            continue;
        char key[OPTION_KEY_TEXT];
        option_key(id, false, key);
        struct buffer origin = {0};
        origin_text(options, id, &origin);
        json_member_object(&json, key);
        json_write_key(&json, "value");
        write_value(&json, options, id);
        json_member_buffer(&json, "origin", &origin);
        json_object_close(&json);
    }
    json_finish_object(&json);
}

void settings_write_value(const struct options *options, enum option_id id, struct buffer *out)
{
    size_t count;
    const char *const *texts = options_list(options, id, &count);
    for (size_t i = 0; i < count; i++)
        buffer_format(out, "%s%s", i ? list_separator(id) : "", texts[i]);
    if (count == 0)
        buffer_text(out, "-");
}

static void print_text(const struct options *options, struct buffer *out)
{
    for (enum option_id id = 0; id < OPTION_COUNT; id++) {
        if (!is_setting(options, id))
            continue;
        char key[OPTION_KEY_TEXT];
        struct buffer value = {0};
        option_key(id, false, key);
        settings_write_value(options, id, &value);
        buffer_format(out, "%-23s %-24s ", key, buffer_string(&value));
        origin_text(options, id, out);
        buffer_byte(out, '\n');
        out->failed = out->failed || value.failed;
        buffer_free(&value);
    }
}

void settings_print(const struct options *options, bool json, struct buffer *out)
{
    (json ? print_json : print_text)(options, out);
}

/* The kind of a row determines the type of its member: both come from the same word in table.def.
 */
void settings_resolve(const struct options *options, struct settings *settings)
{
    *settings = (struct settings){0};
    for (enum option_id id = 0; id < OPTION_COUNT; id++) {
        const struct option_row *row = &option_table[id];
        void *member = (char *)settings + row->offset;
        if (row->scope != SCOPE_SETTING)
            continue;
        if (row->kind == OPTION_SWITCH)
            *(setting_switch *)member = options_whole(options, id) != 0;
        else if (row->kind == OPTION_WHOLE)
            *(setting_whole *)member = (setting_whole)options_whole(options, id);
        else if (row->kind == OPTION_BYTES)
            *(setting_bytes *)member = (setting_bytes)options_whole(options, id);
        else if (row->kind == OPTION_TEXT)
            *(setting_text *)member = options_text(options, id);
        else
            ((setting_list *)member)->texts =
                options_list(options, id, &((setting_list *)member)->count);
    }
}

struct catalog_options settings_catalog(const struct options *options)
{
    struct settings settings;
    settings_resolve(options, &settings);
    return (struct catalog_options){
        .default_world = settings.default_world,
        .limits.octaves = settings.world_cost,
        .world_directories = settings.worlds.texts,
        .world_directory_count = settings.worlds.count,
        .style_directories = settings.styles.texts,
        .style_directory_count = settings.styles.count,
    };
}
