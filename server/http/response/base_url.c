/* The base is put together from its three parts, each from the nearest source that has it:
 * settings, headers of a trusted proxy, the connection and its Host. Everything that comes from a
 * request is checked character by character before it is used, because the result stands unescaped
 * in JSON, XML and HTML. */
#include "server/http/response/base_url.h"

#include <string.h>
#include <strings.h>

#include "server/http/response/response.h"

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

static bool allow_host(const struct generation *generation, const char *host,
                       struct problem *problem)
{
    bool allowed = host && headers_host_is_loopback(host);
    for (size_t i = 0; host && i < generation->allowed_host_count && !allowed; i++)
        allowed = headers_host_equals(host, generation->allowed_hosts[i]);
    return allowed ||
           problem_set(problem, PROBLEM_MISDIRECTED,
                       "absolute addresses cannot be built from the Host header \"%.100s\": it is "
                       "not among the allowed hosts, and no public URL is configured",
                       host ? host : "");
}

static bool from_trusted_proxy(const struct http_request *request)
{
    const struct generation *generation = request->generation;
    /* Only a proxy on this machine has a reason to connect to a unix socket. */
    if (request->connection && request->connection->unix_socket)
        return true;
    if (generation->trusted_proxies.count == 0)
        return false;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(request->mhd_connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    struct ip_address address;
    return info && ip_address_from_socket(&address, info->client_addr) &&
           network_list_contains(&generation->trusted_proxies, &address);
}

bool base_url_append(const struct http_request *request, struct buffer *out,
                     struct problem *problem)
{
    const struct generation *generation = request->generation;
    const struct headers *headers = &request->headers;
    char scheme[ENTRY_MAX + 1] = "", host[ENTRY_MAX + 1] = "", prefix[ENTRY_MAX + 1] = "";
    if (generation->public_url) {
        buffer_text(out, generation->public_url);
        return true;
    }
    if (from_trusted_proxy(request) &&
        (!read_forwarded(headers->forwarded_proto, "X-Forwarded-Proto", is_scheme, scheme,
                         problem) ||
         !read_forwarded(headers->forwarded_host, "X-Forwarded-Host", headers_host_is_valid, host,
                         problem) ||
         !read_forwarded(headers->forwarded_prefix, "X-Forwarded-Prefix", is_prefix, prefix,
                         problem)))
        return false;
    if (host[0] == '\0' && !allow_host(generation, headers->host, problem))
        return false;
    strip_slashes(prefix);
    bool secure = scheme[0] ? strcasecmp(scheme, "https") == 0
                            : request->connection && request->connection->secure;
    buffer_format(out, "%s://%s%s", secure ? "https" : "http", host[0] ? host : headers->host,
                  prefix);
    return true;
}

enum handler_result base_url_respond(struct http_request *request, struct buffer *body,
                                     const char *content_type)
{
    const struct generation *generation = request->generation;
    enum handler_result result = response_document(request, body, content_type, CACHE_REVALIDATE);
    const bool unix_socket = request->connection && request->connection->unix_socket;
    if (!generation->public_url && (unix_socket || generation->trusted_proxies.count > 0))
        response_add_header(&request->response.made, "Vary",
                            "X-Forwarded-Proto, X-Forwarded-Host, X-Forwarded-Prefix");
    return result;
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
