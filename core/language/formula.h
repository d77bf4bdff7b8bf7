/* Formulas as trees: made by the parser, read by the compiler.
 *
 * Precedence, loosest first: ?: (right), ||, &&, == !=, < <= > >=, + -, * /, unary - !, ^ (right,
 * binds tighter than unary minus: -x^2 is -(x^2)). Every node knows its column for messages.
 *
 * The limits below bound one formula. What all formulas of a world take to compile is bounded in
 * compile.h, what a sample may cost by check_cost() in core/worldfile/build_program.c. */
#ifndef TERRANE_LANGUAGE_FORMULA_H
#define TERRANE_LANGUAGE_FORMULA_H

#include "core/base/arena.h"
#include "core/language/lexer.h"

enum {
    FORMULA_BYTES_MAX = 8192, /* of one formula's text */
    FORMULA_DEPTH_MAX = 48,   /* of nested parentheses, calls and choices */
    FORMULA_HEIGHT_MAX = 200, /* levels of the tree: a sum of n terms has n */
    FORMULA_NODES_MAX = 2000, /* numbers, names, operators and calls together */
    FORMULA_ARGUMENTS_MAX = 64,
};

enum formula_kind {
    FORMULA_NUMBER,
    FORMULA_TEXT,
    FORMULA_NAME,
    FORMULA_UNARY,  /* operator: TOKEN_MINUS or TOKEN_NOT; one child */
    FORMULA_BINARY, /* operator: its token; two children */
    FORMULA_CHOICE, /* c ? a : b; three children */
    FORMULA_CALL,   /* text(children) */
};

struct formula {
    enum formula_kind kind;
    enum token_kind operator;
    uint32_t column;
    double number;
    const char *text; /* of FORMULA_TEXT, FORMULA_NAME and FORMULA_CALL: terminated */
    const struct formula **children;
    uint32_t child_count;
    const char *argument; /* of a child of a call: the name it is given by, null if positional */
    uint32_t argument_column;
    uint32_t height; /* levels of binary operators from here down */
    uint32_t work;   /* of the root: steps that reading the formula takes (core/program/work.h) */
};

/* The tree of `text`, in the arena; null with the error's column set. */
const struct formula *formula_parse(struct arena *arena, const char *text, struct error *error);
/* The same of formulas with commas between, which are joined by &&. */
const struct formula *formula_parse_all(struct arena *arena, const char *text, struct error *error);

/* The argument that a call gives for a parameter, by its name or at its position; null if it gives
 * none. */
const struct formula *formula_argument(const struct formula *call, const char *parameter,
                                       uint32_t position);

#endif
