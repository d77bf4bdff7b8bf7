/* The tokens of formulas and their columns. */
#include "core/language/lexer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* The kinds of all tokens up to the end. */
static void assert_kinds(const char *text, const enum token_kind *kinds, size_t count)
{
    struct lexer lexer;
    struct token token;
    struct error error = {0};
    lexer_start(&lexer, text);
    for (size_t i = 0; i < count; i++) {
        assert_true(lexer_next(&lexer, &token, &error));
        assert_int_equal(token.kind, kinds[i]);
    }
    assert_true(lexer_next(&lexer, &token, &error));
    assert_int_equal(token.kind, TOKEN_END);
    assert_true(lexer_next(&lexer, &token, &error)); /* and it stays there */
    assert_int_equal(token.kind, TOKEN_END);
}

static void every_sign(void **unused)
{
    (void)unused;
    static const enum token_kind kinds[] = {
        TOKEN_PLUS,          TOKEN_MINUS, TOKEN_TIMES,      TOKEN_DIVIDE,
        TOKEN_POWER,         TOKEN_LESS,  TOKEN_LESS_EQUAL, TOKEN_GREATER,
        TOKEN_GREATER_EQUAL, TOKEN_EQUAL, TOKEN_NOT_EQUAL,  TOKEN_NOT,
        TOKEN_AND,           TOKEN_OR,    TOKEN_QUESTION,   TOKEN_COLON,
        TOKEN_OPEN,          TOKEN_CLOSE, TOKEN_COMMA,      TOKEN_ASSIGN};
    size_t count = sizeof kinds / sizeof *kinds;
    assert_kinds("+ - * / ^ < <= > >= == != ! && || ? : ( ) , =", kinds, count);
    assert_kinds("+-*/^< <=> >===!=!&&||?:(),=", kinds, count);
}

static void longest_sign_first(void **unused)
{
    (void)unused;
    assert_kinds("<==", (enum token_kind[]){TOKEN_LESS_EQUAL, TOKEN_ASSIGN}, 2);
    assert_kinds("===", (enum token_kind[]){TOKEN_EQUAL, TOKEN_ASSIGN}, 2);
    assert_kinds("!==", (enum token_kind[]){TOKEN_NOT_EQUAL, TOKEN_ASSIGN}, 2);
    assert_kinds("!!", (enum token_kind[]){TOKEN_NOT, TOKEN_NOT}, 2);
}

static struct token first_token(const char *text)
{
    struct lexer lexer;
    struct token token;
    struct error error = {0};
    lexer_start(&lexer, text);
    assert_true(lexer_next(&lexer, &token, &error));
    return token;
}

static void numbers(void **unused)
{
    (void)unused;
    assert_true(first_token("12").number == 12.0);
    assert_true(first_token("0.5").number == 0.5);
    assert_true(first_token("1e3").number == 1000.0);
    assert_true(first_token("1.25E-2+3").number == 0.0125);
    assert_int_equal(first_token("1.25E-2+3").length, 7);
    assert_true(first_token("0").number == 0.0);
    assert_true(first_token("3.4e38").number == 3.4e38);
    assert_true(first_token("0.1").number == 0.1); /* a double's digits are kept */
}

static void names_and_texts(void **unused)
{
    (void)unused;
    struct token token = first_token("  _a1B2(");
    assert_int_equal(token.kind, TOKEN_NAME);
    assert_int_equal(token.column, 3);
    assert_int_equal(token.length, 5);
    assert_memory_equal(token.text, "_a1B2", 5);
    token = first_token("'it is \"so\"'x");
    assert_int_equal(token.kind, TOKEN_TEXT);
    assert_int_equal(token.length, 10);
    assert_memory_equal(token.text, "it is \"so\"", 10);
    assert_int_equal(first_token("\"\"").length, 0);
    assert_int_equal(first_token("\"a\\\"").length, 2); /* no escapes */
}

/* The column of the last token before the end. */
static unsigned last_column(const char *text)
{
    struct lexer lexer;
    struct token token = {0};
    struct error error = {0};
    unsigned column = 0;
    lexer_start(&lexer, text);
    while (lexer_next(&lexer, &token, &error) && token.kind != TOKEN_END)
        column = token.column;
    assert_int_equal(token.kind, TOKEN_END);
    return column;
}

static void columns_count_characters(void **unused)
{
    (void)unused;
    assert_int_equal(last_column("x"), 1);
    assert_int_equal(last_column("  x"), 3);
    assert_int_equal(last_column("x\t+\n y"), 6);
    assert_int_equal(last_column("'aä€😀' y"), 8); /* 1, 2, 3 and 4 bytes */
}

static void assert_fails(const char *text, enum error_code code, unsigned column, const char *words)
{
    struct lexer lexer;
    struct token token;
    struct error error = {0};
    lexer_start(&lexer, text);
    while (lexer_next(&lexer, &token, &error))
        assert_true(token.kind != TOKEN_END);
    assert_int_equal(error.code, code);
    assert_int_equal(error.column, column);
    if (!strstr(error.message, words))
        fail_msg("%s: %s", text, error.message);
}

static void errors_have_columns(void **unused)
{
    (void)unused;
    assert_fails("1 + 2x", ERROR_SYNTAX, 5, "malformed number");
    assert_fails("01", ERROR_SYNTAX, 1, "malformed number");
    assert_fails("1.", ERROR_SYNTAX, 1, "malformed number");
    assert_fails("x + .5", ERROR_SYNTAX, 5, "malformed number");
    assert_fails("1.2.3", ERROR_SYNTAX, 1, "malformed number");
    assert_fails("0x10", ERROR_SYNTAX, 1, "malformed number");
    assert_fails("1e", ERROR_SYNTAX, 1, "malformed number");
    assert_fails("1e39", ERROR_VALUE, 1, "too large");
    assert_fails("1e400", ERROR_VALUE, 1, "too large");
    assert_fails("x 'abc", ERROR_SYNTAX, 3, "no closing quote");
    assert_fails("'abc\"", ERROR_SYNTAX, 1, "no closing quote");
    assert_fails("x & y", ERROR_SYNTAX, 3, "unexpected character \"&\"");
    assert_fails("x | y", ERROR_SYNTAX, 3, "unexpected character \"|\"");
    assert_fails("x # y", ERROR_SYNTAX, 3, "unexpected character \"#\"");
    assert_fails("'ü' + ü", ERROR_SYNTAX, 7, "unexpected character \"ü\"");
    assert_fails("3 − 4", ERROR_SYNTAX, 3, "unexpected character \"−\"");
    assert_fails("'€😀' [", ERROR_SYNTAX, 6, "unexpected character \"[\"");
}

int test_lexer(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_sign),
        cmocka_unit_test(longest_sign_first),
        cmocka_unit_test(numbers),
        cmocka_unit_test(names_and_texts),
        cmocka_unit_test(columns_count_characters),
        cmocka_unit_test(errors_have_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
