/* The step of materials: each pixel has the mean of their colours by their weights. The weights are
 * not rounded to shares before, so that colours change without steps. */
#include "core/base/lanes.h"
#include "core/tile/style_private.h"

enum { RUN = 256 }; /* pixels at a time, which the cache holds */

/* Sums of the weights, and of the colours times the weights. */
struct sums {
    float weight[RUN], red[RUN], green[RUN], blue[RUN];
};

TERRANE_INLINE void add_material(struct sums *sums, uint32_t count, struct colour colour,
                                 const float *restrict weights)
{
    for (uint32_t i = 0; i < count; i++) {
        const float weight = clamp_to(weights[i], 0.0f, 1e30f); /* so that no sum is infinite */
        sums->weight[i] += weight;
        sums->red[i] += weight * colour.red;
        sums->green[i] += weight * colour.green;
        sums->blue[i] += weight * colour.blue;
    }
}

/* Where nothing has a weight, the first material covers the ground, as in its shares. */
TERRANE_INLINE void blend_means(const struct paint_row *row, uint32_t start, uint32_t count,
                                const struct sums *sums, struct colour first,
                                const float *restrict opacity)
{
    float *restrict red = row->red + start, *restrict green = row->green + start,
                    *restrict blue = row->blue + start;
    for (uint32_t i = 0; i < count; i++) {
        const bool any = sums->weight[i] > 0.0f;
        const float whole = any ? sums->weight[i] : 1.0f;
        red[i] += ((any ? sums->red[i] : first.red) / whole - red[i]) * opacity[i];
        green[i] += ((any ? sums->green[i] : first.green) / whole - green[i]) * opacity[i];
        blue[i] += ((any ? sums->blue[i] : first.blue) / whole - blue[i]) * opacity[i];
    }
}

TERRANE_CLONES
void paint_materials(const struct step_row *row, const struct step *step)
{
    const struct painter *painter = row->painter;
    const struct paint_row *colours = &row->colours;
    (void)step;
    for (uint32_t start = 0; start < colours->count; start += RUN) {
        const uint32_t count = colours->count - start < RUN ? colours->count - start : RUN;
        const float *weights = row->ground.samples + start;
        struct sums sums = {0};
        for (uint32_t k = 0; k < painter->material_count; k++, weights += row->layer_samples)
            add_material(&sums, count, painter->materials[k], weights);
        blend_means(colours, start, count, &sums, painter->materials[0], row->weight + start);
    }
}
