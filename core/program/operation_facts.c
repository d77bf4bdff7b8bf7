/* The octaves that single operations take, and what they use. program_facts.c adds it up over all
 * that they depend on. */
#include "core/program/operation_facts.h"

enum {
    NETWORK_OCTAVES = 12, /* of a sample of the drainage network, */
    POLYLINE_OCTAVES = 8, /* of one beside a polyline, */
    GULLY_OCTAVES = 8,    /* and of an octave of gullies */
};

static const struct noise *noise_of(const struct program *program,
                                    const struct operation *operation)
{
    return program->noises[operation->table_index];
}

uint32_t octaves_of_noise(const struct program *program, const struct operation *operation)
{
    const struct noise_settings *settings = &noise_of(program, operation)->settings;
    return settings->octaves * noise_octave_weight(settings);
}

uint32_t octaves_of_network(const struct program *program, const struct operation *operation)
{
    (void)program, (void)operation;
    return NETWORK_OCTAVES;
}

/* A hash of a cell takes about as long as an octave does. */
uint32_t octaves_of_cell(const struct program *program, const struct operation *operation)
{
    (void)program, (void)operation;
    return 1;
}

uint32_t octaves_of_gullies(const struct program *program, const struct operation *operation)
{
    (void)program;
    return GULLY_OCTAVES * (uint32_t)operation->k[0];
}

uint32_t octaves_of_polyline(const struct program *program, const struct operation *operation)
{
    (void)program, (void)operation;
    return POLYLINE_OCTAVES;
}

float wave_of_cell(const struct program *program, const struct operation *operation)
{
    return (float)program->node_grids[operation->table_index].scale;
}

float wave_of_noise(const struct program *program, const struct operation *operation)
{
    return (float)noise_of(program, operation)->settings.wavelength;
}

float wave_of_cycle(const struct program *program, const struct operation *operation)
{
    return program->cycles[operation->table_index].period;
}

float wave_of_network(const struct program *program, const struct operation *operation)
{
    (void)operation;
    return (float)((uint64_t)1 << program->drainage.spacing_log2);
}

uint32_t program_octaves(const struct program *program, const struct operation *operation)
{
    operation_octaves *const rule = operation_rows[operation->code].octaves;
    return rule ? rule(program, operation) : 0;
}

double operation_time(const struct operation *operation, bool at_place)
{
    const struct operation_row *row = &operation_rows[operation->code];
    const double times = operation->code == OP_GULLIES ? (double)operation->k[0] : 1.0;
    if (row->time.grid == 0.0)
        row = &operation_rows[OP_ADD];
    return times * (at_place ? row->time.place : row->time.grid);
}

static uint8_t uses_of_axes(enum noise_axes axes)
{
    return (noise_axes_have_z(axes) ? USES_Z : 0) | (noise_axes_have_t(axes) ? USES_T : 0);
}

uint8_t program_uses(const struct program *program, const struct operation *operation)
{
    const struct operation_row *row = &operation_rows[operation->code];
    uint8_t uses = row->uses;
    if (row->table == TABLE_NOISES)
        uses |= uses_of_axes(noise_of(program, operation)->settings.axes);
    for (int k = 0; k < 3; k++)
        if (operation->operands[k] >= 0)
            uses |= program->operations[operation->operands[k]].uses;
    return uses;
}
