/* Reads the members of the step "shade". Lights become vectors towards the light, multiplied by
 * their weight; the light on level ground is the sum of their upward parts, and slopes are compared
 * with it. Angles use own series instead of libm's functions, so that pixels have the same bits on
 * every machine. */
#include <stdio.h>

#include "core/tile/style_reader.h"

/* Sine and cosine of 0 … 360°, by reduction to ±45° and Taylor series, good to 1e-12. */
static void unit_vector(double degrees, double *sine, double *cosine)
{
    int quarter = (int)(degrees / 90.0 + 0.5);
    double a = (degrees - quarter * 90.0) * (3.14159265358979324 / 180.0), q = a * a;
    double s = a * (1 - q / 6 * (1 - q / 20 * (1 - q / 42 * (1 - q / 72 * (1 - q / 110)))));
    double c = 1 - q / 2 * (1 - q / 12 * (1 - q / 30 * (1 - q / 56 * (1 - q / 90))));
    *sine = quarter % 4 == 0 ? s : quarter % 4 == 1 ? c : quarter % 4 == 2 ? -s : -c;
    *cosine = quarter % 4 == 0 ? c : quarter % 4 == 1 ? -s : quarter % 4 == 2 ? -c : s;
}

/* [azimuth, altitude, weight]: degrees clockwise from north, degrees above the horizon. */
static bool read_light(const struct style_reader *reader, const struct json *light, uint32_t index)
{
    struct shade *shade = &reader->step->shade;
    double numbers[3] = {0};
    const struct json *value = json_first(light);
    char key[32];
    snprintf(key, sizeof key, "lights[%u]", index);
    for (int i = 0; i < 3; i++, value = json_next(value))
        if (!json_number(value, &numbers[i]) || numbers[i] < 0.0)
            return style_fail(reader, key,
                              "must be [azimuth, altitude, weight]: degrees from north, "
                              "degrees above the horizon, a share");
    if (json_type(light) != JSON_ARRAY || json_count(light) != 3 || numbers[0] > 360.0 ||
        numbers[1] < 1.0 || numbers[1] > 90.0 || numbers[2] > 100.0)
        return style_fail(reader, key,
                          "must be [azimuth 0 to 360, altitude 1 to 90, weight 0 to 100]");
    double sine, cosine, up, level;
    unit_vector(numbers[0], &sine, &cosine);
    unit_vector(numbers[1], &up, &level);
    shade->east[index] = (float)(sine * level * numbers[2]);
    shade->south[index] = (float)(-cosine * level * numbers[2]);
    shade->up[index] = (float)(up * numbers[2]);
    shade->level += shade->up[index];
    shade->light_count = index + 1;
    return true;
}

static bool read_lights(const struct style_reader *reader)
{
    const struct json *lights = json_member(reader->value, "lights");
    if (json_type(lights) != JSON_ARRAY || json_count(lights) < 1 ||
        json_count(lights) > STYLE_LIGHTS_MAX)
        return style_fail(reader, "lights", "must be an array of 1 to %d lights like [315, 45, 1]",
                          STYLE_LIGHTS_MAX);
    uint32_t index = 0;
    for (const struct json *light = json_first(lights); light; light = json_next(light))
        if (!read_light(reader, light, index++))
            return false;
    return reader->step->shade.level > 0.0f ||
           style_fail(reader, "lights", "must have a light whose weight is above 0");
}

bool style_read_shade(const struct style_reader *reader)
{
    static const struct style_pairs exaggeration = {
        "exaggeration", "metres a pixel, factor", 0.0, 0.0, 1e4, 1.0};
    static const struct style_pairs contrast = {"contrast", "height, factor", -1e9, 0.0, 4.0, 1.0};
    struct shade *shade = &reader->step->shade;
    const struct style_limits share = {0, 1, 1}, strength = {0, 4, 1};
    return read_lights(reader) && style_read_pairs(reader, &exaggeration, &shade->exaggeration) &&
           style_read_pairs(reader, &contrast, &shade->contrast) &&
           style_read_number(reader, "strength", strength, &shade->strength) &&
           style_read_number(reader, "highlight", share, &shade->highlight) &&
           style_read_number(reader, "water", share, &shade->water) &&
           style_read_colour(reader, "shadow", &shade->shadow);
}
