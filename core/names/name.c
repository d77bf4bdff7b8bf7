/* Making names.
 *
 * The hash of (seed, kind, id) is the state of a feature. Each attempt mixes it with the number of
 * the attempt, and takes the words of a root and a pattern from fields of 16 bits. A name whose
 * letters do not flow or that is blocked is dropped for the next attempt; about every third one of
 * the program's tongues is. The attempts are bounded, and so is the time. Behind the last of them a
 * feature has the first sound root of its tongue: no name in a million does, as world files may not
 * have tongues that fail more often than three times in four (tongue_check.h). */
#include "core/names/name.h"

#include <string.h>

#include "core/base/hash.h"
#include "core/names/letters.h"
#include "core/names/root.h"

enum { ATTEMPTS = 64, SIXTEEN = 16 };

/* Constants that keep the uses of a seed apart. */
#define SALT_FEATURE 0x6E616D65732D3031u
#define SALT_DERIVED 0x6465726976656431u
#define GOLDEN 0x9E3779B97F4A7C15u /* 2⁶⁴ ÷ the golden ratio: the step between attempts */

static struct root_parts choose_parts(const struct tongue *tongue, uint64_t hash)
{
    const bool has_middle =
        tongue->middles.count > 0 && hash_mix(hash) % SIXTEEN < tongue->middles_in_16;
    return (struct root_parts){
        .start = names_choose(hash, 3, tongue->starts.count),
        .middle = has_middle ? (int32_t)names_choose(hash, 2, tongue->middles.count) : -1,
        .end = names_choose(hash, 1, tongue->ends.count),
    };
}

static const char *choose_pattern(const struct tongue *tongue, enum name_kind kind, uint64_t hash)
{
    const struct tongue_words *patterns = &tongue->patterns[kind];
    return patterns->count > 0 ? patterns->items[names_choose(hash, 0, patterns->count)]
                               : name_kind_pattern(kind);
}

/* The first start and end that make a root. Every tongue has some (tongue_check.h). */
static void make_first(const struct tongue *tongue, struct root *root)
{
    char text[NAME_TEXT];
    struct root_parts parts = {.middle = -1};
    for (parts.start = 0; parts.start < tongue->starts.count; parts.start++)
        for (parts.end = 0; parts.end < tongue->ends.count; parts.end++)
            if (root_join(tongue, &parts, root) && root_apply(root, tongue, "%", text))
                return;
}

void name_make(const struct names *names, uint64_t seed, const struct name_subject *subject,
               struct name *name)
{
    name->tongue = names_tongue_at(names, seed, subject->place);
    name_make_in(names->tongues[name->tongue], seed, subject, name);
}

void name_make_in(const struct tongue *tongue, uint64_t seed, const struct name_subject *subject,
                  struct name *name)
{
    struct root root;
    const uint64_t state = hash_mix(hash_mix(seed + SALT_FEATURE) ^ subject->id) +
                           hash_mix((uint64_t)subject->kind + SALT_FEATURE);
    uint64_t attempt = 0;
    for (; attempt < ATTEMPTS; attempt++) {
        const uint64_t hash = hash_mix(state + attempt * GOLDEN);
        const struct root_parts parts = choose_parts(tongue, hash);
        if (root_join(tongue, &parts, &root) &&
            root_apply(&root, tongue, choose_pattern(tongue, subject->kind, hash), name->text))
            break;
    }
    if (attempt == ATTEMPTS) {
        make_first(tongue, &root);
        root_write(&root, choose_pattern(tongue, subject->kind, state), name->text);
    }
    memcpy(name->root, root.text, root.length + 1);
}

void name_derive(const struct names *names, const struct name *other, enum name_kind kind,
                 uint64_t id, struct name *name)
{
    const struct tongue *tongue = names->tongues[other->tongue];
    struct root root = {.length = strlen(other->root)};
    memcpy(root.text, other->root, root.length + 1);
    root.folded_length = letters_fold(root.text, root.length, root.folded);
    const uint64_t hash = hash_mix(id + SALT_DERIVED);
    const uint32_t count = tongue->patterns[kind].count;
    name->tongue = other->tongue;
    memcpy(name->root, root.text, root.length + 1);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t at = (names_choose(hash, 0, count) + i) % count;
        if (root_apply(&root, tongue, tongue->patterns[kind].items[at], name->text))
            return;
    }
    root_write(&root, name_kind_pattern(kind), name->text);
}
