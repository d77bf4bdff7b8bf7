/* Names of previews are hashes of their texts. */
#include "server/worlds/preview_name.h"

#include <string.h>

#include "core/base/hash.h"
#include "server/base/sha256.h"

bool preview_name(const void *text, size_t length, char name[PREVIEW_NAME_TEXT])
{
    uint8_t digest[SHA256_BYTES];
    struct hash128 hash = {0};
    if (!sha256_of(text, length, digest))
        return false;
    for (int i = 0; i < 8; i++) {
        hash.high = hash.high << 8 | digest[i];
        hash.low = hash.low << 8 | digest[8 + i];
    }
    memcpy(name, PREVIEW_PREFIX, sizeof PREVIEW_PREFIX);
    hash_hex(hash, name + strlen(PREVIEW_PREFIX));
    return true;
}

bool preview_is_name(const char *name)
{
    return strncmp(name, PREVIEW_PREFIX, strlen(PREVIEW_PREFIX)) == 0;
}
