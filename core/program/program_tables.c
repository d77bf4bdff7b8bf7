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

/* ---- entries as words: equal if the entries are */

enum { WORDS_MAX = 24 };
struct entry_words {
    uint64_t words[WORDS_MAX];
    unsigned count;
};

static void add_word(struct entry_words *words, uint64_t word)
{
    words->words[words->count++] = word;
}

static void add_number(struct entry_words *words, double number)
{
    const double value = number == 0.0 ? 0.0 : number; /* 0 and -0 are equal */
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    add_word(words, bits);
}

/* Each word is mixed in by itself: sums of two are the same for many pairs. */
static uint64_t hash_words(const struct entry_words *words)
{
    uint64_t hash = 0;
    for (unsigned i = 0; i < words->count; i++)
        hash = hash_mix(hash + words->words[i]);
    return hash;
}

static struct entry_words noise_words(const struct noise_settings *s)
{
    const double numbers[] = {
        s->wavelength,  s->wavelength_z,          s->wavelength_t,    s->lacunarity,
        s->persistence, (double)s->feedback,      (double)s->damping, s->domain.cosine,
        s->domain.sine, (double)s->rotate_octaves};
    const unsigned choices[] = {s->basis,   s->interpolation, s->axes,   s->feature,
                                s->fractal, s->result,        s->octaves};
    struct entry_words words = {.count = 0};
    add_word(&words, s->key);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        add_number(&words, numbers[i]);
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
        add_word(&words, choices[i]);
    add_word(&words, (uint64_t)s->domain.shift_x);
    add_word(&words, (uint64_t)s->domain.shift_y);
    return words;
}

static struct entry_words centre_words(const struct place *centre)
{
    return (struct entry_words){{(uint64_t)centre->x, (uint64_t)centre->y}, 2};
}

static struct entry_words cycle_words(const struct cycle *cycle)
{
    const int64_t integers[] = {cycle->shift_x, cycle->shift_y, cycle->form[0], cycle->form[1],
                                cycle->sign * 2 + (int64_t)cycle->axis};
    struct entry_words words = {.count = 0};
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++)
        add_word(&words, (uint64_t)integers[i]);
    add_number(&words, (double)cycle->period);
    return words;
}

static void add_domain(struct entry_words *words, const struct noise_domain *domain)
{
    add_word(words, (uint64_t)domain->shift_x);
    add_word(words, (uint64_t)domain->shift_y);
    add_number(words, domain->cosine);
    add_number(words, domain->sine);
}

static uint64_t moves_word(int32_t dx, int32_t dy)
{
    return (uint64_t)(uint32_t)dx << 32 | (uint32_t)dy;
}

static struct entry_words node_grid_words(const struct node_grid *grid)
{
    struct entry_words words = {{grid->spacing_log2, moves_word(grid->dx, grid->dy)}, 2};
    add_domain(&words, &grid->domain);
    add_number(&words, grid->scale);
    return words;
}

/* The polyline itself is told by its digest, as others' worlds may have one of the same name. */
static struct entry_words polyline_view_words(const struct polyline_view *view)
{
    struct entry_words words = {{moves_word(view->dx, view->dy)}, 1};
    uint64_t digest[SECURE_HASH_BYTES / sizeof(uint64_t)];
    memcpy(digest, view->line->digest, sizeof digest);
    for (size_t i = 0; i < sizeof digest / sizeof *digest; i++)
        add_word(&words, digest[i]);
    add_domain(&words, &view->domain);
    add_number(&words, view->scale);
    return words;
}

/* ---- tables */

static bool same_noise(const void *entry, const void *item)
{
    const struct noise *const *noise = entry;
    return noise_settings_equal(&(*noise)->settings, item);
}

static bool same_centre(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    return a->x == b->x && a->y == b->y;
}

static bool same_cycle(const void *left, const void *right)
{
    const struct cycle *a = left, *b = right;
    return a->shift_x == b->shift_x && a->shift_y == b->shift_y && a->form[0] == b->form[0] &&
           a->form[1] == b->form[1] && a->sign == b->sign && a->axis == b->axis &&
           a->period == b->period;
}

static bool same_node_grid(const void *left, const void *right)
{
    const struct node_grid *a = left, *b = right;
    return noise_domain_equal(&a->domain, &b->domain) && a->scale == b->scale &&
           a->spacing_log2 == b->spacing_log2 && a->dx == b->dx && a->dy == b->dy;
}

static bool same_polyline_view(const void *left, const void *right)
{
    const struct polyline_view *a = left, *b = right;
    return a->line == b->line && noise_domain_equal(&a->domain, &b->domain) &&
           a->scale == b->scale && a->dx == b->dx && a->dy == b->dy;
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
    noise->formula = program->formula;
    return table_append(table, &noise, hash, program->error);
}

bool program_keep_noise(struct program *program, const struct noise_settings *settings,
                        uint32_t *index)
{
    const struct table table = TABLE(program, noise);
    const struct entry_words words = noise_words(settings);
    const uint64_t hash = hash_words(&words);
    int32_t noise = table_find(&table, settings, hash);
    if (noise < 0)
        noise = append_noise(program, &table, settings, hash);
    else if (program->noises[noise]->formula != program->formula)
        program->noises[noise]->formula = NOISE_SHARED;
    *index = (uint32_t)noise;
    return noise >= 0;
}

bool program_keep_centre(struct program *program, const struct place *centre, uint32_t *index)
{
    const struct table table = TABLE(program, centre);
    const struct entry_words words = centre_words(centre);
    return find_or_append(&table, centre, hash_words(&words), index, program->error);
}

bool program_keep_cycle(struct program *program, const struct cycle *cycle, uint32_t *index)
{
    const struct table table = TABLE(program, cycle);
    const struct entry_words words = cycle_words(cycle);
    return find_or_append(&table, cycle, hash_words(&words), index, program->error);
}

bool program_keep_node_grid(struct program *program, const struct node_grid *grid, uint32_t *index)
{
    const struct table table = TABLE(program, node_grid);
    const struct entry_words words = node_grid_words(grid);
    return find_or_append(&table, grid, hash_words(&words), index, program->error);
}

bool program_keep_polyline_view(struct program *program, const struct polyline_view *view,
                                uint32_t *index)
{
    const struct table table = TABLE(program, polyline_view);
    const struct entry_words words = polyline_view_words(view);
    return find_or_append(&table, view, hash_words(&words), index, program->error);
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

/* The words of an entry that is no spline; none if the operation has no entry. */
static struct entry_words words_of(const struct program *program, const struct operation *operation)
{
    const uint32_t i = operation->table_index;
    switch (operation_rows[operation->code].table) {
    case TABLE_NONE:
    case TABLE_SPLINES:
        break;
    case TABLE_NOISES:
        return noise_words(&program->noises[i]->settings);
    case TABLE_CYCLES:
        return cycle_words(&program->cycles[i]);
    case TABLE_CENTRES:
        return centre_words(&program->centres[i]);
    case TABLE_NODE_GRIDS:
        return node_grid_words(&program->node_grids[i]);
    case TABLE_POLYLINE_VIEWS:
        return polyline_view_words(&program->polyline_views[i]);
    }
    return (struct entry_words){.count = 0};
}

void program_identify_operation(const struct program *program, const struct operation *operation,
                                struct secure_hash *hash)
{
    enum { OWN = 7, SPLINE = sizeof(struct spline) / sizeof(uint32_t) };
    const struct entry_words entry = words_of(program, operation);
    const uint32_t loops = operation->fused.first | (uint32_t)operation->fused.second << 8;
    const uint32_t which = operation->code == OP_FUSED ? loops : operation->table_index;
    const uint32_t own[OWN] = {(uint32_t)operation->code, which, (uint32_t)operation->a,
                               (uint32_t)operation->b, (uint32_t)operation->c};
    uint32_t words[OWN + 2 * WORDS_MAX];
    memcpy(words, own, sizeof own);
    memcpy(words + OWN - 2, operation->k, sizeof operation->k);
    for (unsigned i = 0; i < entry.count; i++) {
        words[OWN + 2 * i] = (uint32_t)entry.words[i];
        words[OWN + 2 * i + 1] = (uint32_t)(entry.words[i] >> 32);
    }
    secure_hash_add_words(hash, words, OWN + 2 * entry.count);
    if (operation_rows[operation->code].table == TABLE_SPLINES) {
        uint32_t spline[SPLINE];
        memcpy(spline, &program->splines[operation->table_index], sizeof spline);
        secure_hash_add_words(hash, spline, SPLINE);
    }
}
