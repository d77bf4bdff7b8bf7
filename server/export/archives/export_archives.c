/* Map tiles of a rectangle as archives, one for each style, which are made in one walk over the
 * tiles. What is done is kept in a spool until the archive is whole. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/sampling/sampler.h"
#include "server/base/build.h"
#include "server/export/archives/archive_plan.h"
#include "server/export/archives/tile_source.h"
#include "server/render/vector_layers.h"

/* TOGETHER is how many tiles of the curve a thread takes at once. Threads share the land that they
 * make, so it saves no more than taking turns: tiles of terra at zoom 8 take the same time by 1, 4,
 * 16 or 64. WAITING is that of struct spool_run. */
enum { TOGETHER = 16, WAITING = 8 };

/* True for what cannot be meant as the name of a folder, and without a path for what is no --step.
 */
static bool takes(const struct options *options, const char *path)
{
    if (!path)
        return !options_given(options, OPTION_EXPORT_STEP);
    const struct tile_archive_kind *kind = tile_archive_kind_of(path, NULL);
    return (kind && kind->way != ARCHIVE_FOLDER) || strcmp(path, "-") == 0;
}

/* As both archives' specifications want vector tiles. */
static bool is_gzipped(const struct archive_plan *plan)
{
    return strcmp(plan->format->name, "mvt") == 0;
}

/* Outputs */

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
static void write_recipe(const struct export_job *job, const struct painter *painter,
                         struct buffer *out)
{
    const struct archive_plan *plan = job->plan;
    const struct tile_range *range = &plan->range;
    buffer_format(out, "%s\n%s %s\n%s %s\n%s %u %u %lld %s\n", server_build,
                  job->world->identity.name, job->world->identity.fingerprint,
                  painter_name(painter), painter_fingerprint(painter), plan->format->name,
                  plan->format->version, (unsigned)plan->size, (long long)job->t,
                  plan->effort_name);
    if (plan->labels)
        buffer_format(out, "labels %s\n", tile_archive_labels(job->world->world));
    buffer_format(out, "%d-%d %lld,%lld,%lld,%lld %u/%u\n", range->zoom_min, range->zoom_max,
                  (long long)range->west, (long long)range->north, (long long)range->east,
                  (long long)range->south, plan->shard, plan->shards);
}

static bool add_style(struct export_job *job, const char *style, struct error *error)
{
    const struct archive_plan *plan = job->plan;
    for (unsigned i = 0; i < job->output_count; i++)
        if (strcmp(style, painter_name(job->outputs[i].painter)) == 0)
            return error_set(error, ERROR_VALUE, "the style \"%s\" stands twice", style);
    const struct painter *painter = catalog_painter(job->world, style, error);
    if (!painter)
        return false;
    if (painter_is_16bit(painter) && !plan->format->supports_16bit) {
        char names[FORMAT_NAMES_TEXT];
        return error_set(
            error, ERROR_VALUE,
            "the style \"%s\" has 16 bits a pixel, which %s cannot hold: use one of %s", style,
            plan->format->name, format_names(format_supports_16bit, names));
    }
    struct export_output *output = export_job_add_output(
        job, path_of_style(job->path ? job->path : "", style), painter, error);
    if (!output)
        return false;
    write_recipe(job, painter, &output->recipe);
    return !output->recipe.failed || error_memory(error);
}

static bool write_vector_layers(const struct export_job *job, struct archive_plan *plan,
                                struct error *error)
{
    struct json_writer json;
    if (!is_gzipped(plan))
        return true;
    json_begin(&json, &plan->vector_layers, false);
    vector_layers_write(&json, job->world->world, plan->labels);
    return !plan->vector_layers.failed || error_memory(error);
}

static bool bind(struct export_job *job, struct error *error)
{
    struct archive_plan *plan = job->plan;
    char *names = strdup(options_text(job->options, OPTION_STYLES_OF)), *rest = names, *name;
    bool done = names || error_memory(error);
    while (done && (name = strsep(&rest, ",")))
        done = add_style(job, name, error);
    free(names);
    if (done && job->path && job->output_count > 1 && !strstr(job->path, "{style}")) {
        error_set(error, ERROR_VALUE, "needs {style} in the name, as there are several styles");
        return error_in_path(error, "-o");
    }
    const uint64_t tiles = (plan->end - plan->first) * job->output_count;
    buffer_format(&job->summary, "%llu tiles, about", (unsigned long long)tiles);
    job->space.parts.least = (double)INFINITY;
    snprintf(plan->size_text, sizeof plan->size_text, "%u", (unsigned)plan->size);
    return done && write_vector_layers(job, plan, error);
}

static void close_plan(struct export_job *job)
{
    struct archive_plan *plan = job->plan;
    buffer_free(&plan->vector_layers);
}

/* Tiles */

static void *begin(const void *context)
{
    const struct export_job *job = context;
    struct tile_maker *maker = tile_maker_new();
    if (maker)
        sampler_set_cache(canvas_sampler(tile_maker_canvas(maker)), job->network);
    return maker;
}

static void end(void *memory)
{
    tile_maker_free(memory);
}

static bool make_tile(const void *context, void *memory, struct spool_item item, struct buffer *out,
                      struct error *error)
{
    const struct export_job *job = context;
    const struct archive_plan *plan = job->plan;
    const struct tile_order order = {
        .world = job->world->world,
        .painter = job->outputs[item.output].painter,
        .format = plan->format,
        .address = tile_range_world(&plan->range, tile_range_at(&plan->range, item.number)),
        .size = plan->size,
        .labels = plan->labels,
        .t = job->t,
        .coding = is_gzipped(plan) ? CODING_GZIP : CODING_IDENTITY,
    };
    if (!tile_check(&order.address, error) || !tile_make(memory, &order, plan->effort, out, error))
        return tile_range_name(order.address, error);
    return !out->failed || error_memory(error);
}

static const struct spool_run_maker maker = {begin, end, make_tile};

/* `spools` has room for those of all outputs; an estimate needs none. */
static struct spool_run run_of(struct export_job *job, struct spool **spools)
{
    const struct archive_plan *plan = job->plan;
    for (unsigned i = 0; i < job->output_count; i++)
        spools[i] = job->outputs[i].spool;
    return (struct spool_run){
        .first = plan->first,
        .end = plan->end,
        .spools = spools,
        .spool_count = job->output_count,
        .threads = job->threads,
        .together = TOGETHER,
        .waiting = WAITING,
        .maker = &maker,
        .job = job,
        .progress = &job->progress,
        .total = plan->end - plan->first,
    };
}

static bool make(struct export_job *job, struct error *error)
{
    struct spool *spools[EXPORT_OUTPUTS_MAX];
    const struct spool_run run = run_of(job, spools);
    return spool_run(&run, error);
}

/* Equal tiles stand once in most archives, and the room that small files take is not sure. */
static bool estimate(struct export_job *job, struct error *error)
{
    struct spool *spools[EXPORT_OUTPUTS_MAX];
    const struct spool_run run = run_of(job, spools);
    const struct tile_archive_kind *kind = ((const struct archive_plan *)job->plan)->kind;
    if (!spool_run_estimate(&run, &job->estimate, error))
        return false;
    const double bytes = job->estimate.bytes, unique = job->estimate.unique;
    if (kind && !kind->repeats)
        job->estimate.bytes = job->estimate.once;
    job->space.parts = (struct long_work_space){.least = unique * 0.8, .about = bytes};
    if (kind && kind->way != ARCHIVE_IN_PLACE)
        job->space.copy = (struct long_work_space){.least = (kind->repeats ? bytes : unique) * 0.8,
                                                   .about = bytes * kind->disk_percent / 100.0};
    return true;
}

/* Archives */

static struct tile_archive_description description_of(const struct export_job *job,
                                                      const struct export_output *output)
{
    struct archive_plan *plan = job->plan;
    const struct world *world = job->world->world;
    return (struct tile_archive_description){
        .range = plan->range,
        .shard = plan->shard,
        .shards = plan->shards,
        .values =
            {
                [ARCHIVE_NAME] = world_title(world),
                [ARCHIVE_DESCRIPTION] = world_description(world),
                [ARCHIVE_ATTRIBUTION] = world_attribution(world),
                [ARCHIVE_FORMAT] = is_gzipped(plan) ? "pbf" : plan->format->name,
                [ARCHIVE_VECTOR_LAYERS] = buffer_string(&plan->vector_layers),
                [ARCHIVE_WORLD] = job->world_name,
                [ARCHIVE_WORLD_FINGERPRINT] = job->world->identity.fingerprint,
                [ARCHIVE_STYLE] = painter_name(output->painter),
                [ARCHIVE_STYLE_FINGERPRINT] = painter_fingerprint(output->painter),
                [ARCHIVE_SIZE] = plan->size_text,
                [ARCHIVE_TIME] = job->time,
                [ARCHIVE_EFFORT] = plan->effort_name,
                [ARCHIVE_LABELS] = plan->labels ? tile_archive_labels(world) : "",
                [ARCHIVE_BUILD] = server_build,
            },
    };
}

static bool is_finished(const struct export_job *job, const struct export_output *output)
{
    struct error ignored = {0};
    struct tile_archive_description found;
    const struct tile_archive_description wanted = description_of(job, output);
    struct tile_source *source = tile_source_open_metadata(output->path, &ignored);
    const bool done = source && tile_source_describe(source, &found, &ignored) &&
                      !tile_archive_difference(&wanted, &found) && found.shard == wanted.shard &&
                      found.shards == wanted.shards;
    tile_source_close(source);
    return done;
}

static bool finish(struct export_job *job, struct export_output *output, struct error *error)
{
    const struct archive_plan *plan = job->plan;
    const struct tile_archive_description description = description_of(job, output);
    const struct tile_archive_content content = {output->spool, &description, &job->progress};
    if (!tile_archive_make(plan->kind, &content, output->path, error))
        return false;
    output->spool = NULL;
    return true;
}

const struct export_kind export_archives = {
    .name = "map tiles",
    .file = "FILE",
    .unit = "tiles",
    .commands = FOR_EXPORT,
    .options = (const enum option_id[]){OPTION_STYLES_OF, OPTION_ZOOMS, OPTION_SHARD,
                                        OPTION_ZERO_BASED, OPTION_NO_SHIFT, OPTION_TILE_FORMAT,
                                        OPTION_EXPORT_SIZE, OPTION_EFFORT, OPTION_LABELS,
                                        OPTION_RESUME, OPTION_EXPORT_STEP, OPTION_COUNT},
    .plan_size = sizeof(struct archive_plan),
    .has_spools = true,
    .takes = takes,
    .read = archive_plan_read,
    .bind = bind,
    .estimate = estimate,
    .is_finished = is_finished,
    .make = make,
    .finish = finish,
    .close = close_plan,
};
