/* Token buckets: how many requests and how much computing each client may ask for in a while.
 *
 * A bucket fills evenly up to its burst. An amount is counted as the time in which the bucket
 * regains it (microseconds), so a bucket is nothing but the moment at which it will be full: the
 * "generic cell rate algorithm" of ATM (ITU-T I.371). Each client has two, for requests and for
 * computing, with bursts of the same length.
 *
 * The table has a fixed size: 8 buckets to a set, and the set chosen by a keyed hash of the
 * client's address, so that no client can know which addresses share its set. Where a set has no
 * bucket left, a new client takes over the one that is nearest to being full, with what is missing
 * in it. So a set never grants more than its buckets hold, however many addresses a client has; and
 * a client with many addresses affects others only in sets of which it uses all buckets.
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
    BUCKET_COMPUTING,
    BUCKET_KINDS,
};

struct token_bucket {
    uint64_t tag;               /* atomic: of the client's address; 0: no client has it */
    int64_t full[BUCKET_KINDS]; /* atomic: when it will be full */
};

struct token_buckets;

/* So many sets, a power of two; `key` should be random. Null when memory is out. */
struct token_buckets *token_buckets_new(size_t sets, uint64_t key);
void token_buckets_free(struct token_buckets *buckets); /* null is allowed */

/* The client's bucket, never null; full if the client is new and a bucket was free. After the next
 * call it may belong to another client: what is taken or refunded then goes to that client. */
struct token_bucket *token_buckets_find(struct token_buckets *buckets, const uint8_t address[16],
                                        int64_t now);

/* Takes `amount` (microseconds, like all times here) and returns 0. If the bucket has not so much,
 * nothing is taken, and the time until it has is returned. An amount above the burst needs a full
 * bucket, which then takes the longer to fill. */
int64_t token_bucket_take(struct token_bucket *bucket, enum token_bucket_kind kind, int64_t amount,
                          int64_t burst, int64_t now);
/* Gives back an amount that was taken and not used. */
void token_bucket_refund(struct token_bucket *bucket, enum token_bucket_kind kind, int64_t amount);

#endif
