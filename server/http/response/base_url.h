/* The base of URLs in documents: scheme, host and path prefix.
 *
 * - The public URL, if one is configured.
 * - Else, if the request comes from a trusted proxy, its X-Forwarded-Proto, -Host and -Prefix
 *   headers. Of lists, and of headers given more than once, only the last entry counts, which the
 *   proxy itself has added; the others may come from any client. An entry that is no scheme, host
 *   or path is refused. Headers of any other peer are not read.
 * - What is still missing is "http" (or "https" on a TLS endpoint), no prefix, and the Host header.
 *
 * The Host header is what the client says. What can go wrong is that a shared cache gives a
 * document with URLs of one Host to clients that asked another. Little has to be kept from a page
 * that reaches the server by a name of its own (DNS rebinding): every response is readable to every
 * origin anyway, but for the events of --watch, and no request changes anything but POST /preview.
 * Both ask base_url_check_site(). So:
 *
 * - A loopback name or address and the allowed hosts are known: caches may store and revalidate.
 * - If "*" is an allowed host, all others may be stored too, by Host (Vary).
 * - Else, if there are allowed hosts, any other Host is refused: the operator knows all names.
 * - Else any Host is used, in a document that no cache stores (no-store), if the listener's address
 *   is public or the request comes from a trusted proxy. A server on loopback is not reached by
 *   another name but through a proxy, whose scheme and prefix it would not know: 421 says what to
 *   configure.
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
/* Whether it can be appended; false as above. */
bool base_url_is_known(const struct http_request *request, struct problem *problem);
/* base_url_append() without 421: for people, who see what they asked for. */
bool base_url_append_as_asked(const struct http_request *request, struct buffer *out,
                              struct problem *problem);
/* Appends the path of the base: "" or "/terrane". False with 400. */
bool base_url_append_path(const struct http_request *request, struct buffer *out,
                          struct problem *problem);

/* For what pages of other sites must not do. True if the server is asked by a Host that is known (a
 * loopback name, an allowed host or that of the public URL, so that no page reaches it by a name of
 * its own: DNS rebinding), and by its own page: the Origin header, if there is one, has that host
 * or the public URL's. False with 403, or 400 as above. */
bool base_url_check_site(const struct http_request *request, struct problem *problem);

/* response_document() for a document that contains the base: Cache-Control and Vary by the rules
 * above. */
enum handler_result base_url_respond(struct http_request *request, struct buffer *body,
                                     const char *content_type);
/* True if the base may depend on headers of a proxy, and that in Vary: for a response that contains
 * the path alone. */
bool base_url_varies(const struct http_request *request);
void base_url_add_vary(struct http_request *request);

/* Logs a line if the request has X-Forwarded headers that are not read, once in a generation. */
void base_url_report_proxy(const struct http_request *request);

/* True if `url` may be the public URL: http or https, a host, and optionally a port and a path of
 * unreserved characters. */
bool base_url_check(const char *url, struct error *error);
/* True if `text` may be an allowed host: a name or an address without a port, or "*". */
bool base_url_check_host(const char *text, struct error *error);

#endif
