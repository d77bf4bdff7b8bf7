/* The binary: finds the subcommand, parses its options and runs it. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "server/base/long_work.h"
#include "server/base/version.h"
#include "server/cli/command.h"
#include "server/cli/help.h"
#include "server/cli/option_checkers.h"
#include "server/settings/settings.h"

static const struct command *find_command(const char *name)
{
    const char *names[32] = {0};
    for (size_t i = 0; i < command_count; i++) {
        if (strcmp(command_table[i].name, name) == 0)
            return &command_table[i];
        names[i] = command_table[i].name;
    }
    const char *near = error_suggest(name, names, command_count);
    fprintf(stderr, "terrane: unknown command \"%s\"", name);
    if (near)
        fprintf(stderr, " (did you mean \"%s\"?)", near);
    fputs("\nSee \"terrane --help\".\n", stderr);
    return NULL;
}

static enum exit_status run_command(const struct command *command, struct options *options,
                                    int argc, char **argv)
{
    struct error error = {0};
    if (!options_parse(options, argc, argv, &error)) {
        const enum exit_status status = command_fail(&error);
        if (error.code == ERROR_MEMORY)
            return status;
        fprintf(stderr, "See \"terrane %s --help\".\n", command->name);
        return EXIT_USAGE;
    }
    if (options_given(options, OPTION_HELP)) {
        help_print_command(command);
        return EXIT_DONE;
    }
    struct diagnostics diagnostics;
    if (!settings_load(options, &diagnostics)) {
        for (unsigned i = 0; i < diagnostics.count; i++)
            command_fail(&diagnostics.errors[i]);
        return EXIT_FAILED;
    }
    return command_takes(options, command->arguments_max) ? command->run(options) : EXIT_USAGE;
}

static bool is_one_of(const char *word, const char *const *words)
{
    while (*words && strcmp(word, *words) != 0)
        words++;
    return *words;
}

/* "terrane help", "terrane help COMMAND" or "terrane help --json"; `word` may be null. */
static enum exit_status help(const char *word)
{
    if (!word) {
        help_print_usage(stdout);
        return EXIT_DONE;
    }
    if (strcmp(word, "--json") == 0)
        return help_print_tables();
    const struct command *command = find_command(word);
    if (!command)
        return EXIT_USAGE;
    help_print_command(command);
    return EXIT_DONE;
}

static enum exit_status run(int argc, char **argv)
{
    static const char *const help_words[] = {"help", "--help", "-h", NULL};
    static const char *const version_words[] = {"version", "--version", "-v", "-V", NULL};
    if (argc < 2) {
        help_print_usage(stderr);
        return EXIT_USAGE;
    }
    if (is_one_of(argv[1], help_words))
        return help(argv[2]);
    if (is_one_of(argv[1], version_words)) {
        puts("terrane " TERRANE_VERSION);
        return EXIT_DONE;
    }
    const struct command *command = find_command(argv[1]);
    if (!command)
        return EXIT_USAGE;
    struct options options = {.command = command->bit, .checkers = option_checkers};
    enum exit_status status = run_command(command, &options, argc - 1, argv + 1);
    options_free(&options);
    return status;
}

/* Opens a placeholder for each standard stream that is closed. Otherwise a file or connection that
 * is opened later could get the stream's number, and output would go into it. The placeholder
 * refuses the direction of the stream. */
static void reserve_standard_streams(void)
{
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
        if (fcntl(stream, F_GETFD) < 0)
            open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int main(int argc, char **argv)
{
    reserve_standard_streams();
    /* A closed pipe, or a file over its size limit, is an error of write() instead of the end of
     * the program. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    return long_work_exit_status((int)run(argc, argv));
}
