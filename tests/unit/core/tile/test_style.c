/* Styles that are refused: each with its JSON path and the allowed values. */
#include "core/tile/style.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void assert_refused(const char *text, const char *path, const char *words)
{
    struct error error = {0};
    struct style *style = style_parse("s", text, strlen(text), "styles/s.json", &error);
    if (style)
        fail_msg("accepted: %s", text);
    if (strcmp(error.path, path) != 0 || !strstr(error.message, words))
        fail_msg("%s: %s: %s", text, error.path, error.message);
    assert_string_equal(error.file, "styles/s.json");
}

/* The same for one step of "paint". */
static void assert_step_refused(const char *step, const char *path, const char *words)
{
    char text[1000], where[100];
    snprintf(text, sizeof text, "{\"paint\":[%s]}", step);
    snprintf(where, sizeof where, "paint[0]%s", path);
    assert_refused(text, where, words);
}

static void whole_styles(void **unused)
{
    (void)unused;
    assert_refused("", "", "");
    assert_refused("[]", "", "a style must be an object, not an array");
    assert_refused("{}", "paint", "must be an array of 1 to 16 steps");
    assert_refused("{\"paint\":{}}", "paint", "must be an array");
    assert_refused("{\"paint\":[]}", "paint", "1 to 16");
    assert_refused("{\"pain\":[]}", "", "did you mean \"paint\"?");
    assert_refused("{\"title\":5,\"paint\":[{\"biomes\":{}}]}", "title", "must be a string");
    assert_refused("{\"paint\":[{\"biomes\":{}},{\"grey\":{\"layer\":\"a\"}}]}", "paint[1].grey",
                   "it must be the only step");
    assert_refused("{\"paint\":[{\"terrarium\":{\"layer\":\"a\"}},{\"biomes\":{}}]}",
                   "paint[0].terrarium", "it must be the only step");
    char many[17 * 16 + 20] = "{\"paint\":[{\"biomes\":{}}";
    for (int i = 0; i < 16; i++)
        strcat(many, ",{\"biomes\":{}}");
    assert_refused(strcat(many, "]}"), "paint", "1 to 16");
}

static void steps(void **unused)
{
    (void)unused;
    assert_step_refused("5", "", "must be an object with one member, the step");
    assert_step_refused("{}", "", "one member");
    assert_step_refused("{\"ramp\":{},\"shade\":{}}", "", "one member");
    assert_step_refused("{\"shades\":{}}", "",
                        "there is no step \"shades\" (did you mean \"shade\"?)");
    assert_step_refused("{\"grey\":5}", ".grey", "must be an object, not a number");
    assert_step_refused("{\"grey\":{}}", ".grey.layer", "must be the name of a layer");
    assert_step_refused("{\"grey\":{\"layer\":5}}", ".grey.layer", "must be the name of a layer");
    assert_step_refused("{\"grey\":{\"layer\":\"a\",\"low\":1}}", ".grey", "low");
    assert_step_refused("{\"biomes\":{\"opacity\":2}}", ".biomes.opacity",
                        "must be a number from 0 to 1");
    assert_step_refused("{\"biomes\":{\"opacity\":\"1\"}}", ".biomes.opacity", "from 0 to 1");
    assert_step_refused("{\"biomes\":{\"until\":0}}", ".biomes.until",
                        "must be a number from 0.001 to 1000000000");
    assert_step_refused("{\"biomes\":{\"optional\":1}}", ".biomes.optional", "true or false");
    assert_step_refused("{\"biomes\":{\"mask\":[]}}", ".biomes.mask", "must be an object like");
    assert_step_refused("{\"biomes\":{\"mask\":{\"from\":0}}}", ".biomes.mask.layer",
                        "must be the name of a layer");
    assert_step_refused("{\"biomes\":{\"mask\":{\"layer\":\"a\",\"from\":5,\"to\":\"4\"}}}",
                        ".biomes.mask.to", "must be a number from -1000000000");
}

static void ramps(void **unused)
{
    (void)unused;
    assert_step_refused("{\"ramp\":{\"layer\":\"a\"}}", ".ramp.stops", "an array of 1 to 32 stops");
    assert_step_refused("{\"ramp\":{\"layer\":\"a\",\"stops\":[]}}", ".ramp.stops", "1 to 32");
    assert_step_refused("{\"ramp\":{\"layer\":\"a\",\"stops\":[[0]]}}", ".ramp.stops[0]",
                        "must be a value and a color");
    assert_step_refused("{\"ramp\":{\"layer\":\"a\",\"stops\":[[0,\"#fff\"],[1,\"blue\"]]}}",
                        ".ramp.stops[1]", "must be a value and a color");
    assert_step_refused("{\"ramp\":{\"layer\":\"a\",\"stops\":[[0,\"#ffff\"]]}}", ".ramp.stops[0]",
                        "like [0, \"#2a6fb0\"]");
    assert_step_refused("{\"ramp\":{\"layer\":\"a\",\"stops\":[[\"0\",\"#fff\"]]}}",
                        ".ramp.stops[0]", "must be a value and a color");
    assert_step_refused("{\"ramp\":{\"layer\":\"a\",\"stops\":[[1,\"#fff\"],[0,\"#000\"]]}}",
                        ".ramp.stops[1]", "must not be below the stop before it");
    assert_step_refused("{\"ramp\":{\"layer\":\"a\",\"stops\":[[0,\"#fff\"]],\"opacty\":1}}",
                        ".ramp", "did you mean \"opacity\"?");
    char many[1000] = "{\"ramp\":{\"layer\":\"a\",\"stops\":[[0,\"#fff\"]";
    for (int i = 0; i < 32; i++)
        strcat(many, ",[0,\"#fff\"]");
    assert_step_refused(strcat(many, "]}}"), ".ramp.stops", "1 to 32");
}

static void shades(void **unused)
{
    (void)unused;
    assert_step_refused("{\"shade\":{\"layer\":\"a\"}}", ".shade.lights",
                        "must be an array of 1 to 8 lights");
    assert_step_refused("{\"shade\":{\"layer\":\"a\",\"lights\":[]}}", ".shade.lights", "1 to 8");
    assert_step_refused("{\"shade\":{\"layer\":\"a\",\"lights\":[[1,2]]}}", ".shade.lights[0]",
                        "must be [azimuth, altitude, weight]");
    assert_step_refused("{\"shade\":{\"layer\":\"a\",\"lights\":[[1,2,3,4]]}}", ".shade.lights[0]",
                        "must be [azimuth");
    assert_step_refused("{\"shade\":{\"layer\":\"a\",\"lights\":[[315,45,1],[361,45,1]]}}",
                        ".shade.lights[1]", "azimuth 0 to 360, altitude 1 to 90");
    assert_step_refused("{\"shade\":{\"layer\":\"a\",\"lights\":[[315,91,1]]}}", ".shade.lights[0]",
                        "altitude 1 to 90");
    assert_step_refused("{\"shade\":{\"layer\":\"a\",\"lights\":[[315,0,1]]}}", ".shade.lights[0]",
                        "altitude 1 to 90");
    assert_step_refused("{\"shade\":{\"layer\":\"a\",\"lights\":[[315,45,0]]}}", ".shade.lights",
                        "must have a light whose weight is above 0");
    assert_step_refused("{\"shade\":{\"layer\":\"a\",\"lights\":[[315,45,1]],\"exaggeration\":1}}",
                        ".shade.exaggeration", "must be pairs");
    assert_step_refused("{\"shade\":{\"layer\":\"a\",\"lights\":[[315,45,1]],"
                        "\"exaggeration\":[[5,1],[5,2]]}}",
                        ".shade.exaggeration", "the first number rising");
    assert_step_refused("{\"shade\":{\"layer\":\"a\",\"lights\":[[315,45,1]],\"strength\":5}}",
                        ".shade.strength", "must be a number from 0 to 4");
    assert_step_refused("{\"shade\":{\"layer\":\"a\",\"lights\":[[315,45,1]],\"water\":-1}}",
                        ".shade.water", "from 0 to 1");
}

static void shades_in_colour(void **unused)
{
    (void)unused;
#define LIT(more) "{\"shade\":{\"layer\":\"a\",\"lights\":[[315,45,1]]," more "}}"
    assert_step_refused(LIT("\"contrast\":[]"), ".shade.contrast",
                        "must be pairs [height, factor], at most 32, the first number rising, the "
                        "second from 0 to 4");
    assert_step_refused(LIT("\"contrast\":[[0,1],[0,1]]"), ".shade.contrast", "rising");
    assert_step_refused(LIT("\"contrast\":[[0,5]]"), ".shade.contrast", "from 0 to 4");
    assert_step_refused(LIT("\"contrast\":[[-2e9,1]]"), ".shade.contrast", "pairs");
    assert_step_refused(LIT("\"exaggeration\":[[-1,1]]"), ".shade.exaggeration",
                        "must be pairs [metres a pixel, factor]");
    assert_step_refused(LIT("\"shadow\":\"blue\""), ".shade.shadow",
                        "must be a color, like \"#2a6fb0\"");
    assert_step_refused(LIT("\"shadow\":5"), ".shade.shadow", "must be a color");
    assert_step_refused(LIT("\"opacity\":2"), ".shade.opacity", "from 0 to 1");
    assert_step_refused(LIT("\"mask\":5"), ".shade.mask", "must be an object like");
    assert_step_refused(LIT("\"optional\":5"), ".shade.optional", "true or false");
    assert_step_refused(LIT("\"strenght\":1"), ".shade", "did you mean \"strength\"?");
}

static void slopes_and_water(void **unused)
{
    (void)unused;
    assert_step_refused("{\"slope\":{\"stops\":[[0,\"#fff\"]]}}", ".slope.layer",
                        "must be the name of a layer");
    assert_step_refused("{\"slope\":{\"layer\":\"a\"}}", ".slope.stops", "1 to 32 stops");
    assert_step_refused("{\"slope\":{\"layer\":\"a\",\"stops\":[[0,\"#fff\"],[91,\"#000\"]]}}",
                        ".slope.stops[1]", "must be a number from 0 to 90");
    assert_step_refused("{\"slope\":{\"layer\":\"a\",\"stops\":[[-1,\"#fff\"]]}}",
                        ".slope.stops[0]", "from 0 to 90");
    assert_step_refused("{\"slope\":{\"layer\":\"a\",\"stops\":[[0,\"#fff\"]],\"opacity\":-1}}",
                        ".slope.opacity", "from 0 to 1");
    assert_step_refused("{\"slope\":{\"layer\":\"a\",\"stop\":[]}}", ".slope",
                        "did you mean \"stops\"?");
    assert_step_refused("{\"water\":{\"stops\":[[0,\"#fff\"]]}}", ".water.layer",
                        "must be the name of a layer");
    assert_step_refused("{\"water\":{\"layer\":\"a\",\"surface\":0}}", ".water.surface",
                        "must be the name of a layer");
    assert_step_refused("{\"water\":{\"layer\":\"a\",\"stops\":[[-5,\"#fff\"]]}}",
                        ".water.stops[0]", "from 0 to 1000000000");
    assert_step_refused("{\"water\":{\"layer\":\"a\",\"stops\":5}}", ".water.stops", "1 to 32");
    assert_step_refused("{\"water\":{\"layer\":\"a\",\"surfaces\":0}}", ".water",
                        "did you mean \"surface\"?");
}

static void contours(void **unused)
{
    (void)unused;
#define LINES(more) "{\"contour\":{\"layer\":\"a\"," more "}}"
    assert_step_refused("{\"contour\":{\"interval\":5}}", ".contour.layer", "name of a layer");
    assert_step_refused(LINES("\"width\":1"), ".contour",
                        "needs \"interval\", metres between lines, or \"intervals\"");
    assert_step_refused(LINES("\"interval\":5,\"intervals\":[[0,5]]"), ".contour", "or");
    assert_step_refused(LINES("\"interval\":0"), ".contour.interval",
                        "must be a number from 0.001 to 1000000");
    assert_step_refused(LINES("\"interval\":\"5\""), ".contour.interval", "from 0.001");
    assert_step_refused(LINES("\"intervals\":[]"), ".contour.intervals",
                        "must be pairs [metres a pixel, metres between lines]");
    assert_step_refused(LINES("\"intervals\":[[0,0]]"), ".contour.intervals", "from 0.001");
    assert_step_refused(LINES("\"intervals\":[[5,1],[4,1]]"), ".contour.intervals", "rising");
    assert_step_refused(LINES("\"interval\":5,\"index\":2.5"), ".contour.index",
                        "must be a whole number from 0 to 1000");
    assert_step_refused(LINES("\"interval\":5,\"index\":-1"), ".contour.index", "from 0 to 1000");
    assert_step_refused(LINES("\"interval\":5,\"width\":51"), ".contour.width", "from 0 to 50");
    assert_step_refused(LINES("\"interval\":5,\"index_width\":-1"), ".contour.index_width",
                        "from 0 to 50");
    assert_step_refused(LINES("\"interval\":5,\"color\":\"red\""), ".contour.color",
                        "must be a color");
    assert_step_refused(LINES("\"interval\":5,\"index_color\":[]"), ".contour.index_color",
                        "must be a color");
    assert_step_refused(LINES("\"interval\":5,\"water_color\":1"), ".contour.water_color",
                        "must be a color");
    assert_step_refused(LINES("\"interval\":5,\"colour\":\"#000\""), ".contour",
                        "did you mean \"color\"?");
    assert_step_refused(LINES("\"interval\":5,\"mask\":{\"layer\":1}"), ".contour.mask.layer",
                        "must be the name of a layer");
}

/* Steps that make the whole picture. */
static void whole_picture_steps(void **unused)
{
    (void)unused;
    static const char *const names[] = {"grey16", "mapbox", "normal"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char step[100], style[200], path[40];
        snprintf(path, sizeof path, ".%s.layer", names[i]);
        snprintf(step, sizeof step, "{\"%s\":{}}", names[i]);
        assert_step_refused(step, path, "must be the name of a layer");
        snprintf(step, sizeof step, "{\"%s\":{\"layer\":\"a\",\"opacity\":1}}", names[i]);
        snprintf(path, sizeof path, ".%s", names[i]);
        assert_step_refused(step, path, "opacity");
        snprintf(style, sizeof style, "{\"paint\":[{\"%s\":{\"layer\":\"a\"}},{\"biomes\":{}}]}",
                 names[i]);
        snprintf(path, sizeof path, "paint[0].%s", names[i]);
        assert_refused(style, path, "it must be the only step");
    }
}

static void objects(void **unused)
{
    (void)unused;
    assert_step_refused("{\"objects\":[]}", ".objects", "must be an object, not an array");
    assert_step_refused("{\"objects\":{\"form\":1}}", ".objects", "did you mean \"from\"?");
    assert_step_refused("{\"objects\":{\"from\":0.4}}", ".objects.from",
                        "must be a number from 0.5 to 1000");
    assert_step_refused("{\"objects\":{\"shadow\":1.1}}", ".objects.shadow", "from 0 to 1");
    assert_step_refused("{\"objects\":{\"opacity\":-1}}", ".objects.opacity", "from 0 to 1");
    assert_step_refused("{\"objects\":{\"optional\":\"yes\"}}", ".objects.optional",
                        "true or false");
    assert_refused("{\"paint\":[{\"objects\":{}},{\"biomes\":{}},{\"objects\":{}}]}",
                   "paint[2].objects", "a style has at most one step of objects");
}

static void names_and_titles(void **unused)
{
    (void)unused;
    struct error error = {0};
    const char *text = "{\"title\":\"The title\",\"paint\":[{\"biomes\":{}}]}";
    struct style *style = style_parse("name", text, strlen(text), "f", &error);
    assert_non_null(style);
    assert_string_equal(style_name(style), "name");
    assert_string_equal(style_title(style), "The title");
    style_free(style);
    text = "{\"paint\":[{\"biomes\":{}}]}";
    style = style_parse("name", text, strlen(text), "f", &error);
    assert_string_equal(style_title(style), "name");
    style_free(style);
    style_free(NULL);
}

/* A world's own style: messages begin with its path in the world's file. */
static void styles_in_a_world(void **unused)
{
    (void)unused;
    struct error error = {0};
    const char *text = "{\"s\":{\"paint\":[{\"grey\":{}}]}}";
    struct json_document *document = json_parse(text, strlen(text), NULL, &error);
    const struct json *value = json_member(json_root(document), "s");
    assert_null(style_read("s", value, "styles.s", &error));
    assert_string_equal(error.path, "styles.s.paint[0].grey.layer");
    json_free(document);
}

int test_style(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_styles),
        cmocka_unit_test(steps),
        cmocka_unit_test(ramps),
        cmocka_unit_test(shades),
        cmocka_unit_test(shades_in_colour),
        cmocka_unit_test(slopes_and_water),
        cmocka_unit_test(contours),
        cmocka_unit_test(whole_picture_steps),
        cmocka_unit_test(objects),
        cmocka_unit_test(names_and_titles),
        cmocka_unit_test(styles_in_a_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
