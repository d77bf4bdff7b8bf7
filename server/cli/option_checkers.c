/* Adapters from the parsers of addresses and URLs to option checkers: the parsed value is dropped,
 * as the server parses the text again when it starts. */
#include "server/cli/option_checkers.h"

#include "server/base/listen_address.h"
#include "server/base/network_list.h"
#include "server/base/server_list.h"
#include "server/http/response/base_url.h"
#include "server/http/response/page_settings.h"

static bool check_listen_address(const char *text, struct error *error)
{
    struct listen_address address;
    return listen_address_parse(&address, text, error);
}

static bool check_network(const char *text, struct error *error)
{
    struct network_list networks = {.count = 0};
    const bool valid = network_list_parse(&networks, &text, 1, error);
    network_list_free(&networks);
    return valid;
}

static bool check_memcached_url(const char *text, struct error *error)
{
    struct server_list list = {.count = 0};
    return server_list_add(&list, text, error);
}

option_checker *const option_checkers[CHECK_COUNT] = {
    [CHECK_LISTEN_ADDRESS] = check_listen_address,
    [CHECK_NETWORK] = check_network,
    [CHECK_PUBLIC_URL] = base_url_check,
    [CHECK_HOST] = base_url_check_host,
    [CHECK_MEMCACHED_URL] = check_memcached_url,
    [CHECK_FRAME_ANCESTOR] = page_settings_check_ancestor,
    [CHECK_MARKERS_URL] = page_settings_check_markers,
};
