/* Lines are cut and simplified as contours are: in a field of so fine a grid that places are exact
 * to a small part of a unit. Only what comes near the tile is in it. */
#include "core/tile/vector_rivers.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/terrain/simplify.h"
#include "core/tile/vector_tile.h"

enum {
    SIDE = 1 << 24, /* of the tile in the field */
    UNIT = SIDE / FEATURES_EXTENT,
};

void vector_rivers_free(struct vector_rivers *rivers)
{
    river_list_free(&rivers->list);
    for (int i = 0; i < 3; i++)
        contours_free(&rivers->work[i]);
    free(rivers->texts);
    *rivers = (struct vector_rivers){0};
}

float vector_rivers_min_flow(int zoom)
{
    const float cell = VECTOR_RIVERS_CELL * (float)tile_spacing(zoom);
    return cell * cell;
}

/* A coordinate in the field, limited to what is far enough from the tile: spans and sides are
 * powers of two. */
static int32_t in_field(int64_t coordinate, int64_t corner, int64_t span)
{
    const int64_t far = 32 * span, from = coordinate - corner;
    const int64_t at = from < -far ? -far : from > far ? far : from;
    return (int32_t)(span >= SIDE ? place_floor_divide(at, span / SIDE) : at * (SIDE / span));
}

/* Adds the lines, with the numbers of rivers as levels; parts of one river follow each other. */
static void add_lines(const struct river_list *list, const struct sample_grid *square,
                      struct contours *out)
{
    contours_clear(out);
    for (size_t i = 0; i < list->count; i++) {
        const struct river *river = &list->rivers[i];
        for (size_t k = 0; k < river->count; k++) {
            const struct place place = list->course.vertices[river->first + k].place;
            contours_add_point(out, in_field(place.x, square->x, square->step),
                               in_field(place.y, square->y, square->step));
        }
        contours_add_line(out, (uint32_t)i, false);
    }
}

static bool reserve_texts(struct vector_rivers *rivers)
{
    if (rivers->list.count <= rivers->capacity)
        return true;
    free(rivers->texts);
    rivers->texts = malloc(rivers->list.count * sizeof *rivers->texts);
    rivers->capacity = rivers->texts ? rivers->list.count : 0;
    return rivers->texts != NULL;
}

static void add_river(const struct vector_rivers *rivers, uint32_t number, struct features *out)
{
    const struct river *river = &rivers->list.rivers[number];
    char(*text)[VECTOR_RIVERS_ID] = rivers->texts[number];
    features_add(out, FEATURE_LINES);
    features_set_id(out, river->id);
    snprintf(text[0], VECTOR_RIVERS_ID, "%llu", (unsigned long long)river->id);
    features_add_text(out, "id", text[0]);
    if (river->end == DRAINAGE_JOINS) {
        snprintf(text[1], VECTOR_RIVERS_ID, "%llu", (unsigned long long)river->downstream);
        features_add_text(out, "downstream", text[1]);
    }
    features_add_number(out, "flow", (double)river->flow);
    features_add_number(out, "width", (double)river->width);
    features_add_integer(out, "order", river->order);
}

static void add_features(const struct vector_rivers *rivers, const struct contours *lines,
                         struct features *out)
{
    uint64_t last = 0;
    if (lines->line_count > 0)
        features_add_layer(out, "rivers");
    for (size_t i = 0; i < lines->line_count; i++) {
        const struct contour_line *line = &lines->lines[i];
        const uint64_t id = rivers->list.rivers[line->level].id;
        if (i == 0 || id != last)
            add_river(rivers, line->level, out);
        last = id;
        features_add_path(out);
        for (size_t k = 0; k < line->count; k++)
            features_add_point(out, lines->points[line->first + k].x,
                               lines->points[line->first + k].y);
    }
}

bool vector_rivers_add(struct vector_rivers *rivers, const struct vector_source *source,
                       struct features *out, struct error *error)
{
    static const struct contour_box box = {-UNIT * VECTOR_TILE_BUFFER, -UNIT * VECTOR_TILE_BUFFER,
                                           SIDE + UNIT * VECTOR_TILE_BUFFER,
                                           SIDE + UNIT * VECTOR_TILE_BUFFER};
    static const struct simplify_tile units = {
        0, 0, SIDE, FEATURES_EXTENT, VECTOR_TILE_TOLERANCE, false};
    const struct sample_grid square = tile_square(&source->tile);
    const int64_t buffer = square.step / (FEATURES_EXTENT / VECTOR_TILE_BUFFER);
    const struct river_search search = {
        .low = {square.x - buffer, square.y - buffer},
        .high = {square.x + square.step + buffer, square.y + square.step + buffer},
        .min_flow = vector_rivers_min_flow(source->tile.zoom),
        .apart = VECTOR_RIVERS_APART * tile_spacing(source->tile.zoom),
        .spacing = tile_spacing(source->tile.zoom),
        .parts = true,
        .limit = SIZE_MAX,
    };
    struct contours *work = rivers->work;
    rivers->list.count = 0;
    rivers->list.course.count = 0;
    if (source->tile.zoom < VECTOR_RIVERS_ZOOM)
        return true;
    if (!rivers_find(source->sampler, source->world, &search, &rivers->list, error))
        return false;
    if (!reserve_texts(rivers))
        return error_memory(error);
    add_lines(&rivers->list, &square, &work[0]);
    if (work[0].failed)
        return error_memory(error);
    if (!contour_clip(&work[0], &box, &work[1], error) ||
        !simplify_contours(&work[1], &units, &work[2], error))
        return false;
    add_features(rivers, &work[2], out);
    return !out->failed || error_memory(error);
}
