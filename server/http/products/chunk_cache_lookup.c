/* Each chunk of a piece is looked up under the key that a request for this chunk alone would have.
 * References to what was found are held until the piece is finished, so that nothing is evicted
 * while a render thread copies it. New chunks count as `cacheable` memory from the moment they are
 * copied, like products of single requests. */
#include "server/http/products/chunk_cache_lookup.h"

#include "server/http/products/product_type.h"

/* The i-th chunk's recipe and its key; false if it is too large for the cache. */
static bool chunk_at(const struct chunk_cache_lookup *lookup, size_t i, struct recipe *recipe,
                     struct cache_key *key)
{
    const struct chunk_batch *batch = lookup->batch;
    *recipe = (struct recipe){
        .world = lookup->world,
        .product = batch->order.shape == CHUNK_VOLUME ? PRODUCT_VOLUME : PRODUCT_CHUNK,
        .chunk = {batch->order, batch->addresses[lookup->first + i], CODING_IDENTITY},
    };
    if (product_uncached_bytes(recipe) > 0)
        return false;
    product_key(recipe, key);
    return true;
}

/* Null if the chunk is not cached. */
static struct cached_response *find_cached(const struct chunk_cache_lookup *lookup, size_t i)
{
    struct recipe recipe;
    struct cache_key key;
    struct memory_cache *cache = lookup->loop->group->server->cache;
    return cached_response_of_value(
        chunk_at(lookup, i, &recipe, &key) ? memory_cache_get(cache, &key) : NULL);
}

size_t chunk_cache_lookup_count(struct chunk_cache_lookup *lookup)
{
    size_t count = 0;
    lookup->first = 0;
    for (size_t i = 0; i < lookup->batch->count; i++) {
        struct cached_response *cached = find_cached(lookup, i);
        count += cached != NULL;
        cached_response_release(cached);
    }
    return count;
}

void chunk_cache_lookup_find(struct chunk_cache_lookup *lookup, size_t first, size_t count)
{
    lookup->first = first;
    lookup->count = count;
    for (size_t i = 0; i < count; i++) {
        lookup->cached[i] = find_cached(lookup, i);
        lookup->found += lookup->cached[i] != NULL;
        metrics_count(lookup->loop->counts, lookup->cached[i] ? MEMORY_HIT : MEMORY_MISS);
    }
}

void chunk_cache_lookup_add(struct chunk_cache_lookup *lookup, size_t i, const uint8_t *bytes,
                            size_t length)
{
    struct memory_budget *budget = &lookup->loop->group->server->cacheable;
    const struct cached_response_content content = {bytes, length, budget, length};
    struct recipe recipe;
    struct cache_key key;
    if (!chunk_at(lookup, i, &recipe, &key))
        return;
    memory_budget_reserve(budget, length);
    lookup->cached[i] = cached_response_new(&recipe, key.hash, &content, (struct tile_times){0});
    lookup->is_new[i] = lookup->cached[i] != NULL;
    if (!lookup->is_new[i])
        memory_budget_release(budget, length);
}

void chunk_cache_lookup_finish(struct chunk_cache_lookup *lookup)
{
    for (size_t i = 0; i < lookup->count; i++) {
        struct recipe recipe;
        struct cache_key key;
        if (lookup->is_new[i] && chunk_at(lookup, i, &recipe, &key))
            memory_cache_put(lookup->loop->group->server->cache, &key,
                             cached_response_value(lookup->cached[i]));
        cached_response_release(lookup->cached[i]);
        lookup->cached[i] = NULL;
        lookup->is_new[i] = false;
    }
    lookup->count = lookup->found = 0;
}
