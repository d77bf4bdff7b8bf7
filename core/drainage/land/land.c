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

static const float HALF_DIAGONAL = 0.7072f; /* of a cell; rounded up */

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
    return (struct cache_key){.network = network->identity,
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
static struct leaf *keep_leaf(const struct land *land, struct drainage_cache *cache,
                              const struct cache_key *key, const struct leaf_view *view)
{
    const struct envelope_cull *cull = &land->cull;
    const uint16_t *cells = land->cells;
    uint32_t count = 0;
    for (uint32_t i = 0; i < cull->count; i++)
        count += cells[i] != 0;
    const uint32_t words = (count + 31) / 32;
    struct leaf *leaf = (struct leaf *)cache_new_item(
        cache, key,
        sizeof *leaf + count * sizeof *leaf->candidates + words * LEAF_CELLS * sizeof(uint32_t));
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
    cache_publish(&leaf->cached);
    return leaf;
}

struct leaf *leaf_make(struct land *land, struct store *store, const struct leaf_place *at)
{
    const struct drainage_network *network = store->network;
    const float metres = (float)at->metres, width = cell_width(network, at->level);
    const float radius = SHAPE_LAND_WIDTHS * width;
    const struct leaf_view view = {
        .pixel = metres,
        .flat = (float)(SHAPE_FLAT_SAMPLES * at->metres * at->metres),
        .rounding = SHAPE_RIDGE_WIDTHS * width,
        .hollow = 1.0f / (drainage_sides(network, at->level, at->metres).hollow_widths * width),
        .inverse_radius = 1.0f / (radius * radius)};
    const struct cache_key key = key_of(network, at);
    const float reach = (SHAPE_LAND_WIDTHS + (float)LEAF_SIDE * HALF_DIAGONAL) * width;
    const struct list_builder *list = store_list_leaf(store, at->level, at->x, at->y, reach);
    if (!list || !network_add_work(network, LEAF_WORK + (uint64_t)list->count * CANDIDATE_WORK) ||
        !reserve_items(&land->cells, &land->cell_capacity, list->count, sizeof *land->cells) ||
        !envelope_cull_reserve(&land->cull, list->count))
        return NULL;
    candidates_make(network, at->level, list, &view, &land->cull);
    memset(land->cells, 0, list->count * sizeof *land->cells);
    for (unsigned i = 0; i < 4; i++)
        cull_quarter(&land->cull, &view, width, i % 2 * (LEAF_SIDE / 2), i / 2 * (LEAF_SIDE / 2),
                     land->cells);
    return keep_leaf(land, store->cache, &key, &view);
}
