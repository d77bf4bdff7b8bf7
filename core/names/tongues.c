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
static const struct tongue romance = {
    .name = "romance",
#include "core/names/tongues/romance.def"
};
static const struct tongue slavic = {
    .name = "slavic",
#include "core/names/tongues/slavic.def"
};
static const struct tongue celtic = {
    .name = "celtic",
#include "core/names/tongues/celtic.def"
};
static const struct tongue polynesian = {
    .name = "polynesian",
#include "core/names/tongues/polynesian.def"
};
static const struct tongue semitic = {
    .name = "semitic",
#include "core/names/tongues/semitic.def"
};
static const struct tongue sinitic = {
    .name = "sinitic",
#include "core/names/tongues/sinitic.def"
};
static const struct tongue sylvan = {
    .name = "sylvan",
#include "core/names/tongues/sylvan.def"
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
