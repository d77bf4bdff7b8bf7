/* The vectorised loops of the noises. Each is plain C over arrays; the two ways to a sample (a row
 * of columns between two lattice rows, and arbitrary sites) share lattice.h and keep one order of
 * operations, which is what makes them agree to the last bit. */
#include "core/noise/kernels.h"

TERRANE_INLINE float fade_cosine(float t)
{
    /* (1 − cos πt) / 2 = (1 + sin π(t − ½)) / 2, a minimax polynomial with error 4e-9. */
    float u = t - 0.5f;
    float q = u * u;
    float sine = ((((0.07722026f * q - 0.59804525f) * q + 2.55003139f) * q - 5.16770688f) * q +
                  3.14159258f) *
                 u;
    return 0.5f + 0.5f * sine;
}

TERRANE_CLONES
void kernel_fade(enum noise_interpolation interpolation, uint32_t count, const float *restrict t,
                 float *restrict fade)
{
    switch (interpolation) {
    case NOISE_LINEAR:
        for (uint32_t i = 0; i < count; i++)
            fade[i] = t[i];
        break;
    case NOISE_COSINE:
        for (uint32_t i = 0; i < count; i++)
            fade[i] = fade_cosine(t[i]);
        break;
    case NOISE_CUBIC:
        for (uint32_t i = 0; i < count; i++)
            fade[i] = t[i] * t[i] * (3.0f - 2.0f * t[i]);
        break;
    case NOISE_QUINTIC:
        for (uint32_t i = 0; i < count; i++)
            fade[i] = t[i] * t[i] * t[i] * (t[i] * (t[i] * 6.0f - 15.0f) + 10.0f);
        break;
    }
}

TERRANE_CLONES
void kernel_weigh(uint32_t count, const float *restrict t, const float *restrict fade,
                  float amplitude, const struct kernel_weights *out)
{
    float *restrict left = out->left, *restrict right = out->right;
    float *restrict left_t = out->left_t, *restrict right_t = out->right_t;
    for (uint32_t i = 0; i < count; i++) {
        left[i] = (1.0f - fade[i]) * amplitude;
        right[i] = fade[i] * amplitude;
        left_t[i] = t[i] * left[i];
        right_t[i] = (t[i] - 1.0f) * right[i];
    }
}

TERRANE_CLONES
static void lattice_row_perlin(uint32_t count, const struct kernel_columns *columns,
                               uint32_t line_y, float *restrict a, float *restrict b)
{
    const uint32_t *restrict line_left = columns->line_left;
    const uint32_t *restrict line_right = columns->line_right;
    const struct kernel_weights weights = columns->weights;
    for (uint32_t i = 0; i < count; i++) {
        float left_x, left_y, right_x, right_y;
        lattice_gradient(lattice_hash(line_left[i], line_y), &left_x, &left_y);
        lattice_gradient(lattice_hash(line_right[i], line_y), &right_x, &right_y);
        a[i] = left_x * weights.left_t[i] + right_x * weights.right_t[i];
        b[i] = left_y * weights.left[i] + right_y * weights.right[i];
    }
}

TERRANE_CLONES
static void lattice_row_value(uint32_t count, const struct kernel_columns *columns, uint32_t line_y,
                              float *restrict a, float *restrict b)
{
    const uint32_t *restrict line_left = columns->line_left;
    const uint32_t *restrict line_right = columns->line_right;
    const struct kernel_weights weights = columns->weights;
    for (uint32_t i = 0; i < count; i++) {
        a[i] = lattice_value(lattice_hash(line_left[i], line_y)) * weights.left[i] +
               lattice_value(lattice_hash(line_right[i], line_y)) * weights.right[i];
        b[i] = 0.0f;
    }
}

void kernel_lattice_row(enum noise_basis basis, uint32_t count,
                        const struct kernel_columns *columns, uint32_t line_y, float *a, float *b)
{
    if (basis == NOISE_PERLIN)
        lattice_row_perlin(count, columns, line_y, a, b);
    else
        lattice_row_value(count, columns, line_y, a, b);
}

TERRANE_CLONES
void kernel_join_rows(uint32_t count, const struct kernel_pair *pair)
{
    const float *restrict a0 = pair->a0, *restrict b0 = pair->b0;
    const float *restrict a1 = pair->a1, *restrict b1 = pair->b1;
    float *restrict k2 = pair->k2, *restrict k3 = pair->k3;
    for (uint32_t i = 0; i < count; i++) {
        k2[i] = (a1[i] - b1[i]) - a0[i];
        k3[i] = b1[i] - b0[i];
    }
}

TERRANE_CLONES
void kernel_add_row(uint32_t count, const struct kernel_pair *pair, float ty, float sy,
                    float *restrict out)
{
    const float *restrict a0 = pair->a0, *restrict b0 = pair->b0;
    const float *restrict k2 = pair->k2, *restrict k3 = pair->k3;
    const float tsy = ty * sy;
    for (uint32_t i = 0; i < count; i++)
        out[i] += ((a0[i] + b0[i] * ty) + k2[i] * sy) + k3[i] * tsy;
}

TERRANE_CLONES
void kernel_displace(uint32_t count, const struct kernel_axis *axis, uint32_t *restrict low,
                     float *restrict t)
{
    const uint32_t *restrict base = axis->base;
    const float *restrict fraction = axis->fraction, *restrict metres = axis->metres;
    const float scale = axis->cells_per_metre;
    for (uint32_t i = 0; i < count; i++) {
        float cells = metres[i] * scale;
        cells = cells < -KERNEL_CELLS_MAX ? -KERNEL_CELLS_MAX : cells;
        cells = cells > KERNEL_CELLS_MAX ? KERNEL_CELLS_MAX : cells;
        cells += fraction[i];
        float whole = __builtin_floorf(cells);
        t[i] = cells - whole;
        low[i] = base[i] + (uint32_t)(int32_t)whole;
    }
}

/* The contribution of the four corners of a cell: for gradients (x, y), for values (x, unused). */
struct corners {
    float x00, y00, x10, y10, x01, y01, x11, y11;
};

TERRANE_INLINE struct corners corners_at(enum noise_basis basis, const struct kernel_sites *sites,
                                         uint32_t low_x, uint32_t low_y)
{
    struct corners g = {0};
    uint32_t x0 = lattice_line_x(low_x, sites->key_x[0]);
    uint32_t x1 = lattice_line_x(low_x + 1, sites->key_x[1]);
    uint32_t y0 = lattice_line_y(low_y, sites->key_y[0]);
    uint32_t y1 = lattice_line_y(low_y + 1, sites->key_y[1]);
    if (basis == NOISE_PERLIN) {
        lattice_gradient(lattice_hash(x0, y0), &g.x00, &g.y00);
        lattice_gradient(lattice_hash(x1, y0), &g.x10, &g.y10);
        lattice_gradient(lattice_hash(x0, y1), &g.x01, &g.y01);
        lattice_gradient(lattice_hash(x1, y1), &g.x11, &g.y11);
    } else {
        g.x00 = lattice_value(lattice_hash(x0, y0));
        g.x10 = lattice_value(lattice_hash(x1, y0));
        g.x01 = lattice_value(lattice_hash(x0, y1));
        g.x11 = lattice_value(lattice_hash(x1, y1));
    }
    return g;
}

/* What one octave at sites reads, as restricted pointers of its own so that loops vectorise. */
struct site_rows {
    const float *restrict t_x, *restrict t_y, *restrict s_x, *restrict s_y;
    float amplitude;
};

/* The same expressions as kernel_weigh, kernel_lattice_row, kernel_join_rows and kernel_add_row. */
TERRANE_INLINE float corners_mix(enum noise_basis basis, struct corners g, struct site_rows rows,
                                 uint32_t i)
{
    float tx = rows.t_x[i], sx = rows.s_x[i], ty = rows.t_y[i], sy = rows.s_y[i];
    float left = (1.0f - sx) * rows.amplitude;
    float right = sx * rows.amplitude;
    float a0, b0, a1, b1;
    if (basis == NOISE_PERLIN) {
        float left_t = tx * left;
        float right_t = (tx - 1.0f) * right;
        a0 = g.x00 * left_t + g.x10 * right_t;
        b0 = g.y00 * left + g.y10 * right;
        a1 = g.x01 * left_t + g.x11 * right_t;
        b1 = g.y01 * left + g.y11 * right;
    } else {
        a0 = g.x00 * left + g.x10 * right;
        a1 = g.x01 * left + g.x11 * right;
        b0 = b1 = 0.0f;
    }
    float k2 = (a1 - b1) - a0;
    float k3 = b1 - b0;
    return ((a0 + b0 * ty) + k2 * sy) + k3 * (ty * sy);
}

/* Nonzero unless the lanes from `start` on are all in the cell (x, y). */
TERRANE_INLINE uint32_t lanes_outside(const uint32_t *restrict low_x,
                                      const uint32_t *restrict low_y, uint32_t x, uint32_t y)
{
    uint32_t difference = 0;
    TERRANE_LANES
    for (uint32_t i = 0; i < NOISE_LANES; i++)
        difference |= (low_x[i] ^ x) | (low_y[i] ^ y);
    return difference;
}

/* Runs of chunks of NOISE_LANES sites. Where chunks lie in one cell, which is so for all but the
 * finest octaves, its corners are hashed once for the run. */
TERRANE_INLINE void add_sites(enum noise_basis basis, uint32_t count,
                              const struct kernel_sites *sites, float *restrict out)
{
    const uint32_t *restrict low_x = sites->low_x, *restrict low_y = sites->low_y;
    const struct site_rows rows = {sites->t_x, sites->t_y, sites->s_x, sites->s_y,
                                   sites->amplitude};
    for (uint32_t start = 0, end; start < count; start = end) {
        uint32_t x = low_x[start], y = low_y[start];
        end = start;
        while (end < count && !lanes_outside(low_x + end, low_y + end, x, y))
            end += NOISE_LANES;
        if (end > start) {
            const struct corners g = corners_at(basis, sites, x, y);
            for (uint32_t i = start; i < end; i++)
                out[i] += corners_mix(basis, g, rows, i);
            continue;
        }
        do
            end += NOISE_LANES;
        while (end < count && lanes_outside(low_x + end, low_y + end, low_x[end], low_y[end]));
        for (uint32_t i = start; i < end; i++)
            out[i] += corners_mix(basis, corners_at(basis, sites, low_x[i], low_y[i]), rows, i);
    }
}

TERRANE_CLONES
static void add_sites_perlin(uint32_t count, const struct kernel_sites *sites, float *out)
{
    const struct kernel_sites own = *sites;
    add_sites(NOISE_PERLIN, count, &own, out);
}

TERRANE_CLONES
static void add_sites_value(uint32_t count, const struct kernel_sites *sites, float *out)
{
    const struct kernel_sites own = *sites;
    add_sites(NOISE_VALUE, count, &own, out);
}

void kernel_add_sites(enum noise_basis basis, uint32_t count, const struct kernel_sites *sites,
                      float *out)
{
    if (basis == NOISE_PERLIN)
        add_sites_perlin(count, sites, out);
    else
        add_sites_value(count, sites, out);
}

TERRANE_CLONES
void kernel_ridge(uint32_t count, const struct kernel_ridge *ridge, const float *restrict n,
                  float *restrict weight, float *restrict out)
{
    const struct kernel_ridge k = *ridge;
    for (uint32_t i = 0; i < count; i++) {
        float edge = 1.0f - __builtin_fabsf(n[i]);
        float signal = (k.mean + k.detail * (edge * edge - k.mean)) * weight[i];
        float next = signal * k.feedback;
        out[i] += signal * k.share;
        next = next < 0.0f ? 0.0f : next;
        weight[i] = next > 1.0f ? 1.0f : next;
    }
}
