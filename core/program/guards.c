/* Chooses the guards of products, conjunctions and choices.
 *
 * A guard is the operand that is evaluated first: where it is 0 over a whole band of samples, or
 * where a condition has one value, the other operand is not evaluated (see sampler_evaluate.c).
 * Looking for zeros costs most of a pass over the row, and a guarded operation cannot be fused. So
 * a guard must pay: what it skips is expensive, and the guard itself is 0 over areas, as
 * smoothstep(), clamps, splines and conditions are, and a noise that has faded out at the level of
 * detail. A choice is never fused, and takes longer than looking for zeros in its condition: that
 * always guards it.
 *
 * An operand's work is that of all operations that only it needs: those without readers left once
 * the operand has lost this one. */
#include "core/program/guards.h"

#include <stdlib.h>

#include "core/program/operation_row.h"

enum {
    /* in passes over a row */
    WORTH_SKIPPING = 4,
    PASSES_OF_OCTAVE = 8,
    /* operations that are looked at for a guard, so that the time is in proportion to theirs */
    LOOKED_AT_MAX = 64,
};

struct search {
    struct program *program;
    uint32_t *readers; /* those left, of each operation */
    bool *vanishes;    /* the operation may be 0 over areas */
};

static uint32_t own_work(const struct program *program, const struct operation *operation)
{
    const struct operation_row *row = &operation_rows[operation->code];
    if (row->octaves)
        return PASSES_OF_OCTAVE * row->octaves(program, operation);
    return row->passes > 0 ? row->passes : 1;
}

/* The work that is saved when one reader does without the operand; 0 if there is no operand. */
static uint32_t skipped_work(const struct search *search, int32_t operand)
{
    const struct operation *operations = search->program->operations;
    int32_t unread[LOOKED_AT_MAX]; /* operations without readers left */
    uint32_t count = 0, work = 0;
    if (operand < 0)
        return 0;
    if (--search->readers[operand] == 0)
        unread[count++] = operand;
    for (uint32_t i = 0; i < count; i++) {
        work += own_work(search->program, &operations[unread[i]]);
        for (int k = 0; k < 3; k++) {
            const int32_t next = operations[unread[i]].operands[k];
            if (next >= 0 && --search->readers[next] == 0 && count < LOOKED_AT_MAX)
                unread[count++] = next;
        }
    }
    search->readers[operand]++;
    for (uint32_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++)
            if (operations[unread[i]].operands[k] >= 0)
                search->readers[operations[unread[i]].operands[k]]++;
    search->program->work += count / 2;
    return work;
}

static bool operand_vanishes(const struct search *search, const struct operation *operation,
                             int operand)
{
    const int32_t value = operation->operands[operand];
    return value < 0 ? operation->k[0] == 0.0f : search->vanishes[value];
}

/* True if the operation may be 0 over a whole area, by its kind and its operands. */
static bool may_vanish(const struct search *search, const struct operation *operation)
{
    const struct interval bounds = operation->bounds;
    const bool a = operand_vanishes(search, operation, 0);
    const bool b = operand_vanishes(search, operation, 1);
    if (bounds.low > 0.0f || bounds.high < 0.0f)
        return false;
    switch (operation_rows[operation->code].zeros) {
    case ZERO_AT_LINES:
        return false;
    case ZERO_WITH_A:
        return a;
    case ZERO_WITH_BOTH:
        return a && b;
    case ZERO_WITH_EITHER:
        return a || b;
    case ZERO_WITH_CHOICE:
        return b || operand_vanishes(search, operation, 2);
    case ZERO_BY_ITSELF:
        break;
    }
    return true;
}

static enum operation_guard guard_of(const struct search *search, const struct operation *operation)
{
    const int32_t a = operation->a, b = operation->b;
    const enum operation_guarding guarding = operation_rows[operation->code].guarding;
    if (guarding == GUARDS_BY_CONDITION)
        return GUARD_A;
    if (guarding != GUARDS_BY_ZERO || a < 0 || b < 0)
        return GUARD_NONE;
    const uint32_t skipped_by_a = search->vanishes[a] ? skipped_work(search, b) : 0;
    const uint32_t skipped_by_b = search->vanishes[b] ? skipped_work(search, a) : 0;
    if (skipped_by_a < WORTH_SKIPPING && skipped_by_b < WORTH_SKIPPING)
        return GUARD_NONE;
    return skipped_by_b > skipped_by_a ? GUARD_B : GUARD_A;
}

bool guards_choose(struct program *program)
{
    struct search search = {
        .program = program,
        .readers = malloc((program->count + 1) * sizeof *search.readers),
        .vanishes = calloc(program->count + 1, sizeof *search.vanishes),
    };
    const bool done = search.readers && search.vanishes;
    for (uint32_t i = 0; done && i < program->count; i++) {
        search.readers[i] = program->operations[i].readers;
        search.vanishes[i] = may_vanish(&search, &program->operations[i]);
        program->operations[i].guard = guard_of(&search, &program->operations[i]);
    }
    free(search.readers);
    free(search.vanishes);
    return done;
}
