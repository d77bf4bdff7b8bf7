/* Reads the member "names" of a world file: false for none, or an object with the tongues of its
 * regions, tongues of its own, and fixed names for places. A world without it has all tongues of
 * the program.
 *
 * Names are no samples, so they are no part of the world's fingerprint: heights and their caches
 * survive a change of names. They have a fingerprint of their own, a hash of every word that a name
 * may be made of, so it changes with the tables of the program, too. */
#include "core/worldfile/reader_names.h"

#include <stdio.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/names/tongue_check.h"

const struct reader_keys reader_names_keys = READER_KEYS("tongues", "syllables", "places");
const struct reader_keys reader_name_place_keys = READER_KEYS("kind", "at", "name");

enum { LIST_TEXT = 256, PATH_TEXT = 32 };

/* "a, b, c" of at most that many bytes. */
static void append_text(char list[LIST_TEXT], const char *text)
{
    const size_t length = strlen(list);
    snprintf(list + length, LIST_TEXT - length, "%s%s", length ? ", " : "", text);
}

static const struct tongue *find_tongue(const struct reader_tongues *own, const char *name)
{
    for (uint32_t i = 0; i < own->count; i++)
        if (strcmp(own->items[i].name, name) == 0)
            return &own->items[i];
    return tongue_find(name);
}

static bool refuse_tongue(const struct reader *reader, const struct reader_tongues *own)
{
    char list[LIST_TEXT] = "";
    for (uint32_t i = 0; i < own->count; i++)
        append_text(list, own->items[i].name);
    for (size_t i = 0; i < TONGUES; i++)
        append_text(list, tongues[i]->name);
    return reader_fail(reader, "", "unknown tongue \"%.40s\"; there are %.200s",
                       json_text(reader->value), list);
}

static bool read_pick(const struct reader *reader, const struct reader_tongues *own,
                      const struct tongue **picked)
{
    if (!reader_expect(reader, "", reader->value, JSON_STRING))
        return false;
    *picked = find_tongue(own, json_text(reader->value));
    return *picked || refuse_tongue(reader, own);
}

static bool read_picks(const struct reader *names, const struct reader_tongues *own,
                       struct names *out)
{
    const struct json *member = json_member(names->value, "tongues");
    if (json_type(member) == JSON_ARRAY && json_count(member) == 0)
        return true; /* only places have names */
    const struct json *list = reader_list(names, "tongues", JSON_ARRAY, NAME_TONGUES_MAX);
    if (!list)
        return false;
    const struct tongue **picked =
        arena_allocate(&names->world->arena, json_count(list), sizeof *picked);
    if (!picked)
        return error_memory(names->error);
    for (const struct json *value = json_first(list); value; value = json_next(value)) {
        char path[PATH_TEXT];
        snprintf(path, sizeof path, "names.tongues[%u]", out->tongue_count);
        const struct reader reader = {names->world, value, path, names->error};
        if (!reader_take(names, read_pick(&reader, own, &picked[out->tongue_count])))
            return false;
        out->tongue_count++;
    }
    out->tongues = picked;
    return true;
}

/* Without "tongues": the world's own ones, or all of the program. */
static bool use_default_tongues(const struct reader *names, const struct reader_tongues *own,
                                struct names *out)
{
    out->tongues = names_default.tongues;
    out->tongue_count = names_default.tongue_count;
    if (own->count == 0)
        return true;
    const struct tongue **picked = arena_allocate(&names->world->arena, own->count, sizeof *picked);
    if (!picked)
        return error_memory(names->error);
    for (uint32_t i = 0; i < own->count; i++)
        picked[i] = &own->items[i];
    out->tongues = picked;
    out->tongue_count = own->count;
    return true;
}

static bool read_kind(const struct reader *reader, enum name_kind *kind)
{
    const struct json *value = json_member(reader->value, "kind");
    char list[LIST_TEXT] = "";
    if (!reader_expect(reader, "kind", value, JSON_STRING))
        return false;
    const int found = name_kind_find(json_text(value));
    for (int i = 0; i < NAME_KINDS && found < 0; i++)
        append_text(list, name_kind_texts[i]);
    *kind = found < 0 ? NAME_SEA : (enum name_kind)found;
    return found >= 0 || reader_fail(reader, "kind", "must be one of %.200s, not \"%.40s\"", list,
                                     json_text(value));
}

static bool read_text(const struct reader *reader, const char **text)
{
    const struct json *value = json_member(reader->value, "name");
    *text = json_text(value);
    return reader_expect(reader, "name", value, JSON_STRING) &&
           (tongue_check_name(*text, reader->error) ||
            error_in_path(reader->error, "%s.name", reader->path));
}

/* Rectangles of maps are half-open and end at 2⁴⁰ m: none has a place there. */
static bool check_edge(const struct reader *reader, const struct place *place)
{
    return (place->x < PLACE_LIMIT && place->y < PLACE_LIMIT) ||
           reader_fail(reader, "at",
                       "must be less than 2^40 (1099511627776) m east and south, as no map has the "
                       "very edge");
}

static bool read_place(const struct reader *reader, struct name_place *place)
{
    return reader_check_object(reader, &reader_name_place_keys) &&
           reader_take(reader, read_kind(reader, &place->kind)) &&
           reader_take(reader, reader_place(reader, "at", &place->place) &&
                                   check_edge(reader, &place->place)) &&
           reader_take(reader, read_text(reader, &place->text));
}

static bool read_places(const struct reader *names, struct names *out)
{
    if (!json_member(names->value, "places"))
        return true;
    const struct json *list = reader_list(names, "places", JSON_ARRAY, NAME_PLACES_MAX);
    if (!list)
        return false;
    struct name_place *places =
        arena_allocate(&names->world->arena, json_count(list), sizeof *places);
    if (!places)
        return error_memory(names->error);
    for (const struct json *value = json_first(list); value; value = json_next(value)) {
        char path[PATH_TEXT];
        snprintf(path, sizeof path, "names.places[%u]", out->place_count);
        const struct reader reader = {names->world, value, path, names->error};
        if (!reader_take(names, read_place(&reader, &places[out->place_count])))
            return false;
        out->place_count++;
    }
    out->places = places;
    return true;
}

static bool read_names(const struct reader *reader, struct names *out)
{
    struct reader_tongues own = {0};
    return reader_check_object(reader, &reader_names_keys) &&
           reader_take(reader, reader_tongues(reader, &own)) &&
           reader_take(reader, json_member(reader->value, "tongues")
                                   ? read_picks(reader, &own, out)
                                   : use_default_tongues(reader, &own, out)) &&
           reader_take(reader, read_places(reader, out));
}

static void hash_words(const struct tongue_words *words, struct hash128 *hash)
{
    for (uint32_t i = 0; i < words->count; i++)
        *hash = hash_bytes(words->items[i], strlen(words->items[i]), hash->low);
    hash->low = hash_mix(hash->low + words->count);
}

static void hash_tongue(const struct tongue *tongue, struct hash128 *hash)
{
    const uint8_t limits[] = {tongue->middles_in_16, tongue->vowels, tongue->consonants};
    const char *clashes = tongue->clashes ? tongue->clashes : "";
    hash_words(&tongue->starts, hash);
    hash_words(&tongue->middles, hash);
    hash_words(&tongue->ends, hash);
    for (int kind = 0; kind < NAME_KINDS; kind++)
        hash_words(&tongue->patterns[kind], hash);
    *hash = hash_bytes(limits, sizeof limits, hash->low);
    *hash = hash_bytes(clashes, strlen(clashes), hash->low);
}

/* A world in which nothing has a name has no fingerprint of names. */
static void make_fingerprint(const struct names *names, char out[NAMES_FINGERPRINT_TEXT])
{
    struct hash128 hash = {0, NAMES_RULES};
    for (uint32_t i = 0; i < names->tongue_count; i++)
        hash_tongue(names->tongues[i], &hash);
    for (uint32_t i = 0; i < names->place_count; i++) {
        const struct name_place *place = &names->places[i];
        hash.low = hash_mix(hash.low + (uint64_t)place->kind + 1);
        hash.low = hash_mix(hash.low ^ (uint64_t)place->place.x);
        hash.low = hash_mix(hash.low ^ (uint64_t)place->place.y);
        hash = hash_bytes(place->text, strlen(place->text), hash.low);
    }
    if (names->tongue_count > 0 || names->place_count > 0)
        snprintf(out, NAMES_FINGERPRINT_TEXT, "n1-%016llx", (unsigned long long)hash.low);
}

bool reader_names(const struct reader *root)
{
    struct world *world = root->world;
    const struct json *value = json_member(root->value, "names");
    const struct reader reader = {world, value, "names", root->error};
    if (!value)
        world->names = names_default;
    if (value && json_type(value) != JSON_FALSE && json_type(value) != JSON_OBJECT)
        return reader_fail(root, "names", "must be an object, or false for no names, not %s",
                           json_type_name(json_type(value)));
    if (json_type(value) == JSON_OBJECT && !read_names(&reader, &world->names))
        return false;
    if (!world->diagnostics || world->diagnostics->count == 0)
        make_fingerprint(&world->names, world->names_fingerprint);
    return true;
}
