/* A strict parser in one pass over the raw bytes, after the grammar of RFC 3986.
 *
 * libmicrohttpd decodes targets leniently, and once decoded they cannot be judged any more: "%2F"
 * has become a separator. So the raw bytes are split at "/", "?", "&" and "=" first and each piece
 * is decoded by itself, once, into a buffer inside the result. Whatever a proxy in front of the
 * server might read differently is refused (escaped slashes and zeros, "." and "..", bad UTF-8),
 * and each error names the byte. */
#include "server/http/request/target.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "core/base/utf8.h"
#include "server/http/request/characters.h"

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : isxdigit((unsigned char)c) ? (c | 0x20) - 'a' + 10 : -1;
}

enum part { PART_PATH, PART_QUERY };

/* The raw target, and the end of what was decoded so far. */
struct decoder {
    const char *raw_target;
    char *out;
    struct problem *problem;
};

static bool fail_at(struct problem *problem, const char *what, size_t at)
{
    problem_set(problem, PROBLEM_PATH, "%s at byte %zu of the target", what, at + 1);
    problem->close_connection = true;
    return false;
}

/* Decodes the escape at raw_target[at]. */
static bool decode_escape(struct decoder *decoder, size_t at, size_t end, enum part part)
{
    const char *escape = decoder->raw_target + at;
    int high = at + 2 < end ? hex_digit(escape[1]) : -1;
    int low = high >= 0 ? hex_digit(escape[2]) : -1;
    if (low < 0)
        return fail_at(decoder->problem, "a \"%\" without two hexadecimal digits behind it", at);
    char byte = (char)(high * 16 + low);
    if (byte == '\0')
        return fail_at(decoder->problem, "%00, which no name can have,", at);
    if (byte == '/' && part == PART_PATH)
        return fail_at(decoder->problem, "%2F, which no name can have,", at);
    *decoder->out++ = byte;
    return true;
}

/* Decodes raw_target[start … end) into `text`. */
static bool decode_text(struct decoder *decoder, size_t start, size_t end, enum part part,
                        struct target_text *text)
{
    struct character_set plain = part == PART_PATH ? CHARACTERS_PATH : CHARACTERS_QUERY;
    text->raw = decoder->raw_target + start;
    text->raw_length = end - start;
    text->text = decoder->out;
    for (size_t at = start; at < end; at++) {
        if (character_in(plain, decoder->raw_target[at])) {
            *decoder->out++ = decoder->raw_target[at];
            continue;
        }
        if (decoder->raw_target[at] != '%')
            return fail_at(decoder->problem, "a character that must be percent-encoded", at);
        if (!decode_escape(decoder, at, end, part))
            return false;
        at += 2;
    }
    text->length = (size_t)(decoder->out - text->text);
    if (text->length < text->raw_length && !utf8_valid(text->text, text->length))
        return fail_at(decoder->problem, "text that is not UTF-8", start);
    *decoder->out++ = '\0';
    return true;
}

/* The position of the first separator from `start` on, or `end`. */
static size_t find_separator(const char *raw_target, size_t start, size_t end, char separator)
{
    const char *found = memchr(raw_target + start, separator, end - start);
    return found ? (size_t)(found - raw_target) : end;
}

static bool parse_path(struct decoder *decoder, size_t start, size_t end,
                       struct http_target *target)
{
    if (end - start == 1)
        return true;
    while (start < end) {
        size_t from = start + 1, to = find_separator(decoder->raw_target, from, end, '/');
        if (target->segment_count == TARGET_SEGMENTS_MAX)
            return fail_at(decoder->problem, "more segments than any path has", from);
        struct target_text *segment = &target->segments[target->segment_count++];
        if (!decode_text(decoder, from, to, PART_PATH, segment))
            return false;
        if (strcmp(segment->text, ".") == 0 || strcmp(segment->text, "..") == 0)
            return fail_at(decoder->problem, "a segment \".\" or \"..\"", from);
        start = to;
    }
    return true;
}

static bool parse_parameter(struct decoder *decoder, size_t start, size_t end,
                            struct target_parameter *parameter)
{
    size_t equals = find_separator(decoder->raw_target, start, end, '=');
    if (end == start)
        return fail_at(decoder->problem, "an empty parameter", start);
    if (equals == end)
        return fail_at(decoder->problem, "a parameter without \"=\"", start);
    return decode_text(decoder, start, equals, PART_QUERY, &parameter->name) &&
           decode_text(decoder, equals + 1, end, PART_QUERY, &parameter->value);
}

static bool parse_query(struct decoder *decoder, size_t start, size_t end,
                        struct http_target *target)
{
    while (start <= end) {
        size_t to = find_separator(decoder->raw_target, start, end, '&');
        if (target->parameter_count == TARGET_PARAMETERS_MAX)
            return fail_at(decoder->problem, "more parameters than any path takes", start);
        if (!parse_parameter(decoder, start, to, &target->parameters[target->parameter_count++]))
            return false;
        start = to + 1;
    }
    return true;
}

/* The length of "http://" or "https://" at the beginning; 0 without. */
static size_t scheme_length(const char *raw_target, size_t length)
{
    static const char *const schemes[] = {"http://", "https://"};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        size_t size = strlen(schemes[i]);
        if (length > size && strncasecmp(raw_target, schemes[i], size) == 0)
            return size;
    }
    return 0;
}

static bool parse_authority(const char *raw_target, size_t length, size_t *start,
                            struct http_target *target, struct problem *problem)
{
    size_t from = scheme_length(raw_target, length), to = from;
    if (from == 0)
        return fail_at(problem, "neither \"/\" nor \"http://\"", 0);
    while (to < length && character_in(CHARACTERS_AUTHORITY, raw_target[to]))
        to++;
    if (to == from || to == length || raw_target[to] != '/')
        return fail_at(problem, "no host and path", to);
    target->authority = raw_target + from;
    target->authority_length = to - from;
    *start = to;
    return true;
}

bool target_parse(const char *raw_target, size_t length, struct http_target *target,
                  struct problem *problem)
{
    target->authority = NULL;
    target->authority_length = 0;
    target->segment_count = target->parameter_count = 0;
    target->asterisk = length == 1 && raw_target[0] == '*';
    if (target->asterisk)
        return true;
    if (length > TARGET_BYTES_MAX) {
        problem_set(problem, PROBLEM_TARGET_TOO_LONG, "the target is longer than %d bytes",
                    TARGET_BYTES_MAX);
        problem->close_connection = true;
        return false;
    }
    size_t start = 0;
    if ((length == 0 || raw_target[0] != '/') &&
        !parse_authority(raw_target, length, &start, target, problem))
        return false;
    struct decoder decoder = {raw_target, target->decoded, problem};
    size_t query_start = find_separator(raw_target, start, length, '?');
    if (!parse_path(&decoder, start, query_start, target))
        return false;
    return query_start + 1 >= length || parse_query(&decoder, query_start + 1, length, target);
}

/* Names are pieces of `decoded`. */
void target_capitalize_names(struct http_target *target)
{
    for (unsigned i = 0; i < target->parameter_count; i++) {
        const struct target_text *name = &target->parameters[i].name;
        char *text = target->decoded + (name->text - target->decoded);
        for (size_t k = 0; k < name->length; k++)
            if (text[k] >= 'a' && text[k] <= 'z')
                text[k] = (char)(text[k] - 'a' + 'A');
    }
}

const struct target_parameter *target_find(const struct http_target *target, const char *name)
{
    for (unsigned i = 0; i < target->parameter_count; i++)
        if (strcmp(target->parameters[i].name.text, name) == 0)
            return &target->parameters[i];
    return NULL;
}
