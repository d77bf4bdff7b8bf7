/* terrane export: chooses what is made by the options and the name of the file. */
#include "server/cli/export.h"

/* Options of one kind of export alone. */
static const enum option_id grids_alone[] = {OPTION_ENGINE, OPTION_RANGE, OPTION_MATERIALS};

enum exit_status command_export(const struct options *options)
{
    if (options_given(options, OPTION_EXPORT_STEP))
        return export_grids(options);
    for (size_t i = 0; i < sizeof grids_alone / sizeof *grids_alone; i++)
        if (options_given(options, grids_alone[i]))
            return command_misuse(options, "--%s goes with --step",
                                  option_table[grids_alone[i]].name);
    return export_archives(options);
}
