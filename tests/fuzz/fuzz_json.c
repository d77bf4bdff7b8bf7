/* The JSON reader: whatever it takes can be walked, is no deeper than allowed and has unique keys.
 */
#include "tests/fuzz/fuzz.h"

#include <string.h>

#include "core/base/number.h"
#include "core/base/utf8.h"
#include "core/worldfile/json.h"

enum { DEPTH = 12 };

static void check_text(const struct json *value)
{
    const char *text = json_text(value);
    double number;
    fuzz_expect(text != NULL && utf8_valid(text, strlen(text)));
    if (json_type(value) != JSON_NUMBER)
        return;
    fuzz_expect(number_scan(text, strlen(text)) == strlen(text));
    if (json_number(value, &number))
        fuzz_expect(__builtin_isfinite(number));
}

static void walk(const struct json *value, unsigned depth)
{
    size_t count = 0;
    enum json_type type = json_type(value);
    fuzz_expect(depth <= DEPTH + 1 && json_type_name(type)[0] != '\0');
    if (type == JSON_NUMBER || type == JSON_STRING)
        check_text(value);
    for (const struct json *child = json_first(value); child; child = json_next(child)) {
        count++;
        if (type == JSON_OBJECT)
            fuzz_expect(json_member(value, json_key(child)) == child);
        walk(child, depth + 1);
    }
    fuzz_expect(count == json_count(value));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const allowed[] = {"title", "layers"};
    const struct json_limits limits = {.bytes = 4096, .depth = DEPTH};
    struct error error = {0};
    struct json_document *document = json_parse((const char *)data, size, &limits, &error);
    if (!document) {
        fuzz_expect_error(&error);
        fuzz_expect(error.code == ERROR_LIMIT || (error.line > 0 && error.column > 0));
        return 0;
    }
    fuzz_expect(size <= limits.bytes);
    walk(json_root(document), 1);
    if (!json_allow(json_root(document), "", allowed, 2, &error))
        fuzz_expect_error(&error);
    json_free(document);
    return 0;
}
