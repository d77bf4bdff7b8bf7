/* A scanner of RFC 8259 JSON: a loop over the tokens with a stack of open containers, so nesting
 * costs a byte a level and no recursion. Every error names the offending bytes, a line and a column
 * counted in characters; the usual slips (comments, single quotes, a missing quote) get a hint. */
#include "core/worldfile/json_scan.h"

#include "core/base/number.h"
#include "core/base/utf8.h"

#include <stdio.h>
#include <string.h>

struct scan {
    const uint8_t *text;
    size_t length, at; /* after an error, `at` is the offending byte */
    unsigned depth, depth_limit;
    uint8_t open[JSON_DEPTH_MAX];         /* '{' or '[' of each container around `at` */
    size_t values;                        /* seen so far */
    size_t key_offset;                    /* of the last key */
    const struct json_scan_place *wanted; /* or null */
    size_t wanted_offset;
    struct buffer *out;
    struct error *error;
};

/* Sets the place of an error: lines, and characters in the line, both from 1. */
static bool scan_locate(const struct scan *scan, size_t offset, struct error *error)
{
    if (!error)
        return false;
    uint32_t line = 1, column = 1;
    for (size_t i = 0; i < offset; i++) {
        if (scan->text[i] == '\n') {
            line++;
            column = 1;
        } else if ((scan->text[i] & 0xC0) != 0x80) {
            column++;
        }
    }
    error->line = line;
    error->column = column;
    return false;
}

enum { FOUND_TEXT = 40 };

static bool scan_expected(const struct scan *scan, const char *what)
{
    char found[FOUND_TEXT];
    if (scan->at >= scan->length)
        snprintf(found, sizeof found, "the end of the text");
    else if (scan->text[scan->at] >= 0x20 && scan->text[scan->at] < 0x7F)
        snprintf(found, sizeof found, "'%c'", scan->text[scan->at]);
    else
        snprintf(found, sizeof found, "the byte 0x%02X", scan->text[scan->at]);
    const char *hint = "";
    if (scan->at < scan->length && (scan->text[scan->at] == '/' || scan->text[scan->at] == '#'))
        hint = " (JSON has no comments)";
    else if (scan->at < scan->length && scan->text[scan->at] == '\'')
        hint = " (JSON quotes with \")";
    return error_set(scan->error, ERROR_SYNTAX, "expected %s, found %s%s", what, found, hint);
}

static int scan_peek(const struct scan *scan)
{
    return scan->at < scan->length ? scan->text[scan->at] : -1;
}

static void scan_space(struct scan *scan)
{
    while (scan->at < scan->length && scan->text[scan->at] &&
           strchr(" \t\n\r", scan->text[scan->at]))
        scan->at++;
}

/* Moves one byte into the copy. */
static void scan_take(struct scan *scan)
{
    buffer_byte(scan->out, scan->text[scan->at++]);
}

/* The code unit of the \uXXXX at `offset`, or -1. */
static int scan_code_unit(const struct scan *scan, size_t offset)
{
    if (scan->length - offset < 6 || scan->text[offset] != '\\' || scan->text[offset + 1] != 'u')
        return -1;
    int unit = 0;
    for (size_t i = offset + 2; i < offset + 6; i++) {
        uint8_t c = scan->text[i];
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0)
            return -1;
        unit = unit * 16 + digit;
    }
    return unit;
}

/* Steps over an escape; scan->at is its backslash. */
static bool scan_escape(struct scan *scan)
{
    size_t start = scan->at;
    int kind = start + 1 < scan->length ? scan->text[start + 1] : 0;
    if (kind != 'u') {
        scan->at += 2;
        if (kind && strchr("\"\\/bfnrt", kind))
            return true;
        scan->at = start;
        return error_set(
            scan->error, ERROR_SYNTAX,
            "bad escape in a string: allowed are \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX");
    }
    int unit = scan_code_unit(scan, start);
    scan->at += 6;
    const char *wrong = NULL;
    if (unit < 0)
        wrong = "\\u must be followed by four hexadecimal digits";
    else if (unit == 0)
        wrong = "\\u0000 is not allowed in a text";
    else if (unit >= 0xDC00 && unit <= 0xDFFF)
        wrong = "the second half of a surrogate pair without the first";
    if (unit >= 0xD800 && unit <= 0xDBFF) {
        int second = scan_code_unit(scan, scan->at);
        scan->at += 6;
        if (second < 0xDC00 || second > 0xDFFF)
            wrong = "the first half of a surrogate pair without the second";
    }
    if (!wrong)
        return true;
    scan->at = start;
    return error_set(scan->error, ERROR_SYNTAX, "bad escape in a string: %s", wrong);
}

static bool scan_character(struct scan *scan)
{
    uint8_t byte = scan->text[scan->at];
    if (byte == '\\')
        return scan_escape(scan);
    if (byte < 0x20)
        return error_set(scan->error, ERROR_SYNTAX,
                         byte == '\n' || byte == '\r'
                             ? "a string must end in the line where it begins: a line break is \\n"
                             : "the control character 0x%02X in a string must be written \\u00%02x",
                         byte, byte);
    uint32_t character;
    size_t length =
        utf8_decode((const char *)scan->text + scan->at, scan->length - scan->at, &character);
    if (length == 0)
        return error_set(scan->error, ERROR_SYNTAX, "the byte 0x%02X is not valid UTF-8", byte);
    scan->at += length;
    return true;
}

/* Copies the string at scan->at, with the mark behind its quote unless that is 0. */
static bool scan_string(struct scan *scan, uint8_t mark)
{
    size_t start = scan->at++;
    while (scan_peek(scan) >= 0 && scan_peek(scan) != '"') {
        if (!scan_character(scan))
            return false;
    }
    if (scan_peek(scan) < 0) {
        scan->at = start;
        return error_set(scan->error, ERROR_SYNTAX, "the string that begins here does not end");
    }
    scan->at++;
    buffer_byte(scan->out, '"');
    if (mark)
        buffer_byte(scan->out, mark);
    buffer_append(scan->out, scan->text + start + 1, scan->at - start - 1);
    return true;
}

static bool is_word(int c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+' ||
           c == '-' || c == '.' || c == '_';
}

/* Numbers and the three names: everything that is neither quoted nor nested. */
static bool scan_word(struct scan *scan)
{
    size_t start = scan->at;
    while (is_word(scan_peek(scan)))
        scan->at++;
    size_t length = scan->at - start;
    const char *word = (const char *)scan->text + start;
    static const char *const names[] = {"null", "true", "false"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (length == strlen(names[i]) && memcmp(word, names[i], length) == 0) {
            buffer_text(scan->out, names[i]);
            return true;
        }
    }
    if (length > 0 && number_scan(word, length) == length) {
        buffer_byte(scan->out, '"');
        buffer_byte(scan->out, JSON_MARK_NUMBER);
        buffer_append(scan->out, word, length);
        buffer_byte(scan->out, '"');
        return true;
    }
    scan->at = start;
    if (length == 0)
        return scan_expected(scan, "a value");
    bool number = strchr("+-.0123456789", word[0]) != NULL;
    return error_set(scan->error, ERROR_SYNTAX, "%s \"%.*s\"%s: %s",
                     number ? "malformed number" : "unknown word", length < 40 ? (int)length : 40,
                     word, length > 40 ? "…" : "",
                     number ? "a number is written like 0, -12.5 or 1.5e3"
                            : "allowed are null, true and false; a text needs \"quotes\"");
}

static bool scan_key(struct scan *scan)
{
    scan_space(scan);
    if (scan_peek(scan) != '"')
        return scan_expected(scan, "a key in \"quotes\"");
    scan->key_offset = scan->at;
    if (!scan_string(scan, 0))
        return false;
    scan_space(scan);
    if (scan_peek(scan) != ':')
        return scan_expected(scan, "':' after the key");
    scan_take(scan);
    return true;
}

static bool scan_open(struct scan *scan)
{
    if (scan->depth == scan->depth_limit)
        return error_set(scan->error, ERROR_LIMIT, "nested too deeply: allowed are %u levels",
                         scan->depth_limit);
    scan->open[scan->depth++] = scan->text[scan->at];
    scan_take(scan);
    return true;
}

/* Reads the text behind a value: closes containers as far as the text does, up to a comma or the
 * end. */
static bool scan_after_value(struct scan *scan)
{
    while (scan->depth > 0) {
        bool object = scan->open[scan->depth - 1] == '{';
        scan_space(scan);
        int next = scan_peek(scan);
        if (next == ',') {
            scan_take(scan);
            return true;
        }
        if (next != (object ? '}' : ']'))
            return scan_expected(scan, object ? "',' or '}'" : "',' or ']'");
        scan->depth--;
        scan_take(scan);
    }
    return true;
}

/* The offset of a character of the string that begins at scan->at. */
static size_t find_character(const struct scan *scan, uint32_t character)
{
    struct scan ahead = *scan;
    ahead.at++;
    for (uint32_t i = 1; i < character && scan_peek(&ahead) != '"'; i++)
        if (!scan_character(&ahead))
            break;
    return ahead.at;
}

/* Counts the value that begins at scan->at, and notes its place if that is wanted. */
static void count_value(struct scan *scan)
{
    const struct json_scan_place *wanted = scan->wanted;
    if (!wanted || scan->values++ != wanted->value)
        return;
    const bool inside = wanted->character > 0 && scan_peek(scan) == '"';
    scan->wanted_offset = wanted->at_key ? scan->key_offset
                          : inside       ? find_character(scan, wanted->character)
                                         : scan->at;
}

/* One value, or the beginning of one: of a container that is not empty only the bracket. */
static bool scan_value(struct scan *scan)
{
    scan_space(scan);
    count_value(scan);
    int first = scan_peek(scan);
    if (first == '"')
        return scan_string(scan, JSON_MARK_STRING) && scan_after_value(scan);
    if (first != '{' && first != '[')
        return scan_word(scan) && scan_after_value(scan);
    if (!scan_open(scan))
        return false;
    scan_space(scan);
    /* An empty container's end is what follows a value that is not there. */
    bool empty = scan_peek(scan) == (first == '{' ? '}' : ']');
    return !empty || scan_after_value(scan);
}

static bool scan_document(struct scan *scan)
{
    if (scan->length >= 3 && memcmp(scan->text, "\xEF\xBB\xBF", 3) == 0)
        return error_set(scan->error, ERROR_SYNTAX,
                         "the text begins with a byte order mark: save it as UTF-8 without one");
    do {
        if (scan->depth > 0 && scan->open[scan->depth - 1] == '{' && !scan_key(scan))
            return false;
        if (!scan_value(scan))
            return false;
    } while (scan->depth > 0);
    scan_space(scan);
    return scan->at == scan->length || scan_expected(scan, "nothing more after the value");
}

static struct scan scan_of(const struct json_text *text, struct buffer *out, struct error *error)
{
    return (struct scan){
        /* A null text may be empty, but no pointer is computed from null. */
        .text = (const uint8_t *)(text->bytes ? text->bytes : ""),
        .length = text->length,
        .depth_limit = text->depth < JSON_DEPTH_MAX ? text->depth : JSON_DEPTH_MAX,
        .out = out,
        .error = error,
    };
}

bool json_scan(const struct json_text *text, struct buffer *out, struct error *error)
{
    struct scan scan = scan_of(text, out, error);
    return scan_document(&scan) || scan_locate(&scan, scan.at, error);
}

void json_scan_locate(const struct json_text *text, const struct json_scan_place *place,
                      struct error *error)
{
    struct buffer nowhere = {.failed = true}; /* swallows what is appended */
    struct scan scan = scan_of(text, &nowhere, NULL);
    scan.wanted = place;
    scan_document(&scan);
    scan_locate(&scan, scan.wanted_offset, error);
}
