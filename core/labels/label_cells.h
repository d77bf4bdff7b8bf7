/* Names of areas: seas, bays, fjords and straits, ranges, plateaus, plains, deserts and forests,
 * and islands, capes and passes.
 *
 * The plane is divided into cells for each rank, a zoom: squares of LABEL_CELL_PIXELS pixels of it,
 * 786 km at rank 6, 197 km at rank 8, in rows that are moved against each other by a hash. A cell
 * is looked at on a grid of LABEL_CELL_SIDE samples a side, at the detail of their distance, and
 * a few around. Each sample is of a class, by its height, the relief around it, and its biome. A
 * cell has at most one label of its water, one of each of the two classes that prevail on its land,
 * and one of its largest island, of its sharpest cape and of its clearest pass. The label is
 * written where its class reaches farthest on all sides, those of a cape and of a pass where a walk
 * of 4 × 81 samples ends (label_walk.h).
 *
 * Labels of cells of ranks 4 to 8 show a zoom earlier.
 *
 * A class gets no name where it fills nearly all of the cell: there the cell of a coarser rank
 * names it. So there are seas in which gulfs have names, and open water has none twice.
 *
 * A world without a drainage network has no rivers that could fill its maps. There the labels of
 * all cells show a zoom earlier, and a class is named even where it fills the cell: of water up to
 * rank 8. */
#ifndef TERRANE_LABELS_LABEL_CELLS_H
#define TERRANE_LABELS_LABEL_CELLS_H

#include "core/labels/label_survey.h"

/* The width of the cells of a rank, 2⁻¹⁶ m. */
int64_t label_cell_width(int rank);
/* The finest rank of cells that have labels in a world. */
int label_cell_rank_max(const struct world *world);

/* Adds the labels whose place is in the box, and that show at the zoom. Errors are those of
 * sampler_grid(). */
bool label_cells_find(const struct label_source *source, const struct label_box *box, int zoom,
                      struct label_list *list, struct error *error);

/* Adds the labels of what a place is in, of cells of ranks up to `last`: those of areas whose
 * samples connect it with the label, of water if the place is in water, else of land. They have no
 * names, and may be hidden on all maps. Errors are those of sampler_grid(). */
struct label_cells_place {
    struct place place;
    bool is_water;
    int last;
};
bool label_cells_holding(const struct label_source *source, const struct label_cells_place *at,
                         struct label_list *list, struct error *error);

#endif
