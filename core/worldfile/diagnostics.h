/* The errors of one JSON text, as a compiler reports them: all of them, up to a limit, each with
 * its line and column in the text, sorted by place.
 *
 * A reader that is given diagnostics hands the error of a part that it cannot read to
 * diagnostics_take() and goes on with the next part; what it makes is of no use then. A reader
 * without diagnostics (null, which all functions allow but diagnostics_add()) ends at the first
 * error. For one thread. */
#ifndef TERRANE_WORLDFILE_DIAGNOSTICS_H
#define TERRANE_WORLDFILE_DIAGNOSTICS_H

#include "core/worldfile/json.h"

enum { DIAGNOSTICS_MAX = 20 };

struct diagnostics {
    /* Set by the caller. */
    const char *file, *text;
    size_t length;
    /* The document of the text while there is one, to find places in. */
    const struct json *root;
    unsigned count;
    bool more; /* than errors[] has room for: reading was ended */
    struct error errors[DIAGNOSTICS_MAX];
};

/* True if reading can go on: if the part was read (`done`), or if its error was taken, which is
 * cleared then. False without diagnostics, when they are full, and when memory is out. */
bool diagnostics_take(struct diagnostics *diagnostics, bool done, struct error *error);

/* The same for an error about the key of a member. */
bool diagnostics_take_key(struct diagnostics *diagnostics, const struct json *member, bool done,
                          struct error *error);

/* json_allow() that takes the error of each member, at its key. */
bool diagnostics_allow(struct diagnostics *diagnostics, const struct json *object,
                       const struct json_keys *keys, struct error *error);

/* Adds the error that ended reading. An error whose place in the text is not known gets that of the
 * value which its path names. */
void diagnostics_add(struct diagnostics *diagnostics, const struct error *error);

#endif
