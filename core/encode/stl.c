/* The border is walked counter-clockwise, as the ground's triangles at it are: a wall runs along
 * the same edges the other way round, and the base along the walls' lower edges. So every edge has
 * its opposite, which is what slicers ask of a solid. Corners are computed from row, column and
 * height by one function: equal places have equal bits. */
#include "core/encode/stl.h"

#include <math.h>
#include <string.h>

struct corner {
    float x, y, z;
};

/* The samples of the border. */
static size_t border_count(const struct stl_shape *shape)
{
    return 2 * ((size_t)shape->columns - 1 + shape->rows - 1);
}

uint64_t stl_ground_triangles(const struct stl_shape *shape)
{
    return 2 * (uint64_t)(shape->columns - 1) * (shape->rows - 1);
}

uint64_t stl_triangles(const struct stl_shape *shape)
{
    return stl_ground_triangles(shape) + 3 * (uint64_t)border_count(shape);
}

/* The text says nothing of "solid", with which STL files of text begin. */
void stl_write_head(const struct stl_shape *shape, struct buffer *out)
{
    char text[80] = "Terrane; millimetres; X east, Y north, Z up";
    buffer_append(out, text, sizeof text);
    buffer_little_endian(out, stl_triangles(shape), 4);
}

/* The same bits wherever a corner is needed, or the solid would have gaps. */
static struct corner corner_at(const struct stl_shape *shape, double column, double row,
                               double height)
{
    return (struct corner){(float)(column * shape->step),
                           (float)((shape->rows - 1 - row) * shape->step),
                           (float)(height * shape->scale)};
}

static uint8_t *store_float(uint8_t *at, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    for (int i = 0; i < 4; i++)
        *at++ = (uint8_t)(bits >> (8 * i));
    return at;
}

static uint8_t *store_corner(uint8_t *at, const struct corner *corner)
{
    return store_float(store_float(store_float(at, corner->x), corner->y), corner->z);
}

/* The unit vector towards which the corners turn counter-clockwise. */
static struct corner normal(const struct corner *a, const struct corner *b, const struct corner *c)
{
    const double u[] = {(double)b->x - (double)a->x, (double)b->y - (double)a->y,
                        (double)b->z - (double)a->z};
    const double v[] = {(double)c->x - (double)a->x, (double)c->y - (double)a->y,
                        (double)c->z - (double)a->z};
    const double x = u[1] * v[2] - u[2] * v[1], y = u[2] * v[0] - u[0] * v[2],
                 z = u[0] * v[1] - u[1] * v[0], length = sqrt(x * x + y * y + z * z);
    if (!(length > 0.0))
        return (struct corner){0.0F, 0.0F, 0.0F};
    return (struct corner){(float)(x / length), (float)(y / length), (float)(z / length)};
}

static uint8_t *store_triangle(uint8_t *at, const struct corner *a, const struct corner *b,
                               const struct corner *c)
{
    const struct corner up = normal(a, b, c);
    at = store_corner(at, &up);
    at = store_corner(store_corner(store_corner(at, a), b), c);
    *at++ = 0;
    *at++ = 0;
    return at;
}

/* Reserves room for triangles and counts it as written; null on failure. */
static uint8_t *reserve(struct buffer *out, uint64_t triangles)
{
    uint8_t *at = buffer_reserve(out, (size_t)triangles * STL_TRIANGLE);
    if (at)
        out->length += (size_t)triangles * STL_TRIANGLE;
    return at;
}

void stl_write_ground(const struct stl_shape *shape, const struct stl_rows *rows,
                      struct buffer *out)
{
    uint8_t *at = reserve(out, 2 * (uint64_t)(shape->columns - 1) * rows->rows);
    for (uint32_t j = 0; at && j < rows->rows; j++) {
        const float *north = rows->samples + j * rows->stride, *south = north + rows->stride;
        const double row = (double)rows->first + j;
        for (uint32_t i = 0; i + 1 < shape->columns; i++) {
            const struct corner nw = corner_at(shape, i, row, (double)north[i]);
            const struct corner ne = corner_at(shape, i + 1, row, (double)north[i + 1]);
            const struct corner sw = corner_at(shape, i, row + 1, (double)south[i]);
            const struct corner se = corner_at(shape, i + 1, row + 1, (double)south[i + 1]);
            at = store_triangle(at, &nw, &sw, &ne);
            at = store_triangle(at, &ne, &sw, &se);
        }
    }
}

/* The place of the k-th sample of the border, see stl_write_sides(). */
static void border_place(const struct stl_shape *shape, size_t k, uint32_t *column, uint32_t *row)
{
    const size_t east = shape->columns - 1, south = shape->rows - 1;
    const size_t side = k < south ? 0 : k < south + east ? 1 : k < 2 * south + east ? 2 : 3;
    const size_t columns[] = {0, k - south, east, 2 * (south + east) - k};
    const size_t rows[] = {k, south, 2 * south + east - k, 0};
    *column = (uint32_t)columns[side];
    *row = (uint32_t)rows[side];
}

void stl_write_sides(const struct stl_shape *shape, const float *heights, double base,
                     struct buffer *out)
{
    const size_t count = border_count(shape);
    uint8_t *at = reserve(out, 3 * (uint64_t)count);
    const struct corner middle =
        corner_at(shape, (shape->columns - 1) / 2.0, (shape->rows - 1) / 2.0, base);
    for (size_t k = 0; at && k < count; k++) {
        const size_t next = (k + 1) % count;
        uint32_t i, j, next_i, next_j;
        border_place(shape, k, &i, &j);
        border_place(shape, next, &next_i, &next_j);
        const struct corner top = corner_at(shape, i, j, (double)heights[k]);
        const struct corner next_top = corner_at(shape, next_i, next_j, (double)heights[next]);
        const struct corner low = corner_at(shape, i, j, base);
        const struct corner next_low = corner_at(shape, next_i, next_j, base);
        at = store_triangle(at, &low, &next_low, &next_top);
        at = store_triangle(at, &low, &next_top, &top);
        at = store_triangle(at, &next_low, &low, &middle);
    }
}
