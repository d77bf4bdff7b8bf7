/* Everything about a parameter stands by itself here, so that a reader needs not take signatures
 * apart. */
#include "core/language/functions_document.h"

#include "core/language/functions.h"

enum { SIGNATURE_SIZE = 256 };

/* What a caller may write for a parameter. */
static const char *const kind_names[] = {
    [PARAMETER_NONE] = "",           [PARAMETER_FIELD] = "formula", [PARAMETER_NUMBER] = "number",
    [PARAMETER_WHOLE] = "whole",     [PARAMETER_CHOICE] = "choice", [PARAMETER_TEXT] = "text",
    [PARAMETER_FORMULA] = "formula",
};

static bool is_number(const struct parameter *parameter)
{
    return parameter->kind == PARAMETER_NUMBER || parameter->kind == PARAMETER_WHOLE;
}

static void write_choices(struct json_writer *json, const struct parameter *parameter)
{
    json_member_array(json, "choices");
    for (uint32_t i = 0; parameter->choices[i]; i++)
        json_write_string(json, parameter->choices[i]);
    json_array_close(json);
}

/* The value of a parameter that is left out; a text is empty then. */
static void write_default(struct json_writer *json, const struct parameter *parameter)
{
    if (parameter->default_parameter)
        json_member_string(json, "default_parameter", parameter->default_parameter);
    else if (is_number(parameter))
        json_member_double(json, "default", parameter->default_value);
    else if (parameter->kind == PARAMETER_CHOICE)
        json_member_string(json, "default", parameter->choices[(int)parameter->default_value]);
    else
        json_member_string(json, "default", "");
}

static void write_parameter(struct json_writer *json, const struct parameter *parameter)
{
    json_object_open(json);
    json_member_string(json, "name", parameter->name);
    json_member_string(json, "kind", kind_names[parameter->kind]);
    json_member_bool(json, "optional", parameter->optional);
    json_member_bool(json, "by_name", parameter->common);
    if (is_number(parameter)) {
        json_member_double(json, "minimum", parameter->low);
        json_member_double(json, "maximum", parameter->high);
    }
    if (parameter->kind == PARAMETER_CHOICE)
        write_choices(json, parameter);
    if (parameter->optional)
        write_default(json, parameter);
    json_object_close(json);
}

static void write_function(struct json_writer *json, const struct function *function)
{
    char signature[SIGNATURE_SIZE];
    function_signature(function, true, signature, sizeof signature);
    json_object_open(json);
    json_member_string(json, "name", function->name);
    json_member_string(json, "signature", signature);
    json_member_string(json, "summary", function->summary);
    json_member_bool(json, "variadic", function->variadic);
    json_member_array(json, "parameters");
    for (uint32_t i = 0; i < function_parameter_count(function); i++)
        write_parameter(json, &function->parameters[i]);
    json_array_close(json);
    json_object_close(json);
}

void functions_write_document(struct json_writer *json)
{
    json_object_open(json);
    json_member_array(json, "functions");
    for (size_t i = 0; i < function_count; i++)
        write_function(json, &functions[i]);
    json_array_close(json);
    json_object_close(json);
}
