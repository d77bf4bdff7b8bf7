/* Numbers and places from text. What is written reads back to the same; the C library, in its own
 * locale "C", is the judge of doubles. */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/number.h"
#include "core/base/place.h"

static size_t digit_count(const char *text)
{
    size_t count = 0;
    for (; *text && *text != 'e' && *text != 'E'; text++)
        count += *text >= '0' && *text <= '9';
    return count;
}

static void check_double(const char *text, size_t size)
{
    double value, again;
    float narrow;
    char out[NUMBER_TEXT];
    if (!number_parse(text, size, &value))
        return;
    fuzz_expect(__builtin_isfinite(value));
    if (digit_count(text) <= 19)
        fuzz_expect(value == strtod(text, NULL));
    size_t length = number_format_double(value, out);
    fuzz_expect(length == strlen(out) && number_scan(out, length) == length);
    fuzz_expect(number_parse(out, length, &again) && again == value);
    narrow = __builtin_fabs(value) < 3e38 ? (float)value : 0.0f;
    length = number_format_float(narrow, out);
    fuzz_expect(number_parse(out, length, &again) && (float)again == narrow);
}

static void check_whole(const char *text, size_t size)
{
    int64_t whole;
    uint64_t natural;
    double value;
    if (number_parse_integer(text, size, INT64_MIN, INT64_MAX, &whole))
        fuzz_expect(number_parse(text, size, &value) && value == (double)whole);
    /* A double is read from the 19 leading digits. */
    if (number_parse_unsigned(text, size, &natural) && size <= 19)
        fuzz_expect(number_parse(text, size, &value) && value == (double)natural);
}

/* The mirror image of a place has the same text but for its sign. */
static void check_mirror(const char *text, size_t size, int64_t place)
{
    int64_t mirrored;
    char *with_sign = malloc(size + 2);
    fuzz_expect(with_sign != NULL);
    with_sign[0] = '-';
    memcpy(with_sign + 1, text, size + 1);
    bool negative = text[0] == '-';
    bool parsed = negative ? place_parse(text + 1, size - 1, &mirrored, NULL)
                           : place_parse(with_sign, size + 1, &mirrored, NULL);
    fuzz_expect(parsed && mirrored == -place);
    free(with_sign);
}

static void check_place(const char *text, size_t size)
{
    int64_t place, again;
    double value;
    struct error error = {0};
    char out[NUMBER_TEXT];
    if (!place_parse(text, size, &place, &error)) {
        fuzz_expect_error(&error);
        fuzz_expect(error.code == ERROR_SYNTAX || error.code == ERROR_LIMIT);
        return;
    }
    fuzz_expect(llabs(place) <= PLACE_LIMIT);
    size_t length = place_format(place, out);
    fuzz_expect(length == strlen(out) && length < NUMBER_TEXT);
    fuzz_expect(place_parse(out, length, &again, &error) && again == place);
    fuzz_expect(number_parse(text, size, &value));
    fuzz_expect(__builtin_fabs(value - place_metres(place)) <=
                0x1p-17 + __builtin_fabs(value) * 0x1p-52);
    check_mirror(text, size, place);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    size_t length = strlen(text);
    fuzz_expect(number_scan(text, length) <= length);
    check_double(text, length);
    check_whole(text, length);
    check_place(text, length);
    free(text);
    return 0;
}
