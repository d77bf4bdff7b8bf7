/* The public interface over the internal one. It checks every argument that the internal functions
 * take for granted (indices, ranges, finite numbers), converts structs, and passes on errors.
 *
 * Opaque types are the internal structs under another name, so a pointer is cast and nothing is
 * copied. Public structs are copied member by member, so the internal ones may change without a new
 * version of the interface; errors are copied as a whole, as long as both are laid out alike.
 * Places are converted in chunks on the stack, which keeps the promise that sampling allocates
 * nothing. */
#include "core/terrane.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/sampling/sampler.h"
#include "core/worldfile/materials.h"
#include "core/worldfile/world.h"

enum {
    LAYERS_MAX = WORLD_SAMPLED_MAX,
    CHUNK_PLACES = 1024, /* places converted at a time, on the stack: 16 KB */
    CHUNK_SAMPLES =
        1024, /* samples of a digest converted at a time; whole blocks of hash_blocks() */
};
#define STEP_MAX (2 * PLACE_LIMIT)
#define Z_T_MAX 0x1p40 /* metres, seconds */

_Static_assert((int)TERRANE_SYNTAX == ERROR_SYNTAX && (int)TERRANE_VALUE == ERROR_VALUE &&
                   (int)TERRANE_UNKNOWN == ERROR_UNKNOWN && (int)TERRANE_LIMIT == ERROR_LIMIT &&
                   (int)TERRANE_MEMORY == ERROR_MEMORY && (int)TERRANE_WORK == ERROR_WORK,
               "public and internal error codes are the same");
#define SAME_PLACE(member)                                                                         \
    (offsetof(struct terrane_error, member) == offsetof(struct error, member))
_Static_assert(sizeof(struct terrane_error) == sizeof(struct error) && SAME_PLACE(code) &&
                   SAME_PLACE(line) && SAME_PLACE(column) && SAME_PLACE(file) && SAME_PLACE(path) &&
                   SAME_PLACE(message),
               "public and internal errors are laid out alike");
_Static_assert(TERRANE_METRE == PLACE_METRE, "public and internal positions have the same unit");

/* Returns false, so that a caller can return it. */
static bool copy_error(const struct error *from, struct terrane_error *to)
{
    if (to)
        memcpy(to, from, sizeof *to);
    return false;
}

const char *terrane_version(void)
{
    return TERRANE_VERSION;
}

size_t terrane_error_text(const struct terrane_error *error, char *out, size_t size)
{
    struct error internal;
    memcpy(&internal, error, sizeof internal);
    return error_format(&internal, out, size);
}

static const struct world *internal_world(const struct terrane_world *world)
{
    return (const struct world *)world;
}

static struct terrane_world *public_world(struct world *world, const struct error *problem,
                                          struct terrane_error *error)
{
    if (!world)
        copy_error(problem, error);
    return (struct terrane_world *)world;
}

struct terrane_world *terrane_world_parse(const char *text, size_t length, const char *file,
                                          struct terrane_error *error)
{
    struct diagnostics diagnostics = {.file = file ? file : "", .text = text, .length = length};
    struct world *world = world_diagnose(&diagnostics, NULL);
    return public_world(world, &diagnostics.errors[0], error);
}

struct terrane_world *terrane_world_reseed(const struct terrane_world *world, const char *seed,
                                           struct terrane_error *error)
{
    struct error problem = {0};
    return public_world(world_reseed(internal_world(world), seed, strlen(seed), &problem), &problem,
                        error);
}

struct terrane_world *terrane_world_retain(struct terrane_world *world)
{
    return (struct terrane_world *)world_retain((struct world *)world);
}

void terrane_world_release(struct terrane_world *world)
{
    world_release((struct world *)world);
}

const char *terrane_world_fingerprint(const struct terrane_world *world)
{
    return world_fingerprint(internal_world(world));
}

unsigned terrane_layer_count(const struct terrane_world *world)
{
    return world_layer_count(internal_world(world));
}

const char *terrane_layer_name(const struct terrane_world *world, unsigned layer)
{
    return layer < terrane_layer_count(world) ? world_layer(internal_world(world), layer)->name
                                              : NULL;
}

const char *terrane_layer_unit(const struct terrane_world *world, unsigned layer)
{
    return layer < terrane_layer_count(world) ? world_layer(internal_world(world), layer)->unit
                                              : NULL;
}

int terrane_layer_find(const struct terrane_world *world, const char *name)
{
    return world_find_layer(internal_world(world), name);
}

unsigned terrane_biome_count(const struct terrane_world *world)
{
    return world_biome_count(internal_world(world));
}

const char *terrane_biome_name(const struct terrane_world *world, unsigned biome)
{
    return biome < terrane_biome_count(world) ? world_biome(internal_world(world), biome)->name
                                              : NULL;
}

unsigned terrane_material_count(const struct terrane_world *world)
{
    return world_material_count(internal_world(world));
}

const char *terrane_material_name(const struct terrane_world *world, unsigned material)
{
    return material < terrane_material_count(world)
               ? world_material(internal_world(world), material)->name
               : NULL;
}

const char *terrane_materials_fingerprint(const struct terrane_world *world)
{
    return world_materials_fingerprint(internal_world(world));
}

void terrane_share_materials(const struct terrane_world *world, float *const *weights, size_t count)
{
    if (terrane_material_count(world) > 0)
        materials_share(weights, terrane_material_count(world), count);
}

struct terrane_sampler *terrane_sampler_new(void)
{
    return (struct terrane_sampler *)sampler_new();
}

void terrane_sampler_free(struct terrane_sampler *sampler)
{
    sampler_free((struct sampler *)sampler);
}

bool terrane_sampler_set_memory(struct terrane_sampler *sampler, size_t bytes)
{
    struct drainage_cache *cache = drainage_cache_new(bytes);
    sampler_set_cache((struct sampler *)sampler, cache);
    drainage_cache_release(cache);
    return cache != NULL;
}

struct terrane_cache *terrane_cache_new(size_t bytes)
{
    return (struct terrane_cache *)drainage_cache_new(bytes);
}

void terrane_cache_release(struct terrane_cache *cache)
{
    drainage_cache_release((struct drainage_cache *)cache);
}

size_t terrane_cache_bytes(const struct terrane_cache *cache)
{
    return drainage_cache_bytes((const struct drainage_cache *)cache);
}

void terrane_sampler_set_cache(struct terrane_sampler *sampler, struct terrane_cache *cache)
{
    sampler_set_cache((struct sampler *)sampler, (struct drainage_cache *)cache);
}

void terrane_sampler_set_limit(struct terrane_sampler *sampler, uint64_t nanoseconds)
{
    const struct work_limit limit = {.most = nanoseconds ? nanoseconds : WORK_UNLIMITED};
    sampler_set_limit((struct sampler *)sampler, &limit);
}

uint64_t terrane_sampler_work(const struct terrane_sampler *sampler)
{
    return sampler_meter((const struct sampler *)sampler)->done;
}

static bool check_request(const struct terrane_world *world, const struct terrane_request *request,
                          struct error *error)
{
    const unsigned layers = terrane_layer_count(world) + terrane_material_count(world);
    if (request->count < 1 || request->count > LAYERS_MAX)
        return error_set(error, ERROR_LIMIT, "a request has 1 to %d layers, not %u", LAYERS_MAX,
                         request->count);
    for (unsigned i = 0; i < request->count; i++)
        if (request->layers[i] >= layers)
            return error_set(error, ERROR_UNKNOWN, "there is no layer %u; this world has 0 to %u",
                             request->layers[i], layers - 1);
    return true;
}

static bool check_uniforms(double spacing, double z, double t, struct error *error)
{
    if (!isfinite(spacing) || spacing < 0)
        return error_set(error, ERROR_VALUE,
                         "spacing must be a finite number of metres, 0 or more");
    if (!(fabs(z) <= Z_T_MAX) || !(fabs(t) <= Z_T_MAX))
        return error_set(error, ERROR_VALUE, "z and t must be from -2^40 to 2^40");
    return true;
}

static bool check_grid(const struct terrane_grid *grid, struct error *error)
{
    if (grid->columns < 1 || grid->rows < 1)
        return error_set(error, ERROR_VALUE, "a grid has at least 1 column and 1 row");
    if (grid->step < 1 || grid->step > STEP_MAX)
        return error_set(error, ERROR_VALUE, "step must be from 1 to 2^57");
    return check_uniforms(grid->spacing, grid->z, grid->t, error);
}

/* The request with the index `first` of each output as its beginning. */
static struct sample_request request_from(const struct terrane_request *request, size_t first,
                                          float *outputs[LAYERS_MAX])
{
    for (unsigned i = 0; i < request->count; i++)
        outputs[i] = request->outputs[i] + first;
    return (struct sample_request){request->layers, outputs, request->count};
}

/* Samples one slice of a volume; its samples begin at index `first` of each output. */
static bool sample_slice(struct terrane_sampler *sampler, const struct terrane_world *world,
                         const struct sample_grid *grid, size_t first,
                         const struct terrane_request *request, struct error *error)
{
    float *outputs[LAYERS_MAX];
    const struct sample_request internal = request_from(request, first, outputs);
    return sampler_grid((struct sampler *)sampler, world_program(internal_world(world)), grid,
                        &internal, error);
}

static bool sample_slices(struct terrane_sampler *sampler, const struct terrane_world *world,
                          const struct terrane_volume *volume,
                          const struct terrane_request *request, struct error *error)
{
    const struct terrane_grid *grid = &volume->grid;
    struct sample_grid slice = {
        .x = grid->x,
        .y = grid->y,
        .step = grid->step,
        .columns = grid->columns,
        .rows = grid->rows,
        .spacing = grid->spacing,
        .t = place_from_metres(grid->t),
    };
    size_t samples = (size_t)grid->columns * grid->rows;
    for (uint32_t i = 0; i < volume->slices; i++) {
        slice.z = place_from_metres(grid->z + i * volume->z_step);
        if (!sample_slice(sampler, world, &slice, i * samples, request, error))
            return false;
    }
    return true;
}

static bool check_volume(const struct terrane_volume *volume, struct error *error)
{
    if (volume->slices < 1)
        return error_set(error, ERROR_VALUE, "a volume has at least 1 slice");
    if (!check_grid(&volume->grid, error))
        return false;
    double last = volume->grid.z + (volume->slices - 1) * volume->z_step;
    if (!isfinite(volume->z_step) || !(fabs(last) <= FLT_MAX))
        return error_set(error, ERROR_VALUE, "the z of every slice must be a finite float");
    return true;
}

bool terrane_sample_volume(struct terrane_sampler *sampler, const struct terrane_world *world,
                           const struct terrane_volume *volume,
                           const struct terrane_request *request, struct terrane_error *error)
{
    struct error problem = {0};
    return (check_volume(volume, &problem) && check_request(world, request, &problem) &&
            sample_slices(sampler, world, volume, request, &problem)) ||
           copy_error(&problem, error);
}

bool terrane_sample_grid(struct terrane_sampler *sampler, const struct terrane_world *world,
                         const struct terrane_grid *grid, const struct terrane_request *request,
                         struct terrane_error *error)
{
    const struct terrane_volume volume = {.grid = *grid, .slices = 1};
    return terrane_sample_volume(sampler, world, &volume, request, error);
}

/* Samples the places from `first` on, at most CHUNK_PLACES of them. */
static bool sample_chunk(struct terrane_sampler *sampler, const struct terrane_world *world,
                         const struct terrane_points *points, size_t first,
                         const struct terrane_request *request, struct error *error)
{
    struct place places[CHUNK_PLACES];
    float *outputs[LAYERS_MAX];
    size_t left = points->count - first;
    size_t count = left < CHUNK_PLACES ? left : CHUNK_PLACES;
    for (size_t i = 0; i < count; i++)
        places[i] = (struct place){points->places[first + i].x, points->places[first + i].y};
    const struct sample_points internal = {
        .places = places,
        .count = count,
        .spacing = points->spacing,
        .z = place_from_metres(points->z),
        .t = place_from_metres(points->t),
    };
    const struct sample_request internal_request = request_from(request, first, outputs);
    return sampler_points((struct sampler *)sampler, world_program(internal_world(world)),
                          &internal, &internal_request, error);
}

bool terrane_sample_points(struct terrane_sampler *sampler, const struct terrane_world *world,
                           const struct terrane_points *points,
                           const struct terrane_request *request, struct terrane_error *error)
{
    struct error problem = {0};
    if (!check_uniforms(points->spacing, points->z, points->t, &problem) ||
        !check_request(world, request, &problem))
        return copy_error(&problem, error);
    for (size_t first = 0; first < points->count; first += CHUNK_PLACES)
        if (!sample_chunk(sampler, world, points, first, request, &problem))
            return copy_error(&problem, error);
    return true;
}

void terrane_digest(const float *samples, size_t count, char out[TERRANE_DIGEST_TEXT])
{
    uint8_t bytes[CHUNK_SAMPLES * sizeof(float)];
    struct hash_stream stream = hash_begin(0);
    size_t used = 0;
    /* The digest is of little-endian bytes: those in memory, on most machines. */
    if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) {
        hash_hex(hash_bytes(samples, count * sizeof *samples, 0), out);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, samples + i, sizeof bits);
        for (int shift = 0; shift < 32; shift += 8)
            bytes[used++] = (uint8_t)(bits >> shift);
        if (used == sizeof bytes) {
            hash_blocks(&stream, bytes, used);
            used = 0;
        }
    }
    hash_hex(hash_end(&stream, bytes, used), out);
}
