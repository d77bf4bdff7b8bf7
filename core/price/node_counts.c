/* Counts nodes by closed formulas: the ratio of the distances of samples and nodes tells how many
 * a grid covers, and random places share few. The constants were fitted to counts of the sampler
 * (`make bench-prices`), not derived. */
#include "core/price/node_counts.h"

#include "core/base/extremes.h"

#define EDGE_NODES 0.0625 /* nodes a sample around a grid, for a ratio of distances of 1 */
#define GRID_ACROSS 256.0 /* samples of a grid that load their nodes together, at most */
#define LEAST_APART 0.5   /* nodes a sample, if a grid's lie too far apart for a rectangle */
#define LINE_NODES 5.0    /* along a line, for a ratio of 1 */

struct displacement node_displacement(const struct program *program, const struct node_grid *grid)
{
    struct displacement displacement = {0.0, 0.0};
    if (grid->dx < 0)
        return displacement;
    const struct operation *moved[2] = {&program->operations[grid->dx],
                                        &program->operations[grid->dy]};
    for (int axis = 0; axis < 2; axis++) {
        const struct interval usual = moved[axis]->usual;
        const double width = (double)usual.high - (double)usual.low;
        displacement.width = double_max(displacement.width, width);
        displacement.slope = double_max(displacement.slope, (double)moved[axis]->slope);
    }
    return displacement;
}

double displaced_metres(struct displacement displacement, double metres)
{
    return metres + double_min(displacement.width, displacement.slope * metres);
}

double node_samples_across(struct sampling sampling)
{
    return sampling.across > 0.0 ? double_min(sampling.across, GRID_ACROSS) : GRID_ACROSS;
}

double node_count_rectangle(struct sampling sampling, double side, struct displacement displacement)
{
    const double ratio = sampling.step / side, across = node_samples_across(sampling);
    const double more =
        displaced_metres(displacement, across * sampling.step) / side / across - ratio;
    return ratio * ratio + EDGE_NODES * ratio + more * (more + 2.0 * (ratio + CELL_SIDE / across));
}

double node_count_apart(double step, double side, struct displacement displacement)
{
    displacement.slope *= USUAL_SLOPE;
    const double apart = displaced_metres(displacement, step) / side;
    return double_min(double_max(apart * apart, LEAST_APART), CELL_NODES);
}

/* Places of a list that are near each other. */
static double places_together(struct sampling sampling)
{
    return sampling.places > 0.0 ? sampling.places : LIST_PLACES;
}

double node_count_place(struct sampling sampling, double side)
{
    const double near = sampling.extent / side + CELL_SIDE;
    const double cluster = sampling.cluster / side + CELL_SIDE;
    const double all = sampling.all_extent / side + CELL_SIDE;
    double nodes = CELL_NODES;
    if (sampling.extent > 0.0)
        nodes = double_min(nodes, near * near / places_together(sampling));
    if (sampling.line > 0.0)
        nodes = double_min(nodes, LINE_NODES * sampling.line / side + CELL_NODES / LIST_PLACES);
    if (sampling.cluster > 0.0)
        nodes = double_min(nodes, cluster * cluster / CELL_NODES);
    if (sampling.all_places > 0.0)
        nodes = double_min(nodes, all * all / sampling.all_places);
    return nodes;
}

double node_count_cells(struct sampling sampling, double side)
{
    const double across = sampling.extent / side + 1.0;
    double cells = 1.0;
    if (sampling.extent > 0.0)
        cells = double_min(cells, across * across / places_together(sampling));
    if (sampling.line > 0.0)
        cells = double_min(cells, LINE_CELLS * sampling.line / side + 1.0 / LIST_PLACES);
    return cells;
}

/* Metres across so many places, as they lie in displaced scopes: 0 if that is not near. */
static double near_extent(struct displacement displacement, double metres)
{
    const double extent = displaced_metres(displacement, metres);
    return extent < SAMPLING_NEAR ? extent : 0.0;
}

struct sampling node_displaced_sampling(struct sampling sampling, struct displacement displacement,
                                        bool apart)
{
    const double across = node_samples_across(sampling) * sampling.step;
    sampling.extent = near_extent(displacement, sampling.step > 0.0 ? across : sampling.extent);
    sampling.line = displaced_metres(displacement, sampling.line);
    sampling.cluster = displaced_metres(displacement, sampling.cluster);
    sampling.all_extent = displaced_metres(displacement, sampling.all_extent);
    sampling.step = apart ? 0.0 : sampling.step;
    return sampling;
}
