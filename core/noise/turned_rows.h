/* One octave over the rows of a grid whose columns and rows do not lie along its lattice, for bases
 * with add_turned: see kernels_turned.h. Internal to this folder. */
#ifndef TERRANE_NOISE_TURNED_ROWS_H
#define TERRANE_NOISE_TURNED_ROWS_H

#include "core/noise/kernels_rows.h"
#include "core/noise/sample_positions.h"

/* An octave over a block. By axis: the distances between samples, the coordinates at y = 0 of the
 * first column and of that behind the last one, and the lattice key of the cells whose high half is
 * `high`. */
struct turned_rows {
    struct kernel_turned_walk *walk;
    bool packs; /* the samples of a chunk fit into the walk's form */
    int128 west[2], east[2];
    int64_t high[2];
    uint32_t key[2];
};

/* Bytes of the arrays of one octave. */
size_t turned_rows_bytes(void);
/* Lays the arrays out from *memory on, which is aligned to 64, moves *memory behind them, and
 * prepares the octave, whose walks must be prepared. `columns` are whole lanes. */
void turned_rows_begin(struct turned_rows *rows, const struct prepared_octave *octave,
                       const struct noise_block *block, uint32_t columns, char **memory);

/* Finds the cells of a row of a grid, whose octave add_turned may then add; `bounds` are those of
 * its displacement, if it has one. False if sample_positions_add() must add it: the octave's window
 * is too small, or lattice keys are not those of all samples, or samples are too far from each
 * other or moved too far. */
bool turned_rows_find(struct turned_rows *rows, const struct prepared_octave *octave,
                      const struct sample_positions *samples, const struct kernel_bounds *bounds,
                      struct kernel_turned_job *job);

#endif
