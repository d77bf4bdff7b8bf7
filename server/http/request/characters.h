/* Sets of ASCII characters, as the grammars of RFC 3986 and RFC 9110 name them: a bit for each. */
#ifndef TERRANE_SERVER_HTTP_REQUEST_CHARACTERS_H
#define TERRANE_SERVER_HTTP_REQUEST_CHARACTERS_H

#include <stdbool.h>
#include <stdint.h>

struct character_set {
    uint64_t bits[2];
};

/* Letters, digits and: !#$%&'*+-.^_`|~ */
#define CHARACTERS_TOKEN ((struct character_set){{0x03ff6cfa00000000, 0x57ffffffc7fffffe}})
/* pchar: letters, digits and -._~!$&'()*+,;=:@ */
#define CHARACTERS_PATH ((struct character_set){{0x2fff7fd200000000, 0x47fffffe87ffffff}})
/* pchar and /? */
#define CHARACTERS_QUERY ((struct character_set){{0xafffffd200000000, 0x47fffffe87ffffff}})
/* Letters, digits and -._~:[] */
#define CHARACTERS_AUTHORITY ((struct character_set){{0x07ff600000000000, 0x47fffffeaffffffe}})

static inline bool character_in(struct character_set set, char c)
{
    unsigned char byte = (unsigned char)c;
    return byte < 128 && (set.bits[byte >> 6] >> (byte & 63) & 1);
}

#endif
