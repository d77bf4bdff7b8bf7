/* A budget of bytes: how much memory things of one kind may take at once, such as responses that no
 * cache holds. Their bytes are reserved, and released when they are freed. All functions may be
 * called by many threads. */
#ifndef TERRANE_SERVER_BASE_MEMORY_BUDGET_H
#define TERRANE_SERVER_BASE_MEMORY_BUDGET_H

#include <stdbool.h>
#include <stddef.h>

struct memory_budget {
    size_t limit; /* bytes; atomic, like `used` */
    size_t used;
    size_t *account; /* atomic: a sum over several budgets that `used` is part of, too; or null */
};

/* Bytes that are already reserved stay reserved, even if they exceed the new limit. */
static inline void memory_budget_set_limit(struct memory_budget *budget, size_t limit)
{
    __atomic_store_n(&budget->limit, limit, __ATOMIC_RELAXED);
}

static inline size_t memory_budget_limit(const struct memory_budget *budget)
{
    return __atomic_load_n(&budget->limit, __ATOMIC_RELAXED);
}

/* False if so much is not left: then nothing is reserved. */
static inline bool memory_budget_reserve(struct memory_budget *budget, size_t bytes)
{
    const size_t limit = memory_budget_limit(budget);
    size_t used = __atomic_load_n(&budget->used, __ATOMIC_RELAXED);
    do {
        if (bytes > limit || used > limit - bytes)
            return false;
    } while (!__atomic_compare_exchange_n(&budget->used, &used, used + bytes, true,
                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    if (budget->account)
        __atomic_fetch_add(budget->account, bytes, __ATOMIC_RELAXED);
    return true;
}

static inline void memory_budget_release(struct memory_budget *budget, size_t bytes)
{
    __atomic_fetch_sub(&budget->used, bytes, __ATOMIC_RELAXED);
    if (budget->account)
        __atomic_fetch_sub(budget->account, bytes, __ATOMIC_RELAXED);
}

static inline size_t memory_budget_used(const struct memory_budget *budget)
{
    return __atomic_load_n(&budget->used, __ATOMIC_RELAXED);
}

#endif
