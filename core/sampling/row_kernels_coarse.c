/* Loops of the interpolation. In a grid the rows of nodes are expanded along x once for a row of
 * cells, and a sample then costs four products. Where few columns lie in a cell, a short inner loop
 * would be slow; but mostly 2, 4 or 8 columns lie in each, at the same positions. Then one loop
 * over the cells makes all of them, with weights that are constants. */
#include "core/sampling/row_kernels_coarse.h"

#include <float.h>
#include <string.h>

#include "core/base/lanes.h"

/* Of the nodes 0, 2 and 3; that of node 1 is the rest. */
struct weights {
    float w0, w2, w3;
};

TERRANE_INLINE struct weights weights_at(float t)
{
    const float s = 1.0f - t;
    return (struct weights){
        .w0 = s * s * s * 0.166666667f,
        .w2 = 0.166666667f + 0.5f * t * (1.0f + t * s),
        .w3 = t * t * t * 0.166666667f,
    };
}

/* Four nodes of an axis, as the second one and the distances of the others from it. */
struct nodes {
    float v1, d0, d2, d3;
};

TERRANE_INLINE struct nodes nodes_of(float v0, float v1, float v2, float v3)
{
    return (struct nodes){v1, v0 - v1, v2 - v1, v3 - v1};
}

/* Never -0, as no node is. */
TERRANE_INLINE float weigh(struct nodes nodes, struct weights weights)
{
    return nodes.v1 + ((nodes.d0 * weights.w0 + nodes.d2 * weights.w2) + nodes.d3 * weights.w3);
}

TERRANE_CLONES
static void write_weights(uint32_t count, const float *restrict t,
                          float (*restrict out)[NOISE_ROW_MAX])
{
    for (uint32_t i = 0; i < count; i++) {
        const struct weights weights = weights_at(t[i]);
        out[0][i] = weights.w0;
        out[1][i] = weights.w2;
        out[2][i] = weights.w3;
    }
}

/* The columns in each cell, if they are 2, 4 or 8 in all but the first and the last one and lie at
 * the same positions in each; or 0. */
static uint32_t find_cell_columns(const struct coarse_columns *columns, const float *t)
{
    const uint32_t spans = columns->span_count, *first = columns->span_first;
    if (spans < 4)
        return 0;
    const uint32_t each = first[2] - first[1];
    bool alike = (each == 2 || each == 4 || each == 8) && first[1] <= each &&
                 first[spans] - first[spans - 1] <= each;
    for (uint32_t s = 1; s + 1 < spans && alike; s++)
        alike = first[s + 1] - first[s] == each;
    for (uint32_t s = 1; s < spans && alike; s++)
        alike = columns->node[first[s]] == columns->node[first[s - 1]] + 1;
    for (uint32_t i = 0; i + each < columns->count && alike; i++)
        alike = t[i] == t[i + each];
    return alike ? each : 0;
}

void row_kernel_coarse_columns(struct coarse_columns *columns, uint32_t count, const float *t)
{
    columns->count = count;
    columns->span_count = 0;
    for (uint32_t i = 0; i < count; i++)
        if (i == 0 || columns->node[i] != columns->node[i - 1])
            columns->span_first[columns->span_count++] = i;
    columns->span_first[columns->span_count] = count;
    columns->cell_columns = find_cell_columns(columns, t);
    write_weights(count, t, columns->weights);
}

TERRANE_INLINE struct weights column_weights(const struct coarse_columns *columns, size_t column)
{
    return (struct weights){columns->weights[0][column], columns->weights[1][column],
                            columns->weights[2][column]};
}

/* All cells have `each` columns. The first one may begin west of the columns: it is written whole
 * to a row of its own, from which the columns are copied. */
TERRANE_INLINE void expand_cells(const struct coarse_columns *columns, const float *nodes,
                                 uint32_t each, float *restrict out)
{
    const uint32_t cells = columns->span_count, west = each - columns->span_first[1];
    const float *restrict v = nodes + columns->node[0];
    struct weights weights[8];
    float row[NOISE_ROW_MAX + 16];
    for (uint32_t p = 0; p < each; p++) /* the second cell is whole */
        weights[p] = column_weights(columns, columns->span_first[1] + p);
    TERRANE_INDEPENDENT
    for (size_t c = 0; c < cells; c++) {
        const struct nodes cell = nodes_of(v[c], v[c + 1], v[c + 2], v[c + 3]);
#pragma GCC unroll 8
        for (uint32_t p = 0; p < each; p++)
            row[c * each + p] = weigh(cell, weights[p]);
    }
    memcpy(out, row + west, columns->count * sizeof *out);
}

TERRANE_CLONES
static void expand_cells_of_2(const struct coarse_columns *columns, const float *nodes, float *out)
{
    expand_cells(columns, nodes, 2, out);
}

TERRANE_CLONES
static void expand_cells_of_4(const struct coarse_columns *columns, const float *nodes, float *out)
{
    expand_cells(columns, nodes, 4, out);
}

TERRANE_CLONES
static void expand_cells_of_8(const struct coarse_columns *columns, const float *nodes, float *out)
{
    expand_cells(columns, nodes, 8, out);
}

TERRANE_CLONES
static void expand_spans(const struct coarse_columns *columns, const float *nodes,
                         float *restrict out)
{
    const float *restrict w0 = columns->weights[0], *restrict w2 = columns->weights[1];
    const float *restrict w3 = columns->weights[2];
    for (uint32_t s = 0; s < columns->span_count; s++) {
        const size_t first = columns->span_first[s], end = columns->span_first[s + 1];
        const float *v = nodes + columns->node[first];
        const struct nodes cell = nodes_of(v[0], v[1], v[2], v[3]);
        for (size_t i = first; i < end; i++)
            out[i] = weigh(cell, (struct weights){w0[i], w2[i], w3[i]});
    }
}

/* Few columns in a cell, or none in some. */
TERRANE_CLONES
static void expand_columns(const struct coarse_columns *columns, const float *restrict nodes,
                           float *restrict out)
{
    const uint32_t *restrict node = columns->node;
    const float *restrict w0 = columns->weights[0], *restrict w2 = columns->weights[1];
    const float *restrict w3 = columns->weights[2];
    const size_t count = columns->count;
    for (size_t i = 0; i < count; i++) {
        const float *v = nodes + node[i];
        out[i] = weigh(nodes_of(v[0], v[1], v[2], v[3]), (struct weights){w0[i], w2[i], w3[i]});
    }
}

static void expand(const struct coarse_columns *columns, const float *nodes, float *out)
{
    if (columns->cell_columns == 2)
        expand_cells_of_2(columns, nodes, out);
    else if (columns->cell_columns == 4)
        expand_cells_of_4(columns, nodes, out);
    else if (columns->cell_columns == 8)
        expand_cells_of_8(columns, nodes, out);
    else if (columns->count >= 8 * columns->span_count)
        expand_spans(columns, nodes, out);
    else
        expand_columns(columns, nodes, out);
}

/* Makes the band that of the rows. Going south, the lower rows of nodes become the upper ones. */
static void advance_band(const struct coarse_columns *columns, const struct coarse_rows *rows,
                         struct coarse_band *band)
{
    float *old[4];
    int have = 0; /* of the rows needed, the first ones */
    if (!band->valid)
        for (int i = 0; i < 4; i++)
            band->row[i] = band->memory[i];
    else if (rows->top >= band->top && rows->top - band->top < 4)
        have = (int)(4 - (rows->top - band->top));
    memcpy(old, band->row, sizeof old);
    for (int i = 0; i < 4; i++)
        band->row[i] = old[(i + 4 - have) % 4];
    for (int i = have; i < 4; i++)
        expand(columns, rows->nodes + (size_t)i * rows->pitch, band->row[i]);
    band->top = rows->top;
    band->valid = true;
}

TERRANE_INLINE void write_rows(uint32_t columns, uint32_t rows, const struct coarse_band *band,
                               const float *t, float *restrict out)
{
    const float *restrict r0 = band->row[0], *restrict r1 = band->row[1];
    const float *restrict r2 = band->row[2], *restrict r3 = band->row[3];
    struct weights weights[4];
    for (uint32_t row = 0; row < rows; row++)
        weights[row] = weights_at(t[row]);
    TERRANE_INDEPENDENT
    for (size_t i = 0; i < columns; i++) {
        const struct nodes nodes = nodes_of(r0[i], r1[i], r2[i], r3[i]);
#pragma GCC unroll 4
        for (size_t row = 0; row < rows; row++)
            out[i + row * columns] = weigh(nodes, weights[row]);
    }
}

TERRANE_CLONES
static void write_band(uint32_t columns, const struct coarse_rows *rows,
                       const struct coarse_band *band, float *out)
{
    uint32_t row = 0;
    for (; row + 4 <= rows->count; row += 4)
        write_rows(columns, 4, band, rows->t + row, out + (size_t)row * columns);
    for (; row < rows->count; row++)
        write_rows(columns, 1, band, rows->t + row, out + (size_t)row * columns);
}

void row_kernel_coarse_rows(const struct coarse_columns *columns, const struct coarse_rows *rows,
                            struct coarse_band *band, float *out)
{
    if (!band->valid || band->top != rows->top)
        advance_band(columns, rows, band);
    write_band(columns->count, rows, band, out);
}

/* The weights of LANES samples on both axes. */
struct lane_weights {
    _Alignas(64) float x[3][LANES], y[3][LANES];
};

TERRANE_INLINE void weigh_lanes(const float *restrict tx, const float *restrict ty,
                                struct lane_weights *restrict lanes)
{
    TERRANE_NO_UNROLL
    for (int i = 0; i < LANES; i++) {
        const struct weights x = weights_at(tx[i]), y = weights_at(ty[i]);
        lanes->x[0][i] = x.w0;
        lanes->x[1][i] = x.w2;
        lanes->x[2][i] = x.w3;
        lanes->y[0][i] = y.w0;
        lanes->y[1][i] = y.w2;
        lanes->y[2][i] = y.w3;
    }
}

/* Computes all lanes as if they were in one cell, and writes those from `first` up to `end`. */
TERRANE_INLINE void sample_lanes(const float *nodes, size_t pitch, const struct lane_weights *lanes,
                                 uint32_t first, uint32_t end, float *restrict out)
{
    struct nodes rows[4];
    for (int r = 0; r < 4; r++, nodes += pitch)
        rows[r] = nodes_of(nodes[0], nodes[1], nodes[2], nodes[3]);
    TERRANE_NO_UNROLL
    for (uint32_t i = 0; i < LANES; i++) {
        const struct weights x = {lanes->x[0][i], lanes->x[1][i], lanes->x[2][i]};
        const struct weights y = {lanes->y[0][i], lanes->y[1][i], lanes->y[2][i]};
        const float sample = weigh(
            nodes_of(weigh(rows[0], x), weigh(rows[1], x), weigh(rows[2], x), weigh(rows[3], x)),
            y);
        out[i] = i - first < end - first ? sample : out[i];
    }
}

/* Up to LANES samples. Neighbours mostly share a cell: every cell among them is evaluated for all
 * lanes, and the run of samples that lie in it is kept. */
TERRANE_INLINE void write_lanes(uint32_t count, const struct coarse_samples *samples,
                                const float *nodes, size_t pitch, float *restrict out)
{
    const uint32_t *first = samples->first;
    struct lane_weights lanes;
    weigh_lanes(samples->tx, samples->ty, &lanes);
    for (uint32_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && first[end] == first[i];)
            end++;
        sample_lanes(nodes + first[i], pitch, &lanes, i, end, out);
    }
}

TERRANE_CLONES
void row_kernel_coarse_samples(uint32_t count, const struct coarse_samples *samples,
                               const float *nodes, size_t pitch, float *out)
{
    uint32_t start = 0;
    for (; start + LANES <= count; start += LANES)
        write_lanes(LANES,
                    &(struct coarse_samples){samples->first + start, samples->tx + start,
                                             samples->ty + start},
                    nodes, pitch, out + start);
    if (start == count)
        return;
    float tx[LANES] = {0}, ty[LANES] = {0}, rest[LANES] = {0};
    memcpy(tx, samples->tx + start, (count - start) * sizeof *tx);
    memcpy(ty, samples->ty + start, (count - start) * sizeof *ty);
    write_lanes(count - start, &(struct coarse_samples){samples->first + start, tx, ty}, nodes,
                pitch, rest);
    memcpy(out + start, rest, (count - start) * sizeof *out);
}

TERRANE_CLONES
void row_kernel_mix(size_t count, const float *restrict a, const float *restrict b, float share,
                    float *restrict out)
{
    for (size_t i = 0; i < count; i++) {
        const float mixed = a[i] + (b[i] - a[i]) * share;
        out[i] = __builtin_fabsf(mixed) <= FLT_MAX ? mixed : 0.0f;
    }
}

TERRANE_CLONES
void row_kernel_limit_cells(size_t count, int64_t limit, int64_t *restrict cell)
{
    for (size_t i = 0; i < count; i++) {
        const int64_t v = cell[i] < -limit ? -limit : cell[i];
        cell[i] = v > limit ? limit : v;
    }
}

TERRANE_CLONES
void row_kernel_cell_range(size_t count, const int64_t *restrict cell, int64_t *low, int64_t *high)
{
    int64_t least = cell[0], most = cell[0];
    for (size_t i = 1; i < count; i++) {
        least = cell[i] < least ? cell[i] : least;
        most = cell[i] > most ? cell[i] : most;
    }
    *low = least;
    *high = most;
}

TERRANE_CLONES
void row_kernel_first_nodes(size_t count, const int64_t *const cell[2], const int64_t origin[2],
                            uint32_t pitch, uint32_t *restrict first)
{
    const int64_t *restrict x = cell[0], *restrict y = cell[1];
    const uint32_t west = (uint32_t)origin[0], north = (uint32_t)origin[1];
    for (size_t i = 0; i < count; i++)
        first[i] = ((uint32_t)y[i] - north) * pitch + ((uint32_t)x[i] - west);
}
