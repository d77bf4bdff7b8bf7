/* Writes a GeoTIFF: header, directory, the directory's longer values, samples. The directory
 * contains the positions of what follows it, so it is made twice: first to measure it, then with
 * the positions known. Its size does not depend on them. */
#include "core/encode/geotiff.h"

#include <string.h>

/* TIFF 6.0, section 2. */
enum { TYPE_ASCII = 2, TYPE_SHORT = 3, TYPE_LONG = 4, TYPE_DOUBLE = 12 };

/* Tags, in ascending order as the format requires. */
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
    TAG_PIXEL_SCALE = GEOTIFF_PIXEL_SCALE,
    TAG_TIE_POINT = GEOTIFF_TIE_POINT,
    TAG_GEO_KEYS = GEOTIFF_KEYS,
    TAG_GEO_DOUBLES = GEOTIFF_DOUBLES,
    TAG_GEO_TEXTS = GEOTIFF_TEXTS,
};

enum { HEADER_BYTES = 8, ENTRY_BYTES = 12 };

#define EARTH_RADIUS 6378137.0 /* of EPSG:3857 */
/* Metres of the map in a metre of the world, whose central square is 2²⁵ m wide. */
#define MAP_METRE (3.14159265358979323846 * EARTH_RADIUS / 0x1p24)

/* The directory follows the header. Values that do not fit into an entry follow the directory, in
 * `values`, and the samples follow them. */
struct directory {
    struct buffer entries, values;
    unsigned count;
    size_t values_at; /* the position of `values` in the file */
};

static unsigned type_bytes(unsigned type)
{
    return type == TYPE_ASCII ? 1 : type == TYPE_SHORT ? 2 : type == TYPE_LONG ? 4 : 8;
}

/* Begins an entry of `count` values; the caller appends them to the buffer that is returned. */
static struct buffer *add_entry(struct directory *directory, unsigned tag, unsigned type,
                                unsigned count)
{
    const bool inside = count * type_bytes(type) <= 4;
    buffer_little_endian(&directory->entries, tag, 2);
    buffer_little_endian(&directory->entries, type, 2);
    buffer_little_endian(&directory->entries, count, 4);
    directory->count++;
    if (inside)
        return &directory->entries;
    buffer_little_endian(&directory->entries, directory->values_at + directory->values.length, 4);
    return &directory->values;
}

static void fill_entry(struct directory *directory)
{
    while (directory->entries.length % ENTRY_BYTES != 0 && !directory->entries.failed)
        buffer_byte(&directory->entries, 0);
}

/* Adds an entry of `count` numbers: the first one, and each next one higher by the step. */
static void add_numbers(struct directory *directory, unsigned tag, unsigned type, unsigned count,
                        const uint64_t first_and_step[2])
{
    struct buffer *to = add_entry(directory, tag, type, count);
    for (unsigned i = 0; i < count; i++)
        buffer_little_endian(to, first_and_step[0] + i * first_and_step[1], type_bytes(type));
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
        buffer_little_endian(to, bits, 8);
    }
}

/* The position of the grid. Pixels are areas, and samples are at their centres: so the corner of
 * the raster lies half a step to the north-west of the first sample. It is the corner that is tied,
 * at (0, 0), for readers that take the place alone and not the pixel it belongs to. */
static void add_georeference(struct directory *directory, const struct sample_raster *grid,
                             double metre)
{
    const double step = place_metres(grid->step);
    const double west = place_metres(grid->origin.x) - step / 2;
    const double north = place_metres(grid->origin.y) - step / 2;
    const double scale[] = {metre * step, metre * step, 0.0};
    const double tie[] = {0.0, 0.0, 0.0, metre * west, metre * -north, 0.0};
    add_doubles(directory, TAG_PIXEL_SCALE, scale, sizeof scale / sizeof *scale);
    add_doubles(directory, TAG_TIE_POINT, tie, sizeof tie / sizeof *tie);
}

/* OGC 19-008r4, 7.1.2: behind the version and the number of keys, each key's id, the tag that has
 * its value (or 0, if the last number is the value), how many values, and where in the tag. */
enum { MERCATOR_KEYS = 3, LOCAL_KEYS = 21 };

static const uint16_t mercator_keys[MERCATOR_KEYS + 1][4] = {
    {1, 1, 0, MERCATOR_KEYS},
    {1024, 0, 1, 1},    /* GTModelType: projected */
    {1025, 0, 1, 1},    /* GTRasterType: pixels are areas */
    {3072, 0, 1, 3857}, /* ProjectedCRS */
};

static const char local_name[] = "Terrane|";
static const double local_values[] = {EARTH_RADIUS, 0.0, 1.0 / MAP_METRE};
enum { OWN = 32767, RADIUS = 0, ZERO = 1, SCALE = 2 };
static const uint16_t local_keys[LOCAL_KEYS + 1][4] = {
    {1, 1, 0, LOCAL_KEYS},
    {1024, 0, 1, 1},                                 /* GTModelType: projected */
    {1025, 0, 1, 1},                                 /* GTRasterType: pixels are areas */
    {1026, TAG_GEO_TEXTS, sizeof local_name - 1, 0}, /* GTCitation */
    {2048, 0, 1, OWN},                               /* GeodeticCRS */
    {2049, TAG_GEO_TEXTS, sizeof local_name - 1, 0}, /* GeodeticCitation */
    {2050, 0, 1, OWN},                               /* GeodeticDatum */
    {2051, 0, 1, 8901},                              /* PrimeMeridian: 0° */
    {2054, 0, 1, 9102},                              /* GeogAngularUnits: degrees */
    {2056, 0, 1, OWN},                               /* Ellipsoid */
    {2057, TAG_GEO_DOUBLES, 1, RADIUS},              /* EllipsoidSemiMajorAxis */
    {2058, TAG_GEO_DOUBLES, 1, RADIUS},              /* EllipsoidSemiMinorAxis */
    {3072, 0, 1, OWN},                               /* ProjectedCRS */
    {3073, TAG_GEO_TEXTS, sizeof local_name - 1, 0}, /* ProjectedCitation */
    {3074, 0, 1, OWN},                               /* Projection */
    {3075, 0, 1, 7},                                 /* ProjMethod: Mercator */
    {3076, 0, 1, 9001},                              /* ProjLinearUnits: metres */
    {3080, TAG_GEO_DOUBLES, 1, ZERO},                /* ProjNatOriginLong */
    {3081, TAG_GEO_DOUBLES, 1, ZERO},                /* ProjNatOriginLat */
    {3082, TAG_GEO_DOUBLES, 1, ZERO},                /* ProjFalseEasting */
    {3083, TAG_GEO_DOUBLES, 1, ZERO},                /* ProjFalseNorthing */
    {3092, TAG_GEO_DOUBLES, 1, SCALE},               /* ProjScaleAtNatOrigin */
};

static const struct geotiff_keys systems[] = {
    [GEOTIFF_NO_CRS] = {.metre = 1.0},
    [GEOTIFF_LOCAL] = {local_keys[0], sizeof local_keys / sizeof **local_keys, local_values,
                       sizeof local_values / sizeof *local_values, local_name, 1.0},
    [GEOTIFF_WEB_MERCATOR] = {mercator_keys[0], sizeof mercator_keys / sizeof **mercator_keys,
                              .metre = MAP_METRE},
};

const struct geotiff_keys *geotiff_keys_of(enum geotiff_crs crs)
{
    return &systems[crs];
}

static void add_system(struct directory *directory, const struct geotiff_keys *keys)
{
    if (keys->number_count == 0)
        return;
    struct buffer *to = add_entry(directory, TAG_GEO_KEYS, TYPE_SHORT, keys->number_count);
    for (unsigned i = 0; i < keys->number_count; i++)
        buffer_little_endian(to, keys->numbers[i], 2);
    if (!keys->text)
        return;
    const unsigned length = (unsigned)strlen(keys->text) + 1;
    add_doubles(directory, TAG_GEO_DOUBLES, keys->doubles, keys->double_count);
    buffer_append(add_entry(directory, TAG_GEO_TEXTS, TYPE_ASCII, length), keys->text, length);
}

/* Adds the bands, each a strip of its own. */
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

/* Makes the directory of a file whose samples begin at `samples_at`, with the position of `values`
 * that is set. False when memory is out. */
static bool make_directory(struct directory *directory, const struct sample_raster *grid,
                           unsigned layers, enum geotiff_crs crs, size_t samples_at)
{
    static const uint64_t bits[] = {32, 0}, real[] = {3, 0}, unspecified[] = {0, 0};
    const struct geotiff_keys *keys = geotiff_keys_of(crs);
    buffer_clear(&directory->entries);
    buffer_clear(&directory->values);
    directory->count = 0;
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
    add_georeference(directory, grid, keys->metre);
    add_system(directory, keys);
    return !directory->entries.failed && !directory->values.failed;
}

static void write_header(const struct directory *directory, struct buffer *out)
{
    buffer_text(out, "II");
    buffer_little_endian(out, 42, 2);
    buffer_little_endian(out, HEADER_BYTES, 4);
    buffer_little_endian(out, directory->count, 2);
    buffer_append(out, directory->entries.data, directory->entries.length);
    buffer_little_endian(out, 0, 4); /* no further directory */
    buffer_append(out, directory->values.data, directory->values.length);
}

/* Measures the directory, then makes it with the positions of what follows it. */
static bool place_directory(struct directory *directory, const struct sample_raster *grid,
                            unsigned layers, enum geotiff_crs crs)
{
    if (!make_directory(directory, grid, layers, crs, 0))
        return false;
    directory->values_at = HEADER_BYTES + 2 + directory->count * (size_t)ENTRY_BYTES + 4;
    return make_directory(directory, grid, layers, crs,
                          directory->values_at + directory->values.length);
}

bool geotiff_write_header(const struct sample_raster *grid, unsigned layers, enum geotiff_crs crs,
                          struct buffer *out, struct error *error)
{
    struct directory directory = {.count = 0};
    const size_t before = out->length;
    const uint64_t count = (uint64_t)grid->columns * grid->rows;
    if (count == 0 || layers < 1 || layers > GEOTIFF_LAYERS_MAX || count > (1u << 29) / layers)
        return error_set(error, ERROR_LIMIT,
                         "a GeoTIFF has 1 to %d layers and at most 2^29 samples",
                         GEOTIFF_LAYERS_MAX);
    const bool made = place_directory(&directory, grid, layers, crs);
    if (made)
        write_header(&directory, out);
    buffer_free(&directory.entries);
    buffer_free(&directory.values);
    if (made && !out->failed)
        return true;
    out->length = before;
    return error_memory(error);
}

bool geotiff_write(const struct sample_raster *grid, unsigned layers, enum geotiff_crs crs,
                   struct buffer *out, struct error *error)
{
    const size_t before = out->length;
    if (!geotiff_write_header(grid, layers, crs, out, error))
        return false;
    samples_write_r32f(grid->samples, (size_t)grid->columns * grid->rows * layers, out);
    if (!out->failed)
        return true;
    out->length = before;
    return error_memory(error);
}
