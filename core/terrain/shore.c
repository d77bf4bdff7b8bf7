/* The layer is taken for straight between two vertices. */
#include "core/terrain/shore.h"

enum { BATCH = 256 }; /* places at once, on the stack */

static int coast_layer(const struct world *world)
{
    return world_find_layer(world, "coast");
}

bool shore_exists(const struct world *world)
{
    return world_has_drainage(world) && coast_layer(world) >= 0;
}

unsigned shore_layer(const struct world *world)
{
    return (unsigned)coast_layer(world);
}

bool shore_sample(const struct course *course, size_t first, const struct course_map *map,
                  float *values, struct error *error)
{
    const unsigned layer = shore_layer(map->world);
    struct place places[BATCH];
    for (size_t some; first < course->count; first += some, values += some) {
        some = course->count - first < BATCH ? course->count - first : BATCH;
        for (size_t i = 0; i < some; i++)
            places[i] = course->vertices[first + i].place;
        const struct sample_points points = {places, some, map->spacing, 0, 0};
        const struct sample_request request = {&layer, &values, 1};
        if (!sampler_points(map->sampler, world_program(map->world), &points, &request, error))
            return false;
    }
    return true;
}

struct course_vertex shore_between(const struct course_vertex vertices[2], const float values[2])
{
    const double land = (double)values[0], sea = (double)values[1];
    return course_between(vertices, land / (land - sea));
}
