/* The headers that matter, as a table of names and functions, and what makes them untrustworthy.
 *
 * Requests that two programs could read differently are how requests are smuggled past a proxy: two
 * lengths of a body, folded lines, bare LF, a Host that contradicts the target. The library accepts
 * most of them, so they are refused here with 400, and the connection closes (RFC 9112, 3.2 and
 * 6.3).
 *
 * Accept-Encoding is kept as a weight for each coding that the server has, as a quality in
 * thousandths plus one, so that 0 means "not named" and 1 means "refused" (q=0). */
#include "server/http/request/headers.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/number.h"
#include "server/base/host_port.h"
#include "server/http/request/characters.h"
#include "server/http/request/conditional.h"

enum { PORT_MAX = 65535 };

enum method method_parse(const char *text)
{
    static const char *const names[] = {"GET", "HEAD", "POST", "OPTIONS"}; /* by bit */
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(text, names[i]) == 0)
            return 1U << i;
    return METHOD_OTHER;
}

/* The characters of a header's value. */
static bool in_value(char c)
{
    return ((unsigned char)c >= 0x20 || c == '\t') && c != 0x7F;
}

static bool zero_at(const char *block, size_t length, size_t at)
{
    return at < length && block[at] == '\0';
}

const char *headers_block_fault(const char *block, size_t length)
{
    size_t at = 0;
    while (zero_at(block, length, at) && zero_at(block, length, at + 1)) {
        at += 2;
        if (zero_at(block, length, at))
            return zero_at(block, length, at + 1) && at + 2 == length
                       ? NULL
                       : "a header's name is empty, or a line is folded";
        while (at < length && character_in(CHARACTERS_TOKEN, block[at]))
            at++;
        if (!zero_at(block, length, at))
            return "a header's name has characters that no header's name can have";
        for (at++; at < length && in_value(block[at]);)
            at++;
        if (!zero_at(block, length, at))
            return "a header's value has control characters";
    }
    return "a line does not end in CR LF, or has a zero byte";
}

bool headers_host_is_valid(const char *text)
{
    struct host_port parts;
    if (!host_port_split(&parts, text, strlen(text)))
        return false;
    const bool good_host = parts.bracketed
                               ? strspn(parts.host, "0123456789abcdefABCDEF:.") == parts.host_length
                               : host_port_is_name(&parts);
    /* HTTP allows a colon without a port, and leading zeros. */
    return good_host && (!parts.port || (parts.port_length <= 5 &&
                                         strspn(parts.port, "0123456789") == parts.port_length &&
                                         atoi(parts.port) <= PORT_MAX));
}

static void take_host(struct headers *headers, const char *value)
{
    headers->host_count++;
    headers->host = value;
    if (!headers_host_is_valid(value))
        headers->fault = "the Host header is no host name or address with an optional port";
}

/* HTTP allows leading zeros, number_parse_unsigned() does not. */
static void take_content_length(struct headers *headers, const char *value)
{
    headers->content_length_count++;
    const char *digits = value;
    while (digits[0] == '0' && digits[1])
        digits++;
    if (!number_parse_unsigned(digits, strlen(digits), &headers->content_length))
        headers->fault = "Content-Length is no whole number";
}

static void take_transfer_encoding(struct headers *headers, const char *value)
{
    headers->codings++;
    headers->chunked = strcasecmp(value, "chunked") == 0;
    if (!headers->chunked)
        headers->fault = "the only Transfer-Encoding is \"chunked\"";
}

static void take_accept(struct headers *headers, const char *value)
{
    if (headers->accept_count < HEADERS_ACCEPTS_MAX)
        headers->accepts[headers->accept_count++] = value;
}

static void take_if_none_match(struct headers *headers, const char *value)
{
    if (headers->condition_count < HEADERS_CONDITIONS_MAX)
        headers->if_none_match[headers->condition_count++] = value;
}

/* Parses the text behind a coding's name: nothing, or ";q=" and a quality. `weight` becomes the
 * quality in thousandths plus one. False for anything else. */
static bool parse_weight(const char *text, size_t length, unsigned *weight)
{
    const char *end = text + length;
    text += strspn(text, " \t");
    *weight = 1001;
    if (text == end)
        return true;
    if (*text++ != ';')
        return false;
    text += strspn(text, " \t");
    if (strncasecmp(text, "q=", 2) != 0 || (text[2] != '0' && text[2] != '1'))
        return false;
    const bool whole = text[2] == '1';
    unsigned thousandths = 0;
    text += 3;
    if (*text == '.')
        text++;
    for (unsigned place = 100; place > 0 && *text >= '0' && *text <= '9'; place /= 10)
        thousandths += place * (unsigned)(*text++ - '0');
    text += strspn(text, " \t");
    *weight = 1 + (whole ? 1000 : thousandths);
    return text == end && (!whole || thousandths == 0);
}

/* One element of the list. Malformed and unknown ones are ignored. */
static void take_coding_qvalue(struct headers *headers, const char *element, size_t length)
{
    const struct {
        const char *name;
        unsigned *qvalue;
    } codings[] = {
        {"gzip", &headers->quality.gzip},         {"x-gzip", &headers->quality.gzip},
        {"zstd", &headers->quality.zstd},         {"*", &headers->quality.any},
        {"identity", &headers->quality.identity},
    };
    const size_t name = strcspn(element, ",; \t");
    unsigned weight;
    if (!parse_weight(element + name, length - name, &weight))
        return;
    for (size_t i = 0; i < sizeof codings / sizeof *codings; i++)
        if (strlen(codings[i].name) == name && strncasecmp(element, codings[i].name, name) == 0)
            *codings[i].qvalue = weight;
}

/* Several headers of this name are one list. */
static void take_accept_encoding(struct headers *headers, const char *value)
{
    for (value += strspn(value, ", \t"); *value; value += strspn(value, ", \t")) {
        const size_t element = strcspn(value, ",");
        take_coding_qvalue(headers, value, element);
        value += element;
    }
}

static void take_content_encoding(struct headers *headers, const char *value)
{
    if (strcasecmp(value, "identity") != 0)
        headers->content_encoding = value;
}

/* It decides how a body is read. */
static void take_content_type(struct headers *headers, const char *value)
{
    if (headers->content_type)
        headers->fault = "there is more than one Content-Type header";
    headers->content_type = value;
}

/* A header that is no list must not be repeated (RFC 9110, 5.3), and which of them another program
 * reads is not known. */
static void keep_single(const char **member, const char *value)
{
    *member = *member ? "" : value;
}

static void take_range(struct headers *headers, const char *value)
{
    keep_single(&headers->range, value);
}

static void take_if_range(struct headers *headers, const char *value)
{
    keep_single(&headers->if_range, value);
}

static void take_origin(struct headers *headers, const char *value)
{
    keep_single(&headers->origin, value);
}

static void take_forwarded_for(struct headers *headers, const char *value)
{
    for (size_t i = HEADERS_FORWARDED_MAX - 1; i > 0; i--)
        headers->forwarded_for[i] = headers->forwarded_for[i - 1];
    headers->forwarded_for[0] = value;
}

#define NAME(text) text, sizeof text - 1

/* A header without a function is kept as it is, in the member at `offset`. */
static const struct {
    const char *name;
    size_t length;
    void (*take)(struct headers *headers, const char *value);
    size_t offset;
} known[] = {
    {NAME("Host"), take_host, 0},
    {NAME("Content-Length"), take_content_length, 0},
    {NAME("Transfer-Encoding"), take_transfer_encoding, 0},
    {NAME("If-None-Match"), take_if_none_match, 0},
    {NAME("Range"), take_range, 0},
    {NAME("If-Range"), take_if_range, 0},
    {NAME("Accept"), take_accept, 0},
    {NAME("Accept-Encoding"), take_accept_encoding, 0},
    {NAME("Content-Type"), take_content_type, 0},
    {NAME("Content-Encoding"), take_content_encoding, 0},
    {NAME("Origin"), take_origin, 0},
    {NAME("X-Forwarded-Proto"), NULL, offsetof(struct headers, forwarded_proto)},
    {NAME("X-Forwarded-Host"), NULL, offsetof(struct headers, forwarded_host)},
    {NAME("X-Forwarded-Prefix"), NULL, offsetof(struct headers, forwarded_prefix)},
    {NAME("X-Forwarded-For"), take_forwarded_for, 0},
};

void headers_add(struct headers *headers, const char *name, const char *value)
{
    const size_t length = strlen(name);
    if (!value)
        value = "";
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (known[i].length != length || strcasecmp(name, known[i].name) != 0)
            continue;
        if (known[i].take)
            known[i].take(headers, value);
        else
            memcpy((char *)headers + known[i].offset, &value, sizeof value);
    }
}

/* HTTP/1.1 needs Host exactly once, and it must not contradict an absolute target. */
static const char *host_fault(const struct headers *headers, const char *version,
                              const struct http_target *target)
{
    if (headers->host_count > 1)
        return "there is more than one Host header";
    if (headers->host_count == 0)
        return strcmp(version, "HTTP/1.0") == 0 ? NULL : "HTTP/1.1 needs a Host header";
    if (target->authority &&
        (strlen(headers->host) != target->authority_length ||
         strncasecmp(headers->host, target->authority, target->authority_length) != 0))
        return "the Host header and the target name different hosts";
    return NULL;
}

static const char *body_fault(const struct headers *headers, enum method method,
                              const char *version)
{
    if (headers->codings > 1 || headers->content_length_count > 1)
        return "the length of the body is given more than once";
    if (headers->codings && headers->content_length_count)
        return "Content-Length and Transfer-Encoding exclude each other";
    if (headers->codings && strcmp(version, "HTTP/1.0") == 0)
        return "HTTP/1.0 has no Transfer-Encoding";
    if (method != METHOD_POST && (headers->codings || headers->content_length > 0))
        return "only a POST request may have a body";
    if (method == METHOD_POST && !headers->codings && !headers->content_length_count)
        return "a POST request needs Content-Length or Transfer-Encoding";
    return NULL;
}

bool headers_check(const struct headers *headers, enum method method, const char *version,
                   const struct http_target *target, struct problem *problem)
{
    const char *fault = headers->fault;
    if (!fault)
        fault = host_fault(headers, version, target);
    if (!fault)
        fault = body_fault(headers, method, version);
    if (!fault && target->asterisk && method != METHOD_OPTIONS)
        fault = "\"*\" is a target for OPTIONS only";
    if (fault)
        problem_set(problem, PROBLEM_BAD_REQUEST, "%s", fault);
    else if (headers->content_encoding)
        problem_set(problem, PROBLEM_CONTENT_ENCODING,
                    "bodies are taken without Content-Encoding only");
    else
        return true;
    problem->close_connection = true;
    return false;
}

bool headers_match_etag(const struct headers *headers, const char *etag)
{
    for (unsigned i = 0; i < headers->condition_count; i++)
        if (conditional_matches(headers->if_none_match[i], etag))
            return true;
    return false;
}

bool headers_find_etag_length(const struct headers *headers, char etag[ETAG_TEXT], uint64_t *length)
{
    for (unsigned i = 0; i < headers->condition_count; i++)
        if (conditional_find_length(headers->if_none_match[i], etag, length))
            return true;
    return false;
}

enum range_outcome headers_select_range(const struct headers *headers, const char *etag,
                                        uint64_t length, struct byte_range *range)
{
    if (!headers->range || (headers->if_range && strcmp(headers->if_range, etag) != 0))
        return RANGE_WHOLE;
    return range_parse(headers->range, length, range);
}

/* A coding that is not named has the weight of "*". */
static unsigned weight(const struct headers *headers, unsigned named)
{
    return named > 0 ? named : headers->quality.any;
}

enum coding headers_select_coding(const struct headers *headers, unsigned codings)
{
    const unsigned gzip = codings & 1U << CODING_GZIP ? weight(headers, headers->quality.gzip) : 0;
    const unsigned zstd = codings & 1U << CODING_ZSTD ? weight(headers, headers->quality.zstd) : 0;
    const unsigned best = zstd > gzip ? zstd : gzip;
    if (best <= 1 || headers->quality.identity > best)
        return CODING_IDENTITY;
    return zstd == best ? CODING_ZSTD : CODING_GZIP;
}

bool headers_forbid_identity(const struct headers *headers)
{
    return weight(headers, headers->quality.identity) == 1;
}

/* Stores the weight that a list of media ranges gives one of them by its name. */
static void find_named_weight(const char *list, const char *range, unsigned *weight)
{
    unsigned parsed;
    for (list += strspn(list, ", \t"); *list; list += strspn(list, ", \t")) {
        const size_t element = strcspn(list, ","), name = strcspn(list, ",; \t");
        if (name == strlen(range) && strncasecmp(list, range, name) == 0 &&
            parse_weight(list + name, element - name, &parsed))
            *weight = parsed;
        list += element;
    }
}

/* The weight that the Accept headers give a media range by its name; 0 if they do not name it. */
static unsigned named_weight(const struct headers *headers, const char *range)
{
    unsigned weight = 0;
    for (unsigned i = 0; i < headers->accept_count; i++)
        find_named_weight(headers->accepts[i], range, &weight);
    return weight;
}

bool headers_accept(const struct headers *headers, const char *media_type)
{
    return named_weight(headers, media_type) > 1;
}

/* The value of the parameter "extensions" of an element of Accept, whose `rest` begins behind the
 * media type; null without it. */
static const char *find_extensions(const char *rest, size_t length, size_t *value_length)
{
    static const char name[] = "extensions=";
    const size_t name_length = sizeof name - 1;
    const char *const end = rest + length;
    while (rest < end) {
        rest += strspn(rest, "; \t");
        const size_t size = strcspn(rest, ";, \t");
        if (size > name_length && strncasecmp(rest, name, name_length) == 0) {
            *value_length = size - name_length;
            return rest + name_length;
        }
        rest += size;
    }
    return NULL;
}

static bool words_have(const char *words, size_t length, const char *word)
{
    for (size_t start = 0, size; start < length; start += size + 1) {
        size = strcspn(words + start, "-;, \t");
        if (size == strlen(word) && strncasecmp(words + start, word, size) == 0)
            return true;
    }
    return false;
}

static bool list_has_extension(const char *list, const char *media_type, const char *word)
{
    for (list += strspn(list, ", \t"); *list; list += strspn(list, ", \t")) {
        const size_t element = strcspn(list, ","), name = strcspn(list, ",; \t");
        size_t length = 0;
        const char *words = find_extensions(list + name, element - name, &length);
        if (name == strlen(media_type) && strncasecmp(list, media_type, name) == 0 && words &&
            words_have(words, length, word))
            return true;
        list += element;
    }
    return false;
}

bool headers_accept_extension(const struct headers *headers, const char *media_type,
                              const char *word)
{
    for (unsigned i = 0; i < headers->accept_count; i++)
        if (list_has_extension(headers->accepts[i], media_type, word))
            return true;
    return false;
}

/* The weight of a media type of "application": that of the range that names it most closely, or 1,
 * as if it were refused, if none does. */
static unsigned media_weight(const struct headers *headers, const char *media_type)
{
    const char *const ranges[] = {media_type, "application/*", "*/*"};
    unsigned weight = 0;
    for (unsigned i = 0; i < 3 && weight == 0; i++)
        weight = named_weight(headers, ranges[i]);
    return weight > 0 ? weight : 1;
}

unsigned headers_preferred_type(const struct headers *headers, const char *const *media_types,
                                unsigned count)
{
    unsigned best = 0;
    for (unsigned i = 1; i < count; i++)
        if (media_weight(headers, media_types[i]) > media_weight(headers, media_types[best]))
            best = i;
    return best;
}

bool headers_body_is_binary(const struct headers *headers)
{
    static const char type[] = HTTP_BINARY;
    const char *given = headers->content_type ? headers->content_type : "";
    return strcspn(given, "; \t") == sizeof type - 1 &&
           strncasecmp(given, type, sizeof type - 1) == 0;
}

bool headers_host_equals(const char *host, const char *name)
{
    struct host_port parts;
    if (!host_port_split(&parts, host, strlen(host)))
        return false;
    const size_t length = parts.host_length + 2 * parts.bracketed;
    return strlen(name) == length && strncasecmp(host, name, length) == 0;
}

/* "localhost" and every name below it, which nobody can register (RFC 6761, 6.3). */
static bool is_localhost(const struct host_port *parts)
{
    static const char name[] = "localhost";
    const size_t length = sizeof name - 1, whole = parts->host_length;
    return whole >= length && strncasecmp(parts->host + whole - length, name, length) == 0 &&
           (whole == length || parts->host[whole - length - 1] == '.');
}

bool headers_host_is_loopback(const char *host)
{
    struct host_port parts;
    if (!host_port_split(&parts, host, strlen(host)))
        return false;
    return is_localhost(&parts) || headers_host_equals(host, "[::1]") ||
           (strncmp(host, "127.", 4) == 0 && strspn(host, "0123456789.") == parts.host_length);
}
