/* Polylines for tests. Include cmocka.h first. */
#ifndef TERRANE_TESTS_LINE_OF_H
#define TERRANE_TESTS_LINE_OF_H

#include <math.h>
#include <stdlib.h>

#include "core/polylines/polyline.h"

/* A polyline in an arena that the caller frees. */
static inline struct polyline *line_of(struct arena *arena, const struct place *vertices,
                                       uint32_t count, bool closed)
{
    const struct polyline_source source = {"test", vertices, count, closed};
    struct polyline *line = polyline_new(arena, &source);
    assert_non_null(line);
    return line;
}

/* A regular polygon about the origin; the radius is in metres. */
static inline struct polyline *circle_line(struct arena *arena, uint32_t count, double radius)
{
    struct place *vertices = arena_allocate(arena, count, sizeof *vertices);
    assert_non_null(vertices);
    for (uint32_t i = 0; i < count; i++) {
        const double angle = 6.283185307179586 * i / count;
        vertices[i] = (struct place){place_from_metres(radius * cos(angle)),
                                     place_from_metres(radius * sin(angle))};
    }
    return line_of(arena, vertices, count, true);
}

#endif
