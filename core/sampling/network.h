/* The drainage network of a world: its streams (core/drainage/walk.h), and how the network's plane
 * lies on the map.
 *
 * The world's warp displaces the map: the land at a place is that of the network where the warp
 * moves the place to. So a stream is drawn on the map where the warp moves to its line. In worlds
 * without a network (world_has_drainage()) none of these functions may be called.
 *
 * All is at full detail unless a level of detail is given: `spacing` metres between samples, which
 * leaves out what the warp has that is finer. A sampler is one thread's. False with ERROR_MEMORY,
 * or as of sampler_points(), or with ERROR_WORLD where the warp moves a place by more than
 * PROGRAM_WARP_MAX. */
#ifndef TERRANE_SAMPLING_NETWORK_H
#define TERRANE_SAMPLING_NETWORK_H

#include "core/drainage/walk.h"
#include "core/sampling/sampler.h"

/* log2 of the width of the coarsest cells in metres. */
unsigned network_spacing_log2(const struct program *program);

/* As drainage_find(), drainage_follow() and drainage_streams(), whose places are the network's. */
bool network_find(struct sampler *sampler, const struct program *program, struct place place,
                  struct drainage_position *position, struct error *error);
bool network_follow(struct sampler *sampler, const struct program *program,
                    const struct drainage_position *position, struct drainage_stream *stream,
                    struct error *error);
struct network_rect {
    unsigned level;
    int64_t low[2], high[2]; /* cells by axis, inclusive */
};
bool network_streams(struct sampler *sampler, const struct program *program,
                     const struct network_rect *rect,
                     bool (*take)(void *context, const struct drainage_stream *stream),
                     void *context, struct error *error);
/* Writes the beds of the streams whose land places of the network's plane are on, or the water of
 * lakes above them, as seen at a level of detail, metres. */
bool network_beds(struct sampler *sampler, const struct program *program, double spacing,
                  const struct place *places, size_t count, float *beds, struct error *error);
/* The identity of the stream that a position is on. */
uint64_t network_stream_id(const struct program *program, const struct drainage_position *position);

/* Writes where the warp moves places of the map to: places of the network. */
bool network_displace(struct sampler *sampler, const struct program *program, double spacing,
                      const struct place *places, size_t count, struct place *moved,
                      struct error *error);
/* The inverse: writes places of the map that the warp moves to `moved`, to within
 * NETWORK_RESTORED_TO. Where the warp folds the plane there are several, and one is found, or the
 * nearest place that was looked at. Each place depends on its own alone. */
#define NETWORK_RESTORED_TO 0x1p-6 /* metres, or a 16th of the spacing if that is more */
bool network_restore(struct sampler *sampler, const struct program *program, double spacing,
                     const struct place *moved, size_t count, struct place *places,
                     struct error *error);

#endif
