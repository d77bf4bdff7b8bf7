/* Short files that are expensive to compile. Each input is a recipe for a world file: its bytes
 * choose functions, nests, names of other layers, biomes and densities, so that nearly every input
 * is a file that the parser accepts. The steps of compiling it must stay within the budget, its
 * program within its limits, and its time in proportion to its steps: the steps are the price that
 * a request for another seed pays.
 *
 * The search is for what the assertions bound: counters tell libFuzzer of every file that takes
 * more steps, more operations or more time a byte than any before, as if it had reached new code.
 */
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "core/base/buffer.h"
#include "core/language/compile.h"
#include "core/worldfile/world.h"

enum {
    FILE_MAX = 6000,        /* bytes */
    LAYERS_MAX = 8,         /* each names the ones before it */
    NEST_MAX = 44,          /* of one function in itself */
    BYTES_MAX = 16 << 20,   /* of a compiled world */
    STEPS_A_BYTE_MAX = 20,  /* besides the budget */
    RATIO_MAX = 8,          /* time of a step, in that of the reference */
    STEPS_TIMED_MIN = 2000, /* fewer are too quick to time */
    BUCKETS = 128,
    ATTEMPTS = 5,
};

/* Quarter powers of two of a ratio: a new bucket is a new feature to libFuzzer. */
__attribute__((used, section("__libfuzzer_extra_counters"))) static uint8_t buckets[3][BUCKETS];

static void reach(unsigned goal, double ratio)
{
    unsigned bucket = 0;
    for (double edge = 0.25; edge < ratio && bucket < BUCKETS - 1; edge *= 1.189207115)
        buckets[goal][bucket++] = 1;
}

/* The bytes of an input, then zeros; and the file that they make. */
struct recipe {
    const uint8_t *bytes;
    size_t left;
    struct buffer file;
    unsigned layers, biomes; /* that may be named */
};

static unsigned choose(struct recipe *recipe, unsigned count)
{
    if (recipe->left == 0)
        return 0;
    recipe->left--;
    return *recipe->bytes++ % count;
}

/* Functions and operators around one formula, and what else they take. */
static const char *const wrappers[][2] = {
    {"slope(", ",1)"},
    {"slope(", ",0.1)"},
    {"gradient_x(", ",1)"},
    {"gradient_y(", ",3)"},
    {"warp(", ",x,y)"},
    {"warp(", ",4,5)"},
    {"warp(x,0,", ")"},
    {"at(", ",9,y)"},
    {"at(x,0,", ")"},
    {"random(", ",3)"},
    {"scatter(30,", ")"},
    {"gullies(", ",90,3)"},
    {"scatter(700,dx*id+", ",'max')"},
    {"atan2(", ",x)"},
    {"rotate(", ",30)"},
    {"rotate(", ",90)"},
    {"scale(", ",1.1)"},
    {"scale(", ",2)"},
    {"coarse(", ",16)"},
    {"coarse(", ",1024)"},
    {"zero_distance(", ")"},
    {"(", "^64)"},
    {"(", "^3)"},
    {"-(", ")"},
    {"!(", ")"},
    {"abs(", ")"},
    {"sin(", ")"},
    {"exp(", ")"},
    {"sqrt(", ")"},
    {"fract(", ")"},
    {"spline(", ",0,0,1,1,2,5)"},
    {"gain(", ",x)"},
    {"bias(", ",0.3)"},
    {"terrace(", ",9,0.5)"},
    {"smoothstep(0,1,", ")"},
    {"smoothstep(x,y,", ")"},
    {"x>0?1:(", ")"},
    {"max(x,", ")"},
    {"(x*", ")"},
    {"((", "))"},
};
/* Spacings and displacements that differ by level: their sums are all different. */
static const char *const numbered[][2] = {
    {"slope(", ",%u)"},           {"gradient_x(", ",%u)"}, {"warp(", ",%u.3,y)"},
    {"scale(", ",1.%u)"},         {"rotate(", ",%u)"},     {"at(", ",%u,y)"},
    {"slope(warp(", ",x,%u),1)"},
};
static const char *const leaves[] = {
    "x",
    "y",
    "7",
    "z",
    "pi",
    "perlin(99)",
    "simplex(99)",
    "worley(9)",
    "white(5)",
    "scatter(90,r*angle,'nearest')",
    "worley(9,feature='edge')",
    "fbm(1e6,20)",
    "fbm(1e9,24,rotate_octaves=1)",
    "ridged(1e6,9,damping=2,basis='worley')",
    "cycle('x',9)",
    "detail(9)",
    "distance(1,2)",
    "perlin2002(3)",
    "value(wavelength=9,axes='xyzt',interpolation='cubic')",
    "perlin(99,salt='abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz')",
    "spline(x,0,0,1,1,2,3,3,0,4,1,5,9,6,1)",
};
#define COUNT(array) (sizeof(array) / sizeof *(array))

static void write_formula(struct recipe *recipe, unsigned depth);

static void write_leaf(struct recipe *recipe)
{
    const unsigned choice = choose(recipe, (unsigned)COUNT(leaves) + 8);
    if (choice < COUNT(leaves))
        buffer_text(&recipe->file, leaves[choice]);
    else if (recipe->biomes > 0 && choice % 4 == 0)
        buffer_text(&recipe->file, "biome");
    else if (recipe->layers > 0)
        buffer_format(&recipe->file, "l%u", choose(recipe, recipe->layers));
    else
        buffer_format(&recipe->file, "perlin(%u)", 9 + choose(recipe, 250));
}

static void write_nest(struct recipe *recipe, unsigned depth)
{
    const unsigned choice = choose(recipe, COUNT(wrappers) + COUNT(numbered));
    const bool differ = choice >= COUNT(wrappers);
    const char *const *pair = differ ? numbered[choice - COUNT(wrappers)] : wrappers[choice];
    const unsigned levels = 1 + choose(recipe, NEST_MAX);
    for (unsigned i = 0; i < levels; i++)
        buffer_text(&recipe->file, pair[0]);
    write_formula(recipe, depth + 1);
    for (unsigned i = 0; i < levels; i++) {
        const char *number = strstr(pair[1], "%u");
        if (!number)
            buffer_text(&recipe->file, pair[1]);
        else
            buffer_format(&recipe->file, "%.*s%u%s", (int)(number - pair[1]), pair[1],
                          1 + i * (i % 2 ? i : 1), number + 2);
    }
}

/* Formulas with a separator between them. */
static void write_list(struct recipe *recipe, unsigned depth, const char *open,
                       const char *separator, unsigned count)
{
    buffer_text(&recipe->file, open);
    for (unsigned i = 0; i < count; i++) {
        buffer_text(&recipe->file, i > 0 ? separator : "");
        write_formula(recipe, depth + 1);
    }
    buffer_byte(&recipe->file, ')');
}

static void write_formula(struct recipe *recipe, unsigned depth)
{
    static const char *const separators[] = {"+", "*", "-", "/", "&&", "<"};
    if (depth > 5 || recipe->file.length > FILE_MAX) {
        write_leaf(recipe);
        return;
    }
    switch (choose(recipe, 8)) {
    case 0:
    case 1:
        write_leaf(recipe);
        break;
    case 2:
        write_list(recipe, depth, "warp(", ",", 3);
        break;
    case 3:
        write_list(recipe, depth, "max(", ",", 2 + choose(recipe, 12));
        break;
    case 4:
        write_list(recipe, depth, "(", separators[choose(recipe, COUNT(separators))],
                   2 + choose(recipe, 20));
        break;
    default:
        write_nest(recipe, depth);
    }
}

static void write_conditions(struct recipe *recipe, unsigned count)
{
    buffer_text(&recipe->file, count > 0 ? "},\"biomes\":[" : "}");
    for (unsigned i = 0; i < count; i++) {
        buffer_format(&recipe->file, "%s{\"name\":\"b%u\",\"color\":\"#000\",\"when\":\"",
                      i > 0 ? "," : "", i);
        write_formula(recipe, 3);
        buffer_text(&recipe->file, "\"}");
    }
    buffer_text(&recipe->file, count > 0 ? "]" : "");
}

static void write_densities(struct recipe *recipe, unsigned count)
{
    buffer_text(&recipe->file, count > 0 ? ",\"objects\":{" : "");
    for (unsigned i = 0; i < count; i++) {
        buffer_format(&recipe->file, "%s\"o%u\":{\"spacing\":9,\"density\":\"", i > 0 ? "," : "",
                      i);
        write_formula(recipe, 1);
        buffer_text(&recipe->file, "\"}");
    }
    buffer_text(&recipe->file, count > 0 ? "}}" : "}");
}

/* The height is the last layer, and any earlier one may be named. */
static void write_file(struct recipe *recipe)
{
    const unsigned layers = choose(recipe, LAYERS_MAX), biomes = choose(recipe, 6);
    const unsigned densities = choose(recipe, 3);
    buffer_text(&recipe->file, "{\"generator\":1,\"layers\":{");
    for (; recipe->layers < layers; recipe->layers++) {
        buffer_format(&recipe->file, "\"l%u\":\"", recipe->layers);
        write_formula(recipe, 0);
        buffer_text(&recipe->file, "\",");
    }
    buffer_text(&recipe->file, "\"height\":\"");
    write_formula(recipe, 0);
    buffer_byte(&recipe->file, '"');
    write_conditions(recipe, biomes);
    recipe->biomes = biomes;
    write_densities(recipe, densities);
}

static double seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Compiles a file, and counts what it takes. A cost above the limit of layers is none here, as it
 * is found only after compiling. */
static struct world *compile(const struct buffer *file, double *time, struct error *error)
{
    const struct world_limits limits = {.octaves = 1 << 30};
    const double begin = seconds();
    struct world *world =
        world_parse((const char *)file->data, file->length, "fuzz.json", &limits, error);
    *time = seconds() - begin;
    return world;
}

/* The time of a step in a file that has some of everything: the unit of times here, so that they do
 * not depend on the machine and the sanitizers. */
static double reference_step(void)
{
    static const char text[] =
        "{\"generator\":1,\"layers\":{\"a\":\"fbm(2048, 8) + 3 * ridged(512, 6)\",\"height\":\""
        "slope(slope(slope(a, 1), 2), 4) + warp(a, 9 * perlin(99), 8 * perlin(98)) * "
        "smoothstep(0, 1, a) + max(x, y, 3, a^3)\"}}";
    const struct buffer file = {.data = (uint8_t *)(uintptr_t)text, .length = sizeof text - 1};
    double best = 1.0;
    for (int i = 0; i < ATTEMPTS; i++) {
        double time;
        struct error error = {0};
        struct world *world = compile(&file, &time, &error);
        fuzz_expect(world != NULL);
        time /= (double)world_work(world);
        best = time < best ? time : best;
        world_release(world);
    }
    return best;
}

/* The time of a file's steps, in steps of the reference. One that is too long is measured again,
 * and the reference too, as other programs come and go. */
static double time_ratio(const struct buffer *file, double time, double steps)
{
    static double reference;
    if (reference == 0)
        reference = reference_step();
    double best = time / (steps * reference);
    for (int i = 0; i < ATTEMPTS && best > RATIO_MAX; i++) {
        struct error error = {0};
        world_release(compile(file, &time, &error));
        reference = reference_step();
        time /= steps * reference;
        best = time < best ? time : best;
    }
    return best;
}

static void check_world(const struct world *world, const struct buffer *file, double time)
{
    const double bytes = (double)file->length, steps = (double)world_work(world);
    fuzz_expect(steps <= COMPILE_WORK_MAX + STEPS_A_BYTE_MAX * bytes);
    fuzz_expect(world_bytes(world) <= BYTES_MAX);
    reach(0, steps / bytes);
    reach(1, (double)world_bytes(world) / bytes);
    if (steps < STEPS_TIMED_MIN)
        return;
    const double ratio = time_ratio(file, time, steps);
    if (ratio > RATIO_MAX)
        fprintf(stderr, "%.0f steps take %.1f times as long as others: %.*s\n", steps, ratio,
                (int)file->length, (const char *)file->data);
    fuzz_expect(ratio <= RATIO_MAX);
    reach(2, ratio * 16);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct recipe recipe = {.bytes = data, .left = size};
    double time;
    struct error error = {0};
    write_file(&recipe);
    fuzz_expect(!recipe.file.failed);
    struct world *world = compile(&recipe.file, &time, &error);
    if (world)
        check_world(world, &recipe.file, time);
    else /* it used the whole budget at most */
        fuzz_expect(error.code != ERROR_LIMIT ||
                    time_ratio(&recipe.file, time, COMPILE_WORK_MAX) <= RATIO_MAX);
    world_release(world);
    buffer_free(&recipe.file);
    return 0;
}
