/* Keys by number, and waiting for a store to write. */
#ifndef TERRANE_TESTS_STORE_HELPERS_H
#define TERRANE_TESTS_STORE_HELPERS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "server/cache/store.h"

static inline struct cache_key key_of(uint64_t number)
{
    struct cache_key key;
    memset(&key, 0, sizeof key);
    memcpy(key.bytes, &number, sizeof number);
    cache_key_seal(&key);
    return key;
}

static inline void pause_milliseconds(long milliseconds)
{
    nanosleep(&(struct timespec){milliseconds / 1000, milliseconds % 1000 * 1000000}, NULL);
}

/* Until so many records were written or lost; a minute is for ever. */
static inline void wait_for(struct store *store, uint64_t puts)
{
    for (int i = 0; i < 6000; i++) {
        const struct store_statistics now = store_statistics(store);
        if (now.writes + now.write_failures >= puts)
            return;
        pause_milliseconds(10);
    }
    fail_msg("the records were not written");
}

#endif
