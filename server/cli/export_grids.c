/* Tiles of heights for game engines, as files in a folder. What is done are the files that are
 * there: with --resume those that have their digest are not made again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/base/in_order.h"
#include "server/base/long_work.h"
#include "server/base/process.h"
#include "server/base/progress.h"
#include "server/cli/export.h"
#include "server/export/area.h"
#include "server/export/grids/grid_manifest.h"
#include "server/export/grids/grid_run.h"

struct work {
    struct grid_plan plan;
    const char *path;
    bool materials;
    unsigned threads;
    struct grid_folder *folder;
    struct progress progress;
};

/* Options */

static bool read_engine(const struct options *options, struct grid_plan *plan, struct error *error)
{
    char names[FORMAT_NAMES_TEXT];
    const char *name = options_text(options, OPTION_ENGINE);
    plan->engine = grid_engine_find(name);
    if (!plan->engine) {
        error_set(error, ERROR_VALUE, "must be one of %s, not \"%s\"", grid_engine_names(names),
                  name);
        return error_in_path(error, "--engine");
    }
    name = options_given(options, OPTION_TILE_FORMAT) ? options_text(options, OPTION_TILE_FORMAT)
                                                      : plan->engine->format;
    plan->format = grid_format_find(name);
    plan->size = options_given(options, OPTION_EXPORT_SIZE)
                     ? (uint32_t)options_whole(options, OPTION_EXPORT_SIZE)
                     : plan->engine->size;
    if (plan->format)
        return true;
    error_set(error, ERROR_VALUE, "with --step must be one of %s, not \"%s\"",
              grid_format_names(names), name);
    return error_in_path(error, "--format");
}

static bool read_scale(const struct options *options, struct grid_plan *plan, struct error *error)
{
    const char *range = options_text(options, OPTION_RANGE);
    plan->has_scale = range != NULL;
    if (!range)
        return true;
    if (!plan->format->is_scaled)
        error_set(error, ERROR_VALUE, "is for other formats than %s, which has metres",
                  plan->format->name);
    else if (area_parse_range(range, &plan->scale.low, &plan->scale.high, error))
        return true;
    return error_in_path(error, "--range");
}

static bool read_area(const struct options *options, struct grid_plan *plan, struct error *error)
{
    if (!area_parse_step(options_text(options, OPTION_EXPORT_STEP), &plan->step, error))
        return error_in_path(error, "--step");
    if (!area_parse_bbox(options_text(options, OPTION_BBOX), plan->box, error) ||
        !grid_plan_cover(plan, error))
        return error_in_path(error, "--bbox");
    plan->t = place_from_metres(options_number(options, OPTION_TIME));
    return true;
}

static enum exit_status read_options(const struct options *options, struct work *work)
{
    struct error error = {0};
    work->path = options_text(options, OPTION_ARCHIVE);
    work->materials = options_given(options, OPTION_MATERIALS);
    work->threads =
        process_threads((unsigned)options_whole(options, OPTION_THREADS), IN_ORDER_THREADS_MAX);
    if (!options_given(options, OPTION_BBOX))
        return command_misuse(options, "--step needs --bbox X0,Y0,X1,Y1");
    if (!work->path && !options_given(options, OPTION_DRY_RUN))
        return command_misuse(options, "-o FOLDER is needed");
    if (read_engine(options, &work->plan, &error) && read_scale(options, &work->plan, &error) &&
        read_area(options, &work->plan, &error))
        return EXIT_DONE;
    command_fail(&error);
    return EXIT_USAGE;
}

/* Work */

static double tile_bytes(const struct grid_plan *plan)
{
    double bytes = 0;
    for (unsigned i = 0; i < plan->layer_count; i++)
        bytes += (double)grid_plan_bytes(plan, i);
    return bytes;
}

static struct grid_run run_of(struct work *work)
{
    return (struct grid_run){.plan = &work->plan,
                             .folder = work->folder,
                             .threads = work->threads,
                             .progress = &work->progress};
}

static bool write_tiles(struct work *work, struct error *error)
{
    struct buffer manifest = {0};
    const struct grid_run run = run_of(work);
    bool done = grid_folder_begin(work->folder, error) && grid_run(&run, error);
    if (done) {
        grid_manifest_write(&work->plan, work->folder, &manifest);
        done = grid_folder_finish(work->folder, &manifest, error);
    }
    buffer_free(&manifest);
    return done;
}

static bool make_tiles(struct work *work, bool resume, struct error *error)
{
    bool done = true;
    work->folder = grid_folder_open(work->path, &work->plan, error);
    if (!work->folder)
        return false;
    long_work_catch_signals();
    work->progress.is_interrupted = long_work_is_interrupted;
    progress_begin_phase(&work->progress, "bytes", "checking");
    if (resume)
        done = grid_folder_check(work->folder, &work->progress);
    else
        grid_folder_forget(work->folder);
    progress_begin_phase(&work->progress, "rows", "making");
    done = done && write_tiles(work, error);
    progress_end(&work->progress);
    grid_folder_close(work->folder);
    if (!done && long_work_is_interrupted())
        error_set(error, ERROR_VALUE, "interrupted; the same command with --resume goes on");
    return done;
}

static bool print_estimate(const struct work *work, double seconds)
{
    const struct grid_plan *plan = &work->plan;
    const uint32_t tiles = grid_plan_tiles(plan);
    char size[LONG_WORK_SIZE_TEXT];
    long_work_format_size(tile_bytes(plan) * tiles, size);
    printf("%u x %u tiles of %u x %u samples, %u files, %s, about %.0f s on %u threads\n",
           (unsigned)plan->columns, (unsigned)plan->rows, (unsigned)grid_plan_side(plan),
           (unsigned)grid_plan_side(plan), (unsigned)tiles * plan->layer_count, size, seconds,
           work->threads);
    return fflush(stdout) == 0;
}

static bool check_disk(const struct work *work, struct error *error)
{
    const double bytes = tile_bytes(&work->plan) * grid_plan_tiles(&work->plan);
    const struct long_work_space space = {bytes, bytes, grid_folder_space(work->path, &work->plan)};
    return long_work_check_disk(work->path, &space, error);
}

static bool export_world(const struct options *options, const struct catalog_world *world,
                         void *context, struct error *error)
{
    struct work *work = context;
    const bool is_dry = options_given(options, OPTION_DRY_RUN);
    const bool is_resumed = options_given(options, OPTION_RESUME) && !is_dry;
    const struct grid_run run = run_of(work);
    double seconds = 0;
    if (!grid_plan_bind(&work->plan, world, work->materials, error))
        return false;
    if (!is_resumed && !is_dry && !check_disk(work, error))
        return false;
    if (!is_resumed && !grid_estimate(&run, &seconds, error))
        return false;
    return is_dry ? print_estimate(work, seconds) : make_tiles(work, is_resumed, error);
}

enum exit_status export_grids(const struct options *options)
{
    struct work work = {0};
    const enum exit_status status = read_options(options, &work);
    return status == EXIT_DONE ? command_with_world(options, export_world, &work) : status;
}
