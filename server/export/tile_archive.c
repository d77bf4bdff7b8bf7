#define _GNU_SOURCE /* asprintf() */
#include "server/export/tile_archive.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/base/number.h"
#include "core/tile/mercator.h"

static const struct tile_archive_kind kinds[] = {
    {"pmtiles", "PMTiles 3: one file for range requests", 2, pmtiles_write},
    {"mbtiles", "MBTiles 1.3: an SQLite database", 110, mbtiles_write},
    {"tar", "a tar archive of z/x/y files", 120, tar_write},
    {"/", "a folder of z/x/y files", 150, folder_write},
};

const struct tile_archive_kind *tile_archive_kind_at(size_t index)
{
    return index < sizeof kinds / sizeof *kinds ? &kinds[index] : NULL;
}

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

char *tile_archive_temporary(const char *path)
{
    char *name = NULL;
    return asprintf(&name, "%s.part-archive", path) < 0 ? NULL : name;
}

bool tile_archive_publish(const char *temporary, const char *path, struct error *error)
{
    const int file = open(temporary, O_RDONLY | O_CLOEXEC);
    const bool done = file >= 0 && fsync(file) == 0 && rename(temporary, path) == 0;
    if (!done) {
        error_set(error, ERROR_IO, "cannot be created: %s", strerror(errno));
        error_in_file(error, path);
    }
    if (file >= 0)
        close(file);
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

bool tile_archive_metadata(const struct tile_archive_description *description,
                           tile_archive_row *row, void *context)
{
    char zoom_min[8], zoom_max[8];
    struct buffer bounds = {0}, center = {0};
    write_extent(description, &bounds, &center);
    snprintf(zoom_min, sizeof zoom_min, "%d", description->range.zoom_min);
    snprintf(zoom_max, sizeof zoom_max, "%d", description->range.zoom_max);
    const char *const rows[][2] = {
        {"name", description->name},
        {"format", strcmp(description->format, "mvt") == 0 ? "pbf" : description->format},
        {"bounds", buffer_string(&bounds)},
        {"center", buffer_string(&center)},
        {"minzoom", zoom_min},
        {"maxzoom", zoom_max},
        {"attribution", description->attribution},
        {"description", description->text},
        {"type", "baselayer"},
        {"version", "1"},
    };
    bool done = !bounds.failed && !center.failed;
    for (size_t i = 0; done && i < sizeof rows / sizeof *rows; i++)
        if (rows[i][1][0])
            done = row(context, rows[i][0], rows[i][1]);
    for (size_t i = 0; done && description->further && description->further[i][0]; i++)
        done = row(context, description->further[i][0], description->further[i][1]);
    buffer_free(&bounds);
    buffer_free(&center);
    return done;
}
