/* Simplex noise: the basis, and its kernels at arbitrary positions. (Its kernels over the rows of a
 * grid are in simplex_rows.c.)
 *
 *   1-D    a lattice of whole cells
 *   2, 3-D the lattice of simplex.h. A position lies in a strip between two rows of points, an even
 *          and a shifted one. In three dimensions it lies between two planes of such strips, which
 *          are added one after the other.
 *   4-D    the skewed lattice, in which the corners of a simplex have whole coordinates: from the
 *          cell's own corner, one axis after the other goes up by one, in the order of the largest
 *          fraction first (S. Gustavson, "Simplex noise demystified", 2005).
 *
 * As in the kernels of cells, runs of NOISE_LANES samples in one cell share its hashed points. With
 * gradients a kernel sets n, x and y, without it adds to n. */
#include <string.h>

#include "core/noise/basis.h"
#include "core/noise/cell_corners.h"
#include "core/noise/simplex.h"

/* Factor that removes the skew from fractions: (1 − 1/√5) / 4. */
#define UNSKEW4 0.138196601f

/* Constants that each compiled kernel has. */
struct variant {
    bool with_gradient, is_3d;
};

TERRANE_INLINE void write_sample(bool with_gradient, const struct kernel_out *out,
                                 const struct gradient_sample *sample, uint32_t i)
{
    out->n[i] += sample->n * out->amplitude;
    if (with_gradient) {
        out->x[i] += sample->x * out->amplitude;
        out->y[i] += sample->y * out->amplitude;
    }
}

TERRANE_INLINE struct gradient_sample sum_of(struct gradient_sample a, struct gradient_sample b)
{
    return (struct gradient_sample){a.n + b.n, a.x + b.x, a.y + b.y};
}

TERRANE_INLINE struct gradient_sample gradient_if(bool yes, struct gradient_sample contribution)
{
    return (struct gradient_sample){yes ? contribution.n : 0.0f, yes ? contribution.x : 0.0f,
                                    yes ? contribution.y : 0.0f};
}

/* A position between two rows of a plane, the even row and the one moved by half a side. Each row
 * has a nearer and a farther point; at most one of the farther ones is a corner of the position's
 * simplex. */
struct strip {
    bool first_half;                                  /* of its cell in the even row */
    float up;                                         /* 1 if the moved row is the upper one */
    float even_near, even_far, moved_near, moved_far; /* wavelengths along x */
    struct simplex_point even, moved;                 /* without x and the gradient */
};

/* Bit 0 of `odd` is 1 if the upper row is the moved one; z is in wavelengths from the plane. */
TERRANE_INLINE struct strip strip_of(bool is_3d, const float t[2], uint32_t odd, float z)
{
    const float side = is_3d ? SIMPLEX_SIDE3 : SIMPLEX_SIDE2, tx = t[0];
    const float upper = t[1] * SIMPLEX_ROW, lower = (t[1] - 1.0f) * SIMPLEX_ROW;
    const float radius_squared = is_3d ? SIMPLEX_RADIUS_SQUARED - z * z : SIMPLEX_RADIUS_SQUARED;
    struct strip at;
    at.first_half = tx < 0.5f;
    at.up = (float)(int32_t)(odd & 1); /* gcc 12 chooses by compared floats, not by single bits */
    at.even_near = (at.first_half ? tx : tx - 1.0f) * side;
    at.even_far = (at.first_half ? tx - 1.0f : tx) * side;
    at.moved_near = (tx - 0.5f) * side;
    at.moved_far = (at.first_half ? tx + 0.5f : tx - 1.5f) * side;
    at.even.y = at.up > 0.5f ? lower : upper;
    at.moved.y = at.up > 0.5f ? upper : lower;
    at.even.z = at.moved.z = z;
    at.even.remaining = radius_squared - at.even.y * at.even.y;
    at.moved.remaining = radius_squared - at.moved.y * at.moved.y;
    return at;
}

TERRANE_INLINE struct gradient_sample known_contribution(struct variant variant,
                                                         struct simplex_point at, float x,
                                                         struct simplex_gradient g)
{
    at.x = x;
    at.g = g;
    return simplex_contribution_of(variant.with_gradient, variant.is_3d, &at);
}

TERRANE_INLINE struct gradient_sample hashed_contribution(struct variant variant,
                                                          struct simplex_point at, float x,
                                                          uint32_t hash)
{
    return known_contribution(variant, at, x, simplex_gradient_of(variant.is_3d, hash));
}

/* The hashes of the lattice lines around a cell: columns from the one before it to the next, its
 * row and the next. */
struct lines {
    uint32_t x[3], y[2];
};

TERRANE_INLINE struct lines lines_of(const struct kernel_positions *positions,
                                     const uint32_t low[2], uint32_t plane)
{
    const uint32_t *key_x = positions->key[0] + KERNEL_KEY_OWN,
                   *key_y = positions->key[1] + KERNEL_KEY_OWN;
    return (struct lines){
        {lattice_line_x(low[0] - 1, key_x[-1]), lattice_line_x(low[0], key_x[0]),
         lattice_line_x(low[0] + 1, key_x[1])},
        {lattice_line_y(low[1], key_y[0] ^ plane), lattice_line_y(low[1] + 1, key_y[1] ^ plane)}};
}

/* Samples from `start` to `end`, and in three dimensions one of the two planes around each. */
struct range {
    uint32_t start, end, plane;
};

/* A sample's plane: its distance in wavelengths, its number, and the key of its rows. */
struct plane {
    float z;
    uint32_t low, key;
};

TERRANE_INLINE struct plane plane_of(bool is_3d, const struct kernel_positions *positions,
                                     uint32_t up, uint32_t i)
{
    if (!is_3d)
        return (struct plane){0};
    const uint32_t low = positions->low[2][i] + up, key = positions->key[2][KERNEL_KEY_OWN + up];
    return (struct plane){(positions->t[2][i] - (float)up) * SIMPLEX_ROW, low,
                          simplex_plane_key(low, key)};
}

/* Samples in any cells: only the corners of each simplex are hashed, three of the five points. */
TERRANE_INLINE void add_scattered(struct variant variant, const struct kernel_positions *positions,
                                  const struct kernel_out *out, struct range range)
{
    TERRANE_INDEPENDENT
    for (uint32_t i = range.start; i < range.end; i++) {
        const struct plane plane = plane_of(variant.is_3d, positions, range.plane, i);
        const uint32_t low[] = {positions->low[0][i], positions->low[1][i]};
        const float t[] = {positions->t[0][i], positions->t[1][i]};
        const struct strip at = strip_of(variant.is_3d, t, low[1] ^ plane.low, plane.z);
        const struct lines lines = lines_of(positions, low, plane.key);
        const uint32_t even_y = at.up > 0.5f ? lines.y[1] : lines.y[0];
        const uint32_t moved_y = at.up > 0.5f ? lines.y[0] : lines.y[1];
        const uint32_t even_near = at.first_half ? lines.x[1] : lines.x[2];
        const uint32_t even_far = at.first_half ? lines.x[2] : lines.x[1];
        const uint32_t moved_far = at.first_half ? lines.x[0] : lines.x[2];
        const bool even = at.even.remaining - at.even_far * at.even_far >
                          at.moved.remaining - at.moved_far * at.moved_far;
        const struct simplex_point third = {.y = even ? at.even.y : at.moved.y,
                                            .z = plane.z,
                                            .remaining =
                                                even ? at.even.remaining : at.moved.remaining};
        const struct gradient_sample far =
            hashed_contribution(variant, third, even ? at.even_far : at.moved_far,
                                lattice_hash(even ? even_far : moved_far, even ? even_y : moved_y));
        const struct gradient_sample even_contribution =
            hashed_contribution(variant, at.even, at.even_near, lattice_hash(even_near, even_y));
        const struct gradient_sample moved_contribution = hashed_contribution(
            variant, at.moved, at.moved_near, lattice_hash(lines.x[1], moved_y));
        const struct gradient_sample sum =
            sum_of(sum_of(even_contribution, gradient_if(even, far)),
                   sum_of(moved_contribution, gradient_if(!even, far)));
        write_sample(variant.with_gradient, out, &sum, i);
    }
}

/* Samples that share a cell: its five points are hashed once. */
TERRANE_INLINE void add_shared(struct variant variant, const struct kernel_positions *positions,
                               const struct kernel_out *out, struct range range)
{
    const bool is_3d = variant.is_3d;
    const struct plane plane = plane_of(is_3d, positions, range.plane, range.start);
    const uint32_t low[] = {positions->low[0][range.start], positions->low[1][range.start]};
    const uint32_t odd = low[1] ^ plane.low;
    const struct lines lines = lines_of(positions, low, plane.key);
    const uint32_t even_y = lines.y[odd & 1], moved_y = lines.y[~odd & 1];
    const struct simplex_gradient left =
        simplex_gradient_of(is_3d, lattice_hash(lines.x[1], even_y));
    const struct simplex_gradient right =
        simplex_gradient_of(is_3d, lattice_hash(lines.x[2], even_y));
    const struct simplex_gradient before =
        simplex_gradient_of(is_3d, lattice_hash(lines.x[0], moved_y));
    const struct simplex_gradient own =
        simplex_gradient_of(is_3d, lattice_hash(lines.x[1], moved_y));
    const struct simplex_gradient next =
        simplex_gradient_of(is_3d, lattice_hash(lines.x[2], moved_y));
    TERRANE_INDEPENDENT
    for (uint32_t i = range.start; i < range.end; i++) {
        const float t[] = {positions->t[0][i], positions->t[1][i]};
        const float z = is_3d ? (positions->t[2][i] - (float)range.plane) * SIMPLEX_ROW : 0.0f;
        const struct strip at = strip_of(is_3d, t, odd, z);
        const bool half = at.first_half;
        const struct simplex_gradient far = {half ? before.x : next.x, half ? before.y : next.y,
                                             half ? before.z : next.z};
        const struct gradient_sample west =
            known_contribution(variant, at.even, half ? at.even_near : at.even_far, left);
        const struct gradient_sample east =
            known_contribution(variant, at.even, half ? at.even_far : at.even_near, right);
        const struct gradient_sample sum = sum_of(
            sum_of(west, east), sum_of(known_contribution(variant, at.moved, at.moved_near, own),
                                       known_contribution(variant, at.moved, at.moved_far, far)));
        write_sample(variant.with_gradient, out, &sum, i);
    }
}

/* True if NOISE_LANES samples from `start` on are in the cell of sample `cell`. */
TERRANE_INLINE bool chunk_shares(bool is_3d, const struct kernel_positions *positions,
                                 uint32_t start, uint32_t cell)
{
    const uint32_t *x = positions->low[0], *y = positions->low[1], *z = positions->low[2];
    return !lanes_outside_cell(x + start, y + start, x[cell], y[cell]) &&
           (!is_3d || !lanes_outside_cell(z + start, z + start, z[cell], z[cell]));
}

/* Divides the samples into runs that share a cell and runs that do not. */
TERRANE_INLINE void add_simplex_planes(struct variant variant,
                                       const struct kernel_positions *own_positions,
                                       const struct kernel_out *own_out)
{
    const struct kernel_positions positions = *own_positions;
    const struct kernel_out out = *own_out;
    const uint32_t planes = variant.is_3d ? 2 : 1;
    for (uint32_t start = 0, end; start < positions.count; start = end) {
        end = start;
        while (end < positions.count && chunk_shares(variant.is_3d, &positions, end, start))
            end += NOISE_LANES;
        if (end > start) {
            for (uint32_t plane = 0; plane < planes; plane++)
                add_shared(variant, &positions, &out, (struct range){start, end, plane});
            continue;
        }
        do
            end += NOISE_LANES;
        while (end < positions.count && !chunk_shares(variant.is_3d, &positions, end, end));
        for (uint32_t plane = 0; plane < planes; plane++)
            add_scattered(variant, &positions, &out, (struct range){start, end, plane});
    }
}

/* In one dimension: (1 − d²)⁴ g·d. */
TERRANE_INLINE void add_simplex1(bool with_gradient, const struct kernel_positions *own_positions,
                                 const struct kernel_out *own_out)
{
    const struct kernel_positions positions = *own_positions;
    const struct kernel_out out = *own_out;
    const uint32_t *key_x = positions.key[0] + KERNEL_KEY_OWN;
    TERRANE_INDEPENDENT
    for (uint32_t i = 0; i < positions.count; i++) {
        struct gradient_sample sum = {0};
        const uint32_t line_y =
            lattice_line_y(positions.low[1][i], positions.key[1][KERNEL_KEY_OWN]);
        for (uint32_t k = 0; k < 2; k++) {
            const uint32_t line_x = lattice_line_x(positions.low[0][i] + k, key_x[k]);
            const float g = lattice_value(lattice_hash(line_x, line_y));
            const float d = positions.t[0][i] - (float)k;
            const float m = 1.0f - d * d, m2 = m * m;
            sum.n += m2 * m2 * (g * d);
            sum.x += m2 * m2 * g - 8.0f * (m2 * m) * (g * d) * d;
        }
        write_sample(with_gradient, &out, &sum, i);
    }
}

/* A sample in four dimensions: its fractions, the rank of each among them (3 for the largest), and
 * the hashes of the cell's lines and the next ones. */
struct simplex4_position {
    float tx, ty, tz, tw, total;
    uint32_t rank_x, rank_y, rank_z, rank_w;
    uint32_t x0, x1, z0, z1, w0, w1, y;
};

TERRANE_INLINE struct simplex4_position simplex4_position_at(
    const struct kernel_positions *positions, uint32_t i)
{
    const uint32_t *key_x = positions->key[0] + KERNEL_KEY_OWN,
                   *key_z = positions->key[2] + KERNEL_KEY_OWN;
    const uint32_t *key_w = positions->key[3] + KERNEL_KEY_OWN;
    struct simplex4_position at = {positions->t[0][i], positions->t[1][i], positions->t[2][i],
                                   positions->t[3][i], .total = 0};
    const uint32_t xy = at.tx >= at.ty, xz = at.tx >= at.tz, yz = at.ty >= at.tz;
    const uint32_t xw = at.tx >= at.tw, yw = at.ty >= at.tw, zw = at.tz >= at.tw;
    at.total = ((at.tx + at.ty) + at.tz) + at.tw;
    at.rank_x = xy + xz + xw;
    at.rank_y = (1 - xy) + yz + yw;
    at.rank_z = (1 - xz) + (1 - yz) + zw;
    at.rank_w = (1 - xw) + (1 - yw) + (1 - zw);
    at.x0 = lattice_line_x(positions->low[0][i], key_x[0]);
    at.x1 = lattice_line_x(positions->low[0][i] + 1, key_x[1]);
    at.z0 = lattice_line_x(positions->low[2][i], key_z[0]);
    at.z1 = lattice_line_x(positions->low[2][i] + 1, key_z[1]);
    at.w0 = lattice_line_y(positions->low[3][i], key_w[0]);
    at.w1 = lattice_line_y(positions->low[3][i] + 1, key_w[1]);
    at.y = positions->low[1][i];
    return at;
}

/* 1 if corner `corner` of the simplex, 0 … 4, is one cell up on an axis of that rank. */
TERRANE_INLINE uint32_t is_up(uint32_t rank, int corner)
{
    return rank + (uint32_t)corner >= 4;
}

/* A corner: 1 for each axis on which it is up, and the unskewed vector from it to the sample. */
struct corner_place {
    uint32_t up_x, up_y, up_z, up_w;
    float x, y, z, w;
};

TERRANE_INLINE struct corner_place corner_place_of(const struct simplex4_position *at, int corner)
{
    const float shift = (at->total - (float)corner) * UNSKEW4;
    struct corner_place place = {.up_x = is_up(at->rank_x, corner),
                                 .up_y = is_up(at->rank_y, corner),
                                 .up_z = is_up(at->rank_z, corner),
                                 .up_w = is_up(at->rank_w, corner)};
    place.x = (at->tx - (float)(int32_t)place.up_x) - shift;
    place.y = (at->ty - (float)(int32_t)place.up_y) - shift;
    place.z = (at->tz - (float)(int32_t)place.up_z) - shift;
    place.w = (at->tw - (float)(int32_t)place.up_w) - shift;
    return place;
}

/* Adds (½ − |d|²)⁴ g·d and its derivatives by x and y. */
TERRANE_INLINE void add_corner4_contribution(const struct corner_place *d,
                                             const float g[LATTICE_AXES],
                                             struct gradient_sample *sum)
{
    const float dot = ((g[0] * d->x + g[1] * d->y) + g[2] * d->z) + g[3] * d->w;
    const float m =
        not_below_zero(0.5f - (((d->x * d->x + d->y * d->y) + d->z * d->z) + d->w * d->w));
    const float m2 = m * m, m4 = m2 * m2, bend = 8.0f * (m2 * m) * dot;
    sum->n += m4 * dot;
    sum->x += m4 * g[0] - bend * d->x;
    sum->y += m4 * g[1] - bend * d->y;
}

TERRANE_INLINE void add_simplex4_corner(const struct kernel_positions *positions,
                                        const struct simplex4_position *at, int corner,
                                        struct gradient_sample *sum)
{
    const struct corner_place place = corner_place_of(at, corner);
    const uint32_t *key_y = positions->key[1] + KERNEL_KEY_OWN;
    const uint32_t line_z = place.up_z ? at->z1 : at->z0, line_w = place.up_w ? at->w1 : at->w0;
    const uint32_t own_y = place.up_y ? key_y[1] : key_y[0];
    const uint32_t line_y =
        lattice_line_y(at->y + place.up_y, own_y ^ lattice_plane(line_z, line_w));
    float g[LATTICE_AXES];
    lattice_gradient4(lattice_hash(place.up_x ? at->x1 : at->x0, line_y), g);
    add_corner4_contribution(&place, g, sum);
}

TERRANE_INLINE void add_simplex4(bool with_gradient, const struct kernel_positions *own_positions,
                                 const struct kernel_out *own_out)
{
    const struct kernel_positions positions = *own_positions;
    const struct kernel_out out = *own_out;
    TERRANE_INDEPENDENT
    for (uint32_t i = 0; i < positions.count; i++) {
        const struct simplex4_position at = simplex4_position_at(&positions, i);
        struct gradient_sample sum = {0};
        add_simplex4_corner(&positions, &at, 0, &sum);
        add_simplex4_corner(&positions, &at, 1, &sum);
        add_simplex4_corner(&positions, &at, 2, &sum);
        add_simplex4_corner(&positions, &at, 3, &sum);
        add_simplex4_corner(&positions, &at, 4, &sum);
        write_sample(with_gradient, &out, &sum, i);
    }
}

#define ADD_SIMPLEX(name, call, how)                                                               \
    TERRANE_CLONES                                                                                 \
    static void name(const struct kernel_positions *positions, const struct kernel_out *out)       \
    {                                                                                              \
        call(how, positions, out);                                                                 \
    }
#define VARIANT(with_gradient, is_3d) ((struct variant){with_gradient, is_3d})
ADD_SIMPLEX(add_simplex1_value, add_simplex1, false)
ADD_SIMPLEX(add_simplex1_gradient, add_simplex1, true)
ADD_SIMPLEX(add_simplex2_value, add_simplex_planes, VARIANT(false, false))
ADD_SIMPLEX(add_simplex2_gradient, add_simplex_planes, VARIANT(true, false))
ADD_SIMPLEX(add_simplex3_value, add_simplex_planes, VARIANT(false, true))
ADD_SIMPLEX(add_simplex3_gradient, add_simplex_planes, VARIANT(true, true))
ADD_SIMPLEX(add_simplex4_value, add_simplex4, false)
ADD_SIMPLEX(add_simplex4_gradient, add_simplex4, true)

static void add_simplex(const struct noise *noise, const struct kernel_positions *positions,
                        const struct kernel_out *out)
{
    static void (*const adders[][2])(const struct kernel_positions *, const struct kernel_out *) = {
        {add_simplex1_value, add_simplex1_gradient},
        {add_simplex2_value, add_simplex2_gradient},
        {add_simplex3_value, add_simplex3_gradient},
        {add_simplex4_value, add_simplex4_gradient},
    };
    const bool with_gradient = out->x != NULL;
    if (with_gradient) {
        memset(out->n, 0, positions->count * sizeof *out->n);
        memset(out->x, 0, positions->count * sizeof *out->x);
        memset(out->y, 0, positions->count * sizeof *out->y);
    }
    adders[noise->dimensions - 1][with_gradient](positions, out);
}

/* Cells a wavelength on each axis of the lattice of simplex.h, by dimensions; in four it is the
 * cubic lattice skewed, by (√5 − 1) / 4. */
#define ROOT_2 1.4142135623730951
#define SKEW4 0.30901699437494742
static const double cells_per_wavelength[][LATTICE_AXES] = {
    {0}, {1, 1}, {1.2247448713915890, ROOT_2}, {1, ROOT_2, ROOT_2}, {1, 1, 1, 1}};

static void transform_to_simplex(unsigned dimensions, double cells[LATTICE_AXES][4])
{
    for (int i = 0; i < 4; i++) {
        double sum = 0.0;
        if (dimensions == 3) { /* the turn about x, see SIMPLEX_COSINE */
            const double y = cells[1][i], z = cells[2][i];
            cells[1][i] = y * (12.0 / 13.0) - z * (-5.0 / 13.0);
            cells[2][i] = z * (12.0 / 13.0) + y * (-5.0 / 13.0);
        }
        for (unsigned axis = 0; axis < dimensions; axis++) {
            cells[axis][i] *= cells_per_wavelength[dimensions][axis];
            sum += cells[axis][i];
        }
        for (unsigned axis = 0; dimensions == 4 && axis < 4; axis++)
            cells[axis][i] += SKEW4 * sum;
    }
}

/* The scale is one over the greatest value, found by search. */
const struct basis simplex_basis = {
    .interpolation = NOISE_QUINTIC, /* unused */
    .transform_form = transform_to_simplex,
    .variants =
        {{0},
         {1, {3.16049383f, 0.0f, 0.255f, 0.596f}, {0.0f, 0.0f, 1.3f, 1.3f}, .add = add_simplex},
         {2,
          {99.2043346f, 0.0f, 0.467f, 0.356f},
          {0.45f, 0.8f, 1.9f, 2.9f},
          .add = add_simplex,
          .has_simplex_rows = true},
         {6,
          {107.653485f, 0.0f, 0.311f, 0.529f},
          {1.05f, 2.6f, 3.8f, 8.0f},
          .add = add_simplex,
          .has_simplex_rows = true},
         {12, {108.567826f, 0.0f, 0.176f, 0.711f}, {0.0f, 0.0f, 10.7f, 11.5f}, .add = add_simplex}},
};
