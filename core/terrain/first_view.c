/* The spiral turns by the golden angle from place to place, so that places lie in all directions at
 * every distance, and grows by a factor: the first ones are within the first screen of the map, the
 * last ones beyond an ocean. It begins half a tile of the view's zoom away. Places outside of the
 * central square, which other programs' maps end at, are left out.
 *
 * The places are sampled as the map would show them four zooms farther out: with a drainage network
 * all of them so take as long as three or four places at full detail, and what is land there seldom
 * is none at full detail. Most seeds have their view among the first places, so these are sampled
 * and checked before the others are sampled at all.
 *
 * If no place has what the rule asks for, the same search is made for land. */
#include "core/terrain/first_view.h"

#include <math.h>

#include "core/price/sampling.h"
#include "core/terrain/locate_check.h"
#include "core/worldfile/world_condition.h"

#define DOUBLING 1.0027219219586454 /* 2^(1/255): what doubles a distance by the last place */
#define CONDITIONS_TIME 2e5         /* nanoseconds, to compile two conditions */
/* The golden angle, 137.5°. */
#define TURN_COSINE (-0.7373688780783197)
#define TURN_SINE 0.6754902942615238
#define SQUARE 33554432.0 /* metres across the central square */
#define HALF_SQUARE ((int64_t)1 << (24 + PLACE_BITS))
enum {
    WORLD_LOG2 = 25,   /* of the metres of a tile at zoom 0 */
    ZOOM_LEAST = 7,    /* a tile is 262 km wide */
    TILE_SAMPLES = 16, /* across a tile: the level of detail of the spiral's places */
};

/* Of a view that shows more than that the distances and the level of detail are those of a closer
 * one, as the square ends. */
static double tile_metres(int zoom)
{
    return (double)((int64_t)1 << (WORLD_LOG2 - (zoom < ZOOM_LEAST ? ZOOM_LEAST : zoom)));
}

/* The level of detail of the spiral's places, in metres. */
static double spiral_spacing(int zoom)
{
    return tile_metres(zoom) / TILE_SAMPLES;
}

/* How many times as far each place is as the one before: by the last one half a tile, which is
 * 2^-1-z of the square, has grown to the whole square. */
static double growth_of(int zoom)
{
    double growth = DOUBLING;
    for (int i = 0; i < (zoom < ZOOM_LEAST ? ZOOM_LEAST : zoom); i++)
        growth *= DOUBLING;
    return growth;
}

struct place first_view_candidate(struct place near, int zoom, unsigned number)
{
    double x = tile_metres(zoom) / 2.0, y = 0.0;
    const double growth = growth_of(zoom);
    for (unsigned i = 0; i < number; i++) {
        const double turned = growth * (TURN_COSINE * x - TURN_SINE * y);
        y = growth * (TURN_SINE * x + TURN_COSINE * y);
        x = turned;
    }
    return (struct place){near.x + (int64_t)floor(x) * PLACE_METRE,
                          near.y + (int64_t)floor(y) * PLACE_METRE};
}

static bool is_within(struct place place, int64_t most)
{
    return place.x >= -most && place.x <= most && place.y >= -most && place.y <= most;
}

bool first_view_allows(struct place near, struct place place)
{
    return is_within(place, is_within(near, HALF_SQUARE) ? HALF_SQUARE : PLACE_LIMIT);
}

/* What the centre is where the rule finds nothing. */
static const char land[] = "height > 0";

/* A search for the first place where a condition holds. */
struct search {
    struct sampler *sampler;
    const struct world *world;
    const struct condition *condition;
    unsigned checks_left;
    bool found;
    struct place centre;
};

/* Checks a place at full detail. */
static bool check(struct search *search, struct place place, struct error *error)
{
    struct locate_candidates candidates = {.places = {place}, .count = 1};
    if (!locate_check(search->sampler, search->world, search->condition, &candidates, error))
        return false;
    search->found = candidates.passes[0];
    search->centre = place;
    return true;
}

/* Places of the spiral that are sampled together. */
struct batch {
    struct place places[FIRST_VIEW_ONCE];
    size_t count;
    float holds[FIRST_VIEW_ONCE]; /* not 0 where the condition holds, but for the slope */
};

/* Samples the places at the coarser level of detail. */
static bool sample_places(const struct search *search, struct batch *batch, struct error *error)
{
    const struct condition_needs *needs = condition_needs(search->condition);
    const struct sample_points points = {
        .places = batch->places,
        .count = batch->count,
        .spacing = spiral_spacing(world_view(search->world)->zoom),
    };
    float samples[CONDITION_LAYERS_MAX][FIRST_VIEW_ONCE], *outputs[CONDITION_LAYERS_MAX];
    struct condition_rows rows = {0};
    for (unsigned i = 0; i < needs->first_count; i++)
        rows.layers[i] = outputs[i] = samples[i];
    const struct sample_request request = {needs->layers, outputs, needs->first_count};
    if (needs->first_count > 0 &&
        !sampler_points(search->sampler, world_program(search->world), &points, &request, error))
        return false;
    condition_run(search->condition, CONDITION_FIRST, &rows, batch->count, batch->holds);
    return true;
}

/* Takes the next places, from number *next on, that the view may be at. False if there are none. */
static bool fill_batch(const struct search *search, unsigned *next, struct batch *batch)
{
    const struct world_view *view = world_view(search->world);
    const struct place near = {view->x, view->y};
    batch->count = 0;
    for (; *next < FIRST_VIEW_PLACES && batch->count < FIRST_VIEW_ONCE; ++*next) {
        const struct place place = first_view_candidate(near, view->zoom, *next);
        if (first_view_allows(near, place))
            batch->places[batch->count++] = place;
    }
    return batch->count > 0;
}

/* Samples the places, and checks those where the condition holds. */
static bool search_places(struct search *search, struct batch *batch, struct error *error)
{
    if (!sample_places(search, batch, error))
        return false;
    for (size_t i = 0; i < batch->count && !search->found && search->checks_left > 0; i++) {
        if (batch->holds[i] == 0.0f)
            continue;
        search->checks_left--;
        if (!check(search, batch->places[i], error))
            return false;
    }
    return true;
}

/* Searches near the view's place, and at it as well. */
static bool run_search(struct search *search, struct error *error)
{
    const struct world_view *view = world_view(search->world);
    struct batch batch;
    unsigned next = 0;
    bool done = check(search, (struct place){view->x, view->y}, error);
    search->checks_left = FIRST_VIEW_CHECKS;
    while (done && !search->found && search->checks_left > 0 && fill_batch(search, &next, &batch))
        done = search_places(search, &batch, error);
    return done;
}

static bool search_where(struct sampler *sampler, const struct world *world, const char *where,
                         struct search *search, struct error *error)
{
    struct condition *condition = world_condition_new(world, where, error);
    *search = (struct search){.sampler = sampler, .world = world, .condition = condition};
    const bool done = condition && run_search(search, error);
    condition_free(condition);
    return done;
}

bool first_view_find(struct sampler *sampler, const struct world *world, struct place *centre,
                     struct error *error)
{
    const struct world_view *view = world_view(world);
    struct search search;
    *centre = (struct place){view->x, view->y};
    if (!view->where)
        return true;
    if (!search_where(sampler, world, view->where, &search, error) ||
        (!search.found && !search_where(sampler, world, land, &search, error)))
        return false;
    if (search.found)
        *centre = search.centre;
    return true;
}

/* The time of a whole search that finds nothing. */
static double search_time(const struct world *world, const char *where)
{
    struct error error;
    struct condition *condition = world_condition_new(world, where, &error);
    if (!condition) /* memory is out */
        return 0.0;
    const struct condition_needs *needs = condition_needs(condition);
    const int zoom = world_view(world)->zoom;
    const double extent = 2.0 * SQUARE;
    const struct sampling sampling = {
        .spacing = spiral_spacing(zoom), .all_extent = extent, .all_places = FIRST_VIEW_PLACES};
    const struct sampling_price price =
        price_sampling(world_program(world), needs->layers, needs->first_count, sampling);
    const double checks = 1.0 + FIRST_VIEW_CHECKS;
    const double time = (double)FIRST_VIEW_PLACES / FIRST_VIEW_ONCE * price.call +
                        FIRST_VIEW_PLACES * (price.sample + price.place) +
                        locate_check_time(world, needs, checks, checks, extent);
    condition_free(condition);
    return time;
}

double first_view_time(const struct world *world)
{
    const char *where = world_view(world)->where;
    return where ? CONDITIONS_TIME + search_time(world, where) + search_time(world, land) : 0.0;
}
