/* Preloaded, this stands between the program and the C library and makes some of the program's own
 * calls fail, and if requested those of libmicrohttpd; those of other libraries go through, but for
 * KIND_WRITE, which are the writes of files by any library. The file that TERRANE_REFUSALS names is
 * mapped and says which: struct fault_plan, which the test writes and reads while the program runs.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum kind { KIND_NONE, KIND_MEMORY, KIND_SYSTEM, KIND_WRITE };

struct fault_plan {
    uint64_t kind;      /* which calls count; atomic, and written last */
    uint64_t number;    /* the one that fails, from 1 on */
    uint64_t onwards;   /* 1: and all behind it */
    uint64_t main_only; /* 1: those of other threads do not count */
    uint64_t reason;    /* errno */
    uint64_t calls;     /* atomic: how many there were */
    uint64_t triggered; /* atomic: and how many of them failed */
    uint64_t library;   /* 1: calls of libmicrohttpd count, too */
    uint64_t one_in;    /* not 0: instead of `number`, one call in so many fails, by `seed` */
    uint64_t seed;      /* 0: each one_in-th call */
};

struct code {
    uintptr_t start, end;
};

static struct fault_plan *fault_plan;
static struct code program, library;

/* The code of an object is in one piece. */
static struct code find_code(const struct dl_phdr_info *info)
{
    struct code code = {0};
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && (part->p_flags & PF_X))
            code = (struct code){info->dlpi_addr + part->p_vaddr,
                                 info->dlpi_addr + part->p_vaddr + part->p_memsz};
    }
    return code;
}

/* The first object is the program. */
static int find_objects(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    (void)context;
    if (!program.end)
        program = find_code(info);
    else if (strstr(info->dlpi_name, "libmicrohttpd"))
        library = find_code(info);
    return 0;
}

__attribute__((constructor)) static void map_fault_plan(void)
{
    const char *path = getenv("TERRANE_REFUSALS");
    dl_iterate_phdr(find_objects, NULL);
    int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0)
        return;
    void *mapped = mmap(NULL, sizeof *fault_plan, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    fault_plan = mapped == MAP_FAILED ? NULL : mapped;
    close(file);
}

static bool exiting;

/* Sanitizers and coverage continue to make calls after the end of the program: those succeed. */
static void set_exiting(void)
{
    exiting = true;
}

static bool is_in(const struct code *code, const void *caller)
{
    return (uintptr_t)caller >= code->start && (uintptr_t)caller < code->end;
}

/* The `call`-th call, from 1 on. Its number is scrambled by SplitMix64. */
static bool is_chosen(uint64_t call)
{
    uint64_t mixed = call + fault_plan->seed * 0x9e3779b97f4a7c15;
    if (fault_plan->one_in == 0)
        return call == fault_plan->number || (call > fault_plan->number && fault_plan->onwards);
    if (fault_plan->seed == 0)
        return call % fault_plan->one_in == 0;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
    return (mixed ^ mixed >> 31) % fault_plan->one_in == 0;
}

static bool should_fail(enum kind kind, const void *caller)
{
    static bool begun;
    if (exiting || !fault_plan || __atomic_load_n(&fault_plan->kind, __ATOMIC_ACQUIRE) != kind ||
        !(kind == KIND_WRITE || is_in(&program, caller) ||
          (fault_plan->library && is_in(&library, caller))) ||
        (fault_plan->main_only && gettid() != getpid()))
        return false;
    if (!__atomic_exchange_n(&begun, true, __ATOMIC_RELAXED))
        atexit(set_exiting);
    if (!is_chosen(__atomic_add_fetch(&fault_plan->calls, 1, __ATOMIC_RELAXED)))
        return false;
    __atomic_add_fetch(&fault_plan->triggered, 1, __ATOMIC_RELAXED);
    errno = (int)fault_plan->reason;
    return true;
}

#define SHOULD_FAIL(kind) should_fail(kind, __builtin_return_address(0))

/* The C library's function, or a sanitizer's. */
#define REAL(name)                                                                                 \
    ({                                                                                             \
        static __typeof__(&(name)) real;                                                           \
        if (!real)                                                                                 \
            real = (__typeof__(&(name)))(uintptr_t)dlsym(RTLD_NEXT, #name);                        \
        real;                                                                                      \
    })

/* A function that is called with what it was given. */
#define MEMORY(name, parameters, arguments)                                                        \
    void *name parameters                                                                          \
    {                                                                                              \
        return SHOULD_FAIL(KIND_MEMORY) ? NULL : REAL(name) arguments;                             \
    }
#define TEXT(name, parameters, arguments)                                                          \
    char *name parameters                                                                          \
    {                                                                                              \
        return SHOULD_FAIL(KIND_MEMORY) ? NULL : REAL(name) arguments;                             \
    }
#define SYSTEM(type, failure, name, parameters, arguments)                                         \
    type name parameters                                                                           \
    {                                                                                              \
        return SHOULD_FAIL(KIND_SYSTEM) ? (failure) : REAL(name) arguments;                        \
    }

MEMORY(malloc, (size_t size), (size))
MEMORY(calloc, (size_t count, size_t size), (count, size))
MEMORY(realloc, (void *memory, size_t size), (memory, size))
MEMORY(aligned_alloc, (size_t alignment, size_t size), (alignment, size))
TEXT(strdup, (const char *text), (text))
TEXT(strndup, (const char *text, size_t size), (text, size))

int asprintf(char **out, const char *format, ...)
{
    va_list arguments;
    if (SHOULD_FAIL(KIND_MEMORY))
        return -1;
    va_start(arguments, format);
    int length = REAL(vasprintf)(out, format, arguments);
    va_end(arguments);
    return length;
}

SYSTEM(int, (int)fault_plan->reason, pthread_create,
       (pthread_t * thread, const pthread_attr_t *attributes, void *(*main)(void *), void *context),
       (thread, attributes, main, context))
SYSTEM(int, -1, epoll_create1, (int flags), (flags))
SYSTEM(int, -1, eventfd, (unsigned count, int flags), (count, flags))
SYSTEM(int, -1, signalfd, (int file, const sigset_t *set, int flags), (file, set, flags))
SYSTEM(int, -1, socket, (int domain, int type, int protocol), (domain, type, protocol))
SYSTEM(int, -1, bind, (int file, const struct sockaddr *address, socklen_t length),
       (file, address, length))
SYSTEM(int, -1, listen, (int file, int backlog), (file, backlog))
SYSTEM(int, -1, connect, (int file, const struct sockaddr *address, socklen_t length),
       (file, address, length))
SYSTEM(int, -1, accept4, (int file, struct sockaddr *address, socklen_t *length, int flags),
       (file, address, length, flags))
SYSTEM(int, -1, getsockname, (int file, struct sockaddr *address, socklen_t *length),
       (file, address, length))
SYSTEM(int, -1, getsockopt, (int file, int level, int name, void *value, socklen_t *length),
       (file, level, name, value, length))
SYSTEM(int, -1, setsockopt, (int file, int level, int name, const void *value, socklen_t length),
       (file, level, name, value, length))
SYSTEM(ssize_t, -1, recv, (int file, void *bytes, size_t length, int flags),
       (file, bytes, length, flags))
SYSTEM(ssize_t, -1, send, (int file, const void *bytes, size_t length, int flags),
       (file, bytes, length, flags))
SYSTEM(ssize_t, -1, recvmsg, (int file, struct msghdr *message, int flags), (file, message, flags))
SYSTEM(ssize_t, -1, sendmsg, (int file, const struct msghdr *message, int flags),
       (file, message, flags))
SYSTEM(ssize_t, -1, read, (int file, void *bytes, size_t length), (file, bytes, length))
SYSTEM(int, -1, poll, (struct pollfd * files, nfds_t count, int timeout), (files, count, timeout))
SYSTEM(int, -1, stat, (const char *path, struct stat *status), (path, status))
SYSTEM(int, -1, fstat, (int file, struct stat *status), (file, status))
SYSTEM(int, -1, lstat, (const char *path, struct stat *status), (path, status))
SYSTEM(int, -1, access, (const char *path, int mode), (path, mode))
SYSTEM(int, -1, chmod, (const char *path, mode_t mode), (path, mode))
SYSTEM(int, -1, rename, (const char *from, const char *to), (from, to))
SYSTEM(int, -1, unlink, (const char *path), (path))
SYSTEM(int, -1, getrlimit, (__rlimit_resource_t what, struct rlimit *limit), (what, limit))
SYSTEM(int, -1, setrlimit, (__rlimit_resource_t what, const struct rlimit *limit), (what, limit))
SYSTEM(int, -1, getrusage, (__rusage_who_t who, struct rusage *usage), (who, usage))
SYSTEM(ssize_t, -1, getrandom, (void *bytes, size_t length, unsigned flags), (bytes, length, flags))
SYSTEM(FILE *, NULL, fopen, (const char *path, const char *mode), (path, mode))
SYSTEM(DIR *, NULL, opendir, (const char *path), (path))

/* Messages are no files. */
ssize_t write(int file, const void *bytes, size_t length)
{
    return SHOULD_FAIL(KIND_SYSTEM) || (file > STDERR_FILENO && SHOULD_FAIL(KIND_WRITE))
               ? -1
               : REAL(write)(file, bytes, length);
}

#define WRITE(type, name, parameters, arguments)                                                   \
    type name parameters                                                                           \
    {                                                                                              \
        return SHOULD_FAIL(KIND_WRITE) ? -1 : REAL(name) arguments;                                \
    }

WRITE(ssize_t, pwrite, (int file, const void *bytes, size_t length, off_t offset),
      (file, bytes, length, offset))
WRITE(ssize_t, pwrite64, (int file, const void *bytes, size_t length, off64_t offset),
      (file, bytes, length, offset))
WRITE(int, ftruncate, (int file, off_t length), (file, length))
WRITE(int, fsync, (int file), (file))
WRITE(int, fdatasync, (int file), (file))
WRITE(int, syncfs, (int file), (file))
WRITE(int, mkdir, (const char *path, mode_t mode), (path, mode))

/* Render threads give way to everything else on the machine, which a test cannot wait for. */
int pthread_setschedparam(pthread_t thread, int policy, const struct sched_param *parameters)
{
    (void)thread;
    (void)policy;
    (void)parameters;
    return 0;
}

/* Not to watch any more needs nothing that could be missing. */
int epoll_ctl(int epoll, int what, int file, struct epoll_event *event)
{
    return what != EPOLL_CTL_DEL && SHOULD_FAIL(KIND_SYSTEM)
               ? -1
               : REAL(epoll_ctl)(epoll, what, file, event);
}

int open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return SHOULD_FAIL(KIND_SYSTEM) ? -1 : REAL(open)(path, flags, mode);
}

int fcntl(int file, int what, ...)
{
    va_list arguments;
    va_start(arguments, what);
    void *value = va_arg(arguments, void *);
    va_end(arguments);
    return SHOULD_FAIL(KIND_SYSTEM) ? -1 : REAL(fcntl)(file, what, value);
}
