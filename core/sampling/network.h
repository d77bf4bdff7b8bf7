/* The drainage network of a world: its streams (core/drainage/walk.h), and how the network's plane
 * lies on the map.
 *
 * The world's warp displaces the map: the land at a place is that of the network where the warp
 * moves the place to. So a stream is drawn on the map where the warp moves to its line. In worlds
 * without a network (world_has_drainage()) none of these functions may be called.
 *
 * The level of detail is `spacing` metres between samples, which leaves out what the warp has that
 * is finer; 0 is full detail. A sampler is one thread's. False with ERROR_MEMORY,
 * or as of sampler_points(), or with ERROR_WORLD where the warp moves a place by more than
 * PROGRAM_WARP_MAX. */
#ifndef TERRANE_SAMPLING_NETWORK_H
#define TERRANE_SAMPLING_NETWORK_H

#include "core/drainage/walk.h"
#include "core/sampling/sampler.h"

/* What the functions below work with. */
struct network_request {
    struct sampler *sampler;
    const struct program *program;
    double spacing; /* level of detail; it matters to beds and the warp alone */
    struct error *error;
};

/* log2 of the width of the coarsest cells in metres. */
unsigned network_spacing_log2(const struct program *program);

/* As drainage_find(), drainage_follow() and drainage_streams(), whose places are the network's. */
bool network_find(const struct network_request *request, struct place place,
                  struct drainage_position *position);
bool network_follow(const struct network_request *request, const struct drainage_position *position,
                    struct drainage_stream *stream);
struct network_rect {
    unsigned level;
    int64_t low[2], high[2]; /* cells by axis, inclusive */
};
bool network_streams(const struct network_request *request, const struct network_rect *rect,
                     bool (*take)(void *context, const struct drainage_stream *stream),
                     void *context);
/* Writes of the streams whose land places of the network's plane are on, as seen at the level of
 * detail: their beds, or the water of lakes above them, and what else samples have of them there.
 */
struct network_beds {
    float *beds, *flows, *orders, *distances; /* of each place; null: not wanted, but `beds` */
};
bool network_beds(const struct network_request *request, const struct place *places, size_t count,
                  const struct network_beds *beds);
/* The identity of the stream that a position is on. */
uint64_t network_stream_id(const struct program *program, const struct drainage_position *position);

/* Writes where the warp moves places of the map to: places of the network. */
bool network_displace(const struct network_request *request, const struct place *places,
                      size_t count, struct place *moved);
/* The inverse: writes places of the map that the warp moves to `moved`, to within
 * NETWORK_RESTORED_TO. Where the warp folds the plane there are several, and one is found, or the
 * nearest place that was looked at. Each place depends on its own alone. */
#define NETWORK_RESTORED_TO 0x1p-6 /* metres, or a 16th of the spacing if that is more */
bool network_restore(const struct network_request *request, const struct place *moved, size_t count,
                     struct place *places);

#endif
