/* The digest of a chunk's samples by the library:  digest WORLD.json X Y SIDE STEP LAYER…
 * with the first vertex and the step in metres, which is the level of detail too. */
#include <stdio.h>
#include <stdlib.h>
#include <terrane.h>

enum { SIDE_MAX = 256, LAYERS_MAX = 16 };

int main(int argc, char **argv)
{
    static char text[1 << 20];
    static float samples[SIDE_MAX * SIDE_MAX * LAYERS_MAX];
    unsigned layers[LAYERS_MAX];
    float *outputs[LAYERS_MAX];
    char digest[TERRANE_DIGEST_TEXT];
    if (argc < 7 || argc > 6 + LAYERS_MAX || !freopen(argv[1], "rb", stdin))
        return 2;
    struct terrane_world *world =
        terrane_world_parse(text, fread(text, 1, sizeof text, stdin), argv[1], NULL);
    struct terrane_sampler *sampler = terrane_sampler_new();
    const double step = atof(argv[5]);
    const unsigned side = (unsigned)atoi(argv[4]), count = (unsigned)argc - 6;
    const struct terrane_grid grid = {.x = (int64_t)(atof(argv[2]) * TERRANE_METRE),
                                      .y = (int64_t)(atof(argv[3]) * TERRANE_METRE),
                                      .step = (int64_t)(step * TERRANE_METRE),
                                      .columns = side,
                                      .rows = side,
                                      .spacing = step};
    for (unsigned i = 0; world && i < count; i++) {
        layers[i] = (unsigned)terrane_layer_find(world, argv[6 + i]);
        outputs[i] = samples + i * side * side;
    }
    const struct terrane_request request = {layers, outputs, count};
    if (!world || !sampler || side > SIDE_MAX ||
        !terrane_sample_grid(sampler, world, &grid, &request, NULL))
        return 1;
    terrane_digest(samples, (size_t)count * side * side, digest);
    puts(digest);
    terrane_sampler_free(sampler);
    terrane_world_release(world);
    return 0;
}
