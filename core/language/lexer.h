/* The tokens of a formula. Columns count characters (UTF-8 code points) from 1. */
#ifndef TERRANE_LANGUAGE_LEXER_H
#define TERRANE_LANGUAGE_LEXER_H

#include "core/base/error.h"

/* clang-format off */
/* The kinds, and their names in messages; those in quotes are the signs of the language.
 * Fingerprints contain the quoted signs of operators (canonicalize.c). */
#define TOKEN_ROWS(ROW)                                                                            \
    ROW(TOKEN_END, "the end of the formula")                                                       \
    ROW(TOKEN_NUMBER, "a number")                                                                  \
    ROW(TOKEN_TEXT, "a text in quotes") /* "…" or '…', without the quotes; no escapes */           \
    ROW(TOKEN_NAME, "a name")           /* a letter or _, then letters, digits or _ */             \
    ROW(TOKEN_PLUS, "\"+\"") ROW(TOKEN_MINUS, "\"-\"") ROW(TOKEN_TIMES, "\"*\"")                   \
    ROW(TOKEN_DIVIDE, "\"/\"") ROW(TOKEN_POWER, "\"^\"")                                           \
    ROW(TOKEN_LESS, "\"<\"") ROW(TOKEN_LESS_EQUAL, "\"<=\"")                                       \
    ROW(TOKEN_GREATER, "\">\"") ROW(TOKEN_GREATER_EQUAL, "\">=\"")                                 \
    ROW(TOKEN_EQUAL, "\"==\"") ROW(TOKEN_NOT_EQUAL, "\"!=\"") ROW(TOKEN_NOT, "\"!\"")              \
    ROW(TOKEN_AND, "\"&&\"") ROW(TOKEN_OR, "\"||\"")                                               \
    ROW(TOKEN_QUESTION, "\"?\"") ROW(TOKEN_COLON, "\":\"") ROW(TOKEN_OPEN, "\"(\"")                \
    ROW(TOKEN_CLOSE, "\")\"") ROW(TOKEN_COMMA, "\",\"") ROW(TOKEN_ASSIGN, "\"=\"")
/* clang-format on */
#define TOKEN_KIND(kind, name) kind,
enum token_kind { TOKEN_ROWS(TOKEN_KIND) TOKEN_KINDS };

struct token {
    enum token_kind kind;
    const char *text; /* in the formula; not terminated */
    size_t length;
    uint32_t column;
    double number; /* TOKEN_NUMBER: finite as a float */
};

struct lexer {
    const char *at, *end;
    uint32_t column;
};

/* `text` must outlive the lexer. */
void lexer_start(struct lexer *lexer, const char *text);
/* The next token; false with the error's column set. */
bool lexer_next(struct lexer *lexer, struct token *token, struct error *error);
/* The name of a kind in messages: "\")\"", "a number", "the end of the formula". */
const char *lexer_kind_name(enum token_kind kind);

#endif
