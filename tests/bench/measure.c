#include "tests/bench/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double measure_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void series_add(struct series *series, double value)
{
    if (series->count < SERIES_MAX)
        series->values[series->count++] = value;
}

static int compare_doubles(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return left < right ? -1 : left > right;
}

double series_median(const struct series *series)
{
    struct series sorted = *series;
    if (series->count == 0)
        return 0;
    qsort(sorted.values, sorted.count, sizeof *sorted.values, compare_doubles);
    return (sorted.values[(sorted.count - 1) / 2] + sorted.values[sorted.count / 2]) / 2;
}

double series_least(const struct series *series)
{
    double least = series->count > 0 ? series->values[0] : 0;
    for (unsigned i = 1; i < series->count; i++)
        least = series->values[i] < least ? series->values[i] : least;
    return least;
}

double series_ratio(const struct series *a, const struct series *b)
{
    struct series ratios = {0};
    for (unsigned i = 0; i < a->count && i < b->count; i++)
        series_add(&ratios, a->values[i] / b->values[i]);
    return series_median(&ratios);
}

void measure_member(struct json_writer *json, const char *key, double value, int digits)
{
    char text[40];
    snprintf(text, sizeof text, "%.*e", digits - 1, value);
    json_member_double(json, key, isfinite(value) ? strtod(text, NULL) : 0);
}

_Noreturn void measure_stop(const char *what, const char *why)
{
    fprintf(stderr, "bench: %s: %s\n", what, why);
    exit(1);
}

void *measure_memory(size_t bytes)
{
    size_t size = (bytes + 63) / 64 * 64;
    void *memory = aligned_alloc(64, size);
    if (!memory)
        measure_stop("memory", "there is none left");
    return memset(memory, 0, size);
}
