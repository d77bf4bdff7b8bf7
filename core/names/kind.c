/* The columns of the table of kinds. */
#include "core/names/kind.h"

#include <string.h>

#include "core/base/place.h"

const char *const name_kind_texts[NAME_KINDS] = {
#define NAME_KIND(id, text, reach_km, pattern) text,
#include "core/names/kinds.def"
#undef NAME_KIND
};

static const int32_t reaches_km[NAME_KINDS] = {
#define NAME_KIND(id, text, reach_km, pattern) reach_km,
#include "core/names/kinds.def"
#undef NAME_KIND
};

static const char *const patterns[NAME_KINDS] = {
#define NAME_KIND(id, text, reach_km, pattern) pattern,
#include "core/names/kinds.def"
#undef NAME_KIND
};

const char *name_kind_text(enum name_kind kind)
{
    return name_kind_texts[kind];
}

int name_kind_find(const char *text)
{
    for (int i = 0; i < NAME_KINDS; i++)
        if (strcmp(text, name_kind_texts[i]) == 0)
            return i;
    return -1;
}

int64_t name_kind_reach(enum name_kind kind)
{
    return reaches_km[kind] * 1000 * PLACE_METRE;
}

const char *name_kind_pattern(enum name_kind kind)
{
    return patterns[kind];
}
