/* The commands that ask queries take the parameters of the queries as options: their ranges and
 * defaults are those of the table of parameters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "server/cli/command.h"
#include "server/queries/query.h"

static const struct option_row *find_option(const char *name, unsigned command)
{
    char key[OPTION_KEY_TEXT];
    for (int id = 0; id < OPTION_COUNT; id++) {
        option_key((enum option_id)id, false, key);
        if (strcmp(key, name) == 0 && (option_table[id].commands & command))
            return &option_table[id];
    }
    return NULL;
}

static void check_option(const struct parameter *parameter, unsigned command)
{
    const struct option_row *option = find_option(parameter->name, command);
    if (!option) {
        assert_true(!parameter->required);
        return;
    }
    assert_int_equal(option->fallback != NULL, parameter->fallback != NULL);
    if (option->fallback)
        assert_string_equal(option->fallback, parameter->fallback);
    if (option->kind == OPTION_WHOLE)
        assert_true(option->min <= (int64_t)parameter->low &&
                    option->max >= (int64_t)parameter->high);
}

static void options_agree_with_parameters(void **state)
{
    (void)state;
    unsigned found = 0;
    for (size_t i = 0; i < command_count; i++) {
        const struct query *query = query_find(command_table[i].name);
        for (uint64_t rest = query ? query->parameters : 0; rest; rest &= rest - 1)
            check_option(&parameter_table[__builtin_ctzll(rest)], command_table[i].bit);
        found += query != NULL;
    }
    assert_int_equal(found, 4);
}

int test_query_options(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_agree_with_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
