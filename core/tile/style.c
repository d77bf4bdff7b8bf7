/* Reads a style: its title and its steps, and the canonical form of its JSON.
 *
 * The canonical form has no white space and the numbers and strings as they are spelled, so two
 * files that differ in layout alone have one fingerprint. Title and description are left out: they
 * change no pixel. A style owns its texts in an arena and is immutable once read.
 *
 * A step of "paint" is an object with one member, whose name is the kind of step; the kinds and
 * their readers are the rows of step_kinds.c. Here are the rules that hold for all kinds: the
 * number of steps, that a step that makes the whole picture stands alone, and the members that all
 * have. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/tile/style_reader.h"

const char *const style_keys[STYLE_KEYS] = {"title", "description", "paint", "$schema"};

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

/* A style being read. */
struct source {
    const char *name;
    const struct json *value;
    const char *path;
    struct diagnostics *diagnostics; /* take errors; or null */
    struct error *error;
};

/* Fails at the style's member `key`. */
static bool fail_member(const struct source *source, const char *key)
{
    return error_in_path(source->error, "%s%s%s", source->path, *source->path ? "." : "", key);
}

/* The members that are optional strings; only the title is kept. */
static bool check_texts(const struct source *source)
{
    static const char *const keys[] = {"title", "description", "$schema"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const struct json *text = json_member(source->value, keys[i]);
        if (!text || json_type(text) == JSON_STRING)
            continue;
        error_set(source->error, ERROR_VALUE, "must be a string, not %s",
                  json_type_name(json_type(text)));
        return fail_member(source, keys[i]);
    }
    return true;
}

static bool read_title(struct style *style, const struct source *source)
{
    const struct json *title = json_member(source->value, "title");
    if (!check_texts(source))
        return false;
    const char *name = source->name, *text = title ? json_text(title) : name;
    style->name = arena_copy(&style->arena, name, strlen(name));
    style->title = arena_copy(&style->arena, text, strlen(text));
    return (style->name && style->title) || error_memory(source->error);
}

/* "ramp, biomes, … or normal". */
static void join_names(const char *const *names, uint32_t count, char *out, size_t size)
{
    size_t used = 0;
    for (uint32_t i = 0; i < count && used < size; i++) {
        const char *before = i == 0 ? "" : i + 1 < count ? ", " : " or ";
        used += (size_t)snprintf(out + used, size - used, "%s%s", before, names[i]);
    }
}

static const struct step_kind *find_kind(const struct style_reader *reader,
                                         const struct json *member)
{
    const struct step_kind *kind = member ? step_kind_find(json_key(member)) : NULL;
    if (kind)
        return kind;
    const char *names[STEP_KINDS_MAX];
    const uint32_t count = step_kind_names(names);
    const char *nearest = member ? error_suggest(json_key(member), names, count) : NULL;
    char list[240];
    join_names(names, count, list, sizeof list);
    if (nearest)
        style_fail(reader, "", "there is no step \"%.40s\" (did you mean \"%s\"?)",
                   json_key(member), nearest);
    else
        style_fail(reader, "", "must be an object with one member, the step: %s", list);
    return NULL;
}

static bool has_objects(const struct style *style)
{
    for (uint32_t i = 0; i < style->step_count; i++)
        if (style->steps[i].kind->needs & NEEDS_OBJECTS)
            return true;
    return false;
}

static bool read_step(struct style_reader *reader, const struct json *value, size_t count)
{
    const struct json *member =
        json_type(value) == JSON_OBJECT && json_count(value) == 1 ? json_first(value) : NULL;
    const struct step_kind *kind = find_kind(reader, member);
    char path[160];
    if (!kind)
        return false;
    snprintf(path, sizeof path, "%s.%s", reader->step->path, kind->name);
    reader->step->path = arena_copy(&reader->style->arena, path, strlen(path));
    reader->step->kind = kind;
    reader->step->opacity = 1.0f;
    reader->value = member;
    if (!reader->step->path)
        return error_memory(reader->error);
    if (json_type(member) != JSON_OBJECT)
        return style_fail(reader, "", "must be an object, not %s",
                          json_type_name(json_type(member)));
    if (kind->store && count > 1)
        return style_fail(reader, "", "makes the whole picture; it must be the only step");
    if ((kind->needs & NEEDS_OBJECTS) && has_objects(reader->style))
        return style_fail(reader, "", "appears twice; a style has at most one step of objects");
    const struct json_keys keys = {reader->step->path, kind->keys, STEP_KEYS_MAX};
    return diagnostics_allow(reader->diagnostics, member, &keys, reader->error) &&
           (kind->layer || (kind->needs & NEEDS_MATERIALS) ||
            style_take(reader, style_read_layer(reader))) &&
           (!kind->read || style_take(reader, kind->read(reader))) &&
           (kind->store || style_take(reader, style_read_visibility(reader)));
}

/* A step that cannot be read leaves its place to the next one. */
static bool read_steps(struct style *style, const struct source *source)
{
    const struct json *paint = json_member(source->value, "paint");
    const size_t count = json_count(paint);
    if (json_type(paint) != JSON_ARRAY || count < 1 || count > STYLE_STEPS_MAX) {
        error_set(source->error, ERROR_VALUE, "must be an array of 1 to %d steps", STYLE_STEPS_MAX);
        return fail_member(source, "paint");
    }
    uint32_t index = 0;
    for (const struct json *value = json_first(paint); value; value = json_next(value), index++) {
        struct step *step = &style->steps[style->step_count];
        char place[160];
        struct style_reader reader = {style, value, step, source->diagnostics, source->error};
        snprintf(place, sizeof place, "%s%spaint[%u]", source->path, *source->path ? "." : "",
                 index);
        step->path = arena_copy(&style->arena, place, strlen(place));
        if (!step->path)
            return error_memory(source->error);
        if (read_step(&reader, value, count))
            style->step_count++;
        else if (!style_take(&reader, false))
            return false;
    }
    return true;
}

static bool read_style(struct style *style, const struct source *source)
{
    const struct json *value = source->value;
    struct error *error = source->error;
    const struct json_keys keys = {source->path, style_keys, STYLE_KEYS};
    if (json_type(value) != JSON_OBJECT) {
        error_set(error, ERROR_VALUE, "a style must be an object, not %s",
                  json_type_name(json_type(value)));
        return error_in_path(error, "%s", source->path);
    }
    if (!diagnostics_allow(source->diagnostics, value, &keys, error) ||
        !diagnostics_take(source->diagnostics, read_title(style, source), error))
        return false;
    style->canonical = canonicalize_paint(style, json_member(value, "paint"));
    return style->canonical ? read_steps(style, source) : error_memory(error);
}

/* The errors that diagnostics take are no failure of reading; the style is of no use then. */
static struct style *read_source(const struct source *source)
{
    const unsigned before = source->diagnostics ? source->diagnostics->count : 0;
    struct style *style = calloc(1, sizeof *style);
    if (!style)
        error_memory(source->error);
    if (style && read_style(style, source) &&
        (!source->diagnostics || source->diagnostics->count == before))
        return style;
    style_free(style);
    return NULL;
}

struct style *style_read(const char *name, const struct json *value, const char *path,
                         struct error *error)
{
    return read_source(&(struct source){name, value, path, NULL, error});
}

struct style *style_read_all(const char *name, const struct json *value, const char *path,
                             struct diagnostics *diagnostics)
{
    struct error error = {0};
    struct style *style = read_source(&(struct source){name, value, path, diagnostics, &error});
    if (error.code != ERROR_NONE)
        diagnostics_add(diagnostics, &error);
    return style;
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

struct style *style_diagnose(const char *name, struct diagnostics *diagnostics)
{
    struct error error = {0};
    struct json_document *document =
        json_parse(diagnostics->text, diagnostics->length, NULL, &error);
    diagnostics->root = json_root(document);
    struct style *style = NULL;
    if (document)
        style = style_read_all(name, diagnostics->root, "", diagnostics);
    else
        diagnostics_add(diagnostics, &error);
    json_free(document);
    diagnostics->root = NULL;
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
