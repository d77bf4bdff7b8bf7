/* Steps that follow the shape of the ground: slopes, the depth of water, contour lines.
 *
 * Slopes are central differences over two pixels, for which the samples have an apron; neighbouring
 * tiles therefore compute the same slopes at their common edge. A contour line and a water's edge
 * are not traced: a pixel's distance from the line is |h − level| / |∇h|, to first order, and the
 * line covers the pixel by that distance. So lines are antialiased and have the same width
 * everywhere.
 *
 * The loops work on RUN pixels at a time, which the compiler vectorises and the cache holds. */
#include <float.h>
#include <stddef.h>

#include "core/base/lanes.h"
#include "core/tile/style_private.h"

enum {
    RUN = 256,     /* pixels at a time */
    EDGE_RUN = 64, /* that are tested together for an edge of water */
};

/* The rise of the ground in a step of 1 / (2 · scale) pixels, in the steepest direction. */
TERRANE_INLINE void rise_run(const float *restrict samples, size_t stride, float scale,
                             uint32_t count, float *restrict rise)
{
    const float *restrict north = samples - stride, *restrict south = samples + stride;
    const float *restrict west = samples - 1, *restrict next = samples + 1;
    for (uint32_t i = 0; i < count; i++) {
        float east = (next[i] - west[i]) * scale, down = (south[i] - north[i]) * scale;
        rise[i] = __builtin_sqrtf(east * east + down * down);
    }
}

/* The arc tangent in degrees: Abramowitz and Stegun 4.4.49 for tangents up to 1, good to 2e-8
 * before rounding; for larger ones 90° less the angle of 1 / tangent. */
TERRANE_INLINE float degrees_of(float tangent)
{
    const bool steep = tangent > 1.0f;
    float x = (steep ? 1.0f : tangent) / (steep ? tangent : 1.0f), q = x * x;
    float odd = 0.0028662257f;
    odd = odd * q - 0.0161657367f;
    odd = odd * q + 0.0429096138f;
    odd = odd * q - 0.0752896400f;
    odd = odd * q + 0.1065626393f;
    odd = odd * q - 0.1420889944f;
    odd = odd * q + 0.1999355085f;
    odd = odd * q - 0.3333314528f;
    float degrees = x * (odd * q + 1.0f) * 57.29577951f;
    return steep ? 90.0f - degrees : degrees;
}

TERRANE_CLONES
void ground_slope(uint32_t count, const struct ground_row *ground, float *restrict degrees)
{
    const float scale = 0.5f / ground->spacing;
    for (uint32_t start = 0; start < count; start += RUN) {
        uint32_t length = count - start < RUN ? count - start : RUN;
        float *restrict out = degrees + start;
        float rise[RUN];
        rise_run(ground->samples + start, ground->stride, scale, length, rise);
        for (uint32_t i = 0; i < length; i++)
            out[i] = degrees_of(clamp_to(rise[i], 0.0f, 1e9f));
    }
}

/* Without a surface of its own, the water stands at 0. */
TERRANE_INLINE float depth_at(bool has_surface, const float *surface, const float *ground,
                              ptrdiff_t i)
{
    return (has_surface ? surface[i] : 0.0f) - ground[i];
}

/* Part of a row of depths, and the squares of their rises in a pixel: 0 where the four neighbours
 * are as wet or as dry as the pixel. There no edge passes, though the floor of a valley beside
 * steep sides may lie nearly as low as the water, and is a narrow strip that would look wet. */
TERRANE_INLINE void depth_run(bool has_surface, const float *restrict surface,
                              const float *restrict ground, ptrdiff_t stride, uint32_t count,
                              float *restrict depth, float *restrict square)
{
    for (ptrdiff_t i = 0; i < (ptrdiff_t)count; i++) {
        const float east = depth_at(has_surface, surface, ground, i + 1);
        const float west = depth_at(has_surface, surface, ground, i - 1);
        const float south = depth_at(has_surface, surface, ground, i + stride);
        const float north = depth_at(has_surface, surface, ground, i - stride);
        const float own = depth_at(has_surface, surface, ground, i);
        const float most = max_float(max_float(east, west), max_float(south, north));
        const float least = min_float(min_float(east, west), min_float(south, north));
        const float across = (east - west) * 0.5f, down = (south - north) * 0.5f;
        const bool edge = (own > 0.0f ? least : -most) < 0.0f;
        depth[i] = own;
        square[i] = edge ? across * across + down * down : 0.0f;
    }
}

/* True if the water's edge may pass through a pixel of the run: not if each is deeper or higher
 * than the surface rises in a pixel, of which `square` is the square. */
TERRANE_INLINE bool has_edge(const float *restrict depth, const float *restrict square,
                             uint32_t count)
{
    uint32_t clear = 1;
    for (uint32_t i = 0; i < count; i++)
        clear &= (depth[i] * depth[i] >= square[i]) & (square[i] <= FLT_MAX);
    return !clear;
}

/* The water's edge passes a pixel's centre at a distance of depth / slope pixels, which gives the
 * part of the pixel that is under water. */
TERRANE_INLINE void cover_run(const float *restrict depth, const float *restrict square,
                              uint32_t count, float *restrict weight)
{
    if (has_edge(depth, square, count)) {
        for (uint32_t i = 0; i < count; i++)
            weight[i] *= clamp_unit(depth[i] / __builtin_sqrtf(square[i]) + 0.5f);
    } else {
        for (uint32_t i = 0; i < count; i++)
            weight[i] = depth[i] > 0.0f ? weight[i] : 0.0f;
    }
}

TERRANE_CLONES
void ground_depth(uint32_t count, const struct ground_row *ground, const struct ground_row *surface,
                  float *restrict depth, float *restrict weight)
{
    float square[EDGE_RUN];
    const ptrdiff_t stride = (ptrdiff_t)ground->stride;
    for (uint32_t start = 0; start < count; start += EDGE_RUN) {
        const uint32_t length = count - start < EDGE_RUN ? count - start : EDGE_RUN;
        const float *samples = ground->samples + start;
        if (surface->samples)
            depth_run(true, surface->samples + start, samples, stride, length, depth + start,
                      square);
        else
            depth_run(false, NULL, samples, stride, length, depth + start, square);
        cover_run(depth + start, square, length, weight + start);
    }
}

/* Lines at every multiple of an interval. */
struct line_family {
    float interval, width;
    struct colour above, below; /* 0 */
};

/* Lines fade in while their distance grows from FADE_GONE to FADE_FULL pixels. */
#define FADE_GONE 2.0f
#define FADE_FULL 4.0f

/* A line covers the part of a pixel's width that overlaps its own. Its distance is |h − level| /
 * |∇h|, and `slope_run` is 1 / |∇h|. Level ground has no lines. */
TERRANE_INLINE void paint_lines(const struct paint_row *row, uint32_t start, uint32_t count,
                                const struct line_family *lines, const float *restrict heights,
                                const float *restrict slope_run, const float *restrict weight)
{
    float *restrict red = row->red + start, *restrict green = row->green + start,
                    *restrict blue = row->blue + start;
    const float interval = lines->interval, inverse = 1.0f / interval;
    const float reach = 0.5f * lines->width + 0.5f,
                most = lines->width < 1.0f ? lines->width : 1.0f;
    const struct colour above = lines->above, below = lines->below;
    for (uint32_t i = 0; i < count; i++) {
        float level = __builtin_floorf(heights[i] * inverse + 0.5f) * interval;
        float height_difference = heights[i] - level,
              distance = (height_difference < 0.0f ? -height_difference : height_difference) *
                         slope_run[i];
        float line_distance = interval * slope_run[i];
        float coverage = clamp_to(reach - distance, 0.0f, most) * weight[i] *
                         clamp_unit((line_distance - FADE_GONE) / (FADE_FULL - FADE_GONE));
        red[i] += ((level < 0.0f ? below.red : above.red) - red[i]) * coverage;
        green[i] += ((level < 0.0f ? below.green : above.green) - green[i]) * coverage;
        blue[i] += ((level < 0.0f ? below.blue : above.blue) - blue[i]) * coverage;
    }
}

/* The value of the last point whose metres a pixel are reached, or of the first point. */
static float interval_at(const struct curve *intervals, float spacing)
{
    uint32_t i = 0;
    while (i + 1 < intervals->count && spacing >= intervals->at[i + 1])
        i++;
    return intervals->value[i];
}

TERRANE_CLONES
void paint_contour(const struct step_row *row, const struct step *step)
{
    const struct contour *contour = &step->contour;
    const struct ground_row *ground = &row->ground;
    const struct paint_row *colours = &row->colours;
    const float *weight = row->weight;
    const float interval = interval_at(&contour->intervals, ground->spacing);
    const struct line_family lines = {interval, contour->width, contour->colour,
                                      contour->water_colour};
    const struct line_family index = {interval * contour->index, contour->index_width,
                                      contour->index_colour, contour->water_index_colour};
    float slope_run[RUN];
    for (uint32_t start = 0; start < colours->count; start += RUN) {
        uint32_t count = colours->count - start < RUN ? colours->count - start : RUN;
        const float *heights = ground->samples + start;
        rise_run(heights, ground->stride, 0.5f, count, slope_run);
        for (uint32_t i = 0; i < count; i++)
            slope_run[i] = 1.0f / slope_run[i];
        paint_lines(colours, start, count, &lines, heights, slope_run, weight + start);
        if (contour->index > 0.0f)
            paint_lines(colours, start, count, &index, heights, slope_run, weight + start);
    }
}

TERRANE_CLONES
void ground_or_water(uint32_t count, const struct ground_row *ground,
                     const struct ground_row *surface, float *heights)
{
    const float *restrict samples = ground->samples, *restrict water = surface->samples;
    for (uint32_t i = 0; i < count; i++)
        heights[i] = clamp_to(samples[i], water ? water[i] : 0.0f, FLT_MAX);
}
