/* Writes a mesh as binary glTF 2.0: a header, a chunk of JSON and a chunk of binary data with the
 * attributes of vertices (glb_vertices.c), each in a view of its own, and the indices. The lengths
 * of the file and of the chunks are written as 0 and patched when they are known. */
#include "core/encode/glb_private.h"

enum {
    HEADER_BYTES = 12,
    CHUNK_HEADER_BYTES = 8,
    SHORT_INDEX_VERTICES_MAX = 65535, /* the index 65535 is reserved (section 5.26) */
};

/* Two triangles below each edge of the border, seen from outside counter-clockwise. */
static uint8_t *store_skirt_indices(const struct glb_mesh *mesh, uint8_t *at)
{
    const uint32_t ground = mesh->columns * mesh->rows;
    for (size_t k = 0; k < mesh->border; k++) {
        uint32_t i, j, next_i, next_j;
        glb_border_place(mesh, k, &i, &j);
        glb_border_place(mesh, k + 1, &next_i, &next_j);
        const uint32_t top = j * mesh->columns + i, next_top = next_j * mesh->columns + next_i;
        const uint32_t low = ground + (uint32_t)k;
        const uint32_t next_low = ground + (uint32_t)((k + 1) % mesh->border);
        const uint32_t corners[] = {top, low, next_top, next_top, low, next_low};
        for (size_t n = 0; n < sizeof corners / sizeof *corners; n++)
            at = glb_store_le(at, corners[n], mesh->index_bytes);
    }
    return at;
}

/* Two triangles for each square: seen from above with Y up, north-west, south-west, north-east is
 * counter-clockwise. */
void glb_write_squares(const struct glb_mesh *mesh, uint32_t first, uint32_t rows,
                       struct buffer *out)
{
    const unsigned bytes = mesh->index_bytes;
    const size_t indices = 6 * (size_t)(mesh->columns - 1) * rows;
    uint8_t *at = buffer_reserve(out, indices * bytes);
    if (!at)
        return;
    out->length += indices * bytes;
    for (uint32_t j = first; j < first + rows; j++)
        for (uint32_t i = 0; i + 1 < mesh->columns; i++) {
            const uint32_t north = j * mesh->columns + i, south = north + mesh->columns;
            const uint32_t corners[] = {north, south, north + 1, north + 1, south, south + 1};
            for (size_t k = 0; k < sizeof corners / sizeof *corners; k++)
                at = glb_store_le(at, corners[k], bytes);
        }
}

static void write_indices(const struct glb_mesh *mesh, struct buffer *out)
{
    const size_t skirt = 6 * mesh->border * mesh->index_bytes;
    glb_write_squares(mesh, 0, mesh->rows - 1, out);
    uint8_t *at = buffer_reserve(out, skirt);
    if (!at)
        return;
    out->length += skirt;
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

/* Readers cull by the bounds of the positions, and validators compare them to the last bit. */
static void write_extent(const struct glb_mesh *mesh, struct buffer *out)
{
    write_bounds("min", mesh->low, out);
    write_bounds("max", mesh->high, out);
}

static void write_accessors(const struct glb_mesh *mesh, struct buffer *out)
{
    buffer_text(out, ",\"accessors\":[");
    for (unsigned i = 0; i < mesh->attribute_count; i++) {
        buffer_format(out, "{\"bufferView\":%u,%s,\"count\":%zu", i, mesh->attributes[i]->type,
                      mesh->vertices);
        if (i == 0) /* POSITION */
            write_extent(mesh, out);
        buffer_text(out, "},");
    }
    buffer_format(out,
                  "{\"bufferView\":%u,\"componentType\":%d,\"count\":%zu,\"type\":\"SCALAR\"}]",
                  mesh->attribute_count, mesh->index_bytes == 2 ? 5123 : 5125, mesh->indices);
}

static void write_views(const struct glb_mesh *mesh, struct buffer *out)
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
    buffer_format(out, "{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu,\"target\":34963}", at,
                  indices);
    if (mesh->image_bytes > 0)
        buffer_format(out, ",{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu}", at + indices,
                      mesh->image_bytes);
    buffer_format(out, "],\"buffers\":[{\"byteLength\":%zu}]}", at + indices + mesh->image_bytes);
}

static void write_primitive(const struct glb_mesh *mesh, struct buffer *out)
{
    buffer_text(out, "{\"attributes\":{");
    for (unsigned i = 0; i < mesh->attribute_count; i++)
        buffer_format(out, "%s\"%s\":%u", i ? "," : "", mesh->attributes[i]->name, i);
    buffer_format(out, "},\"indices\":%u,\"material\":0}", mesh->attribute_count);
}

/* Names have letters, digits and underscores alone. */
static void write_share_names(const struct glb_mesh *mesh, struct buffer *out)
{
    const struct glb_extras *extras = mesh->extras;
    for (unsigned i = 0; i < extras->share_count; i++)
        buffer_format(out, "%s\"%s\"", i ? "," : ",\"extras\":{\"materials\":[",
                      extras->share_names[i]);
    buffer_text(out, extras->share_count > 0 ? "]}" : "");
}

/* A picture is the material's colour; it ends at the mesh's edge. */
static void write_texture(const struct glb_mesh *mesh, struct buffer *out)
{
    buffer_format(out,
                  ",\"images\":[{\"bufferView\":%u,\"mimeType\":\"image/png\"}],"
                  "\"samplers\":[{\"wrapS\":33071,\"wrapT\":33071}],"
                  "\"textures\":[{\"source\":0,\"sampler\":0}]",
                  mesh->attribute_count + 1);
}

void glb_write_json(const struct glb_mesh *mesh, struct buffer *out)
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
                  "{%s\"metallicFactor\":0,\"roughnessFactor\":1},\"doubleSided\":false}],"
                  "\"meshes\":[{\"name\":\"%s\",\"primitives\":[",
                  x, y, step, mesh->image_bytes > 0 ? "\"baseColorTexture\":{\"index\":0}," : "",
                  mesh->grid->layer);
    write_primitive(mesh, out);
    buffer_text(out, "]");
    write_share_names(mesh, out);
    buffer_text(out, "}]");
    if (mesh->image_bytes > 0)
        write_texture(mesh, out);
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

static void write_file(const struct glb_mesh *mesh, struct buffer *out)
{
    const size_t start = out->length;
    buffer_text(out, "glTF");
    buffer_little_endian(out, 2, 4);
    buffer_little_endian(out, 0, 4);
    const size_t json = begin_chunk(out, GLB_JSON);
    glb_write_json(mesh, out);
    end_chunk(out, json, ' ');
    const size_t binary = begin_chunk(out, GLB_BINARY);
    for (unsigned i = 0; i < mesh->attribute_count; i++) {
        struct glb_mesh part = *mesh;
        part.first_share = mesh->attributes[i]->first_share;
        glb_write_attribute(&part, mesh->attributes[i], out);
    }
    write_indices(mesh, out);
    end_chunk(out, binary, 0);
    patch(out, start + HEADER_BYTES - 4, out->length - start);
}

void glb_measure(struct glb_mesh *mesh)
{
    mesh->across = mesh->columns - 1;
    mesh->down = mesh->rows - 1;
    mesh->vertices = (size_t)mesh->columns * mesh->rows + mesh->border;
    mesh->indices = 6 * ((size_t)mesh->across * mesh->down + mesh->border);
    mesh->index_bytes = mesh->vertices <= SHORT_INDEX_VERTICES_MAX ? 2 : 4;
    mesh->step = place_metres(mesh->grid->step);
}

bool glb_write(const struct sample_raster *grid, const struct glb_extras *extras,
               struct buffer *out, struct error *error)
{
    const size_t before = out->length;
    if (grid->columns < 4 || grid->rows < 4 || grid->columns > GLB_SIDE_MAX + 2 ||
        grid->rows > GLB_SIDE_MAX + 2)
        return error_set(error, ERROR_LIMIT, "a mesh has 2 to %d vertices a side", GLB_SIDE_MAX);
    struct glb_mesh mesh = {.grid = grid,
                            .extras = extras,
                            .columns = grid->columns - 2,
                            .rows = grid->rows - 2,
                            .skirt = extras->skirt};
    glb_choose_attributes(&mesh);
    mesh.border = extras->skirt > 0.0 ? 2 * ((size_t)mesh.columns + mesh.rows - 2) : 0;
    glb_measure(&mesh);
    glb_find_bounds(&mesh);
    write_file(&mesh, out);
    if (!out->failed)
        return true;
    out->length = before;
    return error_memory(error);
}
