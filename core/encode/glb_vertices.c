/* The vertices of a mesh and their attributes. Normals come from the ring of samples around the
 * mesh, so the meshes of neighbouring chunks have the same normals at their common edge and light
 * shows no seam.
 *
 * The vertices of a skirt follow those of the ground: the border once around, lowered. All their
 * attributes but the position are those of the border, which is the upper edge of the skirt. */
#include "core/encode/glb_private.h"

#include <math.h>
#include <string.h>

/* The sample of a vertex, or of the ring: i from −1 to columns, j from −1 to rows. */
static float sample_at(const struct glb_mesh *mesh, int64_t i, int64_t j)
{
    const int64_t row = j - mesh->first_row + 1;
    return mesh->grid->samples[(size_t)row * mesh->grid->columns + (size_t)(i + 1)];
}

static float lowered(float height, double metres)
{
    return (float)((double)height - metres);
}

static void vertex_position(const struct glb_mesh *mesh, uint32_t i, uint32_t j, float out[3])
{
    out[0] = (float)(i * mesh->step);
    out[1] = lowered(sample_at(mesh, i, j), mesh->lowered);
    out[2] = (float)(j * mesh->step);
}

/* (−∂h/∂x, 1, −∂h/∂z), normalized. In doubles, so that the square of a float cannot overflow. */
static void vertex_normal(const struct glb_mesh *mesh, uint32_t i, uint32_t j, float out[3])
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

uint8_t *glb_store_le(uint8_t *at, uint32_t value, unsigned bytes)
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
        at = glb_store_le(at, bits, 4);
    }
    return at;
}

static uint8_t *store_position(const struct glb_mesh *mesh, uint32_t i, uint32_t j, uint8_t *at)
{
    float position[3];
    vertex_position(mesh, i, j, position);
    return store_floats(at, position, 3);
}

static uint8_t *store_normal(const struct glb_mesh *mesh, uint32_t i, uint32_t j, uint8_t *at)
{
    float normal[3];
    vertex_normal(mesh, i, j, normal);
    return store_floats(at, normal, 3);
}

static uint8_t *store_texture(const struct glb_mesh *mesh, uint32_t i, uint32_t j, uint8_t *at)
{
    const float place[] = {(float)i / (float)mesh->across, (float)j / (float)mesh->down};
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
static uint8_t *store_colour(const struct glb_mesh *mesh, uint32_t i, uint32_t j, uint8_t *at)
{
    uint8_t grey[3];
    const uint8_t *channels = pixel_channels(mesh->extras->colours, i, j, grey);
    for (int k = 0; k < 3; k++)
        at = glb_store_le(at, mesh->linear[channels[k]], 2);
    return glb_store_le(at, UINT16_MAX, 2);
}

static uint8_t *store_shares(const struct glb_mesh *mesh, uint32_t i, uint32_t j, uint8_t *at)
{
    const size_t plane = (size_t)mesh->columns * mesh->rows;
    const float *share = mesh->extras->shares + (size_t)j * mesh->columns + i;
    for (unsigned k = mesh->first_share; k < mesh->first_share + GLB_SHARES_EACH; k++)
        *at++ = (uint8_t)(k < mesh->extras->share_count ? share[k * plane] : 0.0f);
    return at;
}

#define SHARES "\"componentType\":5121,\"normalized\":true,\"type\":\"VEC4\""

/* In the order of their views and accessors; a mesh has those that it has data of. */
static const struct glb_attribute attributes[GLB_ATTRIBUTES_MAX] = {
    {"POSITION", "\"componentType\":5126,\"type\":\"VEC3\"", 12, store_position, 0},
    {"NORMAL", "\"componentType\":5126,\"type\":\"VEC3\"", 12, store_normal, 0},
    {"TEXCOORD_0", "\"componentType\":5126,\"type\":\"VEC2\"", 8, store_texture, 0},
    {"COLOR_0", "\"componentType\":5123,\"normalized\":true,\"type\":\"VEC4\"", 8, store_colour, 0},
    {"_MATERIALS_0", SHARES, 4, store_shares, 0},
    {"_MATERIALS_1", SHARES, 4, store_shares, 4},
    {"_MATERIALS_2", SHARES, 4, store_shares, 8},
    {"_MATERIALS_3", SHARES, 4, store_shares, 12},
};

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

void glb_choose_attributes(struct glb_mesh *mesh)
{
    for (unsigned i = 0; i < 256 && mesh->extras->colours; i++)
        mesh->linear[i] = linear_channel(i);
    for (const struct glb_attribute *each = attributes; each < attributes + GLB_ATTRIBUTES_MAX;
         each++)
        if (each->store == store_colour   ? mesh->extras->colours != NULL
            : each->store == store_shares ? each->first_share < mesh->extras->share_count
                                          : true)
            mesh->attributes[mesh->attribute_count++] = each;
}

void glb_border_place(const struct glb_mesh *mesh, size_t k, uint32_t *i, uint32_t *j)
{
    const uint32_t east = mesh->columns - 1, south = mesh->rows - 1;
    const uint32_t at = (uint32_t)k;
    if (at <= south + east) {
        *i = at <= south ? 0 : at - south;
        *j = at <= south ? at : south;
    } else {
        *i = at <= 2 * south + east ? east : 2 * (south + east) - at;
        *j = at <= 2 * south + east ? 2 * south + east - at : 0;
    }
}

void glb_write_rows(const struct glb_mesh *mesh, const struct glb_attribute *attribute,
                    uint32_t first, uint32_t rows, struct buffer *out)
{
    const size_t bytes = (size_t)mesh->columns * rows * attribute->bytes;
    uint8_t *at = buffer_reserve(out, bytes);
    if (!at)
        return;
    out->length += bytes;
    for (uint32_t j = first; j < first + rows; j++)
        for (uint32_t i = 0; i < mesh->columns; i++)
            at = attribute->store(mesh, i, j, at);
}

void glb_write_attribute(const struct glb_mesh *mesh, const struct glb_attribute *attribute,
                         struct buffer *out)
{
    struct glb_mesh skirt = *mesh;
    skirt.lowered = mesh->skirt;
    glb_write_rows(mesh, attribute, 0, mesh->rows, out);
    uint8_t *at = buffer_reserve(out, mesh->border * attribute->bytes);
    if (!at)
        return;
    out->length += mesh->border * attribute->bytes;
    for (size_t k = 0; k < mesh->border; k++) {
        uint32_t i, j;
        glb_border_place(mesh, k, &i, &j);
        at = attribute->store(&skirt, i, j, at);
    }
}

void glb_find_bounds(struct glb_mesh *mesh)
{
    float *low = mesh->low, *high = mesh->high;
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
        glb_border_place(mesh, k, &i, &j);
        const float height = lowered(sample_at(mesh, i, j), mesh->skirt);
        low[1] = height < low[1] ? height : low[1];
    }
}
