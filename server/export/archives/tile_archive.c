/* The table of kinds of archives, and what they have in common: archives that are new files are
 * written beside their place and renamed when they are complete. */
#define _GNU_SOURCE /* asprintf() */
#include "server/export/archives/tile_archive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/json_writer.h"
#include "core/base/number.h"
#include "core/tile/mercator.h"
#include "server/base/file.h"

/* Small files and pages of a database take more room on a disk than they have bytes. */
static const struct tile_archive_kind kinds[] = {
    {"pmtiles", ARCHIVE_IN_PLACE, 0, false, pmtiles_write},
    {"mbtiles", ARCHIVE_NEW_FILE, 110, false, mbtiles_write},
    {"tar", ARCHIVE_NEW_FILE, 120, true, tar_write},
    {"/", ARCHIVE_FOLDER, 150, true, folder_write},
};

const struct tile_archive_kind *tile_archive_kind_of(const char *path, struct error *error)
{
    const size_t length = strlen(path);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const char *name = kinds[i].name;
        const size_t end = strlen(name);
        const bool is_folder = strcmp(name, "/") == 0;
        if (length <= end || strcmp(path + length - end, name) != 0)
            continue;
        if (is_folder || path[length - end - 1] == '.')
            return &kinds[i];
    }
    error_set(error, ERROR_VALUE,
              "must end in .pmtiles, .mbtiles, .tar or, for a folder of files, in /, not \"%s\"",
              path);
    return NULL;
}

bool tile_archive_make(const struct tile_archive_kind *kind,
                       const struct tile_archive_content *content, const char *path,
                       struct error *error)
{
    char *temporary = NULL;
    if (kind->way == ARCHIVE_NEW_FILE && asprintf(&temporary, "%s.part-archive", path) < 0)
        return error_memory(error);
    bool done = kind->write(content, temporary ? temporary : path, error);
    if (temporary) {
        done = done && file_publish(temporary, path, error);
        if (!done)
            unlink(temporary);
        free(temporary);
    }
    if (done && kind->way != ARCHIVE_IN_PLACE)
        spool_remove(content->spool);
    return done;
}

void tile_archive_bounds(const struct tile_archive_description *description, double bounds[4])
{
    const struct tile_range *range = &description->range;
    const double tile = (double)tile_span(range->zoom_min);
    const double side = 1 << 24;
    const double east = (double)range->shift_x * tile, south = (double)range->shift_y * tile;
    double box[4] = {(double)range->west - east, (double)range->south - south,
                     (double)range->east - east, (double)range->north - south};
    for (int i = 0; i < 4; i++) {
        const double metres = box[i] / (double)PLACE_METRE;
        const double inside = metres < -side ? -side : metres > side ? side : metres;
        bounds[i] = i % 2 ? mercator_latitude(inside) : mercator_longitude(inside);
    }
}

/* Numbers with commas between, as MBTiles writes lists. */
static void write_list(struct buffer *out, const double *numbers, unsigned count)
{
    char text[NUMBER_TEXT];
    for (unsigned i = 0; i < count; i++) {
        number_format_double(numbers[i], text);
        buffer_format(out, "%s%s", i > 0 ? "," : "", text);
    }
}

/* The middle of the bounds, at the lowest zoom. */
static void write_extent(const struct tile_archive_description *description, struct buffer *bounds,
                         struct buffer *center)
{
    double b[4];
    tile_archive_bounds(description, b);
    const double middle[3] = {(b[0] + b[2]) / 2, (b[1] + b[3]) / 2, description->range.zoom_min};
    write_list(bounds, b, 4);
    write_list(center, middle, 3);
}

const char *const tile_archive_names[ARCHIVE_VALUES] = {
    [ARCHIVE_NAME] = "name",
    [ARCHIVE_DESCRIPTION] = "description",
    [ARCHIVE_ATTRIBUTION] = "attribution",
    [ARCHIVE_FORMAT] = "format",
    [ARCHIVE_VECTOR_LAYERS] = "vector_layers",
    [ARCHIVE_WORLD] = "terrane:world",
    [ARCHIVE_WORLD_FINGERPRINT] = "terrane:world_fingerprint",
    [ARCHIVE_STYLE] = "terrane:style",
    [ARCHIVE_STYLE_FINGERPRINT] = "terrane:style_fingerprint",
    [ARCHIVE_SIZE] = "terrane:size",
    [ARCHIVE_TIME] = "terrane:time",
    [ARCHIVE_EFFORT] = "terrane:effort",
    [ARCHIVE_LABELS] = "terrane:labels",
    [ARCHIVE_BUILD] = "terrane:build",
};

const char *tile_archive_labels(const struct world *world)
{
    const char *fingerprint = world_names_fingerprint(world);
    return fingerprint[0] ? fingerprint : "none";
}

void tile_archive_shard(const struct tile_archive_description *description, uint64_t *first,
                        uint64_t *end)
{
    const uint64_t count = tile_range_count(&description->range);
    *first = count * (description->shard - 1) / description->shards;
    *end = count * description->shard / description->shards;
}

static bool is_same_range(const struct tile_range *a, const struct tile_range *b)
{
    return a->zoom_min == b->zoom_min && a->zoom_max == b->zoom_max && a->west == b->west &&
           a->north == b->north && a->east == b->east && a->south == b->south;
}

const char *tile_archive_difference(const struct tile_archive_description *a,
                                    const struct tile_archive_description *b)
{
    if (!is_same_range(&a->range, &b->range))
        return "zooms or terrane:bbox";
    for (int i = 0; i < ARCHIVE_VALUES; i++)
        if (strcmp(a->values[i] ? a->values[i] : "", b->values[i] ? b->values[i] : "") != 0)
            return tile_archive_names[i];
    return NULL;
}

bool tile_archive_is_gzipped(const struct tile_archive_description *description)
{
    return strcmp(description->values[ARCHIVE_FORMAT], "pbf") == 0;
}

bool tile_archive_json_row(void *context, const char *name, const char *value)
{
    if (strcmp(name, tile_archive_names[ARCHIVE_VECTOR_LAYERS]) == 0)
        json_member_raw(context, name, value);
    else
        json_member_string(context, name, value);
    return true;
}

/* The rectangle in the world, west, north, east, south in metres, exactly. */
static void write_box(const struct tile_range *range, struct buffer *out)
{
    char text[NUMBER_TEXT];
    const int64_t box[] = {range->west, range->north, range->east, range->south};
    for (unsigned i = 0; i < 4; i++) {
        place_format(box[i], text);
        buffer_format(out, "%s%s", i > 0 ? "," : "", text);
    }
}

/* The rows that follow from the range and the tiles. */
struct derived {
    struct buffer bounds, center, box;
    char zoom_min[8], zoom_max[8], shift[64], shard[32], digest[33];
};

static bool derive(const struct tile_archive_content *content, struct derived *rows,
                   struct error *error)
{
    const struct tile_archive_description *description = content->description;
    const struct tile_range *range = &description->range;
    write_extent(description, &rows->bounds, &rows->center);
    write_box(range, &rows->box);
    snprintf(rows->zoom_min, sizeof rows->zoom_min, "%d", range->zoom_min);
    snprintf(rows->zoom_max, sizeof rows->zoom_max, "%d", range->zoom_max);
    snprintf(rows->shift, sizeof rows->shift, "%d/%lld/%lld", range->zoom_min,
             (long long)range->shift_x, (long long)range->shift_y);
    snprintf(rows->shard, sizeof rows->shard, "%u/%u", description->shard, description->shards);
    if (rows->bounds.failed || rows->center.failed || rows->box.failed)
        return error_memory(error);
    return spool_digest(content->spool, 0, rows->digest, error);
}

static bool write_derived(struct derived *rows, tile_archive_row *row, void *context)
{
    const char *const all[][2] = {
        {"bounds", buffer_string(&rows->bounds)},
        {"center", buffer_string(&rows->center)},
        {"minzoom", rows->zoom_min},
        {"maxzoom", rows->zoom_max},
        {"type", "baselayer"},
        {"version", "1"},
        {"terrane:bbox", buffer_string(&rows->box)},
        {"terrane:shift", rows->shift},
        {"terrane:shard", rows->shard},
        {"terrane:digest", rows->digest},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!row(context, all[i][0], all[i][1]))
            return false;
    return true;
}

bool tile_archive_metadata(const struct tile_archive_content *content, tile_archive_row *row,
                           void *context, struct error *error)
{
    const char *const *values = content->description->values;
    struct derived rows = {0};
    bool done = derive(content, &rows, error);
    for (int i = 0; done && i < ARCHIVE_VALUES; i++)
        if (values[i] && values[i][0])
            done = row(context, tile_archive_names[i], values[i]);
    done = done && write_derived(&rows, row, context);
    buffer_free(&rows.bounds);
    buffer_free(&rows.center);
    buffer_free(&rows.box);
    return done;
}
