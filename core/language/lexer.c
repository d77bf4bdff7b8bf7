/* Cuts a formula into tokens, on demand and without copying: a token points into the text. Signs
 * are found in one table by the longest match, so "<=" is never "<" and "=". Columns count
 * characters, as editors do, so they advance by the bytes that begin a UTF-8 character. */
#include "core/language/lexer.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

#include "core/base/number.h"
#include "core/base/utf8.h"
#include "core/language/meanings.h"

#define TOKEN_NAME_OF(kind, name) name,
static const char *const kind_names[] = {TOKEN_ROWS(TOKEN_NAME_OF)};

void lexer_start(struct lexer *lexer, const char *text)
{
    lexer->at = text;
    lexer->end = text + strlen(text);
    lexer->column = 1;
}

const char *lexer_kind_name(enum token_kind kind)
{
    return kind_names[kind];
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool fail(const struct lexer *lexer, struct error *error, enum error_code code,
                 const char *message)
{
    error_set(error, code, "%s", message);
    if (error)
        error->column = lexer->column;
    return false;
}

/* Makes a token of the next `length` bytes and steps over them. */
static void take(struct lexer *lexer, struct token *token, enum token_kind kind, size_t length)
{
    token->kind = kind;
    token->text = lexer->at;
    token->length = length;
    token->column = lexer->column;
    lexer->column += (uint32_t)utf8_count(lexer->at, length);
    lexer->at += length;
}

/* A number, which must not run into a letter, a digit or a point: "1.2.3" is an error, not two
 * tokens. */
static bool take_number(struct lexer *lexer, struct token *token, struct error *error)
{
    size_t left = (size_t)(lexer->end - lexer->at);
    size_t length = number_scan(lexer->at, left);
    const char *after = lexer->at + length;
    if (length == 0 ||
        (after < lexer->end && (is_digit(*after) || is_letter(*after) || *after == '.')))
        return fail(lexer, error, ERROR_SYNTAX, "malformed number; write it like 12, 0.5 or 1e3");
    double number;
    if (!number_parse(lexer->at, length, &number) || number > (double)FLT_MAX)
        return fail(lexer, error, ERROR_VALUE, "number too large; at most 3.4e38");
    take(lexer, token, TOKEN_NUMBER, length);
    token->number = number;
    return true;
}

/* A text in quotes of either kind. The token has its content; there are no escapes. */
static bool take_text(struct lexer *lexer, struct token *token, struct error *error)
{
    char quote = *lexer->at;
    const char *close = memchr(lexer->at + 1, quote, (size_t)(lexer->end - lexer->at - 1));
    if (!close)
        return fail(lexer, error, ERROR_SYNTAX, "the text that begins here has no closing quote");
    take(lexer, token, TOKEN_TEXT, (size_t)(close - lexer->at) + 1);
    token->text++;
    token->length -= 2;
    return true;
}

/* A sign's text without its quotes, and its length; 0 for kinds that are no signs. */
static size_t sign_of(enum token_kind kind, const char **text)
{
    *text = kind_names[kind] + 1;
    return kind_names[kind][0] == '"' ? strlen(*text) - 1 : 0;
}

/* The error of a character that no token begins with, and what it means elsewhere or all that do.
 */
static void describe_character(const struct lexer *lexer, size_t bytes, struct error *error)
{
    char list[128] = "";
    const char *text;
    for (enum token_kind kind = 0; kind < TOKEN_KINDS; kind++) {
        const size_t length = sign_of(kind, &text), used = strlen(list);
        if (length > 0)
            snprintf(list + used, sizeof list - used, " %.*s", (int)length, text);
    }
    const char *meaning = meaning_find(lexer->at, bytes);
    error_set(error, ERROR_SYNTAX, "unexpected character \"%.*s\"; %s%s", (int)bytes, lexer->at,
              meaning ? "write " : "a formula consists of numbers, names, texts in quotes and",
              meaning ? meaning : list);
}

static bool fail_character(const struct lexer *lexer, struct error *error)
{
    uint32_t character;
    const size_t left = (size_t)(lexer->end - lexer->at);
    const size_t length = utf8_decode(lexer->at, left, &character);
    describe_character(lexer, length > 0 ? length : 1, error);
    if (error)
        error->column = lexer->column;
    return false;
}

static bool take_sign(struct lexer *lexer, struct token *token, struct error *error)
{
    const size_t left = (size_t)(lexer->end - lexer->at);
    enum token_kind longest = TOKEN_END;
    size_t longest_length = 0;
    for (enum token_kind kind = 0; kind < TOKEN_KINDS; kind++) {
        const char *text = kind_names[kind];
        const size_t length = text[1] == *lexer->at ? sign_of(kind, &text) : 0;
        if (length > longest_length && length <= left && memcmp(lexer->at, text, length) == 0) {
            longest = kind;
            longest_length = length;
        }
    }
    if (longest_length == 0)
        return fail_character(lexer, error);
    take(lexer, token, longest, longest_length);
    return true;
}

bool lexer_next(struct lexer *lexer, struct token *token, struct error *error)
{
    while (lexer->at < lexer->end && strchr(" \t\r\n", *lexer->at)) {
        lexer->at++;
        lexer->column++;
    }
    *token = (struct token){0};
    if (lexer->at == lexer->end) {
        take(lexer, token, TOKEN_END, 0);
        return true;
    }
    char c = *lexer->at;
    if (is_digit(c) || c == '.')
        return take_number(lexer, token, error);
    if (c == '"' || c == '\'')
        return take_text(lexer, token, error);
    if (!is_letter(c))
        return take_sign(lexer, token, error);
    size_t length = 1, left = (size_t)(lexer->end - lexer->at);
    while (length < left && (is_letter(lexer->at[length]) || is_digit(lexer->at[length])))
        length++;
    take(lexer, token, TOKEN_NAME, length);
    return true;
}
