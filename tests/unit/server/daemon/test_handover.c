/* What a successor makes of the answers that it gets at the admin socket. */
#define _GNU_SOURCE /* pipe2() */
#include "server/daemon/handover.h"

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

static char path[64];

/* A server that takes one call, answers with `text` and so many sockets, and closes. */
struct predecessor {
    int listener, sockets[3];
    unsigned count;
    const char *text;
    char heard[256];
    pthread_t thread;
};

static void answer(const struct predecessor *predecessor, int client)
{
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof predecessor->sockets)];
    } control;
    struct iovec piece = {(void *)(uintptr_t)predecessor->text, strlen(predecessor->text)};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};
    const size_t bytes = predecessor->count * sizeof(int);
    memset(&control, 0, sizeof control);
    if (bytes > 0) {
        control.header.cmsg_level = SOL_SOCKET;
        control.header.cmsg_type = SCM_RIGHTS;
        control.header.cmsg_len = CMSG_LEN(bytes);
        memcpy(CMSG_DATA(&control.header), predecessor->sockets, bytes);
        message.msg_control = &control;
        message.msg_controllen = CMSG_SPACE(bytes);
    }
    if (piece.iov_len > 0 && sendmsg(client, &message, MSG_NOSIGNAL) < 0)
        perror("sendmsg");
}

static void *serve_one(void *context)
{
    struct predecessor *predecessor = context;
    int client = accept(predecessor->listener, NULL, NULL);
    const ssize_t heard = read(client, predecessor->heard, sizeof predecessor->heard - 1);
    predecessor->heard[heard > 0 ? heard : 0] = '\0';
    answer(predecessor, client);
    close(client);
    return NULL;
}

static void begin(struct predecessor *predecessor)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(path, sizeof path, "/tmp/terrane-handover-%ld", (long)getpid());
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    unlink(path);
    predecessor->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(predecessor->listener, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(predecessor->listener, 1), 0);
    assert_int_equal(pthread_create(&predecessor->thread, NULL, serve_one, predecessor), 0);
}

static void end(struct predecessor *predecessor)
{
    pthread_join(predecessor->thread, NULL);
    close(predecessor->listener);
    unlink(path);
}

static const char good[] = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";

static void copies_of_the_sockets_come(void **state)
{
    (void)state;
    struct predecessor predecessor = {.count = 3, .text = good};
    struct handover handover;
    struct error error = {0};
    struct stat own[3], copy;
    for (int i = 0; i < 3; i++) {
        predecessor.sockets[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        assert_int_equal(fstat(predecessor.sockets[i], &own[i]), 0);
    }
    begin(&predecessor);
    assert_true(handover_ask(path, &handover, &error));
    end(&predecessor);
    assert_string_equal(predecessor.heard, "POST /listeners HTTP/1.1\r\nHost: terrane\r\n\r\n");
    assert_true(handover.found);
    assert_int_equal(handover.server, getpid());
    assert_int_equal(handover.count, 3);
    for (int i = 0; i < 3; i++) {
        assert_int_not_equal(handover.sockets[i], predecessor.sockets[i]);
        assert_int_equal(fstat(handover.sockets[i], &copy), 0);
        assert_int_equal(copy.st_ino, own[i].st_ino);
        assert_true(fcntl(handover.sockets[i], F_GETFD) & FD_CLOEXEC);
        close(predecessor.sockets[i]);
    }
    const int last = handover.sockets[2];
    handover_end(&handover);
    assert_int_equal(handover.count, 0);
    assert_int_equal(fcntl(last, F_GETFD), -1);
}

static void nobody_there_is_no_failure(void **state)
{
    (void)state;
    char text[160];
    struct handover handover;
    struct error error = {0};
    snprintf(text, sizeof text, "/tmp/terrane-handover-none-%ld", (long)getpid());
    assert_true(handover_ask(text, &handover, &error));
    assert_false(handover.found);
    assert_int_equal(handover.count, 0);
    /* Longer than a unix socket's path can be. */
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    assert_true(handover_ask(text, &handover, &error));
    assert_false(handover.found);
}

static void other_answers_are_refused(void **state)
{
    (void)state;
    static const char *const answers[] = {"HTTP/1.1 409 Conflict\r\n\r\n", "HTTP/1.1 200",
                                          "rubbish", "", good /* without a socket */};
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        struct predecessor predecessor = {.text = answers[i]};
        struct handover handover;
        struct error error = {0};
        begin(&predecessor);
        assert_false(handover_ask(path, &handover, &error));
        end(&predecessor);
        assert_false(handover.found);
        assert_int_equal(error.code, ERROR_IO);
        assert_non_null(strstr(error.message, path));
    }
}

/* What came with a refusal is closed again. */
static void sockets_of_a_refusal_are_not_kept(void **state)
{
    (void)state;
    struct predecessor predecessor = {.count = 1, .text = "HTTP/1.1 409 Conflict\r\n\r\n"};
    struct handover handover;
    struct error error = {0};
    int ends[2];
    char byte;
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    predecessor.sockets[0] = ends[1];
    begin(&predecessor);
    assert_false(handover_ask(path, &handover, &error));
    end(&predecessor);
    assert_int_equal(handover.count, 0);
    close(ends[1]);
    assert_int_equal(read(ends[0], &byte, 1), 0); /* nobody can write any more */
    close(ends[0]);
}

/* Who listens there is this process. */
static void a_predecessor_retires_or_it_is_said(void **state)
{
    (void)state;
    struct predecessor predecessor = {.text = good};
    struct handover handover = {.found = true, .server = getpid()};
    struct error error = {0};
    begin(&predecessor);
    assert_true(handover_retire(path, &handover, &error));
    end(&predecessor);
    assert_string_equal(predecessor.heard, "POST /retire HTTP/1.1\r\nHost: terrane\r\n\r\n");
    predecessor = (struct predecessor){.text = "HTTP/1.1 409 Conflict\r\n\r\n"};
    begin(&predecessor);
    assert_false(handover_retire(path, &handover, &error));
    end(&predecessor);
    assert_non_null(strstr(error.message, "does not retire"));
    error = (struct error){0};
    assert_false(handover_retire(path, &handover, &error)); /* nobody is there */
    assert_int_equal(error.code, ERROR_IO);
}

/* Another successor was quicker. */
static void another_server_is_not_retired(void **state)
{
    (void)state;
    struct predecessor predecessor = {.text = good};
    struct handover handover = {.found = true, .server = getppid()};
    struct error error = {0};
    begin(&predecessor);
    assert_false(handover_retire(path, &handover, &error));
    end(&predecessor);
    assert_string_equal(predecessor.heard, "");
}

int test_handover(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_of_the_sockets_come),
        cmocka_unit_test(nobody_there_is_no_failure),
        cmocka_unit_test(other_answers_are_refused),
        cmocka_unit_test(sockets_of_a_refusal_are_not_kept),
        cmocka_unit_test(a_predecessor_retires_or_it_is_said),
        cmocka_unit_test(another_server_is_not_retired),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
