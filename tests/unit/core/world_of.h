/* Worlds for tests, made from formulas, and samples of them. Include cmocka.h first. */
#ifndef TERRANE_TESTS_WORLD_OF_H
#define TERRANE_TESTS_WORLD_OF_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/sampling/sampler.h"
#include "core/worldfile/world.h"

/* A world from JSON text that must be right. */
static inline struct world *world_of_text(const char *text)
{
    struct error error = {0};
    struct world *world = world_parse(text, strlen(text), "test.json", NULL, &error);
    char message[512];
    error_format(&error, message, sizeof message);
    if (!world)
        fail_msg("%s\nin %s", message, text);
    return world;
}

/* A text as the inside of a JSON string. */
static inline void json_escape(const char *text, char *out, size_t size)
{
    static const char special[] = "\"\\\t\r\n", written[] = "\"\\trn";
    size_t used = 0;
    for (; *text && used + 3 < size; text++) {
        const char *found = strchr(special, *text);
        if (found) {
            out[used++] = '\\';
            out[used++] = written[found - special];
        } else {
            out[used++] = *text;
        }
    }
    out[used] = '\0';
}

/* JSON of a world whose layer "height" is the formula, with other members before it if given. */
static inline char *world_text(const char *formula, const char *members)
{
    size_t size = 2 * strlen(formula) + strlen(members) + 100;
    char *text = malloc(size), *escaped = malloc(size);
    assert_non_null(text);
    assert_non_null(escaped);
    json_escape(formula, escaped, size);
    snprintf(text, size, "{\"generator\":1,%s\"layers\":{\"height\":\"%s\"}}", members, escaped);
    free(escaped);
    return text;
}

static inline struct world *world_of(const char *formula)
{
    char *text = world_text(formula, "");
    struct world *world = world_of_text(text);
    free(text);
    return world;
}

/* A layer at a place in 2⁻¹⁶ m, with the level of detail of samples `spacing` metres apart, z and t
 * 0. */
static inline float layer_seen_at(const struct world *world, const char *layer, int64_t x,
                                  int64_t y, double spacing)
{
    struct sampler *sampler = sampler_new();
    assert_non_null(sampler);
    int found = world_find_layer(world, layer);
    assert_true(found >= 0);
    unsigned index = (unsigned)found;
    const struct place place = {x, y};
    const struct sample_points points = {.places = &place, .count = 1, .spacing = spacing};
    float value, *output = &value;
    const struct sample_request request = {&index, &output, 1};
    struct error error = {0};
    if (!sampler_points(sampler, world_program(world), &points, &request, &error))
        fail_msg("%s", error.message);
    sampler_free(sampler);
    return value;
}

/* The same at full detail. */
static inline float layer_at(const struct world *world, const char *layer, int64_t x, int64_t y)
{
    return layer_seen_at(world, layer, x, y, 0.0);
}

/* A formula at x, y metres. */
static inline float formula_at(const char *formula, double x, double y)
{
    struct world *world = world_of(formula);
    float value = layer_at(world, "height", (int64_t)(x * (double)PLACE_METRE),
                           (int64_t)(y * (double)PLACE_METRE));
    world_release(world);
    return value;
}

/* The error that a world's text is refused with. */
static inline struct error error_of_text(const char *text)
{
    struct error error = {0};
    struct world *world = world_parse(text, strlen(text), "test.json", NULL, &error);
    if (world)
        fail_msg("accepted: %s", text);
    return error;
}

static inline struct error error_of(const char *formula)
{
    char *text = world_text(formula, "");
    struct error error = error_of_text(text);
    free(text);
    return error;
}

/* The formula is refused with this code, at this column, and its message has these words. */
static inline void assert_refused(const char *formula, enum error_code code, unsigned column,
                                  const char *words)
{
    struct error error = error_of(formula);
    if (error.code != code || error.column != column || !strstr(error.message, words))
        fail_msg("%.200s: code %d column %u \"%s\", not code %d column %u \"%s\"", formula,
                 (int)error.code, error.column, error.message, (int)code, column, words);
    assert_string_equal(error.path, "layers.height");
    assert_string_equal(error.file, "test.json");
}

#endif
