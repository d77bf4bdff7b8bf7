/* The names of previews (previews.h). */
#ifndef TERRANE_SERVER_WORLDS_PREVIEW_NAME_H
#define TERRANE_SERVER_WORLDS_PREVIEW_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* They begin like this; files of worlds may not have such a name. */
#define PREVIEW_PREFIX "preview-"
enum { PREVIEW_NAME_TEXT = sizeof PREVIEW_PREFIX + 32 }; /* with the zero */

/* The name of the preview of a text: PREVIEW_PREFIX and 128 bits of its SHA-256, so that nobody can
 * make another file of the same name. False if the library fails. */
bool preview_name(const void *text, size_t length, char name[PREVIEW_NAME_TEXT]);
/* True if a name begins as those of previews. */
bool preview_is_name(const char *name);

#endif
