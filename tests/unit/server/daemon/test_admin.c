/* The admin socket: the owner of its file, its commands and their responses. */
#include "server/daemon/admin.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "server/base/clock.h"
#include "tests/unit/temporary_folder.h"

static const char *path;

static int set_path(void **state)
{
    (void)state;
    path = temporary_path("socket");
    return 0;
}

static struct admin *open_admin(void)
{
    struct error error = {0};
    struct admin *admin = admin_open(path, &error);
    if (!admin)
        fail_msg("%s", error.message);
    return admin;
}

/* A caller who has said that much; nobody has to take the call for it. */
static int call(const char *text)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    return fd;
}

/* Every request here has come already, or its client has ended sending. */
static int receive(struct admin *admin, enum admin_command *command)
{
    return admin_receive(admin, wait_limit_at(clock_milliseconds() + 60000), command);
}

/* All that comes, until the other side closes; closes too. */
static const char *hear(int fd)
{
    static char text[8192];
    size_t length = 0;
    ssize_t count;
    while ((count = read(fd, text + length, sizeof text - 1 - length)) > 0)
        length += (size_t)count;
    text[length] = '\0';
    close(fd);
    return text;
}

static void commands_are_recognised_and_answered(void **state)
{
    (void)state;
    static const struct {
        const char *request;
        enum admin_command command;
    } cases[] = {
        {"GET /status HTTP/1.1\r\nHost: terrane\r\n\r\n", ADMIN_STATUS},
        {"POST /reload HTTP/1.1\r\n\r\n", ADMIN_RELOAD},
        {"POST /drain HTTP/1.0\r\n\r\n", ADMIN_DRAIN},
    };
    struct admin *admin = open_admin();
    struct buffer body = {0};
    buffer_text(&body, "done\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int caller = call(cases[i].request);
        enum admin_command command = ADMIN_STATUS;
        int client = receive(admin, &command);
        assert_true(client >= 0);
        assert_int_equal(command, cases[i].command);
        admin_respond(client, &(struct admin_response){.status = i % 2 ? 409 : 200, .body = &body});
        assert_string_equal(hear(caller),
                            i % 2 ? "HTTP/1.1 409 Conflict\r\n"
                                    "Content-Type: text/plain; charset=utf-8\r\n"
                                    "Content-Length: 5\r\nConnection: close\r\n\r\ndone\n"
                                  : "HTTP/1.1 200 OK\r\n"
                                    "Content-Type: text/plain; charset=utf-8\r\n"
                                    "Content-Length: 5\r\nConnection: close\r\n\r\ndone\n");
    }
    buffer_free(&body);
    admin_close(admin);
}

static void a_failed_body_is_not_sent(void **state)
{
    (void)state;
    struct admin *admin = open_admin();
    struct buffer body = {.failed = true};
    enum admin_command command;
    int caller = call("GET /status HTTP/1.1\r\n\r\n");
    int client = receive(admin, &command);
    admin_respond(client, &(struct admin_response){.status = 200, .body = &body});
    assert_string_equal(hear(caller), "");
    admin_close(admin);
}

static void an_unknown_request_gets_the_list_of_commands(void **state)
{
    (void)state;
    static const char *const requests[] = {"GET /reload HTTP/1.1\r\n\r\n",
                                           "POST / HTTP/1.1\r\n\r\n",
                                           "POST /drained HTTP/1.1\r\n\r\n", "\r\n\r\n"};
    struct admin *admin = open_admin();
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        enum admin_command command;
        int caller = call(requests[i]);
        assert_int_equal(receive(admin, &command), -1);
        const char *answer = hear(caller);
        assert_memory_equal(answer, "HTTP/1.1 404 Not Found\r\n", 24);
        assert_non_null(strstr(answer, "POST /reload"));
    }
    admin_close(admin);
}

static void an_incomplete_request_closes_the_connection(void **state)
{
    (void)state;
    static char flood[5000];
    enum admin_command command;
    struct admin *admin = open_admin();
    assert_int_equal(receive(admin, &command), -1); /* nobody */
    int caller = call("GET /status HTTP/1.1\r\n");
    shutdown(caller, SHUT_WR);
    assert_int_equal(receive(admin, &command), -1);
    assert_string_equal(hear(caller), "");
    memset(flood, 'a', sizeof flood - 1);
    caller = call(flood);
    assert_int_equal(receive(admin, &command), -1);
    assert_string_equal(hear(caller), "");
    /* One who has left does not end the server when it is answered. */
    caller = call("POST /drain HTTP/1.1\r\n\r\n");
    int client = receive(admin, &command);
    assert_true(client >= 0);
    close(caller);
    struct buffer body = {0};
    admin_respond(client, &(struct admin_response){.status = 200, .body = &body});
    admin_close(admin);
}

static void the_file_is_private_and_is_removed_at_the_end(void **state)
{
    (void)state;
    struct stat status;
    struct admin *admin = open_admin();
    assert_true(admin_event(admin) >= 0);
    assert_int_equal(stat(path, &status), 0);
    assert_true(S_ISSOCK(status.st_mode));
    assert_int_equal(status.st_mode & 0777, 0600);
    admin_close(admin);
    assert_int_equal(stat(path, &status), -1);
    admin_close(NULL);
    assert_int_equal(admin_event(NULL), -1);
}

static void a_second_server_is_refused_and_a_replaced_file_is_left(void **state)
{
    (void)state;
    struct error error = {0};
    struct admin *first = open_admin();
    assert_null(admin_open(path, &error));
    assert_non_null(strstr(error.message, "another server answers at the admin socket"));
    assert_int_equal(unlink(path), 0);
    struct admin *second = open_admin();
    admin_close(first); /* the file is the second server's */
    enum admin_command command;
    int caller = call("POST /reload HTTP/1.1\r\n\r\n");
    int client = receive(second, &command);
    assert_true(client >= 0);
    close(client);
    close(caller);
    admin_close(second);
    assert_int_equal(access(path, F_OK), -1);
}

static void the_file_of_an_ended_server_is_replaced(void **state)
{
    (void)state;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    close(fd);
    assert_int_equal(access(path, F_OK), 0);
    admin_close(open_admin());
}

/* The longest path of a unix socket has 107 bytes (unix(7)). */
static void bad_paths_are_refused(void **state)
{
    (void)state;
    char text[160];
    struct error error = {0};
    memset(text, 'a', sizeof text);
    text[0] = '/';
    text[108] = '\0';
    assert_null(admin_open(text, &error));
    assert_int_equal(error.code, ERROR_VALUE);
    assert_non_null(strstr(error.message, "too long"));
    error = (struct error){0};
    snprintf(text, sizeof text, "%s/", temporary_folder());
    memset(text + strlen(text), 'a', 107 - strlen(text));
    text[107] = '\0';
    struct admin *longest = admin_open(text, &error);
    assert_non_null(longest);
    admin_close(longest);
    assert_null(admin_open(temporary_path("none/socket"), &error));
    assert_int_equal(error.code, ERROR_IO);
    assert_non_null(strstr(error.message, "No such file"));
}

/* The client that cannot be accepted keeps the listener readable. */
static void without_descriptors_it_does_not_spin(void **state)
{
    (void)state;
    enum admin_command command;
    struct admin *admin = open_admin();
    struct rlimit limit;
    int caller = call("GET /status HTTP/1.1\r\n\r\n"), next = dup(caller);
    close(next);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    const struct rlimit none = {(rlim_t)next, limit.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    const int64_t start = clock_milliseconds();
    assert_int_equal(receive(admin, &command), -1);
    assert_true(clock_milliseconds() - start >= 99);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    int client = receive(admin, &command);
    assert_true(client >= 0);
    close(client);
    close(caller);
    admin_close(admin);
}

/* A client that takes a little of its response at a time: ten seconds for all of it. */
struct dripping_reader {
    pthread_t thread;
    int fd;
    size_t received;
    bool responded; /* atomic: what is left is read at once */
};

static void *read_in_drips(void *argument)
{
    struct dripping_reader *reader = argument;
    static char piece[16384];
    for (ssize_t count; (count = read(reader->fd, piece, sizeof piece)) > 0;) {
        reader->received += (size_t)count;
        if (!__atomic_load_n(&reader->responded, __ATOMIC_ACQUIRE))
            nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    }
    return NULL;
}

/* Whether nothing has come or a part of the request. */
static void a_silent_client_is_given_up_for_a_signal(void **state)
{
    (void)state;
    struct admin *admin = open_admin();
    enum admin_command command;
    int signals[2];
    assert_int_equal(pipe(signals), 0);
    assert_int_equal(write(signals[1], "x", 1), 1);
    const int64_t start = clock_milliseconds();
    const struct wait_limit limit = {start + 60000, signals[0]};
    for (int i = 0; i < 2; i++) {
        const int caller = call(i ? "GET /status" : "");
        assert_int_equal(admin_receive(admin, limit, &command), -1);
        assert_string_equal(hear(caller), "");
    }
    assert_true(clock_milliseconds() < limit.deadline);
    close(signals[0]);
    close(signals[1]);
    admin_close(admin);
}

static void a_response_that_is_read_in_drips_is_cut_off(void **state)
{
    (void)state;
    enum { BODY_BYTES = 100 * 16384 };
    struct admin *admin = open_admin();
    struct dripping_reader reader = {.fd = call("GET /status HTTP/1.1\r\n\r\n")};
    enum admin_command command;
    struct buffer body = {0};
    assert_non_null(buffer_reserve(&body, BODY_BYTES));
    memset(body.data, 'x', BODY_BYTES);
    body.length = BODY_BYTES;
    const int client = receive(admin, &command);
    assert_int_equal(pthread_create(&reader.thread, NULL, read_in_drips, &reader), 0);
    admin_respond(client, &(struct admin_response){.status = 200, .body = &body});
    __atomic_store_n(&reader.responded, true, __ATOMIC_RELEASE);
    pthread_join(reader.thread, NULL);
    assert_in_range(reader.received, 1, BODY_BYTES / 2);
    close(reader.fd);
    buffer_free(&body);
    admin_close(admin);
}

int test_admin(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_path, temporary_folder_remove)
    const struct CMUnitTest tests[] = {
        TEST(commands_are_recognised_and_answered),
        TEST(a_failed_body_is_not_sent),
        TEST(an_unknown_request_gets_the_list_of_commands),
        TEST(an_incomplete_request_closes_the_connection),
        TEST(the_file_is_private_and_is_removed_at_the_end),
        TEST(a_second_server_is_refused_and_a_replaced_file_is_left),
        TEST(the_file_of_an_ended_server_is_replaced),
        TEST(bad_paths_are_refused),
        TEST(without_descriptors_it_does_not_spin),
        TEST(a_silent_client_is_given_up_for_a_signal),
        TEST(a_response_that_is_read_in_drips_is_cut_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
