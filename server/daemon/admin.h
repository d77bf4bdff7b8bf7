/* The unix socket of --admin, by which an operator controls a running server. It takes plain HTTP,
 * one request a connection: curl --unix-socket FILE -X POST http://terrane/reload
 *
 * Only the user who runs the server may connect. The main thread handles one request at a time; a
 * client that takes longer than two seconds to send its request or to read the response is
 * disconnected. */
#ifndef TERRANE_SERVER_DAEMON_ADMIN_H
#define TERRANE_SERVER_DAEMON_ADMIN_H

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "server/base/wait.h"

enum admin_command {
    ADMIN_STATUS, /* GET /status */
    ADMIN_RELOAD, /* POST /reload */
    ADMIN_DRAIN,  /* POST /drain */
};

struct admin;

/* Listens at `path`, whose file has mode 0600. Replaces the socket file of a server that has ended;
 * fails if another server answers there, or if anything else is there. Null with an error on
 * failure. */
struct admin *admin_open(const char *path, struct error *error);
/* Closes the socket and removes its file, unless another server has replaced the file. Null is
 * allowed. */
void admin_close(struct admin *admin);
/* A descriptor that is readable when a client waits; -1 for null. */
int admin_event(const struct admin *admin);

/* Accepts a client and reads its request: the client's descriptor, for admin_respond(). -1 if no
 * client waits, its request does not arrive within `limit`, or it is no command (then it has been
 * answered 404). */
int admin_receive(struct admin *admin, struct wait_limit limit, enum admin_command *command);

struct admin_response {
    unsigned status;          /* 200, 404 or 409 */
    const char *content_type; /* null for plain text */
    const struct buffer *body;
};

/* Sends the response, unless its body has failed for want of memory, and closes the client. */
void admin_respond(int client, const struct admin_response *response);

#endif
