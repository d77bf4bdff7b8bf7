/* Token buckets, one for each client: how much each may ask for in a while.
 *
 * A bucket fills evenly up to its burst. What is taken is counted in the time that it takes to fill
 * up again (microseconds), so a bucket is only the moment at which it will be full: the "generic
 * cell rate algorithm" of ATM (ITU-T I.371). Each has two, for requests and for cost, with bursts
 * of the same length.
 *
 * The table has a fixed size: 8 buckets to a set, the set chosen by a keyed hash of the client's
 * address, so that nobody can know who shares his. Where a set is full, a new client takes over the
 * bucket that is nearest to being full, with what is missing in it. So a set never gives more than
 * its buckets do, however many addresses ask: coming with many addresses empties no bucket of one's
 * own, and does others harm only when all 8 of a set are in use.
 *
 * The clock is handed in. All functions may be called by many threads; there is no lock. */
#ifndef TERRANE_SERVER_HTTP_JOBS_TOKEN_BUCKETS_H
#define TERRANE_SERVER_HTTP_JOBS_TOKEN_BUCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TOKEN_BUCKETS_WAYS = 8 };

enum token_bucket_kind {
    BUCKET_REQUESTS,
    BUCKET_COST,
    BUCKET_KINDS,
};

struct token_bucket {
    uint64_t tag;               /* atomic: of the client's address; 0 is nobody's */
    int64_t full[BUCKET_KINDS]; /* atomic: when it will be full */
};

struct token_buckets;

/* So many sets, a power of two; `key` should be random. Null when memory is out. */
struct token_buckets *token_buckets_new(size_t sets, uint64_t key);
void token_buckets_free(struct token_buckets *buckets); /* null is allowed */

/* The client's bucket; it is full if the client is new and a free one was there. Never null. By the
 * next call it may be another client's, which harms nobody much. */
struct token_bucket *token_buckets_find(struct token_buckets *buckets, const uint8_t address[16],
                                        int64_t now);

/* Takes `amount` (microseconds, as all times here): 0. If there is not so much in it, nothing is
 * taken, and the answer is how long it will be until there is. What is more than the burst can be
 * taken from a full bucket, which then takes the longer to fill. */
int64_t token_bucket_take(struct token_bucket *bucket, enum token_bucket_kind kind, int64_t amount,
                          int64_t burst, int64_t now);
/* Gives back what was taken and not used. */
void token_bucket_refund(struct token_bucket *bucket, enum token_bucket_kind kind, int64_t amount);

#endif
