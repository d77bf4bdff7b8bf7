/* Reads a world's own tongues: lists of words and patterns, each of which is checked, and then what
 * they make together, so that no tongue is left that finds no names. An error ends its tongue. */
#include <stdio.h>
#include <string.h>

#include "core/names/tongue_check.h"
#include "core/worldfile/reader_names.h"

const struct reader_keys reader_tongue_keys = READER_KEYS("starts", "middles", "ends", "patterns");

/* Steps of work (core/program/work.h) for a word of a list, and to check a root or a name. */
enum { WORD_STEPS = 8, NAME_STEPS = 30 };

/* Tongues of the program say what they allow; these allow what most languages do. */
enum { VOWELS = 3, CONSONANTS = 3, MIDDLES_IN_16 = 6, ROOTS_LEAST = 100 };

typedef bool text_checker(const char *text, struct error *error);

/* A list of texts that the checker allows. */
static bool read_words(const struct reader *reader, const char *key, size_t most,
                       text_checker *check, struct tongue_words *words)
{
    const struct json *list = reader_list(reader, key, JSON_ARRAY, most);
    if (!list)
        return false;
    const char **items = arena_allocate(&reader->world->arena, json_count(list), sizeof *items);
    if (!items)
        return error_memory(reader->error);
    for (const struct json *value = json_first(list); value; value = json_next(value)) {
        char entry[48];
        snprintf(entry, sizeof entry, "%s[%u]", key, words->count);
        if (!reader_expect(reader, entry, value, JSON_STRING))
            return false;
        if (!check(json_text(value), reader->error))
            return error_in_path(reader->error, "%s.%s", reader->path, entry);
        items[words->count++] = json_text(value);
        reader->world->read_work += WORD_STEPS;
    }
    words->items = items;
    return true;
}

static bool read_patterns(const struct reader *tongue, struct tongue *out)
{
    static const struct reader_keys kinds = {name_kind_texts, NAME_KINDS};
    const struct json *value = json_member(tongue->value, "patterns");
    const struct reader reader = {
        tongue->world, value, reader_join_path(tongue, tongue->path, "patterns"), tongue->error};
    if (!value)
        return true;
    if (!reader.path)
        return error_memory(tongue->error);
    if (!reader_check_object(&reader, &kinds))
        return false;
    for (int kind = 0; kind < NAME_KINDS; kind++)
        if (json_member(value, name_kind_texts[kind]) &&
            !read_words(&reader, name_kind_texts[kind], TONGUE_PATTERNS_MAX, tongue_check_pattern,
                        &out->patterns[kind]))
            return false;
    return true;
}

/* Checks names of all patterns, which is counted as work. */
static bool check_names(const struct reader *reader, const struct tongue *tongue)
{
    reader->world->read_work += TONGUE_CHECK_ROOTS * NAME_STEPS;
    if (!tongue_check_roots(tongue, reader->error))
        return error_in_path(reader->error, "%s", reader->path);
    for (int kind = 0; kind < NAME_KINDS; kind++)
        for (uint32_t i = 0; i < tongue->patterns[kind].count; i++) {
            reader->world->read_work += TONGUE_CHECK_NAMES * NAME_STEPS;
            if (!tongue_check_names(tongue, tongue->patterns[kind].items[i], reader->error))
                return error_in_path(reader->error, "%s.patterns.%s[%u]", reader->path,
                                     name_kind_texts[kind], i);
        }
    return true;
}

static bool check_count(const struct reader *reader, const struct tongue *tongue)
{
    const uint32_t roots = tongue->starts.count * tongue->ends.count;
    return roots >= ROOTS_LEAST ||
           reader_fail(
               reader, "",
               "has %u starts and %u ends, which make only %u roots; at least %d are needed, "
               "so that names differ",
               tongue->starts.count, tongue->ends.count, roots, ROOTS_LEAST);
}

static bool read_tongue(const struct reader *reader, struct tongue *tongue)
{
    return reader_check_object(reader, &reader_tongue_keys) &&
           read_words(reader, "starts", TONGUE_WORDS_MAX, tongue_check_start, &tongue->starts) &&
           (!json_member(reader->value, "middles") ||
            read_words(reader, "middles", TONGUE_WORDS_MAX, tongue_check_word, &tongue->middles)) &&
           read_words(reader, "ends", TONGUE_WORDS_MAX, tongue_check_word, &tongue->ends) &&
           read_patterns(reader, tongue) && check_count(reader, tongue) &&
           check_names(reader, tongue);
}

/* The name of a tongue: one that no tongue of the program has. */
static bool check_name(const struct reader *reader, const char *name)
{
    return reader_check_word(reader, "", name) &&
           (!tongue_find(name) ||
            reader_fail(reader, "", "is a tongue of the program; choose another name"));
}

bool reader_tongues(const struct reader *names, struct reader_tongues *own)
{
    if (!json_member(names->value, "syllables"))
        return true;
    const struct json *list = reader_list(names, "syllables", JSON_OBJECT, NAME_OWN_TONGUES_MAX);
    if (!list)
        return false;
    own->items = arena_allocate(&names->world->arena, json_count(list), sizeof *own->items);
    if (!own->items)
        return error_memory(names->error);
    for (const struct json *member = json_first(list); member; member = json_next(member)) {
        struct tongue *tongue = &own->items[own->count];
        const struct reader reader = {names->world, member,
                                      reader_join_path(names, "names.syllables", json_key(member)),
                                      names->error};
        *tongue = (struct tongue){.name = json_key(member),
                                  .middles_in_16 = MIDDLES_IN_16,
                                  .vowels = VOWELS,
                                  .consonants = CONSONANTS};
        if (!reader.path)
            return error_memory(names->error);
        if (!reader_take(names, check_name(&reader, tongue->name) && read_tongue(&reader, tongue)))
            return false;
        own->count++;
    }
    return true;
}
