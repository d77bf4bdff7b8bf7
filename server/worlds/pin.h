/* Pins: the fingerprints that stand behind "@" in the names of worlds, styles and materials. One
 * parser for the paths, parameters and bodies of requests, the command line, and names of files. */
#ifndef TERRANE_SERVER_WORLDS_PIN_H
#define TERRANE_SERVER_WORLDS_PIN_H

#include <stdbool.h>
#include <stddef.h>

#include "core/worldfile/world.h"

enum pin_kind {
    PIN_WORLD,     /* g1- … g9-, by the generator, and 32 digits */
    PIN_STYLE,     /* s1- … s9-, and 16 digits; layers have such pins, too */
    PIN_MATERIALS, /* m1- … m9-, and 16 digits */
};

enum { PIN_TEXT = WORLD_FINGERPRINT_TEXT }; /* bytes of the longest pin, with the zero */

/* True if the terminated text begins like a pin: with the letter, a digit from 1 to 9 and a dash.
 */
bool pin_begins(enum pin_kind kind, const char *text);
/* True if the text of that length is a pin; its hexadecimal digits are in small letters. */
bool pin_is_valid(enum pin_kind kind, const char *text, size_t length);
/* The form of a pin for messages: "g1- and 32 digits of 0-9a-f". */
const char *pin_form(enum pin_kind kind);

#endif
