/* A cloud-optimised GeoTIFF: all directories stand at the beginning, then the tables of the tiles,
 * then the tiles, those of the smallest overview first. So a reader that has the first kilobytes
 * finds any tile with one more request.
 *
 * libtiff writes the directories without the tables (TIFFDeferStrileArrayWriting()), then tables of
 * zeros, then the tiles of the spool as they are, and last the tables' values in their places. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "server/base/file.h"
#include "server/base/xml.h"
#include "server/export/rasters/raster_file.h"

enum { GDAL_METADATA = 42112, DIRECTORY_BYTES = 1 << 16 };

struct output {
    const struct raster_output *to;
    int failure; /* errno of the first write or read that failed */
    uint64_t at;
    TIFF *tiff;
    struct buffer metadata, tile;
    uint64_t done, total; /* tiles */
};

static tmsize_t output_read(thandle_t handle, void *bytes, tmsize_t length)
{
    struct output *output = handle;
    const ssize_t got = file_read_at(output->to->descriptor, bytes, (size_t)length, output->at);
    if (got < length && !output->failure)
        output->failure = got < 0 ? errno : EIO;
    output->at += got > 0 ? (uint64_t)got : 0;
    return got;
}

static tmsize_t output_write(thandle_t handle, void *bytes, tmsize_t length)
{
    struct output *output = handle;
    if (!file_write_at(output->to->descriptor, bytes, (size_t)length, output->at)) {
        if (!output->failure)
            output->failure = errno;
        return -1;
    }
    output->at += (uint64_t)length;
    return length;
}

static toff_t output_size(thandle_t handle)
{
    const struct output *output = handle;
    const off_t end = lseek(output->to->descriptor, 0, SEEK_END);
    return end < 0 ? 0 : (toff_t)end;
}

static toff_t output_seek(thandle_t handle, toff_t offset, int whence)
{
    struct output *output = handle;
    const uint64_t from = whence == SEEK_SET   ? 0
                          : whence == SEEK_CUR ? output->at
                                               : output_size(handle);
    return output->at = from + offset;
}

static int output_close(thandle_t handle)
{
    (void)handle;
    return 0;
}

static bool fail(const struct output *output, struct error *error)
{
    return output->failure ? raster_output_fail(output->to, output->failure, error)
                           : error_memory(error);
}

/* GDAL's own tag: names of the band and its unit, and any texts. */
static bool write_metadata(const struct raster_description *description, struct buffer *out)
{
    static const char band[] = "  <Item name=\"%s\" sample=\"0\" role=\"%s\">";
    buffer_text(out, "<GDALMetadata>\n");
    for (unsigned i = 0; i < description->note_count; i++) {
        buffer_text(out, "  <Item name=\"");
        xml_text(out, description->notes[i].name);
        buffer_text(out, "\">");
        xml_text(out, description->notes[i].value);
        buffer_text(out, "</Item>\n");
    }
    buffer_format(out, band, "DESCRIPTION", "description");
    xml_text(out, description->title);
    buffer_text(out, "</Item>\n");
    if (description->unit[0]) {
        buffer_format(out, band, "UNITTYPE", "unittype");
        xml_text(out, description->unit);
        buffer_text(out, "</Item>\n");
    }
    buffer_text(out, "</GDALMetadata>\n");
    buffer_byte(out, 0);
    return !out->failed;
}

static bool add_tags(TIFF *tiff)
{
    static const TIFFFieldInfo tags[] = {
        {GEOTIFF_PIXEL_SCALE, -1, -1, TIFF_DOUBLE, FIELD_CUSTOM, 1, 1, "PixelScale"},
        {GEOTIFF_TIE_POINT, -1, -1, TIFF_DOUBLE, FIELD_CUSTOM, 1, 1, "TiePoint"},
        {GEOTIFF_KEYS, -1, -1, TIFF_SHORT, FIELD_CUSTOM, 1, 1, "GeoKeys"},
        {GEOTIFF_DOUBLES, -1, -1, TIFF_DOUBLE, FIELD_CUSTOM, 1, 1, "GeoDoubles"},
        {GEOTIFF_TEXTS, -1, -1, TIFF_ASCII, FIELD_CUSTOM, 1, 0, "GeoTexts"},
        {GDAL_METADATA, -1, -1, TIFF_ASCII, FIELD_CUSTOM, 1, 0, "GDALMetadata"},
    };
    return TIFFMergeFieldInfo(tiff, tags, sizeof tags / sizeof *tags) == 0;
}

/* The place of the raster's north-western corner, and the system. y goes to the north. */
static bool set_place(TIFF *tiff, const struct sample_grid *grid, enum geotiff_crs crs)
{
    const struct geotiff_keys *keys = geotiff_keys_of(crs);
    const double step = place_metres(grid->step), metre = keys->metre;
    const double scale[] = {metre * step, metre * step, 0.0};
    const double tie[] = {0.0,
                          0.0,
                          0.0,
                          metre * (place_metres(grid->x) - step / 2),
                          metre * -(place_metres(grid->y) - step / 2),
                          0.0};
    if (!TIFFSetField(tiff, GEOTIFF_PIXEL_SCALE, 3, scale) ||
        !TIFFSetField(tiff, GEOTIFF_TIE_POINT, 6, tie))
        return false;
    if (keys->number_count > 0 &&
        !TIFFSetField(tiff, GEOTIFF_KEYS, (int)keys->number_count, keys->numbers))
        return false;
    return !keys->text ||
           (TIFFSetField(tiff, GEOTIFF_DOUBLES, (int)keys->double_count, keys->doubles) &&
            TIFFSetField(tiff, GEOTIFF_TEXTS, keys->text));
}

static bool set_palette(TIFF *tiff, const struct image *shape)
{
    uint16_t colours[3][256] = {{0}};
    for (uint32_t i = 0; i < shape->palette_count && i < 256; i++)
        for (unsigned band = 0; band < 3; band++)
            colours[band][i] = (uint16_t)(shape->palette[3 * i + band] * 257);
    return TIFFSetField(tiff, TIFFTAG_COLORMAP, colours[0], colours[1], colours[2]);
}

static bool write_directory(struct output *output, unsigned level)
{
    TIFF *tiff = output->tiff;
    const struct raster_plan *plan = output->to->file->plan;
    const struct raster_level *pixels = &plan->levels[level];
    struct image shape;
    bool done = TIFFSetField(tiff, TIFFTAG_SUBFILETYPE, level > 0 ? FILETYPE_REDUCEDIMAGE : 0) &&
                TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, pixels->columns) &&
                TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, pixels->rows) &&
                tiff_layout_set(tiff, &plan->layout);
    if (done && raster_shape(plan->raster, &shape) == RASTER_INDEX8)
        done = set_palette(tiff, &shape);
    if (done && level == 0)
        done = set_place(tiff, &plan->raster->grid, output->to->file->description->crs) &&
               TIFFSetField(tiff, GDAL_METADATA, (const char *)output->metadata.data);
    return done && TIFFDeferStrileArrayWriting(tiff) && TIFFWriteCheck(tiff, 1, "terrane") &&
           TIFFWriteDirectory(tiff);
}

static bool write_level(struct output *output, unsigned level, struct error *error)
{
    const struct raster_file *file = output->to->file;
    const struct raster_level *blocks = &file->plan->levels[level];
    const uint64_t count = raster_level_count(blocks);
    if (!TIFFSetDirectory(output->tiff, (tdir_t)level))
        return fail(output, error);
    for (uint64_t i = 0; i < count; i++) {
        buffer_clear(&output->tile);
        if (!spool_read(file->spool, blocks->first + i, &output->tile, error))
            return false;
        if (TIFFWriteRawTile(output->tiff, (uint32_t)i, output->tile.data,
                             (tmsize_t)output->tile.length) < 0)
            return fail(output, error);
        if (!progress_step(file->progress, output->done++, output->total, 0))
            return false;
    }
    return TIFFFlush(output->tiff) || fail(output, error);
}

static bool write_all(struct output *output, struct error *error)
{
    const unsigned levels = output->to->file->plan->level_count;
    if (!add_tags(output->tiff) ||
        !write_metadata(output->to->file->description, &output->metadata))
        return error_memory(error);
    for (unsigned level = 0; level < levels; level++)
        if (!write_directory(output, level))
            return fail(output, error);
    for (unsigned level = 0; level < levels; level++)
        if (!TIFFSetDirectory(output->tiff, (tdir_t)level) ||
            !TIFFForceStrileArrayWriting(output->tiff))
            return fail(output, error);
    for (unsigned level = levels; level-- > 0;)
        if (!write_level(output, level, error))
            return false;
    return true;
}

/* Sets *bytes to the most that the file can have, its tables included. */
static bool measure(const struct raster_file *file, uint64_t *bytes, struct error *error)
{
    const uint64_t count = raster_plan_count(file->plan);
    *bytes = DIRECTORY_BYTES * (uint64_t)file->plan->level_count + 16 * count;
    for (uint64_t i = 0; i < count; i++) {
        struct spool_entry entry;
        if (!spool_read_entry(file->spool, i, &entry, error))
            return false;
        *bytes += entry.length + 1;
    }
    return true;
}

bool raster_tiff_write(struct raster_output *to, struct error *error)
{
    static const struct tiff_access access = {output_read, output_write, output_seek, output_close,
                                              output_size};
    struct output output = {.to = to, .total = raster_plan_count(to->file->plan)};
    uint64_t bytes;
    if (!measure(to->file, &bytes, error))
        return false;
    const bool is_big = bytes > to->file->description->classic_max;
    output.tiff = tiff_open(is_big ? "w8l" : "wl", &access, &output);
    const bool done = output.tiff ? write_all(&output, error) : fail(&output, error);
    if (output.tiff)
        TIFFClose(output.tiff);
    buffer_free(&output.metadata);
    buffer_free(&output.tile);
    return done && (!output.failure || fail(&output, error));
}
