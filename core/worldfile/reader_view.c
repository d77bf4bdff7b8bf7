/* Reads the member "view" of a world file: where a map of the world begins. No sample depends on
 * it, so it is no part of the fingerprint. Whether the world has the style, the catalog checks,
 * which knows the shared ones. */
#include "core/base/place.h"
#include "core/worldfile/reader.h"

enum { ZOOM_MISSING = -1 };   /* set_usual_zoom() in build_program.c chooses one */
#define COORDINATE_MAX 0x1p40 /* PLACE_LIMIT in metres, and in seconds */

const struct reader_keys reader_view_keys = READER_KEYS("x", "y", "zoom", "style", "t");

static bool read_coordinate(const struct reader *reader, const char *key, const char *unit,
                            int64_t *coordinate)
{
    const struct reader_limits limits = {-COORDINATE_MAX, COORDINATE_MAX, 0.0, unit, ""};
    double number;
    const bool done = reader_number(reader, key, limits, &number);
    *coordinate = place_from_metres(number);
    return done;
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
           reader_take(&reader, read_coordinate(&reader, "x", "metres", &view->x)) &&
           reader_take(&reader, read_coordinate(&reader, "y", "metres", &view->y)) &&
           reader_take(&reader, read_zoom(&reader, &view->zoom)) &&
           reader_take(&reader, reader_text(&reader, "style", &view->style)) &&
           reader_take(&reader, read_coordinate(&reader, "t", "seconds", &view->t));
}
