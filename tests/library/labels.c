/* The labels of rectangles by the library:  labels WORLD.json
 * reads lines of a rectangle and a zoom, "west north east south zoom" in 2⁻¹⁶ m, and prints their
 * number, and for each label its members with tabs between. */
#include <inttypes.h>
#include <stdio.h>
#include <terrane.h>

static void print_labels(const struct terrane_labels *labels)
{
    struct terrane_label label;
    printf("%zu\n", terrane_label_count(labels));
    for (size_t i = 0; terrane_label_get(labels, i, &label); i++)
        printf("%" PRIu64 "\t%s\t%s\t%" PRId64 "\t%" PRId64 "\t%" PRId32 "\t%.17g\t%.9g\n",
               label.id, label.name, label.kind, label.x, label.y, label.rank, label.size,
               (double)label.height);
}

int main(int argc, char **argv)
{
    static char text[1 << 20];
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (!file)
        return 2;
    struct terrane_error error;
    struct terrane_world *world =
        terrane_world_parse(text, fread(text, 1, sizeof text, file), argv[1], &error);
    struct terrane_sampler *sampler = terrane_sampler_new();
    struct terrane_labels *labels = terrane_labels_new();
    struct terrane_label_view view;
    bool done = world && sampler && labels;
    fclose(file);
    while (done && scanf("%" SCNd64 "%" SCNd64 "%" SCNd64 "%" SCNd64 "%" SCNd32, &view.west,
                         &view.north, &view.east, &view.south, &view.zoom) == 5) {
        done = terrane_labels_find(labels, sampler, world, &view, &error);
        if (done)
            print_labels(labels);
        else
            fprintf(stderr, "%s\n", error.message);
    }
    terrane_labels_free(labels);
    terrane_sampler_free(sampler);
    terrane_world_release(world);
    return done ? 0 : 1;
}
