/* The table of parameters reads texts by a function, so that commands and requests share it. Here
 * the texts are those of a target, and errors become problems that name the parameter and its
 * allowed values. */
#include "server/http/request/parameters.h"

#include <stdio.h>
#include <string.h>

static const char *find_text(const void *target, const char *name)
{
    const struct target_parameter *parameter = target_find(target, name);
    return parameter ? parameter->value.text : NULL;
}

bool problem_from_parameter(parameter_set set, const struct error *error, struct problem *problem)
{
    const enum parameter_id id = parameter_find(set, error->path);
    problem_from_error(problem, PROBLEM_PARAMETER, error);
    problem->column = error->column;
    if (error->code == ERROR_UNKNOWN)
        problem->list_path = "/worlds/{world}";
    else if (error->code != ERROR_MEMORY && id != PARAMETER_COUNT)
        parameter_allowed(id, problem->allowed);
    return problem_set_parameter(problem, error->path);
}

bool request_parameters_read(parameter_set set, const struct http_target *target,
                             struct parameter_values *values, struct problem *problem)
{
    const struct parameter_source source = {target, find_text};
    struct error error;
    return parameters_read(set, &source, values, &error) ||
           problem_from_parameter(set, &error, problem);
}

static bool fail_unknown(parameter_set set, const char *name, struct problem *problem)
{
    char list[sizeof problem->allowed] = "";
    const char *names[PARAMETER_COUNT];
    size_t count = 0, used = 0;
    for (parameter_set rest = set; rest; rest &= rest - 1) {
        names[count] = parameter_table[parameter_first(rest)].name;
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", count ? ", " : "",
                                 names[count]);
        count++;
    }
    if (count == 0)
        return problem_parameter(problem, name, "", "this path takes no parameters, not \"%s\"",
                                 name);
    const char *near = error_suggest(name, names, count);
    if (near)
        return problem_parameter(problem, name, list,
                                 "unknown parameter \"%s\" (did you mean \"%s\"?)", name, near);
    return problem_parameter(problem, name, list, "unknown parameter \"%s\"", name);
}

bool request_parameters_check(parameter_set set, const struct http_target *target,
                              struct problem *problem)
{
    for (unsigned i = 0; i < target->parameter_count; i++) {
        const char *name = target->parameters[i].name.text;
        if (parameter_find(set, name) == PARAMETER_COUNT)
            return fail_unknown(set, name, problem);
        if (target_find(target, name) != &target->parameters[i])
            return problem_parameter(problem, name, "", "\"%s\" is given more than once", name);
    }
    return true;
}

bool request_layer_find(const char *name, const struct world *world, unsigned *layer,
                        struct problem *problem)
{
    const char *names[WORLD_LAYERS_MAX + 1];
    const unsigned count = world_layer_count(world);
    const int found = world_find_layer(world, name);
    *layer = (unsigned)found;
    if (found >= 0)
        return true;
    for (unsigned i = 0; i < count; i++)
        names[i] = world_layer(world, i)->name;
    const char *near = error_suggest(name, names, count);
    problem_set(problem, PROBLEM_NOT_FOUND, "unknown layer \"%s\"%s%s%s", name,
                near ? " (did you mean \"" : "", near ? near : "", near ? "\"?)" : "");
    problem->list_path = "/worlds/{world}";
    return false;
}
