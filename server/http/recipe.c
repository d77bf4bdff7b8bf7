#include "server/http/recipe.h"

#include <string.h>

#include "core/base/buffer.h"
#include "core/encode/png.h"

/* To be raised when query.c writes the same answer in another form. */
enum { QUERY_VERSION = 1 };

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
    AT_END = 92,
    FORMAT_PNG = 1,
};

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

void recipe_key(const struct recipe *recipe, struct cache_key *key)
{
    const int64_t t = painter_uses_time(recipe->painter) ? recipe->t : 0;
    const char *world = world_fingerprint(recipe->world->world);
    const char *style = painter_fingerprint(recipe->painter);
    uint8_t *bytes = key->bytes;
    memset(bytes, 0, CACHE_KEY_BYTES);
    memcpy(bytes + AT_WORLD, world, strnlen(world, WORLD_FINGERPRINT_TEXT));
    memcpy(bytes + AT_STYLE, style, strnlen(style, STYLE_FINGERPRINT_TEXT));
    put(bytes + AT_ZOOM, (uint64_t)recipe->address.zoom, 1);
    put(bytes + AT_FORMAT, FORMAT_PNG, 1);
    put(bytes + AT_VERSION, PNG_VERSION, 2);
    put(bytes + AT_SIZE, recipe->size, 4);
    put(bytes + AT_TIME, (uint64_t)t, 8);
    put(bytes + AT_X, (uint64_t)recipe->address.x, 8);
    put(bytes + AT_Y, (uint64_t)recipe->address.y, 8);
    cache_key_seal(key);
}

/* Names cannot contain zero bytes, so one behind each keeps them apart. */
static void add_text(struct buffer *recipe, const char *text)
{
    buffer_append(recipe, text, strlen(text) + 1);
}

bool recipe_of_query(const struct catalog_world *world, const struct query *query,
                     struct query_form form, struct hash128 *hash)
{
    struct buffer recipe = {0};
    buffer_format(&recipe, "query %d %d %d %lld %lld %d %lld %lld ", QUERY_VERSION, form.text,
                  form.pretty, (long long)query->place.x, (long long)query->place.y, query->zoom,
                  (long long)query->z, (long long)query->t);
    add_text(&recipe, world->name);
    add_text(&recipe, world_seed(world->world));
    add_text(&recipe, world_fingerprint(world->world));
    /* The fingerprint knows neither the layers' order nor their units. */
    for (unsigned i = 0; i < world_layer_count(world->world); i++) {
        add_text(&recipe, world_layer(world->world, i)->name);
        add_text(&recipe, world_layer(world->world, i)->unit);
    }
    bool done = !recipe.failed;
    if (done)
        *hash = hash_bytes(recipe.data, recipe.length, 0);
    buffer_free(&recipe);
    return done;
}
