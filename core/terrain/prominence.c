/* By flooding: the land rises out of the sea from the highest sample down, and each sample joins
 * the islands beside it. An island is a set of the disjoint-set forest (B. A. Galler and
 * M. J. Fischer, 1964), and has a top. Where two islands meet, the lower of their tops has found
 * its way to higher ground, and the sample that joins them is its key saddle. */
#include "core/terrain/prominence.h"

#include <stdlib.h>
#include <string.h>

#define SEA UINT32_MAX  /* a sample that is not land yet */
#define EDGE UINT32_MAX /* the top of an island that reaches the edge */

struct flood {
    const float *heights;
    uint32_t columns, rows;
    uint32_t *island; /* by sample: another one of its island, or itself: the root; or SEA */
    uint32_t *top;    /* by root: the highest sample, or EDGE */
    float *peaks, *passes;
};

static bool is_higher(const float *heights, uint32_t a, uint32_t b)
{
    if (a == EDGE || b == EDGE)
        return a == EDGE;
    return heights[a] > heights[b] || (heights[a] == heights[b] && a < b);
}

/* The root of an island; the way there becomes shorter for the next time. */
static uint32_t root_of(uint32_t *island, uint32_t sample)
{
    while (island[sample] != sample) {
        island[sample] = island[island[sample]];
        sample = island[sample];
    }
    return sample;
}

static bool is_at_edge(const struct flood *flood, uint32_t sample)
{
    const uint32_t column = sample % flood->columns, row = sample / flood->columns;
    return column == 0 || column + 1 == flood->columns || row == 0 || row + 1 == flood->rows;
}

/* Joins the island of a root to that of a sample that has just become land. */
static void join(struct flood *flood, uint32_t sample, uint32_t root)
{
    const uint32_t own = root_of(flood->island, sample);
    const bool own_is_higher = is_higher(flood->heights, flood->top[own], flood->top[root]);
    const uint32_t high = flood->top[own_is_higher ? own : root];
    const uint32_t low = flood->top[own_is_higher ? root : own];
    flood->island[own] = root;
    flood->top[root] = high;
    if (low == sample || low == EDGE)
        return;
    const float prominence = flood->heights[low] - flood->heights[sample];
    flood->peaks[low] = prominence;
    if (!is_at_edge(flood, sample) && prominence > flood->passes[sample])
        flood->passes[sample] = prominence;
}

static void raise(struct flood *flood, uint32_t sample)
{
    const uint32_t column = sample % flood->columns, row = sample / flood->columns;
    const uint32_t west = column > 0 ? column - 1 : 0, north = row > 0 ? row - 1 : 0;
    flood->island[sample] = sample;
    flood->top[sample] = is_at_edge(flood, sample) ? EDGE : sample;
    for (uint32_t y = north; y <= row + 1 && y < flood->rows; y++)
        for (uint32_t x = west; x <= column + 1 && x < flood->columns; x++) {
            const uint32_t other = y * flood->columns + x;
            if (flood->island[other] == SEA)
                continue;
            const uint32_t root = root_of(flood->island, other);
            if (root != root_of(flood->island, sample))
                join(flood, sample, root);
        }
}

static int compare_keys(const void *a, const void *b)
{
    const uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;
    return (first > second) - (first < second);
}

/* Sorts the land from the highest sample down: the bits of positive floats are in the order of
 * their values. Returns how many samples it has. */
static uint32_t sort_land(const float *heights, uint32_t count, uint64_t *keys)
{
    uint32_t land = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &heights[i], sizeof bits);
        if (heights[i] > 0.0f)
            keys[land++] = (uint64_t)~bits << 32 | i;
    }
    if (land > 0)
        qsort(keys, land, sizeof *keys, compare_keys);
    return land;
}

bool prominence_find(const float *heights, uint32_t columns, uint32_t rows, float *peaks,
                     float *passes)
{
    const uint32_t count = columns * rows;
    uint64_t *keys = malloc(count * sizeof *keys);
    uint32_t *memory = malloc(2 * (size_t)count * sizeof *memory);
    const bool done = keys && memory;
    if (done) {
        struct flood flood = {heights, columns, rows, memory, memory + count, peaks, passes};
        memset(flood.island, 0xFF, count * sizeof *flood.island);
        memset(peaks, 0, count * sizeof *peaks);
        memset(passes, 0, count * sizeof *passes);
        const uint32_t land = sort_land(heights, count, keys);
        for (uint32_t i = 0; i < land; i++)
            raise(&flood, (uint32_t)keys[i]);
        for (uint32_t i = 0; i < count; i++)
            if (flood.island[i] == i && flood.top[i] != EDGE)
                peaks[flood.top[i]] = heights[flood.top[i]];
    }
    free(keys);
    free(memory);
    return done;
}
