/* A recursive descent parser with one token of lookahead; binary operators by precedence climbing
 * (M. Richards, C. Whitby-Strevens, "BCPL: the language and its compiler", 1979).
 *
 * Nodes come from an arena and are freed with the world, so no path frees anything. A named
 * argument "name=value" is told from an expression that begins with a name by trying: a copy of the
 * parser, which is small and without side effects, reads one token further.
 *
 * Of the limits of formula.h three keep hostile formulas cheap: nesting bounds this recursion, the
 * height of the tree bounds the recursion of all who walk it later (1 + 1 + 1 … nests nothing, but
 * is a tall tree), and the number of nodes bounds memory. */
#include "core/language/formula.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/language/meanings.h"
#include "core/program/work.h"

struct parser {
    struct lexer lexer;
    struct token token; /* the lookahead */
    struct arena *arena;
    struct error *error;
    unsigned depth, nodes;
    uint32_t work; /* steps (core/program/work.h) */
};

struct precedence {
    enum token_kind operator;
    int level; /* higher binds tighter */
};

static const struct precedence precedences[] = {
    {TOKEN_OR, 1},   {TOKEN_AND, 2},        {TOKEN_EQUAL, 3},   {TOKEN_NOT_EQUAL, 3},
    {TOKEN_LESS, 4}, {TOKEN_LESS_EQUAL, 4}, {TOKEN_GREATER, 4}, {TOKEN_GREATER_EQUAL, 4},
    {TOKEN_PLUS, 5}, {TOKEN_MINUS, 5},      {TOKEN_TIMES, 6},   {TOKEN_DIVIDE, 6},
};

static struct formula *parse_choice(struct parser *parser);
static struct formula *parse_unary(struct parser *parser);

/* Sets an error with its column. Returns null. */
__attribute__((format(printf, 4, 5))) static void *fail_at(const struct parser *parser,
                                                           uint32_t column, enum error_code code,
                                                           const char *format, ...)
{
    char message[sizeof parser->error->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    error_set(parser->error, code, "%s", message);
    if (parser->error)
        parser->error->column = column;
    return NULL;
}

static void *fail_expected(const struct parser *parser, const char *expected)
{
    const struct token *token = &parser->token;
    if (token->kind == TOKEN_END || token->length == 0)
        return fail_at(parser, token->column, ERROR_SYNTAX, "expected %s, found %s", expected,
                       lexer_kind_name(token->kind));
    /* "**" is two tokens */
    const bool doubled = token->kind == TOKEN_TIMES && token->column > 1 && token->text[-1] == '*';
    const char *meaning =
        doubled ? meaning_find("**", 2) : meaning_find(token->text, token->length);
    return fail_at(parser, token->column, ERROR_SYNTAX, "expected %s, found \"%.*s\"%s%s", expected,
                   (int)(token->length < 40 ? token->length : 40), token->text,
                   meaning ? "; write " : "", meaning ? meaning : "");
}

static bool advance(struct parser *parser)
{
    parser->work += WORK_TOKEN;
    return lexer_next(&parser->lexer, &parser->token, parser->error);
}

static bool expect(struct parser *parser, enum token_kind kind, const char *expected)
{
    if (parser->token.kind != kind) {
        fail_expected(parser, expected);
        return false;
    }
    return advance(parser);
}

/* A node with room for its children, counted against the limit; null with an error. */
static struct formula *new_node(struct parser *parser, enum formula_kind kind, uint32_t column,
                                uint32_t children)
{
    if (++parser->nodes > FORMULA_NODES_MAX)
        return fail_at(parser, column, ERROR_LIMIT,
                       "the formula has more than %d parts; move some of them to other layers",
                       FORMULA_NODES_MAX);
    parser->work += WORK_NODE;
    struct formula *formula = arena_allocate(parser->arena, 1, sizeof *formula);
    if (formula && children > 0)
        formula->children = arena_allocate(parser->arena, children, sizeof *formula->children);
    if (!formula || (children > 0 && !formula->children))
        return error_memory_null(parser->error);
    formula->kind = kind;
    formula->column = column;
    formula->child_count = children;
    return formula;
}

static char *copy_text(struct parser *parser, const struct token *token)
{
    char *text = arena_copy(parser->arena, token->text, token->length);
    if (!text)
        error_memory(parser->error);
    return text;
}

/* Counts one level of nesting; whoever succeeds leaves it again with depth--. */
static bool enter_nesting(struct parser *parser)
{
    if (++parser->depth <= FORMULA_DEPTH_MAX)
        return true;
    fail_at(parser, parser->token.column, ERROR_LIMIT, "nested too deeply; at most %d levels",
            FORMULA_DEPTH_MAX);
    return false;
}

/* Parses "name=value" or "value". */
static struct formula *parse_argument(struct parser *parser)
{
    const uint32_t column = parser->token.column;
    const char *name = NULL;
    if (parser->token.kind == TOKEN_NAME) {
        struct parser ahead = *parser;
        if (!advance(&ahead))
            return NULL;
        if (ahead.token.kind == TOKEN_ASSIGN) {
            name = copy_text(parser, &parser->token);
            if (!name || !advance(&ahead))
                return NULL;
            *parser = ahead;
        }
    }
    struct formula *value = parse_choice(parser);
    if (value) {
        value->argument = name;
        value->argument_column = column;
    }
    return value;
}

/* Parses the arguments of a call; the lookahead is its opening parenthesis. */
static struct formula *parse_call(struct parser *parser, const struct token *name)
{
    const struct formula *arguments[FORMULA_ARGUMENTS_MAX];
    uint32_t count = 0;
    if (!advance(parser)) /* the open parenthesis */
        return NULL;
    while (parser->token.kind != TOKEN_CLOSE) {
        if (count > 0 && !expect(parser, TOKEN_COMMA, "\",\" or \")\""))
            return NULL;
        if (count == FORMULA_ARGUMENTS_MAX)
            return fail_at(parser, parser->token.column, ERROR_LIMIT,
                           "the call has more than %d arguments", FORMULA_ARGUMENTS_MAX);
        if (!(arguments[count++] = parse_argument(parser)))
            return NULL;
    }
    struct formula *call = new_node(parser, FORMULA_CALL, name->column, count);
    if (!call || !(call->text = copy_text(parser, name)) || !advance(parser))
        return NULL;
    for (uint32_t i = 0; i < count; i++)
        call->children[i] = arguments[i];
    return call;
}

static struct formula *parse_name(struct parser *parser)
{
    struct token name = parser->token;
    if (!advance(parser))
        return NULL;
    if (parser->token.kind == TOKEN_OPEN)
        return parse_call(parser, &name);
    struct formula *formula = new_node(parser, FORMULA_NAME, name.column, 0);
    if (formula && !(formula->text = copy_text(parser, &name)))
        return NULL;
    return formula;
}

static struct formula *parse_literal(struct parser *parser)
{
    bool number = parser->token.kind == TOKEN_NUMBER;
    struct formula *formula =
        new_node(parser, number ? FORMULA_NUMBER : FORMULA_TEXT, parser->token.column, 0);
    if (!formula)
        return NULL;
    formula->number = parser->token.number;
    if (!number && !(formula->text = copy_text(parser, &parser->token)))
        return NULL;
    return advance(parser) ? formula : NULL;
}

static struct formula *parse_primary(struct parser *parser)
{
    struct formula *inner;
    switch (parser->token.kind) {
    case TOKEN_NUMBER:
    case TOKEN_TEXT:
        return parse_literal(parser);
    case TOKEN_NAME:
        return parse_name(parser);
    case TOKEN_OPEN:
        if (!advance(parser))
            return NULL;
        inner = parse_choice(parser);
        return inner && expect(parser, TOKEN_CLOSE, "\")\"") ? inner : NULL;
    default:
        return fail_expected(parser, "a number, a name, a call or \"(\"");
    }
}

/* Heights are counted here only: through all other nodes, nesting bounds the height of the tree. */
static struct formula *make_binary(struct parser *parser, const struct token *token,
                                   const struct formula *left, const struct formula *right)
{
    struct formula *formula = new_node(parser, FORMULA_BINARY, token->column, 2);
    if (!formula)
        return NULL;
    formula->operator= token->kind;
    formula->children[0] = left;
    formula->children[1] = right;
    formula->height = 1 + (left->height > right->height ? left->height : right->height);
    if (formula->height <= FORMULA_HEIGHT_MAX)
        return formula;
    return fail_at(parser, token->column, ERROR_LIMIT,
                   "more than %d operators in a row; move some of the terms to other layers",
                   FORMULA_HEIGHT_MAX);
}

/* base ^ exponent. The exponent is a unary expression, so 2^-3 and 2^3^2 = 2^(3^2) work. */
static struct formula *parse_power(struct parser *parser)
{
    struct formula *base = parse_primary(parser);
    if (!base || parser->token.kind != TOKEN_POWER)
        return base;
    struct token token = parser->token;
    if (!enter_nesting(parser) || !advance(parser))
        return NULL;
    struct formula *exponent = parse_unary(parser);
    parser->depth--;
    return exponent ? make_binary(parser, &token, base, exponent) : NULL;
}

/* -x, !x. An operand is again unary, and powers bind tighter: -x^2 is -(x^2). */
static struct formula *parse_unary(struct parser *parser)
{
    struct token token = parser->token;
    if (token.kind != TOKEN_MINUS && token.kind != TOKEN_NOT)
        return parse_power(parser);
    if (!enter_nesting(parser) || !advance(parser))
        return NULL;
    struct formula *operand = parse_unary(parser);
    struct formula *formula = operand ? new_node(parser, FORMULA_UNARY, token.column, 1) : NULL;
    if (!formula)
        return NULL;
    formula->operator= token.kind;
    formula->children[0] = operand;
    parser->depth--;
    return formula;
}

static int precedence_of(enum token_kind kind)
{
    for (size_t i = 0; i < sizeof precedences / sizeof *precedences; i++)
        if (precedences[i].operator== kind)
            return precedences[i].level;
    return 0;
}

/* Operators of at least a level, left-associative: the right operand takes tighter operators only.
 */
static struct formula *parse_binary(struct parser *parser, int level)
{
    struct formula *left = parse_unary(parser);
    while (left && precedence_of(parser->token.kind) >= level) {
        struct token token = parser->token;
        if (!advance(parser))
            return NULL;
        struct formula *right = parse_binary(parser, precedence_of(token.kind) + 1);
        left = right ? make_binary(parser, &token, left, right) : NULL;
    }
    return left;
}

/* c ? a : b, right-associative, or any expression that binds tighter. */
static struct formula *parse_choice(struct parser *parser)
{
    if (!enter_nesting(parser))
        return NULL;
    struct formula *condition = parse_binary(parser, 1);
    struct token token = parser->token;
    if (condition && token.kind == TOKEN_QUESTION) {
        if (!advance(parser))
            return NULL;
        struct formula *yes = parse_choice(parser);
        if (!yes || !expect(parser, TOKEN_COLON, "\":\" of the choice"))
            return NULL;
        struct formula *no = parse_choice(parser);
        struct formula *choice = no ? new_node(parser, FORMULA_CHOICE, token.column, 3) : NULL;
        if (!choice)
            return NULL;
        choice->children[0] = condition;
        choice->children[1] = yes;
        choice->children[2] = no;
        condition = choice;
    }
    parser->depth--;
    return condition;
}

/* Formulas with commas between: a comma is an && that binds loosest. */
static struct formula *parse_list(struct parser *parser)
{
    struct formula *all = parse_choice(parser);
    while (all && parser->token.kind == TOKEN_COMMA) {
        struct token token = parser->token;
        token.kind = TOKEN_AND;
        struct formula *next = advance(parser) ? parse_choice(parser) : NULL;
        all = next ? make_binary(parser, &token, all, next) : NULL;
    }
    return all;
}

static const struct formula *parse(struct arena *arena, const char *text, bool list,
                                   struct error *error)
{
    struct parser parser = {.arena = arena, .error = error};
    size_t length = strlen(text);
    if (length > FORMULA_BYTES_MAX) {
        error_set(error, ERROR_LIMIT, "the formula has %zu bytes; at most %d are allowed", length,
                  FORMULA_BYTES_MAX);
        return NULL;
    }
    lexer_start(&parser.lexer, text);
    if (!advance(&parser))
        return NULL;
    if (parser.token.kind == TOKEN_END)
        return fail_expected(&parser, "a formula");
    struct formula *formula = list ? parse_list(&parser) : parse_choice(&parser);
    if (formula && parser.token.kind != TOKEN_END)
        return fail_expected(&parser, "an operator or the end of the formula");
    if (formula)
        formula->work = WORK_TEXT + parser.work;
    return formula;
}

const struct formula *formula_parse(struct arena *arena, const char *text, struct error *error)
{
    return parse(arena, text, false, error);
}

const struct formula *formula_parse_all(struct arena *arena, const char *text, struct error *error)
{
    return parse(arena, text, true, error);
}

const struct formula *formula_argument(const struct formula *call, const char *parameter,
                                       uint32_t position)
{
    for (uint32_t i = 0; i < call->child_count; i++) {
        const struct formula *child = call->children[i];
        if (child->argument ? strcmp(child->argument, parameter) == 0 : i == position)
            return child;
    }
    return NULL;
}
