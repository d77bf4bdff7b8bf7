/* A budget of bytes: how much memory responses that are neither small nor cached may take at once.
 * The bytes of such a response are reserved before it is made, and released when it has been sent.
 * All functions may be called by many threads. */
#ifndef TERRANE_SERVER_HTTP_JOBS_MEMORY_BUDGET_H
#define TERRANE_SERVER_HTTP_JOBS_MEMORY_BUDGET_H

#include <stdbool.h>
#include <stddef.h>

struct memory_budget {
    size_t limit; /* bytes; atomic, like `used` */
    size_t used;
};

/* What is reserved already stays so, even if it is more. */
void memory_budget_set_limit(struct memory_budget *budget, size_t limit);
/* False if so much is not left: then nothing is reserved. */
bool memory_budget_reserve(struct memory_budget *budget, size_t bytes);
void memory_budget_release(struct memory_budget *budget, size_t bytes);
size_t memory_budget_used(const struct memory_budget *budget);

#endif
