/* Listening unix sockets: the mode of their file, and what they do with a file that is there. */
#include "server/base/local_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/temporary_folder.h"

enum { BACKLOG = 4 };

static struct sockaddr_un address;

static int set_address(void **state)
{
    (void)state;
    address.sun_family = AF_UNIX;
    snprintf(address.sun_path, sizeof address.sun_path, "%s", temporary_path("socket"));
    return 0;
}

static mode_t mode_of(const char *path)
{
    struct stat status;
    assert_int_equal(lstat(path, &status), 0);
    return status.st_mode;
}

/* What a killed server leaves: a socket's file, and nobody listens. */
static void abandon_socket(int type)
{
    const int fd = socket(AF_UNIX, type, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    close(fd);
}

static void the_file_has_the_mode_whatever_the_umask(void **state)
{
    (void)state;
    static const mode_t modes[] = {0600, 0660, 0666};
    const mode_t mask = umask(022);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        struct file_identity file;
        const int fd = local_socket_listen(&address, modes[i], BACKLOG, &file);
        assert_true(fd >= 0);
        assert_int_equal(mode_of(address.sun_path), S_IFSOCK | modes[i]);
        assert_true(file_is(address.sun_path, &file));
        assert_true(fcntl(fd, F_GETFL) & O_NONBLOCK);
        assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
        local_socket_remove(address.sun_path, &file);
        assert_int_equal(access(address.sun_path, F_OK), -1);
        close(fd);
    }
    assert_int_equal(umask(mask), 022);
}

static void only_an_abandoned_socket_is_replaced(void **state)
{
    (void)state;
    struct file_identity file, other;
    abandon_socket(SOCK_STREAM);
    const int fd = local_socket_listen(&address, 0600, BACKLOG, &file);
    assert_true(fd >= 0);
    assert_int_equal(local_socket_listen(&address, 0600, BACKLOG, &other), -1);
    assert_int_equal(errno, EADDRINUSE);
    assert_true(file_is(address.sun_path, &file));
    /* Of another type, as that of a system's log: nobody can connect to it by a stream. */
    assert_int_equal(unlink(address.sun_path), 0);
    const int datagrams = socket(AF_UNIX, SOCK_DGRAM, 0);
    assert_int_equal(bind(datagrams, (struct sockaddr *)&address, sizeof address), 0);
    assert_true(file_identify(address.sun_path, &file));
    assert_int_equal(local_socket_listen(&address, 0600, BACKLOG, &other), -1);
    assert_int_equal(errno, EADDRINUSE);
    assert_true(file_is(address.sun_path, &file));
    close(datagrams);
    close(fd);
}

static void assert_left_alone(mode_t kind)
{
    struct file_identity file;
    const mode_t before = mode_of(address.sun_path);
    assert_int_equal(before & S_IFMT, kind);
    assert_int_equal(local_socket_listen(&address, 0666, BACKLOG, &file), -1);
    assert_int_equal(errno, EEXIST);
    assert_int_equal(mode_of(address.sun_path), before);
    assert_int_equal(remove(address.sun_path), 0);
}

static void other_files_are_left_alone(void **state)
{
    (void)state;
    const char *target = temporary_path("target");
    close(open(address.sun_path, O_CREAT | O_WRONLY, 0600));
    assert_left_alone(S_IFREG);
    assert_int_equal(mkdir(address.sun_path, 0700), 0);
    assert_left_alone(S_IFDIR);
    assert_int_equal(mkfifo(address.sun_path, 0600), 0);
    assert_left_alone(S_IFIFO);
    assert_int_equal(symlink("missing", address.sun_path), 0);
    assert_left_alone(S_IFLNK);
    /* A link to a socket that could be replaced itself. */
    abandon_socket(SOCK_STREAM);
    assert_int_equal(rename(address.sun_path, target), 0);
    assert_int_equal(symlink("target", address.sun_path), 0);
    assert_left_alone(S_IFLNK);
    assert_int_equal(access(target, F_OK), 0);
}

static void a_missing_folder_is_an_error(void **state)
{
    (void)state;
    struct file_identity file;
    snprintf(address.sun_path, sizeof address.sun_path, "%s", temporary_path("none/socket"));
    assert_int_equal(local_socket_listen(&address, 0600, BACKLOG, &file), -1);
    assert_int_equal(errno, ENOENT);
}

static void *start_server(void *descriptor)
{
    struct file_identity file;
    *(int *)descriptor = local_socket_listen(&address, 0600, BACKLOG, &file);
    return (void *)(intptr_t)errno;
}

/* Between bind() and listen() a socket refuses connections like an abandoned one. Another server
 * keeps the folder locked so long. */
static void a_server_that_is_starting_is_not_taken_for_an_ended_one(void **state)
{
    (void)state;
    pthread_t thread;
    int descriptor = -1;
    void *reason;
    const int lock = open(temporary_folder(), O_RDONLY | O_DIRECTORY),
              fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(flock(lock, LOCK_EX), 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(pthread_create(&thread, NULL, start_server, &descriptor), 0);
    poll(NULL, 0, 50); /* time enough to do it wrong */
    assert_int_equal(listen(fd, BACKLOG), 0);
    close(lock);
    assert_int_equal(pthread_join(thread, &reason), 0);
    assert_int_equal(descriptor, -1);
    assert_int_equal((intptr_t)reason, EADDRINUSE);
    close(fd);
}

static void *end_server(void *file)
{
    local_socket_remove(address.sun_path, file);
    return NULL;
}

/* The other server has the folder locked from the look at the old socket to the end of bind(). */
static void a_server_that_ends_leaves_the_socket_that_has_taken_its_place(void **state)
{
    (void)state;
    pthread_t thread;
    struct file_identity file, other;
    const int ending = local_socket_listen(&address, 0600, BACKLOG, &file),
              lock = open(temporary_folder(), O_RDONLY | O_DIRECTORY),
              fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(flock(lock, LOCK_EX), 0);
    assert_int_equal(pthread_create(&thread, NULL, end_server, &file), 0);
    poll(NULL, 0, 50); /* time enough to do it wrong */
    assert_true(file_is(address.sun_path, &file));
    assert_int_equal(unlink(address.sun_path), 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    assert_true(file_identify(address.sun_path, &other));
    close(lock);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(file_is(address.sun_path, &other));
    close(fd);
    close(ending);
}

static void a_link_to_the_socket_is_not_removed(void **state)
{
    (void)state;
    struct file_identity file;
    const char *moved = temporary_path("moved");
    const int fd = local_socket_listen(&address, 0600, BACKLOG, &file);
    assert_int_equal(rename(address.sun_path, moved), 0);
    assert_int_equal(symlink("moved", address.sun_path), 0);
    local_socket_remove(address.sun_path, &file);
    assert_int_equal(mode_of(address.sun_path) & S_IFMT, S_IFLNK);
    local_socket_remove(moved, &file);
    assert_int_equal(access(moved, F_OK), -1);
    close(fd);
}

int test_local_socket(void)
{
#define in_a_folder(test)                                                                          \
    cmocka_unit_test_setup_teardown(test, set_address, temporary_folder_remove)
    const struct CMUnitTest tests[] = {
        in_a_folder(the_file_has_the_mode_whatever_the_umask),
        in_a_folder(only_an_abandoned_socket_is_replaced),
        in_a_folder(other_files_are_left_alone),
        in_a_folder(a_missing_folder_is_an_error),
        in_a_folder(a_server_that_is_starting_is_not_taken_for_an_ended_one),
        in_a_folder(a_server_that_ends_leaves_the_socket_that_has_taken_its_place),
        in_a_folder(a_link_to_the_socket_is_not_removed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
