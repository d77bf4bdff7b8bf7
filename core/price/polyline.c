/* What a sample near a line takes follows from the line: how many boxes and segments a search looks
 * at (usual_visits), and in a grid how long segments are. Where they are much longer than samples
 * are apart, neighbours have few segments to look at; where they are much shorter, most samples are
 * beyond the reach. Far from the line a grid takes next to nothing, but no price knows where a
 * request lies. What takes much longer, as in the middle of a circle, the meter ends. */
#include "core/price/polyline.h"

#include "core/base/extremes.h"

#define PLACE 50.0       /* at a place, */
#define PLACE_VISIT 25.0 /* and for each visit, few of which find their memory in the cache */
#define GRID 20.0        /* in a grid, */
#define GRID_VISIT 1.0   /* for each visit, */
#define ALONE_VISIT 6.0  /* and for each visit of samples that are as far apart as vertices */
#define ALIKE 8.0        /* times as far apart or near each other, at most */

double price_polyline(const struct program *program, const struct operation *operation,
                      struct sampling sampling)
{
    const struct polyline_view *view = &program->polyline_views[operation->table_index];
    const struct polyline *line = view->line;
    const double visits = line->usual_visits;
    if (sampling.step <= 0.0)
        return PLACE + PLACE_VISIT * visits;
    const double length = line->starts[line->segments] / line->segments,
                 step = sampling.step / view->scale;
    const double alone = double_min(1.0, ALIKE * double_min(step / length, length / step));
    return GRID + (GRID_VISIT + ALONE_VISIT * alone) * visits;
}
