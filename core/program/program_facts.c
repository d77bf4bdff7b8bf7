/* The facts of operations: the octaves that each takes and what it depends on, in one pass over the
 * program for all of them, as operands have lower numbers.
 *
 * The octaves are the difficult part. An operation depends on a set of noises (samples of the
 * drainage network and numbers of cells are counted among them), and operations share noises, so
 * octaves of operands do not add up; and a set for each operation is 8192 × 8192 bits. So the
 * noises are taken 64 at a time: a pass gives each operation the bits of those that it depends on,
 * and adds up their octaves by bytes, from tables of the sums of all 256 combinations of 8 noises
 * (the method of four Russians: V. L. Arlazarov et al., 1970). Marking what an operation depends
 * on, for one operation after another, would take the square of the program. */
#include <stdlib.h>
#include <string.h>

#include "core/program/operation_row.h"

enum {
    GROUP = 64,
    GROUP_BYTES = GROUP / 8,
};

/* 64 noises, in the order of the program. */
struct noise_group {
    uint32_t first, end; /* operations: the first noise, and behind the last one */
    uint32_t sums[GROUP_BYTES][256];
};

/* Finds the noises from group->end on, and sums up their octaves. False if there are none. */
static bool next_group(const struct program *program, struct noise_group *group)
{
    uint32_t counts[GROUP] = {0}, count = 0, at = group->end;
    for (; at < program->count && count < GROUP; at++) {
        const uint32_t octaves = program_octaves(program, &program->operations[at]);
        if (octaves == 0)
            continue;
        group->first = count == 0 ? at : group->first;
        counts[count++] = octaves;
    }
    group->end = at;
    for (unsigned byte = 0; byte < GROUP_BYTES; byte++) {
        uint32_t *sums = group->sums[byte];
        sums[0] = 0;
        for (unsigned i = 1; i < 256; i++) /* without the lowest bit, and with it */
            sums[i] = sums[i & (i - 1)] + counts[8 * byte + (unsigned)__builtin_ctz(i)];
    }
    return count > 0;
}

static uint32_t sum_octaves(const struct noise_group *group, uint64_t noises)
{
    uint32_t sum = 0;
    for (unsigned byte = 0; byte < GROUP_BYTES; byte++)
        sum += group->sums[byte][noises >> 8 * byte & 0xFF];
    return sum;
}

/* Adds the octaves of a group's noises to every operation that depends on them. */
static void add_group(const struct program *program, const struct noise_group *group,
                      uint64_t *noises, struct operation_facts *facts)
{
    unsigned found = 0;
    memset(noises, 0, program->count * sizeof *noises);
    for (uint32_t i = group->first; i < program->count; i++) {
        const struct operation *operation = &program->operations[i];
        if (i < group->end && program_octaves(program, operation) > 0)
            noises[i] = (uint64_t)1 << found++;
        for (int k = 0; k < 3; k++)
            if (operation->operands[k] >= 0)
                noises[i] |= noises[operation->operands[k]];
        if (noises[i])
            facts[i].octaves += sum_octaves(group, noises[i]);
    }
}

/* What displaces a noise does not count, as it bends waves and makes none. */
static float longest_wave(const struct program *program, const struct operation *operation,
                          const struct operation_facts *facts)
{
    operation_wave *const rule = operation_rows[operation->code].wave;
    float longest = 0.0f;
    if (rule)
        return rule(program, operation);
    for (int k = 0; k < 3; k++)
        if (operation->operands[k] >= 0 && facts[operation->operands[k]].wave > longest)
            longest = facts[operation->operands[k]].wave;
    return longest;
}

struct operation_facts *program_analyze(struct program *program)
{
    struct operation_facts *facts = calloc(program->count + 1, sizeof *facts);
    uint64_t *noises = malloc((program->count + 1) * sizeof *noises);
    struct noise_group group = {.end = 0};
    if (!facts || !noises) {
        free(facts);
        free(noises);
        return NULL;
    }
    while (next_group(program, &group)) {
        add_group(program, &group, noises, facts);
        program->work += (program->count - group.first) / WORK_ANALYSED + WORK_GROUP;
    }
    for (uint32_t i = 0; i < program->count; i++)
        facts[i].wave = longest_wave(program, &program->operations[i], facts);
    program->work += program->count / WORK_ANALYSED;
    free(noises);
    return facts;
}
