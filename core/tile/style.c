/* Reads a style: its title and its steps, and the canonical form of its JSON.
 *
 * The canonical form has no white space and the numbers and strings as they are spelled, so two
 * files that differ in layout alone have one fingerprint. Title and description are left out: they
 * change no pixel. A style owns its texts in an arena and is immutable once read. */
#include <stdlib.h>
#include <string.h>

#include "core/tile/style_private.h"

static const char *const style_keys[] = {"title", "description", "paint"};

/* Writes a value with its type, and containers as lists: for hashing, not for reading. */
static void write_canonical(const struct json *value, struct buffer *out)
{
    enum json_type type = json_type(value);
    if (type != JSON_ARRAY && type != JSON_OBJECT) {
        const char *text = json_text(value);
        buffer_format(out, "%d:%s", (int)type, text ? text : "");
        return;
    }
    buffer_byte(out, '[');
    for (const struct json *child = json_first(value); child; child = json_next(child)) {
        if (type == JSON_OBJECT)
            buffer_format(out, "%s=", json_key(child));
        write_canonical(child, out);
        buffer_byte(out, ',');
    }
    buffer_byte(out, ']');
}

static const char *canonicalize_paint(struct style *style, const struct json *paint)
{
    struct buffer text = {0};
    write_canonical(paint, &text);
    const char *copy =
        text.failed ? NULL : arena_copy(&style->arena, (char *)text.data, text.length);
    buffer_free(&text);
    return copy;
}

static bool read_title(struct style *style, const char *name, const struct json *value,
                       const char *path, struct error *error)
{
    const struct json *title = json_member(value, "title");
    if (title && json_type(title) != JSON_STRING) {
        error_set(error, ERROR_VALUE, "must be a string, not %s", json_type_name(json_type(title)));
        return error_in_path(error, "%s%stitle", path, *path ? "." : "");
    }
    const char *text = title ? json_text(title) : name;
    style->name = arena_copy(&style->arena, name, strlen(name));
    style->title = arena_copy(&style->arena, text, strlen(text));
    return (style->name && style->title) || error_memory(error);
}

static bool read_style(struct style *style, const char *name, const struct json *value,
                       const char *path, struct error *error)
{
    if (json_type(value) != JSON_OBJECT) {
        error_set(error, ERROR_VALUE, "a style must be an object, not %s",
                  json_type_name(json_type(value)));
        return error_in_path(error, "%s", path);
    }
    if (!json_allow(value, path, style_keys, sizeof style_keys / sizeof *style_keys, error) ||
        !read_title(style, name, value, path, error))
        return false;
    const struct json *paint = json_member(value, "paint");
    style->canonical = canonicalize_paint(style, paint);
    if (!style->canonical)
        return error_memory(error);
    return style_read_steps(style, paint, path, error);
}

struct style *style_read(const char *name, const struct json *value, const char *path,
                         struct error *error)
{
    struct style *style = calloc(1, sizeof *style);
    if (!style) {
        error_memory(error);
        return NULL;
    }
    if (read_style(style, name, value, path, error))
        return style;
    style_free(style);
    return NULL;
}

struct style *style_parse(const char *name, const char *text, size_t length, const char *file,
                          struct error *error)
{
    struct json_document *document = json_parse(text, length, NULL, error);
    struct style *style = document ? style_read(name, json_root(document), "", error) : NULL;
    json_free(document);
    if (!style)
        error_in_file(error, file);
    return style;
}

void style_free(struct style *style)
{
    if (!style)
        return;
    arena_free(&style->arena);
    free(style);
}

const char *style_name(const struct style *style)
{
    return style->name;
}

const char *style_title(const struct style *style)
{
    return style->title;
}
