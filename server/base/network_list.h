/* A list of addresses and networks: the proxies whose X-Forwarded-* headers are trusted
 * (--trusted-proxies). Immutable once parsed. */
#ifndef TERRANE_SERVER_BASE_NETWORK_LIST_H
#define TERRANE_SERVER_BASE_NETWORK_LIST_H

#include <stddef.h>

#include "core/base/error.h"
#include "server/base/ip_address.h"

/* A zeroed struct is an empty list. */
struct network_list {
    struct ip_network *networks; /* owned */
    size_t count;
};

/* Each text is one for ip_network_parse(). False with ERROR_VALUE and the first text that is
 * neither an address nor a network, or with ERROR_MEMORY; the list is to be freed in any case. */
bool network_list_parse(struct network_list *list, const char *const *texts, size_t count,
                        struct error *error);
void network_list_free(struct network_list *list);

bool network_list_contains(const struct network_list *list, const struct ip_address *address);

#endif
