/* Fuses operations into superinstructions: pairs that one pass over the rows computes (see
 * row_kernels_fused.c).
 *
 * Candidates are sums, products, minima and maxima whose bounds show that no sample overflows. One
 * that one operation reads is fused into its reader; the reader gets its operands, and its own
 * other operand becomes c. The operation stays in the program for layers that are its result: then
 * its row is made as well if such a layer is requested, and the reader computes it again, which
 * costs nothing in a pass that waits for loads. Guarded operations are not fused into, nor into
 * others: their operands may be skipped. */
#include "core/program/fuse.h"

#include "core/program/operation_row.h"

/* The halves that it can be: by itself, or of a pair. */
static struct operation_half half_of(const struct operation *operation)
{
    const struct operation_halves *halves = operation_rows[operation->code].halves;
    if (!halves)
        return (struct operation_half){-1, -1, -1};
    return operation->a < 0 || operation->b < 0 ? halves->number : halves->rows;
}

/* True if no sample overflows. */
static bool is_finite(const struct operation *operation)
{
    const struct operation_halves *halves = operation_rows[operation->code].halves;
    return operation->finite || (halves && halves->clamps);
}

/* Makes it a fused operation of its own half. */
static void fuse_alone(struct operation *operation)
{
    const struct operation_half half = half_of(operation);
    if (half.first < 0)
        return;
    if (operation->a < 0) {
        operation->a = operation->b;
        operation->b = -1;
    }
    operation->code = OP_FUSED;
    operation->fused.first = (uint8_t)half.first;
    operation->fused.second = THEN_NOTHING;
}

/* The operand if it is one operation that may become a part of its only reader, else null. */
static const struct operation *fusible(const struct program *program, int32_t value)
{
    const struct operation *operand = value < 0 ? NULL : &program->operations[value];
    const bool fits = operand && operand->code == OP_FUSED && operand->readers == 1 &&
                      operand->fused.second == THEN_NOTHING && operand->guard == GUARD_NONE;
    return fits ? operand : NULL;
}

/* The other operand of a sum or a difference that has v on its left, a product by a number, can be
 * fused as well. */
static void fuse_scaled(const struct program *program, struct operation *fused)
{
    const struct operation *product = fusible(program, fused->c);
    const bool adds = fused->fused.second == THEN_ADD;
    if ((!adds && fused->fused.second != THEN_SUBTRACT) || !product ||
        product->fused.first != FUSED_SCALE)
        return;
    fused->c = product->a;
    fused->k[1] = adds ? product->k[0] : -product->k[0];
    fused->fused.second = THEN_ADD_SCALED;
}

/* Fuses operand `side` (0: a, 1: b) into the operation, if that is possible. */
static bool fuse_operand(const struct program *program, int side, struct operation *operation)
{
    const struct operation *operand = fusible(program, operation->operands[side]);
    const struct operation_half half = half_of(operation);
    const int second = side == 0 ? half.second : half.second_from_right;
    if (!operand || second < 0)
        return false;
    operation->c = operation->operands[1 - side];
    operation->a = operand->a;
    operation->b = operand->b;
    operation->k[1] = operation->k[0];
    operation->k[0] = operand->k[0];
    operation->code = OP_FUSED;
    operation->fused.first = operand->fused.first;
    operation->fused.second = (uint8_t)second;
    fuse_scaled(program, operation);
    return true;
}

void fuse_operations(struct program *program)
{
    for (uint32_t i = 0; i < program->count; i++) {
        struct operation *operation = &program->operations[i];
        if (!is_finite(operation))
            continue;
        if (operation->guard != GUARD_NONE ||
            (!fuse_operand(program, 0, operation) && !fuse_operand(program, 1, operation)))
            fuse_alone(operation);
    }
}
