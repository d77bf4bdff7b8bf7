#include "server/http/jobs/memory_budget.h"

void memory_budget_set_limit(struct memory_budget *budget, size_t limit)
{
    __atomic_store_n(&budget->limit, limit, __ATOMIC_RELAXED);
}

bool memory_budget_reserve(struct memory_budget *budget, size_t bytes)
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

void memory_budget_release(struct memory_budget *budget, size_t bytes)
{
    __atomic_fetch_sub(&budget->used, bytes, __ATOMIC_RELAXED);
}

size_t memory_budget_used(const struct memory_budget *budget)
{
    return __atomic_load_n(&budget->used, __ATOMIC_RELAXED);
}
