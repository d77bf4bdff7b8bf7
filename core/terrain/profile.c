/* Distances along the line are doubles of metres; places are rounded to units of 2⁻¹⁶ m one by one,
 * so errors do not add up. The last point is the last corner itself, whatever rounding makes of the
 * sum of segments. */
#include "core/terrain/profile.h"

#include <math.h>

#include "core/terrain/surface.h"

enum { BATCH = 256 }; /* places sampled at once, on the stack */

static double segment_length(struct place a, struct place b)
{
    double east = place_metres(b.x - a.x), south = place_metres(b.y - a.y);
    return sqrt(east * east + south * south);
}

double profile_length(const struct profile_line *line)
{
    double length = 0;
    for (unsigned i = 1; i < line->count; i++)
        length += segment_length(line->corners[i - 1], line->corners[i]);
    return length;
}

/* Walks along the segments; a line has at most PROFILE_CORNERS_MAX. */
struct place profile_place(const struct profile_line *line, double distance)
{
    if (distance <= 0)
        return line->corners[0];
    for (unsigned i = 1; i < line->count; i++) {
        struct place a = line->corners[i - 1], b = line->corners[i];
        double length = segment_length(a, b);
        if (distance < length) {
            double part = distance / length;
            return (struct place){a.x + place_from_metres(place_metres(b.x - a.x) * part),
                                  a.y + place_from_metres(place_metres(b.y - a.y) * part)};
        }
        distance -= length;
    }
    return line->corners[line->count - 1];
}

/* Fills in heights and water levels of BATCH points from `first` on, or of all that are left. */
static bool sample_batch(struct sampler *sampler, const struct world *world,
                         struct profile *profile, uint32_t first, struct error *error)
{
    struct profile_point *points = profile->points + first;
    const uint32_t left = profile->count - first, count = left < BATCH ? left : BATCH;
    struct place places[BATCH];
    float heights[BATCH], water[BATCH] = {0};
    float *outputs[] = {heights, water};
    const int water_layer = surface_water_layer(world);
    const unsigned layers[] = {world_height_layer(world), (unsigned)water_layer};
    const struct sample_points at = {.places = places, .count = count, .spacing = profile->spacing};
    const struct sample_request request = {layers, outputs, water_layer < 0 ? 1 : 2};
    for (uint32_t i = 0; i < count; i++)
        places[i] = points[i].place;
    if (!sampler_points(sampler, world_program(world), &at, &request, error))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        points[i].height = heights[i];
        points[i].water = water[i];
    }
    return true;
}

/* Sums rises and falls between neighbouring points, and finds the lowest and the highest point. */
static void sum_climbs(struct profile *profile)
{
    const struct profile_point *points = profile->points;
    profile->ascent = profile->descent = 0;
    profile->lowest = profile->highest = 0;
    for (uint32_t i = 1; i < profile->count; i++) {
        double rise = (double)points[i].height - (double)points[i - 1].height;
        if (rise > 0)
            profile->ascent += rise;
        else
            profile->descent -= rise;
        if (points[i].height < points[profile->lowest].height)
            profile->lowest = i;
        if (points[i].height > points[profile->highest].height)
            profile->highest = i;
    }
}

bool profile_sample(struct sampler *sampler, const struct world *world, struct profile *profile,
                    struct error *error)
{
    const struct profile_line *line = &profile->line;
    uint32_t last = profile->count - 1;
    profile->length = profile_length(line);
    for (uint32_t i = 0; i <= last; i++) {
        struct profile_point *point = &profile->points[i];
        point->distance = profile->length * i / last;
        point->place =
            i < last ? profile_place(line, point->distance) : line->corners[line->count - 1];
    }
    for (uint32_t first = 0; first <= last; first += BATCH)
        if (!sample_batch(sampler, world, profile, first, error))
            return false;
    sum_climbs(profile);
    return true;
}
