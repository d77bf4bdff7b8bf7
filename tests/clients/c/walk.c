/* A player walks over a world and always has the ground around him:
 *     walk URL METRES [RINGS [SIZE [CAPACITY]]]
 * Prints the height under each tenth step, and what the walk has cost. With - for METRES, prints
 * the heights at the places on standard input instead, "X Y" a line, at full detail. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/clients/c/ground.h"

enum { PLACES_MAX = 100000 };

/* The height at the vertex north-west of a place. */
static const float *height(struct ground *ground, unsigned size, double x, double y)
{
    const int64_t cx = ground_index(ground, x), cy = ground_index(ground, y);
    const float *heights = ground_chunk(ground, cx, cy);
    const int64_t column = (int64_t)(x - (double)(cx * size)),
                  row = (int64_t)(y - (double)(cy * size));
    return heights ? &heights[row * (size + 1) + column] : NULL;
}

/* To the south-east, two metres a step; and at last asks whether the ground has changed meanwhile.
 */
static bool walk(struct ground *ground, unsigned size, unsigned rings, int metres)
{
    for (int distance = 0; distance < metres; distance += 2) {
        const double x = -100 + distance * 0.8, y = 50 + distance * 0.6;
        if (!ground_prefetch(ground, x, y, rings))
            return false;
        const float *found = height(ground, size, x, y);
        if (!found)
            return false;
        if (distance % 20 == 0)
            printf("at %.9g %.9g: %.9g\n", x, y, (double)*found);
    }
    const int64_t start = ground_index(ground, -100);
    return ground_refresh(ground, start, 0) && ground_refresh(ground, start, 0);
}

static bool read_places(struct ground *ground)
{
    static double places[PLACES_MAX][2];
    static float heights[PLACES_MAX];
    size_t count = 0;
    while (count < PLACES_MAX && scanf("%lf %lf", &places[count][0], &places[count][1]) == 2)
        count++;
    if (!ground_heights(ground, (const double(*)[2])places, count, heights))
        return false;
    for (size_t i = 0; i < count; i++)
        printf("at %.17g %.17g: %.9g\n", places[i][0], places[i][1], (double)heights[i]);
    return true;
}

static unsigned argument(int argc, char **argv, int index, unsigned otherwise)
{
    return argc > index ? (unsigned)strtoul(argv[index], NULL, 10) : otherwise;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return fputs("usage: walk URL METRES|- [RINGS [SIZE [CAPACITY]]]\n", stderr), 2;
    const unsigned size = argument(argc, argv, 4, 64);
    const struct ground_settings settings = {
        .url = argv[1],
        .layer = "height",
        .size = size,
        .step = 1,
        .capacity = argument(argc, argv, 5, 256),
        .timeout_ms = 10000,
    };
    struct ground *ground = ground_open(&settings);
    if (!ground)
        return fputs("walk: out of memory, or an argument is not allowed\n", stderr), 2;
    const bool done = strcmp(argv[2], "-") == 0
                          ? read_places(ground)
                          : walk(ground, size, argument(argc, argv, 3, 2), atoi(argv[2]));
    const struct ground_counts counts = ground_counts(ground);
    printf("%" PRIu64 " hits, %" PRIu64 " misses, %" PRIu64 " requests, %" PRIu64
           " unchanged, %" PRIu64 " chunks, %" PRIu64 " evicted, %" PRIu64 " bytes\n",
           counts.hits, counts.misses, counts.requests, counts.unchanged, counts.received,
           counts.evicted, counts.bytes);
    if (!done)
        fprintf(stderr, "walk: %s\n", ground_error(ground));
    ground_close(ground);
    return done ? 0 : 1;
}
