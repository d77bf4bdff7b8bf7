/* Clients who ask at a rate of their own, whether or not they are answered, and do not stop for
 * anything. One thread; prints one JSON object: for each status how many answers and how long they
 * took, and what was wrong.
 * usage: open_loop PORT SECONDS CONNECTIONS RATE KIND [TARGET...]
 * KIND is `targets` (those, in turn), `cold` (relief tiles that nobody asked for before) or
 * `hostile` (see targets.c). RATE is requests a second; 0 asks again after each answer. */
#define _GNU_SOURCE /* strcasestr */

#include "tests/bench/targets.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/bench/measure.h"

enum {
    HEAD_MAX = 4096,
    EVENTS = 64,
    STATUSES = 600,
    TIMES = 60000, /* of TIME seconds each: up to six seconds */
    TICK_MS = 1,
};
#define TIME 1e-4

struct connection {
    int socket; /* -1: closed */
    bool busy;
    double sent;
    size_t length; /* of the head so far */
    size_t left;   /* of the body */
    char head[HEAD_MAX];
};

struct tally {
    uint64_t count, without_retry;
    double worst;
    uint32_t times[TIMES];
};

static struct {
    uint16_t port;
    double seconds, rate;
    int connections;
    struct targets targets;
    struct tally *statuses[STATUSES];
    uint64_t sent, unsent, broken, left;
    int epoll;
} load;

static void close_connection(struct connection *connection)
{
    if (connection->socket >= 0)
        close(connection->socket);
    connection->socket = -1;
    connection->busy = false;
}

static bool open_connection(struct connection *connection)
{
    const struct sockaddr_in address = {.sin_family = AF_INET,
                                        .sin_port = htons(load.port),
                                        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};
    int one = 1;
    connection->socket = socket(AF_INET, SOCK_STREAM, 0);
    if (connection->socket < 0 ||
        connect(connection->socket, (const struct sockaddr *)&address, sizeof address) != 0 ||
        setsockopt(connection->socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one) != 0 ||
        fcntl(connection->socket, F_SETFL, O_NONBLOCK) != 0 ||
        epoll_ctl(load.epoll, EPOLL_CTL_ADD, connection->socket, &event) != 0) {
        close_connection(connection);
        load.broken++;
        return false;
    }
    return true;
}

static void send_request(struct connection *connection)
{
    char request[TARGETS_REQUEST_MAX];
    if (connection->socket < 0 && !open_connection(connection))
        return;
    const bool abandons = targets_next(&load.targets, request);
    const size_t length = strlen(request);
    connection->busy = true;
    connection->length = connection->left = 0;
    connection->sent = measure_now();
    load.sent++;
    if (send(connection->socket, request, length, MSG_NOSIGNAL) != (ssize_t)length) {
        load.broken++;
        close_connection(connection);
    } else if (abandons) {
        load.left++;
        close_connection(connection);
    }
}

static const char *header(const char *head, const char *name)
{
    const char *line = strcasestr(head, name);
    return line ? line + strlen(name) : NULL;
}

static void count_answer(struct connection *connection)
{
    const double duration = measure_now() - connection->sent;
    const int status = atoi(connection->head + strlen("HTTP/1.1 "));
    const double slot = duration / TIME;
    if (status < 100 || status >= STATUSES)
        measure_stop("storm: no answer", connection->head);
    if (!load.statuses[status])
        load.statuses[status] = measure_memory(sizeof(struct tally));
    struct tally *tally = load.statuses[status];
    tally->count++;
    tally->worst = duration > tally->worst ? duration : tally->worst;
    tally->times[slot < TIMES - 1 ? (size_t)slot : TIMES - 1]++;
    tally->without_retry += !header(connection->head, "\r\nRetry-After: ");
    connection->busy = false;
    if (header(connection->head, "\r\nConnection: close"))
        close_connection(connection);
}

/* Takes what has come; false when there is no more for now. */
static bool receive(struct connection *connection)
{
    char bytes[65536];
    const bool in_head = connection->left == 0;
    const size_t room = HEAD_MAX - 1 - connection->length;
    size_t wanted = connection->left < sizeof bytes ? connection->left : sizeof bytes;
    wanted = in_head ? room : wanted;
    const ssize_t got = recv(connection->socket,
                             in_head ? connection->head + connection->length : bytes, wanted, 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    if (got <= 0) {
        load.broken += connection->busy;
        close_connection(connection);
        return false;
    }
    if (!in_head) {
        connection->left -= (size_t)got;
        if (connection->left == 0)
            count_answer(connection);
        return connection->socket >= 0;
    }
    connection->length += (size_t)got;
    connection->head[connection->length] = '\0';
    const char *end = strstr(connection->head, "\r\n\r\n");
    if (!end)
        return true;
    const char *length = header(connection->head, "\r\nContent-Length: ");
    const size_t body = length ? strtoull(length, NULL, 10) : 0;
    const size_t here = connection->length - (size_t)(end + 4 - connection->head);
    connection->head[end + 4 - connection->head] = '\0';
    connection->left = body > here ? body - here : 0;
    if (connection->left == 0)
        count_answer(connection);
    return connection->socket >= 0;
}

static void send_due_requests(struct connection *connections, double elapsed)
{
    static int next;
    const double due = load.rate > 0 ? elapsed * load.rate : (double)load.sent + load.connections;
    for (int tried = 0; (double)(load.sent + load.unsent) < due && tried < load.connections;
         tried++) {
        struct connection *connection = &connections[next++ % load.connections];
        if (!connection->busy)
            send_request(connection);
    }
    /* All of them wait: what could not be asked now is not asked later either. */
    if (load.rate > 0 && due > (double)(load.sent + load.unsent))
        load.unsent += (uint64_t)(due - (double)(load.sent + load.unsent));
}

static void run(void)
{
    struct connection *connections = measure_memory((size_t)load.connections * sizeof *connections);
    load.epoll = epoll_create1(0);
    for (int i = 0; i < load.connections; i++)
        connections[i].socket = -1;
    const double start = measure_now();
    for (double elapsed = 0; elapsed < load.seconds; elapsed = measure_now() - start) {
        struct epoll_event events[EVENTS];
        send_due_requests(connections, elapsed);
        const int count = epoll_wait(load.epoll, events, EVENTS, TICK_MS);
        for (int i = 0; i < count; i++)
            while (receive(events[i].data.ptr))
                ;
    }
    for (int i = 0; i < load.connections; i++)
        close_connection(&connections[i]);
    close(load.epoll);
    free(connections);
}

/* Milliseconds that all but one part in so many kept. */
static double percentile_ms(const struct tally *tally, double parts)
{
    uint64_t slower = 0;
    for (int slot = TIMES; slot-- > 0;) {
        slower += tally->times[slot];
        if ((double)slower * parts > (double)tally->count)
            return (slot + 1) * TIME * 1e3;
    }
    return 0;
}

static void print(void)
{
    printf("{\"sent\":%llu,\"unsent\":%llu,\"broken\":%llu,\"left\":%llu,\"answers\":{",
           (unsigned long long)load.sent, (unsigned long long)load.unsent,
           (unsigned long long)load.broken, (unsigned long long)load.left);
    const char *comma = "";
    for (int i = 0; i < STATUSES; i++) {
        const struct tally *tally = load.statuses[i];
        if (!tally)
            continue;
        printf("%s\"%d\":{\"count\":%llu,\"without_retry\":%llu,\"p50_ms\":%.2f,\"p99_ms\":%.2f,"
               "\"p999_ms\":%.1f,\"worst_ms\":%.1f}",
               comma, i, (unsigned long long)tally->count, (unsigned long long)tally->without_retry,
               percentile_ms(tally, 2), percentile_ms(tally, 100), percentile_ms(tally, 1000),
               tally->worst * 1e3);
        comma = ",";
        free(load.statuses[i]);
    }
    printf("}}\n");
}

int main(int count, char **arguments)
{
    if (count < 6 || !targets_begin(&load.targets, arguments[5], arguments + 6))
        measure_stop("usage", "storm PORT SECONDS CONNECTIONS RATE targets|cold|hostile TARGET...");
    load.port = (uint16_t)atoi(arguments[1]);
    load.seconds = atof(arguments[2]);
    load.connections = atoi(arguments[3]);
    load.rate = atof(arguments[4]);
    run();
    print();
    return 0;
}
