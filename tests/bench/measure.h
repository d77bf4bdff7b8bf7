/* Shared by the parts of the benchmark: a clock, medians, and results as JSON. */
#ifndef TERRANE_BENCH_MEASURE_H
#define TERRANE_BENCH_MEASURE_H

#include "core/base/json_writer.h"

enum { SERIES_MAX = 64 };

/* The same work measured over and over. A zeroed struct is an empty series. */
struct series {
    double values[SERIES_MAX];
    unsigned count;
};

/* Seconds of a clock that only goes forward. */
double measure_now(void);
/* Beyond SERIES_MAX a value is dropped. */
void series_add(struct series *series, double value);
double series_median(const struct series *series); /* 0 if it is empty */
double series_least(const struct series *series);
/* The median of a[i] / b[i]: what was measured side by side is compared pair by pair, so that a
 * machine that other work slows down for a while slows both. */
double series_ratio(const struct series *a, const struct series *b);

/* Rounded to `digits` significant digits, for people's sake. */
void measure_member(struct json_writer *json, const char *key, double value, int digits);

/* Ends the program with a message: a bench that cannot measure has no result. */
_Noreturn void measure_stop(const char *what, const char *why);
/* Memory aligned to 64 bytes and zeroed; ends the program if there is none. */
void *measure_memory(size_t bytes);

/* The parts. Each writes members of the object that is open. */
void bench_noise(struct json_writer *json);
/* Relief tiles at every zoom; unless `relief_only`, other styles and formats too. */
void bench_tiles(struct json_writer *json, bool relief_only);

#endif
