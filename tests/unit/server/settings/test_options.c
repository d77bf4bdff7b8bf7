#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "core/encode/terminal.h"
#include "server/cli/command.h"
#include "server/cli/option_checkers.h"
#include "server/render/chunk_order.h"
#include "server/settings/settings.h"

enum { WORDS_MAX = 12 };

/* Parses "word word …" as what stands behind the command's name. */
static bool parse(struct options *options, unsigned command, const char *line, struct error *error)
{
    static char copy[256];
    char *words[WORDS_MAX + 2] = {(char *)"command"};
    int count = 1;
    strncpy(copy, line, sizeof copy - 1);
    for (char *word = strtok(copy, " "); word && count <= WORDS_MAX; word = strtok(NULL, " "))
        words[count++] = word;
    *options = (struct options){.command = command, .checkers = option_checkers};
    return options_parse(options, count, words, error);
}

static void assert_refused(unsigned command, const char *line, const char *path,
                           const char *message)
{
    struct options options;
    struct error error = {0};
    assert_false(parse(&options, command, line, &error));
    assert_string_equal(error.path, path);
    assert_string_equal(error.message, message);
    options_free(&options);
}

static void negative_numbers_are_arguments(void **state)
{
    (void)state;
    struct options options;
    assert_true(parse(&options, FOR_QUERY, "-100 --zoom 5 -.5 -", NULL));
    assert_int_equal(options.argument_count, 3);
    assert_string_equal(options.arguments[0], "-100");
    assert_string_equal(options.arguments[1], "-.5");
    assert_string_equal(options.arguments[2], "-");
    assert_int_equal(options_whole(&options, OPTION_ZOOM), 5);
    options_free(&options);
}

static void a_value_may_begin_with_a_minus(void **state)
{
    (void)state;
    struct options options;
    assert_true(parse(&options, FOR_QUERY, "-t -2.5 --z=-3 1 2", NULL));
    assert_true(options_number(&options, OPTION_TIME) == -2.5);
    assert_true(options_number(&options, OPTION_Z) == -3);
    assert_int_equal(options.argument_count, 2);
    options_free(&options);
}

static void two_dashes_end_the_options(void **state)
{
    (void)state;
    struct options options;
    assert_true(parse(&options, FOR_CHECK, "a.json -- --help", NULL));
    assert_int_equal(options.argument_count, 2);
    assert_string_equal(options.arguments[1], "--help");
    assert_false(options_given(&options, OPTION_HELP));
    options_free(&options);
}

static void lists_keep_their_order_and_scalars_their_last(void **state)
{
    (void)state;
    struct options options;
    size_t count;
    assert_true(parse(&options, FOR_SERVE, "--worlds a --worlds b --port 1 --port 2", NULL));
    const char *const *worlds = options_list(&options, OPTION_WORLDS, &count);
    assert_int_equal(count, 2);
    assert_string_equal(worlds[0], "a");
    assert_string_equal(worlds[1], "b");
    assert_int_equal(options_whole(&options, OPTION_PORT), 2);
    options_free(&options);
}

static void sizes_take_suffixes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t bytes;
    } cases[] = {{"0", 0},           {"1000", 1000},
                 {"1K", 1024},       {"256M", 268435456},
                 {"3G", 3221225472}, {"65536G", 70368744177664}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct options options = {0};
        assert_true(options_add(&options, OPTION_CACHE_MEMORY, cases[i].text, ORIGIN_FLAG, NULL));
        assert_int_equal(options_whole(&options, OPTION_CACHE_MEMORY), cases[i].bytes);
        options_free(&options);
    }
}

static void bad_sizes_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "", "M", "-1", "1.5M", "1MB", "1m", "1 ", "0x1", "1T", "65537G", "18446744073709551616G"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct options options = {0};
        assert_false(options_add(&options, OPTION_CACHE_MEMORY, bad[i], ORIGIN_FLAG, NULL));
        options_free(&options);
    }
}

static void higher_origins_win_in_any_order(void **state)
{
    (void)state;
    struct options options = {0};
    assert_string_equal(options_text(&options, OPTION_QUEUE), "256");
    assert_true(options_add(&options, OPTION_QUEUE, "3", ORIGIN_ENVIRONMENT, NULL));
    assert_true(options_add(&options, OPTION_QUEUE, "2", ORIGIN_FILE, NULL));
    assert_int_equal(options_whole(&options, OPTION_QUEUE), 3);
    assert_true(options_add(&options, OPTION_QUEUE, "4", ORIGIN_FLAG, NULL));
    assert_int_equal(options_whole(&options, OPTION_QUEUE), 4);
    assert_true(options_add(&options, OPTION_WORLDS, "a", ORIGIN_FILE, NULL));
    assert_true(options_add(&options, OPTION_WORLDS, "b", ORIGIN_FLAG, NULL));
    assert_int_equal(options.values[OPTION_WORLDS].count, 1);
    assert_string_equal(options_text(&options, OPTION_WORLDS), "b");
    options_free(&options);
}

static void wrong_usage_says_what_is_wrong(void **state)
{
    (void)state;
    assert_refused(FOR_SERVE, "--prot 1", "",
                   "unknown option \"--prot\" (did you mean \"--port\"?)");
    assert_refused(FOR_SERVE, "--prot=1", "",
                   "unknown option \"--prot\" (did you mean \"--port\"?)");
    assert_refused(FOR_SERVE, "--xyzzyx", "", "unknown option \"--xyzzyx\"");
    assert_refused(FOR_SERVE, "-q", "", "unknown option \"-q\"");
    /* An option of another command. */
    assert_refused(FOR_QUERY, "--width 5", "", "unknown option \"--width\"");
    assert_refused(FOR_SERVE, "--port", "", "--port needs a value");
    assert_refused(FOR_RENDER, "-o", "", "-o needs a value");
    assert_refused(FOR_SERVE, "--print-config=1", "", "--print-config takes no value");
    assert_refused(FOR_SERVE, "--port 65536", "--port",
                   "must be a whole number from 0 to 65535, not \"65536\"");
    assert_refused(FOR_SERVE, "--port 1e3", "--port",
                   "must be a whole number from 0 to 65535, not \"1e3\"");
    assert_refused(FOR_QUERY, "--zoom 21", "--zoom",
                   "must be a whole number from 0 to 20, not \"21\"");
    assert_refused(FOR_QUERY, "-t nan", "--time", "must be a number such as 0.5, not \"nan\"");
    assert_refused(FOR_SERVE, "--worlds=", "--worlds", "must not be empty");
    assert_refused(FOR_SERVE, "--log-format xml", "--log-format",
                   "must be text or json, not \"xml\"");
    assert_refused(FOR_SERVE, "--log-level warn", "--log-level",
                   "must be error, warning, info or debug, not \"warn\"");
}

static void keys_follow_from_the_flag(void **state)
{
    (void)state;
    char key[OPTION_KEY_TEXT];
    option_key(OPTION_CACHE_MEMORY, false, key);
    assert_string_equal(key, "cache_memory");
    option_key(OPTION_CACHE_MEMORY, true, key);
    assert_string_equal(key, "TERRANE_CACHE_MEMORY");
}

static void values_are_copied_from_an_origin_up(void **state)
{
    (void)state;
    struct options options, flags, all;
    assert_true(parse(&options, FOR_SERVE, "--loops 3 --worlds a --worlds b", NULL));
    assert_true(options_add(&options, OPTION_QUEUE, "7", ORIGIN_FILE, NULL));
    assert_true(options_copy(&flags, &options, ORIGIN_FLAG, NULL));
    assert_true(options_copy(&all, &options, ORIGIN_DEFAULT, NULL));
    assert_int_equal(flags.command, FOR_SERVE);
    assert_int_equal(options_whole(&flags, OPTION_LOOPS), 3);
    assert_false(options_given(&flags, OPTION_QUEUE));
    assert_true(options_same(&all, &options, OPTION_QUEUE));
    assert_int_equal(all.values[OPTION_QUEUE].origin, ORIGIN_FILE);
    assert_true(options_same(&flags, &options, OPTION_WORLDS));
    options_free(&options);
    options_free(&flags);
    options_free(&all);
}

static void the_same_value_may_come_from_elsewhere(void **state)
{
    (void)state;
    struct options given = {.command = FOR_SERVE}, none = {.command = FOR_SERVE};
    assert_true(options_same(&given, &none, OPTION_PUBLIC_URL));
    assert_true(options_add(&given, OPTION_QUEUE, "256", ORIGIN_FILE, NULL)); /* the default */
    assert_true(options_same(&given, &none, OPTION_QUEUE));
    assert_true(options_add(&given, OPTION_PUBLIC_URL, "http://x", ORIGIN_FILE, NULL));
    assert_false(options_same(&given, &none, OPTION_PUBLIC_URL));
    assert_false(options_same(&none, &given, OPTION_PUBLIC_URL));
    assert_true(options_add(&given, OPTION_WORLDS, "a", ORIGIN_FILE, NULL));
    assert_false(options_same(&given, &none, OPTION_WORLDS));
    assert_true(options_add(&none, OPTION_WORLDS, "b", ORIGIN_FLAG, NULL));
    assert_false(options_same(&given, &none, OPTION_WORLDS));
    options_free(&given);
    options_free(&none);
}

/* In every command that has it, an option has a help text and a default that passes its own check,
 * from its row or from the parameters of the command's query. */
static void check_in_commands(enum option_id id)
{
    for (size_t i = 0; i < command_count; i++) {
        struct option_row row = option_table[id];
        struct options options = {.checkers = option_checkers};
        if (!(row.commands & command_table[i].bit))
            continue;
        command_describe_option(command_table[i].bit, id, &row);
        assert_non_null(row.help);
        assert_true(!row.fallback || options_add(&options, id, row.fallback, ORIGIN_FLAG, NULL));
        options_free(&options);
    }
}

static void every_row_of_the_table_is_whole(void **state)
{
    (void)state;
    for (int id = 0; id < OPTION_COUNT; id++) {
        const struct option_row *row = &option_table[id];
        struct options options = {.checkers = option_checkers};
        assert_non_null(row->name);
        assert_true(row->commands != 0);
        check_in_commands((enum option_id)id);
        assert_int_equal(row->kind == OPTION_SWITCH, row->argument == NULL);
        for (size_t i = 0; row->choices[i]; i++)
            assert_true(
                options_add(&options, (enum option_id)id, row->choices[i], ORIGIN_FLAG, NULL));
        assert_null(row->choices[OPTION_CHOICES_MAX]);
        options_free(&options);
    }
}

/* The table may not include the folders that define these limits. */
static void limits_are_those_of_the_renderer(void **state)
{
    (void)state;
    assert_int_equal(option_table[OPTION_SIZE].max, CHUNK_SIZE_MAX);
    assert_int_equal(option_table[OPTION_APRON].max, CHUNK_APRON_MAX);
    assert_int_equal(option_table[OPTION_COLS].min, TERMINAL_COLUMNS_MIN);
    assert_int_equal(option_table[OPTION_COLS].max, TERMINAL_COLUMNS_MAX);
}

/* The numbers and texts of the table, parsed by hand. */
static void defaults_are_resolved_into_the_members(void **state)
{
    (void)state;
    struct settings settings;
    struct options options = {.command = FOR_SERVE};
    settings_resolve(&options, &settings);
    assert_int_equal(settings.listen.count, 1);
    assert_string_equal(settings.listen.texts[0], "127.0.0.1:8080");
    assert_int_equal(settings.cache_memory, 80 << 20);
    assert_int_equal(settings.queue_cost, 8000);
    assert_int_equal(settings.trusted_proxies.count, 0);
    assert_string_equal(settings.log_level, "info");
    assert_null(settings.public_url);
    assert_true(options_add(&options, OPTION_QUEUE, "7", ORIGIN_FILE, NULL));
    assert_true(options_add(&options, OPTION_ALLOWED_HOSTS, "a", ORIGIN_FILE, NULL));
    assert_true(options_add(&options, OPTION_ALLOWED_HOSTS, "b", ORIGIN_FILE, NULL));
    assert_true(options_add(&options, OPTION_CACHE_DISK_SIZE, "1G", ORIGIN_FLAG, NULL));
    settings_resolve(&options, &settings);
    assert_int_equal(settings.queue, 7);
    assert_int_equal(settings.allowed_hosts.count, 2);
    assert_string_equal(settings.allowed_hosts.texts[1], "b");
    assert_int_equal(settings.cache_disk_size, 1 << 30);
    options_free(&options);
}

int test_options(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(negative_numbers_are_arguments),
        cmocka_unit_test(a_value_may_begin_with_a_minus),
        cmocka_unit_test(two_dashes_end_the_options),
        cmocka_unit_test(lists_keep_their_order_and_scalars_their_last),
        cmocka_unit_test(sizes_take_suffixes),
        cmocka_unit_test(bad_sizes_are_refused),
        cmocka_unit_test(higher_origins_win_in_any_order),
        cmocka_unit_test(wrong_usage_says_what_is_wrong),
        cmocka_unit_test(keys_follow_from_the_flag),
        cmocka_unit_test(values_are_copied_from_an_origin_up),
        cmocka_unit_test(the_same_value_may_come_from_elsewhere),
        cmocka_unit_test(every_row_of_the_table_is_whole),
        cmocka_unit_test(limits_are_those_of_the_renderer),
        cmocka_unit_test(defaults_are_resolved_into_the_members),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
