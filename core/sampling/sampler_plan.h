/* The plan of one call of a sampler: which operations it needs, how often each result is read in a
 * band, and which results are the same for all samples of the call. Internal to the sampler. */
#ifndef TERRANE_SAMPLING_SAMPLER_PLAN_H
#define TERRANE_SAMPLING_SAMPLER_PLAN_H

#include "core/program/row_kernels.h"
#include "core/program/row_kernels_position.h"

/* The plan for one operation of the program, and its state in a band. */
struct operation_plan {
    int32_t operands[3]; /* those of the operation that are read in this call; the others are -1 */
    uint32_t readers;    /* how often its result is read in a band; 0 if it is not needed */
    uint32_t reads_left; /* how many of those are still to come in this band */
    bool is_uniform;     /* every sample of the call is `value` */
    float value;
    const float *result; /* in this band, null before it is evaluated; if uniform, in the call */
    float *row;          /* the recycled row that holds the result, or null */
    int32_t lender;      /* the operand whose result this is as well, which holds its row, or -1 */
    float *output;       /* where the caller wants the result's samples, or null */
    size_t grid_offset;  /* of a noise: the place of its grid in memory */
    struct noise_grid *grid; /* null before its first use in a block */
    /* Entry i of lists of the call, whatever operation i is. */
    uint32_t needed;
    uint32_t coarse;   /* operations OP_COARSE */
    uint32_t drainage; /* operations OP_DRAINAGE */
    float *free_row;
};

struct sampling_plan {
    struct operation_plan *operations; /* by their numbers in the program */
    uint32_t capacity;
    uint32_t needed_count, uniform_count, coarse_count, drainage_count;
    float sample_work; /* nanoseconds, roughly, without what nodes and the network take */
    bool places;       /* the call is for a list of places */
};

/* Empties the plan for a program and a call for a list of places, or for a grid; false when memory
 * is out. */
bool sampling_plan_begin(struct sampling_plan *plan, const struct program *program, bool places);
void sampling_plan_free(struct sampling_plan *plan);

/* Adds a reader of an operation, and the operations that it reads. */
void sampling_plan_add(struct sampling_plan *plan, const struct program *program, int32_t index,
                       const struct noise_uniforms *uniforms, struct noise_scratch *scratch);

/* The zeros in the row of a result, as far as the plan knows. */
enum row_zeros sampling_plan_zeros(const struct operation_plan *plan);
/* True if the zeros of an operation's guard decide the result for all samples. Then *selected is
 * the operand that is the result, or -1 for a result of 0. */
bool sampling_plan_guard_decides(const struct operation *operation, enum row_zeros zeros,
                                 int32_t *selected);
/* The operand that guards the operation, or -1. */
int32_t sampling_plan_guard(const struct operation *operation);

#endif
