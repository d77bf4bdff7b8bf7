/* The base of absolute URLs in documents: scheme, host and path prefix.
 *
 * - The public URL, if one is configured.
 * - Else, if the request comes from a trusted proxy, its X-Forwarded-Proto, -Host and -Prefix
 *   headers. Of lists, and of headers given more than once, only the last entry counts, which the
 *   proxy itself has added; the others may come from any client. An entry that is no scheme, host
 *   or path is refused. Headers of any other peer are not read.
 * - What is still missing is "http" (or "https" on a TLS endpoint), no prefix, and the Host header,
 *   which must be loopback or among the allowed hosts: otherwise a client could have documents with
 *   URLs of a foreign host put into a shared cache.
 *
 * RFC 7239's Forwarded is never read: a proxy that sets one kind of header passes on the other kind
 * as the client sent it. */
#ifndef TERRANE_SERVER_HTTP_RESPONSE_BASE_URL_H
#define TERRANE_SERVER_HTTP_RESPONSE_BASE_URL_H

#include "server/http/jobs/http_request.h"

/* Appends the base, without a slash at its end. False with 400 for a malformed header of the proxy,
 * or 421 for a Host that no URL may be built from. */
bool base_url_append(const struct http_request *request, struct buffer *out,
                     struct problem *problem);

/* response_document() for a document that contains the base: clients revalidate it, and Vary names
 * the headers that the base may depend on. */
enum handler_result base_url_respond(struct http_request *request, struct buffer *body,
                                     const char *content_type);

/* True if `url` may be the public URL: http or https, a host, and optionally a port and a path of
 * unreserved characters. */
bool base_url_check(const char *url, struct error *error);

#endif
