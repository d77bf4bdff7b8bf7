#include "server/queries/query.h"

#include <string.h>

static const struct question *const table[] = {
    &question_profile, &question_stats, &question_objects, &question_locate,
    &question_spawn,   &question_sight, &question_explain,
};

const struct question *question_find(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strlen(table[i]->name) == length && memcmp(table[i]->name, name, length) == 0)
            return table[i];
    return NULL;
}
