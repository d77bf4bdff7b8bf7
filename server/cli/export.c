/* terrane export: chooses what is made by the options and the name of the file, and refuses options
 * that others have. */
#include "server/cli/export.h"

#include <string.h>

#include "server/export/archives/tile_archive.h"
#include "server/export/job.h"
#include "server/export/meshes/mesh.h"
#include "server/export/rasters/raster_file.h"
#include "server/render/names.h"

enum { TILES = 1, GRIDS = 2, MESHES = 4, RASTERS = 8 };

static bool run_job(const struct options *options, const struct catalog_world *world, void *context,
                    struct error *error)
{
    (void)options;
    return export_job_run(context, world, error);
}

/* What is wrong with no single option is a mistake in how the command is used. */
static enum exit_status refuse(const struct options *options, const struct error *error)
{
    if (!error->path[0])
        return command_misuse(options, "%s", error->message);
    command_fail(error);
    return EXIT_USAGE;
}

static enum exit_status export_tiles(const struct options *options)
{
    struct export_job job;
    struct error error = {0};
    const enum exit_status status = export_job_read(&job, &export_archives, options, &error)
                                        ? command_with_world(options, run_job, &job)
                                        : refuse(options, &error);
    export_job_free(&job);
    return status;
}

static const struct product {
    unsigned bit;
    const char *name;
    enum exit_status (*make)(const struct options *options);
} products[] = {
    {TILES, "map tiles", export_tiles},
    {GRIDS, "tiles for engines, with --step", export_grids},
    {MESHES, "meshes, .glb and .stl", export_meshes},
    {RASTERS, "rasters such as area.tif", export_rasters},
};
enum { PRODUCTS = sizeof products / sizeof *products };

/* Options that not all products have. */
static const struct {
    enum option_id id;
    unsigned products;
} uses[] = {
    {OPTION_STYLES_OF, TILES | MESHES | RASTERS},
    {OPTION_ZOOMS, TILES},
    {OPTION_SHARD, TILES},
    {OPTION_ZERO_BASED, TILES},
    {OPTION_NO_SHIFT, TILES},
    {OPTION_TILE_FORMAT, TILES | GRIDS},
    {OPTION_EXPORT_SIZE, TILES | GRIDS},
    {OPTION_RESUME, TILES | GRIDS | RASTERS},
    {OPTION_EXPORT_STEP, GRIDS | MESHES | RASTERS},
    {OPTION_ENGINE, GRIDS},
    {OPTION_RANGE, GRIDS | RASTERS},
    {OPTION_MATERIALS, GRIDS},
    {OPTION_SCALE, MESHES},
    {OPTION_BASE, MESHES},
    {OPTION_RASTER_LAYER, RASTERS},
    {OPTION_WIDTH, RASTERS},
    {OPTION_CRS, RASTERS},
    {OPTION_COMPRESS, RASTERS},
};

/* True if the name cannot be meant as that of a folder. */
static bool is_archive(const char *path)
{
    const struct tile_archive_kind *kind = tile_archive_kind_of(path, NULL);
    return (kind && kind->way != ARCHIVE_FOLDER) || strcmp(path, "-") == 0;
}

/* True if the name seems to be that of a file: "x.obj", but neither "v1.2" nor ".obj". */
static bool has_ending(const char *path)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    return dot && dot > name && dot[1] != '\0' && strchr(letters, dot[1]);
}

/* The endings of the products of --step; false if the name has another one. */
static bool check_ending(const char *path, struct error *error)
{
    char meshes[FORMAT_NAMES_TEXT], rasters[FORMAT_NAMES_TEXT];
    if (!path || !has_ending(path))
        return true;
    error_set(error, ERROR_VALUE,
              "must end in %s for a mesh, in %s for a raster, or in / for a folder, if its name "
              "has such an ending, not \"%s\"",
              mesh_kind_names(meshes), raster_kind_names(rasters), path);
    return error_in_path(error, "-o");
}

static const struct product *product_of(const struct options *options)
{
    const char *path = options_text(options, OPTION_ARCHIVE);
    const bool has_step = options_given(options, OPTION_EXPORT_STEP);
    const unsigned bit = path && mesh_kind_of(path)                ? MESHES
                         : path && raster_kind_of(path)            ? RASTERS
                         : has_step && !(path && is_archive(path)) ? GRIDS
                                                                   : TILES;
    const struct product *product = products;
    while (product->bit != bit)
        product++;
    return product;
}

/* "map tiles; meshes, .glb and .stl" */
static const char *names_of(unsigned bits, char text[FORMAT_NAMES_TEXT])
{
    size_t length = 0;
    text[0] = '\0';
    for (size_t i = 0; i < PRODUCTS; i++)
        if (products[i].bit & bits)
            length += (size_t)snprintf(text + length, FORMAT_NAMES_TEXT - length, "%s%s",
                                       length ? "; " : "", products[i].name);
    return text;
}

enum exit_status command_export(const struct options *options)
{
    const struct product *product = product_of(options);
    char names[FORMAT_NAMES_TEXT];
    struct error error = {0};
    if (product->bit == TILES && options_given(options, OPTION_EXPORT_STEP))
        return command_misuse(options, "--step makes a folder, a mesh or a raster, not \"%s\"",
                              options_text(options, OPTION_ARCHIVE));
    if (product->bit == GRIDS && !check_ending(options_text(options, OPTION_ARCHIVE), &error)) {
        command_fail(&error);
        return EXIT_USAGE;
    }
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++)
        if (!(uses[i].products & product->bit) && options_given(options, uses[i].id))
            return command_misuse(options, "--%s is for %s", option_table[uses[i].id].name,
                                  names_of(uses[i].products, names));
    return product->make(options);
}
