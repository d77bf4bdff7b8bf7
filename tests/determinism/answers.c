/* The library's answers to the requests that two-builds.test.mjs sends to a daemon: for a build
 * by another compiler, which then need not build the server.
 *
 * Reads one order a line from standard input:
 *
 *   fingerprint WORLD.json SEED
 *   program     WORLD.json SEED                                   as terrane check --program has it
 *   tile        WORLD.json SEED STYLE ZOOM X Y                    a PNG file, 256 × 256
 *   points      WORLD.json SEED X Y [X Y …]                       heights as JSON numbers
 *   grid        WORLD.json SEED LAYER,… X Y STEP COLUMNS T        the samples' digest
 *   volume      WORLD.json SEED LAYER,… X Y STEP COLUMNS Z        the samples' digest
 *
 * SEED "-" keeps the file's own. STYLE is one of the world's own or of config/styles. X, Y and STEP
 * are in 2⁻¹⁶ m, T in seconds, Z in metres; grids and volumes have as many rows and slices as
 * columns. Each answer is its length in bytes, a newline, and the bytes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/number.h"
#include "core/encode/png.h"
#include "core/terrane.h"
#include "core/tile/address.h"
#include "core/tile/style.h"
#include "core/worldfile/json.h"
#include "core/worldfile/world.h"
#include "server/base/file.h"

enum { FILE_MAX = 1 << 20, LAYERS = 8 };

static void fail(const char *what)
{
    fprintf(stderr, "answers: %s\n", what);
    exit(1);
}

static void check(bool done, const struct error *error)
{
    char line[1024];
    if (done)
        return;
    error_format(error, line, sizeof line);
    fail(line);
}

static const char *next_word(void)
{
    const char *word = strtok(NULL, " \n");
    if (!word)
        fail("a word is missing");
    return word;
}

static int64_t next_integer(void)
{
    return strtoll(next_word(), NULL, 10);
}

static struct buffer read_text(const char *path)
{
    struct error error = {0};
    struct buffer text = {0};
    check(file_read(path, FILE_MAX, &text, &error), &error);
    return text;
}

static struct terrane_world *read_world(void)
{
    struct terrane_error error = {0};
    const char *path = next_word(), *seed = next_word();
    struct buffer text = read_text(path);
    struct terrane_world *world =
        terrane_world_parse((const char *)text.data, text.length, path, &error);
    if (world && strcmp(seed, "-") != 0) {
        struct terrane_world *own = world;
        world = terrane_world_reseed(own, seed, &error);
        terrane_world_release(own);
    }
    buffer_free(&text);
    if (!world)
        fail(error.message);
    return world;
}

static struct style *read_style(const struct world *world, const char *name)
{
    struct error error = {0};
    char path[256];
    const struct json *own = world_styles(world) ? json_member(world_styles(world), name) : NULL;
    if (own) {
        struct style *style = style_read(name, own, "styles", &error);
        check(style, &error);
        return style;
    }
    snprintf(path, sizeof path, "config/styles/%s.json", name);
    struct buffer text = read_text(path);
    struct style *style = style_parse(name, (const char *)text.data, text.length, path, &error);
    check(style, &error);
    buffer_free(&text);
    return style;
}

static void answer_tile(struct terrane_world *public_world, struct buffer *out)
{
    struct world *world = (struct world *)public_world; /* as in terrane.c */
    struct error error = {0};
    struct sample_grid grid;
    struct image image;
    struct canvas *canvas = canvas_new();
    struct png_encoder *encoder = png_encoder_new();
    struct style *style = read_style(world, next_word());
    struct painter *painter = painter_new(style, world, &error);
    check(painter, &error);
    const int zoom = (int)next_integer();
    const int64_t x = next_integer(), y = next_integer();
    tile_grid(&(struct tile_address){zoom, x, y}, 256, 0, &grid);
    check(canvas && encoder && painter_paint(painter, canvas, &grid, &image, &error) &&
              png_encode(encoder, &image, PNG_SERVE, out, &error),
          &error);
    painter_free(painter);
    style_free(style);
    png_encoder_free(encoder);
    canvas_free(canvas);
}

static void answer_points(struct terrane_world *world, struct buffer *out)
{
    struct terrane_error error = {0};
    struct terrane_sampler *sampler = terrane_sampler_new();
    const unsigned layer = (unsigned)terrane_layer_find(world, "height");
    for (const char *word; (word = strtok(NULL, " \n"));) {
        char text[NUMBER_TEXT];
        float height, *output = &height;
        const struct terrane_place place = {strtoll(word, NULL, 10), next_integer()};
        const struct terrane_points points = {&place, 1, 0, 0, 0};
        const struct terrane_request request = {&layer, &output, 1};
        if (!terrane_sample_points(sampler, world, &points, &request, &error))
            fail(error.message);
        number_format_float(height, text);
        buffer_format(out, out->length ? ",%s" : "%s", text);
    }
    terrane_sampler_free(sampler);
}

/* The numbers of the layers in "name,name"; returns how many there are. */
static unsigned find_layers(const struct terrane_world *world, const char *names, unsigned *layers)
{
    unsigned count = 0;
    for (const char *name = names; name; name = strchr(name, ',') ? strchr(name, ',') + 1 : NULL) {
        char text[64];
        snprintf(text, sizeof text, "%.*s", (int)strcspn(name, ","), name);
        const int layer = terrane_layer_find(world, text);
        if (layer < 0 || count == LAYERS)
            fail(names);
        layers[count++] = (unsigned)layer;
    }
    return count;
}

static void answer_digest(struct terrane_world *world, bool is_volume, struct buffer *out)
{
    struct terrane_error error = {0};
    unsigned layers[LAYERS];
    float *outputs[LAYERS];
    const unsigned count = find_layers(world, next_word(), layers);
    struct terrane_volume volume = {.slices = 1};
    volume.grid.x = next_integer();
    volume.grid.y = next_integer();
    volume.grid.step = next_integer();
    volume.grid.columns = volume.grid.rows = (uint32_t)next_integer();
    volume.grid.spacing = volume.z_step = (double)volume.grid.step / TERRANE_METRE;
    const double level = atof(next_word());
    if (is_volume) {
        volume.grid.z = level;
        volume.slices = volume.grid.columns;
    } else {
        volume.grid.t = level;
    }
    const size_t samples = (size_t)volume.grid.columns * volume.grid.rows * volume.slices;
    float *values = malloc(count * samples * sizeof *values);
    struct terrane_sampler *sampler = terrane_sampler_new();
    for (unsigned i = 0; i < count; i++)
        outputs[i] = values + i * samples;
    const struct terrane_request request = {layers, outputs, count};
    if (!values || !terrane_sample_volume(sampler, world, &volume, &request, &error))
        fail(error.message);
    char digest[TERRANE_DIGEST_TEXT];
    terrane_digest(values, count * samples, digest);
    buffer_text(out, digest);
    terrane_sampler_free(sampler);
    free(values);
}

static void answer(const char *kind, struct buffer *out)
{
    struct terrane_world *world = read_world();
    if (strcmp(kind, "fingerprint") == 0)
        buffer_text(out, terrane_world_fingerprint(world));
    else if (strcmp(kind, "program") == 0)
        world_print_program((struct world *)world, -1, out); /* as in terrane.c */
    else if (strcmp(kind, "tile") == 0)
        answer_tile(world, out);
    else if (strcmp(kind, "points") == 0)
        answer_points(world, out);
    else
        answer_digest(world, strcmp(kind, "volume") == 0, out);
    terrane_world_release(world);
}

int main(void)
{
    char *line = NULL;
    size_t capacity = 0;
    struct buffer out = {0};
    while (getline(&line, &capacity, stdin) > 0) {
        buffer_clear(&out);
        answer(strtok(line, " \n"), &out);
        printf("%zu\n", out.length);
        fwrite(out.data, 1, out.length, stdout);
    }
    buffer_free(&out);
    free(line);
    return 0;
}
