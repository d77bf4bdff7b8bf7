/* The HTTP daemon: one event loop with its own listening socket for each core, and render threads
 * behind a bounded queue. */
#ifndef TERRANE_SERVER_HTTP_SERVER_H
#define TERRANE_SERVER_HTTP_SERVER_H

#include "core/base/error.h"
#include "server/base/listen_address.h"
#include "server/log/access_line.h"
#include "server/worlds/catalog.h"

enum { HTTP_THREADS_MAX = 256 }; /* event loops, and as many render threads */

struct http_options {
    const char *const *listen; /* see address.h; passed over if a service manager handed over */
    size_t listen_count;
    int port; /* in place of the first address's; -1 for that. 0 takes a free one */
    const char *tls_cert, *tls_key; /* files in PEM form, or null; both are needed for https */
    unsigned loops;                 /* event loops; 0: one for each core */
    unsigned renderers;             /* render threads; 0: one for each core */
    unsigned queue;                 /* renders that may wait; beyond it 503. 0 for 256 */
    uint64_t queue_cost;      /* and their cost, see server/render/cost.h; 0 for 8000 million */
    uint64_t request_cost;    /* that one request may have; 0 for 4000 million */
    unsigned deadline;        /* seconds that a request waits for its turn; 0 for 30 */
    size_t cache_memory;      /* bytes of encoded tiles kept */
    unsigned client_requests; /* a second by one client's address; 0 for any number */
    uint64_t client_cost;     /* millions a second, likewise */
    unsigned client_burst;    /* seconds' worth of both that may come at once; 0 for 10 */
    bool client_loopback;     /* whether that is so for this machine's own, too */
    const char *cache_disk;   /* file of the tier on a disk, or null */
    uint64_t disk_size;       /* bytes it may take */
    const char *const *cache_shared; /* memcached://… each: see shared_ring.h */
    size_t cache_shared_count;
    unsigned shared_timeout;          /* milliseconds */
    uint64_t chunk_samples;           /* of one answer of chunks, at most; 0 for 2²² */
    size_t answers_memory;            /* bytes of large answers being made and sent; 0 for 2²⁸ */
    unsigned connections;             /* at most, over all loops; 0 for 4096 */
    unsigned connections_per_address; /* see peer.h; 0 for no such limit */
    /* Seconds that a connection may take for the headers of a request, for its body, and for a
     * piece of its answer (see timeouts.h); 0 for 10, 30 and 30. */
    unsigned header_timeout, body_timeout, send_timeout;
    unsigned timeout;       /* seconds that a connection may be idle between requests; 0 for 15 */
    const char *access_log; /* a file, "-" for standard output, or null */
    enum access_format access_log_format;
    const char *public_url;           /* base of absolute URLs, or null: from the Host header */
    const char *const *allowed_hosts; /* Host values (without port) that absolute URLs may be built
                                         from; a loopback name or address is always one */
    size_t allowed_host_count;
    const char *const *trusted_proxies; /* addresses and networks: see network_list.h */
    size_t trusted_proxy_count;
    struct catalog *catalog; /* taken over, in failure too */
    const int *handed;       /* listening sockets that another server has too, to be copied and
                                used for those addresses that they are on */
    unsigned handed_count;
};

/* Whether a text may be one of `listen`, of `trusted_proxies`, or `public_url`. Pure; the error
 * says what it must be. */
bool http_check_address(const char *text, struct error *error);
bool http_check_proxy(const char *text, struct error *error);
bool http_check_url(const char *text, struct error *error);

struct http_server;

/* Reloads so far. */
struct reloads {
    uint64_t done, failed;
};

/* How a server ends. */
struct shutdown_options {
    unsigned grace_period; /* seconds in which it only says that it is about to end */
    unsigned seconds;      /* then, for what has begun */
    bool succeeded;        /* another process accepts on the same sockets */
};

/* All functions are for one thread, the one that minds the server, but for http_server_reloads().
 *
 * Listens and answers from its own threads; with sockets that were handed over it accepts only from
 * http_server_start_accepting() on. Null on failure ("… port 8080 is in use"). */
struct http_server *http_server_start(const struct http_options *options, struct error *error);
/* The server that had the sockets before ends: they are this one's alone. */
void http_server_start_accepting(struct http_server *server);
/* The address of its i-th place, as in "http://127.0.0.1:8080"; false beyond the last one. */
bool http_server_address(const struct http_server *server, unsigned i,
                         char text[LISTEN_ADDRESS_TEXT]);
/* The access log, if there is one, is soon opened anew by its name. From any thread. */
void http_server_reopen_log(struct http_server *server);
/* All listening sockets, for a process that is to share them; 0 if there are more than `most`. */
unsigned http_server_listeners(const struct http_server *server, int *sockets, unsigned most);

/* Puts new worlds, styles and settings in the place of the old ones for every request that begins
 * from now on; those that have begun end with the old ones. What a reload cannot change of the
 * options is passed over. False with all as it was. */
bool http_server_reload(struct http_server *server, const struct http_options *options,
                        struct error *error);
/* Counts a reload that failed before it came to http_server_reload(). */
void http_server_reload_failed(struct http_server *server);
/* From any thread. */
struct reloads http_server_reloads(const struct http_server *server);
/* What is served now; until the next reload. */
const struct catalog *http_server_catalog(const struct http_server *server);
unsigned http_server_generation(const struct http_server *server);

/* A descriptor that can be read when there is something for http_server_poll() to do. */
int http_server_event(const struct http_server *server);
/* Frees what reloads have left behind. False once a drain has come to its end. */
bool http_server_poll(struct http_server *server);
/* Begins to end, and returns at once: see drain.h. Called again it can only make haste. */
void http_server_drain(struct http_server *server, const struct shutdown_options *options);
bool http_server_draining(const struct http_server *server);
/* Waits for the end of the drain, which it begins without patience if nobody has; frees. */
void http_server_stop(struct http_server *server);

#endif
