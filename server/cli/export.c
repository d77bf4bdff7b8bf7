/* terrane export: chooses what is made by the options and the name of the file. */
#include "server/cli/export.h"
#include "server/export/raster_file.h"

/* Options of one kind of export alone. */
static const enum option_id grids_alone[] = {OPTION_ENGINE, OPTION_RANGE, OPTION_MATERIALS};
static const enum option_id rasters_alone[] = {OPTION_RASTER_LAYER, OPTION_WIDTH, OPTION_CRS,
                                               OPTION_COMPRESS};

enum exit_status command_export(const struct options *options)
{
    const char *path = options_text(options, OPTION_ARCHIVE);
    if (path && raster_kind_of(path))
        return export_rasters(options);
    for (size_t i = 0; i < sizeof rasters_alone / sizeof *rasters_alone; i++)
        if (options_given(options, rasters_alone[i]))
            return command_misuse(options, "--%s is for files .tif, .asc, .png and .webp",
                                  option_table[rasters_alone[i]].name);
    if (options_given(options, OPTION_EXPORT_STEP))
        return export_grids(options);
    for (size_t i = 0; i < sizeof grids_alone / sizeof *grids_alone; i++)
        if (options_given(options, grids_alone[i]))
            return command_misuse(options, "--%s goes with --step",
                                  option_table[grids_alone[i]].name);
    return export_archives(options);
}
