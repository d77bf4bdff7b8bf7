/* Escape sequences of ECMA-48 for messages on a terminal. Each function returns "" instead if the
 * stream is no terminal or the user wants no colours: NO_COLOR (no-color.org) is set and not empty,
 * or TERM is "dumb" or not set. */
#ifndef TERRANE_SERVER_BASE_TERMINAL_H
#define TERRANE_SERVER_BASE_TERMINAL_H

#include <stdio.h>

const char *terminal_heading(FILE *stream); /* bold */
const char *terminal_error(FILE *stream);   /* bold and red */
const char *terminal_plain(FILE *stream);   /* ends the others */

#endif
