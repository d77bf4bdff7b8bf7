/* The two marks of NAME~SEED@PIN are found first, then each part is checked by itself. A seed may
 * be any text, so it may contain both marks: the first "~" is the mark, unless an "@" stands before
 * it (then it belongs to the pin), and the last "@" is the mark only if a fingerprint seems to
 * follow.
 */
#include "server/http/request/reference.h"

#include <string.h>

enum { WORLD_PIN_DIGITS = 32, STYLE_PIN_DIGITS = 16 };

/* False if it does not fit. */
static bool copy_part(const char *text, size_t length, char *out, size_t size)
{
    if (length >= size)
        return false;
    memcpy(out, text, length);
    out[length] = '\0';
    return true;
}

/* True if the text begins like a fingerprint: the letter, digits and a dash. */
static bool begins_like_pin(const char *text, char letter)
{
    const size_t digits = text[0] == letter ? strspn(text + 1, "0123456789") : 0;
    return digits > 0 && text[1 + digits] == '-';
}

static bool pin_is_valid(const char *pin, char letter)
{
    if (!begins_like_pin(pin, letter))
        return false;
    const char *digits = strchr(pin, '-') + 1;
    const size_t digit_count = letter == 'g' ? WORLD_PIN_DIGITS : STYLE_PIN_DIGITS;
    return strlen(digits) == digit_count && strspn(digits, "0123456789abcdef") == digit_count;
}

static bool parse_pin(const char *text, size_t length, enum reference_kind kind,
                      struct reference *reference, struct problem *problem)
{
    const char letter = kind == REFERENCE_WORLD ? 'g' : 's';
    reference->pinned = true;
    if (copy_part(text, length, reference->pin, sizeof reference->pin) &&
        pin_is_valid(reference->pin, letter))
        return true;
    return problem_set(
        problem, PROBLEM_PATH,
        kind == REFERENCE_WORLD
            ? "behind \"@\" stands a world's fingerprint: g1- and 32 digits of 0-9a-f"
            : "behind \"@\" stands a style's fingerprint: s1- and 16 digits of 0-9a-f");
}

static bool parse_seed(const char *text, size_t length, struct reference *reference,
                       struct problem *problem)
{
    reference->has_seed = true;
    if (length == 0)
        return problem_set(problem, PROBLEM_PATH,
                           "behind \"~\" stands a seed: a whole number or any text, not nothing");
    if (copy_part(text, length, reference->seed, sizeof reference->seed))
        return true;
    return problem_set(problem, PROBLEM_PATH, "the seed is longer than %d bytes", WORLD_SEED_MAX);
}

/* The "@" in front of the pin, or null: the last one, unless it belongs to the seed. */
static const char *find_pin(const char *text, const char *tilde, enum reference_kind kind)
{
    const char *at = strrchr(tilde ? tilde : text, '@');
    if (!at || !tilde || at[1] == '\0')
        return at;
    return begins_like_pin(at + 1, kind == REFERENCE_WORLD ? 'g' : 's') ? at : NULL;
}

bool reference_parse(const struct target_text *text, enum reference_kind kind,
                     struct reference *reference, struct problem *problem)
{
    const char *name = text->text, *end = name + text->length;
    const char *tilde = kind == REFERENCE_WORLD ? strchr(name, '~') : NULL;
    const char *first = strchr(name, '@');
    if (tilde && first && first < tilde)
        tilde = NULL;
    const char *pin = find_pin(name, tilde, kind);
    reference->has_seed = reference->pinned = false;
    if (pin) {
        if (!parse_pin(pin + 1, (size_t)(end - pin - 1), kind, reference, problem))
            return false;
        end = pin;
    }
    if (tilde) {
        if (!parse_seed(tilde + 1, (size_t)(end - tilde - 1), reference, problem))
            return false;
        end = tilde;
    }
    if (copy_part(name, (size_t)(end - name), reference->name, sizeof reference->name))
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
