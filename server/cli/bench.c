/* terrane bench: measures how fast this machine samples each noise and fractal. Every formula is a
 * world of its own, sampled by the functions that tiles use. Each round measures all cases and the
 * machine's arithmetic once, and the medians of the rounds are printed, so that a passing load on
 * the machine affects all cases alike. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/json_writer.h"
#include "core/sampling/sampler.h"
#include "server/base/clock.h"
#include "server/cli/arithmetic.h"
#include "server/cli/command.h"

enum { SIDE = 256, ROUNDS = 15, SHARING_LAYERS = 5 };
#define THREAD_SECONDS 4e-3

struct bench_case {
    const char *name, *formula;
};

/* The wavelength is 256 samples, so that the eighth octave has one of two samples. */
static const struct bench_case cases[] = {
    {"white", "white(256)"},
    {"value", "value(256)"},
    {"value, linear", "value(256, 'linear')"},
    {"perlin", "perlin(256)"},
    {"perlin, linear", "perlin(256, 'linear')"},
    {"perlin, cosine", "perlin(256, 'cosine')"},
    {"perlin, cubic", "perlin(256, 'cubic')"},
    {"simplex", "simplex(256)"},
    {"worley f1", "worley(256)"},
    {"worley f2-f1", "worley(256, 'f2-f1')"},
    {"worley cell", "worley(256, 'cell')"},
    {"perlin2002", "perlin2002(256)"},
    {"perlin, 1-D", "perlin(256, axes='x')"},
    {"perlin, 3-D", "perlin(256, axes='xyz')"},
    {"perlin, 4-D", "perlin(256, axes='xyzt')"},
    {"simplex, 3-D", "simplex(256, axes='xyz')"},
    {"simplex, 4-D", "simplex(256, axes='xyzt')"},
    {"worley f1, 3-D", "worley(256, axes='xyz')"},
    {"worley f1, 4-D", "worley(256, axes='xyzt')"},
    {"fbm 8", "fbm(256, 8)"},
    {"fbm 8 of value", "fbm(256, 8, basis='value')"},
    {"fbm 8 of simplex", "fbm(256, 8, basis='simplex')"},
    {"fbm 8 of worley", "fbm(256, 8, basis='worley')"},
    {"fbm 8, 3-D", "fbm(256, 8, axes='xyz')"},
    {"fbm 8, 4-D", "fbm(256, 8, axes='xyzt')"},
    {"fbm 8, damped", "fbm(256, 8, damping=0.6)"},
    {"fbm 8, turned octaves", "fbm(256, 8, rotate_octaves=1)"},
    {"billow 8", "billow(256, 8)"},
    {"turbulence 8", "turbulence(256, 8)"},
    {"ridged 8", "ridged(256, 8)"},
    {"fbm 8, warped by a perlin", "warp(fbm(256, 8), 40 * perlin(512), 40 * perlin(512))"},
    {"ridged 8, warped by a perlin", "warp(ridged(256, 8), 40 * perlin(512), 40 * perlin(512))"},
    {"slope of fbm 8", "slope(fbm(256, 8), 2)"},
    {"zero_distance of fbm 8", "zero_distance(fbm(256, 8))"},
    {"fbm 8, damped, warped", "warp(fbm(256, 8, damping=0.6), 40 * perlin(512), 40 * perlin(512))"},
    {"fbm 8, turned, warped",
     "warp(fbm(256, 8, rotate_octaves=1), 40 * perlin(512), 40 * perlin(512))"},
    {"zero_distance, warped",
     "warp(zero_distance(fbm(256, 8)), 40 * perlin(512), 40 * perlin(512))"},
    {"coarse, nodes 16 samples apart", "coarse(fbm(4096, 8), 16)"},
    {"the same, warped", "warp(coarse(fbm(4096, 8), 16), 40 * perlin(512), 40 * perlin(512))"},
};
enum { CASES = sizeof cases / sizeof *cases };

/* Five layers that share one expensive part, to show that it is computed once. */
static const char sharing_world[] =
    "{\"generator\":1,\"layers\":{\"ground\":\"fbm(256,8)+ridged(256,8)\",\"height\":\"100*"
    "ground\","
    "\"wet\":\"ground*0.3+perlin(99)\",\"cold\":\"abs(ground)\",\"snow\":\"step(0.2,ground)\"}}";

/* A world, and the sampler and memory of one thread. */
struct work {
    const struct world *world;
    struct sampler *sampler;
    float *outputs[SHARING_LAYERS];
    unsigned layers;
    int repeats;    /* enough to take much longer than starting a thread */
    double seconds; /* of one repeat in the last run; negative if it failed */
};

struct series {
    double values[ROUNDS];
    unsigned count;
};

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median ignores rounds that another process disturbed. */
static double median(const struct series *series)
{
    double sorted[ROUNDS];
    memcpy(sorted, series->values, series->count * sizeof *sorted);
    qsort(sorted, series->count, sizeof *sorted, compare);
    return series->count ? sorted[series->count / 2] : 0.0;
}

static void add(struct series *series, double value)
{
    series->values[series->count++] = value;
}

static void *run(void *data)
{
    struct work *work = data;
    static const unsigned layers[SHARING_LAYERS] = {0, 1, 2, 3, 4};
    const struct sample_grid grid = {.x = 4096 * PLACE_METRE,
                                     .y = -4096 * PLACE_METRE,
                                     .step = PLACE_METRE,
                                     .columns = SIDE,
                                     .rows = SIDE,
                                     .spacing = 1.0,
                                     .z = 12 * PLACE_METRE,
                                     .t = 34 * PLACE_METRE};
    const struct sample_request request = {layers, work->outputs, work->layers};
    const double start = clock_seconds();
    bool done = true;
    for (int i = 0; i < work->repeats; i++)
        done =
            done && sampler_grid(work->sampler, world_program(work->world), &grid, &request, NULL);
    work->seconds = done ? (clock_seconds() - start) / work->repeats : -1.0;
    return NULL;
}

/* Nanoseconds a sample on one thread; negative if memory ran out. */
static double run_alone(struct work *work)
{
    work->repeats = 1;
    run(work);
    return work->seconds * 1e9 / (SIDE * SIDE);
}

/* run_alone() with two threads that each do the work. `alone` is the result of run_alone(). */
static double run_twice(struct work work[2], double alone)
{
    const double samples = 2.0 * SIDE * SIDE;
    pthread_t thread;
    work[0].repeats = work[1].repeats = 1 + (int)(THREAD_SECONDS * 1e9 / (alone * samples));
    const double start = clock_seconds();
    if (pthread_create(&thread, NULL, run, &work[1]) != 0)
        return -1.0;
    run(&work[0]);
    pthread_join(thread, NULL);
    if (work[0].seconds < 0.0 || work[1].seconds < 0.0)
        return -1.0;
    return (clock_seconds() - start) * 1e9 / (samples * work[0].repeats);
}

/* The memory is allocated once, so that no allocation is measured. */
static bool work_open(struct work *work, struct error *error)
{
    work->sampler = sampler_new();
    bool done = work->sampler != NULL;
    for (int i = 0; i < SHARING_LAYERS; i++) {
        work->outputs[i] = aligned_alloc(64, (size_t)SIDE * SIDE * sizeof(float));
        done = done && work->outputs[i];
    }
    return done || error_memory(error);
}

static void work_close(struct work *work)
{
    sampler_free(work->sampler);
    for (int i = 0; i < SHARING_LAYERS; i++)
        free(work->outputs[i]);
}

static struct world *world_of(const char *formula, struct error *error)
{
    char text[256];
    const int length =
        snprintf(text, sizeof text, "{\"generator\":1,\"layers\":{\"height\":\"%s\"}}", formula);
    return world_parse(text, (size_t)length, "bench", NULL, error);
}

/* All measured series. */
struct figures {
    struct world *worlds[CASES];
    struct world *sharing;
    struct series alone[CASES], twice[CASES];
    struct series arithmetic;
    struct series together, ground; /* of the sharing world's layers */
    struct work work[2];
};

static bool figures_open(struct figures *figures, struct error *error)
{
    for (int i = 0; i < CASES; i++)
        if (!(figures->worlds[i] = world_of(cases[i].formula, error)))
            return false;
    figures->sharing = world_parse(sharing_world, sizeof sharing_world - 1, "bench", NULL, error);
    return figures->sharing && work_open(&figures->work[0], error) &&
           work_open(&figures->work[1], error);
}

static void figures_free(struct figures *figures)
{
    for (int i = 0; i < CASES; i++)
        world_release(figures->worlds[i]);
    world_release(figures->sharing);
    work_close(&figures->work[0]);
    work_close(&figures->work[1]);
    free(figures);
}

/* Measures how much five layers that share an expensive part cost over that part alone: near 1 if
 * it is computed once, near 5 if it were computed for each. */
static void measure_sharing(struct figures *figures)
{
    struct work *work = &figures->work[0];
    work->world = figures->sharing;
    work->layers = SHARING_LAYERS;
    add(&figures->together, run_alone(work));
    work->layers = 1;
    add(&figures->ground, run_alone(work)); /* the layer `ground`, which all others use */
}

/* All cases once. False if memory ran out. */
static bool measure_round(struct figures *figures)
{
    struct work *work = figures->work;
    add(&figures->arithmetic, arithmetic_measure());
    for (int i = 0; i < CASES; i++) {
        work[0].world = work[1].world = figures->worlds[i];
        work[0].layers = work[1].layers = 1;
        const double alone = run_alone(&work[0]);
        const double twice = alone < 0.0 ? alone : run_twice(work, alone);
        if (twice < 0.0)
            return false;
        add(&figures->alone[i], alone);
        add(&figures->twice[i], twice);
    }
    measure_sharing(figures);
    return true;
}

static void print_table(const struct figures *figures, struct buffer *out)
{
    buffer_format(out, "%-28s %10s %12s   %s, 256 x 256 samples, medians of %d\n", "ns a sample",
                  "1 thread", "2 threads", arithmetic_instructions(), ROUNDS);
    for (int i = 0; i < CASES; i++)
        buffer_format(out, "%-28s %10.2f %12.2f\n", cases[i].name, median(&figures->alone[i]),
                      median(&figures->twice[i]));
    buffer_format(out, "%-28s %10.4f\n", "one float operation", median(&figures->arithmetic));
    buffer_format(out,
                  "five layers that share their ground take %.2f times as long as the ground\n",
                  median(&figures->together) / median(&figures->ground));
}

/* Rounded to 1e-4. */
static void member(struct json_writer *json, const char *key, double value)
{
    json_member_double(json, key, __builtin_floor(value * 1e4 + 0.5) / 1e4);
}

static void print_json(const struct figures *figures, struct buffer *out)
{
    struct json_writer json;
    json_begin_object(&json, out, true);
    json_member_string(&json, "instructions", arithmetic_instructions());
    member(&json, "ns_per_float_operation", median(&figures->arithmetic));
    json_member_array(&json, "noise");
    for (int i = 0; i < CASES; i++) {
        json_object_open(&json);
        json_member_string(&json, "name", cases[i].name);
        json_member_string(&json, "formula", cases[i].formula);
        member(&json, "ns", median(&figures->alone[i]));
        member(&json, "ns_two_threads", median(&figures->twice[i]));
        json_object_close(&json);
    }
    json_array_close(&json);
    member(&json, "five_layers_over_dearest",
           median(&figures->together) / median(&figures->ground));
    json_finish_object(&json);
}

enum exit_status command_bench(const struct options *options)
{
    struct error error = {0};
    struct buffer out = {0};
    struct figures *figures = calloc(1, sizeof *figures);
    if (!figures) {
        error_memory(&error);
        return command_fail(&error);
    }
    bool done = figures_open(figures, &error);
    for (int round = 0; done && round < ROUNDS; round++)
        done = measure_round(figures) || error_memory(&error);
    if (done && options_given(options, OPTION_JSON))
        print_json(figures, &out);
    else if (done)
        print_table(figures, &out);
    figures_free(figures);
    return done ? command_print(&out) : command_fail(&error);
}
