/* JSON documents: a strict check, then cJSON.
 *
 * cJSON builds the tree and owns it, but it is lax: it takes duplicate keys, malformed UTF-8 and
 * loosely written numbers, rounds every number to a double (64-bit seeds and exact places do not
 * fit), and tells no line and column. So json_scan() reads the text first: it refuses what is not
 * RFC 8259, and writes a copy in which every number is a string that begins with a mark. cJSON
 * parses the copy, which cannot fail but for want of memory, and here every `struct json` is a
 * cJSON item, and the document the outermost one. Duplicate keys are found last, on the tree, by
 * sorting each object's keys: n log n, as a hostile document may have 100,000 of them; only if
 * there is one the text is scanned again, for its line and column.
 *
 * This is the only file that knows cJSON. */
#include "core/worldfile/json.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/number.h"
#include "core/base/utf8.h"
#include "core/worldfile/json_scan.h"

/* Strings and numbers are both cJSON strings, told apart by their first byte (json_scan.h). */
static const cJSON *item_of(const struct json *value)
{
    return (const cJSON *)value;
}

static const struct json *value_of(const cJSON *item)
{
    return (const struct json *)item;
}

struct key {
    const cJSON *member;
    size_t order; /* among its siblings */
};

static int compare_keys(const void *a, const void *b)
{
    const struct key *left = a, *right = b;
    int order = strcmp(left->member->string, right->member->string);
    return order ? order : left->order < right->order ? -1 : 1;
}

/* The search for a key that an object has twice. */
struct duplicates {
    const cJSON *found; /* the second member of that name; null while there is none */
    bool memory;        /* ran out */
};

static const cJSON *find_duplicate(const cJSON *object, struct duplicates *search)
{
    size_t count = 0;
    for (const cJSON *member = object->child; member; member = member->next)
        count++;
    if (count < 2)
        return NULL;
    struct key *keys = malloc(count * sizeof *keys);
    if (!keys) {
        search->memory = true;
        return NULL;
    }
    count = 0;
    for (const cJSON *member = object->child; member; member = member->next, count++)
        keys[count] = (struct key){.member = member, .order = count};
    qsort(keys, count, sizeof *keys, compare_keys);
    const cJSON *found = NULL;
    for (size_t i = 1; i < count && !found; i++) {
        if (strcmp(keys[i - 1].member->string, keys[i].member->string) == 0)
            found = keys[i].member;
    }
    free(keys);
    return found;
}

/* Goes no deeper than the scan allowed. */
static void search_container(const cJSON *container, struct duplicates *search)
{
    if (cJSON_IsObject(container))
        search->found = find_duplicate(container, search);
    for (const cJSON *child = container->child; child; child = child->next) {
        if (search->found || search->memory)
            return;
        if (child->child)
            search_container(child, search);
    }
}

/* Counts the values in front of `wanted` in the text's order, up to it; true if it is there. */
static bool count_values(const cJSON *value, const cJSON *wanted, size_t *count)
{
    if (value == wanted)
        return true;
    ++*count;
    for (const cJSON *child = value->child; child; child = child->next)
        if (count_values(child, wanted, count))
            return true;
    return false;
}

static void locate(const cJSON *root, const struct json_text *text, const struct json_place *place,
                   struct error *error)
{
    struct json_scan_place wanted = {.at_key = place->at_key, .character = place->character};
    count_values(root, item_of(place->value), &wanted.value);
    json_scan_locate(text, &wanted, error);
}

static bool check_duplicates(const cJSON *root, const struct json_text *text, struct error *error)
{
    struct duplicates search = {0};
    search_container(root, &search);
    if (search.memory)
        return error_memory(error);
    if (!search.found)
        return true;
    error_set(error, ERROR_SYNTAX, "the key \"%s\" appears twice in the same object",
              search.found->string);
    locate(root, text, &(struct json_place){.value = value_of(search.found), .at_key = true},
           error);
    return false;
}

struct json_document *json_parse(const char *text, size_t length, const struct json_limits *limits,
                                 struct error *error)
{
    size_t bytes = limits && limits->bytes ? limits->bytes : (size_t)1 << 20;
    unsigned depth = limits && limits->depth ? limits->depth : 32;
    if (length > bytes) {
        error_set(error, ERROR_LIMIT, "the text has %zu bytes: allowed are %zu", length, bytes);
        return NULL;
    }
    struct json_text source = {.bytes = text, .length = length, .depth = depth};
    struct buffer copy = {0};
    cJSON *root = NULL;
    if (json_scan(&source, &copy, error)) {
        /* The copy is well-formed, so only memory can be missing. */
        root = copy.failed ? NULL : cJSON_ParseWithLength((const char *)copy.data, copy.length);
        if (!root)
            error_memory(error);
        if (root && !check_duplicates(root, &source, error)) {
            cJSON_Delete(root);
            root = NULL;
        }
    }
    buffer_free(&copy);
    return (struct json_document *)root;
}

void json_free(struct json_document *document)
{
    cJSON_Delete((cJSON *)document);
}

const struct json *json_root(const struct json_document *document)
{
    return (const struct json *)document;
}

void json_locate(const struct json *root, const char *text, size_t length,
                 const struct json_place *place, struct error *error)
{
    const struct json_text source = {.bytes = text, .length = length, .depth = JSON_DEPTH_MAX};
    locate(item_of(root), &source, place, error);
}

enum json_type json_type(const struct json *value)
{
    if (!value)
        return JSON_NOTHING;
    const cJSON *item = item_of(value);
    switch (item->type & 0xFF) {
    case cJSON_False:
        return JSON_FALSE;
    case cJSON_True:
        return JSON_TRUE;
    case cJSON_String:
        return item->valuestring[0] == JSON_MARK_NUMBER ? JSON_NUMBER : JSON_STRING;
    case cJSON_Array:
        return JSON_ARRAY;
    case cJSON_Object:
        return JSON_OBJECT;
    default:
        return JSON_NULL;
    }
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
    enum json_type type = json_type(value);
    return type == JSON_STRING || type == JSON_NUMBER ? item_of(value)->valuestring + 1 : NULL;
}

bool json_number(const struct json *value, double *number)
{
    if (json_type(value) != JSON_NUMBER)
        return false;
    const char *text = json_text(value);
    return number_parse(text, strlen(text), number);
}

const struct json *json_member(const struct json *object, const char *key)
{
    if (json_type(object) != JSON_OBJECT)
        return NULL;
    return value_of(cJSON_GetObjectItemCaseSensitive(item_of(object), key));
}

const struct json *json_first(const struct json *container)
{
    enum json_type type = json_type(container);
    return type == JSON_ARRAY || type == JSON_OBJECT ? value_of(item_of(container)->child) : NULL;
}

const struct json *json_next(const struct json *value)
{
    return value ? value_of(item_of(value)->next) : NULL;
}

const char *json_key(const struct json *member)
{
    return member ? item_of(member)->string : NULL;
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

bool json_allow_key(const struct json *member, const struct json_keys *keys, struct error *error)
{
    if (is_among(json_key(member), keys->allowed, keys->count))
        return true;
    refuse_key(json_key(member), keys->allowed, keys->count, error);
    return error_in_path(error, "%s", keys->path);
}

bool json_allow(const struct json *object, const char *path, const char *const *allowed,
                size_t count, struct error *error)
{
    const struct json_keys keys = {path, allowed, count};
    if (json_type(object) != JSON_OBJECT)
        return true;
    for (const struct json *member = json_first(object); member; member = json_next(member))
        if (!json_allow_key(member, &keys, error))
            return false;
    return true;
}
