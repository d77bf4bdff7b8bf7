/* What the absolute addresses in documents begin with: scheme, host and path prefix.
 *
 * The public URL if one is configured. Else, of a request from a trusted proxy, what its
 * X-Forwarded-Proto, -Host and -Prefix headers say; of lists and of headers given more than once
 * the last entry, which the proxy itself added, as those before it may come from anybody. What it
 * leaves out is "http", no prefix, and the Host header if that is loopback or among the allowed
 * hosts. A trusted proxy's headers that are no scheme, host or path are refused, anybody else's are
 * not even read. RFC 7239's Forwarded is not read at all: proxies that set one kind of header pass
 * on the other kind as the client sent it. */
#ifndef TERRANE_SERVER_HTTP_RESPONSE_BASE_URL_H
#define TERRANE_SERVER_HTTP_RESPONSE_BASE_URL_H

#include "server/http/jobs/http_request.h"

/* Appends the base, without a slash at its end. False with 400 for a proxy's malformed header, 421
 * for a Host that no address may be made of. */
bool base_url_append(const struct http_request *request, struct buffer *out,
                     struct problem *problem);

/* response_document() for a document with addresses in it, which is to be revalidated; with a Vary
 * header where the base may depend on more than the Host. */
enum handler_result base_url_respond(struct http_request *request, struct buffer *body,
                                     const char *content_type);

/* Whether `url` may be the public URL: http or https, a host, perhaps a port and a path of plain
 * characters. */
bool base_url_check(const char *url, struct error *error);

#endif
