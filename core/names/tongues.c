/* The tongues of the program, each in a file of its own: tongues/NAME.def is the initializer of a
 * struct tongue, by the macros below. */
#include <string.h>

#include "core/names/tongue.h"

#define WORDS(...)                                                                                 \
    {                                                                                              \
        (const char *const[]){__VA_ARGS__},                                                        \
            sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *)                      \
    }

static const struct tongue nordic = {
    .name = "nordic",
#include "core/names/tongues/nordic.def"
};
static const struct tongue celtic = {
    .name = "celtic",
#include "core/names/tongues/celtic.def"
};

const struct tongue *const tongues[TONGUES] = {
#define TONGUE(name) &name,
    TONGUE_LIST(TONGUE)
#undef TONGUE
};

const struct tongue *tongue_find(const char *name)
{
    for (size_t i = 0; i < TONGUES; i++)
        if (strcmp(name, tongues[i]->name) == 0)
            return tongues[i];
    return NULL;
}
