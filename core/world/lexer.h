/* The tokens of a formula. Columns count characters (UTF-8 code points) from 1. */
#ifndef TERRANE_WORLD_LEXER_H
#define TERRANE_WORLD_LEXER_H

#include "core/base/error.h"

enum token_kind {
    TOKEN_END,
    TOKEN_NUMBER,
    TOKEN_TEXT, /* "…" or '…', without the quotes; no escapes */
    TOKEN_NAME, /* a letter or _, then letters, digits or _ */
    TOKEN_PLUS,
    TOKEN_MINUS,
    TOKEN_TIMES,
    TOKEN_DIVIDE,
    TOKEN_POWER,
    TOKEN_LESS,
    TOKEN_LESS_EQUAL,
    TOKEN_GREATER,
    TOKEN_GREATER_EQUAL,
    TOKEN_EQUAL,
    TOKEN_NOT_EQUAL,
    TOKEN_NOT,
    TOKEN_AND,
    TOKEN_OR,
    TOKEN_QUESTION,
    TOKEN_COLON,
    TOKEN_OPEN,
    TOKEN_CLOSE,
    TOKEN_COMMA,
    TOKEN_ASSIGN,
    TOKEN_KINDS
};

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
