/* Simplex noise at arbitrary places. The sites' axes are those of the skewed lattice, on which a
 * simplex' corners have whole coordinates: from a cell's own corner one axis after the other goes
 * up by one, the one with the largest fraction first. */
#include "core/noise/corners.h"

/* What turns the skewed lattice's fractions back: (1 − 1/√(n+1)) / n. */
#define UNSKEW2 0.211324865f
#define UNSKEW3 0.166666667f
#define UNSKEW4 0.138196601f

/* A corner's part, `d` from it: (½ − |d|²)⁴ g·d, and its derivatives by the first two axes. */
TERRANE_INLINE void add_corner(int dimensions, const float *d, const float *g, struct slope *sum)
{
    float square = d[0] * d[0] + d[1] * d[1], dot = g[0] * d[0] + g[1] * d[1];
    for (int axis = 2; axis < dimensions; axis++) {
        square += d[axis] * d[axis];
        dot += g[axis] * d[axis];
    }
    float m = 0.5f - square;
    m = m < 0.0f ? 0.0f : m;
    const float m2 = m * m, m4 = m2 * m2, bend = 8.0f * (m2 * m) * dot;
    sum->n += m4 * dot;
    sum->x += m4 * g[0] - bend * d[0];
    sum->y += m4 * g[1] - bend * d[1];
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
struct cell {
    float x[4], y[4];
};

/* A site at (tx, ty) in its cell: only one of the corners 10 and 01 belongs to its triangle. */
TERRANE_INLINE struct slope triangle(float tx, float ty, const struct cell *g)
{
    struct slope sum = {0};
    const bool right = tx > ty;
    const float shift = (tx + ty) * UNSKEW2;
    const float x = tx - shift, y = ty - shift;
    const float first[2] = {x, y};
    const float second[2] = {x + UNSKEW2 - (right ? 1.0f : 0.0f),
                             y + UNSKEW2 - (right ? 0.0f : 1.0f)};
    const float third[2] = {x + (2.0f * UNSKEW2 - 1.0f), y + (2.0f * UNSKEW2 - 1.0f)};
    add_corner(2, first, (const float[]){g->x[0], g->y[0]}, &sum);
    add_corner(2, second, (const float[]){right ? g->x[1] : g->x[2], right ? g->y[1] : g->y[2]},
               &sum);
    add_corner(2, third, (const float[]){g->x[3], g->y[3]}, &sum);
    return sum;
}

TERRANE_INLINE struct cell cell_at(const struct kernel_sites *sites, uint32_t low_x, uint32_t low_y)
{
    struct cell cell;
    const uint32_t *key_x = sites->key[0] + KERNEL_KEY_OWN, *key_y = sites->key[1] + KERNEL_KEY_OWN;
    TERRANE_LANES
    for (uint32_t i = 0; i < 4; i++)
        lattice_gradient(lattice_hash(lattice_line_x(low_x + (i & 1), key_x[i & 1]),
                                      lattice_line_y(low_y + (i >> 1), key_y[i >> 1])),
                         &cell.x[i], &cell.y[i]);
    return cell;
}

TERRANE_INLINE uint32_t lanes_outside(const uint32_t *restrict low_x,
                                      const uint32_t *restrict low_y)
{
    uint32_t difference = 0;
    TERRANE_LANES
    for (uint32_t i = 0; i < NOISE_LANES; i++)
        difference |= (low_x[i] ^ low_x[0]) | (low_y[i] ^ low_y[0]);
    return difference;
}

/* Chunks of sites; one that lies in one cell hashes its corners once. */
TERRANE_INLINE void add_plane(bool sloped, const struct kernel_sites *own_sites,
                              const struct kernel_out *own_out)
{
    const struct kernel_sites sites = *own_sites;
    const struct kernel_out out = *own_out;
    for (uint32_t start = 0; start < sites.count; start += NOISE_LANES) {
        const uint32_t *low_x = sites.low[0] + start, *low_y = sites.low[1] + start;
        const float *t_x = sites.t[0] + start, *t_y = sites.t[1] + start;
        if (!lanes_outside(low_x, low_y)) {
            const struct cell cell = cell_at(&sites, low_x[0], low_y[0]);
            TERRANE_INDEPENDENT
            for (uint32_t i = 0; i < NOISE_LANES; i++) {
                const struct slope slope = triangle(t_x[i], t_y[i], &cell);
                put(sloped, &out, &slope, start + i);
            }
            continue;
        }
        TERRANE_INDEPENDENT
        for (uint32_t i = 0; i < NOISE_LANES; i++) {
            const struct cell cell = cell_at(&sites, low_x[i], low_y[i]);
            const struct slope slope = triangle(t_x[i], t_y[i], &cell);
            put(sloped, &out, &slope, start + i);
        }
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

/* The hash of a cell's corner, `up` from its own on each axis. */
TERRANE_INLINE uint32_t corner_hash(int dimensions, const struct kernel_sites *sites,
                                    const uint32_t up[LATTICE_AXES], uint32_t i)
{
    uint32_t low[LATTICE_AXES], key[LATTICE_AXES];
    for (int axis = 0; axis < dimensions; axis++) {
        low[axis] = sites->low[axis][i] + up[axis];
        key[axis] =
            up[axis] ? sites->key[axis][KERNEL_KEY_OWN + 1] : sites->key[axis][KERNEL_KEY_OWN];
    }
    const uint32_t line_w = dimensions == 4 ? lattice_line_y(low[3], key[3]) : 0;
    const uint32_t plane = lattice_plane(lattice_line_x(low[2], key[2]), line_w);
    return lattice_hash(lattice_line_x(low[0], key[0]), lattice_line_y(low[1], key[1] ^ plane));
}

TERRANE_INLINE void add_space(int dimensions, bool sloped, const struct kernel_sites *own_sites,
                              const struct kernel_out *own_out)
{
    const struct kernel_sites sites = *own_sites;
    const struct kernel_out out = *own_out;
    const float unskew = dimensions == 3 ? UNSKEW3 : UNSKEW4;
    TERRANE_INDEPENDENT
    for (uint32_t i = 0; i < sites.count; i++) {
        struct slope sum = {0};
        float t[LATTICE_AXES], total = 0.0f;
        uint32_t rank[LATTICE_AXES] = {0}; /* how many axes' fractions are smaller */
        for (int axis = 0; axis < dimensions; axis++) {
            t[axis] = sites.t[axis][i];
            total += t[axis];
        }
        for (int a = 0; a < dimensions; a++)
            for (int b = a + 1; b < dimensions; b++) {
                rank[a] += t[a] >= t[b];
                rank[b] += t[b] > t[a];
            }
        for (int corner = 0; corner <= dimensions; corner++) {
            float d[LATTICE_AXES], g[LATTICE_AXES];
            uint32_t up[LATTICE_AXES];
            const float shift = (total - (float)corner) * unskew;
            for (int axis = 0; axis < dimensions; axis++) {
                up[axis] = rank[axis] + (uint32_t)corner >= (uint32_t)dimensions;
                d[axis] = (t[axis] - (float)(int32_t)up[axis]) - shift;
            }
            const uint32_t hash = corner_hash(dimensions, &sites, up, i);
            if (dimensions == 3)
                lattice_gradient3(hash, &g[0], &g[1], &g[2]);
            else
                lattice_gradient4(hash, g);
            add_corner(dimensions, d, g, &sum);
        }
        put(sloped, &out, &sum, i);
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
