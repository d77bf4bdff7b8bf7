#include "server/http/request.h"

#include <string.h>
#include <strings.h>

#include "server/http/characters.h"
#include "server/http/utf8.h"

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

enum part { IN_PATH, IN_QUERY };

/* The target, and where its decoded pieces go. */
struct decoder {
    const char *target;
    char *out;
    struct problem *problem;
};

static bool refuse(struct problem *problem, const char *what, size_t at)
{
    problem_set(problem, PROBLEM_PATH, "%s at byte %zu of the target", what, at + 1);
    problem->close = true;
    return false;
}

/* The escape at target[at]. */
static bool decode_escape(struct decoder *decoder, size_t at, size_t end, enum part part)
{
    const char *escape = decoder->target + at;
    int high = at + 2 < end ? hex_digit(escape[1]) : -1;
    int low = high >= 0 ? hex_digit(escape[2]) : -1;
    if (low < 0)
        return refuse(decoder->problem, "a \"%\" without two hexadecimal digits behind it", at);
    char byte = (char)(high * 16 + low);
    if (byte == '\0')
        return refuse(decoder->problem, "%00, which no name can have,", at);
    if (byte == '/' && part == IN_PATH)
        return refuse(decoder->problem, "%2F, which no name can have,", at);
    *decoder->out++ = byte;
    return true;
}

/* target[start … end) into `text`. */
static bool decode_piece(struct decoder *decoder, size_t start, size_t end, enum part part,
                         struct request_text *text)
{
    struct character_set plain = part == IN_PATH ? CHARACTERS_PATH : CHARACTERS_QUERY;
    text->raw = decoder->target + start;
    text->raw_length = end - start;
    text->text = decoder->out;
    for (size_t at = start; at < end; at++) {
        if (character_in(plain, decoder->target[at])) {
            *decoder->out++ = decoder->target[at];
            continue;
        }
        if (decoder->target[at] != '%')
            return refuse(decoder->problem, "a character that must be percent-encoded", at);
        if (!decode_escape(decoder, at, end, part))
            return false;
        at += 2;
    }
    text->length = (size_t)(decoder->out - text->text);
    if (text->length < text->raw_length && !utf8_valid(text->text, text->length))
        return refuse(decoder->problem, "text that is not UTF-8", start);
    *decoder->out++ = '\0';
    return true;
}

/* The end of the piece that starts at `start`: the next separator, or `end`. */
static size_t piece_end(const char *target, size_t start, size_t end, char separator)
{
    const char *found = memchr(target + start, separator, end - start);
    return found ? (size_t)(found - target) : end;
}

static bool parse_path(struct decoder *decoder, size_t start, size_t end, struct request *request)
{
    if (end - start == 1)
        return true;
    while (start < end) {
        size_t from = start + 1, to = piece_end(decoder->target, from, end, '/');
        if (request->segment_count == REQUEST_SEGMENTS_MAX)
            return refuse(decoder->problem, "more segments than any path has", from);
        struct request_text *segment = &request->segments[request->segment_count++];
        if (!decode_piece(decoder, from, to, IN_PATH, segment))
            return false;
        if (strcmp(segment->text, ".") == 0 || strcmp(segment->text, "..") == 0)
            return refuse(decoder->problem, "a segment \".\" or \"..\"", from);
        start = to;
    }
    return true;
}

static bool parse_argument(struct decoder *decoder, size_t start, size_t end,
                           struct request_argument *argument)
{
    size_t equals = piece_end(decoder->target, start, end, '=');
    if (end == start)
        return refuse(decoder->problem, "an empty parameter", start);
    if (equals == end)
        return refuse(decoder->problem, "a parameter without \"=\"", start);
    return decode_piece(decoder, start, equals, IN_QUERY, &argument->name) &&
           decode_piece(decoder, equals + 1, end, IN_QUERY, &argument->value);
}

static bool parse_query(struct decoder *decoder, size_t start, size_t end, struct request *request)
{
    while (start <= end) {
        size_t to = piece_end(decoder->target, start, end, '&');
        if (request->argument_count == REQUEST_ARGUMENTS_MAX)
            return refuse(decoder->problem, "more parameters than any path takes", start);
        if (!parse_argument(decoder, start, to, &request->arguments[request->argument_count++]))
            return false;
        start = to + 1;
    }
    return true;
}

/* "http://authority" in front of the path: its length, or 0 if there is none. */
static size_t scheme_length(const char *target, size_t length)
{
    static const char *const schemes[] = {"http://", "https://"};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        size_t size = strlen(schemes[i]);
        if (length > size && strncasecmp(target, schemes[i], size) == 0)
            return size;
    }
    return 0;
}

static bool parse_authority(const char *target, size_t length, size_t *start,
                            struct request *request, struct problem *problem)
{
    size_t from = scheme_length(target, length), to = from;
    if (from == 0)
        return refuse(problem, "neither \"/\" nor \"http://\"", 0);
    while (to < length && character_in(CHARACTERS_AUTHORITY, target[to]))
        to++;
    if (to == from || to == length || target[to] != '/')
        return refuse(problem, "no host and path", to);
    request->authority = target + from;
    request->authority_length = to - from;
    *start = to;
    return true;
}

bool request_parse(const char *target, size_t length, struct request *request,
                   struct problem *problem)
{
    request->authority = NULL;
    request->authority_length = 0;
    request->segment_count = request->argument_count = 0;
    request->asterisk = length == 1 && target[0] == '*';
    if (request->asterisk)
        return true;
    if (length > REQUEST_TARGET_MAX) {
        problem_set(problem, PROBLEM_TOO_LONG, "the target is longer than %d bytes",
                    REQUEST_TARGET_MAX);
        problem->close = true;
        return false;
    }
    size_t start = 0;
    if ((length == 0 || target[0] != '/') &&
        !parse_authority(target, length, &start, request, problem))
        return false;
    struct decoder decoder = {target, request->decoded, problem};
    size_t question = piece_end(target, start, length, '?');
    if (!parse_path(&decoder, start, question, request))
        return false;
    return question + 1 >= length || parse_query(&decoder, question + 1, length, request);
}

const struct request_argument *request_find(const struct request *request, const char *name)
{
    for (unsigned i = 0; i < request->argument_count; i++)
        if (strcmp(request->arguments[i].name.text, name) == 0)
            return &request->arguments[i];
    return NULL;
}
