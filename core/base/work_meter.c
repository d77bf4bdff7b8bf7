/* See work_meter.h. */
#include "core/base/work_meter.h"

/* The count at which work_review() has something to do again. */
static uint64_t next_review(const struct work_meter *meter)
{
    const struct work_limit *limit = &meter->limit;
    if (!limit->ask || limit->most - meter->done <= WORK_BETWEEN_QUESTIONS)
        return limit->most;
    return meter->done + WORK_BETWEEN_QUESTIONS;
}

void work_begin(struct work_meter *meter, const struct work_limit *limit)
{
    *meter = (struct work_meter){.limit = *limit};
    meter->next = next_review(meter);
}

bool work_review(struct work_meter *meter)
{
    const struct work_limit *limit = &meter->limit;
    if (meter->verdict == WORK_GO_ON)
        meter->verdict = meter->done >= limit->most ? WORK_TOO_MUCH
                         : limit->ask               ? limit->ask(limit->context)
                                                    : WORK_GO_ON;
    meter->next = meter->verdict == WORK_GO_ON ? next_review(meter) : 0;
    return meter->verdict == WORK_GO_ON;
}

bool work_fail(const struct work_meter *meter, struct error *error)
{
    switch (meter->verdict) {
    case WORK_TOO_MUCH:
        return error_set(error, ERROR_WORK,
                         "stopped after %.0f ms of computing: more than it may take",
                         (double)meter->done * 1e-6);
    case WORK_CANCELLED:
        return error_set(error, ERROR_CANCELLED, "cancelled");
    default:
        return error_memory(error);
    }
}
