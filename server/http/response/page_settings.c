/* The Content-Security-Policy lets the page load its own files and draw its own pictures, and
 * nothing from other hosts but the markers that the operator names. Its directives end at a
 * semicolon, so texts of settings are checked character by character before they stand in it. */
#include "server/http/response/page_settings.h"

#include <stdlib.h>
#include <string.h>

#include "server/http/request/headers.h"

/* What connect-src, base-uri and frame-ancestors are filled in with. */
static const char policy[] = "default-src 'none'; script-src 'self'; style-src 'self'; "
                             "img-src 'self' data:; connect-src 'self'%s; base-uri %s; "
                             "form-action 'none'; frame-ancestors%s";

enum { HOST_MAX = 255 };

/* The host and port of an http or https URL; null for any other text. */
static const char *authority_of(const char *url)
{
    if (strncmp(url, "https://", 8) == 0)
        return url + 8;
    return strncmp(url, "http://", 7) == 0 ? url + 7 : NULL;
}

/* The length of the URL's origin, "https://host:port"; 0 if it has none that is well formed. */
static size_t origin_length(const char *url)
{
    char host[HOST_MAX + 1];
    const char *authority = authority_of(url);
    const size_t length = authority ? strcspn(authority, "/?#") : 0;
    if (length == 0 || length > HOST_MAX)
        return 0;
    memcpy(host, authority, length);
    host[length] = '\0';
    return headers_host_is_valid(host) ? (size_t)(authority - url) + length : 0;
}

/* An origin, or one whose first label is "*". */
static bool is_origin(const char *text)
{
    char plain[HOST_MAX + 1];
    const char *authority = authority_of(text);
    const char *rest = authority && strncmp(authority, "*.", 2) == 0 ? authority + 2 : authority;
    if (!authority || strlen(text) > HOST_MAX)
        return false;
    memcpy(plain, text, (size_t)(authority - text));
    memcpy(plain + (authority - text), rest, strlen(rest) + 1);
    return origin_length(plain) == strlen(plain);
}

bool page_settings_check_ancestor(const char *text, struct error *error)
{
    return strcmp(text, "self") == 0 || strcmp(text, "*") == 0 || is_origin(text) ||
           error_set(error, ERROR_VALUE,
                     "must be an origin such as https://wiki.example or https://*.example:8443, "
                     "without a path, or self, or * for any, not \"%.200s\"",
                     text);
}

/* Characters of RFC 3986, without those that quote. */
static bool is_plain(const char *text)
{
    return text[strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                             "-._~:/?#[]@!$&()*+,=%")] == '\0';
}

bool page_settings_check_markers(const char *text, struct error *error)
{
    /* "players.geojson", "../players" or "/players": a colon would make the first part a scheme. */
    const size_t first = strcspn(text, "/?#");
    const bool relative = !memchr(text, ':', first) && strncmp(text, "//", 2) != 0;
    return (is_plain(text) && (relative || origin_length(text) > 0)) ||
           error_set(error, ERROR_VALUE,
                     "must be an http or https URL such as https://game.example/players.geojson, "
                     "or a path such as players.geojson relative to the page, not \"%.200s\"",
                     text);
}

struct page_settings *page_settings_new(const struct settings *settings)
{
    struct page_settings *page = calloc(1, sizeof *page);
    if (!page)
        return NULL;
    page->markers = settings->markers ? strdup(settings->markers) : NULL;
    page->markers_interval = settings->markers_interval;
    page->events = settings->watch;
    struct buffer policy_text = {0};
    page_settings_write_policy(settings, true, &policy_text);
    page->place_policy = policy_text.failed ? NULL : strdup(buffer_string(&policy_text));
    buffer_free(&policy_text);
    if (page->place_policy && (page->markers || !settings->markers))
        return page;
    page_settings_free(page);
    return NULL;
}

void page_settings_free(struct page_settings *page)
{
    if (!page)
        return;
    free(page->markers);
    free(page->place_policy);
    free(page);
}

void page_settings_write_policy(const struct settings *settings, bool has_base, struct buffer *out)
{
    const setting_list *list = &settings->frame_ancestors;
    const size_t origin = settings->markers ? origin_length(settings->markers) : 0;
    struct buffer connect = {0}, ancestors = {0};
    if (origin > 0)
        buffer_format(&connect, " %.*s", (int)origin, settings->markers);
    for (size_t i = 0; i < list->count; i++)
        buffer_format(&ancestors, " %s",
                      strcmp(list->texts[i], "self") == 0 ? "'self'" : list->texts[i]);
    buffer_format(out, policy, buffer_string(&connect), has_base ? "'self'" : "'none'",
                  list->count > 0 ? buffer_string(&ancestors) : " 'none'");
    out->failed = out->failed || connect.failed || ancestors.failed;
    buffer_free(&connect);
    buffer_free(&ancestors);
}
