/* Every fault of a body is a 400 that says the rule which was broken, and what stood there. */
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

bool json_body_expect(const struct json *value, enum json_type type, const char *rule,
                      struct problem *problem)
{
    return json_type(value) == type ||
           problem_set(problem, PROBLEM_BODY, "%s, not %s", rule, json_type_name(json_type(value)));
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
    if (!json_body_expect(root, JSON_OBJECT, "the body must be an object", problem))
        return problem_set_parameter(problem, "body");
    if (json_allow(root, "", members, count, &error))
        return true;
    error.code = ERROR_VALUE; /* a member that is unknown is 400, not 404 */
    problem_from_error(problem, PROBLEM_BODY, &error);
    return problem_set_parameter(problem, unknown_key(root, members, count));
}
