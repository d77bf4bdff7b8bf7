/* Light on the ground: relief shading by Lambert's law. A surface receives light in proportion to
 * the cosine of the angle between its normal and the direction of the light; the lights of a step
 * are added. The sum is compared with the light on level ground, so plains keep their colour. A
 * pixel that gets less turns towards the shadow's colour, one that gets more towards white. */
#include "core/base/lanes.h"
#include "core/tile/style_private.h"

enum { RUN = 256 }; /* pixels at a time */

static float exaggeration_at(const struct curve *curve, float spacing)
{
    uint32_t last = curve->count - 1;
    if (spacing <= curve->at[0])
        return curve->value[0];
    for (uint32_t i = 1; i <= last; i++) {
        float from = curve->at[i - 1], to = curve->at[i];
        if (spacing < to)
            return curve->value[i - 1] +
                   (curve->value[i] - curve->value[i - 1]) * (spacing - from) / (to - from);
    }
    return curve->value[last];
}

/* The light of all lights on the ground, whose normal comes from central differences. */
TERRANE_INLINE void light_run(const struct shade *shade, const float *restrict values,
                              size_t stride, float slope_scale, uint32_t count,
                              float *restrict light)
{
    const float *restrict north = values - stride, *restrict south = values + stride;
    const float *restrict west = values - 1, *restrict next = values + 1;
    float east[RUN], down[RUN], inverse[RUN];
    for (uint32_t i = 0; i < count; i++) {
        east[i] = (west[i] - next[i]) * slope_scale;
        down[i] = (north[i] - south[i]) * slope_scale;
        inverse[i] = 1.0f / __builtin_sqrtf(east[i] * east[i] + down[i] * down[i] + 1.0f);
        light[i] = 0.0f;
    }
    for (uint32_t k = 0; k < shade->light_count; k++) {
        const float to_east = shade->east[k], to_south = shade->south[k], up = shade->up[k];
        for (uint32_t i = 0; i < count; i++) {
            float facing = (to_east * east[i] + to_south * down[i] + up) * inverse[i];
            light[i] += facing < 0.0f ? 0.0f : facing;
        }
    }
}

/* share[i] is the strength of shading at the height values[i]: the contrast curve, summed segment
 * by segment without a branch, times the strength on land or below 0 m. */
TERRANE_INLINE void contrast_run(const struct shade *shade, const float *restrict values,
                                 uint32_t count, float *restrict share)
{
    const struct curve *curve = &shade->contrast;
    const float strength = shade->strength, water = shade->strength * shade->water;
    for (uint32_t i = 0; i < count; i++)
        share[i] = curve->value[0];
    for (uint32_t k = 1; k < curve->count; k++) {
        const float from = curve->at[k - 1], width = curve->at[k] - from;
        const float rise = (curve->value[k] - curve->value[k - 1]) / width;
        for (uint32_t i = 0; i < count; i++)
            share[i] += rise * clamp_to(values[i] - from, 0.0f, width);
    }
    for (uint32_t i = 0; i < count; i++)
        share[i] *= values[i] < 0.0f ? water : strength;
}

/* Blends towards the shadow's colour by dark[i] and towards white by white[i]. */
TERRANE_INLINE void tone_run(const struct paint_row *row, uint32_t start, uint32_t count,
                             struct colour shadow, const float *restrict dark,
                             const float *restrict white)
{
    float *restrict red = row->red + start, *restrict green = row->green + start,
                    *restrict blue = row->blue + start;
    for (uint32_t i = 0; i < count; i++) {
        red[i] += (shadow.red - red[i]) * dark[i] + (255.0f - red[i]) * white[i];
        green[i] += (shadow.green - green[i]) * dark[i] + (255.0f - green[i]) * white[i];
        blue[i] += (shadow.blue - blue[i]) * dark[i] + (255.0f - blue[i]) * white[i];
    }
}

TERRANE_CLONES
void paint_shade(const struct step_row *row, const struct step *step)
{
    const struct shade *shade = &step->shade;
    const struct ground_row *ground = &row->ground;
    const float slope_scale =
        exaggeration_at(&shade->exaggeration, ground->spacing) / (2.0f * ground->spacing);
    const float highlight = shade->highlight, level = 1.0f / shade->level;
    float light[RUN], share[RUN], dark[RUN], white[RUN];
    const struct paint_row *colours = &row->colours;
    for (uint32_t start = 0; start < colours->count; start += RUN) {
        uint32_t count = colours->count - start < RUN ? colours->count - start : RUN;
        const float *restrict weights = row->weight + start;
        light_run(shade, ground->samples + start, ground->stride, slope_scale, count, light);
        contrast_run(shade, ground->samples + start, count, share);
        for (uint32_t i = 0; i < count; i++) {
            float surplus = (light[i] * level - 1.0f) * share[i];
            dark[i] = clamp_unit(-surplus) * weights[i];
            white[i] = clamp_unit(surplus * highlight) * weights[i];
        }
        tone_run(colours, start, count, shade->shadow, dark, white);
    }
}
