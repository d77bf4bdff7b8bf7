/* Computing is counted in a bucket as the time, in microseconds, in which the client may have so
 * much computed. A reservation is rounded up and a refund down, so that no order of them adds to an
 * account. */
#include "server/http/jobs/account.h"

#include "server/http/jobs/token_buckets.h"

#define SECOND 1e6 /* microseconds */

static int64_t microseconds(const struct account *account, uint64_t nanoseconds)
{
    return account->bucket && account->rate > 0
               ? (int64_t)((double)nanoseconds / (double)account->rate * SECOND)
               : -1;
}

int64_t account_reserve(const struct account *account, uint64_t nanoseconds, int64_t now)
{
    const int64_t amount = microseconds(account, nanoseconds);
    return amount < 0 ? 0
                      : token_bucket_take(account->bucket, BUCKET_COMPUTING, amount + 1,
                                          account->burst, now);
}

void account_refund(const struct account *account, uint64_t nanoseconds)
{
    const int64_t amount = microseconds(account, nanoseconds);
    if (amount > 0)
        token_bucket_refund(account->bucket, BUCKET_COMPUTING, amount);
}

uint64_t account_settle(const struct account *account, uint64_t reserved, uint64_t used)
{
    const uint64_t unused = reserved > used ? reserved - used : 0;
    account_refund(account, unused);
    return unused;
}
