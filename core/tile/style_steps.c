/* Reads the array "paint" of a style. A step is an object with one member, whose name is the kind
 * of step; the kinds and their readers are the rows of step_kinds.c. Here are the rules that hold
 * for all kinds: the number of steps, and that a step that makes the whole picture stands alone. */
#include <stdio.h>
#include <string.h>

#include "core/tile/style_reader.h"

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
    return json_allow(reader->value, reader->step->path, kind->keys, STEP_KEYS_MAX,
                      reader->error) &&
           (kind->layer || style_read_layer(reader)) && (!kind->read || kind->read(reader)) &&
           (kind->store || style_read_visibility(reader));
}

bool style_read_steps(struct style *style, const struct json *paint, const char *path,
                      struct error *error)
{
    size_t count = json_count(paint);
    if (json_type(paint) != JSON_ARRAY || count < 1 || count > STYLE_STEPS_MAX) {
        error_set(error, ERROR_VALUE, "must be an array of 1 to %d steps", STYLE_STEPS_MAX);
        return error_in_path(error, "%s%spaint", path, *path ? "." : "");
    }
    for (const struct json *value = json_first(paint); value; value = json_next(value)) {
        struct step *step = &style->steps[style->step_count];
        char place[160];
        struct style_reader reader = {.style = style, .step = step, .error = error};
        snprintf(place, sizeof place, "%s%spaint[%u]", path, *path ? "." : "", style->step_count);
        step->path = arena_copy(&style->arena, place, strlen(place));
        if (!step->path)
            return error_memory(error);
        if (!read_step(&reader, value, count))
            return false;
        style->step_count++;
    }
    return true;
}
