#include "server/http/pace.h"

void pace_add(struct pace *pace, uint64_t cost, uint64_t microseconds)
{
    pace->cost += cost;
    pace->busy += microseconds;
    if (pace->busy > PACE_WINDOW) {
        pace->cost /= 2;
        pace->busy /= 2;
    }
}

uint64_t pace_rate(const struct pace *pace)
{
    if (pace->busy == 0)
        return PACE_UNKNOWN;
    const double rate = (double)pace->cost * 1e6 / (double)pace->busy;
    return rate < 1.0 ? 1 : rate < 0x1p62 ? (uint64_t)rate : (uint64_t)1 << 62;
}

unsigned pace_retry_after(uint64_t cost, uint64_t rate)
{
    const uint64_t seconds = cost / rate + (cost % rate > 0);
    return seconds < 1 ? 1 : seconds > PACE_RETRY_MAX ? PACE_RETRY_MAX : (unsigned)seconds;
}
