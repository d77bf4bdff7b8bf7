/* Reads the members "paths" and "areas" of a world file: arrays of places by name.
 *
 * Coordinates are read from their digits, so they are exact to 2⁻¹⁶ m anywhere. The vertices of all
 * of them together are limited, and whether an area crosses itself is found within a limited number
 * of comparisons (core/polylines/crossing.h), so a hostile file cannot take long. */
#include "core/polylines/crossing.h"

#include <stdio.h>
#include <string.h>

#include "core/base/place.h"
#include "core/worldfile/reader.h"

enum {
    PAIRS_OF_STEP = 4, /* pairs of segments that are compared in a step of work */
    VERTEX_VALUES = 3, /* JSON values of a vertex: an array of two numbers */
};

/* A kind of polylines, by its member of the file. */
struct kind {
    const char *key;
    uint32_t least; /* vertices */
    bool closed;
};

/* One coordinate of a vertex. */
static bool read_coordinate(const struct reader *reader, const struct json *value,
                            int64_t *coordinate)
{
    const char *text = json_text(value);
    struct error error = {0};
    if (json_type(value) == JSON_NUMBER && place_parse(text, strlen(text), coordinate, &error))
        return true;
    if (json_type(value) != JSON_NUMBER)
        return reader_fail(
            reader, "", "must be [x, y], two numbers of metres to the east and south, not with %s",
            json_type_name(json_type(value)));
    return reader_fail(reader, "", "%s", error.message);
}

static bool read_vertex(const struct reader *reader, struct place *place)
{
    const struct json *x = json_first(reader->value), *y = json_next(x);
    if (json_type(reader->value) != JSON_ARRAY || json_count(reader->value) != 2)
        return reader_fail(reader, "",
                           "must be [x, y], two numbers of metres to the east and south");
    return read_coordinate(reader, x, &place->x) && read_coordinate(reader, y, &place->y);
}

static bool is_same(struct place a, struct place b)
{
    return a.x == b.x && a.y == b.y;
}

/* Reads all vertices. */
static bool read_vertices(const struct reader *reader, const struct kind *kind,
                          struct place *vertices)
{
    uint32_t count = 0;
    for (const struct json *v = json_first(reader->value); v; v = json_next(v), count++) {
        char path[sizeof reader->error->path];
        snprintf(path, sizeof path, "%s[%u]", reader->path, count);
        const struct reader vertex = {reader->world, v, path, reader->error};
        if (!read_vertex(&vertex, &vertices[count]))
            return false;
        if (count > 0 && is_same(vertices[count], vertices[count - 1]))
            return reader_fail(&vertex, "", "is the same place as the vertex before it");
        if (kind->closed && !json_next(v) && is_same(vertices[count], vertices[0]))
            return reader_fail(&vertex, "",
                               "is the same place as the first vertex; an area closes by itself");
    }
    return true;
}

/* False with an error, which names two sides by their vertices, if the border of an area crosses or
 * touches itself. */
static bool check_border(const struct reader *reader, const struct polyline *line)
{
    uint32_t sides[2];
    uint64_t pairs = 0;
    const enum polyline_crossing crossing = polyline_find_crossing(line, sides, &pairs);
    reader->world->read_work += pairs / PAIRS_OF_STEP;
    if (crossing == POLYLINE_TANGLED)
        return reader_fail(reader, "",
                           "is too tangled to be checked: so many of its %u sides lie beside each "
                           "other that more than %d pairs a side would have to be compared",
                           line->segments, POLYLINE_PAIRS_MAX);
    return crossing == POLYLINE_SIMPLE ||
           reader_fail(reader, "",
                       "crosses or touches itself: the side from [%u] to [%u] meets that from [%u] "
                       "to [%u]",
                       sides[0], (sides[0] + 1) % line->count, sides[1],
                       (sides[1] + 1) % line->count);
}

static bool check_count(const struct reader *reader, const struct kind *kind)
{
    struct world *world = reader->world;
    const size_t count = json_count(reader->value);
    if (count < kind->least)
        return reader_fail(reader, "", "has %zu vertices; %s has %u or more", count,
                           kind->closed ? "an area" : "a path", kind->least);
    if (count > POLYLINE_VERTICES_MAX - world->vertex_count) {
        error_set(reader->error, ERROR_LIMIT,
                  "has %zu vertices, and what comes before it %u; at most %d are allowed in all "
                  "paths and areas together",
                  count, world->vertex_count, POLYLINE_VERTICES_MAX);
        return error_in_path(reader->error, "%s", reader->path);
    }
    world->vertex_count += (uint32_t)count;
    world->read_work += count * VERTEX_VALUES * WORK_VALUE;
    return true;
}

static bool read_polyline(const struct reader *reader, const struct kind *kind,
                          struct compile_polyline *polyline)
{
    struct arena *arena = &reader->world->arena;
    if (!reader_expect(reader, "", reader->value, JSON_ARRAY) || !check_count(reader, kind))
        return false;
    const uint32_t count = (uint32_t)json_count(reader->value);
    struct place *vertices = arena_allocate(arena, count, sizeof *vertices);
    if (!vertices)
        return error_memory(reader->error);
    if (!read_vertices(reader, kind, vertices))
        return false;
    const struct polyline_source source = {polyline->name, vertices, count, kind->closed};
    const struct polyline *line = polyline_new(arena, &source);
    if (!line)
        return error_memory(reader->error);
    if (kind->closed && !check_border(reader, line))
        return false;
    polyline->line = line;
    return true;
}

static bool read_named(const struct reader *root, const struct kind *kind,
                       const struct json *member, struct compile_polyline *polyline)
{
    const struct reader reader = {root->world, member,
                                  reader_join_path(root, kind->key, json_key(member)), root->error};
    polyline->name = json_key(member);
    if (!reader.path)
        return error_memory(root->error);
    const bool named = reader_check_word(root, kind->key, polyline->name);
    return diagnostics_take_key(root->world->diagnostics, member, named, root->error) &&
           reader_take(root, read_polyline(&reader, kind, polyline));
}

/* Reads all polylines of a kind into a table of its own. */
static bool read_kind(const struct reader *root, const struct kind *kind,
                      struct compile_polyline **table, uint32_t *count)
{
    if (!json_member(root->value, kind->key))
        return true;
    const struct json *list = reader_list(root, kind->key, JSON_OBJECT, COMPILE_POLYLINES_MAX);
    if (!list)
        return false;
    *table = arena_allocate(&root->world->arena, json_count(list), sizeof **table);
    if (!*table)
        return error_memory(root->error);
    for (const struct json *member = json_first(list); member; member = json_next(member))
        if (!read_named(root, kind, member, &(*table)[(*count)++]))
            return false;
    return true;
}

bool reader_polylines(const struct reader *root)
{
    static const struct kind paths = {"paths", 2, false}, areas = {"areas", 3, true};
    struct world *world = root->world;
    return reader_take(root, read_kind(root, &paths, &world->paths, &world->path_count)) &&
           reader_take(root, read_kind(root, &areas, &world->areas, &world->area_count));
}
