/* Tiles of heights for game engines, as files in a folder. What is done are the files that are
 * there: with --resume those that have their digest are not made again (grid_folder_check()). */
#include <string.h>

#include "server/export/grids/grid_manifest.h"
#include "server/export/grids/grid_run.h"
#include "server/export/job.h"
#include "server/render/area.h"

/* Folders of --step. */
static bool takes(const struct options *options, const char *path)
{
    return !path && options_given(options, OPTION_EXPORT_STEP);
}

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

static bool read_options(struct export_job *job, struct error *error)
{
    struct grid_run *run = job->plan;
    struct grid_plan *plan = &run->plan;
    if (!options_given(job->options, OPTION_BBOX))
        return error_set(error, ERROR_VALUE, "--step needs --bbox X0,Y0,X1,Y1");
    if (!read_engine(job->options, plan, error) || !read_scale(job->options, plan, error))
        return false;
    memcpy(plan->box, job->box, sizeof plan->box);
    plan->step = job->step;
    plan->t = job->t;
    return grid_plan_cover(plan, error) || error_in_path(error, "--bbox");
}

static bool bind(struct export_job *job, struct error *error)
{
    struct grid_run *run = job->plan;
    const struct grid_plan *plan = &run->plan;
    const bool materials = options_given(job->options, OPTION_MATERIALS);
    if (!grid_plan_bind(&run->plan, job->world, materials, error))
        return false;
    const unsigned side = grid_plan_side(plan), tiles = grid_plan_tiles(plan);
    double bytes = 0;
    for (unsigned i = 0; i < plan->layer_count; i++)
        bytes += (double)grid_plan_bytes(plan, i) * tiles;
    run->threads = job->threads;
    run->network = job->network;
    run->progress = &job->progress;
    job->estimate.bytes = bytes;
    job->space.parts = (struct long_work_space){bytes, bytes, 0.0};
    job->space.is_known = true;
    if (job->path && !job->is_dry)
        job->space.parts.there = grid_folder_space(job->path, plan);
    buffer_format(&job->summary, "%u x %u tiles of %u x %u samples, %u files,",
                  (unsigned)plan->columns, (unsigned)plan->rows, side, side,
                  tiles * plan->layer_count);
    return true;
}

/* Work */

static bool estimate(struct export_job *job, struct error *error)
{
    return grid_estimate(job->plan, &job->estimate.seconds, error);
}

static bool open_folder(struct export_job *job, struct error *error)
{
    struct grid_run *run = job->plan;
    run->folder = grid_folder_open(job->path, &run->plan, error);
    return run->folder != NULL;
}

static bool make(struct export_job *job, struct error *error)
{
    struct grid_run *run = job->plan;
    if (job->is_resumed) {
        progress_begin_phase(&job->progress, "bytes", "checking");
        if (!grid_folder_check(run->folder, &job->progress))
            return false;
        progress_begin_phase(&job->progress, job->kind->unit, "making");
    } else {
        grid_folder_forget(run->folder);
    }
    return grid_folder_begin(run->folder, error) && grid_run(run, error);
}

static bool finish(struct export_job *job, struct export_output *output, struct error *error)
{
    struct grid_run *run = job->plan;
    struct buffer manifest = {0};
    (void)output;
    grid_manifest_write(&run->plan, run->folder, &manifest);
    const bool done = grid_folder_finish(run->folder, &manifest, error);
    buffer_free(&manifest);
    return done;
}

static void close_folder(struct export_job *job)
{
    struct grid_run *run = job->plan;
    grid_folder_close(run->folder);
}

const struct export_kind export_grids = {
    .name = "tiles for engines, with --step",
    .file = "FOLDER",
    .unit = "rows",
    .commands = FOR_EXPORT,
    .options = (const enum option_id[]){OPTION_TILE_FORMAT, OPTION_EXPORT_SIZE, OPTION_RESUME,
                                        OPTION_EXPORT_STEP, OPTION_ENGINE, OPTION_RANGE,
                                        OPTION_MATERIALS, OPTION_COUNT},
    .plan_size = sizeof(struct grid_run),
    .is_tried = true,
    .takes = takes,
    .read = read_options,
    .bind = bind,
    .estimate = estimate,
    .open = open_folder,
    .make = make,
    .finish = finish,
    .close = close_folder,
};
