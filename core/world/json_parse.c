/* A recursive descent parser of RFC 8259 JSON: one pass from the text to the tree.
 *
 * The project reads JSON itself because its documents need what general libraries leave out: the
 * digits of a number (64-bit seeds and exact places do not fit a double), refusal of duplicate
 * keys, of malformed UTF-8, of zero bytes and of loosely written numbers, and the line and column
 * of every error. A library such as cJSON would need a complete check of the text in front of it
 * for these, and would be the only dependency of libterrane.
 *
 * Values and texts go into the document's arena, so a failed parse frees one thing. Recursion is
 * bounded by the allowed nesting. Members of an object are sorted by key once the object ends, so
 * that duplicates are found in n log n: a hostile document may have 100,000 keys. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buffer.h"
#include "core/base/number.h"
#include "core/base/utf8.h"
#include "core/world/json_private.h"

enum {
    DEPTH_MAX = 1000, /* whatever the limits say: what the stack holds */
    DEPTH_DEFAULT = 32,
    BYTES_DEFAULT = 1 << 20,
};

struct parser {
    const char *text;
    size_t length, at;
    unsigned depth, depth_limit;
    struct arena *arena;
    struct buffer string; /* scratch: the string being read, unescaped */
    struct error *error;
};

static bool parse_value(struct parser *parser, struct json *value);

/* Sets the error with the line and the column, in characters, of a byte of the text. */
static bool fail(const struct parser *parser, size_t offset, enum error_code code,
                 const char *format, ...) __attribute__((format(printf, 4, 5)));

static bool fail(const struct parser *parser, size_t offset, enum error_code code,
                 const char *format, ...)
{
    char message[sizeof parser->error->message];
    va_list arguments;
    if (!parser->error)
        return false;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    error_set(parser->error, code, "%s", message);
    size_t line_start = 0;
    parser->error->line = 1;
    for (size_t i = 0; i < offset; i++) {
        if (parser->text[i] == '\n') {
            parser->error->line++;
            line_start = i + 1;
        }
    }
    parser->error->column =
        (uint32_t)utf8_count(parser->text + line_start, offset - line_start) + 1;
    return false;
}

/* The next byte, or -1 at the end of the text. */
static int peek(const struct parser *parser)
{
    return parser->at < parser->length ? (unsigned char)parser->text[parser->at] : -1;
}

static bool accept(struct parser *parser, int byte)
{
    if (peek(parser) != byte)
        return false;
    parser->at++;
    return true;
}

static void skip_space(struct parser *parser)
{
    int byte = peek(parser);
    while (byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r') {
        parser->at++;
        byte = peek(parser);
    }
}

static bool fail_expected(const struct parser *parser, const char *expected)
{
    const int byte = peek(parser);
    char found[24];
    if (byte < 0)
        snprintf(found, sizeof found, "the end of the text");
    else if (byte >= 0x20 && byte < 0x7F)
        snprintf(found, sizeof found, "'%c'", byte);
    else
        snprintf(found, sizeof found, "the byte 0x%02X", (unsigned)byte);
    const char *hint = byte == '/' || byte == '#' ? " (JSON has no comments)"
                       : byte == '\''             ? " (JSON quotes with \")"
                                                  : "";
    return fail(parser, parser->at, ERROR_SYNTAX, "expected %s, found %s%s", expected, found, hint);
}

/* The code unit of the \uXXXX at parser->at, which is stepped over; -1 if there is none. */
static int parse_code_unit(struct parser *parser)
{
    const char *text = parser->text + parser->at;
    if (parser->length - parser->at < 6 || text[0] != '\\' || text[1] != 'u')
        return -1;
    int unit = 0;
    for (int i = 2; i < 6; i++) {
        char c = text[i];
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0)
            return -1;
        unit = unit * 16 + digit;
    }
    parser->at += 6;
    return unit;
}

/* Parses \uXXXX, or a surrogate pair of two of them. */
static bool parse_unicode_escape(struct parser *parser)
{
    const size_t start = parser->at;
    const char *wrong = NULL;
    char bytes[4];
    int unit = parse_code_unit(parser);
    if (unit < 0)
        wrong = "\\u must be followed by four hexadecimal digits";
    else if (unit == 0)
        wrong = "\\u0000 is not allowed in a text";
    else if (unit >= 0xDC00 && unit <= 0xDFFF)
        wrong = "the second half of a surrogate pair without the first";
    if (unit >= 0xD800 && unit <= 0xDBFF) {
        int second = parse_code_unit(parser);
        if (second < 0xDC00 || second > 0xDFFF)
            wrong = "the first half of a surrogate pair without the second";
        unit = 0x10000 + (unit - 0xD800) * 0x400 + (second - 0xDC00);
    }
    if (wrong)
        return fail(parser, start, ERROR_SYNTAX, "bad escape in a string: %s", wrong);
    buffer_append(&parser->string, bytes, utf8_encode((uint32_t)unit, bytes));
    return true;
}

static bool parse_escape(struct parser *parser)
{
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    const char kind = parser->at + 1 < parser->length ? parser->text[parser->at + 1] : '\0';
    if (kind == 'u')
        return parse_unicode_escape(parser);
    const char *letter = kind ? strchr(letters, kind) : NULL;
    if (!letter)
        return fail(
            parser, parser->at, ERROR_SYNTAX,
            "bad escape in a string: allowed are \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX");
    buffer_byte(&parser->string, (uint8_t)meanings[letter - letters]);
    parser->at += 2;
    return true;
}

static bool parse_character(struct parser *parser)
{
    const char *text = parser->text + parser->at;
    const unsigned byte = (unsigned char)*text;
    uint32_t character;
    if (byte == '\\')
        return parse_escape(parser);
    if (byte == '\n' || byte == '\r')
        return fail(parser, parser->at, ERROR_SYNTAX,
                    "a string must end in the line where it begins: a line break is \\n");
    if (byte < 0x20)
        return fail(parser, parser->at, ERROR_SYNTAX,
                    "the control character 0x%02X in a string must be written \\u00%02x", byte,
                    byte);
    size_t length = utf8_decode(text, parser->length - parser->at, &character);
    if (length == 0)
        return fail(parser, parser->at, ERROR_SYNTAX, "the byte 0x%02X is not valid UTF-8", byte);
    buffer_append(&parser->string, text, length);
    parser->at += length;
    return true;
}

/* Parses the string at parser->at, which is its opening quote. */
static bool parse_string(struct parser *parser, const char **text)
{
    const size_t start = parser->at++;
    buffer_clear(&parser->string);
    while (!accept(parser, '"')) {
        if (peek(parser) < 0)
            return fail(parser, start, ERROR_SYNTAX, "the string that begins here does not end");
        if (!parse_character(parser))
            return false;
    }
    *text = parser->string.failed ? NULL
                                  : arena_copy(parser->arena, (const char *)parser->string.data,
                                               parser->string.length);
    return *text || error_memory(parser->error);
}

static bool is_word_byte(int c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+' ||
           c == '-' || c == '.' || c == '_';
}

/* Parses a number, null, true or false: a value that is neither quoted nor nested. */
static bool parse_word(struct parser *parser, struct json *value)
{
    static const struct {
        const char *name;
        enum json_type type;
    } names[] = {{"null", JSON_NULL}, {"true", JSON_TRUE}, {"false", JSON_FALSE}};
    const size_t start = parser->at;
    const char *word = parser->text + start;
    while (is_word_byte(peek(parser)))
        parser->at++;
    const size_t length = parser->at - start;
    if (length == 0)
        return fail_expected(parser, "a value");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (length == strlen(names[i].name) && memcmp(word, names[i].name, length) == 0) {
            value->type = names[i].type;
            return true;
        }
    }
    if (number_scan(word, length) == length) {
        value->type = JSON_NUMBER;
        value->text = arena_copy(parser->arena, word, length);
        return value->text || error_memory(parser->error);
    }
    const bool number = strchr("+-.0123456789", word[0]) != NULL;
    return fail(parser, start, ERROR_SYNTAX, "%s \"%.*s\"%s: %s",
                number ? "malformed number" : "unknown word", length < 40 ? (int)length : 40, word,
                length > 40 ? "…" : "",
                number ? "a number is written like 0, -12.5 or 1.5e3"
                       : "allowed are null, true and false; a text needs \"quotes\"");
}

static int compare_members(const void *a, const void *b)
{
    const struct json *left = *(struct json *const *)a, *right = *(struct json *const *)b;
    int order = strcmp(left->key, right->key);
    return order ? order : left->key_offset < right->key_offset ? -1 : 1;
}

static bool check_duplicates(const struct parser *parser, const struct json *object, size_t count)
{
    const struct json *duplicate = NULL;
    const struct json **members = malloc(count * sizeof *members);
    if (!members)
        return error_memory(parser->error);
    size_t i = 0;
    for (const struct json *member = object->first; member; member = member->next)
        members[i++] = member;
    qsort(members, count, sizeof *members, compare_members);
    for (i = 1; i < count && !duplicate; i++)
        if (strcmp(members[i - 1]->key, members[i]->key) == 0)
            duplicate = members[i];
    free(members);
    return !duplicate || fail(parser, duplicate->key_offset, ERROR_SYNTAX,
                              "the key \"%s\" appears twice in the same object", duplicate->key);
}

static bool parse_key(struct parser *parser, struct json *member)
{
    skip_space(parser);
    if (peek(parser) != '"')
        return fail_expected(parser, "a key in \"quotes\"");
    member->key_offset = parser->at;
    if (!parse_string(parser, &member->key))
        return false;
    skip_space(parser);
    return accept(parser, ':') || fail_expected(parser, "':' after the key");
}

/* Parses what follows an opening bracket, up to the closing one. */
static bool parse_children(struct parser *parser, struct json *container)
{
    const bool object = container->type == JSON_OBJECT;
    struct json **end = &container->first;
    size_t count = 0;
    skip_space(parser);
    if (accept(parser, object ? '}' : ']'))
        return true;
    do {
        struct json *child = arena_allocate(parser->arena, 1, sizeof *child);
        if (!child)
            return error_memory(parser->error);
        if ((object && !parse_key(parser, child)) || !parse_value(parser, child))
            return false;
        *end = child;
        end = &child->next;
        count++;
        skip_space(parser);
    } while (accept(parser, ','));
    if (!accept(parser, object ? '}' : ']'))
        return fail_expected(parser, object ? "',' or '}'" : "',' or ']'");
    return !object || check_duplicates(parser, container, count);
}

static bool parse_value(struct parser *parser, struct json *value)
{
    skip_space(parser);
    const int first = peek(parser);
    if (first == '"') {
        value->type = JSON_STRING;
        return parse_string(parser, &value->text);
    }
    if (first != '{' && first != '[')
        return parse_word(parser, value);
    if (parser->depth == parser->depth_limit)
        return fail(parser, parser->at, ERROR_LIMIT, "nested too deeply: allowed are %u levels",
                    parser->depth_limit);
    value->type = first == '{' ? JSON_OBJECT : JSON_ARRAY;
    parser->at++;
    parser->depth++;
    const bool done = parse_children(parser, value);
    parser->depth--;
    return done;
}

static bool parse_document(struct parser *parser, struct json *root)
{
    if (parser->length >= 3 && memcmp(parser->text, "\xEF\xBB\xBF", 3) == 0)
        return fail(parser, 0, ERROR_SYNTAX,
                    "the text begins with a byte order mark: save it as UTF-8 without one");
    if (!parse_value(parser, root))
        return false;
    skip_space(parser);
    return parser->at == parser->length || fail_expected(parser, "nothing more after the value");
}

struct json_document *json_parse(const char *text, size_t length, const struct json_limits *limits,
                                 struct error *error)
{
    const size_t bytes = limits && limits->bytes ? limits->bytes : BYTES_DEFAULT;
    const unsigned depth = limits && limits->depth ? limits->depth : DEPTH_DEFAULT;
    if (length > bytes) {
        error_set(error, ERROR_LIMIT, "the text has %zu bytes: allowed are %zu", length, bytes);
        return NULL;
    }
    struct json_document *document = calloc(1, sizeof *document);
    if (!document) {
        error_memory(error);
        return NULL;
    }
    struct parser parser = {
        .text = text ? text : "", /* a null text may be empty */
        .length = length,
        .depth_limit = depth < DEPTH_MAX ? depth : DEPTH_MAX,
        .arena = &document->arena,
        .error = error,
    };
    if (!parse_document(&parser, &document->root)) {
        json_free(document);
        document = NULL;
    }
    buffer_free(&parser.string);
    return document;
}
