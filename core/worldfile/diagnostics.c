/* Places are found in the text when an error is added: the path of the error names a value of the
 * document, whose number in the text's order a scan of the text counts to. So readers need not know
 * where in the text they are, and a text without errors costs nothing. */
#include "core/worldfile/diagnostics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The member of an object, or the element of an array, that a path begins with; null if there is
 * none. *length is that of its part of the path. Keys may contain any characters: the longest one
 * that fits is meant. */
static const struct json *find_child(const struct json *container, const char *path, size_t *length)
{
    const struct json *found = NULL;
    char index[16];
    unsigned i = 0;
    *length = 0;
    for (const struct json *child = json_first(container); child; child = json_next(child), i++) {
        snprintf(index, sizeof index, "[%u]", i);
        const char *name = json_key(child) ? json_key(child) : index;
        const size_t fits = strlen(name);
        const bool ends = strncmp(path, name, fits) == 0 && strchr(".[", path[fits]);
        if (ends && fits > *length) { /* strchr() finds the end of the path, too */
            found = child;
            *length = fits;
        }
    }
    return found;
}

/* The value that a path names, or the innermost one around it that is there. */
static const struct json *resolve_path(const struct json *root, const char *path)
{
    const struct json *value = root, *child;
    size_t length;
    while (*path && (child = find_child(value, path, &length))) {
        value = child;
        path += length;
        path += *path == '.';
    }
    return value;
}

static bool is_before(const struct error *a, const struct error *b)
{
    return a->line != b->line ? a->line < b->line : a->column < b->column;
}

/* Errors at the same place stay in the order in which they were found. */
static void insert(struct diagnostics *diagnostics, const struct error *error)
{
    struct error *place = diagnostics->errors + diagnostics->count++;
    for (; place > diagnostics->errors && is_before(error, place - 1); place--)
        *place = place[-1];
    *place = *error;
    error_in_file(place, diagnostics->file);
}

/* Adds an error at the key of a member, or at the place that the error itself names. */
static void add(struct diagnostics *diagnostics, const struct json *member,
                const struct error *error)
{
    struct error placed = *error;
    if (diagnostics->count == DIAGNOSTICS_MAX) {
        diagnostics->more = true;
        return;
    }
    struct json_place place = {.value = member, .at_key = member, .character = error->column};
    if (!member && diagnostics->root)
        place.value = resolve_path(diagnostics->root, error->path);
    if (error->line == 0 && place.value)
        json_locate(diagnostics->root, diagnostics->text, diagnostics->length, &place, &placed);
    insert(diagnostics, &placed);
}

void diagnostics_add(struct diagnostics *diagnostics, const struct error *error)
{
    add(diagnostics, NULL, error);
}

static bool take(struct diagnostics *diagnostics, const struct json *member, struct error *error)
{
    if (!diagnostics || error->code == ERROR_MEMORY)
        return false;
    add(diagnostics, member, error);
    if (diagnostics->more)
        return false;
    *error = (struct error){0};
    return true;
}

bool diagnostics_take(struct diagnostics *diagnostics, bool done, struct error *error)
{
    return done || take(diagnostics, NULL, error);
}

bool diagnostics_take_key(struct diagnostics *diagnostics, const struct json *member, bool done,
                          struct error *error)
{
    return done || take(diagnostics, member, error);
}

bool diagnostics_allow(struct diagnostics *diagnostics, const struct json *object,
                       const struct json_keys *keys, struct error *error)
{
    const struct json *member = json_type(object) == JSON_OBJECT ? json_first(object) : NULL;
    for (; member; member = json_next(member))
        if (!diagnostics_take_key(diagnostics, member, json_allow_key(member, keys, error), error))
            return false;
    return true;
}
