/* The headers of a request: those that matter, and whether the request can be trusted.
 *
 * libmicrohttpd answers much that RFC 9112 calls an error; requests that two programs could read
 * differently are refused here. Pure: the headers are handed in one by one. */
#ifndef TERRANE_SERVER_HTTP_REQUEST_HEADERS_H
#define TERRANE_SERVER_HTTP_REQUEST_HEADERS_H

#include "server/http/request/conditional.h"
#include "server/http/request/problem.h"
#include "server/http/request/range.h"
#include "server/http/request/target.h"
#include "server/render/coding.h"

enum method {
    METHOD_GET = 1, /* method_parse() knows the bits */
    METHOD_HEAD = 2,
    METHOD_POST = 4,
    METHOD_OPTIONS = 8,
    METHOD_OTHER = 0,
};

enum method method_parse(const char *text);

/* The media type of numbers in binary, whose meaning the route decides. */
#define HTTP_BINARY "application/octet-stream"

enum {
    HEADERS_CONDITIONS_MAX = 4, /* If-None-Match headers; more are ignored */
    HEADERS_ACCEPTS_MAX = 4,    /* Accept headers; more are ignored */
    HEADERS_FORWARDED_MAX = 4,  /* X-Forwarded-For headers: the last ones */
};

/* Zeroed at first. The texts live as long as the headers that were handed in. */
struct headers {
    unsigned host_count, content_length_count, codings, condition_count, accept_count;
    bool chunked;
    uint64_t content_length;
    const char *host;
    const char *content_type;
    const char *accepts[HEADERS_ACCEPTS_MAX];
    /* Accept-Encoding: the quality of each coding in thousandths plus one; 0 if it is not named.
     * `any` is "*". */
    struct {
        unsigned gzip, zstd, identity, any;
    } quality;
    const char *if_none_match[HEADERS_CONDITIONS_MAX];
    const char *range, *if_range, *origin; /* "", which none of them may be, if given repeatedly */
    const char *content_encoding;
    const char *forwarded_proto, *forwarded_host,
        *forwarded_prefix;                            /* X-Forwarded-…, the last of each */
    const char *forwarded_for[HEADERS_FORWARDED_MAX]; /* the last ones, the last first */
    const char *fault;                                /* static: what is wrong with them, or null */
};

/* Checks the header lines as the library left them in its buffer, with zeros in place of CR, LF and
 * the first colon of each line; `block` begins behind the version in the request line and ends with
 * the empty line. A static text says what is wrong: lines that do not end in CR LF, folded lines,
 * zero bytes, control characters, names that are no tokens. Null if nothing is. */
const char *headers_block_fault(const char *block, size_t length);

/* Adds one header; `value` may be null. */
void headers_add(struct headers *headers, const char *name, const char *value);

/* True if a request of this method, HTTP version and parsed target may have these headers; else
 * false with a problem that closes the connection. */
bool headers_check(const struct headers *headers, enum method method, const char *version,
                   const struct http_target *target, struct problem *problem);

/* True if one of the If-None-Match headers names the entity tag. */
bool headers_match_etag(const struct headers *headers, const char *etag);
/* True if one of them names the tag with a length: see conditional_find_length(). */
bool headers_find_etag_length(const struct headers *headers, char etag[ETAG_TEXT],
                              uint64_t *length);
/* What the Range header selects of a representation with that strong entity tag and length, in its
 * content coding: see range_parse(). An If-Range header that is not this very tag, such as a date,
 * makes it everything (RFC 9110, 13.1.5). */
enum range_outcome headers_select_range(const struct headers *headers, const char *etag,
                                        uint64_t length, struct byte_range *range);
/* The coding for a response that is available in identity and in these codings (a set), by
 * Accept-Encoding (RFC 9110, 12.5.3): zstd if the client accepts it and does not prefer gzip, else
 * gzip if the client accepts it, else identity. Identity, too, if the client names it with a higher
 * quality than both, or accepts nothing at all. */
enum coding headers_select_coding(const struct headers *headers, unsigned codings);
/* True if Accept-Encoding refuses identity. */
bool headers_forbid_identity(const struct headers *headers);
/* True if an Accept header names the media type, with a quality above 0. A range, such as
 * "image/" with an asterisk, does not name it: clients send ranges that do not know the type. */
bool headers_accept(const struct headers *headers, const char *media_type);
/* True if an Accept header names the media type with a parameter "extensions" among whose words,
 * which have "-" between them, is this one: "type/name;extensions=one-two". */
bool headers_accept_extension(const struct headers *headers, const char *media_type,
                              const char *word);
/* The index of the media type, all of which are of "application", to which Accept gives the highest
 * quality (RFC 9110, 12.5.1): by its name, "application" followed by a star, or two stars; of equal
 * ones the first. */
unsigned headers_preferred_type(const struct headers *headers, const char *const *media_types,
                                unsigned count);
/* True if the body is of the media type HTTP_BINARY. */
bool headers_body_is_binary(const struct headers *headers);
/* True if a text is a name, an IPv4 address, or an IPv6 address in brackets, with or without a
 * port. */
bool headers_host_is_valid(const char *text);
/* True if "host" or "host:port" is a loopback name or address: localhost and what ends in
 * .localhost, 127.x.y.z, [::1]. */
bool headers_host_is_loopback(const char *host);
/* True if the host part of "host" or "host:port" equals `name`, ignoring case. */
bool headers_host_equals(const char *host, const char *name);

#endif
