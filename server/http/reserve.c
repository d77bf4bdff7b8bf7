#include "server/http/reserve.h"

void reserve_limit(struct reserve *reserve, size_t limit)
{
    __atomic_store_n(&reserve->limit, limit, __ATOMIC_RELAXED);
}

bool reserve_take(struct reserve *reserve, size_t bytes)
{
    const size_t limit = __atomic_load_n(&reserve->limit, __ATOMIC_RELAXED);
    size_t taken = __atomic_load_n(&reserve->taken, __ATOMIC_RELAXED);
    do {
        if (bytes > limit || taken > limit - bytes)
            return false;
    } while (!__atomic_compare_exchange_n(&reserve->taken, &taken, taken + bytes, true,
                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return true;
}

void reserve_give(struct reserve *reserve, size_t bytes)
{
    __atomic_fetch_sub(&reserve->taken, bytes, __ATOMIC_RELAXED);
}

size_t reserve_taken(const struct reserve *reserve)
{
    return __atomic_load_n(&reserve->taken, __ATOMIC_RELAXED);
}
