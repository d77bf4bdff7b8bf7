/* terrane check --costs: what the layers of a world cost, counted and measured on this machine. */
#include <math.h>
#include <stdlib.h>

#include "core/price/layers.h"
#include "core/sampling/sampler.h"
#include "core/worldfile/layer_costs.h"
#include "server/base/clock.h"
#include "server/cli/command.h"
#include "server/worlds/catalog_world.h"

enum { SIDE = 128, ROUNDS = 5 };

struct meter {
    struct sampler *sampler; /* owned, as is what follows */
    float *samples;          /* of the grid */
};

/* Sets *least to the nanoseconds of processor time for a sample of a grid a metre apart at the
 * world's view: the least of some rounds behind a first one, which fills caches. */
static bool measure(const struct catalog_world *world, unsigned layer, struct meter *meter,
                    double *least, struct error *error)
{
    const struct world_view *view = world_view(world->world);
    const struct sample_grid grid = {.x = view->x,
                                     .y = view->y,
                                     .step = PLACE_METRE,
                                     .columns = SIDE,
                                     .rows = SIDE,
                                     .spacing = 1.0,
                                     .t = view->t};
    const struct sample_request request = {&layer, &meter->samples, 1};
    *least = INFINITY;
    for (int i = 0; i <= ROUNDS; i++) {
        const int64_t start = clock_thread_nanoseconds();
        if (!sampler_grid(meter->sampler, world_program(world->world), &grid, &request, error))
            return false;
        const double each = (double)(clock_thread_nanoseconds() - start) / (SIDE * SIDE);
        if (i > 0 && each < *least)
            *least = each;
    }
    return true;
}

/* Layers, then materials. */
static bool write_costs(const struct catalog_world *world, struct meter *meter, struct buffer *out,
                        struct error *error)
{
    const unsigned count = world_layer_count(world->world) + world_material_count(world->world);
    buffer_format(out, "%-24s %10s %8s %8s %8s %10s\n", "layer", "operations", "octaves", "own",
                  "places", "ns/sample");
    for (unsigned i = 0; i < count; i++) {
        const struct layer_cost cost = layer_cost_find(world->world, i);
        const char *name = world_layer(world->world, i)->name;
        double each;
        if (!measure(world, i, meter, &each, error))
            return error_in_path(error, "layers.%s", name);
        buffer_format(out, "%-24s %10u %8u %8u %8u %10.2f\n", name, cost.operations, cost.octaves,
                      cost.own, cost.places, each);
    }
    return true;
}

static enum exit_status print_costs(const struct catalog_world *world)
{
    struct error error = {0};
    struct buffer out = {0};
    struct meter meter = {sampler_new(), aligned_alloc(64, sizeof(float) * SIDE * SIDE)};
    const bool done = meter.sampler && meter.samples ? write_costs(world, &meter, &out, &error)
                                                     : error_memory(&error);
    sampler_free(meter.sampler);
    free(meter.samples);
    if (done)
        return command_print(&out);
    buffer_free(&out);
    return command_fail(&error);
}

enum exit_status command_costs(const struct options *options)
{
    struct error error = {0};
    if (!command_takes(options, 0))
        return EXIT_USAGE;
    struct catalog *catalog = command_catalog(options);
    const struct catalog_world *world =
        catalog ? command_find_world(catalog, options_text(options, OPTION_COSTS), &error) : NULL;
    const enum exit_status status = world ? print_costs(world) : command_fail(&error);
    catalog_release(world);
    catalog_free(catalog);
    return status;
}
