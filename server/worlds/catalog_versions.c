/* Former versions of worlds, which go on under their pins after a world has changed.
 *
 * A version is a world of the catalog like any other, but is found by name and fingerprint alone.
 * There are few of them, so that they are searched from the first to the last. Versions from files
 * are read and compiled at each reload. Versions that reloads keep go from catalog to catalog by
 * reference, with their painters, so that pins of their styles stay valid too; what they borrow of
 * the catalog that they came from is reference counted. */
#include <stdlib.h>
#include <string.h>

#include "server/worlds/catalog_private.h"

size_t catalog_former_count(const struct catalog *catalog)
{
    return catalog->former_count;
}

const struct catalog_world *catalog_former_at(const struct catalog *catalog, size_t index)
{
    return catalog->former[index];
}

static bool is_same_version(const struct catalog_world *a, const struct catalog_world *b)
{
    return strcmp(a->identity.name, b->identity.name) == 0 &&
           strcmp(a->identity.fingerprint, b->identity.fingerprint) == 0;
}

void catalog_drop_present(struct catalog *catalog)
{
    size_t count = 0;
    for (size_t i = 0; i < catalog->former_count; i++) {
        const struct catalog_world *former = catalog->former[i];
        const struct catalog_world *present = catalog_find(catalog, former->identity.name, NULL);
        if (present && is_same_version(present, former))
            catalog_release(former);
        else
            catalog->former[count++] = former;
    }
    catalog->former_count = count;
}

/* A seed that memory is out for matches no pin. */
static bool has_fingerprint(const struct catalog_world *world,
                            const struct catalog_reference *reference)
{
    char reseeded[WORLD_FINGERPRINT_TEXT];
    if (!reference->seed)
        return strcmp(world->identity.fingerprint, reference->pin) == 0;
    return world_fingerprint_reseeded(world->world, reference->seed, reseeded) &&
           strcmp(reseeded, reference->pin) == 0;
}

const struct catalog_world *catalog_find_version(const struct catalog *catalog,
                                                 const struct catalog_reference *reference,
                                                 struct error *error)
{
    const struct catalog_world *present = catalog_find(catalog, reference->name, error);
    if (!reference->pin || catalog->former_count == 0 ||
        (present && has_fingerprint(present, reference)))
        return present;
    for (size_t i = 0; i < catalog->former_count; i++)
        if (strcmp(catalog->former[i]->identity.name, reference->name) == 0 &&
            has_fingerprint(catalog->former[i], reference))
            return catalog->former[i];
    return present;
}

static bool is_served(const struct catalog *catalog, const struct catalog_world *version)
{
    for (size_t i = 0; i < catalog->former_count; i++)
        if (is_same_version(catalog->former[i], version))
            return true;
    const struct catalog_world *present = catalog_find(catalog, version->identity.name, NULL);
    return present && is_same_version(present, version);
}

/* Keeps the version for a world of the catalog; false if there is nothing to keep. */
static bool keep(struct catalog *catalog, const struct catalog_world *version)
{
    if (is_served(catalog, version))
        return false;
    catalog->former[catalog->former_count++] = catalog_world_retain(version);
    return true;
}

/* Keeps the worlds that the catalog before had: its present one is newer than its former ones,
 * which are in order. Versions of files that are gone are not kept. */
static void keep_versions(struct catalog *catalog, const char *name, const struct catalog *before,
                          unsigned most)
{
    const struct catalog_world *last = catalog_find(before, name, NULL);
    unsigned kept = most > 0 && last && keep(catalog, last);
    for (size_t i = before->former_file_count; i < before->former_count && kept < most; i++)
        if (strcmp(before->former[i]->identity.name, name) == 0)
            kept += keep(catalog, before->former[i]);
}

void catalog_keep_former(struct catalog *catalog, const struct catalog *before, unsigned most)
{
    const size_t room = catalog->former_count + before->world_count + before->former_count;
    const struct catalog_world **former =
        realloc(catalog->former, (room + 1) * sizeof *catalog->former);
    if (!former)
        return;
    catalog->former = former;
    for (size_t i = 0; i < catalog->world_count; i++)
        keep_versions(catalog, catalog->worlds[i]->identity.name, before, most);
}
