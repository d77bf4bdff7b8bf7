/* Layers share operations, so the operations that they need are marked first and counted once. */
#include "core/price/layers.h"

#include <float.h>
#include <math.h>

#include "core/base/lanes.h"
#include "core/noise/noise.h"

static void mark_layers(const struct program *program, const unsigned *layers, unsigned count,
                        bool *needed)
{
    for (unsigned i = 0; i < count; i++)
        needed[program->values[layers[i]]] = true;
    program_mark_all(program, needed);
}

unsigned layers_octaves(const struct program *program, const unsigned *layers, unsigned count)
{
    bool needed[PROGRAM_OPERATIONS_MAX] = {false};
    unsigned octaves = 0;
    mark_layers(program, layers, count, needed);
    for (uint32_t i = 0; i < program->count; i++)
        if (needed[i])
            octaves += program_octaves(program, &program->operations[i]);
    return octaves;
}

double layer_magnitude(const struct program *program, unsigned layer)
{
    const struct interval usual = program->operations[program->values[layer]].usual;
    const float most = max_float(-usual.low, usual.high);
    return most < FLT_MAX ? (double)most : (double)INFINITY;
}
