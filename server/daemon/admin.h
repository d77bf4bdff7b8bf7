/* The unix socket of --admin, by which an operator or a successor speaks to a running server. It
 * takes plain HTTP, one request a connection: curl --unix-socket FILE -X POST http://terrane/reload
 *
 * Only the user who runs the server may open it. Calls are answered one at a time by the thread
 * that minds the server; a caller who dawdles is cut off after two seconds. */
#ifndef TERRANE_SERVER_DAEMON_ADMIN_H
#define TERRANE_SERVER_DAEMON_ADMIN_H

#include "core/base/buffer.h"
#include "core/base/error.h"

enum {
    ADMIN_SOCKETS_MAX = 1024,    /* in one answer */
    ADMIN_SOCKETS_AT_ONCE = 253, /* what the kernel passes in one message */
};

enum admin_command {
    ADMIN_STATUS,    /* GET /status */
    ADMIN_RELOAD,    /* POST /reload */
    ADMIN_DRAIN,     /* POST /drain */
    ADMIN_LISTENERS, /* POST /listeners: a successor asks for copies of the listening sockets */
    ADMIN_RETIRE,    /* POST /retire: it accepts on them once it has the answer */
};

struct admin;

/* Listens, under a name of its own until admin_show(). Another server that answers at `path` is an
 * error unless it is to be replaced. */
struct admin *admin_open(const char *path, bool replace, struct error *error);
/* Gives it the path: a file that is there gives way in one step. */
bool admin_show(struct admin *admin, struct error *error);
/* Removes the file if it is still this one's. Null is allowed. */
void admin_close(struct admin *admin);
/* Can be read when somebody calls. */
int admin_event(const struct admin *admin);

/* Takes a call; the client's descriptor, or -1 if nobody called or it was no command, which has
 * been answered then. */
int admin_take(struct admin *admin, enum admin_command *command);

struct admin_answer {
    unsigned status;
    const char *content_type;
    const struct buffer *body;
    const int *sockets; /* copies go with the answer */
    unsigned socket_count;
};

/* Answers and closes the client. Whether it was still there to take the answer. */
bool admin_give(int client, const struct admin_answer *answer);

#endif
