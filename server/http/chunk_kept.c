#include "server/http/chunk_kept.h"

#include "server/http/product.h"

static struct recipe recipe_of(const struct chunk_kept *kept, size_t i)
{
    const struct chunk_batch *batch = kept->batch;
    return (struct recipe){
        .world = kept->world,
        .is_chunk = true,
        .chunk = {batch->order, batch->addresses[kept->first + i], CODING_IDENTITY},
    };
}

void chunk_kept_begin(struct chunk_kept *kept, struct loop *loop, const struct catalog_world *world,
                      const struct chunk_batch *batch)
{
    *kept = (struct chunk_kept){.loop = loop, .world = world, .batch = batch};
}

/* Null if it is not cached, or so large that none is. */
static struct tile *find(const struct chunk_kept *kept, size_t i)
{
    const struct recipe recipe = recipe_of(kept, i);
    struct cache_key key;
    if (product_reserve(&recipe) > 0)
        return NULL;
    recipe_key(&recipe, &key);
    return tile_of_value(memory_cache_get(kept->loop->server->cache, &key));
}

size_t chunk_kept_count(struct chunk_kept *kept)
{
    size_t count = 0;
    kept->first = 0;
    for (size_t i = 0; i < kept->batch->count; i++) {
        struct tile *tile = find(kept, i);
        count += tile != NULL;
        tile_release(tile);
    }
    return count;
}

void chunk_kept_find(struct chunk_kept *kept, size_t first, size_t count)
{
    kept->first = first;
    kept->count = count;
    for (size_t i = 0; i < count; i++) {
        kept->tiles[i] = find(kept, i);
        kept->found += kept->tiles[i] != NULL;
        metrics_count_memory(kept->loop->counts, kept->tiles[i] ? METRICS_HIT : METRICS_MISS);
    }
}

void chunk_kept_add(struct chunk_kept *kept, size_t i, const uint8_t *bytes, size_t length)
{
    const struct recipe recipe = recipe_of(kept, i);
    struct reserve *tiles = &kept->loop->server->tiles;
    const struct tile_content content = {bytes, length, tiles, length};
    struct cache_key key;
    if (product_reserve(&recipe) > 0)
        return;
    recipe_key(&recipe, &key);
    reserve_take(tiles, length);
    kept->tiles[i] = tile_new(&recipe, key.hash, &content, (struct tile_times){0});
    kept->made[i] = kept->tiles[i] != NULL;
    if (!kept->made[i])
        reserve_give(tiles, length);
}

void chunk_kept_end(struct chunk_kept *kept)
{
    for (size_t i = 0; i < kept->count; i++) {
        const struct recipe recipe = recipe_of(kept, i);
        struct cache_key key;
        if (kept->made[i]) {
            recipe_key(&recipe, &key);
            memory_cache_put(kept->loop->server->cache, &key, tile_value(kept->tiles[i]));
        }
        tile_release(kept->tiles[i]);
        kept->tiles[i] = NULL;
        kept->made[i] = false;
    }
    kept->count = kept->found = 0;
}
