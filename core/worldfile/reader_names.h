/* Reading the member "names" of a world file, in two files. */
#ifndef TERRANE_WORLDFILE_READER_NAMES_H
#define TERRANE_WORLDFILE_READER_NAMES_H

#include "core/names/names.h"
#include "core/worldfile/reader.h"

/* A world's own tongues. */
struct reader_tongues {
    struct tongue *items;
    uint32_t count;
};

/* reader_tongues.c: reads the member "syllables" of "names", of which `reader` is. */
bool reader_tongues(const struct reader *reader, struct reader_tongues *own);

#endif
