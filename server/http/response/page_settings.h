/* The settings of the map page: who may show it in a frame, the markers that it shows to everyone,
 * and whether it can follow changes of files. Constant once the server runs, as the page's files
 * are responses that are made at the start. */
#ifndef TERRANE_SERVER_HTTP_RESPONSE_PAGE_SETTINGS_H
#define TERRANE_SERVER_HTTP_RESPONSE_PAGE_SETTINGS_H

#include "core/base/buffer.h"
#include "server/settings/settings.h"

struct page_settings {
    char *markers; /* an address of GeoJSON, absolute or relative to the page; or null */
    unsigned markers_interval; /* seconds between two requests for it; 0 for a single one */
    bool events;               /* GET /events works */
    char *place_policy;        /* the Content-Security-Policy of pages of a place */
};

/* Copies what the page needs. Null when memory is out. */
struct page_settings *page_settings_new(const struct settings *settings);
void page_settings_free(struct page_settings *page); /* null is allowed */

/* Appends the page's Content-Security-Policy; of one that says what its addresses are relative to,
 * with `has_base`. */
void page_settings_write_policy(const struct settings *settings, bool has_base, struct buffer *out);

/* Checks of single settings, for option_checkers.c: an ancestor is "self", "*" or an origin such as
 * https://wiki.example:8443, whose first label may be "*"; markers are an http or https URL, or a
 * path relative to the page. Neither may hold a character that could end a directive of the policy.
 */
bool page_settings_check_ancestor(const char *text, struct error *error);
bool page_settings_check_markers(const char *text, struct error *error);

#endif
