#include "server/http/reserve.h"

bool reserve_take(struct reserve *reserve, size_t bytes)
{
    size_t taken = __atomic_load_n(&reserve->taken, __ATOMIC_RELAXED);
    do {
        if (bytes > reserve->limit || taken > reserve->limit - bytes)
            return false;
    } while (!__atomic_compare_exchange_n(&reserve->taken, &taken, taken + bytes, true,
                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return true;
}

void reserve_give(struct reserve *reserve, size_t bytes)
{
    __atomic_fetch_sub(&reserve->taken, bytes, __ATOMIC_RELAXED);
}
