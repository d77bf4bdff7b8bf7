/* All layers that are told are sampled in one call, at the place and its neighbours: the slope
 * needs these. Full detail, as a place has no zoom. */
#include "server/queries/place_facts.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/terrain/surface.h"
#include "server/queries/named_place.h"
#include "server/render/price.h"

enum { TOLD_MAX = PLACE_FACTS_MAX - 4 }; /* layers besides the ground, biome and names */

/* The layers that are sampled: those that are told, then height and water, and the biome. */
struct samples {
    unsigned layers[TOLD_MAX + 3];
    float values[TOLD_MAX + 3][SURFACE_PLACES];
    unsigned told, count;
};

__attribute__((format(printf, 3, 4))) static void add(struct place_facts *facts, const char *name,
                                                      const char *format, ...)
{
    struct place_fact *fact = &facts->items[facts->count];
    va_list arguments;
    if (facts->count == PLACE_FACTS_MAX)
        return;
    snprintf(fact->name, sizeof fact->name, "%s", name);
    fact->name[0] = (char)toupper((unsigned char)fact->name[0]);
    va_start(arguments, format);
    vsnprintf(fact->text, sizeof fact->text, format, arguments);
    va_end(arguments);
    facts->count++;
}

/* True for degrees Celsius and millimetres a year, but no lengths and areas: those say more to
 * formulas than to people. */
static bool is_told(const struct world_layer *layer)
{
    return layer->unit[0] && strcmp(layer->unit, "m") != 0 && strcmp(layer->unit, "m²") != 0;
}

static unsigned add_layer(struct samples *samples, unsigned layer)
{
    samples->layers[samples->count] = layer;
    return samples->count++;
}

static bool sample(struct sampler *sampler, const struct world *world,
                   const struct place_facts *facts, struct samples *samples, struct error *error)
{
    struct place places[SURFACE_PLACES];
    float *outputs[TOLD_MAX + 3];
    const struct sample_points points = {.places = places, .count = SURFACE_PLACES, .t = facts->t};
    const struct sample_request request = {samples->layers, outputs, samples->count};
    surface_places(facts->place, 0.0, places);
    for (unsigned i = 0; i < samples->count; i++)
        outputs[i] = samples->values[i];
    return sampler_points(sampler, world_program(world), &points, &request, error);
}

/* The height of a pattern is a number without a unit, and has neither water nor slope. */
static void tell_ground(struct place_facts *facts, const struct world_layer *height,
                        const struct surface *ground)
{
    const double depth = (double)ground->water - (double)ground->height;
    if (!height->unit[0]) {
        add(facts, "Height", "%.2f", (double)ground->height);
        return;
    }
    add(facts, "Height", "%.0f %s", (double)ground->height, height->unit);
    if (depth > 0.0)
        add(facts, "Water", depth < 10.0 ? "%.1f m deep" : "%.0f m deep", depth);
    else
        add(facts, "Slope", "%.0f°", (double)ground->slope);
}

static void tell_biome(struct place_facts *facts, const struct world *world, float index)
{
    if (index >= 0.0f && index < (float)world_biome_count(world))
        add(facts, "Biome", "%s", world_biome(world, (unsigned)index)->title);
}

static bool tell_names(struct sampler *sampler, const struct world *world,
                       struct place_facts *facts, struct error *error)
{
    struct label_place around = {.place = facts->place};
    struct buffer text = {0};
    if (!named_place_find(sampler, world, &around, error))
        return false;
    named_place_write_text(&text, &around);
    if (text.length > 0 && !text.failed)
        add(facts, "Names", "%s", buffer_string(&text));
    buffer_free(&text);
    const struct label_found *first = around.in_count > 0     ? around.in
                                      : around.is_on          ? &around.on
                                      : around.near_count > 0 ? around.near
                                                              : NULL;
    snprintf(facts->name, sizeof facts->name, "%s", first ? first->label.name.text : "");
    return true;
}

bool place_facts_find(struct sampler *sampler, const struct world *world, struct place_facts *facts,
                      struct error *error)
{
    const int biome_layer = world_biome_layer(world), water_layer = surface_water_layer(world);
    struct samples samples = {.count = 0};
    facts->count = 0;
    for (unsigned i = 0; i < world_layer_count(world) && samples.count < TOLD_MAX; i++)
        if (is_told(world_layer(world, i)))
            add_layer(&samples, i);
    samples.told = samples.count;
    const unsigned height = add_layer(&samples, world_height_layer(world));
    const unsigned water = water_layer < 0 ? 0 : add_layer(&samples, (unsigned)water_layer);
    const unsigned biome = biome_layer < 0 ? 0 : add_layer(&samples, (unsigned)biome_layer);
    if (!sample(sampler, world, facts, &samples, error))
        return false;
    const float level = water_layer < 0 ? 0.0f : samples.values[water][0];
    const struct surface ground = surface_of_heights(samples.values[height], level, 0.0);
    tell_ground(facts, world_layer(world, world_height_layer(world)), &ground);
    if (biome_layer >= 0)
        tell_biome(facts, world, samples.values[biome][0]);
    for (unsigned i = 0; i < samples.told; i++) {
        const struct world_layer *layer = world_layer(world, samples.layers[i]);
        add(facts, layer->name, "%.*f %s", strcmp(layer->unit, "°C") == 0 ? 1 : 0,
            (double)samples.values[i][0], layer->unit);
    }
    return !world_has_names(world) || tell_names(sampler, world, facts, error);
}

uint64_t place_facts_price(const struct world *world)
{
    return price_places(world, SURFACE_PLACES, 1.0) +
           (world_has_names(world) ? named_place_price(world) : 0);
}
