/* The one way of all exports: job.h has the order of the steps. What an interrupted export has left
 * is found here for kinds with spools: open_outputs(); for folders of heights in
 * grids/export_grids.c. Meshes leave nothing. */
#include "server/export/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/drainage/store/cache_share.h"
#include "server/base/in_order.h"
#include "server/base/process.h"
#include "server/render/area.h"

#define EXPORT_KIND_ROW(name) &export_##name,
const struct export_kind *const export_kinds[] = {EXPORT_KINDS(EXPORT_KIND_ROW) NULL};

bool export_kind_has(const struct export_kind *kind, enum option_id option)
{
    const enum option_id *each = kind->options;
    while (*each != OPTION_COUNT && *each != option)
        each++;
    return *each != OPTION_COUNT;
}

const struct export_kind *export_kind_of(const struct options *options, const char *path)
{
    for (const struct export_kind *const *kind = export_kinds; *kind; kind++)
        if ((*kind)->commands & options->command && (*kind)->takes(options, path))
            return *kind;
    return path ? export_kind_of(options, NULL) : NULL;
}

/* Options */

/* The Mercator square, where no rectangle is given. */
static bool read_area(struct export_job *job, struct error *error)
{
    const int64_t half = (int64_t)1 << 40; /* 2²⁴ m */
    const char *box = options_text(job->options, OPTION_BBOX);
    const char *step = options_text(job->options, OPTION_EXPORT_STEP);
    memcpy(job->box, (int64_t[]){-half, -half, half, half}, sizeof job->box);
    if (box && !area_parse_bbox(box, job->box, error))
        return error_in_path(error, "--bbox");
    if (step && !area_parse_step(step, &job->step, error))
        return error_in_path(error, "--step");
    return true;
}

bool export_job_read(struct export_job *job, const struct export_kind *kind,
                     const struct options *options, struct error *error)
{
    const bool is_export = options->command == FOR_EXPORT;
    const bool is_dry = options_given(options, OPTION_DRY_RUN);
    *job = (struct export_job){
        .kind = kind,
        .options = options,
        .path = options_text(options, is_export ? OPTION_ARCHIVE : OPTION_OUTPUT),
        .style = is_export ? OPTION_STYLES_OF : OPTION_STYLE,
        .t = place_from_metres(options_number(options, OPTION_TIME)),
        .threads =
            process_threads((unsigned)options_whole(options, OPTION_THREADS), IN_ORDER_THREADS_MAX),
        .is_kept = is_export,
        .is_dry = is_dry,
        .is_resumed = options_given(options, OPTION_RESUME) && !is_dry,
        .plan = calloc(1, kind->plan_size),
    };
    if (!job->plan)
        return error_memory(error);
    if (!job->path && !is_dry)
        return error_set(error, ERROR_VALUE, "-o %s is needed", kind->file);
    return read_area(job, error) && kind->read(job, error);
}

void export_job_free(struct export_job *job)
{
    if (job->plan && job->kind->close)
        job->kind->close(job);
    for (unsigned i = 0; i < job->output_count; i++) {
        free(job->outputs[i].path);
        buffer_free(&job->outputs[i].recipe);
    }
    buffer_free(&job->summary);
    drainage_cache_release(job->network);
    free(job->plan);
}

struct export_output *export_job_add_output(struct export_job *job, char *path,
                                            const struct painter *painter, struct error *error)
{
    struct export_output *output = &job->outputs[job->output_count];
    if (!path || job->output_count == EXPORT_OUTPUTS_MAX) {
        if (path)
            error_set(error, ERROR_LIMIT, "at most %d styles at once", EXPORT_OUTPUTS_MAX);
        else
            error_memory(error);
        free(path);
        return NULL;
    }
    *output = (struct export_output){.path = path, .painter = painter};
    job->output_count++;
    return output;
}

/* What it would be */

static bool print_estimate(struct export_job *job, struct error *error)
{
    char size[LONG_WORK_SIZE_TEXT];
    long_work_format_size(job->estimate.bytes, size);
    buffer_format(&job->summary, " %s, about %.0f s on %u threads", size, job->estimate.seconds,
                  job->threads);
    if (job->summary.failed)
        return error_memory(error);
    return puts(buffer_string(&job->summary)) >= 0 && fflush(stdout) == 0;
}

/* Parts of an export are not written over by a render. */
static bool has_room(const struct export_job *job, struct error *error)
{
    struct long_work_space parts = job->space.parts;
    if (!job->kind->has_spools)
        return long_work_check_disk(job->path, &parts, error);
    for (unsigned i = 0; job->is_kept && i < job->output_count; i++)
        parts.there += spool_disk_space(job->outputs[i].path);
    return spool_check_disk(job->outputs[0].path, &parts, &job->space.copy, error);
}

/* Refuses what surely does not fit on the disk, or says what a dry run found. What fits in any case
 * needs no estimate. */
static bool measure(struct export_job *job, struct error *error)
{
    const struct export_kind *kind = job->kind;
    if (job->is_dry)
        return kind->estimate(job, error) && print_estimate(job, error);
    const bool fits = has_room(job, job->space.is_known ? error : NULL);
    if (fits ? !kind->is_tried : job->space.is_known)
        return fits;
    return kind->estimate(job, error) && (fits || has_room(job, error));
}

/* Spools */

/* Of several files, some may have been finished when the export was interrupted: their spools are
 * gone, and nothing of them is to be made again. */
static void leave_out_finished(struct export_job *job)
{
    for (unsigned i = job->output_count; i-- > 0;) {
        struct export_output *output = &job->outputs[i];
        if (spool_exists(output->path) || !job->kind->is_finished(job, output))
            continue;
        spool_discard_rest(output->path);
        free(output->path);
        buffer_free(&output->recipe);
        *output = job->outputs[--job->output_count];
    }
}

/* What `terrane render` leaves when it is killed is never continued, but what an export left may
 * be: only the former is written over. */
static struct spool *open_spool(const struct export_job *job, const struct export_output *output,
                                struct error *error)
{
    static const struct buffer render = {.data = (uint8_t *)"render", .length = 6};
    if (!job->is_kept)
        return spool_open(output->path, &render, SPOOL_REDO, error);
    return spool_open(output->path, &output->recipe, job->is_resumed ? SPOOL_RESUME : SPOOL_ANEW,
                      error);
}

/* Opens the spools, with equally many items in each: those with which an interrupted export is
 * resumed. */
static bool open_outputs(struct export_job *job, struct error *error)
{
    uint64_t least = UINT64_MAX;
    if (job->is_resumed)
        leave_out_finished(job);
    for (unsigned i = 0; i < job->output_count; i++) {
        struct export_output *output = &job->outputs[i];
        output->spool = open_spool(job, output, error);
        if (!output->spool)
            return false;
        least = spool_count(output->spool) < least ? spool_count(output->spool) : least;
    }
    for (unsigned i = 0; i < job->output_count; i++)
        if (!spool_cut(job->outputs[i].spool, least, error))
            return false;
    return true;
}

static void close_outputs(struct export_job *job)
{
    for (unsigned i = 0; i < job->output_count; i++) {
        struct export_output *output = &job->outputs[i];
        if (job->is_kept)
            spool_close(output->spool);
        else if (output->spool)
            spool_remove(output->spool);
        output->spool = NULL;
    }
}

/* Work */

static bool finish(struct export_job *job, struct error *error)
{
    const struct export_kind *kind = job->kind;
    if (!kind->has_spools)
        return !kind->finish || kind->finish(job, NULL, error);
    for (unsigned i = 0; i < job->output_count; i++) {
        progress_begin_phase(&job->progress, kind->unit, "finishing");
        if (!kind->finish(job, &job->outputs[i], error))
            return false;
    }
    return true;
}

static bool make(struct export_job *job, struct error *error)
{
    const struct export_kind *kind = job->kind;
    bool (*open)(struct export_job *, struct error *) =
        kind->has_spools ? open_outputs : kind->open;
    bool done = !open || open(job, error);
    if (done && (job->output_count > 0 || !kind->has_spools)) {
        long_work_catch_signals();
        job->progress.is_interrupted = long_work_is_interrupted;
        progress_begin_phase(&job->progress, kind->unit, "making");
        done = kind->make(job, error) && finish(job, error);
        progress_end(&job->progress);
    }
    close_outputs(job);
    if (!done && long_work_is_interrupted())
        error_set(error, ERROR_VALUE, "interrupted%s",
                  job->is_kept ? "; the same command with --resume goes on" : "");
    return done;
}

bool export_job_run(struct export_job *job, const struct catalog_world *world, struct error *error)
{
    const struct world_identity *identity = &world->identity;
    job->world = world;
    snprintf(job->world_name, sizeof job->world_name, "%s%s%s", identity->name,
             identity->is_reseeded ? "~" : "", identity->is_reseeded ? identity->seed : "");
    place_format(job->t, job->time);
    job->network = drainage_cache_new(EXPORT_NETWORK_MEMORY);
    return (job->network || error_memory(error)) && job->kind->bind(job, error) &&
           (job->is_resumed || measure(job, error)) && (job->is_dry || make(job, error));
}
