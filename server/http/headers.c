#include "server/http/headers.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/number.h"
#include "server/http/characters.h"
#include "server/http/conditional.h"

enum { PORT_MAX = 65535 };

enum method method_parse(const char *text)
{
    static const struct {
        const char *name;
        enum method method;
    } methods[] = {
        {"GET", METHOD_GET},
        {"HEAD", METHOD_HEAD},
        {"POST", METHOD_POST},
        {"OPTIONS", METHOD_OPTIONS},
    };
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (strcmp(text, methods[i].name) == 0)
            return methods[i].method;
    return METHOD_OTHER;
}

static bool is_alphanumeric(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* Where a name or value that starts at `at` ends: at the first byte that cannot be in it. */
static size_t name_end(const char *block, size_t length, size_t at)
{
    while (at < length && character_in(CHARACTERS_TOKEN, block[at]))
        at++;
    return at;
}

static size_t value_end(const char *block, size_t length, size_t at)
{
    while (at < length && ((unsigned char)block[at] >= 0x20 || block[at] == '\t') &&
           block[at] != 0x7F)
        at++;
    return at;
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
        size_t end = name_end(block, length, at);
        if (end == at || !zero_at(block, length, end))
            return "a header's name has characters that no header's name can have";
        at = value_end(block, length, end + 1);
        if (!zero_at(block, length, at))
            return "a header's value has control characters";
    }
    return "a line does not end in CR LF, or has a zero byte";
}

bool headers_host_is_valid(const char *text)
{
    size_t length = strcspn(text, ":");
    if (text[0] == '[') {
        const char *end = strchr(text, ']');
        if (!end)
            return false;
        length = (size_t)(end + 1 - text);
        if (strspn(text + 1, "0123456789abcdefABCDEF:.") != length - 2)
            return false;
    } else {
        for (size_t i = 0; i < length; i++)
            if (!is_alphanumeric(text[i]) && !strchr("-._~", text[i]))
                return false;
    }
    const char *port = text + length;
    if (length == 0 || *port == '\0')
        return length > 0;
    return port[0] == ':' && strlen(port) <= 6 &&
           strspn(port + 1, "0123456789") == strlen(port + 1) && atoi(port + 1) <= PORT_MAX;
}

static void take_host(struct headers *headers, const char *value)
{
    headers->hosts++;
    headers->host = value;
    if (!headers_host_is_valid(value))
        headers->fault = "the Host header is no host name or address with an optional port";
}

/* Leading zeros are HTTP's to allow, not number_parse_unsigned()'s. */
static void take_length(struct headers *headers, const char *value)
{
    headers->lengths++;
    const char *digits = value;
    while (digits[0] == '0' && digits[1])
        digits++;
    if (!number_parse_unsigned(digits, strlen(digits), &headers->content_length))
        headers->fault = "Content-Length is no whole number";
}

static void take_coding(struct headers *headers, const char *value)
{
    headers->codings++;
    headers->chunked = strcasecmp(value, "chunked") == 0;
    if (!headers->chunked)
        headers->fault = "the only Transfer-Encoding is \"chunked\"";
}

static void take_condition(struct headers *headers, const char *value)
{
    if (headers->conditions < HEADERS_CONDITIONS_MAX)
        headers->if_none_match[headers->conditions++] = value;
}

static void take_accept(struct headers *headers, const char *value)
{
    headers->accept = value;
}

/* A quality of 0, in any of its spellings. */
static bool is_refused(const char *parameters, size_t length)
{
    const char *q = memchr(parameters, '=', length);
    if (!q)
        return false;
    const size_t digits = strspn(q + 1, "0.");
    return digits > 0 && (q[1 + digits] == '\0' || strchr(", \t;", q[1 + digits]));
}

/* "gzip" or "*" as an element of the list, and not with q=0; what is named outweighs "*". */
static void take_accept_encoding(struct headers *headers, const char *value)
{
    bool named = false;
    while (*value) {
        value += strspn(value, ", \t");
        const size_t element = strcspn(value, ","), name = strcspn(value, ",; \t");
        const bool gzip = (name == 4 && strncasecmp(value, "gzip", 4) == 0) ||
                          (name == 6 && strncasecmp(value, "x-gzip", 6) == 0);
        if (gzip || (name == 1 && value[0] == '*' && !named))
            headers->gzip = !is_refused(value + name, element - name);
        named = named || gzip;
        value += element;
    }
}

static void take_content_encoding(struct headers *headers, const char *value)
{
    if (strcasecmp(value, "identity") != 0)
        headers->content_encoding = value;
}

static void take_forwarded_proto(struct headers *headers, const char *value)
{
    headers->forwarded_proto = value;
}

static void take_forwarded_host(struct headers *headers, const char *value)
{
    headers->forwarded_host = value;
}

static void take_forwarded_prefix(struct headers *headers, const char *value)
{
    headers->forwarded_prefix = value;
}

static const struct {
    const char *name;
    void (*take)(struct headers *headers, const char *value);
} known[] = {
    {"Host", take_host},
    {"Content-Length", take_length},
    {"Transfer-Encoding", take_coding},
    {"If-None-Match", take_condition},
    {"Accept", take_accept},
    {"Accept-Encoding", take_accept_encoding},
    {"Content-Encoding", take_content_encoding},
    {"X-Forwarded-Proto", take_forwarded_proto},
    {"X-Forwarded-Host", take_forwarded_host},
    {"X-Forwarded-Prefix", take_forwarded_prefix},
};

void headers_take(struct headers *headers, const char *name, const char *value)
{
    if (!value)
        value = "";
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcasecmp(name, known[i].name) == 0)
            known[i].take(headers, value);
}

/* Host must be there once in HTTP/1.1, and must not contradict an absolute target. */
static const char *host_fault(const struct headers *headers, const char *version,
                              const struct request *request)
{
    if (headers->hosts > 1)
        return "there is more than one Host header";
    if (headers->hosts == 0)
        return strcmp(version, "HTTP/1.0") == 0 ? NULL : "HTTP/1.1 needs a Host header";
    if (request->authority &&
        (strlen(headers->host) != request->authority_length ||
         strncasecmp(headers->host, request->authority, request->authority_length) != 0))
        return "the Host header and the target name different hosts";
    return NULL;
}

static const char *body_fault(const struct headers *headers, enum method method,
                              const char *version)
{
    if (headers->codings > 1 || headers->lengths > 1)
        return "the length of the body is given more than once";
    if (headers->codings && headers->lengths)
        return "Content-Length and Transfer-Encoding exclude each other";
    if (headers->codings && strcmp(version, "HTTP/1.0") == 0)
        return "HTTP/1.0 has no Transfer-Encoding";
    if (method != METHOD_POST && (headers->codings || headers->content_length > 0))
        return "only a POST request may have a body";
    if (method == METHOD_POST && !headers->codings && !headers->lengths)
        return "a POST request needs Content-Length or Transfer-Encoding";
    return NULL;
}

bool headers_check(const struct headers *headers, enum method method, const char *version,
                   const struct request *request, struct problem *problem)
{
    const char *fault = headers->fault;
    if (!fault)
        fault = host_fault(headers, version, request);
    if (!fault)
        fault = body_fault(headers, method, version);
    if (!fault && request->asterisk && method != METHOD_OPTIONS)
        fault = "\"*\" is a target for OPTIONS only";
    if (fault) {
        problem_set(problem, PROBLEM_REQUEST, "%s", fault);
        problem->close = true;
        return false;
    }
    if (headers->content_encoding) {
        problem_set(problem, PROBLEM_MEDIA, "bodies are taken without Content-Encoding only");
        problem->close = true;
        return false;
    }
    return true;
}

bool headers_match(const struct headers *headers, const char *etag)
{
    for (unsigned i = 0; i < headers->conditions; i++)
        if (conditional_matches(headers->if_none_match[i], etag))
            return true;
    return false;
}

bool headers_accept_html(const struct headers *headers)
{
    return headers->accept && strstr(headers->accept, "text/html");
}

static size_t host_length(const char *host)
{
    const char *bracket = host[0] == '[' ? strchr(host, ']') : NULL;
    return bracket ? (size_t)(bracket + 1 - host) : strcspn(host, ":");
}

bool headers_host_equals(const char *host, const char *name)
{
    size_t length = host_length(host);
    return strlen(name) == length && strncasecmp(host, name, length) == 0;
}

bool headers_host_is_loopback(const char *host)
{
    size_t length = host_length(host);
    return headers_host_equals(host, "localhost") || headers_host_equals(host, "[::1]") ||
           (strncmp(host, "127.", 4) == 0 && strspn(host, "0123456789.") == length);
}
