/* A raster of a rectangle as one file. What is done is kept in FILE.part and FILE.part-index until
 * the file is whole; `terrane render` removes them when it does not come to its end. */
#define _GNU_SOURCE /* memmem() */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/hash.h"
#include "server/base/build.h"
#include "server/base/file.h"
#include "server/base/long_work.h"
#include "server/base/progress.h"
#include "server/cli/export.h"
#include "server/cli/raster_order.h"

/* The parts of the spool are copied to the file at the end. */
#define DISK_NEEDED 2.1
/* With overviews, or as text. */
#define PIXEL_BYTES_MAX 16.0

struct work {
    struct raster_order order;
    const struct catalog_world *world;
    struct raster raster;
    struct raster_plan plan;
    struct buffer recipe;
    char digest[33]; /* of the recipe; "" before it is written */
    struct spool *spool;
    struct progress progress;
};

static bool bind_layer(struct work *work, struct error *error)
{
    const struct world *world = work->world->world;
    struct raster *raster = &work->raster;
    int layer;
    if (!catalog_layer(world, work->order.layer ? work->order.layer : "height", &layer, error))
        return error_in_path(error, "--layer");
    const struct world_layer *of = world_layer(world, (unsigned)layer);
    raster->layer = (unsigned)layer;
    raster->is_scaled = work->order.kind->is_scaled;
    raster->low = work->order.has_range ? work->order.low
                                        : (double)(of->has_range ? of->range_low : of->usual_low);
    raster->high = work->order.has_range
                       ? work->order.high
                       : (double)(of->has_range ? of->range_high : of->usual_high);
    if (!(raster->low < raster->high))
        raster->high = raster->low + 1;
    return true;
}

/* Biomes are indices with the colours of their style, in files that can hold colours. */
static const char *style_of(const struct work *work)
{
    const struct raster_order *order = &work->order;
    const struct world *world = work->world->world;
    const bool is_biome = order->layer && order->kind->has_pictures &&
                          world_find_layer(world, order->layer) >= 0 &&
                          world_find_layer(world, order->layer) == world_biome_layer(world);
    return is_biome ? order->layer : order->style;
}

static bool bind(struct work *work, struct error *error)
{
    const struct raster_order *order = &work->order;
    const char *style = style_of(work);
    work->raster = (struct raster){.world = work->world->world, .grid = order->grid};
    if (!style && !bind_layer(work, error))
        return false;
    if (style && !(work->raster.painter = catalog_painter(work->world, style, error)))
        return false;
    if (style && painter_is_16bit(work->raster.painter) && !order->kind->has_wide_pixels)
        return error_set(error, ERROR_VALUE,
                         "the style \"%s\" has 16 bits a pixel, which .%s files cannot hold", style,
                         order->kind->name);
    if (order->kind->has_overviews)
        raster_plan_tiles(&work->plan, &work->raster, order->compression);
    else
        raster_plan_bands(&work->plan, &work->raster, order->kind->encode != NULL);
    return true;
}

/* What the file tells */

/* Texts of a description. */
struct labels {
    char world[WORLD_NAME_MAX + 300], time[NUMBER_TEXT], step[NUMBER_TEXT];
    char scale[NUMBER_TEXT], offset[NUMBER_TEXT];
    char box[4 * NUMBER_TEXT];
};

static void format_box(const struct sample_grid *grid, char text[4 * NUMBER_TEXT])
{
    const int64_t west = grid->x - grid->step / 2, north = grid->y - grid->step / 2;
    const int64_t box[] = {west, north, west + grid->columns * grid->step,
                           north + grid->rows * grid->step};
    for (unsigned i = 0; i < 4; i++) {
        if (i > 0)
            *text++ = ',';
        text += place_format(box[i], text);
    }
}

static void note(struct raster_description *description, const char *name, const char *value)
{
    if (value[0] && description->note_count < RASTER_NOTES_MAX)
        description->notes[description->note_count++] = (struct raster_note){name, value};
}

/* A number n of a pixel is the value offset + n * scale. */
static void note_scale(const struct raster *raster, struct raster_description *description,
                       struct labels *labels)
{
    number_format_double((raster->high - raster->low) / 65535.0, labels->scale);
    number_format_double(raster->low, labels->offset);
    note(description, "terrane:scale", labels->scale);
    note(description, "terrane:offset", labels->offset);
}

static struct raster_description describe(const struct work *work, struct labels *labels)
{
    const struct catalog_world *world = work->world;
    const struct raster *raster = &work->raster;
    const struct world_layer *layer = world_layer(world->world, raster->layer);
    struct raster_description description = {
        .title = raster->painter ? painter_name(raster->painter) : layer->name,
        .unit = raster->painter ? "" : layer->unit,
        .crs = work->order.crs,
        .classic_max = RASTER_CLASSIC_MAX,
    };
    const struct world_identity *identity = &world->identity;
    snprintf(labels->world, sizeof labels->world, "%s%s%s", identity->name,
             identity->is_reseeded ? "~" : "", identity->is_reseeded ? identity->seed : "");
    place_format(raster->grid.t, labels->time);
    place_format(raster->grid.step, labels->step);
    format_box(&raster->grid, labels->box);
    note(&description, "terrane:world", labels->world);
    note(&description, "terrane:world_fingerprint", identity->fingerprint);
    note(&description, raster->painter ? "terrane:style" : "terrane:layer", description.title);
    if (raster->painter)
        note(&description, "terrane:style_fingerprint", painter_fingerprint(raster->painter));
    note(&description, "terrane:unit", description.unit);
    if (!raster->painter && raster->is_scaled)
        note_scale(raster, &description, labels);
    note(&description, "terrane:bbox", labels->box);
    note(&description, "terrane:step", labels->step);
    note(&description, "terrane:time", labels->time);
    note(&description, "terrane:build", server_build);
    note(&description, "terrane:recipe", work->digest);
    return description;
}

/* Everything that decides the file's bytes. */
static bool write_recipe(struct work *work, struct error *error)
{
    struct labels labels;
    const struct raster_description description = describe(work, &labels);
    const struct tiff_layout *layout = &work->plan.layout;
    buffer_format(&work->recipe, "%s %d %u %u %u\n", work->order.kind->name, (int)description.crs,
                  (unsigned)layout->compression, (unsigned)layout->width, (unsigned)layout->height);
    for (unsigned i = 0; i < description.note_count; i++)
        buffer_format(&work->recipe, "%s %s\n", description.notes[i].name,
                      description.notes[i].value);
    if (work->recipe.failed)
        return error_memory(error);
    hash_hex(hash_bytes(work->recipe.data, work->recipe.length, 0), work->digest);
    return true;
}

/* True if the file is there and names this recipe, which stands at the beginning of the kinds of
 * files that hold texts. Files have their name only when they are whole. */
static bool is_finished(const struct work *work)
{
    static const size_t room = 1 << 16;
    const int file = open(work->order.path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    char *bytes = file >= 0 ? malloc(room) : NULL;
    const ssize_t length = bytes ? file_read_at(file, bytes, room, 0) : 0;
    const bool is_same =
        length > 0 && memmem(bytes, (size_t)length, work->digest, strlen(work->digest));
    free(bytes);
    if (file >= 0)
        close(file);
    return is_same;
}

/* Work */

static struct raster_run run_of(struct work *work)
{
    return (struct raster_run){
        .plan = &work->plan,
        .encode = work->order.kind->encode,
        .spool = work->spool,
        .threads = work->order.threads,
    };
}

static bool make_file(struct work *work, struct error *error)
{
    struct labels labels;
    struct raster_run run = run_of(work);
    run.progress = &work->progress;
    const struct raster_description description = describe(work, &labels);
    const struct raster_file file = {&work->plan, work->spool, &description, &work->progress};
    if (!raster_run(&run, error))
        return false;
    progress_begin_phase(&work->progress, "blocks", "finishing");
    return raster_file_make(work->order.kind, &file, work->order.path, error);
}

/* What `terrane render` leaves when it is killed is never continued, but what an export left may
 * be: only the former is written over. */
static struct spool *open_spool(const struct work *work, struct error *error)
{
    static const struct buffer render = {.data = (uint8_t *)"render", .length = 6};
    const char *path = work->order.path;
    if (!work->order.is_export)
        return spool_open(path, &render, SPOOL_REDO, error);
    return spool_open(path, &work->recipe, work->order.is_resumed ? SPOOL_RESUME : SPOOL_ANEW,
                      error);
}

static bool make_raster(struct work *work, struct error *error)
{
    work->spool = open_spool(work, error);
    if (!work->spool)
        return false;
    long_work_catch_signals();
    work->progress.is_interrupted = long_work_is_interrupted;
    progress_begin_phase(&work->progress, "blocks", "making");
    const bool done = make_file(work, error);
    progress_end(&work->progress);
    if (done || !work->order.is_export)
        spool_remove(work->spool);
    else
        spool_close(work->spool);
    if (!done && long_work_is_interrupted())
        error_set(error, ERROR_VALUE, "interrupted%s",
                  work->order.is_export ? "; the same command with --resume goes on" : "");
    return done;
}

static bool print_estimate(const struct work *work, const struct export_estimate *estimate)
{
    const struct sample_grid *grid = &work->raster.grid;
    char size[LONG_WORK_SIZE_TEXT];
    long_work_format_size(estimate->bytes, size);
    printf("%u x %u pixels, %llu blocks, about %s, about %.0f s on %u threads\n",
           (unsigned)grid->columns, (unsigned)grid->rows,
           (unsigned long long)raster_plan_count(&work->plan), size, estimate->seconds,
           work->order.threads);
    return fflush(stdout) == 0;
}

/* Refuses what surely does not fit on the disk. What fits without compression needs no estimate. */
static bool check_disk(struct work *work, struct error *error)
{
    const struct sample_grid *grid = &work->raster.grid;
    const double most = DISK_NEEDED * PIXEL_BYTES_MAX * (double)grid->columns * (double)grid->rows;
    const struct raster_run run = run_of(work);
    struct export_estimate estimate;
    /* Parts of an export are not written over by a render. */
    const double there = work->order.is_export ? spool_disk_space(work->order.path) : 0.0;
    const struct long_work_space bound = {most, most, there};
    if (work->order.is_resumed || long_work_check_disk(work->order.path, &bound, NULL))
        return true;
    if (!raster_run_estimate(&run, &estimate, error))
        return false;
    const double needed = DISK_NEEDED * estimate.bytes;
    const double least = DISK_NEEDED * estimate.unique * 0.8;
    const struct long_work_space space = {least, needed, there};
    return long_work_check_disk(work->order.path, &space, error);
}

/* A file that is replaced when the new one is whole: nothing else. */
static bool check_path(const char *path, struct error *error)
{
    struct stat status;
    if (lstat(path, &status) != 0 || S_ISREG(status.st_mode))
        return true;
    error_set(error, ERROR_VALUE, "is %s: a raster needs a regular file", file_kind(path));
    return error_in_file(error, path);
}

static bool export_world(const struct options *options, const struct catalog_world *world,
                         void *context, struct error *error)
{
    struct work *work = context;
    const struct raster_order *order = &work->order;
    struct export_estimate estimate = {0};
    (void)options;
    work->world = world;
    if (!check_path(order->path, error) || !bind(work, error) || !write_recipe(work, error))
        return false;
    if (order->is_resumed && !spool_exists(order->path) && is_finished(work)) {
        spool_discard_rest(order->path);
        return true;
    }
    if (!order->is_dry)
        return check_disk(work, error) && make_raster(work, error);
    const struct raster_run run = run_of(work);
    return raster_run_estimate(&run, &estimate, error) && print_estimate(work, &estimate);
}

enum exit_status export_rasters(const struct options *options)
{
    struct work work = {.spool = NULL};
    enum exit_status status = raster_order_read(options, &work.order);
    if (status == EXIT_DONE)
        status = command_with_world(options, export_world, &work);
    buffer_free(&work.recipe);
    return status;
}
