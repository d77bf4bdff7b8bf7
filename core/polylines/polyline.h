/* A polyline: straight segments that join vertices of a plane. Open it is a path, closed the border
 * of an area.
 *
 * Vertices are places in units of 2⁻¹⁶ m, x to the east and y to the south, within ±2⁴⁰ m. A tree
 * of boxes over runs of segments finds what is near a place (nearest.h) and what crosses
 * (crossing.h). A polyline is immutable; any number of threads may read it. */
#ifndef TERRANE_POLYLINES_POLYLINE_H
#define TERRANE_POLYLINES_POLYLINE_H

#include "core/base/arena.h"
#include "core/base/int128.h"
#include "core/base/place.h"
#include "core/base/secure_hash.h"

enum {
    POLYLINE_VERTICES_MAX = 100000,
    POLYLINE_RUN = 4, /* segments of a leaf */
    POLYLINE_LEVELS_MAX = 16,
};

/* Units of 2⁻¹⁶ m by axis, inclusive. */
struct polyline_box {
    int64_t low[2], high[2];
};

struct polyline {
    const char *name; /* for people */
    const struct place *vertices;
    uint32_t count; /* of vertices */
    /* Segment i goes from vertex i to vertex i + 1, the last of a closed one to vertex 0. */
    uint32_t segments;
    bool closed;
    const double *starts; /* metres from vertex 0 to the start of each segment, then to the end of
                             the last one */
    double extent;        /* metres across all vertices */
    /* The tree: level 0 has a box for each run of POLYLINE_RUN segments, and each level a box for
     * two of the level below. The last level has one. */
    const struct polyline_box *boxes[POLYLINE_LEVELS_MAX];
    uint32_t levels;
    /* Boxes and segments that the search for the nearest one looks at from near the line, on
     * average: prices are made of it. */
    double usual_visits;
    bool clockwise; /* of a closed one that does not cross itself: as seen on a map */
    uint8_t digest[SECURE_HASH_BYTES]; /* of the vertices and whether it is closed */
};

/* What a polyline is made from. No two vertices that follow each other may be the same place, nor
 * the last and the first of a closed one; an open one has 2 to POLYLINE_VERTICES_MAX vertices, a
 * closed one 3 or more. The vertices must live as long as the polyline. */
struct polyline_source {
    const char *name;
    const struct place *vertices;
    uint32_t count;
    bool closed;
};
/* A polyline in the arena; null when memory is out. */
struct polyline *polyline_new(struct arena *arena, const struct polyline_source *source);

/* The side of the line from a to b that c is on, exactly: 1 on the right as one goes along it, −1
 * on the left, 0 on the line. */
static inline int polyline_side(struct place a, struct place b, struct place c)
{
    const int128 left = int128_multiply(b.x - a.x, c.y - a.y),
                 right = int128_multiply(b.y - a.y, c.x - a.x);
    return int128_less(right, left) - int128_less(left, right);
}

/* The end of a segment. */
static inline struct place polyline_end(const struct polyline *line, uint32_t segment)
{
    return line->vertices[segment + 1 < line->count ? segment + 1 : 0];
}
/* Boxes of a level. */
static inline uint32_t polyline_level_count(const struct polyline *line, uint32_t level)
{
    const uint32_t each = (uint32_t)POLYLINE_RUN << level;
    return (line->segments + each - 1) / each;
}
/* The segments under a box: from *first up to the one before *end. */
static inline void polyline_segments(const struct polyline *line, uint32_t level, uint32_t index,
                                     uint32_t *first, uint32_t *end)
{
    const uint32_t each = (uint32_t)POLYLINE_RUN << level;
    *first = index * each;
    *end = line->segments - *first < each ? line->segments : *first + each;
}

#endif
