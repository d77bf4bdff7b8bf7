/* The ground of a rectangle as one file, which appears when it is complete. */
#include <stdio.h>
#include <string.h>

#include "server/base/in_order.h"
#include "server/base/process.h"
#include "server/cli/area.h"
#include "server/cli/export.h"
#include "server/cli/long_work.h"
#include "server/cli/output.h"
#include "server/cli/progress.h"
#include "server/export/mesh.h"

struct work {
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
    if (!command_parse_bbox(options_text(options, OPTION_BBOX), plan->box, error) ||
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

static enum exit_status read_options(const struct options *options, struct work *work)
{
    struct mesh_plan *plan = &work->plan;
    struct error error = {0};
    work->path = options_text(options, OPTION_ARCHIVE);
    work->threads =
        process_threads((unsigned)options_whole(options, OPTION_THREADS), IN_ORDER_THREADS_MAX);
    plan->kind = mesh_kind_of(work->path);
    plan->t = place_from_metres(options_number(options, OPTION_TIME));
    const char *kind = mesh_kind_name(plan->kind);
    if (!mesh_kind_is_coloured(plan->kind) && options_given(options, OPTION_STYLES_OF))
        return refuse_option(OPTION_STYLES_OF, kind, options);
    for (enum option_id id = OPTION_SCALE; id <= OPTION_BASE; id++)
        if (!mesh_kind_is_solid(plan->kind) && options_given(options, id))
            return refuse_option(id, kind, options);
    if (!options_given(options, OPTION_BBOX) || !options_given(options, OPTION_EXPORT_STEP))
        return command_misuse(options, "a mesh needs --bbox X0,Y0,X1,Y1 and --step METRES");
    if (read_solid(options, plan, &error) && read_area(options, plan, &error))
        return EXIT_DONE;
    command_fail(&error);
    return EXIT_USAGE;
}

static bool print_size(const struct mesh_plan *plan)
{
    char size[LONG_WORK_SIZE_TEXT];
    long_work_format_size((double)mesh_bytes_max(plan), size);
    printf("%u x %u vertices, %llu triangles, %s%s\n", (unsigned)plan->columns,
           (unsigned)plan->rows, (unsigned long long)mesh_triangles(plan),
           mesh_kind_is_coloured(plan->kind) ? "at most " : "", size);
    return fflush(stdout) == 0;
}

static bool show_rows(void *context, uint64_t done, uint64_t total)
{
    struct work *work = context;
    progress_show_with(&work->progress, done, total, "rows", "one file");
    return true;
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
        .progress = show_rows,
        .context = work,
    };
    progress_begin(&work->progress);
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
    plan->painter = catalog_painter(world, options_text(options, OPTION_STYLES_OF), error);
    if (!plan->painter && mesh_kind_is_coloured(plan->kind))
        return error_in_path(error, "--style");
    if (options_given(options, OPTION_DRY_RUN))
        return print_size(plan);
    const double bytes = (double)mesh_bytes_max(plan);
    return long_work_check_disk(work->path, bytes * 0.7, bytes, error) && write_file(work, error);
}

enum exit_status export_meshes(const struct options *options)
{
    struct work work = {0};
    const enum exit_status status = read_options(options, &work);
    return status == EXIT_DONE ? command_with_world(options, export_world, &work) : status;
}
