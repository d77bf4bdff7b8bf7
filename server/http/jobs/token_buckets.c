/* A bucket is two times, and taking from it is one compare-and-swap on one of them: no lock, no
 * timer that refills. A refund is a subtraction; it may put the time before now, which only means
 * full.
 *
 * token_buckets_find() is deliberately without synchronisation: when two loops claim the same
 * bucket for two new clients at once, one of them overwrites the tag of the other, whose requests
 * then find another bucket. That gives a client a little more or less than its share, which is not
 * worth a lock on the path of each request. */
#include "server/http/jobs/token_buckets.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"

struct token_buckets {
    size_t mask; /* of sets */
    uint64_t key;
    struct token_bucket all[];
};

struct token_buckets *token_buckets_new(size_t sets, uint64_t key)
{
    struct token_buckets *buckets =
        calloc(1, sizeof *buckets + sets * TOKEN_BUCKETS_WAYS * sizeof(struct token_bucket));
    if (!buckets)
        return NULL;
    buckets->mask = sets - 1;
    buckets->key = key;
    return buckets;
}

void token_buckets_free(struct token_buckets *buckets)
{
    free(buckets);
}

/* The time until the bucket is full, summed over its kinds. */
static int64_t fill_deficit(const struct token_bucket *bucket, int64_t now)
{
    int64_t sum = 0;
    for (enum token_bucket_kind kind = 0; kind < BUCKET_KINDS; kind++) {
        const int64_t full = __atomic_load_n(&bucket->full[kind], __ATOMIC_RELAXED);
        sum += full > now ? full - now : 0;
    }
    return sum;
}

struct token_bucket *token_buckets_find(struct token_buckets *buckets, const uint8_t address[16],
                                        int64_t now)
{
    const struct hash128 hash = hash_bytes(address, 16, buckets->key);
    const uint64_t tag = hash.high | 1;
    struct token_bucket *set = &buckets->all[(hash.low & buckets->mask) * TOKEN_BUCKETS_WAYS];
    for (int i = 0; i < TOKEN_BUCKETS_WAYS; i++)
        if (__atomic_load_n(&set[i].tag, __ATOMIC_RELAXED) == tag)
            return &set[i];
    struct token_bucket *fullest = set;
    for (int i = 1; i < TOKEN_BUCKETS_WAYS; i++)
        if (fill_deficit(&set[i], now) < fill_deficit(fullest, now))
            fullest = &set[i];
    __atomic_store_n(&fullest->tag, tag, __ATOMIC_RELAXED);
    return fullest;
}

int64_t token_bucket_take(struct token_bucket *bucket, enum token_bucket_kind kind, int64_t amount,
                          int64_t burst, int64_t now)
{
    const int64_t needed = amount < burst ? amount : burst;
    int64_t full = __atomic_load_n(&bucket->full[kind], __ATOMIC_RELAXED);
    for (;;) {
        const int64_t start = full > now ? full : now;
        const int64_t wait = start - now + needed - burst;
        if (wait > 0)
            return wait;
        if (__atomic_compare_exchange_n(&bucket->full[kind], &full, start + amount, true,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            return 0;
    }
}

void token_bucket_refund(struct token_bucket *bucket, enum token_bucket_kind kind, int64_t amount)
{
    __atomic_fetch_sub(&bucket->full[kind], amount, __ATOMIC_RELAXED);
}
