/* The time that a shared cache adds to a request while its memcached is killed, stopped, hangs,
 * drips or is slow: the time of each lookup, by four threads as in the server (tiers.h), without
 * HTTP and rendering around it.
 *
 * usage: shared [SECONDS]   Exit status 1 if a figure is beyond its target. */
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "server/base/clock.h"
#include "server/cache/shared.h"

enum {
    THREADS = 4,
    PAUSE = 4,            /* milliseconds between a thread's questions: 1000 a second in all */
    REQUESTS_MAX = 40000, /* questions of a thread in a phase */
    TIMEOUT = 50,         /* the default's */
    FIRST_TARGET = 60000,
    LATER_TARGET = 1000, /* microseconds */
    AGAIN_TARGET = 5000, /* milliseconds */
};

struct requester {
    pthread_t thread;
    struct store *store;
    int64_t until; /* microseconds */
    uint64_t number;
    size_t count;
    int64_t times[REQUESTS_MAX]; /* microseconds */
};

static struct requester requesters[THREADS];
static int64_t all[THREADS * REQUESTS_MAX];

static void pause_milliseconds(long milliseconds)
{
    nanosleep(&(struct timespec){milliseconds / 1000, milliseconds % 1000 * 1000000}, NULL);
}

static struct cache_key key_of(uint64_t number)
{
    struct cache_key key = {.bytes = {0}};
    memcpy(key.bytes, &number, sizeof number);
    cache_key_seal(&key);
    return key;
}

/* Half of the questions are for what is there. */
static void *run_requester(void *argument)
{
    struct requester *requester = argument;
    struct buffer out = {0};
    for (requester->count = 0;
         requester->count < REQUESTS_MAX && clock_microseconds() < requester->until;
         requester->count++) {
        struct cache_key key =
            key_of(requester->count % 2 ? requester->number++ : requester->count % 64);
        buffer_clear(&out);
        int64_t start = clock_microseconds();
        requester->store->methods->get(requester->store, &key, &out);
        requester->times[requester->count] = clock_microseconds() - start;
        pause_milliseconds(PAUSE);
    }
    buffer_free(&out);
    return NULL;
}

static int compare(const void *one, const void *other)
{
    int64_t a = *(const int64_t *)one, b = *(const int64_t *)other;
    return (a > b) - (a < b);
}

/* Asks for so long and prints the times; their 99th percentile in microseconds. */
static int64_t run_phase(struct store *store, const char *name, double seconds)
{
    size_t count = 0;
    for (unsigned i = 0; i < THREADS; i++) {
        requesters[i].store = store;
        requesters[i].until = clock_microseconds() + (int64_t)(seconds * 1e6);
        requesters[i].number = ((uint64_t)clock_microseconds() << 8) + i;
        pthread_create(&requesters[i].thread, NULL, run_requester, &requesters[i]);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(requesters[i].thread, NULL);
        memcpy(all + count, requesters[i].times, requesters[i].count * sizeof *all);
        count += requesters[i].count;
    }
    qsort(all, count, sizeof *all, compare);
    int64_t p99 = count ? all[count * 99 / 100] : 0;
    printf("  %-18s %6zu questions, p50 %6.2f ms, p99 %6.2f ms, longest %6.2f ms\n", name, count,
           count ? (double)all[count / 2] / 1000 : 0, (double)p99 / 1000,
           count ? (double)all[count - 1] / 1000 : 0);
    return p99;
}

static int listen_on(uint16_t *port)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(*port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int one = 1, listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(listener, 128) != 0 ||
        getsockname(listener, (struct sockaddr *)&address, &size) != 0)
        return -1;
    *port = ntohs(address.sin_port);
    return listener;
}

static pid_t start_memcached(uint16_t port)
{
    char number[16];
    snprintf(number, sizeof number, "%u", port);
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        execlp("memcached", "memcached", "-u", "root", "-l", "127.0.0.1", "-p", number, "-U", "0",
               "-m", "64", (char *)NULL);
        _exit(127);
    }
    return pid;
}

static void end_memcached(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

/* Milliseconds until a record is found; beyond the target if it never is. */
static int64_t milliseconds_until_used(struct store *store)
{
    int64_t start = clock_milliseconds();
    struct buffer out = {0};
    struct cache_key key = key_of(7);
    enum store_result found = STORE_FAILED;
    while (found != STORE_HIT && clock_milliseconds() - start < 4 * AGAIN_TARGET) {
        store->methods->put(store, &key, (const uint8_t *)"record", 6);
        buffer_clear(&out);
        found = store->methods->get(store, &key, &out);
        pause_milliseconds(5);
    }
    buffer_free(&out);
    return clock_milliseconds() - start;
}

enum fault { KILLED, STOPPED, UNRESPONSIVE, DRIPS_LINE, DRIPS_VALUE, DRIPS_END, JUST_IN_TIME };
static const char *const fault_names[] = {
    "killed, started again", "stopped, let go",  "hung after reconnecting", "dripping the line",
    "dripping the value",    "dripping the end", "slow, but in time"};

/* A client of the server that takes the place of the killed one: it works for probes, and replies
 * to every other get by the fault. */
struct fake_client {
    FILE *in, *out;
    enum fault fault;
};

static void drip(FILE *out, const char *text)
{
    while (fputc(*text, out) != EOF && fflush(out) == 0 && *++text)
        pause_milliseconds(30);
}

static void reply_wrongly(struct fake_client *client, const char *key)
{
    char value[1001];
    snprintf(value, sizeof value, "%01000d", 0);
    if (client->fault == JUST_IN_TIME) {
        pause_milliseconds(TIMEOUT * 9 / 10);
        fputs("END\r\n", client->out);
    } else if (client->fault == DRIPS_LINE) {
        drip(client->out, "VALUE terrane-and-so-on");
    } else {
        fprintf(client->out, "VALUE %s 0 1000\r\n", key);
        if (client->fault == DRIPS_END)
            fputs(value, client->out);
        drip(client->out, client->fault == DRIPS_END ? "\r\nEND\r\n" : value);
    }
}

static void *serve_fake_client(void *argument)
{
    struct fake_client *client = argument;
    char line[512], key[251], value[64] = "";
    size_t length;
    while (fgets(line, sizeof line, client->in)) {
        if (sscanf(line, "set %250s %*u %*u %zu", key, &length) == 2) {
            fgets(value, sizeof value, client->in);
        } else if (sscanf(line, "get %250s", key) == 1 && strncmp(key, "terrane:", 8) == 0) {
            value[strcspn(value, "\r")] = '\0';
            fprintf(client->out, "VALUE %s 0 %zu\r\n%s\r\nEND\r\n", key, strlen(value), value);
        } else if (sscanf(line, "get %250s", key) == 1) {
            reply_wrongly(client, key);
        }
        fflush(client->out);
    }
    fclose(client->in);
    fclose(client->out);
    free(client);
    return NULL;
}

static pid_t start_fake(uint16_t port, enum fault fault)
{
    const int listener = listen_on(&port);
    const pid_t pid = fork();
    if (pid != 0) {
        close(listener);
        return pid;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGPIPE, SIG_IGN);
    for (int socket; (socket = accept(listener, NULL, NULL)) >= 0;) {
        struct fake_client *client = malloc(sizeof *client);
        pthread_t thread;
        *client = (struct fake_client){fdopen(socket, "r"), fdopen(dup(socket), "w"), fault};
        pthread_create(&thread, NULL, serve_fake_client, client);
        pthread_detach(thread);
    }
    _exit(0);
}

static bool check_figure(const char *what, int64_t figure, int64_t target)
{
    if (figure > target)
        printf("  MISSED: %s\n", what);
    return figure <= target;
}

static bool run_fault(struct store *store, enum fault fault, uint16_t port, double seconds)
{
    pid_t memcached = start_memcached(port);
    int listener = -1;
    printf("%s\n", fault_names[fault]);
    bool good =
        check_figure("memcached does not start", milliseconds_until_used(store), AGAIN_TARGET);
    run_phase(store, "before", 1);
    if (fault == STOPPED)
        kill(memcached, SIGSTOP);
    else
        end_memcached(memcached);
    if (fault == UNRESPONSIVE)
        listener = listen_on(&port); /* the system connects, and nobody answers */
    if (fault >= DRIPS_LINE)
        memcached = start_fake(port, fault);
    int64_t first = run_phase(store, "the first second", 1);
    int64_t later = run_phase(store, "then", seconds);
    if (listener >= 0)
        close(listener);
    if (fault >= DRIPS_LINE)
        end_memcached(memcached);
    if (fault == STOPPED)
        kill(memcached, SIGCONT);
    else
        memcached = start_memcached(port);
    int64_t recovery = milliseconds_until_used(store);
    printf("  used again after %lld ms\n", (long long)recovery);
    end_memcached(memcached);
    return (int)good & (int)check_figure("first second", first, FIRST_TARGET) &
           (int)check_figure("then", later, LATER_TARGET) &
           (int)check_figure("again", recovery, AGAIN_TARGET);
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? strtod(argv[1], NULL) : 10;
    uint16_t port = 0;
    char url[64];
    const char *urls[] = {url};
    const struct shared_options options = {urls, 1, TIMEOUT, {0, 0}, clock_milliseconds};
    struct error error = {0};
    int listener = listen_on(&port);
    if (listener < 0)
        return 1;
    close(listener); /* a port that is free */
    snprintf(url, sizeof url, "memcached://127.0.0.1:%u", port);
    struct store *store = shared_open(&options, &error);
    if (!store) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    bool good = true;
    for (enum fault fault = KILLED; fault <= JUST_IN_TIME; fault++)
        good = run_fault(store, fault, port, seconds) && good;
    store->methods->free(store);
    return good ? 0 : 1;
}
