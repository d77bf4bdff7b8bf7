/* The table of queries, the hash of a query's output, and the bound of its samples.
 *
 * /heights, /diff and /verify have rows without functions, because they read a body, a second world
 * or a chunk: server/http/routes has a handler for each. The other rows stand beside their
 * functions, one file for each query.
 *
 * The hash names everything that decides a byte of the output, and nothing else, so all replicas
 * agree on it without sampling. The fingerprint of a world stands for what its formulas compute.
 * Texts that an output may quote besides, such as units, names and the wording of formulas, are
 * added. */
#include "server/queries/query.h"

#include <string.h>

/* To be raised when a query writes the same output in another form. */
enum { QUERY_OUTPUT_VERSION = 3 };

#define QUERY_ADDRESS(name) &query_##name,
static const struct query *const table[] = {QUERIES(QUERY_ADDRESS)};

const struct query_form_row query_forms[QUERY_FORMS] = {
    [QUERY_JSON] = {"", "application/json", NULL},
    [QUERY_TEXT] = {"", "text/plain; charset=utf-8", NULL},
    [QUERY_SVG] = {".svg", "image/svg+xml", NULL},
    [QUERY_GEOJSON] = {".geojson", "application/geo+json", "FeatureCollection"},
    [QUERY_BINARY] = {".bin", "application/octet-stream", NULL},
};

const struct query query_heights = {
    .name = "heights",
    .summary = "the heights, or other layers, of many points",
    .url = "",
    .parameters = PARAMETER_BIT(POINTS_LAYER) | PARAMETER_BIT(POINTS_LAYERS) | PARAMETER_BIT(ZOOM) |
                  PARAMETER_BIT(COORDINATES) | PARAMETER_BIT(POINTS_FORMAT) | PARAMETER_BIT(PRETTY),
    .schema = "Heights",
    .body = "HeightsRequest",
    .binary = true,
    .examples = "{\"points\":[[0,0],[1000,-250.5]]} "
                "{\"points\":[[0,0]],\"layer\":\"height\",\"zoom\":9} "
                "{\"points\":[[0,0]],\"layers\":[\"height\",\"biome\"]}",
};

const struct query query_diff = {
    .name = "diff",
    .summary = "how far two worlds differ over a rectangle",
    .url = "?b={world}&bbox={x0},{y0},{x1},{y1}",
    .parameters = PARAMETER_BIT(A) | PARAMETER_BIT(B) | PARAMETER_BIT(BBOX) |
                  PARAMETER_BIT(AREA_SAMPLES) | PARAMETER_BIT(DETAIL) | PARAMETERS_OUTPUT,
    .schema = "Diff",
    .examples = "/diff?b=terra~2&bbox=0,0,200,200&samples=32 "
                "/diff?a=terra&b=terra~2&bbox=0,0,200,200&samples=32&format=text "
                "/diff?a=terra&b=terra~2&bbox=0,0,200,200&samples=32&detail=full&pretty=1",
    .limited = true,
    .smaller = "fewer samples",
};

const struct query query_verify = {
    .name = "verify",
    .summary = "whether you have the same ground, by the digest of a chunk's samples",
    .tag = "chunks",
    .url = "?chunk={cx},{cy}&digest={digest}",
    .parameters = PARAMETER_BIT(CHUNK) | PARAMETER_BIT(CHUNK_SIZE) | PARAMETER_BIT(STEP) |
                  PARAMETER_BIT(APRON) | PARAMETER_BIT(LAYERS) | PARAMETER_BIT(T) |
                  PARAMETER_BIT(DIGEST) | PARAMETERS_OUTPUT,
    .schema = "Verify",
    .examples = "/verify?chunk=0,0 "
                "/verify?chunk=3,-2&size=16&step=2&apron=1&layers=height,biome&t=0 "
                "/verify?chunk=0,0&digest=00000000000000000000000000000000&format=text "
                "/verify?chunk=0,0&pretty=1",
    .limited = true,
    .smaller = "a smaller size, fewer layers or a coarser step",
};

const struct query *query_at_index(size_t index)
{
    return index < sizeof table / sizeof *table ? table[index] : NULL;
}

const struct query *query_find(const char *name)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i]->name, name) == 0)
            return table[i];
    return NULL;
}

bool query_evaluate(const struct query_run *run, struct sampler *sampler, struct buffer *out,
                    struct error *error)
{
    return run->query->evaluate(run, sampler, out, error) && (!out->failed || error_memory(error));
}

/* Names cannot contain zero bytes, so a zero byte separates them. */
static void append_text(struct buffer *recipe, const char *text)
{
    buffer_append(recipe, text, strlen(text) + 1);
}

/* The fingerprint depends neither on the layers' order nor on their units. */
static void append_world(struct buffer *recipe, const struct world_identity *identity,
                         const struct world *world)
{
    append_text(recipe, identity->name);
    append_text(recipe, identity->seed);
    append_text(recipe, identity->fingerprint);
    for (unsigned i = 0; i < world_layer_count(world); i++) {
        append_text(recipe, world_layer(world, i)->name);
        append_text(recipe, world_layer(world, i)->unit);
    }
}

/* Formulas, rules and kinds as the file writes them: the fingerprint is of their meaning. */
static void append_texts(struct buffer *recipe, const struct world *world)
{
    for (unsigned i = 0; i < world_layer_count(world); i++)
        append_text(recipe, world_layer(world, i)->formula);
    for (unsigned i = 0; i < world_biome_count(world); i++) {
        const struct world_biome *biome = world_biome(world, i);
        append_text(recipe, biome->name);
        append_text(recipe, biome->when ? biome->when : "");
    }
    for (unsigned i = 0; i < world_object_count(world); i++)
        append_text(recipe, world_object(world, i)->name);
}

bool query_hash(const struct query_run *run, const struct world_identity *identity,
                struct hash128 *hash)
{
    struct buffer recipe = {0};
    buffer_format(&recipe, "query %d %s %d ", QUERY_OUTPUT_VERSION, run->query->name,
                  (int)run->form);
    parameters_write(run->query->parameters, &run->values, &recipe);
    append_world(&recipe, identity, run->world->world);
    if (run->query->has_materials)
        append_text(&recipe, world_materials_fingerprint(run->world->world));
    if (run->query->has_names)
        append_text(&recipe, world_names_fingerprint(run->world->world));
    if (run->query->quotes_world)
        append_texts(&recipe, run->world->world);
    const bool done = !recipe.failed;
    if (done)
        *hash = hash_bytes(recipe.data, recipe.length, 0);
    buffer_free(&recipe);
    return done;
}

/* The edge of the map's central square; beyond it, places have no degrees. */
#define MAP_EDGE ((int64_t)1 << (24 + PLACE_BITS))

bool query_check_degrees(const struct area *area, const char *parameter, struct error *error)
{
    if (area->low.x >= -MAP_EDGE && area->low.y >= -MAP_EDGE && area->high.x <= MAP_EDGE &&
        area->high.y <= MAP_EDGE)
        return true;
    error_set(error, ERROR_VALUE,
              "must be within ±16777216 m: GeoJSON is in degrees, which end there");
    return error_in_path(error, "%s", parameter);
}

struct sample_grid query_grid(const struct parameter_values *values)
{
    struct sample_grid grid = area_grid(&values->area, (uint32_t)values->samples);
    grid.spacing = values->detail == DETAIL_FULL ? 0.0 : place_metres(grid.step);
    return grid;
}

bool query_check_samples(uint64_t samples, unsigned octaves, struct error *error)
{
    const uint64_t most = QUERY_OCTAVES_MAX / (octaves ? octaves : 1);
    if (samples <= most)
        return true;
    return error_set(error, ERROR_LIMIT,
                     "%llu samples of %u octaves each are too much for one answer: at most %llu "
                     "samples here; ask for fewer",
                     (unsigned long long)samples, octaves, (unsigned long long)most);
}

bool query_unknown_name(const char *what, const char *name, const char *const *names,
                        unsigned count, struct error *error)
{
    return count ? error_unknown(error, what, name, names, count)
                 : error_set(error, ERROR_UNKNOWN, "unknown %s \"%s\": this world has none", what,
                             name);
}
