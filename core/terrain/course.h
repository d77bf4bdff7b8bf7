/* The courses of streams on the map: lines of vertices, from upstream to downstream. */
#ifndef TERRANE_TERRAIN_COURSE_H
#define TERRANE_TERRAIN_COURSE_H

#include "core/sampling/network.h"
#include "core/worldfile/world.h"

struct course_vertex {
    struct place place; /* of the network's plane until course_restore(), then of the map */
    float bed;          /* metres */
    float flow;         /* m² of land upstream */
    float at; /* its number among the points of its stream, and the share of the way to the next */
};

/* Vertices of any number of lines, one after the other. A zeroed struct is empty. */
struct course {
    struct course_vertex *vertices; /* owned */
    size_t count, capacity;
};
void course_free(struct course *course);

/* The distance of two places, metres. */
double course_distance(struct place a, struct place b);

/* A vertex on the line between two: at the second if the share is 1. */
struct course_vertex course_between(const struct course_vertex vertices[2], double share);

/* How a line is told, in metres: by vertices at most so far apart, and none but a stream's ends so
 * near the one before, on a course that is laid out like that. */
struct course_detail {
    double apart, near;
    struct curve_detail curve;
};
/* Appends the line of a stream in the network's plane: its points, and vertices between them, but
 * for those that are much nearer to each other than `apart`. False when memory is out. */
bool course_add_stream(struct course *course, const struct drainage_stream *stream,
                       struct course_detail detail);
bool course_add_vertex(struct course *course, struct course_vertex vertex);

/* The map of a world at a level of detail. */
struct course_map {
    struct sampler *sampler;
    const struct world *world;
    double spacing; /* metres between samples */
};
/* Replaces the places of vertices, from `first` on, by those on the map. Errors are those of
 * network_restore(). */
bool course_restore(struct course *course, size_t first, const struct course_map *map,
                    struct error *error);

#endif
