/* The JSON Schema of the settings file, from the table of options. */
#include "server/settings/settings.h"

#include <string.h>

#include "core/base/json_writer.h"

static void write_types(struct json_writer *json, const char *type)
{
    json_write_key(json, "type");
    json_array_open(json);
    json_write_string(json, type);
    json_write_string(json, "null");
    json_array_close(json);
}

static void write_range(struct json_writer *json, const struct option_row *row)
{
    json_member_integer(json, "minimum", row->min);
    json_member_integer(json, "maximum", row->max);
}

static void write_choices(struct json_writer *json, const struct option_row *row)
{
    json_write_key(json, "enum");
    json_array_open(json);
    for (size_t i = 0; row->choices[i]; i++)
        json_write_string(json, row->choices[i]);
    json_write_null(json);
    json_array_close(json);
}

/* A number of bytes, or a text of one with K, M or G behind it, whose range is the program's to
 * check. */
static void write_bytes(struct json_writer *json, const struct option_row *row)
{
    json_write_key(json, "anyOf");
    json_array_open(json);
    json_object_open(json);
    json_member_string(json, "type", "integer");
    write_range(json, row);
    json_object_close(json);
    json_object_open(json);
    json_member_string(json, "type", "string");
    json_member_string(json, "pattern", "^(0|[1-9][0-9]{0,18})[KMG]?$");
    json_object_close(json);
    json_object_open(json);
    json_member_string(json, "type", "null");
    json_object_close(json);
    json_array_close(json);
}

/* The one list that has a default may be a single text, too. */
static void write_list(struct json_writer *json, const struct option_row *row)
{
    json_write_key(json, "type");
    json_array_open(json);
    json_write_string(json, "array");
    if (row->fallback)
        json_write_string(json, "string");
    json_write_string(json, "null");
    json_array_close(json);
    if (row->fallback)
        json_member_integer(json, "minLength", 1);
    json_write_key(json, "items");
    json_object_open(json);
    json_member_string(json, "type", "string");
    json_member_integer(json, "minLength", 1);
    json_object_close(json);
}

static void write_kind(struct json_writer *json, const struct option_row *row)
{
    switch (row->kind) {
    case OPTION_WHOLE:
        write_types(json, "integer");
        write_range(json, row);
        break;
    case OPTION_BYTES:
        write_bytes(json, row);
        break;
    case OPTION_LIST:
        write_list(json, row);
        break;
    default:
        if (row->choices[0]) {
            write_choices(json, row);
            break;
        }
        write_types(json, "string");
        json_member_integer(json, "minLength", 1);
    }
}

static void write_default(struct json_writer *json, const struct option_row *row)
{
    int64_t number;
    const char *text = row->fallback;
    json_write_key(json, "default");
    if (row->kind == OPTION_LIST) {
        json_array_open(json);
        if (text)
            json_write_string(json, text);
        json_array_close(json);
    } else if (row->kind == OPTION_WHOLE && text &&
               number_parse_integer(text, strlen(text), row->min, row->max, &number)) {
        json_write_integer(json, number);
    } else {
        json_write_string(json, text);
    }
}

static void write_setting(struct json_writer *json, enum option_id id)
{
    const struct option_row *row = &option_table[id];
    char key[OPTION_KEY_TEXT], variable[OPTION_KEY_TEXT];
    struct buffer description = {0};
    option_key(id, false, key);
    option_key(id, true, variable);
    buffer_format(&description, "%s (--%s %s, %s)", row->help, row->name,
                  row->argument ? row->argument : "", variable);
    json_write_key(json, key);
    json_object_open(json);
    json_member_buffer(json, "description", &description);
    write_kind(json, row);
    write_default(json, row);
    json_object_close(json);
}

bool settings_schema(struct buffer *out, struct error *error)
{
    struct json_writer json;
    json_begin(&json, out, true);
    json_object_open(&json);
    json_member_string(&json, "$schema", "https://json-schema.org/draft/2020-12/schema");
    json_member_string(&json, "title", "Terrane's settings");
    json_member_string(&json, "description",
                       "A setting that is left out, or null, is what its flag, its environment "
                       "variable or its default say. Made by terrane serve --print-schema");
    json_member_string(&json, "type", "object");
    json_write_key(&json, "properties");
    json_object_open(&json);
    json_write_key(&json, SETTINGS_SCHEMA_KEY);
    json_object_open(&json);
    json_member_string(&json, "description", "where this schema is, for editors");
    json_member_string(&json, "type", "string");
    json_object_close(&json);
    for (int id = 0; id < OPTION_COUNT; id++)
        if (option_table[id].scope == SCOPE_SETTING)
            write_setting(&json, (enum option_id)id);
    json_object_close(&json);
    json_member_bool(&json, "additionalProperties", false);
    json_object_close(&json);
    json_finish(&json);
    return !out->failed || error_memory(error);
}
