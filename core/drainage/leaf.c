/* Leaves: which segments can be the lowest, or nearly so, anywhere in 4 × 4 cells, and in each.
 *
 * A segment is left out if the least that it can give in a cell is above the most that another one
 * gives, by more than ridges are rounded over. So it would never have been seen, and a sample is
 * the same as if all had been looked at. */
#include "core/drainage/leaf.h"

#include <string.h>

#include "core/base/lanes.h"
#include "core/drainage/drainage_private.h"

static const float HALF_DIAGONAL = 0.7072f; /* of a cell; rounded up */
static const float RADIUS_WIDTHS = 1.6f;    /* of a segment's land, in widths of the cell */
static const double FLAT_SAMPLES = 1.7;     /* squared */
static const float HOLLOW_WIDTHS = 0.5f; /* sides are half as steep there as sides of one slope */
static const float ROUNDING_WIDTHS = 0.11f;

static struct kept_key leaf_key(const struct drainage *drainage, unsigned level, double metres,
                                int64_t x, int64_t y)
{
    return (struct kept_key){drainage->network->identity, x, y, level, metres};
}

struct leaf *leaf_find(struct drainage *drainage, unsigned level, double metres, int64_t x,
                       int64_t y)
{
    const struct kept_key key = leaf_key(drainage, level, metres, x, y);
    return (struct leaf *)kept_find(&drainage->leaves, &key);
}

/* Lists the segments whose land may reach the leaf. */
static bool list_segments(struct drainage *drainage, unsigned level, int64_t x, int64_t y)
{
    struct list_builder *list = &drainage->list;
    const struct cell_rect cells = leaf_cells((struct cell_rect){{x, y}, {x, y}});
    const float width = cell_width(drainage->network, level);
    const unsigned shift = cell_shift(drainage->network, level) + LEAF_LOG2;
    struct segment_list near = {.count = 0};
    if (level >= LEAF_LOG2) /* made first, in the same list */
        near = cell_list(drainage, LIST_NEAR, level - LEAF_LOG2, x, y);
    list_begin(list, shift, x, y, (RADIUS_WIDTHS + (float)LEAF_SIDE * HALF_DIAGONAL) * width);
    list_add_list(list, near, 0.0f, 0.0f);
    for (unsigned up = LEAF_LOG2; up-- > 0;)
        if (level >= up) {
            const struct cell_rect around = rect_grow(rect_ancestors(cells, up), leaf_margin(up));
            list_add_streams(list, drainage, level - up, &around);
        }
    return !list->failed;
}

/* Finds in which cells of a quarter of the leaf, from cell (column, row) on, each candidate
 * matters: sets a bit for each cell. Most of the list matters nowhere in the quarter. */
static void cull_quarter(struct envelope_cull *cull, const struct leaf_view *view, float width,
                         unsigned column, unsigned row, uint16_t *cells)
{
    enum { HALF = LEAF_SIDE / 2 };
    const struct envelope_box quarter = {((float)column + 0.5f * HALF - 0.5f * LEAF_SIDE) * width,
                                         ((float)row + 0.5f * HALF - 0.5f * LEAF_SIDE) * width,
                                         0.5002f * HALF * width, 0.5002f * HALF * width};
    envelope_cull_all(cull);
    envelope_cull_narrow(cull, envelope_cull(cull, view, quarter));
    for (unsigned i = 0; i < HALF * HALF; i++) {
        const unsigned x = column + i % HALF, y = row + i / HALF;
        const struct envelope_box box = {((float)x - 1.5f) * width, ((float)y - 1.5f) * width,
                                         0.5001f * width, 0.5001f * width};
        const uint32_t kept = envelope_cull(cull, view, box);
        for (uint32_t k = 0; k < kept; k++)
            cells[cull->kept[k]] |= (uint16_t)(1u << (y * LEAF_SIDE + x));
    }
}

/* Keeps the candidates that matter anywhere, and their sets. */
static struct leaf *keep_leaf(struct drainage *drainage, const struct kept_key *key,
                              const struct leaf_view *view)
{
    const struct envelope_cull *cull = &drainage->cull;
    const uint16_t *cells = drainage->leaf_cells;
    uint32_t count = 0;
    for (uint32_t i = 0; i < cull->count; i++)
        count += cells[i] != 0;
    const uint32_t words = (count + 31) / 32;
    struct leaf *leaf = (struct leaf *)kept_add(&drainage->leaves, key,
                                                sizeof *leaf + count * sizeof *leaf->candidates +
                                                    words * LEAF_CELLS * sizeof(uint32_t));
    if (!leaf)
        return NULL;
    leaf->view = *view;
    leaf->count = count;
    leaf->words = words;
    for (uint32_t i = 0, to = 0; i < cull->count; i++) {
        if (cells[i] == 0)
            continue;
        leaf->candidates[to] = envelope_candidate(cull, i);
        for (unsigned bits = cells[i]; bits != 0; bits &= bits - 1)
            leaf_set(leaf, (unsigned)__builtin_ctz(bits))[to / 32] |= 1u << to % 32;
        to++;
    }
    return leaf;
}

struct leaf *leaf_make(struct drainage *drainage, unsigned level, double metres, int64_t x,
                       int64_t y)
{
    const float width = cell_width(drainage->network, level), radius = RADIUS_WIDTHS * width;
    const struct leaf_view view = {.pixel = (float)metres,
                                   .flat = (float)(FLAT_SAMPLES * metres * metres),
                                   .rounding = ROUNDING_WIDTHS * width,
                                   .hollow = 1.0f / (HOLLOW_WIDTHS * width),
                                   .inverse_radius = 1.0f / (radius * radius)};
    const struct kept_key key = leaf_key(drainage, level, metres, x, y);
    const struct list_builder *list = &drainage->list;
    if (!list_segments(drainage, level, x, y) ||
        !drainage_add_work(drainage, LEAF_WORK + (uint64_t)list->count * CANDIDATE_WORK) ||
        !reserve_items(&drainage->leaf_cells, &drainage->leaf_cell_capacity, list->count,
                       sizeof *drainage->leaf_cells) ||
        !envelope_cull_reserve(&drainage->cull, list->count))
        return NULL;
    candidates_make(drainage, level, &view);
    memset(drainage->leaf_cells, 0, list->count * sizeof *drainage->leaf_cells);
    for (unsigned i = 0; i < 4; i++)
        cull_quarter(&drainage->cull, &view, width, i % 2 * (LEAF_SIDE / 2),
                     i / 2 * (LEAF_SIDE / 2), drainage->leaf_cells);
    return keep_leaf(drainage, &key, &view);
}
