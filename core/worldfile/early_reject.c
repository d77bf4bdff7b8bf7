/* Finds the early reject of each density: the product of its cheap factors.
 *
 * A density is often a product: a clump noise of a few octaves, a climate limit, and a rule about
 * biomes that needs the whole world. If all factors are bounded, the cheap ones times the largest
 * product of the others bound the density. So a candidate whose chance is not below that bound is
 * rejected without sampling the expensive factors; in sparse vegetation that is most candidates.
 *
 * A factor is cheap if it lies in 0 … 1 and takes less than a quarter of the octaves of the
 * density. No factor may be negative, or the product of bounds would bound nothing. The cheap
 * factors' product is added to the program as an operation like any other; its own factors are
 * there already, so sampling it before the density does no work that the density could not need. */
#include "core/worldfile/world_private.h"

enum {
    FACTORS_MAX = 32,
    CHEAP_RATIO = 4, /* a cheap factor takes less than 1 / CHEAP_RATIO of the density */
};

/* 0 … 1 with tolerance, as the bounds of smoothstep() overshoot by 0.0001. WORLD_EARLY_REJECT_SLACK
 * is larger than the effect. */
static const struct interval unit_interval = {-0.0005f, 1.001f};
/* The bound of the other factors' product must be in this range: the slack is absolute. */
#define REST_MIN 0.01f
#define REST_MAX 1e6f

struct factors {
    int32_t values[FACTORS_MAX];
    bool cheap[FACTORS_MAX];
    uint32_t count;
    bool fits;     /* an early reject is possible, as far as is known */
    float highest; /* an upper bound of the product of the factors that are not cheap */
};

/* Collects the factors of a product, and of factors that are products themselves. Ends with the
 * first factor too many: a square is a product of one factor twice, so powers of powers have more
 * factors than could ever be counted. */
static void collect_factors(struct factors *factors, const struct program *program, int32_t value)
{
    const struct operation *operation = &program->operations[value];
    if (!factors->fits)
        return;
    if (operation->code != OP_MULTIPLY) {
        factors->fits = factors->count < FACTORS_MAX;
        if (factors->fits)
            factors->values[factors->count++] = value;
        return;
    }
    if (operation->a >= 0)
        collect_factors(factors, program, operation->a);
    if (operation->b >= 0)
        collect_factors(factors, program, operation->b);
    if (operation->a < 0 || operation->b < 0)
        factors->highest *= operation->k[0];
}

/* Decides which factors are cheap, and bounds the product of the others. */
static void classify_factors(struct factors *factors, const struct program *program,
                             const struct operation_facts *facts, int32_t density)
{
    for (uint32_t i = 0; i < factors->count; i++) {
        const int32_t factor = factors->values[i];
        const struct interval bounds = program->operations[factor].bounds;
        factors->fits = factors->fits && bounds.low >= unit_interval.low;
        factors->cheap[i] = bounds.high <= unit_interval.high &&
                            (uint64_t)CHEAP_RATIO * facts[factor].octaves < facts[density].octaves;
        if (!factors->cheap[i])
            factors->highest *= bounds.high;
    }
    factors->fits = factors->fits && factors->highest >= REST_MIN && factors->highest <= REST_MAX;
}

/* Adds the product of the cheap factors as an operation; -1 if there are none. False if the program
 * has no room or memory is out. */
static bool multiply_cheap_factors(const struct factors *factors, struct program *program,
                                   int32_t *early_reject)
{
    *early_reject = -1;
    for (uint32_t i = 0; i < factors->count && factors->fits; i++) {
        const int32_t value = factors->values[i];
        if (!factors->cheap[i])
            continue;
        *early_reject =
            *early_reject < 0 ? value : program_binary(program, OP_MULTIPLY, *early_reject, value);
        if (*early_reject < 0)
            return false;
    }
    return true;
}

bool world_find_early_rejects(struct world *world, const struct operation_facts *facts)
{
    struct program *program = &world->program;
    const uint32_t first = world_density_layer(world, 0), kinds = world->object_count;
    for (uint32_t i = 0; i < kinds; i++) {
        const int32_t density = world->program.values[first + i];
        struct factors factors = {.fits = true, .highest = 1.0f};
        collect_factors(&factors, program, density);
        classify_factors(&factors, program, facts, density);
        if (!multiply_cheap_factors(&factors, program, &world->program.values[first + kinds + i]))
            return false;
        world->density_bounds[i].early_reject_high = factors.highest;
    }
    return true;
}
