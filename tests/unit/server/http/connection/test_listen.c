/* Listening sockets: the options that connections inherit, wherever the socket comes from. */
#include "server/http/connection/listen.h"

#include <netinet/tcp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { FIRST_DESCRIPTOR = 3 };

static unsigned open_endpoints(const struct listen_options *options,
                               struct listen_endpoint *endpoints)
{
    struct error error = {0};
    const unsigned count = listen_open(options, endpoints, &error);
    if (count == 0)
        fail_msg("%s", error.message);
    return count;
}

static int option_of(int fd, int option)
{
    int value = 0;
    socklen_t length = sizeof value;
    assert_int_equal(getsockopt(fd, IPPROTO_TCP, option, &value, &length), 0);
    return value;
}

static void assert_bounded(const struct listen_endpoint *endpoint)
{
    for (unsigned i = 0; i < endpoint->socket_count; i++) {
        assert_int_equal(option_of(endpoint->sockets[i], TCP_NODELAY), 1);
        assert_int_equal(option_of(endpoint->sockets[i], TCP_NOTSENT_LOWAT), 256 * 1024);
    }
}

static void unsent_bytes_are_bounded_on_own_sockets(void **state)
{
    static const char *const addresses[] = {"127.0.0.1:0"};
    const struct listen_options options = {
        .addresses = addresses, .count = 1, .port = -1, .loops = 3};
    struct listen_endpoint endpoints[LISTEN_ENDPOINTS_MAX];
    (void)state;
    const unsigned count = open_endpoints(&options, endpoints);
    assert_int_equal(count, 1);
    assert_int_equal(endpoints[0].socket_count, 3);
    assert_bounded(&endpoints[0]);
    listen_close(endpoints, count);
}

static void unsent_bytes_are_bounded_on_inherited_sockets(void **state)
{
    char process[32];
    const struct listen_options options = {.port = -1, .loops = 3};
    struct listen_endpoint endpoints[LISTEN_ENDPOINTS_MAX];
    struct sockaddr_in any = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    (void)state;
    const int kept = dup(FIRST_DESCRIPTOR); /* whatever that is here; or -1 */
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&any, sizeof any), 0);
    assert_int_equal(listen(fd, 1), 0);
    if (fd != FIRST_DESCRIPTOR) {
        assert_int_equal(dup2(fd, FIRST_DESCRIPTOR), FIRST_DESCRIPTOR);
        close(fd);
    }
    snprintf(process, sizeof process, "%d", (int)getpid());
    setenv("LISTEN_PID", process, 1);
    setenv("LISTEN_FDS", "1", 1);
    const unsigned count = open_endpoints(&options, endpoints);
    unsetenv("LISTEN_FDS");
    assert_int_equal(count, 1);
    assert_true(endpoints[0].inherited);
    assert_int_equal(endpoints[0].socket_count, 1);
    assert_bounded(&endpoints[0]);
    listen_close(endpoints, count);
    if (kept >= 0) {
        dup2(kept, FIRST_DESCRIPTOR);
        close(kept);
    }
}

int test_listen(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unsent_bytes_are_bounded_on_own_sockets),
        cmocka_unit_test(unsent_bytes_are_bounded_on_inherited_sockets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
