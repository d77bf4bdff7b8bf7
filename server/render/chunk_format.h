/* The table of formats of chunks and volumes. A new format is a row in chunk_format.c and an
 * encoder in chunk_encoders.c. */
#ifndef TERRANE_SERVER_RENDER_CHUNK_FORMAT_H
#define TERRANE_SERVER_RENDER_CHUNK_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/render/chunk_format_row.h"
#include "server/render/names.h"

/* Null if no format of this name has the shape. */
const struct chunk_format *chunk_format_find(const char *name, unsigned shape);
/* In the table's order; null behind the last. */
const struct chunk_format *chunk_format_at(size_t index);
typedef bool chunk_format_filter(const struct chunk_format *format);
chunk_format_filter chunk_format_is_coloured, chunk_format_has_crs, chunk_format_has_materials,
    chunk_format_has_material_groups, chunk_format_has_skirt;
/* "glb": the formats that the filter is true of. Returns the text. */
const char *chunk_format_names_of(chunk_format_filter *filter, char text[FORMAT_NAMES_TEXT]);
/* "r32f, r16 …": the formats that have the shape. Returns the text. */
const char *chunk_format_names(unsigned shape, char text[FORMAT_NAMES_TEXT]);

#endif
