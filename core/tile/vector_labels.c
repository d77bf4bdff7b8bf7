/* See vector_labels.h. */
#include "core/tile/vector_labels.h"

#include <math.h>
#include <stdlib.h>

#include "core/labels/label_rivers.h"

void vector_labels_free(struct vector_labels *labels)
{
    summit_list_free(&labels->summits);
    label_list_free(&labels->labels);
    name_line_free(&labels->line);
    free(labels->rivers);
    *labels = (struct vector_labels){0};
}

/* What is written, and where: the layer begins with its first feature. */
struct writer {
    const struct vector_source *source;
    struct sample_grid square;
    struct features *out;
    bool begun;
};

static void begin_feature(struct writer *to, enum feature_geometry geometry, uint64_t id,
                          const char *class)
{
    if (!to->begun)
        features_add_layer(to->out, "labels");
    to->begun = true;
    features_add(to->out, geometry);
    features_set_id(to->out, id);
    features_add_text(to->out, "class", class);
}

static void add_point(const struct writer *to, struct place place)
{
    const int64_t span = to->square.step;
    features_add_path(to->out);
    /* A span is at most 2⁴¹ units of place, so the products fit. */
    features_add_point(to->out, (int32_t)((place.x - to->square.x) * FEATURES_EXTENT / span),
                       (int32_t)((place.y - to->square.y) * FEATURES_EXTENT / span));
}

static void add_name(const struct writer *to, const struct label *label)
{
    features_add_text(to->out, "name", label->name.text);
    features_add_integer(to->out, "rank", label->rank);
}

static void add_peak(struct writer *to, const struct summit *summit,
                     const struct label_list *labels)
{
    begin_feature(to, FEATURE_POINTS, summit->id, "peak");
    features_add_integer(to->out, "ele", llroundf(summit->height));
    for (size_t i = 0; i < labels->count; i++)
        if (label_is_summit(&labels->labels[i]) && labels->labels[i].id == summit->id)
            add_name(to, &labels->labels[i]);
    add_point(to, summit->place);
}

static bool is_river(const struct label *label)
{
    return label->kind == NAME_RIVER || label->kind == NAME_STREAM;
}

static void add_label(struct writer *to, const struct label *label)
{
    if (label_is_summit(label) || is_river(label))
        return;
    begin_feature(to, FEATURE_POINTS, label->id, name_kind_text(label->kind));
    add_name(to, label);
    features_add_number(to->out, "size", label->size);
    if (label->length > 0.0)
        features_add_number(to->out, "angle", round(label_angle(label) * 10.0) / 10.0);
    add_point(to, label->place);
}

/* The zoom whose names a tile has. */
static int names_zoom(const struct vector_source *source)
{
    return source->tile.zoom < LABEL_ZOOM_MAX ? source->tile.zoom + 1 : LABEL_ZOOM_MAX;
}

/* ---- the lines of rivers */

/* Finds the names of the tile's rivers; those without have none of rank 0. */
static bool name_rivers(struct vector_labels *labels, const struct vector_source *source,
                        const struct river_list *list, struct error *error)
{
    const struct label_source from = label_source_of(source->sampler, source->world);
    if (list->count > labels->capacity) {
        free(labels->rivers);
        labels->rivers = malloc(list->count * sizeof *labels->rivers);
        labels->capacity = labels->rivers ? list->count : 0;
    }
    for (size_t i = 0; i < list->count; i++) {
        const struct river *river = &list->rivers[i];
        struct label *label = labels->rivers ? &labels->rivers[i] : NULL;
        struct label_river name;
        if (!label)
            return error_memory(error);
        label->rank = label_river_rank(river->flow);
        if (label->rank > names_zoom(source))
            continue;
        if (!label_river_of(&from, &river->node, river->flow, &name, error))
            return false;
        label->kind = name.kind;
        label->name_id = name.id;
        label->name_place = name.place;
        if (!label_set_name(source->world, label))
            label->rank = LABEL_ZOOM_MAX + 1;
    }
    return true;
}

static bool add_rivers(struct writer *to, struct vector_labels *labels,
                       const struct vector_rivers *rivers)
{
    const struct contours *lines = &rivers->work[2];
    const struct river *last = NULL;
    for (size_t i = 0; i < lines->line_count; i++) {
        const struct contour_line *line = &lines->lines[i];
        const struct river *river = &rivers->list.rivers[line->level];
        const struct label *label = &labels->rivers[line->level];
        if (label->rank > names_zoom(to->source))
            continue;
        if (!last || last->id != river->id) {
            begin_feature(to, FEATURE_LINES, river->id, name_kind_text(label->kind));
            add_name(to, label);
            features_add_number(to->out, "size", (double)river->flow);
        }
        last = river;
        if (!name_line_set(&labels->line, lines->points + line->first, line->count))
            return false;
        features_add_path(to->out);
        for (size_t k = 0; k < labels->line.count; k++)
            features_add_point(to->out, labels->line.points[k].x, labels->line.points[k].y);
    }
    return true;
}

/* ---- all of a tile */

static bool find_labels(struct vector_labels *labels, const struct vector_source *source,
                        const struct sample_grid *square, struct error *error)
{
    const struct labels_search search = {
        .box = {{square->x, square->y}, {square->x + square->step, square->y + square->step}},
        .zoom = names_zoom(source),
        .summits = &labels->summits,
    };
    const struct labels_summits peaks = {search.box, source->tile.zoom, source->time};
    const struct label_source from = label_source_of(source->sampler, source->world);
    return labels_find_summits(&from, &peaks, &labels->summits, error) &&
           labels_find(&from, &search, &labels->labels, error);
}

bool vector_labels_add(struct vector_labels *labels, const struct vector_source *source,
                       const struct vector_rivers *rivers, struct features *out,
                       struct error *error)
{
    struct writer to = {.source = source, .square = tile_square(&source->tile), .out = out};
    const bool has_rivers = source->tile.zoom >= VECTOR_RIVERS_ZOOM && rivers->list.count > 0;
    if (!find_labels(labels, source, &to.square, error) ||
        (has_rivers && !name_rivers(labels, source, &rivers->list, error)))
        return false;
    for (size_t i = 0; i < labels->summits.count; i++)
        add_peak(&to, &labels->summits.summits[i], &labels->labels);
    for (size_t i = 0; i < labels->labels.count; i++)
        add_label(&to, &labels->labels.labels[i]);
    if (has_rivers && !add_rivers(&to, labels, rivers))
        return error_memory(error);
    return !out->failed || error_memory(error);
}
