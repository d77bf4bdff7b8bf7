/* Colours as text: "#rrggbb" or "#rgb". */
#ifndef TERRANE_BASE_COLOUR_H
#define TERRANE_BASE_COLOUR_H

#include <stdbool.h>
#include <stdint.h>

/* Sets *colour to 0xRRGGBB; false if the text has neither form. `text` may be null. */
bool colour_parse(const char *text, uint32_t *colour);

#endif
