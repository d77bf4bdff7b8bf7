/* How long noise takes, estimated without sampling it: requests are priced by this. */
#ifndef TERRANE_NOISE_WORK_H
#define TERRANE_NOISE_WORK_H

#include "core/noise/noise.h"

/* How samples are taken. */
struct sampling {
    double step;    /* metres between the samples of a grid; 0 for single places */
    double spacing; /* level of detail: metres between samples; 0 is full detail */
    double
        extent; /* metres across the places that are near each other; 0 if they may be anywhere */
};

/* Places farther apart than this many metres are sampled as if they were anywhere. */
#define SAMPLING_NEAR 16384.0

/* Nanoseconds of one core of the machine of tests/bench/README.md. */
struct sampling_work {
    double call;   /* for each block of a grid or list of places, whatever its size */
    double sample; /* for each sample */
};

struct sampling_work noise_work(const struct noise *noise, bool displaced,
                                struct sampling sampling);

#endif
