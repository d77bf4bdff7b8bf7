/* A client for answers without a body: wrk waits for the body of a 304 that says, as it may, how
 * long the tile is. Prints one JSON object: hits, seconds, and the 99th percentile's milliseconds.
 * usage: load PORT THREADS CONNECTIONS SECONDS STATUS REQUEST, the request without its last line.
 */
#include "tests/bench/measure.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    RESPONSE_MAX = 4096,
    EVENTS = 64,
    BUCKETS = 100000, /* of BUCKET_SECONDS: up to a second */
};
#define BUCKET_SECONDS 1e-5

struct connection {
    int socket;
    size_t length;
    double sent;
    char response[RESPONSE_MAX];
};

struct client {
    pthread_t thread;
    uint16_t port;
    int connections;
    double seconds, elapsed;
    const char *request, *status; /* "HTTP/1.1 304" */
    uint64_t hits;
    uint32_t latency[BUCKETS];
};

static void send_request(const struct client *client, struct connection *connection)
{
    size_t length = strlen(client->request);
    connection->length = 0;
    connection->sent = measure_now();
    if (send(connection->socket, client->request, length, MSG_NOSIGNAL) != (ssize_t)length)
        measure_stop("load", "a request cannot be sent");
}

static void open_connection(const struct client *client, struct connection *connection, int epoll)
{
    const struct sockaddr_in address = {.sin_family = AF_INET,
                                        .sin_port = htons(client->port),
                                        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};
    int one = 1;
    connection->socket = socket(AF_INET, SOCK_STREAM, 0);
    if (connection->socket < 0 ||
        connect(connection->socket, (const struct sockaddr *)&address, sizeof address) != 0 ||
        setsockopt(connection->socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one) != 0 ||
        epoll_ctl(epoll, EPOLL_CTL_ADD, connection->socket, &event) != 0)
        measure_stop("load: connection", strerror(errno));
    send_request(client, connection);
}

/* Takes what has come; after a whole answer the next request goes out. */
static void receive_response(struct client *client, struct connection *connection)
{
    char *end = connection->response + connection->length;
    ssize_t received = recv(connection->socket, end, RESPONSE_MAX - 1 - connection->length, 0);
    if (received <= 0)
        measure_stop("load", "the server closed a connection");
    end[received] = '\0';
    connection->length += (size_t)received;
    if (!strstr(connection->response, "\r\n\r\n"))
        return;
    if (strncmp(connection->response, client->status, strlen(client->status)) != 0)
        measure_stop("load: unexpected answer", connection->response);
    double bucket = (measure_now() - connection->sent) / BUCKET_SECONDS;
    client->latency[bucket < BUCKETS - 1 ? (size_t)bucket : BUCKETS - 1]++;
    client->hits++;
    send_request(client, connection);
}

static void *run_client(void *context)
{
    struct client *client = context;
    struct connection *connections =
        measure_memory((size_t)client->connections * sizeof *connections);
    int epoll = epoll_create1(0);
    for (int i = 0; i < client->connections; i++)
        open_connection(client, &connections[i], epoll);
    double start = measure_now();
    while (client->elapsed < client->seconds) {
        struct epoll_event events[EVENTS];
        int count = epoll_wait(epoll, events, EVENTS, 100);
        for (int i = 0; i < count; i++)
            receive_response(client, events[i].data.ptr);
        client->elapsed = measure_now() - start;
    }
    for (int i = 0; i < client->connections; i++)
        close(connections[i].socket);
    close(epoll);
    free(connections);
    return NULL;
}

/* The latency that all but a hundredth of the hits kept, in milliseconds. */
static double percentile_99(const struct client *clients, int count, uint64_t hits)
{
    uint64_t slower = 0;
    for (int bucket = BUCKETS; bucket-- > 0;) {
        for (int i = 0; i < count; i++)
            slower += clients[i].latency[bucket];
        if (slower * 100 > hits)
            return (bucket + 1) * BUCKET_SECONDS * 1e3;
    }
    return 0;
}

int main(int count, char **arguments)
{
    if (count != 7)
        measure_stop("usage", "load PORT THREADS CONNECTIONS SECONDS STATUS REQUEST");
    int threads = atoi(arguments[2]);
    char status[32], request[RESPONSE_MAX];
    uint64_t hits = 0;
    double seconds = 0;
    snprintf(status, sizeof status, "HTTP/1.1 %s", arguments[5]);
    snprintf(request, sizeof request, "%s\r\n", arguments[6]);
    struct client *clients = measure_memory((size_t)threads * sizeof *clients);
    for (int i = 0; i < threads; i++) {
        clients[i].port = (uint16_t)atoi(arguments[1]);
        clients[i].connections = atoi(arguments[3]) / threads;
        clients[i].seconds = atof(arguments[4]);
        clients[i].status = status;
        clients[i].request = request;
        if (pthread_create(&clients[i].thread, NULL, run_client, &clients[i]) != 0)
            measure_stop("threads", "one cannot be started");
    }
    for (int i = 0; i < threads; i++) {
        pthread_join(clients[i].thread, NULL);
        hits += clients[i].hits;
        seconds = clients[i].elapsed > seconds ? clients[i].elapsed : seconds;
    }
    printf("{\"hits\":%llu,\"seconds\":%.3f,\"p99_ms\":%.2f}\n", (unsigned long long)hits, seconds,
           percentile_99(clients, threads, hits));
    free(clients);
    return 0;
}
