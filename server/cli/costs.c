/* terrane check --costs: what the layers of a world cost, counted and measured on this machine. */
#include <stdlib.h>

#include "core/price/layers.h"
#include "core/sampling/sampler.h"
#include "core/worldfile/layer_costs.h"
#include "server/base/clock.h"
#include "server/cli/command.h"
#include "server/worlds/catalog_world.h"

enum { SIDE = 128, ROUNDS = 5 };

/* Nanoseconds of processor time for a sample of a grid a metre apart at the world's view: the least
 * of some rounds behind a first one, which fills caches. Negative where memory is out. */
static double measure(const struct catalog_world *world, unsigned layer, struct sampler *sampler,
                      float *samples)
{
    const struct world_view *view = world_view(world->world);
    const struct sample_grid grid = {.x = view->x,
                                     .y = view->y,
                                     .step = PLACE_METRE,
                                     .columns = SIDE,
                                     .rows = SIDE,
                                     .spacing = 1.0,
                                     .t = view->t};
    const struct sample_request request = {&layer, &samples, 1};
    double least = -1.0;
    for (int i = 0; i <= ROUNDS; i++) {
        const int64_t start = clock_thread_nanoseconds();
        if (!sampler_grid(sampler, world_program(world->world), &grid, &request, NULL))
            return -1.0;
        const double each = (double)(clock_thread_nanoseconds() - start) / (SIDE * SIDE);
        if (i > 0 && (least < 0.0 || each < least))
            least = each;
    }
    return least;
}

static bool print_costs(const struct options *options, const struct catalog_world *world,
                        void *context, struct error *error)
{
    struct sampler *sampler = sampler_new();
    float *samples = aligned_alloc(64, sizeof *samples * SIDE * SIDE);
    struct buffer out = {0};
    bool done = sampler && samples;
    (void)options, (void)context;
    buffer_format(&out, "%-24s %10s %8s %8s %8s %10s\n", "layer", "operations", "octaves", "own",
                  "places", "ns/sample");
    const unsigned count = world_layer_count(world->world);
    for (unsigned i = 0; i < count + world_material_count(world->world) && done; i++) {
        const struct layer_cost cost = layer_cost_find(world->world, i);
        const double each = measure(world, i, sampler, samples);
        done = each >= 0.0;
        buffer_format(&out, "%-24s %10u %8u %8u %8u %10.2f\n", world_layer(world->world, i)->name,
                      cost.operations, cost.octaves, cost.own, cost.places, each);
    }
    sampler_free(sampler);
    free(samples);
    if (done)
        return command_print(&out) == EXIT_DONE;
    buffer_free(&out);
    return error_memory(error);
}

enum exit_status command_costs(const struct options *options)
{
    struct error error = {0};
    if (!command_takes(options, 0))
        return EXIT_USAGE;
    struct catalog *catalog = command_catalog(options);
    const struct catalog_world *world =
        catalog ? command_find_world(catalog, options_text(options, OPTION_COSTS), &error) : NULL;
    const bool done = world && print_costs(options, world, NULL, &error);
    catalog_release(world);
    catalog_free(catalog);
    return done ? EXIT_DONE : command_fail(&error);
}
