/* All mistakes show before a world is loaded, which takes longer than everything here. */
#include "server/export/archives/archive_plan.h"

#include <string.h>

#include "core/base/number.h"

/* "3-9" or "7". */
static bool parse_zooms(const char *text, int zooms[2], struct error *error)
{
    const size_t length = strcspn(text, "-");
    int64_t low, high;
    const char *second = text[length] ? text + length + 1 : text;
    if (!number_parse_integer(text, length, 0, TILE_ZOOM_MAX, &low) ||
        !number_parse_integer(second, strlen(second), 0, TILE_ZOOM_MAX, &high) || high < low)
        return error_set(error, ERROR_SYNTAX,
                         "must be a zoom, or two such as 0-8, from 0 to %d, not \"%s\"",
                         TILE_ZOOM_MAX, text);
    zooms[0] = (int)low;
    zooms[1] = (int)high;
    return true;
}

/* "2/4"; `first` is the number of the first part. */
static bool parse_shard(const char *text, int first, struct archive_plan *plan, struct error *error)
{
    const size_t length = strcspn(text, "/");
    int64_t shard, shards;
    if (!text[length] || !number_parse_integer(text, length, first, TILE_SHARDS_MAX, &shard) ||
        !number_parse_integer(text + length + 1, strlen(text + length + 1), 1, TILE_SHARDS_MAX,
                              &shards) ||
        shard - first >= shards)
        return error_set(error, ERROR_SYNTAX, "must be I/N, %s, N at most %d, not \"%s\"",
                         first ? "1/N to N/N" : "0/N to N-1/N", TILE_SHARDS_MAX, text);
    plan->shard = (unsigned)(shard - first + 1);
    plan->shards = (unsigned)shards;
    return true;
}

static bool read_shard(const struct options *options, struct archive_plan *plan,
                       struct error *error)
{
    const char *text = options_text(options, OPTION_SHARD);
    const int first = options_given(options, OPTION_ZERO_BASED) ? 0 : 1;
    plan->shard = plan->shards = 1;
    if (!text && first == 0) {
        error_set(error, ERROR_VALUE, "counts the parts of --shard I/N, which is missing");
        return error_in_path(error, "--zero-based");
    }
    return !text || parse_shard(text, first, plan, error) || error_in_path(error, "--shard");
}

static bool read_range(const struct export_job *job, struct archive_plan *plan, struct error *error)
{
    int zooms[2] = {0, 0};
    if (!parse_zooms(options_text(job->options, OPTION_ZOOMS), zooms, error))
        return error_in_path(error, "--zoom");
    if (!tile_range_init(&plan->range, job->box, zooms,
                         !options_given(job->options, OPTION_NO_SHIFT), error))
        return error_in_path(error, "--bbox");
    if (!read_shard(job->options, plan, error))
        return false;
    const struct tile_archive_description description = {
        .range = plan->range, .shard = plan->shard, .shards = plan->shards};
    tile_archive_shard(&description, &plan->first, &plan->end);
    return true;
}

static bool read_format(const struct options *options, struct archive_plan *plan,
                        struct error *error)
{
    char names[FORMAT_NAMES_TEXT];
    const char *name = options_text(options, OPTION_TILE_FORMAT);
    plan->format = format_find(name, strlen(name));
    if (!plan->format || !format_is_of_archives(plan->format)) {
        error_set(error, ERROR_VALUE, "must be one of %s, not \"%s\"",
                  format_names(format_is_of_archives, names), name);
        return error_in_path(error, "--format");
    }
    plan->labels = options_given(options, OPTION_LABELS);
    if (plan->labels && !format_has_interval(plan->format)) {
        error_set(error, ERROR_VALUE, "is for --format mvt, not %s", plan->format->name);
        return error_in_path(error, "--labels");
    }
    plan->size = options_given(options, OPTION_EXPORT_SIZE)
                     ? (uint32_t)options_whole(options, OPTION_EXPORT_SIZE)
                     : plan->format->size;
    if (format_allows_size(plan->format, plan->size))
        return true;
    error_set(error, ERROR_VALUE, "of %s tiles must be one of %s, not %u", plan->format->name,
              format_size_names(plan->format, names), (unsigned)plan->size);
    return error_in_path(error, "--size");
}

bool archive_plan_read(struct export_job *job, struct error *error)
{
    struct archive_plan *plan = job->plan;
    if (options_given(job->options, OPTION_EXPORT_STEP))
        return error_set(error, ERROR_VALUE,
                         "--step makes a folder, a mesh or a raster, not \"%s\"", job->path);
    plan->kind = job->path ? tile_archive_kind_of(job->path, error) : NULL;
    if (job->path && !plan->kind)
        return error_in_path(error, "-o");
    plan->effort_name = options_text(job->options, OPTION_EFFORT);
    return tile_effort_find(plan->effort_name, &plan->effort) && read_range(job, plan, error) &&
           read_format(job->options, plan, error);
}
