/* Cache keys and entity tags are hashes of recipes, so they must be the same on every machine and
 * in every release: the keys of products have a fixed layout of bytes, little-endian, and queries
 * are hashed as a text with a version. Whatever can change a byte of the response is in them; what
 * cannot (such as the time for a world that does not move) is left out or zero, so that requests
 * that mean the same share one entry.
 *
 * The version of a format (server/render) or of a query's output (here) is raised when its bytes
 * change. */
#include "server/http/products/recipe.h"

#include <string.h>

#include "core/base/buffer.h"

/* The layout of a tile's key. Bytes without a name are zero; fingerprints are text. */
enum {
    TILE_OFFSET_WORLD = 0,
    TILE_OFFSET_STYLE = 40,
    TILE_OFFSET_ZOOM = 60,
    TILE_OFFSET_FORMAT = 61,
    TILE_OFFSET_VERSION = 62,
    TILE_OFFSET_SIZE = 64,
    TILE_OFFSET_TIME = 68,
    TILE_OFFSET_X = 76,
    TILE_OFFSET_Y = 84,
    TILE_OFFSET_COLUMNS = 92,
    TILE_OFFSET_ENCODING = 94, /* of enum coding */
    TILE_OFFSET_INTERVAL = 96, /* a double's bits */
    TILE_OFFSET_END = 104,
};

/* The layout of a chunk's or volume's key behind the world. It begins with a marker where a tile
 * has its style, whose fingerprint never looks like that. There is no room for the layers, so they
 * are hashed to 128 bits. */
enum {
    CHUNK_OFFSET_KIND = 40,
    CHUNK_OFFSET_SHAPE = 46,
    CHUNK_OFFSET_FORMAT = 47,
    CHUNK_OFFSET_VERSION = 48,
    CHUNK_OFFSET_ENCODING = 50,
    CHUNK_OFFSET_APRON = 51,
    CHUNK_OFFSET_SIZE = 52,
    CHUNK_OFFSET_STEP = 54,
    CHUNK_OFFSET_TIME = 62,
    CHUNK_OFFSET_X = 70,
    CHUNK_OFFSET_Y = 78,
    CHUNK_OFFSET_Z = 86,
    CHUNK_OFFSET_LAYERS = 94,
    CHUNK_OFFSET_END = 110,
};

_Static_assert((int)CHUNK_OFFSET_END <= (int)CACHE_KEY_BYTES, "a chunk's recipe fits");

_Static_assert(TILE_OFFSET_WORLD == 0 && (int)TILE_OFFSET_STYLE == (int)CACHE_KEY_WORLD,
               "as key.h says");
_Static_assert((int)TILE_OFFSET_WORLD + WORLD_FINGERPRINT_TEXT <= (int)TILE_OFFSET_STYLE,
               "a world's fingerprint fits");
_Static_assert((int)TILE_OFFSET_STYLE + STYLE_FINGERPRINT_TEXT <= (int)TILE_OFFSET_ZOOM,
               "a style's fingerprint fits");
_Static_assert((int)TILE_OFFSET_END <= (int)CACHE_KEY_BYTES, "the recipe fits");

/* Little-endian. */
static void put_little_endian(uint8_t *out, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        out[i] = (uint8_t)(value >> (8 * i));
}

/* Names and ranges of the layers: no fingerprint has the ranges, by which r8 is scaled. */
static struct hash128 hash_layers(const struct chunk_order *order)
{
    struct hash_stream stream = hash_begin(order->layer_count);
    for (unsigned i = 0; i < order->layer_count; i++) {
        const struct world_layer *layer = world_layer(order->world, order->layers[i]);
        uint8_t block[((WORLD_NAME_MAX + 8) | 15) + 1] = {0};
        uint32_t bits[2];
        memcpy(bits, (const float[]){layer->range_low, layer->range_high}, sizeof bits);
        put_little_endian(block, bits[0], 4);
        put_little_endian(block + 4, bits[1], 4);
        memcpy(block + 8, layer->name, strnlen(layer->name, WORLD_NAME_MAX));
        hash_blocks(&stream, block, sizeof block);
    }
    return hash_end(&stream, "", 0);
}

void recipe_chunk_key(const struct chunk_recipe *chunk, const char *world, struct cache_key *key)
{
    const struct chunk_order *order = &chunk->order;
    const struct hash128 layers = hash_layers(order);
    uint8_t *bytes = key->bytes;
    memset(bytes, 0, CACHE_KEY_BYTES);
    memcpy(bytes + TILE_OFFSET_WORLD, world, strnlen(world, WORLD_FINGERPRINT_TEXT));
    static const char marker[] = {'c', 'h', 'u', 'n', 'k'};
    memcpy(bytes + CHUNK_OFFSET_KIND, marker, sizeof marker);
    put_little_endian(bytes + CHUNK_OFFSET_SHAPE, order->shape, 1);
    put_little_endian(bytes + CHUNK_OFFSET_FORMAT, (uint64_t)order->format->id, 1);
    put_little_endian(bytes + CHUNK_OFFSET_VERSION, order->format->version, 2);
    put_little_endian(bytes + CHUNK_OFFSET_ENCODING, (uint64_t)chunk->coding, 1);
    put_little_endian(bytes + CHUNK_OFFSET_APRON, order->apron, 1);
    put_little_endian(bytes + CHUNK_OFFSET_SIZE, order->size, 2);
    put_little_endian(bytes + CHUNK_OFFSET_STEP, (uint64_t)order->step, 8);
    put_little_endian(bytes + CHUNK_OFFSET_TIME, chunk_uses_time(order) ? (uint64_t)order->t : 0,
                      8);
    put_little_endian(bytes + CHUNK_OFFSET_X, (uint64_t)chunk->address.x, 8);
    put_little_endian(bytes + CHUNK_OFFSET_Y, (uint64_t)chunk->address.y, 8);
    put_little_endian(bytes + CHUNK_OFFSET_Z, (uint64_t)chunk->address.z, 8);
    put_little_endian(bytes + CHUNK_OFFSET_LAYERS, layers.high, 8);
    put_little_endian(bytes + CHUNK_OFFSET_LAYERS + 8, layers.low, 8);
    cache_key_seal(key);
}

void recipe_key(const struct recipe *recipe, struct cache_key *key)
{
    if (recipe->product != PRODUCT_TILE) {
        recipe_chunk_key(&recipe->chunk, recipe->world->fingerprint, key);
        return;
    }
    const struct tile_order *order = &recipe->order;
    const double interval = order->format->interval ? tile_order_interval(order) : 0.0;
    const int64_t t = tile_order_uses_time(order) ? order->t : 0;
    const char *world = recipe->world->fingerprint;
    const char *style = painter_fingerprint(order->painter);
    uint64_t interval_bits;
    memcpy(&interval_bits, &interval, sizeof interval_bits);
    uint8_t *bytes = key->bytes;
    memset(bytes, 0, CACHE_KEY_BYTES);
    memcpy(bytes + TILE_OFFSET_WORLD, world, strnlen(world, WORLD_FINGERPRINT_TEXT));
    memcpy(bytes + TILE_OFFSET_STYLE, style, strnlen(style, STYLE_FINGERPRINT_TEXT));
    put_little_endian(bytes + TILE_OFFSET_ZOOM, (uint64_t)order->address.zoom, 1);
    put_little_endian(bytes + TILE_OFFSET_FORMAT, (uint64_t)order->format->id, 1);
    put_little_endian(bytes + TILE_OFFSET_VERSION, order->format->version, 2);
    put_little_endian(bytes + TILE_OFFSET_SIZE, order->size, 4);
    put_little_endian(bytes + TILE_OFFSET_TIME, (uint64_t)t, 8);
    put_little_endian(bytes + TILE_OFFSET_X, (uint64_t)order->address.x, 8);
    put_little_endian(bytes + TILE_OFFSET_Y, (uint64_t)order->address.y, 8);
    put_little_endian(bytes + TILE_OFFSET_COLUMNS, order->format->columns ? order->columns : 0, 2);
    put_little_endian(bytes + TILE_OFFSET_ENCODING, (uint64_t)order->coding, 1);
    put_little_endian(bytes + TILE_OFFSET_INTERVAL, interval_bits, 8);
    cache_key_seal(key);
}

bool recipe_compile_world(struct recipe *recipe, struct error *error)
{
    const struct catalog_world *lazy_world = recipe->world;
    if (!lazy_world->lazy_base)
        return true;
    const struct catalog_world *world = catalog_compile(lazy_world, error);
    if (!world)
        return false;
    recipe->world = world;
    if (recipe->product != PRODUCT_TILE) {
        recipe->chunk.order.world = world->world;
    } else {
        recipe->order.world = world->world;
        recipe->order.painter = catalog_painter(world, painter_name(recipe->order.painter), error);
    }
    catalog_release(lazy_world);
    return recipe->product != PRODUCT_TILE || recipe->order.painter;
}
