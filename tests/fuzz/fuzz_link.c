/* Answers of a memcached: the input is all that a server sends, whatever it is asked. A value that
 * comes out stands in it, under the key that was asked for; nothing is left behind. */
#include "tests/fuzz/fuzz.h"

#include <netinet/in.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/cache/memcached_connection.h"

enum {
    INPUT_MAX = 6000, /* as tests/tools/fuzz.sh has it */
    TIMEOUT = 1000,   /* milliseconds: the server never lets it come to that */
};

static struct {
    pthread_t thread;
    int listener;
    uint16_t port;
    pthread_mutex_t lock;
    uint8_t input[INPUT_MAX]; /* under the lock */
    size_t size;
} server = {.lock = PTHREAD_MUTEX_INITIALIZER};

static size_t copy_input(uint8_t *copy)
{
    pthread_mutex_lock(&server.lock);
    size_t size = server.size;
    memcpy(copy, server.input, size);
    pthread_mutex_unlock(&server.lock);
    return size;
}

/* Says the input to each client and closes when the client does. */
static void *serve(void *argument)
{
    (void)argument;
    for (;;) {
        char received[4096];
        uint8_t input[INPUT_MAX];
        int client = accept(server.listener, NULL, NULL);
        if (client < 0)
            return NULL;
        if (recv(client, received, sizeof received, 0) > 0) {
            size_t size = copy_input(input);
            for (size_t sent = 0; sent < size;) {
                ssize_t more = send(client, input + sent, size - sent, MSG_NOSIGNAL);
                sent = more > 0 ? sent + (size_t)more : size;
            }
            shutdown(client, SHUT_WR);
            while (recv(client, received, sizeof received, 0) > 0)
                continue;
        }
        close(client);
    }
}

static void start_server(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    server.listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    fuzz_expect(bind(server.listener, (struct sockaddr *)&address, sizeof address) == 0);
    fuzz_expect(listen(server.listener, 16) == 0);
    fuzz_expect(getsockname(server.listener, (struct sockaddr *)&address, &length) == 0);
    server.port = ntohs(address.sin_port);
    fuzz_expect(pthread_create(&server.thread, NULL, serve, NULL) == 0);
}

static bool contains(const uint8_t *data, size_t size, const void *part, size_t length)
{
    if (length == 0)
        return true;
    for (size_t i = 0; i + length <= size; i++)
        if (memcmp(data + i, part, length) == 0)
            return true;
    return false;
}

/* What memcached_connection.h says of "VERSION". */
static bool has_crashing_version(const uint8_t *data, size_t size)
{
    static const char word[] = "VERSION";
    if (size == 0 || !memchr(data, 0, size))
        return false;
    for (size_t i = 0; i + sizeof word - 1 <= size; i++) {
        if (memcmp(data + i, word, sizeof word - 1) != 0)
            continue;
        size_t end = i;
        while (end < size && data[end] != ' ' && data[end] != 0 && data[end] != '\n')
            end++;
        if (end < size && data[end] != ' ')
            return true;
    }
    return false;
}

/* These ask for no answer, whatever the server says. */
static void set_and_delete(struct memcached_connection *link)
{
    const struct memcached_request set = {
        .verb = MEMCACHED_SET, .key = "k1", .value = (const uint8_t *)"abc", .length = 3};
    const struct memcached_request delete_request = {.verb = MEMCACHED_DELETE, .key = "k1"};
    if (memcached_connection_run(link, &set) == MEMCACHED_DONE)
        memcached_connection_run(link, &delete_request);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (has_crashing_version(data, size))
        return 0;
    if (server.port == 0)
        start_server();
    pthread_mutex_lock(&server.lock);
    server.size = size < INPUT_MAX ? size : INPUT_MAX;
    if (size > 0)
        memcpy(server.input, data, server.size);
    pthread_mutex_unlock(&server.lock);
    struct buffer out = {0};
    struct memcached_connection *link =
        memcached_connection_open("127.0.0.1", server.port, TIMEOUT);
    fuzz_expect(link != NULL);
    const struct memcached_request request = {.verb = MEMCACHED_GET, .key = "k1", .out = &out};
    enum memcached_outcome result = MEMCACHED_DONE;
    if (size % 2)
        set_and_delete(link);
    for (int i = 0; i < 3 && result != MEMCACHED_FAILED; i++) {
        buffer_clear(&out);
        result = memcached_connection_run(link, &request);
        fuzz_expect(result == MEMCACHED_DONE || out.length == 0);
        fuzz_expect(contains(data, size, out.data, out.length));
        fuzz_expect(result != MEMCACHED_DONE || contains(data, size, "k1", 2));
    }
    memcached_connection_close(link);
    buffer_free(&out);
    return 0;
}
