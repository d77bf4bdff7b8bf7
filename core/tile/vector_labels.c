/* See vector_labels.h. */
#include "core/tile/vector_labels.h"

#include <math.h>

#include "core/terrain/contour.h"

static void add_peak(const struct summit *summit, const struct sample_grid *square,
                     struct features *out)
{
    const int64_t span = square->step;
    features_add(out, FEATURE_POINTS);
    features_set_id(out, summit->id);
    features_add_text(out, "class", "peak");
    features_add_integer(out, "ele", llroundf(summit->height));
    features_add_path(out);
    /* A span is at most 2⁴¹ units of place, so the products fit. */
    features_add_point(out, (int32_t)((summit->place.x - square->x) * FEATURES_EXTENT / span),
                       (int32_t)((summit->place.y - square->y) * FEATURES_EXTENT / span));
}

bool vector_labels_add(struct summit_list *list, const struct vector_source *source,
                       struct features *out, struct error *error)
{
    const struct sample_grid square = tile_square(&source->tile);
    float least_rises[TILE_ZOOM_MAX + 1];
    const struct summit_search search = {
        .low = {square.x, square.y},
        .high = {square.x + square.step, square.y + square.step},
        .step = tile_span(VECTOR_LABELS_ZOOM) / VECTOR_LABELS_SIDE,
        .finest = square.step / VECTOR_LABELS_SIDE,
        .least_rises = least_rises,
        .t = source->time,
    };
    if (source->tile.zoom < VECTOR_LABELS_ZOOM)
        return true;
    for (int zoom = VECTOR_LABELS_ZOOM; zoom <= source->tile.zoom; zoom++)
        least_rises[zoom - VECTOR_LABELS_ZOOM] = (float)(contour_interval_of_zoom(zoom) / 2.0);
    if (!summits_find(source->sampler, source->world, &search, list, error))
        return false;
    if (list->count > 0)
        features_add_layer(out, "labels");
    for (size_t i = 0; i < list->count; i++)
        add_peak(&list->summits[i], &square, out);
    return !out->failed || error_memory(error);
}
