/* Messages on a terminal: escape sequences of ECMA-48, and lines of its width. */
#ifndef TERRANE_SERVER_BASE_TERMINAL_H
#define TERRANE_SERVER_BASE_TERMINAL_H

#include <stdio.h>

/* Each of these is "" if the stream is no terminal or the user wants no colours: NO_COLOR
 * (no-color.org) is set and not empty, or TERM is "dumb" or not set. */
const char *terminal_heading(FILE *stream); /* bold */
const char *terminal_error(FILE *stream);   /* bold and red */
const char *terminal_plain(FILE *stream);   /* ends the others */

/* Prints a text (UTF-8) and a newline; the text begins in column `indent` (from 0). On a terminal
 * it is broken between words, and further lines begin in that column, too. */
void terminal_print_indented(FILE *stream, const char *text, unsigned indent);

#endif
