/* Listening sockets: which are opened, shared and refused. */
#include "server/http/connection/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/temporary_folder.h"

enum { LOOPS = 3 };

static struct listen_endpoint endpoints[LISTEN_ENDPOINTS_MAX];

static unsigned open_endpoints(const char *const *addresses, size_t count, struct error *error)
{
    const struct listen_options options = {
        .addresses = addresses, .count = count, .port = -1, .loops = LOOPS};
    *error = (struct error){0};
    return listen_open(&options, endpoints, error);
}

/* A new client of that place; -1 if it is refused. */
static int call(const struct listen_endpoint *endpoint)
{
    int fd = socket(endpoint->address.socket.any.sa_family, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    if (connect(fd, &endpoint->address.socket.any, endpoint->address.length) == 0)
        return fd;
    close(fd);
    return -1;
}

static bool answers(const struct listen_endpoint *endpoint)
{
    int fd = call(endpoint);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

static bool listens(int fd)
{
    int value = 0;
    socklen_t length = sizeof value;
    return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &value, &length) == 0 && value;
}

static void a_socket_for_each_loop(void **state)
{
    (void)state;
    static const char *const addresses[] = {"127.0.0.1:0", "https://[::1]:0"};
    struct error error;
    assert_int_equal(open_endpoints(addresses, 2, &error), 2);
    assert_false(endpoints[0].address.secure);
    assert_true(endpoints[1].address.secure);
    for (unsigned i = 0; i < 2; i++) {
        assert_true(listen_address_port(&endpoints[i].address) > 0);
        for (unsigned loop = 0; loop < LOOPS; loop++)
            assert_true(listens(listen_socket(&endpoints[i], loop)));
        assert_int_not_equal(listen_socket(&endpoints[i], 0), listen_socket(&endpoints[i], 1));
    }
    assert_true(answers(&endpoints[0]));
    for (unsigned loop = 0; loop < LOOPS; loop++)
        listen_release(&endpoints[0], loop);
    assert_false(answers(&endpoints[0]));
    assert_true(answers(&endpoints[1]));
    listen_close(endpoints, 2);
}

static void the_last_loop_closes_a_unix_socket(void **state)
{
    (void)state;
    const char *path = temporary_path("socket");
    char text[128];
    const char *const addresses[] = {text};
    struct error error;
    snprintf(text, sizeof text, "unix:%s?mode=0600", path);
    assert_int_equal(open_endpoints(addresses, 1, &error), 1);
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    for (unsigned loop = 0; loop + 1 < LOOPS; loop++) {
        listen_release(&endpoints[0], loop);
        assert_true(answers(&endpoints[0]));
    }
    listen_release(&endpoints[0], LOOPS - 1);
    assert_int_equal(stat(path, &status), -1);
    listen_close(endpoints, 1);
}

static void files_in_use_are_not_replaced(void **state)
{
    (void)state;
    const char *path = temporary_path("socket");
    char text[128];
    const char *const addresses[] = {text};
    struct error error;
    snprintf(text, sizeof text, "unix:%s", path);
    int file = open(path, O_CREAT | O_EXCL | O_WRONLY, 0600);
    assert_true(file >= 0);
    close(file);
    assert_int_equal(open_endpoints(addresses, 1, &error), 0);
    assert_non_null(strstr(error.message, "it is in use"));
    assert_int_equal(unlink(path), 0);
    /* A server that was killed leaves its file. */
    assert_int_equal(open_endpoints(addresses, 1, &error), 1);
    assert_int_equal(close(endpoints[0].sockets[0]), 0);
    endpoints[0].sockets[0] = -1;
    listen_close(endpoints, 1);
    assert_int_equal(open_endpoints(addresses, 1, &error), 1);
    assert_true(answers(&endpoints[0]));
    listen_close(endpoints, 1);
    assert_int_equal(access(path, F_OK), -1);
}

static void impossible_addresses_are_errors(void **state)
{
    (void)state;
    /* RFC 5737: an address for documentation, which no machine has. */
    static const char *const elsewhere[] = {"127.0.0.1:0", "192.0.2.1:0"};
    const char *many[LISTEN_ENDPOINTS_MAX + 1];
    struct error error;
    assert_int_equal(open_endpoints(elsewhere, 2, &error), 0);
    assert_int_equal(error.code, ERROR_IO);
    assert_string_equal(error.message, "cannot listen on http://192.0.2.1:0: Cannot assign "
                                       "requested address");
    for (size_t i = 0; i <= LISTEN_ENDPOINTS_MAX; i++)
        many[i] = "127.0.0.1:0";
    assert_int_equal(open_endpoints(many, LISTEN_ENDPOINTS_MAX + 1, &error), 0);
    assert_int_equal(error.code, ERROR_LIMIT);
    assert_non_null(strstr(error.message, "at most 32 addresses"));
}

static void a_port_in_use_is_refused(void **state)
{
    (void)state;
    static const char *const any[] = {"127.0.0.1:0"};
    char text[32], said[80];
    const char *const same[] = {text};
    struct listen_endpoint first;
    struct error error;
    assert_int_equal(open_endpoints(any, 1, &error), 1);
    first = endpoints[0];
    const unsigned port = listen_address_port(&first.address);
    snprintf(text, sizeof text, "127.0.0.1:%u", port);
    snprintf(said, sizeof said, "cannot listen on http://127.0.0.1:%u: port %u is in use", port,
             port);
    assert_int_equal(open_endpoints(same, 1, &error), 0);
    assert_string_equal(error.message, said);
    listen_close(&first, 1);
}

static void set_inherited(const char *count, const char *names)
{
    char pid[32];
    snprintf(pid, sizeof pid, "%ld", (long)getpid());
    setenv("LISTEN_PID", pid, 1);
    setenv("LISTEN_FDS", count, 1);
    if (names)
        setenv("LISTEN_FDNAMES", names, 1);
    else
        unsetenv("LISTEN_FDNAMES");
}

static int clear_inherited(void **state)
{
    (void)state;
    return unsetenv("LISTEN_PID") | unsetenv("LISTEN_FDS") | unsetenv("LISTEN_FDNAMES");
}

static void inherited_sockets_are_for_this_process(void **state)
{
    (void)state;
    assert_false(listen_is_inherited());
    set_inherited("1", NULL);
    assert_true(listen_is_inherited());
    set_inherited("many", NULL);
    assert_false(listen_is_inherited());
    set_inherited("1", NULL);
    setenv("LISTEN_PID", "1", 1);
    assert_false(listen_is_inherited());
}

static void more_inherited_sockets_than_places_are_refused(void **state)
{
    (void)state;
    struct error error = {0};
    set_inherited("33", NULL);
    assert_int_equal(open_endpoints(NULL, 0, &error), 0);
    assert_int_equal(error.code, ERROR_LIMIT);
    assert_string_equal(error.message, "LISTEN_FDS has more sockets than 32");
}

/* Descriptors 3 … are put aside meanwhile, if the runner has some. */
static void inherited_sockets_have_names(void **state)
{
    (void)state;
    enum { FIRST = 3, COUNT = 3 };
    static const char *const any[] = {"127.0.0.1:0"};
    struct error error;
    int aside[COUNT];
    assert_int_equal(open_endpoints(any, 1, &error), 1);
    const struct listen_endpoint own = endpoints[0];
    /* One that stands elsewhere, as 3 … are about to be others. */
    int source = fcntl(listen_socket(&own, 0), F_DUPFD, 20);
    for (int i = 0; i < COUNT; i++)
        aside[i] = fcntl(FIRST + i, F_DUPFD, 40);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(dup2(source, FIRST + i), FIRST + i);
    set_inherited("3", "http:https");
    assert_int_equal(open_endpoints(NULL, 0, &error), COUNT);
    assert_false(endpoints[0].address.secure);
    assert_true(endpoints[1].address.secure);
    assert_false(endpoints[2].address.secure); /* it has no name */
    for (int i = 0; i < COUNT; i++) {
        assert_true(endpoints[i].inherited);
        assert_int_equal(listen_socket(&endpoints[i], LOOPS - 1), FIRST + i);
        assert_true(fcntl(FIRST + i, F_GETFD) & FD_CLOEXEC);
    }
    listen_close(endpoints, COUNT);
    dup2(STDERR_FILENO, FIRST);
    set_inherited("1", NULL);
    assert_int_equal(open_endpoints(NULL, 0, &error), 0);
    assert_string_equal(error.message,
                        "descriptor 3 of LISTEN_FDS is not a listening stream socket");
    close(FIRST);
    for (int i = 0; i < COUNT; i++)
        if (aside[i] >= 0) {
            dup2(aside[i], FIRST + i);
            close(aside[i]);
        }
    struct listen_endpoint left = own;
    listen_close(&left, 1);
    close(source);
}

int test_listen_open(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_socket_for_each_loop),
        cmocka_unit_test(the_last_loop_closes_a_unix_socket),
        cmocka_unit_test(files_in_use_are_not_replaced),
        cmocka_unit_test(impossible_addresses_are_errors),
        cmocka_unit_test(a_port_in_use_is_refused),
        cmocka_unit_test_teardown(inherited_sockets_are_for_this_process, clear_inherited),
        cmocka_unit_test_teardown(more_inherited_sockets_than_places_are_refused, clear_inherited),
        cmocka_unit_test_teardown(inherited_sockets_have_names, clear_inherited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
