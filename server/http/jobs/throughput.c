#include "server/http/jobs/throughput.h"

void throughput_add(struct throughput *throughput, uint64_t cost, uint64_t microseconds)
{
    throughput->cost += cost;
    throughput->busy += microseconds;
    if (throughput->busy > THROUGHPUT_WINDOW) {
        throughput->cost /= 2;
        throughput->busy /= 2;
    }
}

uint64_t throughput_rate(const struct throughput *throughput)
{
    if (throughput->busy == 0)
        return THROUGHPUT_UNKNOWN;
    const double rate = (double)throughput->cost * 1e6 / (double)throughput->busy;
    return rate < 1.0 ? 1 : rate < 0x1p62 ? (uint64_t)rate : (uint64_t)1 << 62;
}

unsigned throughput_retry_after(uint64_t cost, uint64_t rate)
{
    const uint64_t seconds = cost / rate + (cost % rate > 0);
    return seconds < 1                      ? 1
           : seconds > THROUGHPUT_RETRY_MAX ? THROUGHPUT_RETRY_MAX
                                            : (unsigned)seconds;
}
