/* The base is put together from its three parts, each from the nearest source that has it:
 * settings, headers of a trusted proxy, the connection and its Host. Everything that comes from a
 * request is checked character by character before it is used, because the result stands unescaped
 * in JSON, XML and HTML. */
#include "server/http/response/base_url.h"

#include <string.h>
#include <strings.h>

#include "server/base/host_port.h"
#include "server/http/response/response.h"
#include "server/log/log.h"

static const char any_host[] = "*"; /* among the allowed hosts */

enum { ENTRY_MAX = 255 }; /* bytes of a header's last entry; longer is refused */

static bool is_scheme(const char *text)
{
    return strcasecmp(text, "http") == 0 || strcasecmp(text, "https") == 0;
}

/* A path such as "/maps/terrane": of characters that no document has to escape, and without "..".
 */
static bool is_prefix(const char *text)
{
    size_t plain = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                "0123456789-._~/");
    return text[0] == '/' && text[plain] == '\0' && !strstr(text, "//") && !strstr(text, "/.");
}

static void strip_slashes(char *text)
{
    for (size_t end = strlen(text); end > 0 && text[end - 1] == '/';)
        text[--end] = '\0';
}

/* False if the entry is too long. */
static bool copy_entry(const char *start, size_t length, char entry[ENTRY_MAX + 1])
{
    if (length > ENTRY_MAX)
        return false;
    memcpy(entry, start, length);
    entry[length] = '\0';
    return true;
}

/* The last entry of a header's list, or "". False if it is too long. */
static bool last_entry(const char *list, char entry[ENTRY_MAX + 1])
{
    const char *comma = list ? strrchr(list, ',') : NULL;
    const char *start = comma ? comma + 1 : list ? list : "";
    start += strspn(start, " \t");
    size_t length = strlen(start);
    while (length > 0 && strchr(" \t", start[length - 1]))
        length--;
    return copy_entry(start, length, entry);
}

/* The last entry of a header, which must be of that kind unless it is "". */
static bool read_forwarded(const char *list, const char *name, bool (*is_kind)(const char *text),
                           char entry[ENTRY_MAX + 1], struct problem *problem)
{
    if (last_entry(list, entry) && (entry[0] == '\0' || is_kind(entry)))
        return true;
    return problem_set(problem, PROBLEM_BAD_REQUEST,
                       "the proxy's %s header is none that an address may be built from", name);
}

/* The address that the request comes from; false for a unix socket. */
static bool find_peer(const struct http_request *request, struct ip_address *peer)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(request->mhd_connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    return info && ip_address_from_socket(peer, info->client_addr);
}

static bool from_trusted_proxy(const struct http_request *request)
{
    const struct network_list *trusted = &request->generation->trusted_proxies;
    struct ip_address peer;
    /* Only a proxy on this machine has a reason to connect to a unix socket. */
    if (request->connection && request->connection->unix_socket)
        return true;
    return trusted->count > 0 && find_peer(request, &peer) && network_list_contains(trusted, &peer);
}

/* What the headers of a request say. */
struct base {
    bool trusted; /* they come from a trusted proxy */
    char scheme[ENTRY_MAX + 1], host[ENTRY_MAX + 1], prefix[ENTRY_MAX + 1]; /* "" for none */
};

/* False with 400. */
static bool read_base(const struct http_request *request, struct base *base,
                      struct problem *problem)
{
    const struct headers *headers = &request->headers;
    *base = (struct base){.trusted = from_trusted_proxy(request)};
    if (base->trusted && (!read_forwarded(headers->forwarded_proto, "X-Forwarded-Proto", is_scheme,
                                          base->scheme, problem) ||
                          !read_forwarded(headers->forwarded_host, "X-Forwarded-Host",
                                          headers_host_is_valid, base->host, problem) ||
                          !read_forwarded(headers->forwarded_prefix, "X-Forwarded-Prefix",
                                          is_prefix, base->prefix, problem)))
        return false;
    strip_slashes(base->prefix);
    return true;
}

/* What the Host header is good for, where the host is not known from elsewhere. */
enum host_use {
    HOST_KNOWN,    /* loopback, or named in the settings */
    HOST_WILDCARD, /* not named itself, but "*" is */
    HOST_ASKED,    /* for the client that asks by it, and nobody else */
    HOST_REFUSED,
};

/* True for a loopback name or address, and for the allowed hosts that are named. */
static bool is_named_host(const struct generation *generation, const char *host)
{
    if (headers_host_is_loopback(host))
        return true;
    for (size_t i = 0; i < generation->allowed_host_count; i++)
        if (headers_host_equals(host, generation->allowed_hosts[i]))
            return true;
    return false;
}

static bool any_host_allowed(const struct generation *generation)
{
    for (size_t i = 0; i < generation->allowed_host_count; i++)
        if (strcmp(generation->allowed_hosts[i], any_host) == 0)
            return true;
    return false;
}

static enum host_use use_of_host(const struct http_request *request, const struct base *base)
{
    const struct generation *generation = request->generation;
    const char *host = request->headers.host;
    if (!host)
        return HOST_REFUSED;
    if (is_named_host(generation, host))
        return HOST_KNOWN;
    if (generation->allowed_host_count > 0)
        return any_host_allowed(generation) ? HOST_WILDCARD : HOST_REFUSED;
    return base->trusted || (request->connection && request->connection->public_listener)
               ? HOST_ASKED
               : HOST_REFUSED;
}

static bool refuse_host(const struct http_request *request, struct problem *problem)
{
    const char *host = request->headers.host;
    if (!host)
        return problem_set(problem, PROBLEM_MISDIRECTED,
                           "addresses need a Host header, or a server with --public-url URL");
    return problem_set(
        problem, PROBLEM_MISDIRECTED,
        "no address in a document is made of the Host \"%.100s\", as this server %s; "
        "it needs --public-url with the URL that clients know it by, --allowed-hosts "
        "with this name, or, behind a proxy that sets X-Forwarded-Host, "
        "--trusted-proxies with the address of the proxy",
        host,
        request->generation->allowed_host_count > 0 ? "has other allowed hosts"
                                                    : "listens on loopback alone");
}

static void append_base(const struct http_request *request, const struct base *base,
                        struct buffer *out)
{
    const bool secure = base->scheme[0] ? strcasecmp(base->scheme, "https") == 0
                                        : request->connection && request->connection->secure;
    const char *host = request->headers.host ? request->headers.host : "localhost";
    buffer_format(out, "%s://%s%s", secure ? "https" : "http", base->host[0] ? base->host : host,
                  base->prefix);
}

bool base_url_append(const struct http_request *request, struct buffer *out,
                     struct problem *problem)
{
    struct base base;
    if (request->generation->public_url) {
        buffer_text(out, request->generation->public_url);
        return true;
    }
    if (!read_base(request, &base, problem))
        return false;
    if (base.host[0] == '\0' && use_of_host(request, &base) == HOST_REFUSED)
        return refuse_host(request, problem);
    append_base(request, &base, out);
    return true;
}

bool base_url_is_known(const struct http_request *request, struct problem *problem)
{
    struct buffer base = {0};
    const bool known = base_url_append(request, &base, problem);
    buffer_free(&base);
    return known;
}

bool base_url_append_as_asked(const struct http_request *request, struct buffer *out,
                              struct problem *problem)
{
    struct base base;
    if (request->generation->public_url)
        buffer_text(out, request->generation->public_url);
    else if (read_base(request, &base, problem))
        append_base(request, &base, out);
    else
        return false;
    return true;
}

bool base_url_append_path(const struct http_request *request, struct buffer *out,
                          struct problem *problem)
{
    const char *url = request->generation->public_url;
    struct base base;
    if (url) {
        const char *host = strstr(url, "://") + strlen("://");
        buffer_text(out, host + strcspn(host, "/"));
        return true;
    }
    if (!read_base(request, &base, problem))
        return false;
    buffer_text(out, base.prefix);
    return true;
}

/* True if the text is a host, with its port, as the URL has it. */
static bool is_host_of_url(const char *host, const char *url)
{
    const char *start = url ? strstr(url, "://") : NULL;
    const size_t length = start ? strcspn(start + 3, "/") : 0;
    return length > 0 && strlen(host) == length && strncasecmp(host, start + 3, length) == 0;
}

bool base_url_check_site(const struct http_request *request, struct problem *problem)
{
    const struct generation *generation = request->generation;
    const char *origin = request->headers.origin, *url = generation->public_url;
    struct base base;
    if (!read_base(request, &base, problem))
        return false;
    const char *host = base.host[0] ? base.host : request->headers.host;
    if (!host)
        return problem_set(problem, PROBLEM_FORBIDDEN, "this needs a Host header");
    if (!is_named_host(generation, host) && !is_host_of_url(host, url) &&
        !any_host_allowed(generation))
        return problem_set(problem, PROBLEM_FORBIDDEN,
                           "this path is refused at the Host \"%.100s\", which is neither "
                           "loopback nor allowed; --allowed-hosts with this name allows it",
                           host);
    if (!origin || is_host_of_url(host, origin) ||
        (url && strstr(origin, "://") && is_host_of_url(strstr(origin, "://") + 3, url)))
        return true;
    return problem_set(
        problem, PROBLEM_FORBIDDEN,
        "this path is for the server's own page alone, not for \"%.100s\"; behind a proxy, "
        "--public-url names the address of the page",
        origin);
}

bool base_url_varies(const struct http_request *request)
{
    const struct generation *generation = request->generation;
    const bool unix_socket = request->connection && request->connection->unix_socket;
    return !generation->public_url && (unix_socket || generation->trusted_proxies.count > 0);
}

void base_url_add_vary(struct http_request *request)
{
    if (base_url_varies(request))
        response_add_header(&request->response.made, "Vary",
                            "X-Forwarded-Proto, X-Forwarded-Host, X-Forwarded-Prefix");
}

enum handler_result base_url_respond(struct http_request *request, struct buffer *body,
                                     const char *content_type)
{
    struct base base;
    struct problem ignored;
    const bool by_host = !request->generation->public_url && read_base(request, &base, &ignored) &&
                         base.host[0] == '\0';
    const enum host_use use = by_host ? use_of_host(request, &base) : HOST_KNOWN;
    const enum cache_policy policy =
        use == HOST_KNOWN || use == HOST_WILDCARD ? CACHE_REVALIDATE : CACHE_NO_STORE;
    const enum handler_result result = response_document(request, body, content_type, policy);
    base_url_add_vary(request);
    if (use != HOST_KNOWN)
        response_add_header(&request->response.made, "Vary", "Host");
    return result;
}

/* One line is enough: nobody can fill the log with headers. */
void base_url_report_proxy(const struct http_request *request)
{
    const struct headers *headers = &request->headers;
    const char *name = headers->forwarded_host     ? "X-Forwarded-Host"
                       : headers->forwarded_proto  ? "X-Forwarded-Proto"
                       : headers->forwarded_prefix ? "X-Forwarded-Prefix"
                       : headers->forwarded_for[0] ? "X-Forwarded-For"
                                                   : NULL;
    struct ip_address peer;
    char text[IP_ADDRESS_TEXT];
    if (!name || from_trusted_proxy(request) || !find_peer(request, &peer) ||
        __atomic_exchange_n(&request->generation->proxy_reported, true, __ATOMIC_RELAXED))
        return;
    ip_address_write(&peer, text);
    log_write(LOG_SERVER, LOG_WARNING,
              "%s sends %s and is no trusted proxy, so its X-Forwarded headers are not read; if it "
              "is your proxy, start with --trusted-proxies %s",
              text, name, text);
}

bool base_url_check_host(const char *text, struct error *error)
{
    struct host_port parts;
    const bool name =
        headers_host_is_valid(text) && host_port_split(&parts, text, strlen(text)) && !parts.port;
    return name || strcmp(text, any_host) == 0 ||
           error_set(error, ERROR_VALUE,
                     "must be a name or an address without scheme and port, such as maps.example, "
                     "192.0.2.1 or [2001:db8::1], or * for every Host, not \"%.200s\"",
                     text);
}

bool base_url_check(const char *url, struct error *error)
{
    char part[ENTRY_MAX + 1];
    const char *mark = strstr(url, "://");
    const char *host = mark ? mark + 3 : url;
    size_t length = strcspn(host, "/");
    bool good = mark && copy_entry(url, (size_t)(mark - url), part) && is_scheme(part) &&
                copy_entry(host, length, part) && headers_host_is_valid(part) &&
                (host[length] == '\0' || is_prefix(host + length));
    return good || error_set(error, ERROR_VALUE,
                             "must be like https://maps.example/terrane, of plain characters and "
                             "without a query, not \"%.200s\"",
                             url);
}
