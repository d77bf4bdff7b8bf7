/* One octave over the rows of a grid that lies along its lattice, whose samples are displaced, for
 * bases with add_displaced: see kernels_displaced.h. Internal to this folder. */
#ifndef TERRANE_NOISE_DISPLACED_ROWS_H
#define TERRANE_NOISE_DISPLACED_ROWS_H

#include "core/noise/kernels_rows.h"
#include "core/noise/sample_positions.h"

/* An octave over a block: the columns' positions before displacement, and lattice keys. */
struct displaced_rows {
    uint32_t *base;
    float *fraction;
    struct kernel_chunks chunks;
    uint32_t key_x, key_y; /* key_y: of the cells whose high half is high_y */
    int64_t high_y;
    bool has_key_y;
    bool uniform; /* all columns have the key key_x, see sample_positions_share_key() */
};

/* Bytes of the arrays of one octave of so many columns. */
size_t displaced_rows_bytes(uint32_t columns);
/* Lays the arrays out from *memory on and moves *memory behind them. */
void displaced_rows_begin(struct displaced_rows *rows, uint32_t columns, char **memory);
/* To be called when `base`, `fraction`, `key_x` and `uniform` are set. */
void displaced_rows_finish(struct displaced_rows *rows, uint32_t columns);

/* Finds the cells of a row of a grid, whose octave add_displaced may then add; `bounds` are those
 * of its displacement. False if sample_positions_add() must add it, as lattice keys are not those
 * of all samples. */
bool displaced_rows_find(struct displaced_rows *rows, const struct prepared_octave *octave,
                         const struct sample_positions *samples, const struct kernel_bounds *bounds,
                         struct kernel_job *job);

#endif
