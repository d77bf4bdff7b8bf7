#include "server/http/reference.h"

#include <string.h>

enum { WORLD_PIN_DIGITS = 32, STYLE_PIN_DIGITS = 16 };

static int hex_value(char c)
{
    return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
}

/* Decodes raw[0 … length), whose escapes were checked when the target was parsed. False if it does
 * not fit. */
static bool decode_part(const char *raw, size_t length, char *out, size_t size)
{
    size_t used = 0;
    for (size_t at = 0; at < length; at++) {
        if (used + 1 >= size)
            return false;
        if (raw[at] == '%') {
            out[used++] = (char)(hex_value(raw[at + 1]) * 16 + hex_value(raw[at + 2]));
            at += 2;
        } else {
            out[used++] = raw[at];
        }
    }
    out[used] = '\0';
    return true;
}

static const char *find_last(const char *text, size_t length, char wanted)
{
    while (length > 0)
        if (text[--length] == wanted)
            return text + length;
    return NULL;
}

static bool pin_valid(const char *pin, char letter)
{
    if (pin[0] != letter)
        return false;
    size_t generator = strspn(pin + 1, "0123456789");
    const char *digits = pin + 1 + generator + 1;
    size_t wanted = letter == 'g' ? WORLD_PIN_DIGITS : STYLE_PIN_DIGITS;
    return generator > 0 && digits[-1] == '-' && strlen(digits) == wanted &&
           strspn(digits, "0123456789abcdef") == wanted;
}

static bool parse_pin(const char *raw, size_t length, enum reference_kind kind,
                      struct reference *reference, struct problem *problem)
{
    reference->pinned = true;
    char letter = kind == REFERENCE_WORLD ? 'g' : 's';
    if (decode_part(raw, length, reference->pin, sizeof reference->pin) &&
        pin_valid(reference->pin, letter))
        return true;
    return problem_set(
        problem, PROBLEM_PATH,
        kind == REFERENCE_WORLD
            ? "behind \"@\" stands a world's fingerprint: g1- and 32 digits of 0-9a-f"
            : "behind \"@\" stands a style's fingerprint: s1- and 16 digits of 0-9a-f");
}

static bool parse_seed(const char *raw, size_t length, struct reference *reference,
                       struct problem *problem)
{
    reference->seeded = true;
    if (length == 0)
        return problem_set(problem, PROBLEM_PATH,
                           "behind \"~\" stands a seed: a whole number or any text, not nothing");
    if (decode_part(raw, length, reference->seed, sizeof reference->seed))
        return true;
    return problem_set(problem, PROBLEM_PATH, "the seed is longer than %d bytes", WORLD_SEED_MAX);
}

bool reference_parse(const struct request_text *text, enum reference_kind kind,
                     struct reference *reference, struct problem *problem)
{
    const char *raw = text->raw;
    size_t length = text->raw_length;
    reference->seeded = reference->pinned = false;
    const char *at = find_last(raw, length, '@');
    if (at) {
        if (!parse_pin(at + 1, length - (size_t)(at + 1 - raw), kind, reference, problem))
            return false;
        length = (size_t)(at - raw);
    }
    const char *tilde = kind == REFERENCE_WORLD ? memchr(raw, '~', length) : NULL;
    if (tilde) {
        if (!parse_seed(tilde + 1, length - (size_t)(tilde + 1 - raw), reference, problem))
            return false;
        length = (size_t)(tilde - raw);
    }
    if (decode_part(raw, length, reference->name, sizeof reference->name))
        return true;
    return problem_set(problem, PROBLEM_NOT_FOUND, "no name is longer than %d bytes",
                       WORLD_NAME_MAX);
}

void reference_escape(const char *text, struct buffer *out)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._";
    for (; *text; text++) {
        if (strchr(plain, *text))
            buffer_byte(out, (uint8_t)*text);
        else
            buffer_format(out, "%%%02X", (unsigned)(unsigned char)*text);
    }
}
