/* The table of functions (functions.h) as JSON, for editors of world files:
 * {"functions": [{"name", "signature", "summary", "variadic", "parameters": [{"name", "kind",
 * "optional", "by_name", "minimum", "maximum", "choices", "default"}]}]}.
 *
 * `kind` is "formula", "number" (a constant), "whole" (a whole one), "choice" or "text". Numbers
 * have minimum and maximum, choices their texts; what is optional has its default, or in
 * "default_parameter" the parameter whose value it takes. `by_name`: short signatures leave the
 * parameter out, and callers name it. The last parameter of a variadic function may be repeated. */
#ifndef TERRANE_LANGUAGE_FUNCTIONS_DOCUMENT_H
#define TERRANE_LANGUAGE_FUNCTIONS_DOCUMENT_H

#include "core/base/json_writer.h"

void functions_write_document(struct json_writer *json);

#endif
