/* The heights of one chunk, 16 × 16 samples 1 m apart:  chunk WORLD.json CHUNK_X CHUNK_Y
 * Build it with:  cc chunk.c $(pkg-config --cflags --libs terrane) -o chunk */
#include <stdio.h>
#include <stdlib.h>
#include <terrane.h>

int main(int argc, char **argv)
{
    static char text[1 << 20];
    float heights[16 * 16], *output = heights;
    if (argc != 4 || !freopen(argv[1], "rb", stdin))
        return fputs("usage: chunk WORLD.json CHUNK_X CHUNK_Y\n", stderr), 2;
    struct terrane_error error = {.message = "out of memory"};
    struct terrane_world *world =
        terrane_world_parse(text, fread(text, 1, sizeof text, stdin), argv[1], &error);
    struct terrane_sampler *sampler = terrane_sampler_new();
    const int64_t step = TERRANE_METRE, side = 16 * step;
    const struct terrane_grid grid = {atoi(argv[2]) * side, atoi(argv[3]) * side, step,
                                      .columns = 16, .rows = 16};
    const unsigned layer = world ? (unsigned)terrane_layer_find(world, "height") : 0;
    const struct terrane_request request = {&layer, &output, .count = 1};
    bool done = world && sampler && terrane_sample_grid(sampler, world, &grid, &request, &error);
    for (int i = 0; done && i < 16 * 16; i++)
        printf("%.9g%c", heights[i], i % 16 == 15 ? '\n' : ' ');
    if (!done)
        fprintf(stderr, "%s: %s: %s\n", error.file, error.path, error.message);
    terrane_sampler_free(sampler);
    terrane_world_release(world);
    return done ? 0 : 1;
}
