/* Memory for answers that are neither small nor cached: how much of it may be in use at once.
 * Whoever makes such an answer takes what it may come to first, and gives it back when it has been
 * sent. All functions may be called by many threads. */
#ifndef TERRANE_SERVER_HTTP_RESERVE_H
#define TERRANE_SERVER_HTTP_RESERVE_H

#include <stdbool.h>
#include <stddef.h>

struct reserve {
    size_t limit; /* bytes; atomic, like what is taken of them */
    size_t taken;
};

/* What is taken already stays so, even if it is more. */
void reserve_limit(struct reserve *reserve, size_t limit);
/* False if that is more than is left. */
bool reserve_take(struct reserve *reserve, size_t bytes);
void reserve_give(struct reserve *reserve, size_t bytes);
size_t reserve_taken(const struct reserve *reserve);

#endif
