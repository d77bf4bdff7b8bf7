/* Formulas: parsed alone, and as the only layer of a world. */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/buffer.h"
#include "core/base/hash.h"
#include "core/language/canonicalize.h"
#include "core/language/compile.h"
#include "tests/fuzz/compare_sampling.h"

/* A world file around the formula. */
static void write_world(struct buffer *out, const char *formula)
{
    buffer_text(out, "{\"generator\":1,\"layers\":{\"height\":\"");
    for (const char *c = formula; *c; c++) {
        if (*c == '"' || *c == '\\')
            buffer_byte(out, '\\');
        if (*c > 0 && *c < ' ')
            buffer_format(out, "\\u%04x", (unsigned)*c);
        else
            buffer_byte(out, (uint8_t)*c);
    }
    buffer_text(out, "\"}}");
}

static bool parse_alone(const char *text)
{
    struct arena arena = {0};
    struct error error = {0};
    struct buffer canonical = {0};
    const struct formula *formula = formula_parse(&arena, text, &error);
    bool parsed = formula != NULL;
    if (parsed) {
        formula_canonicalize(formula, &canonical);
        fuzz_expect(!canonical.failed && canonical.length > 0);
    } else {
        fuzz_expect_error(&error);
        fuzz_expect(error.column > 0 && error.column <= strlen(text) + 1);
    }
    buffer_free(&canonical);
    arena_free(&arena);
    return parsed;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct world_limits limits = {.octaves = 64};
    struct error error = {0};
    struct buffer file = {0};
    char *text = fuzz_text(data, size);
    bool parsed = parse_alone(text);
    write_world(&file, text);
    struct world *world =
        world_parse((const char *)file.data, file.length, "fuzz.json", &limits, &error);
    if (world) {
        fuzz_expect(parsed);
        sampling_check(world, hash_bytes(data, size, 1).low);
    } else {
        fuzz_expect_error(&error);
    }
    world_release(world);
    buffer_free(&file);
    free(text);
    return 0;
}
