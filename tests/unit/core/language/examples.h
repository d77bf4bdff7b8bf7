/* Formulas with what they give at one place. Include cmocka.h first. */
#ifndef TERRANE_TESTS_EXAMPLES_H
#define TERRANE_TESTS_EXAMPLES_H

#include <math.h>

#include "tests/unit/core/world_of.h"

struct example {
    const char *formula;
    double value;
};

/* At x = 0.25, y = -3: to a millionth, or exactly where that is what a float holds. */
static inline void assert_examples(const struct example *examples, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double value = (double)formula_at(examples[i].formula, 0.25, -3.0);
        double error = fabs(value - examples[i].value);
        if (!(error <= 1e-6 * fabs(examples[i].value)))
            fail_msg("%s is %.9g, not %.9g", examples[i].formula, value, examples[i].value);
    }
}
#define ASSERT_EXAMPLES(examples) assert_examples(examples, sizeof examples / sizeof *examples)

#endif
