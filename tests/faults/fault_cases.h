/* Works whose allocations are made to fail, one run after another, and what they work on. Each
 * time the answer must be a clean ERROR_MEMORY, nothing be left allocated, and the next call work.
 */
#ifndef TERRANE_TESTS_FAULTS_FAULT_CASES_H
#define TERRANE_TESTS_FAULTS_FAULT_CASES_H

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/tile/style.h"
#include "core/worldfile/world.h"

/* True when done. A work on something that outlives a failure disarms the faults after the failed
 * call and checks that the same thing then does it. */
typedef bool fault_case(struct error *error);

/* Each allocation that faults_record() chooses fails alone, and then with all behind it. */
void fault_case_run(fault_case *fault_case);

/* A test of that. */
#define FAULT_CASE(name)                                                                           \
    static void name##_fails_cleanly(void **state)                                                 \
    {                                                                                              \
        (void)state;                                                                               \
        fault_case_run(case_##name);                                                               \
    }

enum { SIDE = 24 };

/* Between fixture_set_up() and fixture_tear_down(), which are for cmocka's groups. */
extern struct fixture {
    struct buffer terra, relief; /* files */
    struct world *world;         /* a small one */
    struct style *style;
    struct sample_grid grid; /* of SIDE × SIDE samples */
} fixture;

int fixture_set_up(void **state);
int fixture_tear_down(void **state);

#endif
