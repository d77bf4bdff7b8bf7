/* One spelling for formulas that mean the same: what fingerprints hash. */
#ifndef TERRANE_LANGUAGE_CANONICALIZE_H
#define TERRANE_LANGUAGE_CANONICALIZE_H

#include "core/base/buffer.h"
#include "core/language/formula.h"

/* Appends a formula in prefix form: (operator operands), numbers by their shortest digits, the
 * arguments of a call by name in the order of the function's parameters. */
void formula_canonicalize(const struct formula *formula, struct buffer *out);

#endif
