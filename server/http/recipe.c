#include "server/http/recipe.h"

#include <string.h>

#include "core/base/buffer.h"

/* To be raised when query.c writes the same answer in another form. */
enum { QUERY_VERSION = 1 };
/* To be raised when server/question_*.c write the same answer in another form. */
enum { QUESTION_VERSION = 1 };

/* The layout; what is not named is zero. Fingerprints stand as their text. */
enum {
    AT_WORLD = 0,
    AT_STYLE = 40,
    AT_ZOOM = 60,
    AT_FORMAT = 61,
    AT_VERSION = 62,
    AT_SIZE = 64,
    AT_TIME = 68,
    AT_X = 76,
    AT_Y = 84,
    AT_COLUMNS = 92,
    AT_ENCODING = 94, /* of enum coding */
    AT_INTERVAL = 96, /* a double's bits */
    AT_END = 104,
};

/* The same of a chunk or volume, from AT_STYLE on, where no style has such a fingerprint. Layers
 * have no room, so theirs is a hash of 128 bits. */
enum {
    CHUNK_AT_KIND = 40,
    CHUNK_AT_SHAPE = 46,
    CHUNK_AT_FORMAT = 47,
    CHUNK_AT_VERSION = 48,
    CHUNK_AT_ENCODING = 50,
    CHUNK_AT_APRON = 51,
    CHUNK_AT_SIZE = 52,
    CHUNK_AT_STEP = 54,
    CHUNK_AT_TIME = 62,
    CHUNK_AT_X = 70,
    CHUNK_AT_Y = 78,
    CHUNK_AT_Z = 86,
    CHUNK_AT_LAYERS = 94,
    CHUNK_AT_END = 110,
};

_Static_assert((int)CHUNK_AT_END <= (int)CACHE_KEY_BYTES, "a chunk's recipe fits");

_Static_assert(AT_WORLD == 0 && (int)AT_STYLE == (int)CACHE_KEY_WORLD, "as key.h says");
_Static_assert((int)AT_WORLD + WORLD_FINGERPRINT_TEXT <= (int)AT_STYLE,
               "a world's fingerprint fits");
_Static_assert((int)AT_STYLE + STYLE_FINGERPRINT_TEXT <= (int)AT_ZOOM,
               "a style's fingerprint fits");
_Static_assert((int)AT_END <= (int)CACHE_KEY_BYTES, "the recipe fits");

/* Little-endian. */
static void put(uint8_t *out, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        out[i] = (uint8_t)(value >> (8 * i));
}

/* Names and ranges: these are in no fingerprint, and r8 is scaled by them. */
static struct hash128 hash_layers(const struct chunk_order *order)
{
    struct hash_stream stream = hash_begin(order->layer_count);
    for (unsigned i = 0; i < order->layer_count; i++) {
        const struct world_layer *layer = world_layer(order->world, order->layers[i]);
        uint8_t block[((WORLD_NAME_MAX + 8) | 15) + 1] = {0};
        uint32_t bits[2];
        memcpy(bits, (const float[]){layer->range_low, layer->range_high}, sizeof bits);
        put(block, bits[0], 4);
        put(block + 4, bits[1], 4);
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
    memcpy(bytes + AT_WORLD, world, strnlen(world, WORLD_FINGERPRINT_TEXT));
    static const char kind[] = {'c', 'h', 'u', 'n', 'k'};
    memcpy(bytes + CHUNK_AT_KIND, kind, sizeof kind);
    put(bytes + CHUNK_AT_SHAPE, order->shape, 1);
    put(bytes + CHUNK_AT_FORMAT, (uint64_t)order->format->id, 1);
    put(bytes + CHUNK_AT_VERSION, order->format->version, 2);
    put(bytes + CHUNK_AT_ENCODING, (uint64_t)chunk->coding, 1);
    put(bytes + CHUNK_AT_APRON, order->apron, 1);
    put(bytes + CHUNK_AT_SIZE, order->size, 2);
    put(bytes + CHUNK_AT_STEP, (uint64_t)order->step, 8);
    put(bytes + CHUNK_AT_TIME, chunk_uses_time(order) ? (uint64_t)order->t : 0, 8);
    put(bytes + CHUNK_AT_X, (uint64_t)chunk->address.x, 8);
    put(bytes + CHUNK_AT_Y, (uint64_t)chunk->address.y, 8);
    put(bytes + CHUNK_AT_Z, (uint64_t)chunk->address.z, 8);
    put(bytes + CHUNK_AT_LAYERS, layers.high, 8);
    put(bytes + CHUNK_AT_LAYERS + 8, layers.low, 8);
    cache_key_seal(key);
}

void recipe_key(const struct recipe *recipe, struct cache_key *key)
{
    if (recipe->is_chunk) {
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
    memcpy(bytes + AT_WORLD, world, strnlen(world, WORLD_FINGERPRINT_TEXT));
    memcpy(bytes + AT_STYLE, style, strnlen(style, STYLE_FINGERPRINT_TEXT));
    put(bytes + AT_ZOOM, (uint64_t)order->address.zoom, 1);
    put(bytes + AT_FORMAT, (uint64_t)order->format->id, 1);
    put(bytes + AT_VERSION, order->format->version, 2);
    put(bytes + AT_SIZE, order->size, 4);
    put(bytes + AT_TIME, (uint64_t)t, 8);
    put(bytes + AT_X, (uint64_t)order->address.x, 8);
    put(bytes + AT_Y, (uint64_t)order->address.y, 8);
    put(bytes + AT_COLUMNS, order->format->columns ? order->columns : 0, 2);
    put(bytes + AT_ENCODING, (uint64_t)order->coding, 1);
    put(bytes + AT_INTERVAL, interval_bits, 8);
    cache_key_seal(key);
}

bool recipe_keep_promise(struct recipe *recipe, struct error *error)
{
    const struct catalog_world *promise = recipe->world;
    if (!promise->promised_by)
        return true;
    const struct catalog_world *world = catalog_keep_promise(promise, error);
    if (!world)
        return false;
    recipe->world = world;
    if (recipe->is_chunk) {
        recipe->chunk.order.world = world->world;
    } else {
        recipe->order.world = world->world;
        recipe->order.painter = catalog_painter(world, painter_name(recipe->order.painter), error);
    }
    catalog_release(promise);
    return recipe->is_chunk || recipe->order.painter;
}

/* Names cannot contain zero bytes, so one behind each keeps them apart. */
static void add_text(struct buffer *recipe, const char *text)
{
    buffer_append(recipe, text, strlen(text) + 1);
}

static void add_world(struct buffer *recipe, const struct catalog_world *world)
{
    add_text(recipe, world->name);
    add_text(recipe, world_seed(world->world));
    add_text(recipe, world_fingerprint(world->world));
    /* The fingerprint knows neither the layers' order nor their units. */
    for (unsigned i = 0; i < world_layer_count(world->world); i++) {
        add_text(recipe, world_layer(world->world, i)->name);
        add_text(recipe, world_layer(world->world, i)->unit);
    }
}

bool recipe_of_query(const struct catalog_world *world, const struct query *query,
                     struct query_form form, struct hash128 *hash)
{
    struct buffer recipe = {0};
    buffer_format(&recipe, "query %d %d %d %lld %lld %d %lld %lld ", QUERY_VERSION, form.text,
                  form.pretty, (long long)query->place.x, (long long)query->place.y, query->zoom,
                  (long long)query->z, (long long)query->t);
    add_world(&recipe, world);
    bool done = !recipe.failed;
    if (done)
        *hash = hash_bytes(recipe.data, recipe.length, 0);
    buffer_free(&recipe);
    return done;
}

/* Formulas, rules and kinds stand in answers as the file writes them. */
bool recipe_of_question(const struct inquiry *inquiry, const char *parameters, struct hash128 *hash)
{
    const struct world *world = inquiry->world->world;
    struct buffer recipe = {0};
    buffer_format(&recipe, "question %d %s %d %d ", QUESTION_VERSION, inquiry->question->name,
                  (int)inquiry->form, inquiry->pretty);
    add_text(&recipe, parameters);
    add_world(&recipe, inquiry->world);
    for (unsigned i = 0; i < world_layer_count(world); i++)
        add_text(&recipe, world_layer(world, i)->formula);
    for (unsigned i = 0; i < world_biome_count(world); i++) {
        const struct world_biome *biome = world_biome(world, i);
        add_text(&recipe, biome->name);
        add_text(&recipe, biome->when ? biome->when : "");
    }
    for (unsigned i = 0; i < world_object_count(world); i++)
        add_text(&recipe, world_object(world, i)->name);
    bool done = !recipe.failed;
    if (done)
        *hash = hash_bytes(recipe.data, recipe.length, 0);
    buffer_free(&recipe);
    return done;
}
