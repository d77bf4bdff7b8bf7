/* terrane export: chooses what is made by the options and the name of the file. */
#include "server/cli/export.h"

enum exit_status command_export(const struct options *options)
{
    return export_archives(options);
}
