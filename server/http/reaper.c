#include "server/http/reaper.h"

#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

enum {
    EVICT_AFTER_MS = 500,
    SOON_MS = 50, /* what comes so soon after an answer may belong to the request before it */
    /* So much in a unix socket may be newer than the last look: see local_keeps_up(). */
    LITTLE = 8192,
};

/* The C library's struct tcp_info ends before the counters of bytes; the kernel's layout is fixed.
 */
struct tcp_bytes {
    struct tcp_info info;
    uint64_t pacing_rate, max_pacing_rate, acknowledged, received;
    uint32_t segments_out, segments_in, unsent;
};

void reaper_set(struct reaper *reaper, const struct reaper_limits *limits)
{
    reaper->lists[PHASE_HEADERS].limit = limits->headers * INT64_C(1000);
    reaper->lists[PHASE_IDLE].limit = limits->idle * INT64_C(1000);
    reaper->lists[PHASE_BODY].limit = limits->body * INT64_C(1000);
    reaper->lists[PHASE_SENDING].limit = limits->send * INT64_C(500);
}

static void leave(struct reaper *reaper, struct client *client)
{
    if (client->phase >= PHASE_TIMED)
        return;
    struct client **first = &reaper->lists[client->phase].first;
    struct client **last = &reaper->lists[client->phase].last;
    *(client->previous ? &client->previous->next : first) = client->next;
    *(client->next ? &client->next->previous : last) = client->previous;
}

/* Each list has one limit, so who has entered it last is due last. */
static int64_t due(const struct reaper *reaper, const struct client *client)
{
    return client->since + reaper->lists[client->phase].limit;
}

static void enter(struct reaper *reaper, struct client *client, enum client_phase phase,
                  int64_t now)
{
    client->phase = phase;
    client->since = now;
    if (phase >= PHASE_TIMED)
        return;
    client->next = NULL;
    client->previous = reaper->lists[phase].last;
    *(client->previous ? &client->previous->next : &reaper->lists[phase].first) = client;
    reaper->lists[phase].last = client;
}

void reaper_add(struct reaper *reaper, struct client *client, int64_t now)
{
    enter(reaper, client, PHASE_HEADERS, now);
}

void reaper_remove(struct reaper *reaper, struct client *client)
{
    leave(reaper, client);
    client->phase = PHASE_REAPED;
}

/* Lets more be put into a unix socket again. */
static void forget_measure(struct client *client)
{
    if (client->measured && client->local)
        setsockopt(client->socket, SOL_SOCKET, SO_SNDBUF, &(int){client->room / 2}, sizeof(int));
    client->measured = false;
}

void reaper_move(struct reaper *reaper, struct client *client, enum client_phase phase, int64_t now)
{
    if (client->phase == PHASE_REAPED)
        return;
    leave(reaper, client);
    forget_measure(client);
    enter(reaper, client, phase, now);
}

void reaper_begin(struct reaper *reaper, struct client *client, int64_t now)
{
    if (client->phase == PHASE_IDLE)
        reaper_move(reaper, client, PHASE_HEADERS, now);
}

int64_t reaper_wait(const struct reaper *reaper, int64_t now, int64_t most)
{
    for (int phase = 0; phase < PHASE_TIMED; phase++) {
        const struct client *first = reaper->lists[phase].first;
        if (first && due(reaper, first) - now < most)
            most = due(reaper, first) - now;
    }
    return most > 0 ? most : 0;
}

static void shut_down(struct reaper *reaper, struct client *client)
{
    /* What a slow reader has not taken would else stay in the kernel for minutes. */
    if (client->phase == PHASE_SENDING)
        setsockopt(client->socket, SOL_SOCKET, SO_LINGER, &(struct linger){1, 0},
                   sizeof(struct linger));
    shutdown(client->socket, SHUT_RDWR);
    reaper_remove(reaper, client);
}

static bool tell_bytes(const struct client *client, struct tcp_bytes *tcp)
{
    socklen_t length = sizeof *tcp;
    memset(tcp, 0, sizeof *tcp);
    return getsockopt(client->socket, IPPROTO_TCP, TCP_INFO, tcp, &length) == 0 &&
           length >= sizeof *tcp;
}

/* In this order: what comes in between is not counted. */
uint64_t client_fed(const struct client *client)
{
    struct tcp_bytes tcp;
    int unread = 0;
    if (!tell_bytes(client, &tcp) || ioctl(client->socket, SIOCINQ, &unread) != 0)
        return 0;
    return tcp.received > (uint64_t)unread ? tcp.received - (uint64_t)unread : 0;
}

/* Whether something has come since the client was answered. Of a unix socket only what nobody has
 * read yet can be seen. */
static bool has_begun(const struct client *client, int64_t now)
{
    struct tcp_bytes tcp;
    int unread = 0;
    if (ioctl(client->socket, SIOCINQ, &unread) == 0 && unread > 0)
        return true;
    return tell_bytes(client, &tcp) && tcp.info.tcpi_last_data_recv + SOON_MS < now - client->since;
}

/* Of a unix socket the system tells what has not been taken, and not what has: more may have been
 * put there since the last look. So from one look to the next nothing may be, until nearly all is
 * taken. As it is taken in pieces of 32 KB, any one will do. */
static bool local_keeps_up(struct client *client)
{
    socklen_t length = sizeof client->room;
    int waiting = 0;
    const bool told = ioctl(client->socket, SIOCOUTQ, &waiting) == 0 && waiting > LITTLE;
    if (told && client->measured && (uint64_t)waiting >= client->taken)
        return false;
    if (client->measured || !told) {
        forget_measure(client);
    } else if (getsockopt(client->socket, SOL_SOCKET, SO_SNDBUF, &client->room, &length) == 0) {
        setsockopt(client->socket, SOL_SOCKET, SO_SNDBUF, &(int){0}, sizeof(int));
        client->taken = (uint64_t)waiting;
        client->measured = true;
    }
    return true;
}

/* Whether a reader has taken as much as it must since it was looked at last; the first look only
 * measures. Where nothing waits to be taken it is not the reader that is slow. */
static bool reader_keeps_up(struct client *client, int64_t now)
{
    struct tcp_bytes tcp;
    if (client->local)
        return local_keeps_up(client);
    if (!tell_bytes(client, &tcp))
        return true;
    const int64_t wanted = (now - client->since) * READER_BYTES_PER_SECOND / 1000;
    const uint64_t taken = tcp.acknowledged - client->taken;
    const bool waits = tcp.info.tcpi_unacked > 0 || tcp.unsent > 0;
    const bool slow = client->measured && waits && taken < (uint64_t)wanted;
    client->taken = tcp.acknowledged;
    client->measured = true;
    return !slow;
}

unsigned reaper_run(struct reaper *reaper, int64_t now)
{
    unsigned slow = 0;
    for (int phase = 0; phase < PHASE_TIMED; phase++) {
        struct client *client;
        while ((client = reaper->lists[phase].first) && due(reaper, client) <= now) {
            if (phase == PHASE_IDLE && has_begun(client, now)) {
                reaper_move(reaper, client, PHASE_HEADERS, now);
                continue;
            }
            if (phase == PHASE_SENDING && reader_keeps_up(client, now)) {
                leave(reaper, client);
                enter(reaper, client, PHASE_SENDING, now);
                continue;
            }
            __atomic_fetch_add(&reaper->reaped[phase], 1, __ATOMIC_RELAXED);
            slow += phase != PHASE_IDLE;
            shut_down(reaper, client);
        }
    }
    return slow;
}

/* Of those who let us wait, the one that has done so longest; or null. */
static struct client *longest_waiting(const struct reaper *reaper)
{
    static const enum client_phase phases[] = {PHASE_HEADERS, PHASE_IDLE, PHASE_BODY};
    struct client *oldest = NULL;
    for (size_t i = 0; i < sizeof phases / sizeof *phases; i++) {
        struct client *first = reaper->lists[phases[i]].first;
        if (first && (!oldest || first->since < oldest->since))
            oldest = first;
    }
    return oldest;
}

unsigned reaper_evict(struct reaper *reaper, unsigned count, int64_t now)
{
    unsigned evicted = 0;
    while (evicted < count) {
        struct client *oldest = longest_waiting(reaper);
        if (!oldest || now - oldest->since < EVICT_AFTER_MS)
            break;
        shut_down(reaper, oldest);
        evicted++;
    }
    __atomic_fetch_add(&reaper->evicted, evicted, __ATOMIC_RELAXED);
    return evicted;
}
