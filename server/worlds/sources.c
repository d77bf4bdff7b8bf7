/* Lists of source files, sorted by name and without duplicates: a file that is added later replaces
 * one of the same name. Insertion keeps the order, so that catalogs are sorted without another
 * pass. Names become parts of URLs, so that only letters, digits, "_" and "-" are allowed; a file
 * with any other name is an error rather than ignored, as its author expects it to be served. */
#include "server/worlds/sources.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/array.h"
#include "server/base/embed.h"
#include "server/base/file.h"
#include "server/worlds/pin.h"
#include "server/worlds/preview_name.h"

void sources_free(struct source_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i].file);
    free(list->items);
    *list = (struct source_list){0};
}

bool source_name_valid(const char *name)
{
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                 "0123456789_-");
    return length > 0 && length <= WORLD_NAME_MAX && name[length] == 0;
}

void source_set_name(struct source *source, const char *path)
{
    char stem[WORLD_NAME_MAX + WORLD_FINGERPRINT_TEXT + 2] = "";
    file_stem(path, stem, sizeof stem);
    char *at = strrchr(stem, '@');
    source->pin[0] = '\0';
    if (at && pin_is_valid(PIN_WORLD, at + 1, strlen(at + 1))) {
        memcpy(source->pin, at + 1, strlen(at + 1) + 1);
        *at = '\0';
    }
    stem[WORLD_NAME_MAX] = '\0';
    memcpy(source->name, stem, sizeof source->name);
}

static int compare_sources(const struct source *a, const struct source *b)
{
    const int names = strcmp(a->name, b->name);
    return names ? names : strcmp(a->pin, b->pin);
}

/* Owns source->file from the call on, in failure too. */
static bool put_source(struct source_list *list, struct source *source, struct error *error)
{
    struct source *items =
        source->file ? array_reserve(list->items, list->count, &list->capacity, sizeof *items)
                     : NULL;
    if (!items) {
        free(source->file);
        return error_memory(error);
    }
    list->items = items;
    size_t at = 0;
    while (at < list->count && compare_sources(&items[at], source) < 0)
        at++;
    if (at < list->count && compare_sources(&items[at], source) == 0) {
        free(items[at].file);
    } else {
        memmove(&items[at + 1], &items[at], (list->count - at) * sizeof *items);
        list->count++;
    }
    items[at] = *source;
    return true;
}

static bool add_embedded(struct source_list *list, const char *prefix, struct error *error)
{
    for (size_t i = 0; i < embedded_file_count; i++) {
        const struct embedded_file *file = &embedded_files[i];
        if (strncmp(file->path, prefix, strlen(prefix)) != 0)
            continue;
        struct source source = {
            .file = strdup(file->path), .data = file->data, .length = file->length};
        source_set_name(&source, file->path);
        if (!put_source(list, &source, error))
            return false;
    }
    return true;
}

/* Names are truncated to fit, so that the length is compared too. */
static bool check_name(const struct source_list *list, const struct source *source,
                       struct error *error)
{
    const char *slash = strrchr(source->file, '/');
    const char *base = slash ? slash + 1 : source->file;
    const size_t pin = source->pin[0] ? strlen(source->pin) + 1 : 0;
    const bool reserved = list->of_worlds && preview_is_name(source->name);
    if (source_name_valid(source->name) && (list->of_worlds || pin == 0) && !reserved &&
        strlen(base) == strlen(source->name) + pin + strlen(".json"))
        return true;
    if (reserved)
        error_set(error, ERROR_VALUE,
                  "the file's name must not begin with \"" PREVIEW_PREFIX
                  "\": such worlds are those of POST /preview");
    else if (list->of_worlds && strchr(base, '@'))
        error_set(error, ERROR_VALUE,
                  "behind \"@\" in the file's name stands the fingerprint of a former version: %s, "
                  "and .json",
                  pin_form(PIN_WORLD));
    else
        error_set(error, ERROR_VALUE,
                  "the file's name must be letters, digits, \"_\" and \"-\", at most %d, and .json",
                  WORLD_NAME_MAX);
    return error_in_file(error, source->file);
}

static bool add_file(struct source_list *list, const char *path, struct error *error)
{
    struct source source = {.file = strdup(path)};
    if (!source.file)
        return error_memory(error);
    source_set_name(&source, path);
    if (check_name(list, &source, error))
        return put_source(list, &source, error);
    free(source.file);
    return false;
}

static bool add_file_of(struct source_list *list, const char *directory, const char *base,
                        struct error *error)
{
    const size_t size = strlen(directory) + strlen(base) + 2;
    char *path = malloc(size);
    if (!path)
        return error_memory(error);
    const char *between = directory[strlen(directory) - 1] == '/' ? "" : "/";
    snprintf(path, size, "%s%s%s", directory, between, base);
    const bool done = add_file(list, path, error);
    free(path);
    return done;
}

static int is_json_file(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return entry->d_name[0] != '.' && length > 5 &&
           strcmp(entry->d_name + length - 5, ".json") == 0;
}

static bool add_directory(struct source_list *list, const char *directory, struct error *error)
{
    struct dirent **entries = NULL;
    int count = *directory ? scandir(directory, &entries, is_json_file, alphasort) : -1;
    if (count < 0) {
        error_set(error, ERROR_IO, "the folder cannot be read: %s",
                  *directory ? strerror(errno) : "its name is empty");
        return error_in_file(error, directory);
    }
    bool done = true;
    for (int i = 0; i < count; i++) {
        done = done && add_file_of(list, directory, entries[i]->d_name, error);
        free(entries[i]);
    }
    free(entries);
    return done;
}

static bool is_file(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

bool sources_collect(struct source_list *list, const char *prefix, const char *const *paths,
                     size_t count, struct error *error)
{
    list->of_worlds = strcmp(prefix, "worlds/") == 0;
    bool done = add_embedded(list, prefix, error);
    for (size_t i = 0; i < count && done; i++)
        done = is_file(paths[i]) ? add_file(list, paths[i], error)
                                 : add_directory(list, paths[i], error);
    return done;
}

bool source_read(const struct source *source, struct buffer *out, struct error *error)
{
    if (!source->data)
        return file_read(source->file, WORLD_BYTES_MAX, out, error);
    buffer_append(out, source->data, source->length);
    return !out->failed || error_memory(error);
}
