/* The functions that formulas can call: one table. A function is a row in functions.c and a
 * builder, which adds operations to the program; a function that is not composed of existing
 * operations needs a new one (core/program/operations.def). Parsing of arguments, messages,
 * `terrane formulas`, /formulas and the canonical form of formulas follow from the row. */
#ifndef TERRANE_LANGUAGE_FUNCTIONS_H
#define TERRANE_LANGUAGE_FUNCTIONS_H

#include "core/base/buffer.h"
#include "core/language/formula.h"
#include "core/program/program_builder.h"

enum { FUNCTIONS_MAX = 64, FUNCTION_PARAMETERS_MAX = 14 };

enum parameter_kind {
    PARAMETER_NONE,
    PARAMETER_FIELD,   /* any formula */
    PARAMETER_NUMBER,  /* a constant in low … high */
    PARAMETER_WHOLE,   /* a whole constant in low … high */
    PARAMETER_CHOICE,  /* one of `choices`, in quotes */
    PARAMETER_TEXT,    /* any text in quotes */
    PARAMETER_FORMULA, /* a formula that the builder compiles itself, in a changed scope */
};

struct parameter {
    const char *name;
    enum parameter_kind kind;
    bool optional;
    double default_value; /* of an optional one; for choices the index */
    double low, high;
    const char *const *choices;    /* ends with null */
    bool common;                   /* shared by many functions: short signatures leave it out */
    const char *default_parameter; /* the parameter whose value is the default, or null */
};

/* The arguments of a call, by parameter. */
struct arguments {
    const struct formula *call;
    const struct function *function;
    const struct formula *formulas[FORMULA_ARGUMENTS_MAX]; /* null if left out */
    int32_t fields[FORMULA_ARGUMENTS_MAX];                 /* PARAMETER_FIELD: operations */
    double numbers[FORMULA_ARGUMENTS_MAX];
    const char *texts[FORMULA_ARGUMENTS_MAX]; /* PARAMETER_TEXT; "" if left out */
    uint32_t count;                           /* more than parameters only if variadic */
};

struct compiler; /* see compile.h */
/* Adds the operations of a call; the result, or -1 with an error. */
typedef int32_t function_builder(struct compiler *compiler, const struct arguments *arguments);

struct function {
    const char *name;
    const char *summary; /* one line, for `terrane formulas` and the manual */
    struct parameter parameters[FUNCTION_PARAMETERS_MAX];
    function_builder *build;
    int code;            /* of builders for several functions: the operation, fractal or axis */
    bool variadic;       /* the last parameter may be given more than once */
    bool leads_to_noise; /* a noise, or what moves one: allowed inside zero_distance() */
    bool is_position;    /* of the place itself, or of what is sampled there */
};

extern const struct function functions[];
extern const size_t function_count;

/* True if the value depends on the place besides on the arguments, or these are moved: noises, and
 * what samples or moves a formula. */
bool function_is_of_places(const struct function *function);
/* The function, or null. */
const struct function *function_find(const char *name);
uint32_t function_parameter_count(const struct function *function);
/* The index of a parameter, or -1 if the function has none of that name. */
int32_t function_parameter(const struct function *function, const char *name);
/* "fbm(wavelength, octaves, persistence=0.5, …)" into out, cut to size; for help texts. A short one
 * has "..." for the parameters that noises have in common. */
void function_signature(const struct function *function, bool brief, char *out, size_t size);
/* Appends what that "..." stands for: a line for each common parameter, with the functions that
 * take it. */
void function_describe_common(struct buffer *out);
/* The choices of a parameter for messages: "a", "b" or "c", in quotes, cut to size. */
void parameter_choices(const struct parameter *parameter, char *out, size_t size);

#endif
