/* Scratch memory that the tests of a file share. Include cmocka.h first. */
#ifndef TERRANE_TESTS_DRAINAGE_FIXTURE_H
#define TERRANE_TESTS_DRAINAGE_FIXTURE_H

#include "tests/unit/core/drainage/network_of.h"

static struct drainage *drainage;

static int open_drainage(void **unused)
{
    (void)unused;
    drainage = drainage_with(KEPT);
    return drainage ? 0 : -1;
}

static int close_drainage(void **unused)
{
    (void)unused;
    drainage_free(drainage);
    return 0;
}

#endif
