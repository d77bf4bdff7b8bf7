/* The tiles of a rectangle as archives, one for each style. What is done is kept in FILE.part and
 * FILE.part-index until the archive is whole. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/base/build.h"
#include "server/base/long_work.h"
#include "server/base/process.h"
#include "server/base/progress.h"
#include "server/cli/archive_disk.h"
#include "server/cli/export.h"
#include "server/cli/export_tiles.h"
#include "server/export/archives/export_run.h"
#include "server/export/archives/tile_archive.h"
#include "server/export/archives/tile_source.h"
#include "server/render/vector_layers.h"

/* An archive to make. */
struct target {
    char *path;
    const struct painter *painter;
    struct buffer recipe;
};

struct work {
    const struct catalog_world *world;
    struct export_tiles tiles;
    int64_t t;
    unsigned threads;
    struct buffer vector_layers; /* of vector tiles, as JSON; or empty */
    struct target targets[EXPORT_OUTPUTS_MAX];
    struct export_output outputs[EXPORT_OUTPUTS_MAX];
    unsigned count;
    struct progress progress;
};

/* Targets */

/* The path of a style's archive; null when memory is out. */
static char *path_of_style(const char *path, const char *style)
{
    static const char mark[] = "{style}";
    const char *found;
    struct buffer text = {0};
    for (; (found = strstr(path, mark)); path = found + strlen(mark)) {
        buffer_append(&text, path, (size_t)(found - path));
        buffer_text(&text, style);
    }
    buffer_text(&text, path);
    char *copy = text.failed ? NULL : strdup(buffer_string(&text));
    buffer_free(&text);
    return copy;
}

/* Everything that decides the archive's bytes. */
static void write_recipe(const struct work *work, const struct painter *painter, struct buffer *out)
{
    const struct tile_range *range = &work->tiles.range;
    buffer_format(out, "%s\n%s %s\n%s %s\n%s %u %u %lld\n", server_build,
                  work->world->identity.name, work->world->identity.fingerprint,
                  painter_name(painter), painter_fingerprint(painter), work->tiles.format->name,
                  work->tiles.format->version, (unsigned)work->tiles.size, (long long)work->t);
    buffer_format(out, "%d-%d %lld,%lld,%lld,%lld %u/%u\n", range->zoom_min, range->zoom_max,
                  (long long)range->west, (long long)range->north, (long long)range->east,
                  (long long)range->south, work->tiles.shard, work->tiles.shards);
}

static bool add_target(struct work *work, const char *path, const char *style, struct error *error)
{
    struct target *target = &work->targets[work->count];
    if (work->count == EXPORT_OUTPUTS_MAX)
        return error_set(error, ERROR_LIMIT, "at most %d styles at once", EXPORT_OUTPUTS_MAX);
    for (unsigned i = 0; i < work->count; i++)
        if (strcmp(style, painter_name(work->targets[i].painter)) == 0)
            return error_set(error, ERROR_VALUE, "the style \"%s\" stands twice", style);
    work->count++;
    target->painter = catalog_painter(work->world, style, error);
    target->path = path_of_style(path ? path : "", style);
    if (!target->painter || !target->path)
        return target->painter ? error_memory(error) : false;
    if (painter_is_16bit(target->painter) && !work->tiles.format->supports_16bit) {
        char names[FORMAT_NAMES_TEXT];
        return error_set(
            error, ERROR_VALUE,
            "the style \"%s\" has 16 bits a pixel, which %s cannot hold: use one of %s", style,
            work->tiles.format->name, format_names(format_supports_16bit, names));
    }
    write_recipe(work, target->painter, &target->recipe);
    return !target->recipe.failed || error_memory(error);
}

static bool add_targets(const struct options *options, struct work *work, struct error *error)
{
    char *names = strdup(options_text(options, OPTION_STYLES_OF)), *rest = names, *name;
    const char *path = options_text(options, OPTION_ARCHIVE);
    bool done = names || error_memory(error);
    while (done && (name = strsep(&rest, ",")))
        done = add_target(work, path, name, error);
    free(names);
    if (done && path && work->count > 1 && !strstr(path, "{style}")) {
        error_set(error, ERROR_VALUE, "needs {style} in the name, as there are several styles");
        return error_in_path(error, "-o");
    }
    return done;
}

/* As both archives' specifications want vector tiles. */
static bool is_gzipped(const struct work *work)
{
    return strcmp(work->tiles.format->name, "mvt") == 0;
}

static struct tile_order order_of(const struct work *work, const struct painter *painter)
{
    return (struct tile_order){
        .world = work->world->world,
        .painter = painter,
        .format = work->tiles.format,
        .size = work->tiles.size,
        .t = work->t,
        .coding = is_gzipped(work) ? CODING_GZIP : CODING_IDENTITY,
    };
}

/* Opens the spools, with equally many tiles in each. */
static bool open_spools(struct work *work, bool resume, struct error *error)
{
    uint64_t most = work->tiles.end - work->tiles.first;
    for (unsigned i = 0; i < work->count; i++) {
        struct target *target = &work->targets[i];
        struct spool *spool =
            spool_open(target->path, &target->recipe, resume ? SPOOL_RESUME : SPOOL_ANEW, error);
        if (!spool)
            return false;
        work->outputs[i] = (struct export_output){order_of(work, target->painter), spool};
        most = spool_count(spool) < most ? spool_count(spool) : most;
    }
    for (unsigned i = 0; i < work->count; i++)
        if (!spool_cut(work->outputs[i].spool, most, error))
            return false;
    return true;
}

static void close_spools(struct work *work)
{
    for (unsigned i = 0; i < work->count; i++) {
        spool_close(work->outputs[i].spool);
        free(work->targets[i].path);
        buffer_free(&work->targets[i].recipe);
    }
}

static struct export_run run_of(struct work *work)
{
    return (struct export_run){
        .range = &work->tiles.range,
        .first = work->tiles.first,
        .end = work->tiles.end,
        .outputs = work->outputs,
        .output_count = work->count,
        .threads = work->threads,
    };
}

/* Estimates need no spools. */
static bool estimate(struct work *work, struct export_estimate *estimated, struct error *error)
{
    for (unsigned i = 0; i < work->count; i++)
        work->outputs[i] = (struct export_output){order_of(work, work->targets[i].painter), NULL};
    const struct export_run run = run_of(work);
    return export_estimate(&run, estimated, error);
}

static bool print_estimate(const struct work *work, const struct export_estimate *estimated)
{
    char size[LONG_WORK_SIZE_TEXT];
    long_work_format_size(estimated->bytes, size);
    const uint64_t tiles = (work->tiles.end - work->tiles.first) * work->count;
    printf("%llu tiles, about %s, about %.0f s on %u threads\n", (unsigned long long)tiles, size,
           estimated->seconds, work->threads);
    return fflush(stdout) == 0;
}

/* Refuses what surely does not fit on the disk: equal tiles stand once in most archives, and the
 * room that small files take is not sure either. */
static bool check_disk(const struct work *work, const struct export_estimate *estimated,
                       struct error *error)
{
    const struct tile_archive_kind *kind = work->tiles.kind;
    const double bytes = estimated->bytes, unique = estimated->unique;
    const double copied = kind->way == ARCHIVE_IN_PLACE ? 0.0 : kind->repeats ? bytes : unique;
    struct long_work_space parts = {.least = unique * 0.8, .about = bytes};
    const struct long_work_space copy = {.least = copied * 0.8,
                                         .about = bytes * kind->disk_percent / 100.0};
    for (unsigned i = 0; i < work->count; i++)
        parts.there += spool_disk_space(work->targets[i].path);
    return archive_disk_check(work->targets[0].path, kind, &parts, &copy, error);
}

/* Texts of a description. */
struct labels {
    char size[16], time[NUMBER_TEXT], name[WORLD_NAME_MAX + 300];
};

static struct tile_archive_description describe(struct work *work, const struct target *target,
                                                struct labels *labels)
{
    const struct world *world = work->world->world;
    const struct world_identity *identity = &work->world->identity;
    snprintf(labels->size, sizeof labels->size, "%u", (unsigned)work->tiles.size);
    snprintf(labels->name, sizeof labels->name, "%s%s%s", identity->name,
             identity->is_reseeded ? "~" : "", identity->is_reseeded ? identity->seed : "");
    place_format(work->t, labels->time);
    return (struct tile_archive_description){
        .range = work->tiles.range,
        .shard = work->tiles.shard,
        .shards = work->tiles.shards,
        .values =
            {
                [ARCHIVE_NAME] = world_title(world),
                [ARCHIVE_DESCRIPTION] = world_description(world),
                [ARCHIVE_ATTRIBUTION] = world_attribution(world),
                [ARCHIVE_FORMAT] = is_gzipped(work) ? "pbf" : work->tiles.format->name,
                [ARCHIVE_VECTOR_LAYERS] = buffer_string(&work->vector_layers),
                [ARCHIVE_WORLD] = labels->name,
                [ARCHIVE_WORLD_FINGERPRINT] = work->world->identity.fingerprint,
                [ARCHIVE_STYLE] = painter_name(target->painter),
                [ARCHIVE_STYLE_FINGERPRINT] = painter_fingerprint(target->painter),
                [ARCHIVE_SIZE] = labels->size,
                [ARCHIVE_TIME] = labels->time,
                [ARCHIVE_BUILD] = server_build,
            },
    };
}

/* True if the target's archive is there, and of this very export. */
static bool is_finished(struct work *work, const struct target *target)
{
    struct labels labels;
    struct error ignored = {0};
    struct tile_archive_description found;
    const struct tile_archive_description wanted = describe(work, target, &labels);
    struct tile_source *source = tile_source_open_metadata(target->path, &ignored);
    const bool done = source && tile_source_describe(source, &found, &ignored) &&
                      !tile_archive_difference(&wanted, &found) && found.shard == wanted.shard &&
                      found.shards == wanted.shards;
    tile_source_close(source);
    return done;
}

/* Of several archives, some may have been finished when the export was interrupted: their spools
 * are gone, and nothing of them is to be made again. */
static void leave_out_finished(struct work *work)
{
    for (unsigned i = work->count; i-- > 0;) {
        struct target *target = &work->targets[i];
        if (spool_exists(target->path) || !is_finished(work, target))
            continue;
        spool_discard_rest(target->path);
        free(target->path);
        buffer_free(&target->recipe);
        *target = work->targets[--work->count];
    }
}

/* Makes the archive of one target; its spool is gone then. */
static bool finish(struct work *work, unsigned index, struct error *error)
{
    struct labels labels;
    const struct target *target = &work->targets[index];
    struct spool **spool = &work->outputs[index].spool;
    const struct tile_archive_description description = describe(work, target, &labels);
    progress_begin_phase(&work->progress, "tiles", "finishing");
    const bool done = tile_archive_make(work->tiles.kind, *spool, target->path, &description,
                                        &work->progress, error);
    if (done)
        *spool = NULL;
    return done;
}

static bool make_archives(struct work *work, bool resume, struct error *error)
{
    if (resume)
        leave_out_finished(work);
    if (work->count == 0)
        return true;
    if (!open_spools(work, resume, error))
        return false;
    struct export_run run = run_of(work);
    run.progress = &work->progress;
    long_work_catch_signals();
    work->progress.is_interrupted = long_work_is_interrupted;
    progress_begin_phase(&work->progress, "tiles", "making");
    bool done = export_run(&run, error);
    for (unsigned i = 0; done && i < work->count; i++)
        done = finish(work, i, error);
    progress_end(&work->progress);
    if (!done && long_work_is_interrupted())
        error_set(error, ERROR_VALUE, "interrupted; the same command with --resume goes on");
    return done;
}

static bool write_vector_layers(struct work *work, struct error *error)
{
    struct json_writer json;
    if (!is_gzipped(work))
        return true;
    json_begin(&json, &work->vector_layers, false);
    vector_layers_write(&json, work->world->world, false);
    return !work->vector_layers.failed || error_memory(error);
}

static bool export_world(const struct options *options, const struct catalog_world *world,
                         void *context, struct error *error)
{
    struct work *work = context;
    struct export_estimate estimated;
    work->world = world;
    work->t = place_from_metres(options_number(options, OPTION_TIME));
    work->threads =
        process_threads((unsigned)options_whole(options, OPTION_THREADS), EXPORT_THREADS_MAX);
    const bool is_dry = options_given(options, OPTION_DRY_RUN);
    const bool is_resumed = options_given(options, OPTION_RESUME) && !is_dry;
    bool done = add_targets(options, work, error) && write_vector_layers(work, error);
    done = done && (is_resumed || estimate(work, &estimated, error));
    if (done && is_dry)
        done = print_estimate(work, &estimated);
    else if (done)
        done = (is_resumed || check_disk(work, &estimated, error)) &&
               make_archives(work, is_resumed, error);
    close_spools(work);
    buffer_free(&work->vector_layers);
    return done;
}

enum exit_status export_archives(const struct options *options)
{
    struct work *work = calloc(1, sizeof *work);
    struct error error = {0};
    if (!work) {
        error_memory(&error);
        return command_fail(&error);
    }
    enum exit_status status = export_tiles_read(options, &work->tiles);
    if (status == EXIT_DONE)
        status = command_with_world(options, export_world, work);
    free(work);
    return status;
}
