/* Compiles operators: a table from tokens to operations, and the few that need several operations.
 *
 * a > b becomes b < a, a != b becomes !(a == b), and -a becomes -1 × a. A power has a constant
 * whole exponent and becomes multiplications by squaring: those give the same bits on every
 * machine, which pow() of the C library does not. Our own pow() takes what is left. */
#include "core/language/compile.h"

struct operator_row {
    enum token_kind operator;
    enum operation_code code;
    bool swapped; /* the operands change places */
    bool negated; /* OP_NOT of the result */
};

static const struct operator_row operators[] = {
    {TOKEN_PLUS, OP_ADD, false, false},       {TOKEN_MINUS, OP_SUBTRACT, false, false},
    {TOKEN_TIMES, OP_MULTIPLY, false, false}, {TOKEN_DIVIDE, OP_DIVIDE, false, false},
    {TOKEN_LESS, OP_LESS, false, false},      {TOKEN_LESS_EQUAL, OP_LESS_EQUAL, false, false},
    {TOKEN_GREATER, OP_LESS, true, false},    {TOKEN_GREATER_EQUAL, OP_LESS_EQUAL, true, false},
    {TOKEN_EQUAL, OP_EQUAL, false, false},    {TOKEN_NOT_EQUAL, OP_EQUAL, false, true},
    {TOKEN_AND, OP_AND, false, false},        {TOKEN_OR, OP_OR, false, false},
};

int32_t compile_power(struct compiler *compiler, int32_t base, int exponent)
{
    struct program *program = compiler->program;
    const int32_t one = program_constant(program, 1.0f);
    int32_t result = one;
    bool begun = false;
    for (int bit = EXPONENT_MAX; bit > 0; bit >>= 1) {
        if (begun)
            result = program_binary(program, OP_MULTIPLY, result, result);
        if (!(__builtin_abs(exponent) & bit))
            continue;
        result = begun ? program_binary(program, OP_MULTIPLY, result, base) : base;
        begun = true;
    }
    return exponent >= 0 ? result : program_binary(program, OP_DIVIDE, one, result);
}

static int32_t build_power(struct compiler *compiler, const struct formula *formula)
{
    int32_t base = compile_formula(compiler, formula->children[0]);
    int32_t exponent = compile_formula(compiler, formula->children[1]);
    float n;
    if (base < 0 || exponent < 0)
        return -1;
    if (program_is_constant(compiler->program, exponent, &n) && n == __builtin_floorf(n) &&
        __builtin_fabsf(n) <= EXPONENT_MAX)
        return compile_power(compiler, base, (int)n);
    return compile_fail(compiler, formula->children[1], ERROR_VALUE,
                        "the exponent must be a constant whole number from -%d to %d; pow(v, e) "
                        "takes any other",
                        EXPONENT_MAX, EXPONENT_MAX);
}

static int32_t build_binary(struct compiler *compiler, const struct formula *formula)
{
    if (formula->operator== TOKEN_POWER)
        return build_power(compiler, formula);
    const struct operator_row *row = operators;
    while (row->operator!= formula->operator)
        row++;
    int32_t left = compile_formula(compiler, formula->children[0]);
    int32_t right = left < 0 ? -1 : compile_formula(compiler, formula->children[1]);
    int32_t value = program_binary(compiler->program, row->code, row->swapped ? right : left,
                                   row->swapped ? left : right);
    return row->negated ? program_unary(compiler->program, OP_NOT, value) : value;
}

static int32_t build_prefix(struct compiler *compiler, const struct formula *formula)
{
    int32_t value = compile_formula(compiler, formula->children[0]);
    if (formula->operator== TOKEN_NOT)
        return program_unary(compiler->program, OP_NOT, value);
    int32_t minus = program_constant(compiler->program, -1.0f);
    return program_binary(compiler->program, OP_MULTIPLY, minus, value);
}

static int32_t build_choice(struct compiler *compiler, const struct formula *formula)
{
    int32_t parts[3];
    for (int i = 0; i < 3; i++)
        if ((parts[i] = compile_formula(compiler, formula->children[i])) < 0)
            return -1;
    return program_choose(compiler->program, parts[0], parts[1], parts[2]);
}

int32_t compile_operator(struct compiler *compiler, const struct formula *formula)
{
    switch (formula->kind) {
    case FORMULA_UNARY:
        return build_prefix(compiler, formula);
    case FORMULA_BINARY:
        return build_binary(compiler, formula);
    default:
        return build_choice(compiler, formula);
    }
}
