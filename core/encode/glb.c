/* Writes a mesh as binary glTF 2.0: a header, a chunk of JSON and a chunk of binary data with the
 * attributes of vertices, each in a view of its own, and the indices. The lengths of the file and
 * of the chunks are written as 0 and patched when they are known. Normals come from the ring of
 * samples around the mesh, so the meshes of neighbouring chunks have the same normals at their
 * common edge and light shows no seam.
 *
 * The vertices of a skirt follow those of the ground: the border once around, lowered. All their
 * attributes but the position are those of the border, which is the upper edge of the skirt. */
#include "core/encode/glb.h"

#include <math.h>
#include <string.h>

enum {
    CHUNK_JSON = 0x4E4F534A,   /* "JSON" */
    CHUNK_BINARY = 0x004E4942, /* "BIN" and a zero */
    HEADER_BYTES = 12,
    CHUNK_HEADER_BYTES = 8,
    SHORT_INDEX_VERTICES_MAX = 65535, /* the index 65535 is reserved (section 5.26) */
    SHARES_EACH = 4,                  /* materials in an attribute */
    ATTRIBUTES = 4 + GLB_SHARES_MAX / SHARES_EACH,
};

struct attribute;

struct mesh {
    const struct sample_raster *grid;
    const struct glb_extras *extras;
    unsigned first_share;   /* of the attribute being written */
    uint16_t linear[256];   /* of a channel in sRGB */
    uint32_t columns, rows; /* of vertices */
    size_t border;          /* vertices of the skirt; 0 without one */
    size_t vertices, indices;
    const struct attribute *attributes[ATTRIBUTES];
    unsigned attribute_count;
    unsigned index_bytes;
    double step;    /* metres */
    double skirt;   /* metres that the vertices of the skirt lie below the border; 0 for none */
    double lowered; /* metres that the vertices being written lie below the ground */
};

/* The sample of a vertex, or of the ring: i from −1 to columns, j from −1 to rows. */
static float sample_at(const struct mesh *mesh, int64_t i, int64_t j)
{
    return mesh->grid->samples[(size_t)(j + 1) * mesh->grid->columns + (size_t)(i + 1)];
}

static float lowered(float height, double metres)
{
    return (float)((double)height - metres);
}

static void vertex_position(const struct mesh *mesh, uint32_t i, uint32_t j, float out[3])
{
    out[0] = (float)(i * mesh->step);
    out[1] = lowered(sample_at(mesh, i, j), mesh->lowered);
    out[2] = (float)(j * mesh->step);
}

/* (−∂h/∂x, 1, −∂h/∂z), normalized. In doubles, so that the square of a float cannot overflow. */
static void vertex_normal(const struct mesh *mesh, uint32_t i, uint32_t j, float out[3])
{
    const int64_t x = i, z = j;
    const double width = 2.0 * mesh->step;
    const double east =
        ((double)sample_at(mesh, x - 1, z) - (double)sample_at(mesh, x + 1, z)) / width;
    const double south =
        ((double)sample_at(mesh, x, z - 1) - (double)sample_at(mesh, x, z + 1)) / width;
    const double length = sqrt(east * east + south * south + 1.0);
    out[0] = (float)(east / length);
    out[1] = (float)(1.0 / length);
    out[2] = (float)(south / length);
}

/* Stores a number in place, low byte first: appending each number of a mesh would be slow. */
static uint8_t *store_le(uint8_t *at, uint32_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> (8 * i));
    return at + bytes;
}

static uint8_t *store_floats(uint8_t *at, const float *values, unsigned count)
{
    for (unsigned k = 0; k < count; k++) {
        uint32_t bits;
        memcpy(&bits, values + k, sizeof bits);
        at = store_le(at, bits, 4);
    }
    return at;
}

static uint8_t *store_position(const struct mesh *mesh, uint32_t i, uint32_t j, uint8_t *at)
{
    float position[3];
    vertex_position(mesh, i, j, position);
    return store_floats(at, position, 3);
}

static uint8_t *store_normal(const struct mesh *mesh, uint32_t i, uint32_t j, uint8_t *at)
{
    float normal[3];
    vertex_normal(mesh, i, j, normal);
    return store_floats(at, normal, 3);
}

static uint8_t *store_texture(const struct mesh *mesh, uint32_t i, uint32_t j, uint8_t *at)
{
    const float place[] = {(float)i / (float)(mesh->columns - 1),
                           (float)j / (float)(mesh->rows - 1)};
    return store_floats(at, place, 2);
}

/* The pixel's red, green and blue; of 16 bits the high byte. */
static const uint8_t *pixel_channels(const struct image *image, uint32_t i, uint32_t j,
                                     uint8_t grey[3])
{
    static const size_t bytes[] = {
        [IMAGE_GREY8] = 1, [IMAGE_PALETTE8] = 1, [IMAGE_RGB8] = 3, [IMAGE_GREY16] = 2};
    const uint8_t *pixel = image->pixels + j * image->stride + i * bytes[image->format];
    if (image->format == IMAGE_RGB8)
        return pixel;
    if (image->format == IMAGE_PALETTE8)
        return image->palette + 3 * (size_t)*pixel;
    grey[0] = grey[1] = grey[2] = *pixel;
    return grey;
}

/* With an alpha of 1, as three numbers of 16 bits would not be aligned. */
static uint8_t *store_colour(const struct mesh *mesh, uint32_t i, uint32_t j, uint8_t *at)
{
    uint8_t grey[3];
    const uint8_t *channels = pixel_channels(mesh->extras->colours, i, j, grey);
    for (int k = 0; k < 3; k++)
        at = store_le(at, mesh->linear[channels[k]], 2);
    return store_le(at, UINT16_MAX, 2);
}

static uint8_t *store_shares(const struct mesh *mesh, uint32_t i, uint32_t j, uint8_t *at)
{
    const size_t plane = (size_t)mesh->columns * mesh->rows;
    const float *share = mesh->extras->shares + (size_t)j * mesh->columns + i;
    for (unsigned k = mesh->first_share; k < mesh->first_share + SHARES_EACH; k++)
        *at++ = (uint8_t)(k < mesh->extras->share_count ? share[k * plane] : 0.0f);
    return at;
}

#define SHARES "\"componentType\":5121,\"normalized\":true,\"type\":\"VEC4\""

/* In the order of their views and accessors; a mesh has those that it has data of. */
static const struct attribute {
    const char *name, *type; /* the type as members of the accessor */
    size_t bytes;            /* of a vertex */
    uint8_t *(*store)(const struct mesh *mesh, uint32_t i, uint32_t j, uint8_t *at);
    unsigned first_share;
} attributes[ATTRIBUTES] = {
    {"POSITION", "\"componentType\":5126,\"type\":\"VEC3\"", 12, store_position, 0},
    {"NORMAL", "\"componentType\":5126,\"type\":\"VEC3\"", 12, store_normal, 0},
    {"TEXCOORD_0", "\"componentType\":5126,\"type\":\"VEC2\"", 8, store_texture, 0},
    {"COLOR_0", "\"componentType\":5123,\"normalized\":true,\"type\":\"VEC4\"", 8, store_colour, 0},
    {"_MATERIALS_0", SHARES, 4, store_shares, 0},
    {"_MATERIALS_1", SHARES, 4, store_shares, 4},
    {"_MATERIALS_2", SHARES, 4, store_shares, 8},
    {"_MATERIALS_3", SHARES, 4, store_shares, 12},
};

static void choose_attributes(struct mesh *mesh)
{
    for (const struct attribute *each = attributes; each < attributes + ATTRIBUTES; each++)
        if (each->store == store_colour   ? mesh->extras->colours != NULL
            : each->store == store_shares ? each->first_share < mesh->extras->share_count
                                          : true)
            mesh->attributes[mesh->attribute_count++] = each;
}

/* x to the power of 1/5, by Newton's method: the same bits everywhere. */
static double fifth_root(double x)
{
    double root = 1.0;
    for (int i = 0; i < 60; i++)
        root -= (root - x / (root * root * root * root)) / 5.0;
    return root;
}

/* IEC 61966-2-1: the linear value of a channel, 65535 for 1. */
static uint16_t linear_channel(unsigned channel)
{
    const double value = channel / 255.0, base = (value + 0.055) / 1.055;
    const double linear = value <= 0.04045 ? value / 12.92 : base * base * fifth_root(base * base);
    return (uint16_t)(65535.0 * linear + 0.5);
}

/* The column and row of the k-th vertex of the border: once around, from the north-west along the
 * west, south, east and north, which is counter-clockwise from above. */
static void border_place(const struct mesh *mesh, size_t k, uint32_t *i, uint32_t *j)
{
    const uint32_t east = mesh->columns - 1, south = mesh->rows - 1;
    const uint32_t at = (uint32_t)(k % (2 * ((size_t)east + south)));
    if (at <= south + east) {
        *i = at <= south ? 0 : at - south;
        *j = at <= south ? at : south;
    } else {
        *i = at <= 2 * south + east ? east : 2 * (south + east) - at;
        *j = at <= 2 * south + east ? 2 * south + east - at : 0;
    }
}

static void write_attribute(const struct mesh *mesh, const struct attribute *attribute,
                            struct buffer *out)
{
    struct mesh skirt = *mesh;
    skirt.lowered = mesh->skirt;
    uint8_t *at = buffer_reserve(out, mesh->vertices * attribute->bytes);
    if (!at)
        return;
    out->length += mesh->vertices * attribute->bytes;
    for (uint32_t j = 0; j < mesh->rows; j++)
        for (uint32_t i = 0; i < mesh->columns; i++)
            at = attribute->store(mesh, i, j, at);
    for (size_t k = 0; k < mesh->border; k++) {
        uint32_t i, j;
        border_place(mesh, k, &i, &j);
        at = attribute->store(&skirt, i, j, at);
    }
}

/* Two triangles below each edge of the border, seen from outside counter-clockwise. */
static uint8_t *store_skirt_indices(const struct mesh *mesh, uint8_t *at)
{
    const uint32_t ground = mesh->columns * mesh->rows;
    for (size_t k = 0; k < mesh->border; k++) {
        uint32_t i, j, next_i, next_j;
        border_place(mesh, k, &i, &j);
        border_place(mesh, k + 1, &next_i, &next_j);
        const uint32_t top = j * mesh->columns + i, next_top = next_j * mesh->columns + next_i;
        const uint32_t low = ground + (uint32_t)k;
        const uint32_t next_low = ground + (uint32_t)((k + 1) % mesh->border);
        const uint32_t corners[] = {top, low, next_top, next_top, low, next_low};
        for (size_t n = 0; n < sizeof corners / sizeof *corners; n++)
            at = store_le(at, corners[n], mesh->index_bytes);
    }
    return at;
}

/* Two triangles for each square: seen from above with Y up, north-west, south-west, north-east is
 * counter-clockwise. */
static void write_indices(const struct mesh *mesh, struct buffer *out)
{
    const unsigned bytes = mesh->index_bytes;
    uint8_t *at = buffer_reserve(out, mesh->indices * bytes);
    if (!at)
        return;
    out->length += mesh->indices * bytes;
    for (uint32_t j = 0; j + 1 < mesh->rows; j++)
        for (uint32_t i = 0; i + 1 < mesh->columns; i++) {
            const uint32_t north = j * mesh->columns + i, south = north + mesh->columns;
            const uint32_t corners[] = {north, south, north + 1, north + 1, south, south + 1};
            for (size_t k = 0; k < sizeof corners / sizeof *corners; k++)
                at = store_le(at, corners[k], bytes);
        }
    store_skirt_indices(mesh, at);
}

static void write_bounds(const char *name, const float values[3], struct buffer *out)
{
    buffer_format(out, ",\"%s\":[", name);
    for (int k = 0; k < 3; k++) {
        char text[NUMBER_TEXT];
        number_format_float(values[k], text);
        buffer_format(out, "%s%s", k ? "," : "", text);
    }
    buffer_byte(out, ']');
}

/* The bounds of the positions: readers cull by them, and validators compare them to the last bit.
 */
static void write_extent(const struct mesh *mesh, struct buffer *out)
{
    float low[3], high[3];
    vertex_position(mesh, 0, 0, low);
    vertex_position(mesh, mesh->columns - 1, mesh->rows - 1, high);
    high[1] = low[1];
    for (uint32_t j = 0; j < mesh->rows; j++)
        for (uint32_t i = 0; i < mesh->columns; i++) {
            const float height = sample_at(mesh, i, j);
            low[1] = height < low[1] ? height : low[1];
            high[1] = height > high[1] ? height : high[1];
        }
    for (size_t k = 0; k < mesh->border; k++) {
        uint32_t i, j;
        border_place(mesh, k, &i, &j);
        const float height = lowered(sample_at(mesh, i, j), mesh->skirt);
        low[1] = height < low[1] ? height : low[1];
    }
    write_bounds("min", low, out);
    write_bounds("max", high, out);
}

static void write_accessors(const struct mesh *mesh, struct buffer *out)
{
    buffer_text(out, ",\"accessors\":[");
    for (unsigned i = 0; i < mesh->attribute_count; i++) {
        buffer_format(out, "{\"bufferView\":%u,%s,\"count\":%zu", i, mesh->attributes[i]->type,
                      mesh->vertices);
        if (mesh->attributes[i]->store == store_position)
            write_extent(mesh, out);
        buffer_text(out, "},");
    }
    buffer_format(out,
                  "{\"bufferView\":%u,\"componentType\":%d,\"count\":%zu,\"type\":\"SCALAR\"}]",
                  mesh->attribute_count, mesh->index_bytes == 2 ? 5123 : 5125, mesh->indices);
}

static void write_views(const struct mesh *mesh, struct buffer *out)
{
    const size_t indices = mesh->indices * mesh->index_bytes;
    size_t at = 0;
    buffer_text(out, ",\"bufferViews\":[");
    for (unsigned i = 0; i < mesh->attribute_count; i++) {
        const size_t bytes = mesh->vertices * mesh->attributes[i]->bytes;
        buffer_format(out, "{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu,\"target\":34962},",
                      at, bytes);
        at += bytes;
    }
    buffer_format(out,
                  "{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu,\"target\":34963}],"
                  "\"buffers\":[{\"byteLength\":%zu}]}",
                  at, indices, at + indices);
}

static void write_primitive(const struct mesh *mesh, struct buffer *out)
{
    buffer_text(out, "{\"attributes\":{");
    for (unsigned i = 0; i < mesh->attribute_count; i++)
        buffer_format(out, "%s\"%s\":%u", i ? "," : "", mesh->attributes[i]->name, i);
    buffer_format(out, "},\"indices\":%u,\"material\":0}", mesh->attribute_count);
}

/* Names have letters, digits and underscores alone. */
static void write_share_names(const struct mesh *mesh, struct buffer *out)
{
    const struct glb_extras *extras = mesh->extras;
    for (unsigned i = 0; i < extras->share_count; i++)
        buffer_format(out, "%s\"%s\"", i ? "," : ",\"extras\":{\"materials\":[",
                      extras->share_names[i]);
    buffer_text(out, extras->share_count > 0 ? "]}" : "");
}

static void write_json(const struct mesh *mesh, struct buffer *out)
{
    char x[NUMBER_TEXT], y[NUMBER_TEXT], step[NUMBER_TEXT];
    place_format(mesh->grid->origin.x + mesh->grid->step, x);
    place_format(mesh->grid->origin.y + mesh->grid->step, y);
    place_format(mesh->grid->step, step);
    buffer_format(out,
                  "{\"asset\":{\"version\":\"2.0\",\"generator\":\"Terrane\"},\"scene\":0,"
                  "\"scenes\":[{\"nodes\":[0]}],"
                  "\"nodes\":[{\"mesh\":0,\"extras\":{\"origin\":[%s,%s],\"step\":%s}}],"
                  "\"materials\":[{\"pbrMetallicRoughness\":"
                  "{\"metallicFactor\":0,\"roughnessFactor\":1},\"doubleSided\":false}],"
                  "\"meshes\":[{\"name\":\"%s\",\"primitives\":[",
                  x, y, step, mesh->grid->layer);
    write_primitive(mesh, out);
    buffer_text(out, "]");
    write_share_names(mesh, out);
    buffer_text(out, "}]");
    write_accessors(mesh, out);
    write_views(mesh, out);
}

/* Pads a chunk's data, which begins at `start`, to a multiple of four bytes. */
static void pad(struct buffer *out, size_t start, uint8_t byte)
{
    while ((out->length - start) % 4 != 0 && !out->failed)
        buffer_byte(out, byte);
}

/* Overwrites a length at position `at`. */
static void patch(struct buffer *out, size_t at, size_t value)
{
    for (unsigned i = 0; i < 4 && !out->failed; i++)
        out->data[at + i] = (uint8_t)(value >> (8 * i));
}

static size_t begin_chunk(struct buffer *out, uint32_t type)
{
    buffer_little_endian(out, 0, 4);
    buffer_little_endian(out, type, 4);
    return out->length;
}

static void end_chunk(struct buffer *out, size_t start, uint8_t padding)
{
    pad(out, start, padding);
    patch(out, start - CHUNK_HEADER_BYTES, out->length - start);
}

static void write_file(const struct mesh *mesh, struct buffer *out)
{
    const size_t start = out->length;
    buffer_text(out, "glTF");
    buffer_little_endian(out, 2, 4);
    buffer_little_endian(out, 0, 4);
    const size_t json = begin_chunk(out, CHUNK_JSON);
    write_json(mesh, out);
    end_chunk(out, json, ' ');
    const size_t binary = begin_chunk(out, CHUNK_BINARY);
    for (unsigned i = 0; i < mesh->attribute_count; i++) {
        struct mesh part = *mesh;
        part.first_share = mesh->attributes[i]->first_share;
        write_attribute(&part, mesh->attributes[i], out);
    }
    write_indices(mesh, out);
    end_chunk(out, binary, 0);
    patch(out, start + HEADER_BYTES - 4, out->length - start);
}

bool glb_write(const struct sample_raster *grid, const struct glb_extras *extras,
               struct buffer *out, struct error *error)
{
    const size_t before = out->length;
    if (grid->columns < 4 || grid->rows < 4 || grid->columns > GLB_SIDE_MAX + 2 ||
        grid->rows > GLB_SIDE_MAX + 2)
        return error_set(error, ERROR_LIMIT, "a mesh has 2 to %d vertices a side", GLB_SIDE_MAX);
    struct mesh mesh = {.grid = grid,
                        .extras = extras,
                        .columns = grid->columns - 2,
                        .rows = grid->rows - 2,
                        .skirt = extras->skirt};
    for (unsigned i = 0; i < 256; i++)
        mesh.linear[i] = linear_channel(i);
    choose_attributes(&mesh);
    mesh.border = extras->skirt > 0.0 ? 2 * ((size_t)mesh.columns + mesh.rows - 2) : 0;
    mesh.vertices = (size_t)mesh.columns * mesh.rows + mesh.border;
    mesh.indices = 6 * ((size_t)(mesh.columns - 1) * (mesh.rows - 1) + mesh.border);
    mesh.index_bytes = mesh.vertices <= SHORT_INDEX_VERTICES_MAX ? 2 : 4;
    mesh.step = place_metres(grid->step);
    write_file(&mesh, out);
    if (!out->failed)
        return true;
    out->length = before;
    return error_memory(error);
}
