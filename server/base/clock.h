/* Clocks that never go back. Their zeros have no meaning. */
#ifndef TERRANE_SERVER_BASE_CLOCK_H
#define TERRANE_SERVER_BASE_CLOCK_H

#include <stdint.h>

/* CLOCK_MONOTONIC. */
int64_t clock_milliseconds(void);
int64_t clock_microseconds(void);
double clock_seconds(void); /* to the nanosecond */
/* Nanoseconds of processor time that the calling thread has used. */
int64_t clock_thread_nanoseconds(void);

#endif
