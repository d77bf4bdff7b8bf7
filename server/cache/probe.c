#include "server/cache/probe.h"

#include <inttypes.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

enum { PROBE_SECONDS = 60 /* how long its value is kept */ };

void probe_init(struct probe *probe, uint16_t port, unsigned timeout)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    *probe = (struct probe){.port = port, .timeout = timeout};
    snprintf(probe->key, sizeof probe->key, "terrane:probe:%lld%09ld-%p", (long long)now.tv_sec,
             now.tv_nsec, (void *)probe);
}

static struct addrinfo *look_up(const char *host, int flags)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = flags};
    struct addrinfo *found = NULL;
    return getaddrinfo(host, NULL, &hints, &found) == 0 ? found : NULL;
}

struct addrinfo *probe_numeric(const char *host)
{
    return look_up(host, AI_NUMERICHOST);
}

struct addrinfo *probe_look_up(const char *host)
{
    return look_up(host, AI_ADDRCONFIG);
}

/* A server that is full may have kept nothing, and works all the same. */
static bool probe_link(struct probe *probe, struct link *link)
{
    char text[32];
    struct buffer answer = {0};
    size_t length = (size_t)snprintf(text, sizeof text, "%" PRIu64, ++probe->count);
    const struct link_request set = {.verb = LINK_SET,
                                     .key = probe->key,
                                     .value = (const uint8_t *)text,
                                     .length = length,
                                     .seconds = PROBE_SECONDS};
    const struct link_request get = {.verb = LINK_GET, .key = probe->key, .out = &answer};
    enum link_result result =
        link_run(link, &set) == LINK_DONE ? link_run(link, &get) : LINK_FAILED;
    bool works = result == LINK_MISS || (result == LINK_DONE && answer.length == length &&
                                         memcmp(answer.data, text, length) == 0);
    buffer_free(&answer);
    return works;
}

struct link *probe_run(struct probe *probe, const struct addrinfo *addresses,
                       char text[PROBE_ADDRESS_TEXT])
{
    for (; addresses; addresses = addresses->ai_next) {
        if (getnameinfo(addresses->ai_addr, addresses->ai_addrlen, text, PROBE_ADDRESS_TEXT, NULL,
                        0, NI_NUMERICHOST) != 0)
            continue;
        struct link *link = link_open(text, probe->port, probe->timeout);
        if (link && probe_link(probe, link))
            return link;
        link_close(link);
    }
    return NULL;
}
