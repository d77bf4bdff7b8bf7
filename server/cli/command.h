/* The subcommands of `terrane`, and functions that they share. A command gets its options with the
 * settings loaded and returns the exit status of the program. */
#ifndef TERRANE_SERVER_CLI_COMMAND_H
#define TERRANE_SERVER_CLI_COMMAND_H

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "server/settings/options.h"
#include "server/worlds/catalog.h"

enum exit_status { EXIT_DONE, EXIT_FAILED, EXIT_USAGE };

typedef enum exit_status command_runner(const struct options *options);

struct command {
    const char *name;
    unsigned bit;          /* FOR_… */
    const char *arguments; /* for help: "[FILE…]" */
    size_t arguments_max;
    const char *summary;
    command_runner *run;
};

extern const struct command command_table[];
extern const size_t command_count;

command_runner command_serve, command_render, command_export, command_merge, command_verify,
    command_query, command_seeds, command_check, command_worlds, command_styles, command_formulas,
    command_cache, command_health, command_bench, command_names;
command_runner command_ask; /* profile, stats, … */
command_runner command_digest, command_golden, command_program,
    command_costs; /* options of check */

/* Print one line on standard error; return EXIT_FAILED and EXIT_USAGE. An error without a code was
 * printed before. */
enum exit_status command_fail(const struct error *error);
enum exit_status command_misuse(const struct options *options, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Prints the error alone on one line of standard error, in the form of compilers. Names `file` if
 * the error names no file. */
void command_complain(const char *file, const struct error *error);

/* False after a message if more than `most` arguments were given. */
bool command_takes(const struct options *options, size_t most);

/* Writes the buffer to standard output and frees it. EXIT_FAILED if the buffer or the write failed.
 */
enum exit_status command_print(struct buffer *text);

/* The catalog of the settings; null after a message. */
struct catalog *command_catalog(const struct options *options);
/* The world of a name or a file, perhaps with ~SEED, or of null the default one; null with an
 * error, or after messages about a file. To be released. */
const struct catalog_world *command_find_world(struct catalog *catalog, const char *text,
                                               struct error *error);
/* The same for the text of --world. */
const struct catalog_world *command_world(struct catalog *catalog, const struct options *options,
                                          struct error *error);
/* Loads the catalog and that world, and runs a command with it. If the function returns false, its
 * error is printed, unless it has set none. */
typedef bool command_function(const struct options *options, const struct catalog_world *world,
                              void *context, struct error *error);
enum exit_status command_with_world(const struct options *options, command_function *run,
                                    void *context);

/* An option_describer: an option that is a parameter of the command's query has the text and the
 * default of the table of parameters. */
void command_describe_option(unsigned command, enum option_id id, struct option_row *row);
/* The only values of such an option, with single spaces between; null if it may have others. */
const char *command_option_words(unsigned command, enum option_id id);

#endif
