/* Letters without case and diacritics, by a table of Latin-1 and Latin Extended-A, and the rules
 * against what nobody would say: each is one pass over the folded text. */
#include "core/names/letters.h"

#include <stdint.h>
#include <string.h>

#include "core/base/utf8.h"

enum { FIRST = 0xC0, LAST = 0x17F };

/* The letters U+00C0 to U+017F without their marks; a space where there is no letter. */
static const char folded_letters[LAST - FIRST + 2] = "aaaaaaaceeeeiiiidnooooo ouuuuyts"
                                                     "aaaaaaaceeeeiiiidnooooo ouuuuyty"
                                                     "aaaaaaccccccccddddeeeeeeeeeegggg"
                                                     "gggghhhhiiiiiiiiiiiijjkkkllllllll"
                                                     "llnnnnnnnnnoooooooorrrrrrssssssss"
                                                     "ttttttuuuuuuuuuuuuwwyyyzzzzzzs";

size_t letters_fold(const char *text, size_t length, char *out)
{
    size_t count = 0;
    for (size_t at = 0; at < length;) {
        uint32_t character;
        size_t bytes = utf8_decode(text + at, length - at, &character);
        bytes += bytes == 0;
        const bool is_known = character >= FIRST && character <= LAST;
        const char letter = folded_letters[is_known ? character - FIRST : 0];
        if (character < 0x80)
            out[count++] =
                (char)(character >= 'A' && character <= 'Z' ? character + 'a' - 'A' : character);
        else if (is_known && letter != ' ')
            out[count++] = letter;
        else {
            memcpy(out + count, text + at, bytes);
            count += bytes;
        }
        at += bytes;
    }
    return count;
}

static bool is_plain_vowel(char letter)
{
    const uint32_t vowels = 1u << ('a' - 'a') | 1u << ('e' - 'a') | 1u << ('i' - 'a') |
                            1u << ('o' - 'a') | 1u << ('u' - 'a');
    return letters_is_latin(letter) && (vowels >> (letter - 'a') & 1u);
}

bool letters_same_vowel(char left, char right)
{
    return left == right && is_plain_vowel(left);
}

/* y beside a vowel is a consonant: "Yaral", "Fayan", but "Lynan". */
static bool is_vowel_at(const char *folded, size_t length, size_t at)
{
    return is_plain_vowel(folded[at]) ||
           (folded[at] == 'y' && !(at > 0 && is_plain_vowel(folded[at - 1])) &&
            !(at + 1 < length && is_plain_vowel(folded[at + 1])));
}

/* True if the `size` letters that end before `at` repeat the `size` letters before them. */
static bool repeats(const char *folded, size_t at, size_t size)
{
    return at >= 2 * size && letters_is_latin(folded[at - 1]) &&
           memcmp(folded + at - size, folded + at - 2 * size, size) == 0;
}

/* True if a syllable of two to four letters, or a letter three times, ends before `at`. */
static bool stutters(const char *folded, size_t at)
{
    return repeats(folded, at, 2) || repeats(folded, at, 3) || repeats(folded, at, 4) ||
           (repeats(folded, at, 1) && repeats(folded, at - 1, 1));
}

/* True if the consonant before `at` is there three times in REACH letters: "Serarero". */
static bool rattles(const char *folded, size_t at)
{
    enum { REACH = 6 };
    unsigned count = 0;
    for (size_t i = at > REACH ? at - REACH : 0; i < at; i++)
        count += folded[i] == folded[at - 1];
    return count >= 3;
}

/* True if two letters are one of the pairs in a text like "sz zs". */
static bool clash(char left, char right, const char *pairs)
{
    for (; pairs && *pairs; pairs += pairs[2] == ' ' ? 3 : 2)
        if (pairs[0] == left && pairs[1] == right)
            return true;
    return false;
}

bool letters_flow(const char *folded, size_t length, const struct letters_limits *limits)
{
    unsigned vowels = 0, consonants = 0;
    for (size_t i = 0; i < length; i++) {
        const bool latin = letters_is_latin(folded[i]), vowel = is_vowel_at(folded, length, i);
        const bool joins = folded[i] == 'h' && consonants > 0;
        vowels = vowel ? vowels + 1 : 0;
        consonants = latin && !vowel ? consonants + !joins : 0;
        if (vowels > limits->vowels || consonants > limits->consonants || stutters(folded, i + 1) ||
            (consonants > 0 && rattles(folded, i + 1)) ||
            (consonants > 2 && folded[i] == folded[i - 1]) ||
            (consonants > 1 && clash(folded[i - 1], folded[i], limits->clashes)))
            return false;
    }
    return true;
}

/* The characters that are no letters, in order: ASCII and Latin-1 in detail, then by Unicode's
 * blocks. */
static const struct {
    uint32_t first, last;
} no_letters[] = {
    {0x00, 0x40},        {0x5B, 0x60},     {0x7B, 0xA9},       {0xAB, 0xB4},       {0xB6, 0xB9},
    {0xBB, 0xBF},        {0xD7, 0xD7},     {0xF7, 0xF7},       {0x300, 0x36F}, /* marks */
    {0x600, 0x605},      {0x60B, 0x60F},   {0x61B, 0x61F},     {0x660, 0x66D}, /* Arabic signs */
    {0x2000, 0x206F},    {0x20A0, 0x20FF}, {0x2150, 0x2BFF}, /* spaces, directions, symbols */
    {0x2E00, 0x2E7F},    {0x3000, 0x3004}, {0x3008, 0x3020},   {0x3030, 0x3030}, /* CJK signs */
    {0xD800, 0xF8FF},    {0xFE00, 0xFE6F}, {0xFEFF, 0xFEFF}, /* private use, selectors */
    {0xFF00, 0xFF20},    {0xFFE0, 0xFFFF}, {0x1D000, 0x1D7FF}, {0x1F000, 0x1FBFF}, /* emoji */
    {0xE0000, 0x10FFFF}, /* tags, private use */
};

static bool is_letter(uint32_t character)
{
    for (size_t i = 0; i < sizeof no_letters / sizeof *no_letters; i++)
        if (character <= no_letters[i].last)
            return character < no_letters[i].first;
    return true;
}

const char *letters_find_other(const char *text, const char *others)
{
    const size_t length = strlen(text);
    for (size_t at = 0; at < length;) {
        uint32_t character;
        const size_t bytes = utf8_decode(text + at, length - at, &character);
        const bool other = character < 0x80 && strchr(others, (int)character);
        if (bytes == 0 || !(other || is_letter(character)))
            return text + at;
        at += bytes;
    }
    return NULL;
}
