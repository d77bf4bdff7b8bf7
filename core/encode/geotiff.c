#include "core/encode/geotiff.h"

#include <string.h>

/* TIFF 6.0, section 2. */
enum { TYPE_SHORT = 3, TYPE_LONG = 4, TYPE_DOUBLE = 12 };

/* Tags in the order that the format wants them. */
enum {
    TAG_WIDTH = 256,
    TAG_LENGTH = 257,
    TAG_BITS = 258,
    TAG_COMPRESSION = 259,
    TAG_PHOTOMETRIC = 262,
    TAG_STRIP_OFFSETS = 273,
    TAG_BANDS = 277,
    TAG_ROWS_PER_STRIP = 278,
    TAG_STRIP_BYTES = 279,
    TAG_PLANAR = 284,
    TAG_EXTRA_SAMPLES = 338,
    TAG_SAMPLE_FORMAT = 339,
    TAG_PIXEL_SCALE = 33550,
    TAG_TIE_POINT = 33922,
};

enum { HEADER_BYTES = 8, ENTRIES_MAX = 14, ENTRY_BYTES = 12 };

/* The directory stands behind the header; what does not fit into an entry stands behind the
 * directory, in `values`, and the samples behind that. */
struct directory {
    struct buffer entries, values;
    unsigned count;
    size_t values_at; /* where `values` will stand in the file */
};

static void put(struct buffer *out, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        buffer_byte(out, (uint8_t)(value >> (8 * i)));
}

static unsigned type_bytes(unsigned type)
{
    return type == TYPE_SHORT ? 2 : type == TYPE_LONG ? 4 : 8;
}

/* An entry whose values, `count` of them, the caller then puts where it says. */
static struct buffer *add_entry(struct directory *directory, unsigned tag, unsigned type,
                                unsigned count)
{
    const bool inside = count * type_bytes(type) <= 4;
    put(&directory->entries, tag, 2);
    put(&directory->entries, type, 2);
    put(&directory->entries, count, 4);
    directory->count++;
    if (inside)
        return &directory->entries;
    put(&directory->entries, directory->values_at + directory->values.length, 4);
    return &directory->values;
}

static void fill_entry(struct directory *directory)
{
    while (directory->entries.length % ENTRY_BYTES != 0 && !directory->entries.failed)
        buffer_byte(&directory->entries, 0);
}

/* `count` times the same number, or numbers that rise by `rise`. */
static void add_numbers(struct directory *directory, unsigned tag, unsigned type, unsigned count,
                        const uint64_t first_and_step[2])
{
    struct buffer *to = add_entry(directory, tag, type, count);
    for (unsigned i = 0; i < count; i++)
        put(to, first_and_step[0] + i * first_and_step[1], type_bytes(type));
    fill_entry(directory);
}

static void add_number(struct directory *directory, unsigned tag, unsigned type, uint64_t value)
{
    add_numbers(directory, tag, type, 1, (const uint64_t[]){value, 0});
}

static void add_doubles(struct directory *directory, unsigned tag, const double *values,
                        unsigned count)
{
    struct buffer *to = add_entry(directory, tag, TYPE_DOUBLE, count);
    for (unsigned i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, values + i, sizeof bits);
        put(to, bits, 8);
    }
}

/* Where the grid lies. Pixels are areas where nothing says otherwise, and the samples stand in
 * their middles: so the first one's is the tie point. */
static void add_georeference(struct directory *directory, const struct sample_raster *grid)
{
    const double step = place_metres(grid->step);
    const double scale[] = {step, step, 0.0};
    const double tie[] = {
        0.5, 0.5, 0.0, place_metres(grid->origin.x), -place_metres(grid->origin.y), 0.0};
    add_doubles(directory, TAG_PIXEL_SCALE, scale, sizeof scale / sizeof *scale);
    add_doubles(directory, TAG_TIE_POINT, tie, sizeof tie / sizeof *tie);
}

/* Each band is a strip of its own. */
static void add_strips(struct directory *directory, const struct sample_raster *grid,
                       unsigned layers, size_t samples_at)
{
    const uint64_t bytes = 4 * (uint64_t)grid->columns * grid->rows;
    add_numbers(directory, TAG_STRIP_OFFSETS, TYPE_LONG, layers,
                (const uint64_t[]){samples_at, bytes});
    add_number(directory, TAG_BANDS, TYPE_SHORT, layers);
    add_number(directory, TAG_ROWS_PER_STRIP, TYPE_LONG, grid->rows);
    add_numbers(directory, TAG_STRIP_BYTES, TYPE_LONG, layers, (const uint64_t[]){bytes, 0});
}

/* The same number of entries and bytes whatever `samples_at` is, so that it can be made twice.
 * False when memory is out. */
static bool make_directory(struct directory *directory, const struct sample_raster *grid,
                           unsigned layers, size_t samples_at)
{
    static const uint64_t bits[] = {32, 0}, real[] = {3, 0}, unspecified[] = {0, 0};
    const unsigned entries = layers > 1 ? ENTRIES_MAX : ENTRIES_MAX - 1;
    buffer_clear(&directory->entries);
    buffer_clear(&directory->values);
    directory->count = 0;
    directory->values_at = HEADER_BYTES + 2 + entries * (size_t)ENTRY_BYTES + 4;
    add_number(directory, TAG_WIDTH, TYPE_LONG, grid->columns);
    add_number(directory, TAG_LENGTH, TYPE_LONG, grid->rows);
    add_numbers(directory, TAG_BITS, TYPE_SHORT, layers, bits);
    add_number(directory, TAG_COMPRESSION, TYPE_SHORT, 1);
    add_number(directory, TAG_PHOTOMETRIC, TYPE_SHORT, 1);
    add_strips(directory, grid, layers, samples_at);
    add_number(directory, TAG_PLANAR, TYPE_SHORT, layers > 1 ? 2 : 1);
    if (layers > 1)
        add_numbers(directory, TAG_EXTRA_SAMPLES, TYPE_SHORT, layers - 1, unspecified);
    add_numbers(directory, TAG_SAMPLE_FORMAT, TYPE_SHORT, layers, real);
    add_georeference(directory, grid);
    return !directory->entries.failed && !directory->values.failed;
}

static void write_file(const struct directory *directory, const struct sample_raster *grid,
                       unsigned layers, struct buffer *out)
{
    buffer_text(out, "II");
    put(out, 42, 2);
    put(out, HEADER_BYTES, 4);
    put(out, directory->count, 2);
    buffer_append(out, directory->entries.data, directory->entries.length);
    put(out, 0, 4); /* there is no other directory */
    buffer_append(out, directory->values.data, directory->values.length);
    samples_write_r32f(grid->samples, (size_t)grid->columns * grid->rows * layers, out);
}

bool geotiff_write(const struct sample_raster *grid, unsigned layers, struct buffer *out,
                   struct error *error)
{
    struct directory directory = {.count = 0};
    const size_t before = out->length;
    const uint64_t count = (uint64_t)grid->columns * grid->rows;
    if (count == 0 || layers < 1 || layers > GEOTIFF_LAYERS_MAX || count > (1u << 29) / layers)
        return error_set(error, ERROR_LIMIT,
                         "a GeoTIFF has 1 to %d layers and at most 2^29 samples",
                         GEOTIFF_LAYERS_MAX);
    bool made =
        make_directory(&directory, grid, layers, 0) &&
        make_directory(&directory, grid, layers, directory.values_at + directory.values.length);
    if (made)
        write_file(&directory, grid, layers, out);
    buffer_free(&directory.entries);
    buffer_free(&directory.values);
    if (made && !out->failed)
        return true;
    out->length = before;
    return error_memory(error);
}
