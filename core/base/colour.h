/* Colours as text: "#rrggbb" or "#rgb". */
#ifndef TERRANE_BASE_COLOUR_H
#define TERRANE_BASE_COLOUR_H

#include <stdbool.h>
#include <stdint.h>

/* 0xRRGGBB; false if it is not one of the two forms. `text` may be null. */
bool colour_parse(const char *text, uint32_t *colour);

#endif
