/* A budget of bytes: how much memory responses that are neither small nor cached may take at once.
 * The bytes of such a response are reserved before it is made, and released when it has been sent.
 * All functions may be called by many threads. */
#ifndef TERRANE_SERVER_HTTP_JOBS_MEMORY_BUDGET_H
#define TERRANE_SERVER_HTTP_JOBS_MEMORY_BUDGET_H

#include <stdbool.h>
#include <stddef.h>

struct memory_budget {
    size_t limit; /* bytes; atomic, like `used` */
    size_t used;
};

/* Bytes that are already reserved stay reserved, even if they exceed the new limit. */
static inline void memory_budget_set_limit(struct memory_budget *budget, size_t limit)
{
    __atomic_store_n(&budget->limit, limit, __ATOMIC_RELAXED);
}

/* False if so much is not left: then nothing is reserved. */
static inline bool memory_budget_reserve(struct memory_budget *budget, size_t bytes)
{
    const size_t limit = __atomic_load_n(&budget->limit, __ATOMIC_RELAXED);
    size_t used = __atomic_load_n(&budget->used, __ATOMIC_RELAXED);
    do {
        if (bytes > limit || used > limit - bytes)
            return false;
    } while (!__atomic_compare_exchange_n(&budget->used, &used, used + bytes, true,
                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return true;
}

static inline void memory_budget_release(struct memory_budget *budget, size_t bytes)
{
    __atomic_fetch_sub(&budget->used, bytes, __ATOMIC_RELAXED);
}

static inline size_t memory_budget_used(const struct memory_budget *budget)
{
    return __atomic_load_n(&budget->used, __ATOMIC_RELAXED);
}

#endif
