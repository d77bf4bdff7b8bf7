/* Simplex noise at arbitrary places. The sites' axes are those of the skewed lattice, on which a
 * simplex' corners have whole coordinates: from a cell's own corner one axis after the other goes
 * up by one, the one with the largest fraction first. */
#include "core/noise/corners.h"

/* What turns the skewed lattice's fractions back: (1 − 1/√(n+1)) / n. */
#define UNSKEW2 0.211324865f
#define UNSKEW3 0.166666667f
#define UNSKEW4 0.138196601f

/* A corner's part, (x, y) from it in two dimensions: (½ − |d|²)⁴ g·d, and its derivatives. */
TERRANE_INLINE void add_corner2(float x, float y, float gx, float gy, struct slope *sum)
{
    const float dot = gx * x + gy * y;
    float m = 0.5f - (x * x + y * y);
    m = m < 0.0f ? 0.0f : m;
    const float m2 = m * m, m4 = m2 * m2, bend = 8.0f * (m2 * m) * dot;
    sum->n += m4 * dot;
    sum->x += m4 * gx - bend * x;
    sum->y += m4 * gy - bend * y;
}

TERRANE_INLINE void put(bool sloped, const struct kernel_out *out, const struct slope *slope,
                        uint32_t i)
{
    if (!sloped) {
        out->n[i] += slope->n * out->amplitude;
        return;
    }
    out->n[i] = slope->n * out->amplitude;
    out->x[i] = slope->x * out->amplitude;
    out->y[i] = slope->y * out->amplitude;
}

/* The gradients of a cell's corners 00, 10, 01 and 11. */
struct cell_gradients {
    float x00, y00, x10, y10, x01, y01, x11, y11;
};

/* Where a site is in its simplex: from its corners, of which the second is 10 or 01. */
struct triangle {
    float x0, y0, x1, y1, x2, y2;
    bool right;
};

TERRANE_INLINE struct triangle triangle_at(float tx, float ty)
{
    const float shift = (tx + ty) * UNSKEW2;
    struct triangle at;
    at.right = tx > ty;
    at.x0 = tx - shift;
    at.y0 = ty - shift;
    at.x1 = at.x0 + (at.right ? UNSKEW2 - 1.0f : UNSKEW2);
    at.y1 = at.y0 + (at.right ? UNSKEW2 : UNSKEW2 - 1.0f);
    at.x2 = at.x0 + (2.0f * UNSKEW2 - 1.0f);
    at.y2 = at.y0 + (2.0f * UNSKEW2 - 1.0f);
    return at;
}

/* The lattice lines around a cell: its own and the next, on both axes. */
struct lines {
    uint32_t x0, x1, y0, y1;
};

TERRANE_INLINE struct lines lines_of(const struct kernel_sites *sites, uint32_t low_x,
                                     uint32_t low_y)
{
    const uint32_t *key_x = sites->key[0] + KERNEL_KEY_OWN, *key_y = sites->key[1] + KERNEL_KEY_OWN;
    return (struct lines){lattice_line_x(low_x, key_x[0]), lattice_line_x(low_x + 1, key_x[1]),
                          lattice_line_y(low_y, key_y[0]), lattice_line_y(low_y + 1, key_y[1])};
}

TERRANE_INLINE struct slope slope_in(const struct triangle *at, const struct cell_gradients *g)
{
    struct slope sum = {0};
    add_corner2(at->x0, at->y0, g->x00, g->y00, &sum);
    add_corner2(at->x1, at->y1, at->right ? g->x10 : g->x01, at->right ? g->y10 : g->y01, &sum);
    add_corner2(at->x2, at->y2, g->x11, g->y11, &sum);
    return sum;
}

/* Sites that share a cell, from `start` to `end`. */
TERRANE_INLINE void add_shared(bool sloped, const struct kernel_sites *sites,
                               const struct kernel_out *out, uint32_t start, uint32_t end)
{
    const uint32_t low_x = sites->low[0][start], low_y = sites->low[1][start];
    const float *t_x = sites->t[0], *t_y = sites->t[1];
    const struct lines lines = lines_of(sites, low_x, low_y);
    struct cell_gradients g;
    lattice_gradient(lattice_hash(lines.x0, lines.y0), &g.x00, &g.y00);
    lattice_gradient(lattice_hash(lines.x1, lines.y0), &g.x10, &g.y10);
    lattice_gradient(lattice_hash(lines.x0, lines.y1), &g.x01, &g.y01);
    lattice_gradient(lattice_hash(lines.x1, lines.y1), &g.x11, &g.y11);
    TERRANE_INDEPENDENT
    for (uint32_t i = start; i < end; i++) {
        const struct triangle at = triangle_at(t_x[i], t_y[i]);
        const struct slope slope = slope_in(&at, &g);
        put(sloped, out, &slope, i);
    }
}

/* Sites in any cells. */
TERRANE_INLINE void add_scattered(bool sloped, const struct kernel_sites *sites,
                                  const struct kernel_out *out, uint32_t start, uint32_t end)
{
    const uint32_t *low_x = sites->low[0], *low_y = sites->low[1];
    const float *t_x = sites->t[0], *t_y = sites->t[1];
    TERRANE_INDEPENDENT
    for (uint32_t i = start; i < end; i++) {
        const struct triangle at = triangle_at(t_x[i], t_y[i]);
        struct slope slope = {0};
        float x, y;
        const struct lines lines = lines_of(sites, low_x[i], low_y[i]);
        const uint32_t x1 = at.right ? lines.x1 : lines.x0, y1 = at.right ? lines.y0 : lines.y1;
        lattice_gradient(lattice_hash(lines.x0, lines.y0), &x, &y);
        add_corner2(at.x0, at.y0, x, y, &slope);
        lattice_gradient(lattice_hash(x1, y1), &x, &y);
        add_corner2(at.x1, at.y1, x, y, &slope);
        lattice_gradient(lattice_hash(lines.x1, lines.y1), &x, &y);
        add_corner2(at.x2, at.y2, x, y, &slope);
        put(sloped, out, &slope, i);
    }
}

/* Runs of chunks of NOISE_LANES sites; one that lies in one cell hashes its corners once. */
TERRANE_INLINE void add_plane(bool sloped, const struct kernel_sites *own_sites,
                              const struct kernel_out *own_out)
{
    const struct kernel_sites sites = *own_sites;
    const struct kernel_out out = *own_out;
    const uint32_t *low_x = sites.low[0], *low_y = sites.low[1];
    for (uint32_t start = 0, end; start < sites.count; start = end) {
        end = start;
        while (end < sites.count &&
               !lanes_outside(low_x + end, low_y + end, low_x[start], low_y[start]))
            end += NOISE_LANES;
        if (end > start) {
            add_shared(sloped, &sites, &out, start, end);
            continue;
        }
        do
            end += NOISE_LANES;
        while (end < sites.count &&
               lanes_outside(low_x + end, low_y + end, low_x[end], low_y[end]));
        add_scattered(sloped, &sites, &out, start, end);
    }
}

/* In one dimension: (1 − d²)⁴ g·d. */
TERRANE_INLINE void add_line(bool sloped, const struct kernel_sites *own_sites,
                             const struct kernel_out *own_out)
{
    const struct kernel_sites sites = *own_sites;
    const struct kernel_out out = *own_out;
    const uint32_t *key_x = sites.key[0] + KERNEL_KEY_OWN;
    TERRANE_INDEPENDENT
    for (uint32_t i = 0; i < sites.count; i++) {
        struct slope sum = {0};
        const uint32_t line_y = lattice_line_y(sites.low[1][i], sites.key[1][KERNEL_KEY_OWN]);
        for (uint32_t k = 0; k < 2; k++) {
            const uint32_t line_x = lattice_line_x(sites.low[0][i] + k, key_x[k]);
            const float g = lattice_value(lattice_hash(line_x, line_y));
            const float d = sites.t[0][i] - (float)k;
            const float m = 1.0f - d * d, m2 = m * m;
            sum.n += m2 * m2 * (g * d);
            sum.x += m2 * m2 * g - 8.0f * (m2 * m) * (g * d) * d;
        }
        put(sloped, &out, &sum, i);
    }
}

/* A site in three or four dimensions: where in its cell, how many axes' fractions are smaller than
 * each axis', and the hashes of the cell's lines and the next. In three the fourth is 0, and the
 * least. */
struct space {
    float tx, ty, tz, tw, total;
    uint32_t rank_x, rank_y, rank_z, rank_w;
    uint32_t x0, x1, z0, z1, w0, w1, y;
};

TERRANE_INLINE struct space space_at(int dimensions, const struct kernel_sites *sites, uint32_t i)
{
    const uint32_t *key_x = sites->key[0] + KERNEL_KEY_OWN, *key_z = sites->key[2] + KERNEL_KEY_OWN;
    struct space at = {.tx = sites->t[0][i], .ty = sites->t[1][i], .tz = sites->t[2][i]};
    const uint32_t xy = at.tx >= at.ty, xz = at.tx >= at.tz, yz = at.ty >= at.tz;
    at.total = (at.tx + at.ty) + at.tz;
    at.rank_x = xy + xz;
    at.rank_y = (1 - xy) + yz;
    at.rank_z = (1 - xz) + (1 - yz);
    at.x0 = lattice_line_x(sites->low[0][i], key_x[0]);
    at.x1 = lattice_line_x(sites->low[0][i] + 1, key_x[1]);
    at.z0 = lattice_line_x(sites->low[2][i], key_z[0]);
    at.z1 = lattice_line_x(sites->low[2][i] + 1, key_z[1]);
    at.y = sites->low[1][i];
    if (dimensions == 4) {
        const uint32_t *key_w = sites->key[3] + KERNEL_KEY_OWN;
        at.tw = sites->t[3][i];
        at.total += at.tw;
        const uint32_t xw = at.tx >= at.tw, yw = at.ty >= at.tw, zw = at.tz >= at.tw;
        at.rank_x += xw;
        at.rank_y += yw;
        at.rank_z += zw;
        at.rank_w = (1 - xw) + (1 - yw) + (1 - zw);
        at.w0 = lattice_line_y(sites->low[3][i], key_w[0]);
        at.w1 = lattice_line_y(sites->low[3][i] + 1, key_w[1]);
    }
    return at;
}

/* Whether the simplex' corner `corner` is one up on an axis of that rank. */
TERRANE_INLINE uint32_t is_up(int dimensions, uint32_t rank, int corner)
{
    return rank + (uint32_t)corner >= (uint32_t)dimensions;
}

/* A corner's place: whether it is up on each axis, and how far the site is from it. */
struct corner_place {
    uint32_t up_x, up_y, up_z, up_w;
    float x, y, z, w;
};

TERRANE_INLINE struct corner_place corner_place_of(int dimensions, const struct space *at,
                                                   int corner)
{
    const float shift = (at->total - (float)corner) * (dimensions == 3 ? UNSKEW3 : UNSKEW4);
    struct corner_place place = {
        .up_x = is_up(dimensions, at->rank_x, corner),
        .up_y = is_up(dimensions, at->rank_y, corner),
        .up_z = is_up(dimensions, at->rank_z, corner),
        .up_w = dimensions == 4 ? is_up(dimensions, at->rank_w, corner) : 0,
    };
    place.x = (at->tx - (float)(int32_t)place.up_x) - shift;
    place.y = (at->ty - (float)(int32_t)place.up_y) - shift;
    place.z = (at->tz - (float)(int32_t)place.up_z) - shift;
    place.w = dimensions == 4 ? (at->tw - (float)(int32_t)place.up_w) - shift : 0.0f;
    return place;
}

/* (½ − |d|²)⁴ g·d, and its derivatives by x and y. */
TERRANE_INLINE void add_corner4(const struct corner_place *d, const float g[LATTICE_AXES],
                                struct slope *sum)
{
    const float dot = ((g[0] * d->x + g[1] * d->y) + g[2] * d->z) + g[3] * d->w;
    float m = 0.5f - (((d->x * d->x + d->y * d->y) + d->z * d->z) + d->w * d->w);
    m = m < 0.0f ? 0.0f : m;
    const float m2 = m * m, m4 = m2 * m2, bend = 8.0f * (m2 * m) * dot;
    sum->n += m4 * dot;
    sum->x += m4 * g[0] - bend * d->x;
    sum->y += m4 * g[1] - bend * d->y;
}

TERRANE_INLINE void space_gradient(int dimensions, const struct kernel_sites *sites,
                                   const struct space *at, const struct corner_place *place,
                                   float g[LATTICE_AXES])
{
    const uint32_t *key_y = sites->key[1] + KERNEL_KEY_OWN;
    const uint32_t line_z = place->up_z ? at->z1 : at->z0, line_w = place->up_w ? at->w1 : at->w0;
    const uint32_t own_y = place->up_y ? key_y[1] : key_y[0];
    const uint32_t line_y =
        lattice_line_y(at->y + place->up_y, own_y ^ lattice_plane(line_z, line_w));
    const uint32_t hash = lattice_hash(place->up_x ? at->x1 : at->x0, line_y);
    if (dimensions == 3)
        lattice_gradient3(hash, &g[0], &g[1], &g[2]);
    else
        lattice_gradient4(hash, g);
}

TERRANE_INLINE void add_space_corner(int dimensions, const struct kernel_sites *sites,
                                     const struct space *at, int corner, struct slope *sum)
{
    const struct corner_place place = corner_place_of(dimensions, at, corner);
    float g[LATTICE_AXES] = {0};
    space_gradient(dimensions, sites, at, &place, g);
    add_corner4(&place, g, sum);
}

/* A cell's corner of three dimensions: bits 0, 1 and 2 of its number are up on x, y and z. */
struct gradient3 {
    float x, y, z;
};

TERRANE_INLINE struct gradient3 choose(bool yes, struct gradient3 a, struct gradient3 b)
{
    return (struct gradient3){yes ? a.x : b.x, yes ? a.y : b.y, yes ? a.z : b.z};
}

TERRANE_INLINE void add_space_chosen(const struct space *at, int corner, struct gradient3 chosen,
                                     struct slope *sum)
{
    const struct corner_place place = corner_place_of(3, at, corner);
    const float g[LATTICE_AXES] = {chosen.x, chosen.y, chosen.z, 0.0f};
    add_corner4(&place, g, sum);
}

/* Sites of three dimensions that share a cell: its eight corners are hashed once. */
TERRANE_INLINE void add_space_shared(bool sloped, const struct kernel_sites *sites,
                                     const struct kernel_out *out, uint32_t start, uint32_t end)
{
    const struct space first = space_at(3, sites, start);
    struct gradient3 g[8];
    for (uint32_t i = 0; i < 8; i++) {
        const struct corner_place place = {.up_x = i & 1, .up_y = i >> 1 & 1, .up_z = i >> 2};
        float made[LATTICE_AXES];
        space_gradient(3, sites, &first, &place, made);
        g[i] = (struct gradient3){made[0], made[1], made[2]};
    }
    const struct gradient3 g0 = g[0], g1 = g[1], g2 = g[2], g3 = g[3];
    const struct gradient3 g4 = g[4], g5 = g[5], g6 = g[6], g7 = g[7];
    TERRANE_INDEPENDENT
    for (uint32_t i = start; i < end; i++) {
        const struct space at = space_at(3, sites, i);
        struct slope sum = {0};
        add_space_chosen(&at, 0, g0, &sum);
        add_space_chosen(&at, 1, choose(at.rank_x == 2, g1, choose(at.rank_y == 2, g2, g4)), &sum);
        add_space_chosen(&at, 2, choose(at.rank_x == 0, g6, choose(at.rank_y == 0, g5, g3)), &sum);
        add_space_chosen(&at, 3, g7, &sum);
        put(sloped, out, &sum, i);
    }
}

/* What is compiled apart. */
struct variant {
    int dimensions;
    bool sloped;
};

TERRANE_INLINE void add_space_scattered(struct variant variant, const struct kernel_sites *sites,
                                        const struct kernel_out *out, uint32_t start, uint32_t end)
{
    TERRANE_INDEPENDENT
    for (uint32_t i = start; i < end; i++) {
        const struct space at = space_at(variant.dimensions, sites, i);
        struct slope sum = {0};
        add_space_corner(variant.dimensions, sites, &at, 0, &sum);
        add_space_corner(variant.dimensions, sites, &at, 1, &sum);
        add_space_corner(variant.dimensions, sites, &at, 2, &sum);
        add_space_corner(variant.dimensions, sites, &at, 3, &sum);
        if (variant.dimensions == 4)
            add_space_corner(variant.dimensions, sites, &at, 4, &sum);
        put(variant.sloped, out, &sum, i);
    }
}

TERRANE_INLINE bool chunk_shares(const struct kernel_sites *sites, uint32_t start, uint32_t cell)
{
    const uint32_t *z = sites->low[2];
    return !lanes_outside(sites->low[0] + start, sites->low[1] + start, sites->low[0][cell],
                          sites->low[1][cell]) &&
           !lanes_outside(z + start, z + start, z[cell], z[cell]);
}

TERRANE_INLINE void add_space(int dimensions, bool sloped, const struct kernel_sites *own_sites,
                              const struct kernel_out *own_out)
{
    const struct kernel_sites sites = *own_sites;
    const struct kernel_out out = *own_out;
    if (dimensions == 4) {
        add_space_scattered((struct variant){4, sloped}, &sites, &out, 0, sites.count);
        return;
    }
    for (uint32_t start = 0, end; start < sites.count; start = end) {
        end = start;
        while (end < sites.count && chunk_shares(&sites, end, start))
            end += NOISE_LANES;
        if (end > start) {
            add_space_shared(sloped, &sites, &out, start, end);
            continue;
        }
        do
            end += NOISE_LANES;
        while (end < sites.count && !chunk_shares(&sites, end, end));
        add_space_scattered((struct variant){3, sloped}, &sites, &out, start, end);
    }
}

#define ADD_SIMPLEX(name, call, ...)                                                               \
    TERRANE_CLONES                                                                                 \
    static void name(const struct kernel_sites *sites, const struct kernel_out *out)               \
    {                                                                                              \
        call(__VA_ARGS__, sites, out);                                                             \
    }
ADD_SIMPLEX(add_line_plain, add_line, false)
ADD_SIMPLEX(add_line_sloped, add_line, true)
ADD_SIMPLEX(add_plane_plain, add_plane, false)
ADD_SIMPLEX(add_plane_sloped, add_plane, true)
ADD_SIMPLEX(add_space3_plain, add_space, 3, false)
ADD_SIMPLEX(add_space3_sloped, add_space, 3, true)
ADD_SIMPLEX(add_space4_plain, add_space, 4, false)
ADD_SIMPLEX(add_space4_sloped, add_space, 4, true)

void kernel_add_simplex(unsigned dimensions, const struct kernel_sites *sites,
                        const struct kernel_out *out)
{
    static void (*const adders[][2])(const struct kernel_sites *, const struct kernel_out *) = {
        {add_line_plain, add_line_sloped},
        {add_plane_plain, add_plane_sloped},
        {add_space3_plain, add_space3_sloped},
        {add_space4_plain, add_space4_sloped},
    };
    adders[dimensions - 1][out->x != NULL](sites, out);
}
