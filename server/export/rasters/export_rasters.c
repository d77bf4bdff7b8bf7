/* A raster of a rectangle as one file, whose blocks are kept in a spool until the file is whole. */
#define _GNU_SOURCE /* memmem() */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/hash.h"
#include "server/base/build.h"
#include "server/base/file.h"
#include "server/export/rasters/raster_order.h"

/* The parts of the spool are copied to the file at the end. */
#define DISK_NEEDED 2.1
/* With overviews, or as text. */
#define PIXEL_BYTES_MAX 16.0

/* What a job of rasters has as its plan. */
struct raster_export {
    struct raster_order order;
    struct raster raster;
    struct raster_plan plan;
    struct raster_description description; /* of these texts: */
    char step[NUMBER_TEXT], scale[NUMBER_TEXT], offset[NUMBER_TEXT], box[4 * NUMBER_TEXT];
    char digest[33]; /* of the recipe */
};

static bool read_options(struct export_job *job, struct error *error)
{
    struct raster_export *own = job->plan;
    return raster_order_read(job, &own->order, error);
}

/* A world's samples or colours */

static bool bind_layer(const struct world *world, struct raster_export *own, struct error *error)
{
    const struct raster_order *order = &own->order;
    struct raster *raster = &own->raster;
    int layer;
    if (!catalog_layer(world, order->layer ? order->layer : "height", &layer, error))
        return error_in_path(error, "--layer");
    const struct world_layer *of = world_layer(world, (unsigned)layer);
    const double low = of->has_range ? of->range_low : of->usual_low;
    const double high = of->has_range ? of->range_high : of->usual_high;
    raster->layer = (unsigned)layer;
    raster->is_scaled = order->kind->is_scaled;
    raster->low = order->has_range ? order->low : low;
    raster->high = order->has_range ? order->high : high;
    if (!(raster->low < raster->high))
        raster->high = raster->low + 1;
    return true;
}

/* Biomes are indices with the colours of their style, in files that can hold colours. */
static const char *style_of(const struct raster_order *order, const struct world *world)
{
    const bool is_biome = order->layer && order->kind->has_pictures &&
                          world_find_layer(world, order->layer) >= 0 &&
                          world_find_layer(world, order->layer) == world_biome_layer(world);
    return is_biome ? order->layer : order->style;
}

static bool bind_content(const struct export_job *job, struct raster_export *own,
                         struct error *error)
{
    const struct raster_order *order = &own->order;
    const char *style = style_of(order, job->world->world);
    own->raster = (struct raster){.world = job->world->world, .grid = order->grid};
    if (!style)
        return bind_layer(job->world->world, own, error);
    own->raster.painter = catalog_painter(job->world, style, error);
    if (!own->raster.painter)
        return false;
    return !painter_is_16bit(own->raster.painter) || order->kind->has_wide_pixels ||
           error_set(error, ERROR_VALUE,
                     "the style \"%s\" has 16 bits a pixel, which .%s files cannot hold", style,
                     order->kind->name);
}

/* What the file tells */

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
static void note_scale(struct raster_export *own)
{
    const struct raster *raster = &own->raster;
    number_format_double((raster->high - raster->low) / 65535.0, own->scale);
    number_format_double(raster->low, own->offset);
    note(&own->description, "terrane:scale", own->scale);
    note(&own->description, "terrane:offset", own->offset);
}

/* All notes but that of the recipe, which is made of them. */
static void describe_file(const struct export_job *job, struct raster_export *own)
{
    const struct raster *raster = &own->raster;
    const struct painter *painter = raster->painter;
    const struct world_layer *layer = world_layer(raster->world, raster->layer);
    struct raster_description *description = &own->description;
    *description = (struct raster_description){
        .title = painter ? painter_name(painter) : layer->name,
        .unit = painter ? "" : layer->unit,
        .crs = own->order.crs,
        .classic_max = RASTER_CLASSIC_MAX,
    };
    place_format(raster->grid.step, own->step);
    format_box(&raster->grid, own->box);
    note(description, "terrane:world", job->world_name);
    note(description, "terrane:world_fingerprint", job->world->identity.fingerprint);
    note(description, painter ? "terrane:style" : "terrane:layer", description->title);
    if (painter)
        note(description, "terrane:style_fingerprint", painter_fingerprint(painter));
    note(description, "terrane:unit", description->unit);
    if (!painter && raster->is_scaled)
        note_scale(own);
    note(description, "terrane:bbox", own->box);
    note(description, "terrane:step", own->step);
    note(description, "terrane:time", job->time);
    note(description, "terrane:build", server_build);
}

/* Everything that decides the file's bytes. */
static bool write_recipe(struct raster_export *own, struct buffer *recipe, struct error *error)
{
    const struct tiff_layout *layout = &own->plan.layout;
    buffer_format(recipe, "%s %d %u %u %u\n", own->order.kind->name, (int)own->order.crs,
                  (unsigned)layout->compression, (unsigned)layout->width, (unsigned)layout->height);
    for (unsigned i = 0; i < own->description.note_count; i++)
        buffer_format(recipe, "%s %s\n", own->description.notes[i].name,
                      own->description.notes[i].value);
    if (recipe->failed)
        return error_memory(error);
    hash_hex(hash_bytes(recipe->data, recipe->length, 0), own->digest);
    note(&own->description, "terrane:recipe", own->digest);
    return true;
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

static bool bind(struct export_job *job, struct error *error)
{
    struct raster_export *own = job->plan;
    const struct raster_order *order = &own->order;
    if (!check_path(job->path, error) || !bind_content(job, own, error))
        return false;
    if (order->kind->has_overviews)
        raster_plan_tiles(&own->plan, &own->raster, order->compression);
    else
        raster_plan_bands(&own->plan, &own->raster, order->kind->encode != NULL);
    buffer_format(&job->summary, "%u x %u pixels, %llu blocks, about",
                  (unsigned)order->grid.columns, (unsigned)order->grid.rows,
                  (unsigned long long)raster_plan_count(&own->plan));
    job->space.parts.least =
        DISK_NEEDED * PIXEL_BYTES_MAX * (double)order->grid.columns * (double)order->grid.rows;
    describe_file(job, own);
    struct export_output *output =
        export_job_add_output(job, strdup(job->path), own->raster.painter, error);
    return output && write_recipe(own, &output->recipe, error);
}

/* Blocks */

static struct raster_run run_of(struct export_job *job)
{
    const struct raster_export *own = job->plan;
    return (struct raster_run){
        .plan = &own->plan,
        .encode = own->order.kind->encode,
        .spool = job->outputs[0].spool,
        .threads = job->threads,
        .network = job->network,
        .progress = &job->progress,
    };
}

static bool make(struct export_job *job, struct error *error)
{
    const struct raster_run run = run_of(job);
    return raster_run(&run, error);
}

static bool estimate(struct export_job *job, struct error *error)
{
    const struct raster_run run = run_of(job);
    if (!raster_run_estimate(&run, &job->estimate, error))
        return false;
    job->space.parts = (struct long_work_space){DISK_NEEDED * job->estimate.unique * 0.8,
                                                DISK_NEEDED * job->estimate.bytes, 0.0};
    return true;
}

/* The file */

/* True if the file is there and names this recipe, which stands at the beginning of the kinds of
 * files that hold texts. Files have their name only when they are whole. */
static bool is_finished(const struct export_job *job, const struct export_output *output)
{
    static const size_t room = 1 << 16;
    const struct raster_export *own = job->plan;
    const int file = open(output->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    char *bytes = file >= 0 ? malloc(room) : NULL;
    const ssize_t length = bytes ? file_read_at(file, bytes, room, 0) : 0;
    const bool is_same =
        length > 0 && memmem(bytes, (size_t)length, own->digest, strlen(own->digest));
    free(bytes);
    if (file >= 0)
        close(file);
    return is_same;
}

static bool finish(struct export_job *job, struct export_output *output, struct error *error)
{
    const struct raster_export *own = job->plan;
    const struct raster_file file = {&own->plan, output->spool, &own->description, &job->progress};
    if (!raster_file_make(own->order.kind, &file, output->path, error))
        return false;
    spool_remove(output->spool);
    output->spool = NULL;
    return true;
}

const struct export_kind export_rasters = {
    .name = "rasters such as area.tif",
    .noun = "raster",
    .file = "FILE",
    .unit = "blocks",
    .commands = FOR_EXPORT | FOR_RENDER,
    .options = (const enum option_id[]){OPTION_STYLES_OF, OPTION_RESUME, OPTION_EXPORT_STEP,
                                        OPTION_RANGE, OPTION_RASTER_LAYER, OPTION_WIDTH, OPTION_CRS,
                                        OPTION_COMPRESS, OPTION_COUNT},
    .plan_size = sizeof(struct raster_export),
    .has_spools = true,
    .endings = raster_kind_names,
    .takes = raster_order_wanted,
    .read = read_options,
    .bind = bind,
    .estimate = estimate,
    .is_finished = is_finished,
    .make = make,
    .finish = finish,
};
