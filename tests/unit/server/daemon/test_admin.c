/* The admin socket: who gets the path when, and what callers cannot do to it. */
#include "server/daemon/admin.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "server/base/clock.h"

static char folder[] = "/tmp/terrane-admin-XXXXXX";
static char path[64];

static int call(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    memcpy(address.sun_path, path, strlen(path));
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0)
        return fd;
    close(fd);
    return -1;
}

static void say(int fd, const char *line)
{
    char request[128];
    const int length = snprintf(request, sizeof request, "%s HTTP/1.1\r\n\r\n", line);
    assert_int_equal(send(fd, request, (size_t)length, 0), length);
}

static bool give(int client)
{
    struct buffer body = {0};
    buffer_text(&body, "well\n");
    const bool given = admin_give(client, &(struct admin_answer){.status = 200, .body = &body});
    buffer_free(&body);
    return given;
}

static struct admin *open_shown(void)
{
    struct error error = {0};
    struct admin *admin = admin_open(path, false, &error);
    assert_non_null(admin);
    assert_int_equal(call(), -1);
    assert_true(admin_show(admin, &error));
    return admin;
}

static void one_that_is_not_shown_leaves_the_path_alone(void **state)
{
    (void)state;
    enum admin_command command;
    struct error error = {0};
    struct admin *first = open_shown();
    assert_null(admin_open(path, false, &error));
    assert_non_null(strstr(error.message, "another server answers"));
    struct admin *second = admin_open(path, true, &error);
    assert_non_null(second);
    admin_close(second);
    int caller = call();
    say(caller, "POST /reload");
    int client = admin_take(first, &command); /* the second one, who only looked */
    assert_int_equal(client, -1);
    client = admin_take(first, &command);
    assert_int_equal(command, ADMIN_RELOAD);
    assert_true(give(client));
    close(caller);
    admin_close(first);
    assert_int_equal(access(path, F_OK), -1);
}

static void the_one_that_gave_way_leaves_the_path_to_the_other(void **state)
{
    (void)state;
    struct error error = {0};
    struct admin *first = open_shown(), *second = admin_open(path, true, &error);
    assert_true(second && admin_show(second, &error));
    admin_close(first);
    int caller = call();
    assert_true(caller >= 0);
    close(caller);
    admin_close(second);
    assert_int_equal(call(), -1);
    assert_int_equal(rmdir(folder), 0); /* nothing is left */
    assert_non_null(mkdtemp(strcpy(folder, "/tmp/terrane-admin-XXXXXX")));
    snprintf(path, sizeof path, "%s/socket", folder);
}

static void it_is_known_whether_a_caller_took_the_answer(void **state)
{
    (void)state;
    enum admin_command command;
    struct admin *admin = open_shown();
    int caller = call();
    say(caller, "POST /retire");
    close(caller);
    int client = admin_take(admin, &command);
    assert_int_equal(command, ADMIN_RETIRE);
    assert_false(give(client));
    admin_close(admin);
}

/* Whoever waits to be accepted wakes the server again and again. */
static void without_descriptors_it_does_not_spin(void **state)
{
    (void)state;
    enum admin_command command;
    struct admin *admin = open_shown();
    struct rlimit limit;
    int caller = call(), next = dup(caller);
    close(next);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    const struct rlimit none = {(rlim_t)next, limit.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    const int64_t start = clock_milliseconds();
    assert_int_equal(admin_take(admin, &command), -1);
    assert_true(clock_milliseconds() - start >= 99);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    say(caller, "GET /status");
    assert_true(give(admin_take(admin, &command)));
    close(caller);
    admin_close(admin);
}

static int set_up(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/socket", folder);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    return rmdir(folder);
}

int test_admin(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_that_is_not_shown_leaves_the_path_alone),
        cmocka_unit_test(the_one_that_gave_way_leaves_the_path_to_the_other),
        cmocka_unit_test(it_is_known_whether_a_caller_took_the_answer),
        cmocka_unit_test(without_descriptors_it_does_not_spin),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
