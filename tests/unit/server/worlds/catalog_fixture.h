/* A folder with the worlds alpha and beta and one with shared styles, and a catalog of both. */
#ifndef TERRANE_TESTS_CATALOG_FIXTURE_H
#define TERRANE_TESTS_CATALOG_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "server/worlds/catalog.h"
#include "tests/unit/temporary_folder.h"

static const char *worlds, *styles;

static inline void write_file(const char *directory, const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

#define GREY(layer)                                                                                \
    "{\"paint\":[{\"ramp\":{\"layer\":\"" layer "\",\"stops\":[[0,\"#000\"],[1,\"#fff\"]]}}]}"

static inline int make_worlds(void **state)
{
    (void)state;
    worlds = temporary_path("worlds");
    styles = temporary_path("styles");
    mkdir(worlds, 0700);
    mkdir(styles, 0700);
    write_file(
        worlds, "alpha.json",
        "{\"generator\":1,\"seed\":\"a\",\"layers\":{\"height\":\"perlin(64)\","
        "\"woods\":\"1\"},\"styles\":{\"own\":" GREY("woods") ",\"plain\":" GREY("woods") "}}");
    write_file(worlds, "beta.json", "{\"generator\":1,\"layers\":{\"height\":\"perlin(64)\"}}");
    write_file(styles, "plain.json", GREY("height"));
    write_file(styles, "wooded.json", GREY("woods"));
    return 0;
}

static inline struct catalog *load(void)
{
    const char *world_list[] = {worlds}, *style_list[] = {styles};
    struct catalog_options options = {world_list, 1, style_list, 1, "alpha", {0}, NULL, NULL};
    struct error error = {0};
    struct catalog *catalog = catalog_load(&options, &error);
    if (!catalog)
        print_error("%s: %s: %s\n", error.file, error.path, error.message);
    assert_non_null(catalog);
    return catalog;
}

#endif
