/* Memory for answers that are neither small nor cached: how much of it may be in use at once.
 * Whoever makes such an answer takes what it may come to first, and gives it back when it has been
 * sent. All functions may be called by many threads. */
#ifndef TERRANE_SERVER_HTTP_JOBS_MEMORY_BUDGET_H
#define TERRANE_SERVER_HTTP_JOBS_MEMORY_BUDGET_H

#include <stdbool.h>
#include <stddef.h>

struct memory_budget {
    size_t limit; /* bytes; atomic, like what is taken of them */
    size_t used;
};

/* What is taken already stays so, even if it is more. */
void memory_budget_set_limit(struct memory_budget *budget, size_t limit);
/* False if that is more than is left. */
bool memory_budget_reserve(struct memory_budget *budget, size_t bytes);
void memory_budget_release(struct memory_budget *budget, size_t bytes);
size_t memory_budget_used(const struct memory_budget *budget);

#endif
