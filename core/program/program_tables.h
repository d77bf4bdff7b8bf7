/* What a program keeps once: noises, splines, centres, cycles, node grids and views of polylines,
 * which are too large for an operation, in tables. An operation has its entry's index. Internal to
 * the building of programs. */
#ifndef TERRANE_PROGRAM_PROGRAM_TABLES_H
#define TERRANE_PROGRAM_PROGRAM_TABLES_H

#include "core/base/secure_hash.h"
#include "core/program/program.h"

/* One of the program's arrays of things without duplicates. */
struct table {
    void **entries;
    uint32_t *count;
    size_t *capacity, size;
    struct hash_index *index;
    bool (*same)(const void *entry, const void *item);
};

/* The entry that equals `item`, or -1. */
int32_t table_find(const struct table *table, const void *item, uint64_t hash);
/* Appends an entry; its number, or -1 with ERROR_MEMORY. */
int32_t table_append(const struct table *table, const void *entry, uint64_t hash,
                     struct error *error);

/* Set *index to the entry that equals what is given, which is appended if there is none. False with
 * ERROR_MEMORY or ERROR_LIMIT in program->error. */
bool program_keep_noise(struct program *program, const struct noise_settings *settings,
                        uint32_t *index);
bool program_keep_centre(struct program *program, const struct place *centre, uint32_t *index);
bool program_keep_cycle(struct program *program, const struct cycle *cycle, uint32_t *index);
bool program_keep_node_grid(struct program *program, const struct node_grid *grid, uint32_t *index);
bool program_keep_polyline_view(struct program *program, const struct polyline_view *view,
                                uint32_t *index);
bool program_keep_spline(struct program *program, const double *points, uint32_t count,
                         uint32_t *index);

/* A hash of the operation itself: what it does, with which numbers, to which operands. */
uint64_t program_hash_operation(const struct operation *operation);
/* Adds all that decides what the operation computes of its operands: the operation itself, and the
 * entry that it has in a table. */
void program_identify_operation(const struct program *program, const struct operation *operation,
                                struct secure_hash *hash);

#endif
