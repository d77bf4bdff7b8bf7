/* Lists of names in messages, joined from the rows of a table. */
#ifndef TERRANE_SERVER_RENDER_NAMES_H
#define TERRANE_SERVER_RENDER_NAMES_H

#include <stdio.h>

enum { FORMAT_NAMES_TEXT = 128 };

/* Appends "name" or ", name" to a text of that length. Begin with length 0. */
static inline void names_add(char *text, size_t *length, const char *name)
{
    const int added =
        snprintf(text + *length, FORMAT_NAMES_TEXT - *length, "%s%s", *length ? ", " : "", name);
    *length += added > 0 ? (size_t)added : 0;
    if (*length >= FORMAT_NAMES_TEXT)
        *length = FORMAT_NAMES_TEXT - 1;
}

#endif
