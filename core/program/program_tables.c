/* The tables of a program. A displaced formula has as many noises as displacements, so tables have
 * indexes by hash, as the operations have. */
#include "core/program/program_tables.h"

#include <string.h>

#include "core/base/array.h"
#include "core/program/operation_row.h"

#define TABLE(program, name)                                                                       \
    {                                                                                              \
        (void **)&(program)->name##s, &(program)->name##_count, &(program)->name##_capacity,       \
            sizeof *(program)->name##s, &(program)->name##_index, same_##name                      \
    }

int32_t table_find(const struct table *table, const void *item, uint64_t hash)
{
    uint32_t probe = 0;
    int32_t i;
    while ((i = hash_index_next(table->index, hash, &probe)) >= 0)
        if (table->same((char *)*table->entries + (size_t)i * table->size, item))
            break;
    return i;
}

int32_t table_append(const struct table *table, const void *entry, uint64_t hash,
                     struct error *error)
{
    void *entries = array_reserve(*table->entries, *table->count, table->capacity, table->size);
    *table->entries = entries ? entries : *table->entries;
    if (!entries || !hash_index_add(table->index, hash, *table->count)) {
        error_memory(error);
        return -1;
    }
    memcpy((char *)entries + *table->count * table->size, entry, table->size);
    return (int32_t)(*table->count)++;
}

/* Sets *index to the entry that equals `item`, which is appended if there is none. */
static bool find_or_append(const struct table *table, const void *item, uint64_t hash,
                           uint32_t *index, struct error *error)
{
    int32_t found = table_find(table, item, hash);
    if (found < 0)
        found = table_append(table, item, hash, error);
    *index = (uint32_t)found;
    return found >= 0;
}

/* Each number is mixed in by itself: sums of two numbers are the same for many pairs. */
static uint64_t hash_noise(const struct noise_settings *s)
{
    const double numbers[] = {
        s->wavelength,  s->wavelength_z,          s->wavelength_t,    s->lacunarity,
        s->persistence, (double)s->feedback,      (double)s->damping, s->domain.cosine,
        s->domain.sine, (double)s->rotate_octaves};
    const unsigned choices[] = {s->basis,   s->interpolation, s->axes,   s->feature,
                                s->fractal, s->result,        s->octaves};
    uint64_t hash = s->key;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        hash = hash_number(hash, numbers[i]);
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
        hash = hash_mix(hash + choices[i]);
    hash = hash_mix(hash + (uint64_t)s->domain.shift_x);
    return hash_mix(hash + (uint64_t)s->domain.shift_y);
}

static bool same_noise(const void *entry, const void *item)
{
    const struct noise *const *noise = entry;
    return noise_settings_equal(&(*noise)->settings, item);
}

static uint64_t hash_centre(const struct place *centre)
{
    return hash_mix(hash_mix((uint64_t)centre->x) + (uint64_t)centre->y);
}

static bool same_centre(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    return a->x == b->x && a->y == b->y;
}

static uint64_t hash_cycle(const struct cycle *cycle)
{
    const int64_t words[] = {cycle->shift_x, cycle->shift_y, cycle->form[0], cycle->form[1],
                             cycle->sign * 2 + (int64_t)cycle->axis};
    uint64_t hash = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        hash = hash_mix(hash + (uint64_t)words[i]);
    return hash_number(hash, (double)cycle->period);
}

static bool same_cycle(const void *left, const void *right)
{
    const struct cycle *a = left, *b = right;
    return a->shift_x == b->shift_x && a->shift_y == b->shift_y && a->form[0] == b->form[0] &&
           a->form[1] == b->form[1] && a->sign == b->sign && a->axis == b->axis &&
           a->period == b->period;
}

static uint64_t hash_node_grid(const struct node_grid *grid)
{
    const struct noise_domain *domain = &grid->domain;
    uint64_t hash = hash_mix(grid->spacing_log2);
    hash = hash_mix(hash + (uint64_t)domain->shift_x);
    hash = hash_mix(hash + (uint64_t)domain->shift_y);
    hash = hash_mix(hash + ((uint64_t)(uint32_t)grid->dx << 32 | (uint32_t)grid->dy));
    hash = hash_number(hash_number(hash, domain->cosine), domain->sine);
    return hash_number(hash, grid->scale);
}

static bool same_node_grid(const void *left, const void *right)
{
    const struct node_grid *a = left, *b = right;
    return noise_domain_equal(&a->domain, &b->domain) && a->scale == b->scale &&
           a->spacing_log2 == b->spacing_log2 && a->dx == b->dx && a->dy == b->dy;
}

/* Splines have no padding, and no traces of others behind their last point. */
static bool same_spline(const void *left, const void *right)
{
    return memcmp(left, right, sizeof(struct spline)) == 0;
}

/* Appends a noise, with memory for the octaves that it has; its number, or -1. */
static int32_t append_noise(struct program *program, const struct table *table,
                            const struct noise_settings *settings, uint64_t hash)
{
    program->octave_count += settings->octaves;
    program->work += settings->octaves * WORK_OCTAVE;
    if (program->octave_count > PROGRAM_OCTAVES_MAX) {
        error_set(program->error, ERROR_LIMIT, "the noises of the world have more than %d octaves",
                  PROGRAM_OCTAVES_MAX);
        return -1;
    }
    struct noise *noise = arena_allocate(&program->arena, 1, noise_size(settings->octaves));
    if (!noise) {
        error_memory(program->error);
        return -1;
    }
    noise_prepare(noise, settings);
    return table_append(table, &noise, hash, program->error);
}

bool program_keep_noise(struct program *program, const struct noise_settings *settings,
                        uint32_t *index)
{
    const struct table table = TABLE(program, noise);
    const uint64_t hash = hash_noise(settings);
    int32_t noise = table_find(&table, settings, hash);
    if (noise < 0)
        noise = append_noise(program, &table, settings, hash);
    *index = (uint32_t)noise;
    return noise >= 0;
}

bool program_keep_centre(struct program *program, const struct place *centre, uint32_t *index)
{
    const struct table table = TABLE(program, centre);
    return find_or_append(&table, centre, hash_centre(centre), index, program->error);
}

bool program_keep_cycle(struct program *program, const struct cycle *cycle, uint32_t *index)
{
    const struct table table = TABLE(program, cycle);
    return find_or_append(&table, cycle, hash_cycle(cycle), index, program->error);
}

bool program_keep_node_grid(struct program *program, const struct node_grid *grid, uint32_t *index)
{
    const struct table table = TABLE(program, node_grid);
    return find_or_append(&table, grid, hash_node_grid(grid), index, program->error);
}

bool program_keep_spline(struct program *program, const double *points, uint32_t count,
                         uint32_t *index)
{
    const struct table table = TABLE(program, spline);
    struct spline spline;
    spline_prepare(&spline, points, count);
    program->work += count;
    return find_or_append(&table, &spline, hash_bytes(&spline, sizeof spline, 0).low, index,
                          program->error);
}

static uint64_t hash_bits(uint64_t hash, const void *value, size_t size)
{
    uint64_t bits = 0;
    memcpy(&bits, value, size);
    return hash_mix(hash + bits);
}

/* Constants are hashed by their bits. */
uint64_t program_hash_operation(const struct operation *operation)
{
    uint64_t hash = hash_mix((uint64_t)operation->code << 32 | operation->table_index);
    hash = hash_mix(hash + ((uint64_t)(uint32_t)operation->a << 32 | (uint32_t)operation->b));
    hash = hash_mix(hash + (uint32_t)operation->c);
    return hash_bits(hash, operation->k, sizeof operation->k);
}

uint64_t program_hash_entry(const struct program *program, const struct operation *operation)
{
    const uint32_t i = operation->table_index;
    switch (operation_rows[operation->code].table) {
    case TABLE_NONE:
        break;
    case TABLE_NOISES:
        return hash_noise(&program->noises[i]->settings);
    case TABLE_SPLINES:
        return hash_bytes(&program->splines[i], sizeof *program->splines, 0).low;
    case TABLE_CYCLES:
        return hash_cycle(&program->cycles[i]);
    case TABLE_CENTRES:
        return hash_centre(&program->centres[i]);
    case TABLE_NODE_GRIDS:
        return hash_node_grid(&program->node_grids[i]);
    }
    return 0;
}
