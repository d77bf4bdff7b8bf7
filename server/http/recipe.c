#include "server/http/recipe.h"

#include <string.h>

#include "core/encode/png.h"

/* The layout; what is not named is zero. Fingerprints stand as their text. */
enum {
    AT_WORLD = 0,
    AT_STYLE = 40,
    AT_ZOOM = 60,
    AT_FORMAT = 61,
    AT_VERSION = 62,
    AT_SIZE = 64,
    AT_TIME = 68,
    AT_X = 72,
    AT_Y = 80,
    AT_END = 88,
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
    float t = painter_uses_time(recipe->painter) ? recipe->t : 0;
    uint32_t time_bits;
    memcpy(&time_bits, &t, sizeof t);
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
    put(bytes + AT_TIME, time_bits, 4);
    put(bytes + AT_X, (uint64_t)recipe->address.x, 8);
    put(bytes + AT_Y, (uint64_t)recipe->address.y, 8);
    cache_key_seal(key);
}
