/* The program of a world for people: its values with the names that they have in the file. */
#include "core/program/program_print.h"
#include "core/worldfile/world_private.h"

enum {
    RESULTS_MAX =
        WORLD_SAMPLED_MAX + 2 * WORLD_OBJECTS_MAX + (int)DRAINAGE_OUTPUTS + (int)DRAINAGE_FORMULAS
};

/* The results in the order of world->program.values. */
static uint32_t name_values(const struct world *world, struct program_result *results)
{
    const uint32_t layers = world_density_layer(world, 0);
    uint32_t count = 0;
    for (uint32_t i = 0; i < layers; i++)
        results[count++] = (struct program_result){"", world->layers[i].name, 0};
    for (uint32_t i = 0; i < world->object_count; i++)
        results[count++] = (struct program_result){"", world->densities[i].path, 0};
    for (uint32_t i = 0; i < world->object_count; i++)
        results[count++] = (struct program_result){"early reject of", world->densities[i].path, 0};
    for (uint32_t i = 0; i < DRAINAGE_OUTPUTS; i++)
        results[count++] =
            (struct program_result){"drainage", program_output_name((enum drainage_output)i), 0};
    for (uint32_t i = 0; i < DRAINAGE_FORMULAS; i++)
        results[count++] = (struct program_result){"", world->drainage[i].path, 0};
    for (uint32_t i = 0; i < count; i++)
        results[i].value = world->program.values[i];
    return count;
}

void world_print_program(const struct world *world, int layer, struct buffer *out)
{
    struct program_result results[RESULTS_MAX];
    const uint32_t count = name_values(world, results);
    program_print(&world->program, results, count, layer < 0 ? -1 : world->program.values[layer],
                  out);
}
