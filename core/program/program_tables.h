/* What a program keeps once: noises, splines, centres, cycles and node grids, which are too large
 * for an operation, in tables. An operation has its entry's index. Internal to the building of
 * programs. */
#ifndef TERRANE_PROGRAM_PROGRAM_TABLES_H
#define TERRANE_PROGRAM_PROGRAM_TABLES_H

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

/* A hash of the entry that an operation has in a table; 0 if it has none. Entries that differ in
 * any number have the same hash by accident only: kept nodes of coarse() are told apart by it. */
uint64_t program_hash_entry(const struct program *program, const struct operation *operation);

#endif
