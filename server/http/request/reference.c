/* The two marks of NAME~SEED@PIN are found first, then each part is checked by itself. A seed may
 * be any text, so it may contain both marks: the first "~" is the mark, unless an "@" stands before
 * it (then it belongs to the pin), and the last "@" is the mark only if a fingerprint seems to
 * follow.
 */
#include "server/http/request/reference.h"

#include <stdio.h>
#include <string.h>

/* By the kind of reference. */
static const struct {
    enum pin_kind pin;
    const char *name;
} kinds[] = {
    [REFERENCE_WORLD] = {PIN_WORLD, "world"},
    [REFERENCE_STYLE] = {PIN_STYLE, "style"},
};

/* False if it does not fit. */
static bool copy_part(const char *text, size_t length, char *out, size_t size)
{
    if (length >= size)
        return false;
    memcpy(out, text, length);
    out[length] = '\0';
    return true;
}

static bool parse_pin(const char *text, size_t length, enum reference_kind kind,
                      struct reference *reference, struct problem *problem)
{
    reference->pinned = true;
    if (pin_is_valid(kinds[kind].pin, text, length))
        return copy_part(text, length, reference->pin, sizeof reference->pin);
    return problem_set(problem, PROBLEM_PATH, "behind \"@\" stands a %s's fingerprint: %s",
                       kinds[kind].name, pin_form(kinds[kind].pin));
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
    return pin_begins(kinds[kind].pin, at + 1) ? at : NULL;
}

bool reference_parse(const char *text, size_t length, enum reference_kind kind,
                     struct reference *reference, struct problem *problem)
{
    const char *name = text, *end = name + length;
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

bool reference_refuse_pin(const char *subject, const char *pin, const char *current,
                          struct problem *problem)
{
    problem_set(problem, PROBLEM_GONE, "%s changed: %s is now %s", subject, pin, current);
    snprintf(problem->current_fingerprint, sizeof problem->current_fingerprint, "%s", current);
    return false;
}

bool reference_check_pin(const struct reference *reference, enum reference_kind kind,
                         const char *current, struct problem *problem)
{
    char subject[sizeof reference->name + sizeof "the world \"\" has"];
    if (!reference->pinned || strcmp(reference->pin, current) == 0)
        return true;
    snprintf(subject, sizeof subject, "the %s \"%s\" has", kinds[kind].name, reference->name);
    return reference_refuse_pin(subject, reference->pin, current, problem);
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
