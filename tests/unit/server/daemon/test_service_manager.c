/* Notifications to the service manager, received by sockets of the test. */
#include "server/daemon/service_manager.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/temporary_folder.h"

/* A manager's socket, of that path or (with "@" in front) name. */
static int listen_as(const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
    memcpy(address.sun_path, name, strlen(name));
    if (name[0] == '@')
        address.sun_path[0] = '\0';
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(name));
    assert_int_equal(bind(fd, (struct sockaddr *)&address, size), 0);
    setenv("NOTIFY_SOCKET", name, 1);
    return fd;
}

static void assert_heard(int fd, const char *text)
{
    char heard[128] = "";
    assert_true(recv(fd, heard, sizeof heard - 1, MSG_DONTWAIT) > 0);
    assert_string_equal(heard, text);
}

static void each_state_is_reported(void **state)
{
    (void)state;
    const char *path = temporary_path("socket");
    char heard[128] = "";
    long usec = 0;
    int fd = listen_as(path);
    notify_ready();
    assert_heard(fd, "READY=1");
    notify_stopping();
    assert_heard(fd, "STOPPING=1");
    notify_reloading();
    assert_true(recv(fd, heard, sizeof heard - 1, MSG_DONTWAIT) > 0);
    assert_int_equal(sscanf(heard, "RELOADING=1\nMONOTONIC_USEC=%ld", &usec), 1);
    assert_true(usec > 0);
    close(fd);
    unlink(path);
    notify_ready(); /* to nobody */
}

/* One message more than the socket holds. */
static void a_manager_that_does_not_read_does_not_block(void **state)
{
    (void)state;
    const char *path = temporary_path("socket");
    int fd = listen_as(path), other = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    memcpy(address.sun_path, path, strlen(path));
    while (sendto(other, "", 1, 0, (struct sockaddr *)&address, sizeof address) == 1)
        ;
    notify_ready();
    close(other);
    close(fd);
    unlink(path);
}

static void abstract_socket_names_are_accepted(void **state)
{
    (void)state;
    char name[64];
    snprintf(name, sizeof name, "@terrane-test-%ld", (long)getpid());
    int fd = listen_as(name);
    notify_ready();
    assert_heard(fd, "READY=1");
    close(fd);
}

static void nothing_happens_without_a_manager(void **state)
{
    (void)state;
    char long_name[200];
    memset(long_name, '/', sizeof long_name);
    long_name[sizeof long_name - 1] = '\0';
    const char *const names[] = {"", "relative", "@", long_name};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        setenv("NOTIFY_SOCKET", names[i], 1);
        notify_ready();
    }
    unsetenv("NOTIFY_SOCKET");
    notify_ready();
}

int test_service_manager(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_state_is_reported),
        cmocka_unit_test(a_manager_that_does_not_read_does_not_block),
        cmocka_unit_test(abstract_socket_names_are_accepted),
        cmocka_unit_test(nothing_happens_without_a_manager),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
