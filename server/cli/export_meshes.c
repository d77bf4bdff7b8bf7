/* The ground of a rectangle as one file, which appears when it is complete. */
#include <stdio.h>
#include <string.h>

#include "server/base/in_order.h"
#include "server/base/long_work.h"
#include "server/base/output.h"
#include "server/base/process.h"
#include "server/base/progress.h"
#include "server/cli/export.h"
#include "server/export/area.h"
#include "server/export/meshes/mesh.h"

struct work {
    enum option_id style; /* which option names it */
    struct mesh_plan plan;
    const char *path;
    unsigned threads;
    struct progress progress;
};

static enum exit_status refuse_option(enum option_id id, const char *kind,
                                      const struct options *options)
{
    return command_misuse(options, "--%s is for other meshes than .%s", option_table[id].name,
                          kind);
}

static bool read_area(const struct options *options, struct mesh_plan *plan, struct error *error)
{
    if (!area_parse_step(options_text(options, OPTION_EXPORT_STEP), &plan->step, error))
        return error_in_path(error, "--step");
    if (!area_parse_bbox(options_text(options, OPTION_BBOX), plan->box, error) ||
        !mesh_cover(plan, error))
        return error_in_path(error, "--bbox");
    return true;
}

static bool read_solid(const struct options *options, struct mesh_plan *plan, struct error *error)
{
    plan->scale = options_number(options, OPTION_SCALE);
    plan->has_base = options_given(options, OPTION_BASE);
    plan->base = options_number(options, OPTION_BASE);
    if (plan->scale >= 1.0 && plan->scale <= 1e9)
        return true;
    error_set(error, ERROR_LIMIT, "must be from 1 to 1000000000, not %s",
              options_text(options, OPTION_SCALE));
    return error_in_path(error, "--scale");
}

/* Options of `render` that meshes have and no other files, and those that meshes do not have. */
static const enum option_id own_options[] = {OPTION_SCALE, OPTION_BASE};
static const enum option_id other_options[] = {
    OPTION_TILE,  OPTION_SIZE, OPTION_COLS,     OPTION_INTERVAL,    OPTION_FORMAT,
    OPTION_WIDTH, OPTION_CRS,  OPTION_COMPRESS, OPTION_RASTER_LAYER};
enum {
    OWN = sizeof own_options / sizeof *own_options,
    OTHER = sizeof other_options / sizeof *other_options
};

bool export_meshes_wanted(const struct options *options)
{
    const char *path = options_text(options, OPTION_OUTPUT);
    for (size_t i = 0; i < OWN; i++)
        if (options_given(options, own_options[i]))
            return true;
    return path && mesh_kind_of(path);
}

/* The path and its kind, and no option that goes with other files. */
static enum exit_status read_kind(const struct options *options, struct work *work)
{
    const bool is_export = options->command == FOR_EXPORT;
    work->path = options_text(options, is_export ? OPTION_ARCHIVE : OPTION_OUTPUT);
    work->style = is_export ? OPTION_STYLES_OF : OPTION_STYLE;
    work->plan.kind = work->path ? mesh_kind_of(work->path) : NULL;
    if (!work->path)
        return command_misuse(options, "-o FILE is needed");
    for (size_t i = 0; i < OWN; i++)
        if (!work->plan.kind && options_given(options, own_options[i]))
            return command_misuse(options, "--%s is for meshes, .glb and .stl, not for \"%s\"",
                                  option_table[own_options[i]].name, work->path);
    for (size_t i = 0; i < OTHER; i++)
        if (options_given(options, other_options[i]))
            return command_misuse(options, "--%s does not go with the mesh \"%s\"",
                                  option_table[other_options[i]].name, work->path);
    return EXIT_DONE;
}

static enum exit_status read_options(const struct options *options, struct work *work)
{
    struct mesh_plan *plan = &work->plan;
    struct error error = {0};
    if (read_kind(options, work) != EXIT_DONE)
        return EXIT_USAGE;
    work->threads =
        process_threads((unsigned)options_whole(options, OPTION_THREADS), IN_ORDER_THREADS_MAX);
    plan->t = place_from_metres(options_number(options, OPTION_TIME));
    const char *kind = mesh_kind_name(plan->kind);
    if (!mesh_kind_is_coloured(plan->kind) && options_given(options, work->style))
        return refuse_option(work->style, kind, options);
    for (size_t i = 0; i < OWN; i++)
        if (!mesh_kind_is_solid(plan->kind) && options_given(options, own_options[i]))
            return refuse_option(own_options[i], kind, options);
    if (!options_given(options, OPTION_BBOX) || !options_given(options, OPTION_EXPORT_STEP))
        return command_misuse(options, "a mesh needs --bbox X0,Y0,X1,Y1 and --step METRES");
    if (read_solid(options, plan, &error) && read_area(options, plan, &error))
        return EXIT_DONE;
    command_fail(&error);
    return EXIT_USAGE;
}

static bool print_estimate(const struct work *work, struct error *error)
{
    const struct mesh_plan *plan = &work->plan;
    const struct mesh_run run = {.plan = plan, .threads = work->threads};
    char size[LONG_WORK_SIZE_TEXT];
    double seconds;
    if (!mesh_estimate(&run, &seconds, error))
        return false;
    long_work_format_size((double)mesh_bytes_max(plan), size);
    printf("%u x %u vertices, %llu triangles, %s%s, about %.0f s on %u threads\n",
           (unsigned)plan->columns, (unsigned)plan->rows, (unsigned long long)mesh_triangles(plan),
           mesh_kind_is_coloured(plan->kind) ? "at most " : "", size, seconds, work->threads);
    return fflush(stdout) == 0;
}

/* Parts are written in any order, which pipes cannot. */
static bool check_output(const struct output *output, struct error *error)
{
    if (output->path && fseek(output->stream, 0, SEEK_SET) == 0)
        return true;
    error_set(error, ERROR_VALUE, "must be a file: meshes cannot be written to a pipe");
    return error_in_path(error, "-o");
}

static bool write_file(struct work *work, struct error *error)
{
    struct output output;
    if (!output_open(&output, work->path, error))
        return false;
    const struct mesh_run run = {
        .plan = &work->plan,
        .file = fileno(output.stream),
        .threads = work->threads,
        .progress = &work->progress,
    };
    progress_begin_phase(&work->progress, "rows", "one file");
    bool done = check_output(&output, error) && mesh_write(&run, error);
    progress_end(&work->progress);
    if (!done && error->code == ERROR_IO)
        error_in_file(error, work->path);
    return output_close(&output, done, done ? error : NULL) && done;
}

static bool export_world(const struct options *options, const struct catalog_world *world,
                         void *context, struct error *error)
{
    struct work *work = context;
    struct mesh_plan *plan = &work->plan;
    plan->world = world->world;
    plan->painter = catalog_painter(world, options_text(options, work->style), error);
    if (!plan->painter && mesh_kind_is_coloured(plan->kind))
        return error_in_path(error, "--style");
    if (options_given(options, OPTION_DRY_RUN))
        return print_estimate(work, error);
    const double bytes = (double)mesh_bytes_max(plan);
    const struct long_work_space space = {.least = bytes * 0.7, .about = bytes};
    return long_work_check_disk(work->path, &space, error) && write_file(work, error);
}

enum exit_status export_meshes(const struct options *options)
{
    struct work work = {0};
    const enum exit_status status = read_options(options, &work);
    return status == EXIT_DONE ? command_with_world(options, export_world, &work) : status;
}
