/* Compiles calls: matches arguments with parameters by position or name, reads each by the kind of
 * its parameter, and hands them to the function's builder.
 *
 * Everything that can be wrong with a call is checked here by the rows of functions.c, so builders
 * check only what rows cannot say. Fields are compiled before the builder runs; formulas that the
 * function samples elsewhere (PARAMETER_FORMULA) are left to it. A number may be any constant
 * expression; a literal keeps the digits that a float would lose. */
#include <string.h>

#include "core/base/number.h"
#include "core/language/compile.h"
#include "core/language/meanings.h"

/* Fails at a named argument that is no parameter: suggests the nearest one, or shows the signature.
 */
static int32_t fail_argument(struct compiler *compiler, const struct formula *call,
                             const struct function *function, const struct formula *argument)
{
    const char *candidates[FUNCTION_PARAMETERS_MAX];
    const char *name = argument->argument;
    const struct formula at = {.column = argument->argument_column};
    uint32_t count = function_parameter_count(function);
    for (uint32_t i = 0; i < count; i++)
        candidates[i] = function->parameters[i].name;
    const char *nearest = error_suggest(name, candidates, count);
    if (nearest)
        return compile_fail(compiler, &at, ERROR_UNKNOWN,
                            "%s has no argument \"%s\" (did you mean \"%s\"?)", call->text, name,
                            nearest);
    char signature[256];
    function_signature(function, false, signature, sizeof signature);
    return compile_fail(compiler, &at, ERROR_UNKNOWN, "%s has no argument \"%s\"; its form is %s",
                        call->text, name, signature);
}

/* The parameter that an argument of the call is for, or -1 with an error. */
static int32_t find_parameter(struct compiler *compiler, const struct formula *call,
                              const struct function *function, uint32_t child)
{
    uint32_t count = function_parameter_count(function);
    const struct formula *argument = call->children[child];
    if (!argument->argument) {
        if (child > 0 && call->children[child - 1]->argument)
            return compile_fail(compiler, argument, ERROR_SYNTAX,
                                "%s: arguments without a name must come before named ones",
                                call->text);
        if (child >= count && !function->variadic)
            return compile_fail(compiler, argument, ERROR_VALUE, "%s takes at most %u argument%s",
                                call->text, count, count == 1 ? "" : "s");
        return (int32_t)child;
    }
    compiler->program->work += WORK_NAMED;
    int32_t parameter = function_parameter(function, argument->argument);
    return parameter >= 0 ? parameter : fail_argument(compiler, call, function, argument);
}

/* Sorts the arguments of the call by parameter, and checks that each is given once and that none is
 * missing. Further arguments of a variadic function follow its last parameter. */
static bool match_arguments(struct compiler *compiler, const struct function *function,
                            struct arguments *arguments)
{
    const struct formula *call = arguments->call;
    uint32_t count = function_parameter_count(function);
    for (uint32_t i = 0; i < call->child_count; i++) {
        int32_t parameter = find_parameter(compiler, call, function, i);
        if (parameter < 0)
            return false;
        if (arguments->formulas[parameter]) {
            const struct formula at = {.column = call->children[i]->argument_column};
            return compile_fail(compiler, &at, ERROR_VALUE, "%s: argument \"%s\" is given twice",
                                call->text, call->children[i]->argument) >= 0;
        }
        arguments->formulas[parameter] = call->children[i];
    }
    arguments->count = call->child_count > count ? call->child_count : count;
    for (uint32_t i = 0; i < count; i++) {
        if (arguments->formulas[i] || function->parameters[i].optional)
            continue;
        char signature[256];
        function_signature(function, false, signature, sizeof signature);
        return compile_fail(compiler, call, ERROR_VALUE,
                            "%s needs the argument \"%s\"; its form is %s", call->text,
                            function->parameters[i].name, signature) >= 0;
    }
    return true;
}

/* The parameter that decides how an argument is read: the last one for all further arguments. */
static const struct parameter *parameter_of(const struct function *function, uint32_t argument)
{
    uint32_t count = function_parameter_count(function);
    return &function->parameters[argument < count ? argument : count - 1];
}

/* Reads a constant expression within the limits of its parameter. */
static bool read_number(struct compiler *compiler, const struct parameter *parameter,
                        const struct formula *formula, double *number)
{
    float constant;
    int32_t value = compile_formula(compiler, formula);
    if (value < 0)
        return false;
    if (!program_is_constant(compiler->program, value, &constant))
        return compile_fail(compiler, formula, ERROR_VALUE, "%s must be a constant",
                            parameter->name) >= 0;
    /* A constant has the digits of a float; a literal, also a negative one, keeps those of a
     * double: wavelengths and places need them. */
    const bool minus = formula->kind == FORMULA_UNARY && formula->operator== TOKEN_MINUS;
    const struct formula *literal = minus ? formula->children[0] : formula;
    *number = literal->kind != FORMULA_NUMBER ? (double)constant
              : minus                         ? -literal->number
                                              : literal->number;
    bool whole = *number == __builtin_floor(*number);
    if (*number >= parameter->low && *number <= parameter->high &&
        (whole || parameter->kind != PARAMETER_WHOLE))
        return true;
    char low[NUMBER_TEXT], high[NUMBER_TEXT], is[NUMBER_TEXT];
    number_format_double(parameter->low, low);
    number_format_double(parameter->high, high);
    number_format_double(*number, is);
    return compile_fail(compiler, formula, ERROR_VALUE,
                        "%s must be a %snumber from %s to %s, not %s", parameter->name,
                        parameter->kind == PARAMETER_WHOLE ? "whole " : "", low, high, is) >= 0;
}

/* Reads one of several texts; *number becomes its index. */
static bool read_choice(struct compiler *compiler, const struct parameter *parameter,
                        const struct formula *formula, double *number)
{
    char list[160];
    parameter_choices(parameter, list, sizeof list);
    if (formula->kind != FORMULA_TEXT)
        return compile_fail(compiler, formula, ERROR_VALUE, "%s must be %s, in quotes",
                            parameter->name, list) >= 0;
    for (uint32_t i = 0; parameter->choices[i]; i++) {
        if (strcmp(parameter->choices[i], formula->text) == 0) {
            *number = i;
            return true;
        }
    }
    return compile_fail(compiler, formula, ERROR_VALUE, "%s must be %s, not \"%.40s\"",
                        parameter->name, list, formula->text) >= 0;
}

static bool read_argument(struct compiler *compiler, const struct parameter *parameter,
                          struct arguments *arguments, uint32_t i)
{
    const struct formula *formula = arguments->formulas[i];
    arguments->numbers[i] = parameter->default_value;
    arguments->texts[i] = "";
    if (!formula)
        return true;
    switch (parameter->kind) {
    case PARAMETER_FIELD:
        return (arguments->fields[i] = compile_formula(compiler, formula)) >= 0;
    case PARAMETER_NUMBER:
    case PARAMETER_WHOLE:
        return read_number(compiler, parameter, formula, &arguments->numbers[i]);
    case PARAMETER_CHOICE:
        return read_choice(compiler, parameter, formula, &arguments->numbers[i]);
    case PARAMETER_TEXT:
        if (formula->kind != FORMULA_TEXT)
            return compile_fail(compiler, formula, ERROR_VALUE, "%s must be a text in quotes",
                                parameter->name) >= 0;
        arguments->texts[i] = formula->text;
        return true;
    case PARAMETER_FORMULA:
    case PARAMETER_NONE:
        break;
    }
    return true;
}

static int32_t fail_function(struct compiler *compiler, const struct formula *call)
{
    const char *candidates[FUNCTIONS_MAX];
    size_t count = 0;
    for (; count < function_count; count++)
        candidates[count] = functions[count].name;
    const char *meaning = meaning_find(call->text, strlen(call->text));
    if (meaning)
        return compile_fail(compiler, call, ERROR_UNKNOWN, "unknown function \"%s\"; write %s",
                            call->text, meaning);
    const char *nearest = error_suggest(call->text, candidates, count);
    if (nearest)
        return compile_fail(compiler, call, ERROR_UNKNOWN,
                            "unknown function \"%s\" (did you mean \"%s\"?)", call->text, nearest);
    return compile_fail(compiler, call, ERROR_UNKNOWN,
                        "unknown function \"%s\"; \"terrane formulas\" lists all functions",
                        call->text);
}

int32_t compile_call(struct compiler *compiler, const struct formula *call)
{
    const struct function *function = function_find(call->text);
    if (!function)
        return fail_function(compiler, call);
    struct arguments arguments = {.call = call, .function = function};
    if (!match_arguments(compiler, function, &arguments))
        return -1;
    const enum noise_result wanted = compiler->scope.result;
    bool read = true;
    compiler->program->work += WORK_CALL;
    compiler->scope.result = NOISE_SAMPLE; /* arguments are samples even in zero_distance() */
    for (uint32_t i = 0; i < arguments.count && read; i++)
        read = read_argument(compiler, parameter_of(function, i), &arguments, i);
    compiler->scope.result = wanted;
    return read ? function->build(compiler, &arguments) : -1;
}
