#include "core/world/lexer.h"

#include <float.h>
#include <string.h>

#include "core/base/number.h"

struct punctuation {
    const char *text;
    enum token_kind kind;
};

/* Longer signs before their own beginnings. */
static const struct punctuation punctuations[] = {
    {"<=", TOKEN_LESS_EQUAL}, {">=", TOKEN_GREATER_EQUAL},
    {"==", TOKEN_EQUAL},      {"!=", TOKEN_NOT_EQUAL},
    {"&&", TOKEN_AND},        {"||", TOKEN_OR},
    {"+", TOKEN_PLUS},        {"-", TOKEN_MINUS},
    {"*", TOKEN_TIMES},       {"/", TOKEN_DIVIDE},
    {"^", TOKEN_POWER},       {"<", TOKEN_LESS},
    {">", TOKEN_GREATER},     {"!", TOKEN_NOT},
    {"?", TOKEN_QUESTION},    {":", TOKEN_COLON},
    {"(", TOKEN_OPEN},        {")", TOKEN_CLOSE},
    {",", TOKEN_COMMA},       {"=", TOKEN_ASSIGN},
};

static const char *const kind_names[] = {
    [TOKEN_END] = "the end of the formula",
    [TOKEN_NUMBER] = "a number",
    [TOKEN_TEXT] = "a text in quotes",
    [TOKEN_NAME] = "a name",
    [TOKEN_PLUS] = "\"+\"",
    [TOKEN_MINUS] = "\"-\"",
    [TOKEN_TIMES] = "\"*\"",
    [TOKEN_DIVIDE] = "\"/\"",
    [TOKEN_POWER] = "\"^\"",
    [TOKEN_LESS] = "\"<\"",
    [TOKEN_LESS_EQUAL] = "\"<=\"",
    [TOKEN_GREATER] = "\">\"",
    [TOKEN_GREATER_EQUAL] = "\">=\"",
    [TOKEN_EQUAL] = "\"==\"",
    [TOKEN_NOT_EQUAL] = "\"!=\"",
    [TOKEN_NOT] = "\"!\"",
    [TOKEN_AND] = "\"&&\"",
    [TOKEN_OR] = "\"||\"",
    [TOKEN_QUESTION] = "\"?\"",
    [TOKEN_COLON] = "\":\"",
    [TOKEN_OPEN] = "\"(\"",
    [TOKEN_CLOSE] = "\")\"",
    [TOKEN_COMMA] = "\",\"",
    [TOKEN_ASSIGN] = "\"=\"",
};

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

static void take(struct lexer *lexer, struct token *token, enum token_kind kind, size_t length)
{
    token->kind = kind;
    token->text = lexer->at;
    token->length = length;
    token->column = lexer->column;
    for (size_t i = 0; i < length; i++) /* continuation bytes are no characters of their own */
        lexer->column += ((unsigned char)lexer->at[i] & 0xC0) != 0x80;
    lexer->at += length;
}

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

static bool take_punctuation(struct lexer *lexer, struct token *token, struct error *error)
{
    size_t left = (size_t)(lexer->end - lexer->at);
    for (size_t i = 0; i < sizeof punctuations / sizeof *punctuations; i++) {
        size_t length = strlen(punctuations[i].text);
        if (length <= left && memcmp(lexer->at, punctuations[i].text, length) == 0) {
            take(lexer, token, punctuations[i].kind, length);
            return true;
        }
    }
    size_t length = 1;
    while (length < left && ((unsigned char)lexer->at[length] & 0xC0) == 0x80)
        length++;
    error_set(error, ERROR_SYNTAX,
              "unexpected character \"%.*s\"; formulas are made of numbers, names, calls, ( ) , "
              "and + - * / ^ < <= > >= == != ! && || ? :",
              (int)length, lexer->at);
    if (error)
        error->column = lexer->column;
    return false;
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
        return take_punctuation(lexer, token, error);
    size_t length = 1, left = (size_t)(lexer->end - lexer->at);
    while (length < left && (is_letter(lexer->at[length]) || is_digit(lexer->at[length])))
        length++;
    take(lexer, token, TOKEN_NAME, length);
    return true;
}
