/* The help texts, from the tables of commands, options and formats. */
#ifndef TERRANE_SERVER_CLI_HELP_H
#define TERRANE_SERVER_CLI_HELP_H

#include <stdio.h>

#include "server/cli/command.h"

/* The list of commands. */
void help_print_usage(FILE *out);
/* A command's arguments and options, on standard output. */
void help_print_command(const struct command *command);
/* The tables as one JSON object on standard output, from which manual pages and the completion of
 * shells are made (config/package). EXIT_FAILED after a message. */
enum exit_status help_print_tables(void);

#endif
