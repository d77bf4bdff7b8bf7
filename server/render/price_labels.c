/* Prices of names on maps, and of their searches: cells that are surveyed, streams, and summits
 * that are climbed to. A world without tongues has nothing but the labels of peaks in its tiles. */
#include <math.h>

#include "core/base/extremes.h"
#include "core/base/place.h"
#include "core/labels/label_cells.h"
#include "core/labels/label_rivers.h"
#include "core/labels/labels.h"
#include "core/tile/features.h"
#include "core/tile/vector_labels.h"
#include "server/render/price_private.h"

#define SUMMITS_OF_TILE 4.0   /* that are climbed to */
#define SUMMITS_CLIMBED 0.35  /* of the price of heights, as all levels of detail share streams */
#define LABELS_SHARED 0.45    /* of the prices of its parts, which share streams and kept labels */
#define LABELS_ALONE 1e6      /* nanoseconds of the labels of a rectangle besides, */
#define LABEL_CELL 60e3       /* and of each cell, */
#define LABEL_CAPE 110e3      /* more where it may have a cape, which few have */
#define LABEL_PASS 80e3       /* and where it may have a pass, */
#define LABEL_OUTLET 180e3    /* and of each node of the coarsest level */
#define LABEL_SEARCH 1.25     /* of a search, whose maps of some zooms are rougher than others */
#define LABEL_CELLS_APART 1.7 /* times the price of their samples in one grid */
#define LABEL_CELL_MARGIN 2.0 /* cells that reach into a rectangle on both sides, */
#define LABEL_CELL_AROUND 2   /* and samples that reach out of a cell on each */
#define SUMMIT_PIXELS 128.0   /* from a summit to the next one */

/* ---- parts of a rectangle */

/* Cells of ranks from `first` on that show, in a rectangle and the reach around it: sampled one by
 * one, but with land that they share. */
static double label_cells_time(const struct price_labels *labels, int first)
{
    const struct world *world = labels->world;
    const int biome = world_biome_layer(world);
    const unsigned layers[2] = {world_height_layer(world), (unsigned)biome};
    const double around = 2.0 * LABELS_REACH * label_pixel(labels->zoom);
    double time = 0.0;
    for (int rank = first; rank <= labels->zoom + 1; rank++) {
        if (rank < LABEL_CELL_RANK_MIN || rank > label_cell_rank_max(world))
            continue;
        const double cell = place_metres(label_cell_width(rank)), step = cell / LABEL_CELL_SIDE;
        const double columns = (labels->width + around) / cell + LABEL_CELL_MARGIN;
        const double rows = (labels->height + around) / cell + LABEL_CELL_MARGIN;
        const double side = LABEL_CELL_SIDE + 2 * LABEL_CELL_AROUND;
        const struct sampling grid = {
            .step = step, .spacing = step, .across = side * sqrt(columns * rows)};
        const struct sampling_price price =
            price_sampling(world_program(world), layers, biome < 0 ? 1 : 2, grid);
        time += LABEL_CELLS_APART *
                    price_grid_time(price, (uint32_t)(side * columns), (uint32_t)(side * rows)) +
                columns * rows *
                    (LABEL_CELL + (survey_has_capes(rank) ? LABEL_CAPE : 0.0) +
                     (survey_has_passes(rank) ? LABEL_PASS : 0.0));
    }
    return time;
}

/* Rivers in the same: a place of each is moved to the map. */
static double label_rivers_time(const struct price_labels *labels)
{
    const struct world *world = labels->world;
    const double around = 2.0 * LABELS_REACH * label_pixel(labels->zoom);
    if (!world_has_drainage(world) || labels->zoom < label_rivers_zoom(world))
        return 0.0;
    const struct price_rivers rivers = {
        .world = world,
        .level = rivers_level(world, label_river_flow(labels->zoom)),
        .width = labels->width + around,
        .height = labels->height + around,
        .apart = 0x1p17,
    };
    const unsigned cell_log2 = drainage_cell_log2(network_spacing_log2(world_program(world)), 0);
    const double cell = (double)((uint32_t)1 << cell_log2);
    return price_rivers_time(&rivers) +
           LABEL_OUTLET * (rivers.width / cell) * (rivers.height / cell);
}

/* The price of samples of a step on the way up to some summits. */
static double climbs_time(const struct world *world, double step, double summits)
{
    const double share = world_has_drainage(world) ? SUMMITS_CLIMBED : 1.0;
    return share * price_heights_time(world, step, (uint32_t)(SUMMITS_CLIMB_SIDE * sqrt(summits)));
}

/* Summits of the levels that have names, and climbing to one in a square of SUMMIT_PIXELS. */
static double label_summits_time(const struct price_labels *labels)
{
    double time = 0.0;
    const int finest = labels->zoom - LABEL_PEAK_ZOOMS;
    const int last = finest < LABEL_SUMMITS_LAST ? finest : LABEL_SUMMITS_LAST;
    for (int zoom = LABEL_SUMMITS_ZOOM; zoom <= last; zoom += LABEL_SUMMITS_APART) {
        const double step = LABEL_SUMMITS_PIXELS * label_pixel(zoom);
        const double wide = double_max(labels->width, labels->height) / step;
        time += price_heights_time(labels->world, step, summits_grid_side((uint32_t)wide));
    }
    const double side = SUMMIT_PIXELS * label_pixel(labels->zoom);
    const double summits = (labels->width / side + 1.0) * (labels->height / side + 1.0);
    const double coarsest = last < LABEL_SUMMITS_ZOOM ? 0.0 : 4.0 * label_pixel(last);
    for (int64_t step = 1; (double)step < coarsest; step *= SUMMITS_CLIMB_FINER)
        time += climbs_time(labels->world, (double)step, summits);
    return time;
}

/* ---- vector tiles */

/* Summits of a tile: they are looked for on a grid of each level, and some of each are climbed to
 * through finer levels of detail, near each other. */
static double tile_summits_time(const struct tile_order *order)
{
    const int zoom = order->address.zoom,
              last = zoom < LABEL_SUMMITS_LAST ? zoom : LABEL_SUMMITS_LAST;
    const int coarser = (last - VECTOR_LABELS_ZOOM) / LABEL_SUMMITS_APART; /* levels */
    const double span = place_metres(tile_span(zoom));
    const double coarsest = LABEL_SUMMITS_PIXELS * label_pixel(LABEL_SUMMITS_ZOOM);
    const double finest = ldexp(coarsest, -coarser * LABEL_SUMMITS_APART);
    double time = 0.0;
    if (last < VECTOR_LABELS_ZOOM)
        return 0.0;
    for (int i = 0; i <= coarser; i++) {
        const double step = ldexp(finest, i * LABEL_SUMMITS_APART);
        time +=
            price_heights_time(order->world, step, summits_grid_side((uint32_t)(span / step) + 1));
    }
    for (int64_t step = 1; (double)step < coarsest; step *= SUMMITS_CLIMB_FINER) {
        const double summits = (double)step < finest ? SUMMITS_OF_TILE + coarser : 1.0;
        time += climbs_time(order->world, (double)step, summits);
    }
    return time;
}

/* Names in a vector tile. */
static double tile_names_time(const struct tile_order *order)
{
    const double metres = place_metres(tile_span(order->address.zoom));
    const int zoom =
        order->address.zoom < LABEL_ZOOM_MAX ? order->address.zoom + 1 : LABEL_ZOOM_MAX;
    const struct price_labels labels = {order->world, zoom, metres, metres};
    if (labels.zoom < LABEL_ZOOM_MIN || !labels_have_tongue(order->world))
        return 0.0;
    return label_cells_time(&labels, labels.zoom - LABEL_ZOOMS + 1) + label_rivers_time(&labels);
}

double price_tile_labels_time(const struct tile_order *order)
{
    return order->labels ? LABELS_SHARED * (tile_summits_time(order) + tile_names_time(order))
                         : 0.0;
}

/* ---- questions */

/* All of a rectangle. */
static double labels_time(const struct price_labels *labels)
{
    return LABELS_SHARED * (label_cells_time(labels, labels->zoom - LABEL_ZOOMS + 1) +
                            label_rivers_time(labels) + label_summits_time(labels));
}

uint64_t price_labels(const struct price_labels *labels)
{
    if (labels->zoom < LABEL_ZOOM_MIN)
        return 0;
    return price_nanoseconds(LABELS_ALONE +
                             (labels_have_tongue(labels->world) ? labels_time(labels) : 0.0));
}

/* Cells of coarser ranks were surveyed for the zoom before. */
uint64_t price_label_search(const struct world *world, const struct label_search *search)
{
    const double wide = 2.0 * place_metres(search->radius);
    struct price_labels labels = {world, search->last, wide, wide};
    if (!labels_have_tongue(world))
        return price_nanoseconds(LABELS_ALONE);
    double time = label_summits_time(&labels);
    for (labels.zoom = LABEL_ZOOM_MIN; labels.zoom <= search->last; labels.zoom++)
        time += label_cells_time(&labels, labels.zoom) + label_rivers_time(&labels);
    return price_nanoseconds(LABEL_SEARCH * (LABELS_ALONE + LABELS_SHARED * time));
}

/* Maps around the place, and for each rank a map at the label of an area, which is surveyed once
 * more. */
uint64_t price_label_place(const struct world *world)
{
    double time = LABELS_ALONE;
    if (!world_has_names(world))
        return price_nanoseconds(time);
    for (int i = 0; i < LABEL_PLACE_ZOOMS; i++) {
        const double wide = 2.0 * LABEL_PLACE_PIXELS * label_pixel(label_place_zooms[i]);
        time += labels_time(&(struct price_labels){world, label_place_zooms[i], wide, wide});
    }
    for (int zoom = LABEL_ZOOM_MIN; zoom <= LABEL_PLACE_RANK; zoom++) {
        const struct price_labels labels = {world, zoom, 0.0, 0.0};
        time +=
            LABELS_SHARED * (2.0 * label_cells_time(&labels, zoom) + label_rivers_time(&labels));
    }
    return price_nanoseconds(time);
}
