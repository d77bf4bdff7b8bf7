/* Everything follows from the tables of commands, options and formats, so that a new row of them is
 * in the help, the manual pages and the completion of shells at once. */
#include "server/cli/help.h"

#include <string.h>

#include "core/base/json_writer.h"
#include "server/base/terminal.h"
#include "server/base/version.h"
#include "server/export/grids/grid_plan.h"
#include "server/render/format.h"

enum { NAME_COLUMNS = 10 }; /* of a command, in the list of all */

static void print_heading(const char *text, FILE *out)
{
    fprintf(out, "%s%s%s", terminal_heading(out), text, terminal_plain(out));
}

void help_print_usage(FILE *out)
{
    print_heading("usage:", out);
    fputs(" terrane COMMAND [options]\n\n", out);
    print_heading("commands:", out);
    fputc('\n', out);
    for (size_t i = 0; i < command_count; i++) {
        fprintf(out, "  %-*s ", NAME_COLUMNS, command_table[i].name);
        terminal_print_indented(out, command_table[i].summary, 2 + NAME_COLUMNS + 1);
    }
    fputs("\n\"terrane help COMMAND\" lists a command's options; \"terrane version\" prints the "
          "version.\n",
          out);
}

void help_print_command(const struct command *command)
{
    char all[FORMAT_NAMES_TEXT], rectangles[FORMAT_NAMES_TEXT];
    print_heading("usage:", stdout);
    printf(" terrane %s [options]%s%s\n\n%s\n\n", command->name, *command->arguments ? " " : "",
           command->arguments, command->summary);
    print_heading("options:", stdout);
    putchar('\n');
    options_print_help(command->bit, command_describe_option, stdout);
    if (command->bit & FOR_RENDER)
        printf("\nFormats: %s; of rectangles: %s.\n", format_names(NULL, all),
               format_names(format_supports_rectangles, rectangles));
    if (command->bit & FOR_CATALOG)
        fputs("\nSettings may also come from the environment (TERRANE_CACHE_MEMORY for "
              "--cache-memory)\nand from the file of --config (\"cache_memory\"); a flag replaces "
              "the environment,\nwhich replaces the file. In square brackets: the default.\n",
              stdout);
}

/* Writes words that have spaces or commas between them. */
static void write_words(struct json_writer *json, const char *words)
{
    while (*words) {
        char word[64];
        const size_t length = strcspn(words, ", ");
        snprintf(word, sizeof word, "%.*s", (int)length, words);
        json_write_string(json, word);
        words += length;
        words += strspn(words, ", ");
    }
}

/* The only values of an option: of its own row, of the parameter that it stands for, or of the
 * table of engines. */
static void write_values(struct json_writer *json, unsigned command, enum option_id id)
{
    const char *const *choices = option_table[id].choices;
    const char *words = command_option_words(command, id);
    char engines[FORMAT_NAMES_TEXT];
    if (id == OPTION_ENGINE)
        words = grid_engine_names(engines);
    if (!choices[0] && !words)
        return;
    json_member_array(json, "values");
    for (size_t i = 0; choices[i]; i++)
        json_write_string(json, choices[i]);
    if (words)
        write_words(json, words);
    json_array_close(json);
}

static void write_option(struct json_writer *json, unsigned command, enum option_id id)
{
    struct option_row row = option_table[id];
    const char letter[2] = {row.letter, 0};
    char key[OPTION_KEY_TEXT];
    command_describe_option(command, id, &row);
    json_object_open(json);
    json_member_string(json, "name", row.name);
    if (row.letter)
        json_member_string(json, "letter", letter);
    if (row.argument)
        json_member_string(json, "argument", row.argument);
    json_member_string(json, "help", row.help);
    write_values(json, command, id);
    if (row.fallback)
        json_member_string(json, "default", row.fallback);
    if (row.game)
        json_member_string(json, "default_of_game", row.game);
    json_member_bool(json, "repeatable", row.kind == OPTION_LIST);
    option_key(id, true, key);
    if (row.scope != SCOPE_FLAG)
        json_member_string(json, "environment", key);
    option_key(id, false, key);
    if (row.scope == SCOPE_SETTING)
        json_member_string(json, "setting", key);
    json_object_close(json);
}

static void write_command(struct json_writer *json, const struct command *command)
{
    json_object_open(json);
    json_member_string(json, "name", command->name);
    json_member_string(json, "arguments", command->arguments);
    json_member_string(json, "summary", command->summary);
    json_member_array(json, "options");
    for (enum option_id id = 0; id < OPTION_COUNT; id++)
        if (option_table[id].commands & command->bit)
            write_option(json, command->bit, id);
    json_array_close(json);
    json_object_close(json);
}

enum exit_status help_print_tables(void)
{
    struct buffer out = {0};
    struct json_writer json;
    json_begin_object(&json, &out, true);
    json_member_string(&json, "version", TERRANE_VERSION);
    json_member_array(&json, "commands");
    for (size_t i = 0; i < command_count; i++)
        write_command(&json, &command_table[i]);
    json_array_close(&json);
    json_member_array(&json, "formats");
    for (size_t i = 0; format_at(i); i++) {
        json_object_open(&json);
        json_member_string(&json, "name", format_at(i)->name);
        json_member_bool(&json, "text", format_at(i)->columns);
        json_member_bool(&json, "archived", format_is_of_archives(format_at(i)));
        json_object_close(&json);
    }
    json_array_close(&json);
    json_finish_object(&json);
    return command_print(&out);
}
