/* The highest ground of each of COUNT chunks, 64 × 64 samples 16 m apart, in a row from (0, 0) to
 * the east, made by two threads that share streams and land:  threads WORLD.json COUNT
 * Build it with:  cc threads.c $(pkg-config --cflags --libs terrane) -pthread -o threads */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <terrane.h>

enum { SIDE = 64, STEP = 16, MOST = 1000 };

/* What both threads only read, and the results: each thread has every second place of them. */
static struct terrane_world *world;
static struct terrane_cache *cache;
static int count;
static float highest[MOST];

/* Makes every second chunk; returns null when one failed. */
static void *make_chunks(void *first)
{
    static const int64_t step = STEP * (int64_t)TERRANE_METRE;
    struct terrane_sampler *sampler = terrane_sampler_new(); /* scratch memory of this thread */
    float *heights = malloc(sizeof *heights * SIDE * SIDE);
    const unsigned layer = (unsigned)terrane_layer_find(world, "height");
    const struct terrane_request request = {&layer, &heights, .count = 1};
    struct terrane_error error = {.message = "out of memory"};
    bool done = sampler && heights;
    if (done)
        terrane_sampler_set_cache(sampler, cache);
    for (int i = *(int *)first; done && i < count; i += 2) {
        const struct terrane_grid grid = {
            .x = i * SIDE * step, .step = step, .columns = SIDE, .rows = SIDE, .spacing = STEP};
        done = terrane_sample_grid(sampler, world, &grid, &request, &error);
        highest[i] = -INFINITY;
        for (int k = 0; done && k < SIDE * SIDE; k++)
            highest[i] = fmaxf(highest[i], heights[k]);
    }
    if (!done)
        fprintf(stderr, "%s\n", error.message);
    free(heights);
    terrane_sampler_free(sampler);
    return done ? first : NULL;
}

int main(int argc, char **argv)
{
    static char text[1 << 20];
    static int first[2] = {0, 1};
    pthread_t other;
    if (argc != 3 || (count = atoi(argv[2])) < 1 || count > MOST || !freopen(argv[1], "rb", stdin))
        return fputs("usage: threads WORLD.json COUNT, of at most 1000\n", stderr), 2;
    struct terrane_error error = {.message = "out of memory"};
    world = terrane_world_parse(text, fread(text, 1, sizeof text, stdin), argv[1], &error);
    cache = terrane_cache_new((size_t)64 << 20);
    if (!world)
        return fprintf(stderr, "%s: %s: %s\n", error.file, error.path, error.message), 1;
    if (!cache || pthread_create(&other, NULL, make_chunks, &first[1]))
        return fputs("out of memory or threads\n", stderr), 1;
    void *done = make_chunks(&first[0]), *others = NULL;
    pthread_join(other, &others);
    for (int i = 0; done && others && i < count; i++)
        printf("%.9g\n", highest[i]);
    terrane_cache_release(cache);
    terrane_world_release(world);
    return done && others ? 0 : 1;
}
