/* Reads the member "view" of a world file: where a map of the world begins, a place or a rule. No
 * sample depends on it, so it is no part of the fingerprint. Whether the world has the style, the
 * catalog checks, which knows the shared ones.
 *
 * The condition of a rule has names of layers, biomes and materials, so it is checked when these
 * are read, and unless they have errors, which would make others of it. */
#include "core/base/place.h"
#include "core/worldfile/reader.h"
#include "core/worldfile/world_condition.h"

enum { ZOOM_MISSING = -1 };   /* set_usual_zoom() in build_program.c chooses one */
#define COORDINATE_MAX 0x1p40 /* PLACE_LIMIT in metres, and in seconds */

const struct reader_keys reader_view_keys =
    READER_KEYS("x", "y", "near", "where", "zoom", "style", "t");

static bool read_coordinate(const struct reader *reader, const char *key, const char *unit,
                            int64_t *coordinate)
{
    const struct reader_limits limits = {-COORDINATE_MAX, COORDINATE_MAX, 0.0, unit, ""};
    double number;
    const bool done = reader_number(reader, key, limits, &number);
    *coordinate = place_from_metres(number);
    return done;
}

/* The place that a rule looks around; the origin without it. */
static bool read_near(const struct reader *reader, struct world_view *view)
{
    struct place place;
    if (!json_member(reader->value, "near"))
        return true;
    if (!reader_place(reader, "near", &place))
        return false;
    view->x = place.x;
    view->y = place.y;
    return view->where ||
           reader_fail(reader, "near",
                       "goes with \"where\", the condition of the places to look for; "
                       "\"x\" and \"y\" are a place that is the same for every seed");
}

static bool refuse_coordinate(const struct reader *reader, const char *key)
{
    return !json_member(reader->value, key) ||
           reader_fail(reader, key,
                       "does not go with \"where\", which has \"near\": [x, y] for the place to "
                       "look around");
}

static bool read_centre(const struct reader *reader, struct world_view *view)
{
    if (view->where)
        return reader_take(reader, refuse_coordinate(reader, "x")) &&
               reader_take(reader, refuse_coordinate(reader, "y")) &&
               reader_take(reader, read_near(reader, view));
    return reader_take(reader, read_coordinate(reader, "x", "metres", &view->x)) &&
           reader_take(reader, read_coordinate(reader, "y", "metres", &view->y)) &&
           reader_take(reader, read_near(reader, view));
}

static bool read_zoom(const struct reader *reader, int *zoom)
{
    const struct json *value = json_member(reader->value, "zoom");
    double number = ZOOM_MISSING;
    if (value && !(json_number(value, &number) && number >= 0.0 && number <= WORLD_ZOOM_MAX &&
                   number == (double)(int)number))
        return reader_fail(reader, "zoom", "must be a whole number from 0 to %d", WORLD_ZOOM_MAX);
    *zoom = (int)number;
    return true;
}

bool reader_view(const struct reader *root)
{
    struct world_view *view = &root->world->view;
    const struct reader reader = {root->world, json_member(root->value, "view"), "view",
                                  root->error};
    *view = (struct world_view){.zoom = ZOOM_MISSING};
    if (!reader.value)
        return true;
    return reader_check_object(&reader, &reader_view_keys) &&
           reader_take(&reader, reader_text(&reader, "where", &view->where)) &&
           read_centre(&reader, view) && reader_take(&reader, read_zoom(&reader, &view->zoom)) &&
           reader_take(&reader, reader_text(&reader, "style", &view->style)) &&
           reader_take(&reader, read_coordinate(&reader, "t", "seconds", &view->t));
}

bool reader_view_condition(const struct reader *root)
{
    const struct world *world = root->world;
    if (!world->view.where || (world->diagnostics && world->diagnostics->count > 0))
        return true;
    struct condition *condition = world_condition_new(world, world->view.where, root->error);
    condition_free(condition);
    return condition || error_in_path(root->error, "view.where");
}
