#include "server/http/request/json_body.h"

#include <string.h>

/* The first member that is not among those, or "body". */
static const char *unknown_key(const struct json *root, const char *const *members, size_t count)
{
    for (const struct json *member = json_first(root); member; member = json_next(member)) {
        size_t i = 0;
        while (i < count && strcmp(members[i], json_key(member)) != 0)
            i++;
        if (i == count)
            return json_key(member);
    }
    return "body";
}

struct json_document *json_body_parse(const char *text, size_t length, unsigned depth,
                                      struct problem *problem)
{
    const struct json_limits limits = {0, depth};
    struct error error;
    struct json_document *document = json_parse(text, length, &limits, &error);
    if (document)
        return document;
    problem_from_error(problem, PROBLEM_BODY, &error);
    problem_set_parameter(problem, "body");
    return NULL;
}

bool json_body_check(const struct json *root, const char *const *members, size_t count,
                     struct problem *problem)
{
    struct error error;
    char text[sizeof problem->detail];
    if (json_type(root) != JSON_OBJECT) {
        problem_set(problem, PROBLEM_BODY, "the body must be an object, not %s",
                    json_type_name(json_type(root)));
        return problem_set_parameter(problem, "body");
    }
    if (json_allow(root, "", members, count, &error))
        return true;
    error_format(&error, text, sizeof text);
    problem_set(problem, PROBLEM_BODY, "%s", text);
    return problem_set_parameter(problem, unknown_key(root, members, count));
}
