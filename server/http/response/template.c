/* Copies values of a parsed document to a JSON writer, recursively. */
#include "server/http/response/template.h"

/* The depth is bounded by the parser. */
void template_write(struct json_writer *json, const struct json *value)
{
    const enum json_type type = json_type(value);
    double number = 0;
    if (type == JSON_OBJECT) {
        json_object_open(json);
        template_write_members(json, value);
        json_object_close(json);
    } else if (type == JSON_ARRAY) {
        json_array_open(json);
        for (const struct json *each = json_first(value); each; each = json_next(each))
            template_write(json, each);
        json_array_close(json);
    } else if (type == JSON_NUMBER) {
        json_number(value, &number);
        json_write_double(json, number);
    } else if (type == JSON_TRUE || type == JSON_FALSE) {
        json_write_bool(json, type == JSON_TRUE);
    } else {
        json_write_string(json, json_text(value)); /* null for null */
    }
}

void template_write_member(struct json_writer *json, const struct json *member)
{
    json_write_key(json, json_key(member));
    template_write(json, member);
}

void template_write_members(struct json_writer *json, const struct json *object)
{
    for (const struct json *each = json_first(object); each; each = json_next(each))
        template_write_member(json, each);
}
