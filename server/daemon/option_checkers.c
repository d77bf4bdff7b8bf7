#include "server/daemon/option_checkers.h"

#include "server/cache/shared_ring.h"
#include "server/http/connection/listen_address.h"
#include "server/http/connection/proxies.h"
#include "server/http/response/base_url.h"

static bool check_listen_address(const char *text, struct error *error)
{
    struct listen_address address;
    return listen_address_parse(&address, text, error);
}

static bool check_network(const char *text, struct error *error)
{
    struct proxies proxies = {.count = 0};
    const bool valid = proxies_parse(&proxies, &text, 1, error);
    proxies_free(&proxies);
    return valid;
}

static bool check_memcached_url(const char *text, struct error *error)
{
    struct shared_addresses addresses = {.count = 0};
    return shared_addresses_add(&addresses, text, error);
}

option_checker *const option_checkers[CHECK_COUNT] = {
    [CHECK_LISTEN_ADDRESS] = check_listen_address,
    [CHECK_NETWORK] = check_network,
    [CHECK_PUBLIC_URL] = base_url_check,
    [CHECK_MEMCACHED_URL] = check_memcached_url,
};
