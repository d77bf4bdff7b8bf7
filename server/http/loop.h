/* One event loop: a libmicrohttpd daemon in external epoll mode on a listening socket of its own,
 * run by one thread. Everything of a connection happens on its loop's thread; other threads only
 * post notices. */
#ifndef TERRANE_SERVER_HTTP_LOOP_H
#define TERRANE_SERVER_HTTP_LOOP_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct http_server;
struct coder;
struct exchange;
struct error;
struct MHD_Daemon;

/* Something that is to happen on a loop's thread: the first member of a struct of the poster's. */
struct notice {
    struct notice *next;
    void (*act)(struct notice *notice);
};

struct loop {
    struct http_server *server;
    struct MHD_Daemon *daemon;
    int listener; /* owned until it is closed for the end; then -1 */
    int epoll, event;
    pthread_t thread;
    bool started;
    struct notice *posted;  /* atomic: the newest of those that wait */
    bool drained;           /* atomic: while stopping, whether `active` is 0 */
    struct exchange *spare; /* for reuse; this and the rest only on the loop's thread */
    unsigned spares;
    struct coder *coder;       /* of documents, made when first used; or null */
    struct exchange *incoming; /* those whose headers are not all there */
    unsigned active;           /* exchanges from their request line to their last byte */
    unsigned suspended;        /* of those, waiting for a notice */
};

/* Sets up and starts the thread of a zeroed loop with a listener (-1 for the other descriptors). To
 * be freed after a failure too. */
bool loop_start(struct loop *loop, struct http_server *server, struct error *error);
/* From any thread. The notice belongs to the loop until it acts. */
void loop_post(struct loop *loop, struct notice *notice);
/* Makes the loop look at whether the server is stopping. */
void loop_wake(struct loop *loop);
/* On the loop's thread: has exchange_departed() called once if the socket's other end closes, until
 * loop_unwatch(). False if the system refuses. */
bool loop_watch_end(struct loop *loop, int socket, struct exchange *exchange);
void loop_unwatch(struct loop *loop, int socket);
/* Waits for the thread's end, which the server's stopping brings about. */
void loop_join(struct loop *loop);
/* Only when nobody can post any more. */
void loop_free(struct loop *loop);

#endif
