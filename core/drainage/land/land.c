/* Leaves: which segments can be the lowest, or nearly so, anywhere in 4 × 4 cells, and in each.
 *
 * A segment is left out if the least that it can give in a cell is above the most that another one
 * gives, by more than ridges are rounded over. So it would never have been seen, and a sample is
 * the same as if all had been looked at. */
#include "core/drainage/land/land.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/lanes.h"
#include "core/drainage/land/candidates.h"
#include "core/drainage/network/scratch.h"
#include "core/drainage/network/shape.h"

/* The work of steps, in nanoseconds (core/base/work_meter.h): measured, roughly. */
enum {
    LEAF_WORK = 3000,    /* to make a leaf, */
    CANDIDATE_WORK = 60, /* and for each segment that may matter there */
};

_Static_assert((int)PARTS_BEFORE <= (int)LIST_PARTS_BEFORE, "lists of leaves have these parts");

void land_free(struct land *land)
{
    envelope_cull_free(&land->cull);
    free(land->cells);
    groups_free(&land->groups);
}

size_t land_bytes(const struct land *land)
{
    return envelope_cull_bytes(&land->cull) + land->cell_capacity * sizeof *land->cells +
           groups_bytes(&land->groups);
}

static struct cache_key key_of(const struct drainage_network *network, const struct leaf_place *at)
{
    return (struct cache_key){.owner = network->identity,
                              .x = at->x,
                              .y = at->y,
                              .kind = CACHE_LEAF,
                              .level = at->level,
                              .metres = at->metres};
}

struct leaf *leaf_find(struct land *land, struct drainage_cache *cache,
                       const struct drainage_network *network, const struct leaf_place *at)
{
    const struct cache_key key = key_of(network, at);
    struct leaf *leaf = (struct leaf *)cache_find(cache, &key);
    if (!leaf || envelope_cull_reserve(&land->cull, leaf->count))
        return leaf;
    leaf_release(leaf);
    return NULL;
}

void leaf_release(struct leaf *leaf)
{
    if (leaf)
        cache_release(&leaf->cached);
}

/* Finds in which cells of a quarter of the leaf each candidate matters: sets a bit in `matters` for
 * each, of those that are wanted. Most of the list matters nowhere in the quarter. */
static void cull_quarter(struct envelope_cull *cull, const struct leaf_view *view, float width,
                         unsigned wanted, uint16_t *matters)
{
    enum { HALF = LEAF_SIDE / 2 };
    const unsigned first = (unsigned)__builtin_ctz(wanted);
    const unsigned column = first % LEAF_SIDE & HALF, row = first / LEAF_SIDE & HALF;
    const struct envelope_box quarter = {((float)column + 0.5f * HALF - 0.5f * LEAF_SIDE) * width,
                                         ((float)row + 0.5f * HALF - 0.5f * LEAF_SIDE) * width,
                                         0.5002f * HALF * width, 0.5002f * HALF * width};
    envelope_cull_all(cull);
    if (wanted & (wanted - 1)) /* more than one cell */
        envelope_cull_narrow(cull, envelope_cull(cull, view, quarter));
    for (unsigned bits = wanted; bits != 0; bits &= bits - 1) {
        const unsigned cell = (unsigned)__builtin_ctz(bits);
        const unsigned x = cell % LEAF_SIDE, y = cell / LEAF_SIDE;
        const struct envelope_box box = {((float)x - 1.5f) * width, ((float)y - 1.5f) * width,
                                         0.5001f * width, 0.5001f * width};
        const uint32_t kept = envelope_cull(cull, view, box);
        for (uint32_t k = 0; k < kept; k++)
            matters[cull->kept[k]] |= (uint16_t)(1u << cell);
    }
}

/* Finds in which of the wanted cells each candidate matters: quarter by quarter. */
static void cull_cells(struct land *land, const struct leaf_view *view, float width,
                       unsigned wanted)
{
    static const unsigned quarters[] = {0x0033, 0x00cc, 0x3300, 0xcc00};
    memset(land->cells, 0, land->cull.count * sizeof *land->cells);
    for (unsigned i = 0; i < 4; i++)
        if (wanted & quarters[i])
            cull_quarter(&land->cull, view, width, wanted & quarters[i], land->cells);
}

/* True for candidates that matter anywhere, and for those just before such a one. */
static bool is_kept(const struct land *land, uint32_t number)
{
    const struct envelope_cull *cull = &land->cull;
    const float *before = cull->rows + ROW_BEFORE * cull->stride + number;
    for (uint32_t i = 0; i <= PARTS_BEFORE && number + i < cull->count; i++)
        if (land->cells[number + i] != 0 && before[i] >= (float)i)
            return true;
    return false;
}

/* Keeps the candidates that matter anywhere, with those just before them, and their sets. */
static struct leaf *keep_leaf(const struct land *land, struct drainage_cache *cache,
                              const struct cache_key *key, const struct leaf_view *view)
{
    const struct envelope_cull *cull = &land->cull;
    const uint16_t *cells = land->cells;
    uint32_t count = 0;
    for (uint32_t i = 0; i < cull->count; i++)
        count += is_kept(land, i);
    const uint32_t words = (count + 31) / 32;
    struct leaf *leaf = (struct leaf *)cache_new_item(
        cache, key,
        sizeof *leaf + count * sizeof *leaf->candidates + words * LEAF_CELLS * sizeof(uint32_t));
    if (!leaf)
        return NULL;
    leaf->view = *view;
    leaf->count = count;
    leaf->words = words;
    leaf->channels = false;
    uint32_t *sets = (uint32_t *)(void *)(leaf->candidates + count);
    memset(sets, 0, words * LEAF_CELLS * sizeof *sets);
    for (uint32_t i = 0, to = 0; i < cull->count; i++) {
        if (!is_kept(land, i))
            continue;
        envelope_candidate(cull, i, &leaf->candidates[to]);
        leaf->channels |= leaf->candidates[to].depth > 0.0f;
        for (unsigned bits = cells[i]; bits != 0; bits &= bits - 1)
            sets[(unsigned)__builtin_ctz(bits) * words + to / 32] |= 1u << to % 32;
        to++;
    }
    return leaf;
}

struct leaf *leaf_make(struct land *land, struct store *store, const struct leaf_place *at,
                       uint16_t cells)
{
    const struct drainage_network *network = store->network;
    const float metres = (float)at->metres, width = cell_width(network, at->level);
    const float radius = SHAPE_LAND_WIDTHS * width;
    const struct leaf_view view = {.pixel = metres,
                                   .flat = (float)(SHAPE_FLAT_SAMPLES * at->metres * at->metres),
                                   .rounding = SHAPE_RIDGE_WIDTHS * width,
                                   .inverse_radius = 1.0f / (radius * radius)};
    const struct cache_key key = key_of(network, at);
    const struct leaf_reach reach = {
        .limit = (SHAPE_LAND_WIDTHS + (float)LEAF_SIDE * CELL_HALF_DIAGONAL) * width,
        .metres = at->metres,
    };
    const struct list_builder *list = store_list_leaf(store, at->level, at->x, at->y, reach);
    if (!list || !network_add_work(network, LEAF_WORK + (uint64_t)list->count * CANDIDATE_WORK) ||
        !reserve_items(&land->cells, &land->cell_capacity, list->count, sizeof *land->cells) ||
        !envelope_cull_reserve(&land->cull, list->count))
        return NULL;
    candidates_make(network, at->level, list, &view, &land->cull);
    cull_cells(land, &view, width, cells);
    struct leaf *leaf = keep_leaf(land, store->cache, &key, &view);
    if (!leaf)
        return NULL;
    leaf->cells = cells;
    cache_publish(&leaf->cached);
    return leaf;
}
