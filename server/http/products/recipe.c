/* Cache keys and entity tags are hashes of recipes, so they must be the same on every machine and
 * in every release: the keys of products have a fixed layout of bytes, little-endian, and queries
 * are hashed as a text with a version. Whatever can change a byte of the response is in them; what
 * cannot (such as the time for a world that does not move) is left out or zero, so that requests
 * that mean the same share one entry. What is behind the last number of a key is zero.
 *
 * The version of a format (server/render) or of a query's output (here) is raised when its bytes
 * change. */
#include "server/http/products/recipe.h"

#include <string.h>

#include "core/base/buffer.h"

_Static_assert(WORLD_FINGERPRINT_TEXT <= (int)CACHE_KEY_WORLD, "a world's fingerprint fits");

/* The bytes of the style's fingerprint in a tile's key. */
enum { KEY_STYLE = 20 };
_Static_assert(STYLE_FINGERPRINT_TEXT <= (int)KEY_STYLE, "a style's fingerprint fits");

/* Both append to a key, and move `*at` behind what they have written. */
static void put_number(uint8_t **at, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        *(*at)++ = (uint8_t)(value >> (8 * i));
}

static void put_text(uint8_t **at, const char *text, size_t bytes)
{
    memcpy(*at, text, strlen(text)); /* at most `bytes` */
    *at += bytes;
}

/* Names and ranges of the layers: no fingerprint has the ranges, by which r8 is scaled. Then come
 * the materials, if there are any, with their place among the layers; the style that colours the
 * chunk, its skirt and how far it is shifted, if there are any, come last. */
static struct hash128 hash_layers(const struct chunk_order *order)
{
    struct hash_stream stream = hash_begin(order->layer_count);
    for (unsigned i = 0; i < order->layer_count; i++) {
        const struct world_layer *layer = world_layer(order->world, order->layers[i]);
        if (i - order->material_first < order->material_count)
            continue;
        uint8_t block[((WORLD_NAME_MAX + 8) | 15) + 1] = {0}, *at = block;
        uint32_t bits[2];
        memcpy(bits, (const float[]){layer->range_low, layer->range_high}, sizeof bits);
        put_number(&at, bits[0], 4);
        put_number(&at, bits[1], 4);
        put_text(&at, layer->name, WORLD_NAME_MAX);
        hash_blocks(&stream, block, sizeof block);
    }
    if (order->material_count > 0) {
        uint8_t block[((MATERIALS_FINGERPRINT_TEXT + 8) | 15) + 1] = {0}, *at = block;
        put_number(&at, order->material_first, 4);
        put_number(&at, order->material_group, 4);
        put_text(&at, world_materials_fingerprint(order->world), MATERIALS_FINGERPRINT_TEXT);
        hash_blocks(&stream, block, sizeof block);
    }
    if (order->painter) {
        uint8_t block[(KEY_STYLE | 15) + 1] = {0}, *at = block;
        put_text(&at, painter_fingerprint(order->painter), KEY_STYLE);
        hash_blocks(&stream, block, sizeof block);
    }
    if (order->skirt) {
        uint8_t block[16] = {0}, *at = block;
        put_text(&at, "skirt", 8);
        put_number(&at, (uint64_t)order->skirt, 8);
        hash_blocks(&stream, block, sizeof block);
    }
    if (order->dx || order->dy) {
        uint8_t block[16] = {0}, *at = block;
        put_text(&at, "shift", 8);
        put_number(&at, order->dx, 4);
        put_number(&at, order->dy, 4);
        hash_blocks(&stream, block, sizeof block);
    }
    return hash_end(&stream, "", 0);
}

/* Behind the world stands a marker where a tile has its style, whose fingerprint never looks like
 * that. There is no room for the layers, so they are hashed to 128 bits. */
void recipe_chunk_key(const struct chunk_recipe *chunk, const char *world, struct cache_key *key)
{
    const struct chunk_order *order = &chunk->order;
    const struct hash128 layers = hash_layers(order);
    uint8_t *at = key->bytes;
    memset(key->bytes, 0, CACHE_KEY_BYTES);
    put_text(&at, world, CACHE_KEY_WORLD);
    put_text(&at, "chunk", 6);
    put_number(&at, order->shape, 1);
    put_number(&at, (uint64_t)order->format->id, 1);
    put_number(&at, order->format->version, 2);
    put_number(&at, (uint64_t)chunk->coding, 1);
    put_number(&at, order->apron, 1);
    put_number(&at, order->size, 2);
    put_number(&at, (uint64_t)order->step, 8);
    put_number(&at, chunk_uses_time(order) ? (uint64_t)order->t : 0, 8);
    put_number(&at, (uint64_t)chunk->address.x, 8);
    put_number(&at, (uint64_t)chunk->address.y, 8);
    put_number(&at, (uint64_t)chunk->address.z, 8);
    put_number(&at, layers.high, 8);
    put_number(&at, layers.low, 8);
    put_number(&at, order->crs, 1);
    cache_key_seal(key);
}

/* No fingerprint has the units of layers, which some formats write. 0 for the others. */
static uint64_t hash_unit(const struct tile_order *order)
{
    if (!order->format->unit)
        return 0;
    const char *unit = world_layer(order->world, painter_layer(order->painter))->unit;
    return hash_bytes(unit, strlen(unit), 0).low;
}

/* Neither has any the names of features, and of biomes, which decide some. 0 for tiles without
 * labels.
 */
static uint64_t hash_names(const struct tile_order *order)
{
    if (!order->labels)
        return 0;
    const char *names = world_names_fingerprint(order->world);
    uint64_t hash = hash_bytes(names, strlen(names), 0).low;
    for (unsigned i = 0; i < world_biome_count(order->world); i++) {
        const char *biome = world_biome(order->world, i)->name;
        hash = hash_bytes(biome, strlen(biome), hash).low;
    }
    return hash;
}

void recipe_tile_key(const struct recipe *recipe, struct cache_key *key)
{
    const struct tile_order *order = &recipe->order;
    const char *style = painter_fingerprint(order->painter);
    const int64_t t = tile_order_uses_time(order) ? order->t : 0;
    const double interval = order->format->interval ? tile_order_interval(order) : 0.0;
    const uint64_t texts = hash_unit(order) + hash_names(order);
    uint64_t interval_bits;
    memcpy(&interval_bits, &interval, sizeof interval_bits);
    uint8_t *at = key->bytes;
    memset(key->bytes, 0, CACHE_KEY_BYTES);
    put_text(&at, recipe->world->identity.fingerprint, CACHE_KEY_WORLD);
    put_text(&at, style, KEY_STYLE);
    put_number(&at, (uint64_t)order->address.zoom, 1);
    put_number(&at, (uint64_t)order->format->id, 1);
    put_number(&at, order->format->version, 2);
    put_number(&at, order->size, 4);
    put_number(&at, (uint64_t)t, 8);
    put_number(&at, (uint64_t)order->address.x, 8);
    put_number(&at, (uint64_t)order->address.y, 8);
    put_number(&at, order->format->columns ? order->columns : 0, 2);
    put_number(&at, (uint64_t)order->coding, 1);
    put_number(&at, (uint64_t)order->labels + 2 * (uint64_t)order->normals, 1);
    put_number(&at, interval_bits, 8);
    put_number(&at, texts, 8);
    cache_key_seal(key);
}

bool recipe_use_compiled(struct recipe *recipe, struct error *error)
{
    const struct catalog_world *world = recipe->world->compiled;
    const bool tile = recipe->product == PRODUCT_TILE;
    const struct painter **painter = tile ? &recipe->order.painter : &recipe->chunk.order.painter;
    const bool painted = *painter;
    *(tile ? &recipe->order.world : &recipe->chunk.order.world) = world->world;
    if (painted)
        *painter = catalog_painter(world, painter_name(*painter), error);
    return !painted || *painter;
}
