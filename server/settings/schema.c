/* The JSON Schema of the settings file, generated from the table of options: editors use it to
 * complete keys and to show the help texts. A null value stands for "not set" and is always
 * allowed. */
#include "server/settings/settings.h"

#include <string.h>

#include "core/base/json_writer.h"

static void write_types(struct json_writer *json, const char *type)
{
    json_member_array(json, "type");
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
    json_member_array(json, "enum");
    for (size_t i = 0; row->choices[i]; i++)
        json_write_string(json, row->choices[i]);
    json_write_null(json);
    json_array_close(json);
}

/* A number of bytes, or a string with an optional K, M or G, whose range only the program checks.
 */
static void write_bytes(struct json_writer *json, const struct option_row *row)
{
    json_member_array(json, "anyOf");
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

/* `listen`, the one list with a default, may be a single string. */
static void write_list(struct json_writer *json, const struct option_row *row)
{
    json_member_array(json, "type");
    json_write_string(json, "array");
    if (row->fallback)
        json_write_string(json, "string");
    json_write_string(json, "null");
    json_array_close(json);
    if (row->fallback)
        json_member_integer(json, "minLength", 1);
    json_member_object(json, "items");
    json_member_string(json, "type", "string");
    json_member_integer(json, "minLength", 1);
    json_object_close(json);
}

/* The type and range of a value, by the kind of its row. Ranges of sizes in bytes given as text
 * cannot be expressed. */
static void write_kind(struct json_writer *json, const struct option_row *row)
{
    switch (row->kind) {
    case OPTION_SWITCH:
        write_types(json, "boolean");
        break;
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

/* Numbers as numbers, so that editors insert them without quotes. */
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
    } else if (row->kind == OPTION_SWITCH) {
        json_write_bool(json, text && strcmp(text, "1") == 0);
    } else {
        json_write_string(json, text);
    }
}

/* The description also names the flag and the variable, which are otherwise in the manual only. */
static void write_setting(struct json_writer *json, enum option_id id)
{
    const struct option_row *row = &option_table[id];
    char key[OPTION_KEY_TEXT], variable[OPTION_KEY_TEXT];
    struct buffer description = {0};
    option_key(id, false, key);
    option_key(id, true, variable);
    buffer_format(&description, "%s (--%s%s%s, %s)", row->help, row->name, row->argument ? " " : "",
                  row->argument ? row->argument : "", variable);
    if (row->game)
        buffer_format(&description, ". The profile game has %s by default", row->game);
    json_member_object(json, key);
    json_member_buffer(json, "description", &description);
    write_kind(json, row);
    write_default(json, row);
    json_object_close(json);
}

void settings_schema(struct buffer *out)
{
    struct json_writer json;
    json_begin_object(&json, out, true);
    json_member_string(&json, "$schema", "https://json-schema.org/draft/2020-12/schema");
    json_member_string(&json, "title", "Terrane's settings");
    json_member_string(
        &json, "description",
        "A setting that is left out or null has the value of its flag, its environment "
        "variable or its default. Generated by terrane serve --print-schema");
    json_member_string(&json, "type", "object");
    json_member_object(&json, "properties");
    json_member_object(&json, SETTINGS_SCHEMA_KEY);
    json_member_string(&json, "description", "path or URL of this schema, for editors");
    json_member_string(&json, "type", "string");
    json_object_close(&json);
    for (enum option_id id = 0; id < OPTION_COUNT; id++)
        if (option_table[id].scope == SCOPE_SETTING)
            write_setting(&json, id);
    json_object_close(&json);
    json_member_bool(&json, "additionalProperties", false);
    json_finish_object(&json);
}
