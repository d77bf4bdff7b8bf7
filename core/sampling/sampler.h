/* Sampling a program: a grid or a list of points, of one or several layers at once, by the numbers
 * that the program's values have (the layers of a world: core/worldfile/world.h).
 *
 * A sampler is the scratch memory of one thread at a time; it serves any program. After the first
 * calls of a size it allocates nothing. With coarse() it keeps nodes, in 4 MB (node_store.h); with
 * drainage() streams and land of the network (sampler_set_cache()).
 * Layers requested together share their common operations. A point and a grid sample at the same
 * place and spacing have the same bits. */
#ifndef TERRANE_SAMPLING_SAMPLER_H
#define TERRANE_SAMPLING_SAMPLER_H

#include "core/base/work_meter.h"
#include "core/program/program.h"
#include "core/sampling/sample_request.h"

struct sampler;
struct drainage_cache; /* core/drainage/store/cache_share.h */

struct sampler *sampler_new(void); /* null when memory is out */
void sampler_free(struct sampler *sampler);
/* Sets the cache for streams and land of drainage networks, which several samplers may share, each
 * in its own thread; null: one of its own, of SAMPLER_MEMORY_DEFAULT bytes. */
enum { SAMPLER_MEMORY_DEFAULT = 8 << 20 };
void sampler_set_cache(struct sampler *sampler, struct drainage_cache *cache);
/* The cache that the sampler uses, for what else is made of samples; null when memory is out. */
struct drainage_cache *sampler_cache(struct sampler *sampler);
/* Limits the work of all calls from now on together; unlimited at first. What is kept from earlier
 * calls costs little. A call that goes beyond fails with ERROR_WORK or ERROR_CANCELLED, as do all
 * later ones until the limit is set again: at the end of a band at the latest, or of a block of
 * streams. What it had made by then is complete, and is kept. */
void sampler_set_limit(struct sampler *sampler, const struct work_limit *limit);
/* The work since then, and whether it was too much. */
const struct work_meter *sampler_meter(const struct sampler *sampler);

/* False when memory is out, beyond the limit of work, or when a sample lies beyond ±2⁴⁰ m by more
 * than 2²⁵ m and more than two steps (the slack lets a picture at the edge have its apron). */
bool sampler_grid(struct sampler *sampler, const struct program *program,
                  const struct sample_grid *grid, const struct sample_request *request,
                  struct error *error);

/* The same in bands of rows, for callers that use a band at once and keep little of it. The outputs
 * have room for sampler_band_rows() rows, and each band replaces the one before. A grid has at most
 * SAMPLER_COLUMNS_MAX columns. All arguments must live until the last band, and the sampler must
 * not be used for anything else before. */
enum { SAMPLER_COLUMNS_MAX = NOISE_ROW_MAX };
uint32_t sampler_band_rows(const struct program *program, uint32_t columns);
bool sampler_begin_bands(struct sampler *sampler, const struct program *program,
                         const struct sample_grid *grid, const struct sample_request *request,
                         struct error *error);
/* Samples the next rows, from north to south; returns their number, 0 after the last one or when it
 * has failed. */
uint32_t sampler_next_band(struct sampler *sampler);
/* After the last band; false if memory was out, or the limit of work was reached, in one of them.
 */
bool sampler_end_bands(const struct sampler *sampler, struct error *error);

bool sampler_points(struct sampler *sampler, const struct program *program,
                    const struct sample_points *points, const struct sample_request *request,
                    struct error *error);

#endif
