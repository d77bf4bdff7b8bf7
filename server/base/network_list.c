/* An array that is searched from the front: a server has a few trusted proxies. */
#include "server/base/network_list.h"

#include <stdlib.h>

bool network_list_parse(struct network_list *list, const char *const *texts, size_t count,
                        struct error *error)
{
    *list = (struct network_list){.networks = calloc(count + 1, sizeof *list->networks)};
    if (!list->networks)
        return error_memory(error);
    for (size_t i = 0; i < count; i++) {
        if (!ip_network_parse(&list->networks[i], texts[i]))
            return error_set(error, ERROR_VALUE,
                             "must be an address such as 127.0.0.1 or ::1, or a network such as "
                             "10.0.0.0/8 or fd00::/8, not \"%s\"",
                             texts[i]);
        list->count++;
    }
    return true;
}

void network_list_free(struct network_list *list)
{
    free(list->networks);
    *list = (struct network_list){0};
}

bool network_list_contains(const struct network_list *list, const struct ip_address *address)
{
    for (size_t i = 0; i < list->count; i++)
        if (ip_network_contains(&list->networks[i], address))
            return true;
    return false;
}
