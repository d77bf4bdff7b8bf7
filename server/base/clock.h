/* A clock that never goes back (CLOCK_MONOTONIC). Its zero has no meaning. */
#ifndef TERRANE_SERVER_BASE_CLOCK_H
#define TERRANE_SERVER_BASE_CLOCK_H

#include <stdint.h>

int64_t clock_milliseconds(void);
int64_t clock_microseconds(void);
double clock_seconds(void); /* to the nanosecond */

#endif
