/* Access to parsed documents; json_parse.c makes them.
 *
 * Members are looked up by a walk along the list: objects of world files have a few dozen members,
 * each looked up once or twice. All functions take null for a value that is missing, so a reader
 * may chain lookups and check the type once, at the end. */
#include <stdlib.h>
#include <string.h>

#include "core/base/buffer.h"
#include "core/base/number.h"
#include "core/base/utf8.h"
#include "core/world/json_private.h"

void json_free(struct json_document *document)
{
    if (!document)
        return;
    arena_free(&document->arena);
    free(document);
}

const struct json *json_root(const struct json_document *document)
{
    return document ? &document->root : NULL;
}

enum json_type json_type(const struct json *value)
{
    return value ? value->type : JSON_NOTHING;
}

const char *json_type_name(enum json_type type)
{
    static const char *const names[] = {
        [JSON_NOTHING] = "nothing", [JSON_NULL] = "null",        [JSON_FALSE] = "false",
        [JSON_TRUE] = "true",       [JSON_NUMBER] = "a number",  [JSON_STRING] = "a string",
        [JSON_ARRAY] = "an array",  [JSON_OBJECT] = "an object",
    };
    return names[type];
}

const char *json_text(const struct json *value)
{
    return value ? value->text : NULL;
}

bool json_number(const struct json *value, double *number)
{
    return json_type(value) == JSON_NUMBER &&
           number_parse(value->text, strlen(value->text), number);
}

const struct json *json_member(const struct json *object, const char *key)
{
    if (json_type(object) != JSON_OBJECT)
        return NULL;
    const struct json *member = object->first;
    while (member && strcmp(member->key, key) != 0)
        member = member->next;
    return member;
}

const struct json *json_first(const struct json *container)
{
    return container ? container->first : NULL;
}

const struct json *json_next(const struct json *value)
{
    return value ? value->next : NULL;
}

const char *json_key(const struct json *member)
{
    return member ? member->key : NULL;
}

size_t json_count(const struct json *container)
{
    size_t count = 0;
    for (const struct json *value = json_first(container); value; value = json_next(value))
        count++;
    return count;
}

static bool is_among(const char *key, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (names[i] && strcmp(key, names[i]) == 0)
            return true;
    }
    return false;
}

static bool refuse_key(const char *key, const char *const *allowed, size_t count,
                       struct error *error)
{
    const char *nearest = error_suggest(key, allowed, count);
    if (nearest)
        return error_set(error, ERROR_UNKNOWN, "unknown key \"%s\" (did you mean \"%s\"?)", key,
                         nearest);
    struct buffer list = {0};
    for (size_t i = 0; i < count; i++) {
        if (allowed[i])
            buffer_format(&list, "%s%s", list.length ? ", " : "", allowed[i]);
    }
    /* A long unknown key must not push the allowed ones out of the message. */
    const int shown = (int)utf8_cut(key, strlen(key), 64);
    error_set(error, ERROR_UNKNOWN, "unknown key \"%.*s\": allowed are %s", shown, key,
              list.length ? buffer_string(&list) : "none");
    buffer_free(&list);
    return false;
}

bool json_allow(const struct json *object, const char *path, const char *const *allowed,
                size_t count, struct error *error)
{
    if (json_type(object) != JSON_OBJECT)
        return true;
    for (const struct json *member = json_first(object); member; member = json_next(member)) {
        if (!is_among(json_key(member), allowed, count)) {
            refuse_key(json_key(member), allowed, count, error);
            return error_in_path(error, "%s", path);
        }
    }
    return true;
}
