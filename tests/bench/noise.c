/* Nanoseconds a sample of each noise, on one core. All of them are measured in turn, round after
 * round, together with the machine's arithmetic, so that what slows the machine down meanwhile
 * slows all of them. */
#include "core/noise/noise.h"
#include "server/cli/arithmetic.h"
#include "tests/bench/measure.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    SIDE = 256,
    BAND = 8, /* rows at a time, as sampling a world does */
    POINTS = 65536,
    ROUNDS = 41,
    CASES_MAX = 32,
    LONGEST = 1 << 20, /* metres from the origin to the farthest point of the list */
};

#define WAVELENGTH 256.0

enum sampling_mode {
    MODE_GRID,
    MODE_DISPLACED,        /* dx and dy are given */
    MODE_WARPED,           /* dx and dy are fBms of DISPLACEMENT_OCTAVES, sampled too */
    MODE_RANDOM_POINTS,    /* a list of places all over the world */
    MODE_NEIGHBOUR_POINTS, /* the places of the grid as a list */
};

enum { DISPLACEMENT_OCTAVES = 4 };
#define DISPLACEMENT_METRES 80.0f

struct noise_case {
    char name[48];
    enum sampling_mode sampling_mode;
    struct noise_settings settings;
    double spacing;
    struct series series;
};

/* The sampler and the memory of one thread. */
struct bench_grid {
    struct noise noise, noise_dx, noise_dy;
    struct noise_scratch scratch;
    void *memory[3];
    float *out, *dx, *dy;
    struct place *places, *neighbours;
};

static const struct noise_settings perlin = {
    .basis = NOISE_PERLIN,
    .interpolation = NOISE_QUINTIC,
    .fractal = NOISE_SINGLE,
    .octaves = 1,
    .wavelength = WAVELENGTH,
    .lacunarity = 2.0,
    .persistence = 0.5,
    .feedback = 1.5f,
    .key = 0x7E44A4E5EEDu,
};

static struct noise_settings fractal(enum noise_fractal kind, unsigned octaves)
{
    struct noise_settings settings = perlin;
    settings.fractal = kind;
    settings.octaves = octaves;
    return settings;
}

static void prepare_displacement(struct noise *noise, uint64_t key)
{
    struct noise_settings settings = fractal(NOISE_FBM, DISPLACEMENT_OCTAVES);
    settings.key = key;
    noise_prepare(noise, &settings);
}

static int64_t random_coordinate(uint64_t number)
{
    return (int64_t)(hash_mix(number) % (2 * LONGEST * (uint64_t)PLACE_METRE)) -
           LONGEST * PLACE_METRE;
}

static struct bench_grid *grid_new(void)
{
    struct bench_grid *grid = measure_memory(sizeof *grid);
    size_t floats = (size_t)SIDE * SIDE * sizeof(float);
    grid->out = measure_memory(floats);
    grid->dx = measure_memory(floats);
    grid->dy = measure_memory(floats);
    grid->places = measure_memory(POINTS * sizeof *grid->places);
    grid->neighbours = measure_memory(POINTS * sizeof *grid->neighbours);
    for (uint64_t i = 0; i < POINTS; i++) {
        grid->places[i] = (struct place){random_coordinate(2 * i), random_coordinate(2 * i + 1)};
        grid->neighbours[i] =
            (struct place){(int64_t)(i % SIDE) * PLACE_METRE, (int64_t)(i / SIDE) * PLACE_METRE};
    }
    struct noise_block block = {.step = PLACE_METRE, .columns = SIDE};
    struct noise_settings largest = fractal(NOISE_FBM, NOISE_OCTAVES_MAX);
    noise_prepare(&grid->noise, &largest);
    for (int i = 0; i < 3; i++)
        grid->memory[i] = measure_memory(noise_grid_size(&grid->noise, &block, false));
    prepare_displacement(&grid->noise_dx, 1);
    prepare_displacement(&grid->noise_dy, 2);
    return grid;
}

static void grid_free(struct bench_grid *grid)
{
    for (int i = 0; i < 3; i++)
        free(grid->memory[i]);
    free(grid->out);
    free(grid->dx);
    free(grid->dy);
    free(grid->places);
    free(grid->neighbours);
    free(grid);
}

static void sample_displacement(struct bench_grid *grid, const struct noise_block *block)
{
    const struct noise *noises[] = {&grid->noise_dx, &grid->noise_dy};
    float *outputs[] = {grid->dx, grid->dy};
    for (int axis = 0; axis < 2; axis++) {
        struct noise_grid *rows =
            noise_grid_begin(noises[axis], block, false, grid->memory[axis + 1]);
        for (uint32_t row = 0; row < SIDE; row += BAND) {
            float *out = outputs[axis] + row * SIDE;
            noise_grid_rows(rows, row * PLACE_METRE, BAND, &grid->scratch, out);
            for (uint32_t i = 0; i < BAND * SIDE; i++)
                out[i] *= DISPLACEMENT_METRES;
        }
    }
}

static void sample_grid_of(struct bench_grid *grid, const struct noise_block *block, bool displaced)
{
    struct noise_grid *rows = noise_grid_begin(&grid->noise, block, displaced, grid->memory[0]);
    for (uint32_t row = 0; row < SIDE; row += BAND) {
        uint32_t first = row * SIDE;
        int64_t y = row * PLACE_METRE;
        if (displaced)
            noise_grid_displaced(
                rows, &(struct noise_displaced_rows){y, BAND, grid->dx + first, grid->dy + first},
                &grid->scratch, grid->out + first);
        else
            noise_grid_rows(rows, y, BAND, &grid->scratch, grid->out + first);
    }
}

/* SIDE × SIDE samples, with all that has to be prepared for them. */
static void sample_case(struct bench_grid *grid, const struct noise_case *work)
{
    const struct noise_block block = {0, PLACE_METRE, SIDE, {.spacing = work->spacing}};
    const struct noise_point_list list = {
        .places = work->sampling_mode == MODE_RANDOM_POINTS ? grid->places : grid->neighbours,
        .count = POINTS,
        .uniforms.spacing = work->spacing,
    };
    noise_prepare(&grid->noise, &work->settings);
    switch (work->sampling_mode) {
    case MODE_RANDOM_POINTS:
    case MODE_NEIGHBOUR_POINTS:
        noise_points(&grid->noise, &list, &grid->scratch, grid->out);
        break;
    case MODE_WARPED:
        sample_displacement(grid, &block);
        sample_grid_of(grid, &block, true);
        break;
    case MODE_DISPLACED:
        sample_grid_of(grid, &block, true);
        break;
    case MODE_GRID:
        sample_grid_of(grid, &block, false);
        break;
    }
}

static unsigned active_octaves(const struct noise *noise, double spacing)
{
    unsigned count = 0;
    for (unsigned i = 0; i < noise->settings.octaves; i++)
        count += noise_detail(noise->octaves[i].wavelength, spacing) > 0;
    return count;
}

/* Float operations a sample of an fBm on a grid. A sample needs seven an octave (three products and
 * four sums, see kernel_add_rows). Each lattice row under each column needs ROW_FLOATS: two
 * gradients of 12, six products and sums each for what they weigh, three for joining it to the row
 * above; its hashes (two of seven) and the choice of the gradients' quarters are not floats and are
 * left out, so this is a lower bound. */
enum { SAMPLE_FLOATS = 7, ROW_FLOATS = 2 * 12 + 6 + 3 };

static double float_operations(const struct noise *noise, double spacing)
{
    double operations = 0;
    for (unsigned i = 0; i < active_octaves(noise, spacing); i++) {
        double lattice_rows = SIDE / noise->octaves[i].wavelength + 2;
        operations += SAMPLE_FLOATS + ROW_FLOATS * lattice_rows / SIDE;
    }
    return operations;
}

static struct noise_case *add_case(struct noise_case *cases, unsigned *count,
                                   enum sampling_mode sampling_mode, struct noise_settings settings)
{
    struct noise_case *added = &cases[(*count)++];
    *added =
        (struct noise_case){.sampling_mode = sampling_mode, .settings = settings, .spacing = 1.0};
    return added;
}

static void name_case(struct noise_case *named, const char *text, unsigned number)
{
    snprintf(named->name, sizeof named->name, number > 0 ? "%s %u" : "%s", text, number);
}

static unsigned list_cases(struct noise_case *cases)
{
    static const char *const interpolations[] = {
        [NOISE_LINEAR] = "perlin, linear",
        [NOISE_COSINE] = "perlin, cosine",
        [NOISE_CUBIC] = "perlin, cubic",
        [NOISE_QUINTIC] = "perlin, quintic",
    };
    unsigned count = 0;
    struct noise_settings settings = perlin;
    settings.basis = NOISE_VALUE;
    name_case(add_case(cases, &count, MODE_GRID, settings), "value, quintic", 0);
    for (unsigned i = NOISE_LINEAR; i <= NOISE_QUINTIC; i++) {
        settings = perlin;
        settings.interpolation = (enum noise_interpolation)i;
        name_case(add_case(cases, &count, MODE_GRID, settings), interpolations[i], 0);
    }
    for (unsigned i = 1; i <= 10; i++)
        name_case(add_case(cases, &count, MODE_GRID, fractal(NOISE_FBM, i)), "fbm", i);
    const struct noise_settings fbm = fractal(NOISE_FBM, 8), ridged = fractal(NOISE_RIDGED, 8);
    struct noise_case *full = add_case(cases, &count, MODE_GRID, fbm);
    name_case(full, "fbm 8, all octaves", 0);
    full->spacing = 0.0;
    name_case(add_case(cases, &count, MODE_GRID, ridged), "ridged", 8);
    name_case(add_case(cases, &count, MODE_DISPLACED, fbm), "fbm 8, displaced", 0);
    name_case(add_case(cases, &count, MODE_WARPED, fbm), "fbm 8, warped by two fbm", 4);
    name_case(add_case(cases, &count, MODE_DISPLACED, ridged), "ridged 8, displaced", 0);
    struct noise_case *points = add_case(cases, &count, MODE_RANDOM_POINTS, fbm);
    name_case(points, "fbm 8, random points", 0);
    points->spacing = 0.0;
    name_case(add_case(cases, &count, MODE_NEIGHBOUR_POINTS, fbm), "fbm 8, neighbouring points", 0);
    return count;
}

static void write_case(struct json_writer *json, const struct noise_case *done,
                       const struct series *bound)
{
    struct noise noise;
    noise_prepare(&noise, &done->settings);
    json_object_open(json);
    json_member_string(json, "name", done->name);
    measure_member(json, "ns", series_median(&done->series), 4);
    measure_member(json, "least_ns", series_least(&done->series), 4);
    json_member_integer(json, "octaves_that_count", active_octaves(&noise, done->spacing));
    if (done->sampling_mode == MODE_GRID && done->settings.fractal == NOISE_FBM) {
        double operations = float_operations(&noise, done->spacing);
        measure_member(json, "float_operations", operations, 3);
        measure_member(json, "bound_ns", operations * series_median(bound), 3);
        measure_member(json, "over_bound", series_ratio(&done->series, bound) / operations, 3);
    }
    json_object_close(json);
}

/* Two threads that each sample grids of their own, against one. */
enum { THREADS = 2, THREAD_ROUNDS = 21, THREAD_GRIDS = 40 };

struct thread_job {
    struct bench_grid *grid;
    const struct noise_case *work;
    pthread_t thread;
};

static void *run_thread(void *context)
{
    struct thread_job *job = context;
    for (int i = 0; i < THREAD_GRIDS; i++)
        sample_case(job->grid, job->work);
    return NULL;
}

static double time_threads(struct thread_job *jobs, int count)
{
    double start = measure_now();
    for (int i = 0; i < count; i++)
        if (pthread_create(&jobs[i].thread, NULL, run_thread, &jobs[i]) != 0)
            measure_stop("threads", "one cannot be started");
    for (int i = 0; i < count; i++)
        pthread_join(jobs[i].thread, NULL);
    return measure_now() - start;
}

static void measure_threads(struct json_writer *json)
{
    struct noise_case work = {
        .sampling_mode = MODE_GRID, .settings = fractal(NOISE_FBM, 8), .spacing = 1.0};
    struct thread_job jobs[THREADS];
    struct series one = {0}, all = {0};
    for (int i = 0; i < THREADS; i++)
        jobs[i] = (struct thread_job){.grid = grid_new(), .work = &work};
    for (int round = 0; round < THREAD_ROUNDS; round++) {
        series_add(&one, time_threads(jobs, 1));
        series_add(&all, time_threads(jobs, THREADS));
    }
    json_write_key(json, "noise_threads");
    json_object_open(json);
    json_member_string(json, "name", "fbm 8");
    json_member_integer(json, "threads", THREADS);
    measure_member(json, "speedup", THREADS * series_ratio(&one, &all), 3);
    json_object_close(json);
    for (int i = 0; i < THREADS; i++)
        grid_free(jobs[i].grid);
}

void bench_noise(struct json_writer *json)
{
    static struct noise_case cases[CASES_MAX];
    struct series bound = {0};
    struct bench_grid *grid = grid_new();
    unsigned count = list_cases(cases);
    const struct noise_block block = {0, PLACE_METRE, SIDE, {.spacing = 1.0}};
    sample_displacement(grid, &block); /* for the cases that only read it */
    for (int round = 0; round < ROUNDS; round++) {
        series_add(&bound, arithmetic_measure());
        for (unsigned i = 0; i < count; i++) {
            double start = measure_now();
            sample_case(grid, &cases[i]);
            series_add(&cases[i].series, (measure_now() - start) * 1e9 / (SIDE * SIDE));
        }
    }
    json_write_key(json, "arithmetic");
    json_object_open(json);
    json_member_string(json, "instructions", arithmetic_instructions());
    measure_member(json, "ns_per_float_operation", series_median(&bound), 3);
    json_object_close(json);
    json_write_key(json, "noise");
    json_array_open(json);
    for (unsigned i = 0; i < count; i++)
        write_case(json, &cases[i], &bound);
    json_array_close(json);
    grid_free(grid);
    measure_threads(json);
}
