/* Folding is a table for Latin letters with marks and a few ranges: what people type for names of
 * maps, not the full case folding of Unicode. */
#include "core/names/name_prefix.h"

#include <stdint.h>
#include <string.h>

#include "core/base/utf8.h"
#include "core/names/letters.h"

/* The letters without their marks; a space where there is no such letter. */
enum { EXTENDED_FIRST = 0x180, EXTENDED_LAST = 0x24F, ADDED_FIRST = 0x1E00, ADDED_LAST = 0x1EFF };
static const char extended_letters[EXTENDED_LAST - EXTENDED_FIRST + 2] =
    "                                oo             uu               "
    "             aaiioouuuuuuuuuu aaaa    ggkkoooo  j   gg  nnaa    "
    "aaaaeeeeiiiioooorrrruuuusstt  hh      aaeeooooooooyy            "
    "                ";
static const char added_letters[ADDED_LAST - ADDED_FIRST + 2] =
    "aabbbbbbccddddddddddeeeeeeeeeeffgghhhhhhhhhhiiiikkkkkkllllllllmm"
    "mmmmnnnnnnnnoooooooopppprrrrrrrrssssssssssttttttttuuuuuuuuuuvvvv"
    "wwwwwwwwwwxxxxyyzzzzzzhtwy      aaaaaaaaaaaaaaaaaaaaaaaaeeeeeeee"
    "eeeeeeeeiiiioooooooooooooooooooooooouuuuuuuuuuuuuuyyyyyyyy      ";

/* Capitals, each `by` before its small letter, of which there is one every `step`. */
static const struct {
    uint16_t first, last, step, by;
} capitals[] = {
    {0x391, 0x3AB, 1, 32},                        /* Greek */
    {0x400, 0x40F, 1, 80}, {0x410, 0x42F, 1, 32}, /* Cyrillic */
    {0x460, 0x480, 2, 1},  {0x48A, 0x4BE, 2, 1},  {0x4C1, 0x4CD, 2, 1},
    {0x4D0, 0x52E, 2, 1},  {0x531, 0x556, 1, 48}, /* Armenian */
};

/* Letters whose plain one is elsewhere: Greek ones with accents and at the end of words, Cyrillic
 * io. */
static const uint16_t plain[][2] = {
    {0x386, 0x3B1}, {0x388, 0x3B5}, {0x389, 0x3B7}, {0x38A, 0x3B9}, {0x38C, 0x3BF}, {0x38E, 0x3C5},
    {0x38F, 0x3C9}, {0x390, 0x3B9}, {0x3AA, 0x3B9}, {0x3AB, 0x3C5}, {0x3AC, 0x3B1}, {0x3AD, 0x3B5},
    {0x3AE, 0x3B7}, {0x3AF, 0x3B9}, {0x3B0, 0x3C5}, {0x3C2, 0x3C3}, {0x3CA, 0x3B9}, {0x3CB, 0x3C5},
    {0x3CC, 0x3BF}, {0x3CD, 0x3C5}, {0x3CE, 0x3C9}, {0x401, 0x435}, {0x451, 0x435},
};

static uint32_t fold_other(uint32_t character)
{
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (character == plain[i][0])
            return plain[i][1];
    for (size_t i = 0; i < sizeof capitals / sizeof *capitals; i++)
        if (character >= capitals[i].first && character <= capitals[i].last &&
            (character - capitals[i].first) % capitals[i].step == 0)
            return character + capitals[i].by;
    return character;
}

static bool is_mark(uint32_t character)
{
    return character >= 0x300 && character <= 0x36F;
}

/* The Latin letter of a character of the two tables, or a space. */
static char latin_of(uint32_t character)
{
    if (character >= EXTENDED_FIRST && character <= EXTENDED_LAST)
        return extended_letters[character - EXTENDED_FIRST];
    if (character >= ADDED_FIRST && character <= ADDED_LAST)
        return added_letters[character - ADDED_FIRST];
    return ' ';
}

/* Writes a character folded; returns its bytes. */
static size_t fold(const char *text, size_t bytes, uint32_t character, char *out)
{
    const char latin = latin_of(character);
    const uint32_t other = fold_other(character);
    if (is_mark(character))
        return 0;
    if (latin != ' ') {
        out[0] = latin;
        return 1;
    }
    if (other == character)
        return letters_fold(text, bytes, out);
    out[0] = (char)(0xC0 | other >> 6); /* all are below U+0800 */
    out[1] = (char)(0x80 | (other & 0x3F));
    return 2;
}

void name_fold(const char *text, char out[NAME_FOLDED_TEXT])
{
    const size_t length = strlen(text);
    size_t used = 0;
    for (size_t at = 0, bytes; at < length && used + 4 < NAME_FOLDED_TEXT; at += bytes) {
        uint32_t character = 0;
        bytes = utf8_decode(text + at, length - at, &character);
        if (bytes == 0)
            break;
        used += fold(text + at, bytes, character, out + used);
    }
    out[used] = '\0';
}

static bool refuse(const char *text, struct error *error)
{
    enum { SHOWN = 80 };
    const size_t length = strlen(text);
    const size_t shown = utf8_valid(text, length) ? utf8_cut(text, length, SHOWN) : 0;
    return error_set(error, ERROR_VALUE,
                     "must be 1 to %d letters or digits, with spaces, hyphens, apostrophes and "
                     "full stops between, not \"%.*s%s\"",
                     NAME_PREFIX_MOST, (int)shown, text, shown < length ? "…" : "");
}

bool name_prefix_parse(const char *text, struct name_prefix *prefix, struct error *error)
{
    static const char digits[] = "0123456789", others[] = "0123456789 -'.,/()";
    const size_t length = strlen(text);
    /* With a mark on each character it is twice as many, of up to four bytes. */
    if (length == 0 || length > 2 * 4 * NAME_PREFIX_MOST || !utf8_valid(text, length))
        return refuse(text, error);
    name_fold(text, prefix->folded);
    const char *folded = prefix->folded;
    const bool begins =
        folded[0] && (strchr(digits, folded[0]) || letters_find_other(folded, "") != folded);
    if (!begins || letters_find_other(folded, others) ||
        utf8_count(folded, strlen(folded)) > NAME_PREFIX_MOST)
        return refuse(text, error);
    return true;
}

bool name_prefix_matches(const struct name_prefix *prefix, const char *name)
{
    char folded[NAME_FOLDED_TEXT];
    name_fold(name, folded);
    return strncmp(folded, prefix->folded, strlen(prefix->folded)) == 0;
}
