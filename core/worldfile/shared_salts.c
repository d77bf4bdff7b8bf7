/* All salted noises are collected from the formulas, layer by layer, and each is compared with
 * those before it. Calls of which the wavelength is no plain number count as of equal wavelength.
 * The salts of scatter() do not count: layers share its points. */
#include "core/worldfile/shared_salts.h"

#include <string.h>

#include "core/worldfile/world_private.h"

enum { CALLS_MAX = 512 }; /* further ones are not looked at */

struct salted_call {
    const char *function, *salt;
    double wavelength;
    uint32_t layer;
};

struct collection {
    uint32_t layer, count;
    struct salted_call calls[CALLS_MAX];
};

static void collect(const struct formula *formula, struct collection *found)
{
    const struct function *function =
        formula && formula->kind == FORMULA_CALL ? function_find(formula->text) : NULL;
    const bool is_noise = function && function->leads_to_noise;
    const int32_t position = is_noise ? function_parameter(function, "salt") : -1;
    const struct formula *salt =
        position >= 0 ? formula_argument(formula, "salt", (uint32_t)position) : NULL;
    if (salt && salt->kind == FORMULA_TEXT && *salt->text && found->count < CALLS_MAX) {
        const struct formula *wavelength = formula_argument(formula, "wavelength", 0);
        const bool plain = wavelength && wavelength->kind == FORMULA_NUMBER;
        found->calls[found->count++] = (struct salted_call){
            formula->text, salt->text, plain ? wavelength->number : 0.0, found->layer};
    }
    for (uint32_t i = 0; formula && i < formula->child_count; i++)
        collect(formula->children[i], found);
}

static bool is_same_noise(const struct salted_call *a, const struct salted_call *b)
{
    return a->layer != b->layer && a->wavelength == b->wavelength &&
           strcmp(a->function, b->function) == 0 && strcmp(a->salt, b->salt) == 0;
}

static bool is_found(const struct shared_salt *found, unsigned count,
                     const struct shared_salt *shared)
{
    for (unsigned i = 0; i < count; i++)
        if (found[i].second == shared->second && strcmp(found[i].salt, shared->salt) == 0)
            return true;
    return false;
}

unsigned shared_salts_find(const struct world *world, struct shared_salt found[SHARED_SALTS_MAX])
{
    struct collection all = {.count = 0};
    unsigned count = 0;
    for (all.layer = 0; all.layer < world->layer_count; all.layer++)
        collect(world->layer_formulas[all.layer].formula, &all);
    for (uint32_t i = 0; i < all.count; i++)
        for (uint32_t k = 0; k < i && count < SHARED_SALTS_MAX; k++) {
            const struct salted_call *first = &all.calls[k], *second = &all.calls[i];
            const struct shared_salt shared = {second->function, second->salt,
                                               world->layer_formulas[first->layer].name,
                                               world->layer_formulas[second->layer].name};
            if (!is_same_noise(first, second) || is_found(found, count, &shared))
                continue;
            found[count++] = shared;
            break;
        }
    return count;
}
