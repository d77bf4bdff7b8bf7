/* Samples of a network are cheap where many of them lie on the same land, and a list may have those
 * of many players mixed. So it is sampled in Z-order, and the samples are put back into the order
 * of the list: a stretch of it at a time, which bounds the memory. */
#include "core/sampling/ordered_points.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/place_order.h"

enum {
    STRETCH = 16384, /* places */
    ORDER_BITS = 16, /* of coordinates: places that are nearer than 2^-16 of the extent may mix */
    UNORDERED = 32,  /* places: so few are not worth it */
};

void ordered_points_free(struct ordered_points *order)
{
    free(order->keys);
    free(order->places);
    free(order->samples);
}

static bool reserve(struct ordered_points *order, size_t count)
{
    if (count <= order->capacity)
        return true;
    ordered_points_free(order);
    order->keys = malloc(2 * count * sizeof *order->keys);
    order->places = malloc(count * sizeof *order->places);
    order->samples = malloc(count * sizeof *order->samples);
    order->capacity = order->keys && order->places && order->samples ? count : 0;
    return order->capacity > 0;
}

/* Moves samples from the order in which they were taken to that of the list. */
static void put_back(const struct place_key *keys, size_t count, float *spare, float *samples)
{
    memcpy(spare, samples, count * sizeof *samples);
    for (size_t i = 0; i < count; i++)
        samples[keys[i].index] = spare[i];
}

static bool sample_stretch(struct ordered_points *order, struct sampler *sampler,
                           const struct program *program, const struct sample_points *points,
                           const struct sampler_operations *wanted)
{
    const size_t count = points->count;
    const struct place_key *keys = place_order_find(points->places, count, ORDER_BITS, order->keys);
    if (!keys)
        return sampler_nested_points(sampler, program, points, wanted);
    struct sample_points ordered = *points;
    ordered.places = order->places;
    for (size_t i = 0; i < count; i++)
        order->places[i] = points->places[keys[i].index];
    if (!sampler_nested_points(sampler, program, &ordered, wanted))
        return false;
    for (unsigned i = 0; i < wanted->count; i++)
        put_back(keys, count, order->samples, wanted->outputs[i]);
    return true;
}

bool ordered_points_sample(struct ordered_points *order, struct sampler *sampler,
                           const struct program *program, const struct sample_points *points,
                           const struct sampler_operations *wanted)
{
    float *outputs[SAMPLER_LAYERS_MAX];
    const struct sampler_operations some = {wanted->operations, outputs, wanted->count};
    if (points->count <= UNORDERED)
        return sampler_nested_points(sampler, program, points, wanted);
    for (size_t first = 0; first < points->count; first += STRETCH) {
        struct sample_points stretch = *points;
        stretch.places += first;
        stretch.count = points->count - first < STRETCH ? points->count - first : STRETCH;
        for (unsigned i = 0; i < wanted->count; i++)
            outputs[i] = wanted->outputs[i] + first;
        if (!reserve(order, stretch.count) ||
            !sample_stretch(order, sampler, program, &stretch, &some))
            return false;
    }
    return true;
}
