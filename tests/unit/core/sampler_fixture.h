/* A sampler for all tests of a group, made and freed around the group. Include cmocka.h first. */
#ifndef TERRANE_TESTS_SAMPLER_FIXTURE_H
#define TERRANE_TESTS_SAMPLER_FIXTURE_H

#include "tests/unit/core/world_of.h" /* first: it has locals of this name */

static struct sampler *sampler;

static inline int open_sampler(void **unused)
{
    (void)unused;
    sampler = sampler_new();
    return sampler ? 0 : -1;
}

static inline int close_sampler(void **unused)
{
    (void)unused;
    sampler_free(sampler);
    sampler_free(NULL);
    return 0;
}

#endif
