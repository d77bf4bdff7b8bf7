/* Writes the tree of a formula in prefix form, so white space, parentheses, the way a number is
 * written and the order of named arguments make no difference. Arguments that are left out stay
 * out: a default that is written is another spelling, on purpose, as both fingerprints are
 * released.
 *
 * Fingerprints are hashes of this text. Any change here, of lexer_kind_name() or of the names and
 * the order of a function's parameters renames every world. */
#include "core/language/canonicalize.h"

#include <string.h>

#include "core/base/number.h"
#include "core/language/functions.h"

static void canonicalize_children(const struct formula *formula, struct buffer *out)
{
    for (uint32_t i = 0; i < formula->child_count; i++) {
        buffer_byte(out, ' ');
        formula_canonicalize(formula->children[i], out);
    }
}

static void canonicalize_call(const struct formula *call, struct buffer *out)
{
    const struct function *function = function_find(call->text);
    if (!function || function->variadic) {
        canonicalize_children(call, out);
        return;
    }
    for (uint32_t i = 0; i < function_parameter_count(function); i++) {
        const struct formula *value = formula_argument(call, function->parameters[i].name, i);
        if (!value)
            continue;
        buffer_format(out, " %s=", function->parameters[i].name);
        formula_canonicalize(value, out);
    }
}

void formula_canonicalize(const struct formula *formula, struct buffer *out)
{
    char number[NUMBER_TEXT];
    switch (formula->kind) {
    case FORMULA_NUMBER:
        number_format_double(formula->number, number);
        buffer_text(out, number);
        return;
    case FORMULA_TEXT:
        /* With its length, so that a text with quotes cannot imitate the formula around it. */
        buffer_format(out, "%zu'%s'", strlen(formula->text), formula->text);
        return;
    case FORMULA_NAME:
        buffer_text(out, formula->text);
        return;
    case FORMULA_CHOICE:
        buffer_text(out, "(?");
        canonicalize_children(formula, out);
        break;
    case FORMULA_UNARY:
    case FORMULA_BINARY:
        buffer_format(out, "(%s", lexer_kind_name(formula->operator));
        canonicalize_children(formula, out);
        break;
    case FORMULA_CALL:
        buffer_format(out, "(%s", formula->text);
        canonicalize_call(formula, out);
        break;
    }
    buffer_byte(out, ')');
}
