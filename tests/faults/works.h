/* Works whose every allocation is made to fail, one run after another, and what they work on. Each
 * time the answer must be a clean ERROR_MEMORY, nothing be left allocated, and the next call work.
 */
#ifndef TERRANE_FAULTS_WORKS_H
#define TERRANE_FAULTS_WORKS_H

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/tile/style.h"
#include "core/world/world.h"

/* True when done. A work on something that outlives a failure disarms the faults after the failed
 * call and checks that the same thing then does it. */
typedef bool work(struct error *error);

/* Until a run needs fewer allocations: each of them fails once, then all from it on do. */
void works_fail_each(work *work);

/* A test of that. */
#define WORK(name)                                                                                 \
    static void name##_fails_cleanly(void **state)                                                 \
    {                                                                                              \
        (void)state;                                                                               \
        works_fail_each(work_##name);                                                              \
    }

enum { SIDE = 24 };

/* Between works_set_up() and works_tear_down(), which are for cmocka's groups. */
extern struct material {
    struct buffer terra, relief; /* files */
    struct world *world;         /* a small one */
    struct style *style;
    struct sample_grid grid; /* of SIDE × SIDE samples */
} material;

int works_set_up(void **state);
int works_tear_down(void **state);

#endif
