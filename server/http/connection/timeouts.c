/* All connections of a phase have the same limit, so a list that is appended to is in order of
 * deadlines, and no heap is needed.
 *
 * A reader is judged by what it takes, not by whether it takes anything. Over TCP the kernel counts
 * the bytes that the client has acknowledged (TCP_INFO); twice within the limit for sending the
 * count must have grown by READER_BYTES_PER_SECOND for each second since the last look, unless
 * nothing waits to be sent. A unix socket has no such count, only the bytes not yet read, and those
 * may be newer ones. So when a reader looks slow, the socket's buffer is shrunk for one half of the
 * limit, which keeps libmicrohttpd from adding more; if the number of unread bytes has not fallen
 * at the next look, the reader is slow. */
#include "server/http/connection/timeouts.h"

#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

enum {
    EVICTABLE_AFTER_MS = 500,
    LATE_DATA_MS = 50, /* bytes that arrive so soon after a response may belong to its request */
    /* Fewer unread bytes in a unix socket may be newer than the last look. */
    UNIX_UNSENT_SLACK = 8192,
};

/* glibc's struct tcp_info ends before the counters of bytes; the kernel's layout is fixed. */
struct tcp_bytes {
    struct tcp_info info;
    uint64_t pacing_rate, max_pacing_rate, acknowledged, received;
    uint32_t segments_out, segments_in, unsent;
};

void timeouts_set_limits(struct timeouts *timeouts, const struct time_limits *limits)
{
    timeouts->lists[PHASE_HEADERS].limit = limits->headers * INT64_C(1000);
    timeouts->lists[PHASE_IDLE].limit = limits->idle * INT64_C(1000);
    timeouts->lists[PHASE_BODY].limit = limits->body * INT64_C(1000);
    timeouts->lists[PHASE_SENDING].limit = limits->send * INT64_C(500);
}

static void list_remove(struct timeouts *timeouts, struct connection *connection)
{
    if (connection->phase >= PHASES_WITH_TIMEOUT)
        return;
    struct connection **first = &timeouts->lists[connection->phase].first;
    struct connection **last = &timeouts->lists[connection->phase].last;
    *(connection->previous ? &connection->previous->next : first) = connection->next;
    *(connection->next ? &connection->next->previous : last) = connection->previous;
}

static int64_t deadline_of(const struct timeouts *timeouts, const struct connection *connection)
{
    return connection->since + timeouts->lists[connection->phase].limit;
}

static void list_append(struct timeouts *timeouts, struct connection *connection,
                        enum connection_phase phase, int64_t now)
{
    connection->phase = phase;
    connection->since = now;
    if (phase >= PHASES_WITH_TIMEOUT)
        return;
    connection->next = NULL;
    connection->previous = timeouts->lists[phase].last;
    *(connection->previous ? &connection->previous->next : &timeouts->lists[phase].first) =
        connection;
    timeouts->lists[phase].last = connection;
}

void timeouts_add(struct timeouts *timeouts, struct connection *connection, int64_t now)
{
    list_append(timeouts, connection, PHASE_HEADERS, now);
}

void timeouts_remove(struct timeouts *timeouts, struct connection *connection)
{
    list_remove(timeouts, connection);
    connection->phase = PHASE_SHUT_DOWN;
}

/* Restores the buffer of a unix socket. setsockopt() doubles the size that it is given. */
static void reset_measurement(struct connection *connection)
{
    if (connection->measured && connection->unix_socket)
        setsockopt(connection->socket, SOL_SOCKET, SO_SNDBUF,
                   &(int){connection->send_buffer_size / 2}, sizeof(int));
    connection->measured = false;
}

void timeouts_set_phase(struct timeouts *timeouts, struct connection *connection,
                        enum connection_phase phase, int64_t now)
{
    if (connection->phase == PHASE_SHUT_DOWN)
        return;
    list_remove(timeouts, connection);
    reset_measurement(connection);
    list_append(timeouts, connection, phase, now);
}

void timeouts_begin(struct timeouts *timeouts, struct connection *connection, int64_t now)
{
    if (connection->phase == PHASE_IDLE)
        timeouts_set_phase(timeouts, connection, PHASE_HEADERS, now);
}

int64_t timeouts_next(const struct timeouts *timeouts, int64_t now, int64_t max)
{
    for (int phase = 0; phase < PHASES_WITH_TIMEOUT; phase++) {
        const struct connection *first = timeouts->lists[phase].first;
        if (first && deadline_of(timeouts, first) - now < max)
            max = deadline_of(timeouts, first) - now;
    }
    return max > 0 ? max : 0;
}

static void shut_down(struct timeouts *timeouts, struct connection *connection)
{
    /* Without a reset, the kernel keeps the unread rest of the response for minutes. */
    if (connection->phase == PHASE_SENDING)
        setsockopt(connection->socket, SOL_SOCKET, SO_LINGER, &(struct linger){1, 0},
                   sizeof(struct linger));
    shutdown(connection->socket, SHUT_RDWR);
    timeouts_remove(timeouts, connection);
}

static bool read_tcp_counters(const struct connection *connection, struct tcp_bytes *tcp)
{
    socklen_t length = sizeof *tcp;
    memset(tcp, 0, sizeof *tcp);
    return getsockopt(connection->socket, IPPROTO_TCP, TCP_INFO, tcp, &length) == 0 &&
           length >= sizeof *tcp;
}

/* In this order: bytes that arrive in between are not counted. */
uint64_t connection_bytes_received(const struct connection *connection)
{
    struct tcp_bytes tcp;
    int unread = 0;
    if (!read_tcp_counters(connection, &tcp) || ioctl(connection->socket, SIOCINQ, &unread) != 0)
        return 0;
    return tcp.received > (uint64_t)unread ? tcp.received - (uint64_t)unread : 0;
}

/* True if bytes have arrived since the response. On a unix socket only unread bytes can be seen. */
static bool has_new_data(const struct connection *connection, int64_t now)
{
    struct tcp_bytes tcp;
    int unread = 0;
    if (ioctl(connection->socket, SIOCINQ, &unread) == 0 && unread > 0)
        return true;
    return read_tcp_counters(connection, &tcp) &&
           tcp.info.tcpi_last_data_recv + LATE_DATA_MS < now - connection->since;
}

/* A reader takes pieces of up to 32 KB, so any progress at all is enough. */
static bool unix_reader_keeps_up(struct connection *connection)
{
    socklen_t length = sizeof connection->send_buffer_size;
    int waiting = 0;
    const bool told =
        ioctl(connection->socket, SIOCOUTQ, &waiting) == 0 && waiting > UNIX_UNSENT_SLACK;
    if (told && connection->measured && (uint64_t)waiting >= connection->progress_bytes)
        return false;
    if (connection->measured || !told) {
        reset_measurement(connection);
    } else if (getsockopt(connection->socket, SOL_SOCKET, SO_SNDBUF, &connection->send_buffer_size,
                          &length) == 0) {
        setsockopt(connection->socket, SOL_SOCKET, SO_SNDBUF, &(int){0}, sizeof(int));
        connection->progress_bytes = (uint64_t)waiting;
        connection->measured = true;
    }
    return true;
}

/* True if the reader has taken enough since the last look; the first look only measures. Where no
 * byte waits to be taken, the reader is not the slow one. */
static bool reader_keeps_up(struct connection *connection, int64_t now)
{
    struct tcp_bytes tcp;
    if (connection->unix_socket)
        return unix_reader_keeps_up(connection);
    if (!read_tcp_counters(connection, &tcp))
        return true;
    const int64_t wanted = (now - connection->since) * READER_BYTES_PER_SECOND / 1000;
    const uint64_t progress_bytes = tcp.acknowledged - connection->progress_bytes;
    const bool waits = tcp.info.tcpi_unacked > 0 || tcp.unsent > 0;
    const bool slow = connection->measured && waits && progress_bytes < (uint64_t)wanted;
    connection->progress_bytes = tcp.acknowledged;
    connection->measured = true;
    return !slow;
}

unsigned timeouts_expire(struct timeouts *timeouts, int64_t now)
{
    unsigned slow = 0;
    for (int phase = 0; phase < PHASES_WITH_TIMEOUT; phase++) {
        struct connection *connection;
        while ((connection = timeouts->lists[phase].first) &&
               deadline_of(timeouts, connection) <= now) {
            if (phase == PHASE_IDLE && has_new_data(connection, now)) {
                timeouts_set_phase(timeouts, connection, PHASE_HEADERS, now);
                continue;
            }
            if (phase == PHASE_SENDING && reader_keeps_up(connection, now)) {
                list_remove(timeouts, connection);
                list_append(timeouts, connection, PHASE_SENDING, now);
                continue;
            }
            __atomic_fetch_add(&timeouts->timed_out[phase], 1, __ATOMIC_RELAXED);
            slow += phase != PHASE_IDLE;
            shut_down(timeouts, connection);
        }
    }
    return slow;
}

/* The connection that has kept the server waiting longest; or null. */
static struct connection *longest_waiting(const struct timeouts *timeouts)
{
    static const enum connection_phase phases[] = {PHASE_HEADERS, PHASE_IDLE, PHASE_BODY};
    struct connection *oldest = NULL;
    for (size_t i = 0; i < sizeof phases / sizeof *phases; i++) {
        struct connection *first = timeouts->lists[phases[i]].first;
        if (first && (!oldest || first->since < oldest->since))
            oldest = first;
    }
    return oldest;
}

unsigned timeouts_evict(struct timeouts *timeouts, unsigned count, int64_t now)
{
    unsigned evicted = 0;
    while (evicted < count) {
        struct connection *oldest = longest_waiting(timeouts);
        if (!oldest || now - oldest->since < EVICTABLE_AFTER_MS)
            break;
        shut_down(timeouts, oldest);
        evicted++;
    }
    __atomic_fetch_add(&timeouts->evicted, evicted, __ATOMIC_RELAXED);
    return evicted;
}
