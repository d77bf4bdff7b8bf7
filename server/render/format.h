/* The table of formats of tiles. A new format is a row in format.c and an encoder in
 * tile_encoders.c; one that rectangles can have too also has a function in picture.c. */
#ifndef TERRANE_SERVER_RENDER_FORMAT_H
#define TERRANE_SERVER_RENDER_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/render/format_row.h"
#include "server/render/names.h"

/* Null if there is no format of this name or alias. */
const struct format *format_find(const char *name, size_t length);
/* In the table's order; null behind the last. */
const struct format *format_at(size_t index);

typedef bool format_filter(const struct format *format);
format_filter format_supports_16bit, format_supports_rectangles, format_supports_16bit_rectangles,
    format_has_columns, format_has_interval, format_has_samples, format_is_of_archives;

/* "png, webp …": the formats that the filter, unless it is null, is true of. Returns the text. */
const char *format_names(format_filter *filter, char text[FORMAT_NAMES_TEXT]);

bool format_allows_size(const struct format *format, uint32_t size);
/* "256, 512": the sizes that are allowed. Returns the text. */
const char *format_size_names(const struct format *format, char text[FORMAT_NAMES_TEXT]);

#endif
