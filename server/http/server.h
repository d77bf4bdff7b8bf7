/* The HTTP daemon: one event loop with its own listening socket for each core, and render threads
 * behind a bounded queue. */
#ifndef TERRANE_SERVER_HTTP_SERVER_H
#define TERRANE_SERVER_HTTP_SERVER_H

#include "core/base/error.h"
#include "server/access_line.h"
#include "server/catalog.h"
#include "server/http/address.h"

struct http_options {
    const char *const *listen; /* see address.h; passed over if a service manager handed over */
    size_t listen_count;
    int port; /* in place of the first address's; -1 for that. 0 takes a free one */
    const char *tls_cert, *tls_key;  /* files in PEM form, or null; both are needed for https */
    unsigned loops;                  /* event loops; 0: one for each core */
    unsigned renderers;              /* render threads; 0: one for each core */
    unsigned queue;                  /* renders that may wait; beyond it 503. 0 for 256 */
    uint64_t queue_cost;             /* and their cost, see server/cost.h; 0 for 8000 million */
    uint64_t request_cost;           /* that one request may have; 0 for 4000 million */
    unsigned deadline;               /* seconds that a request waits for its turn; 0 for 30 */
    size_t cache_memory;             /* bytes of encoded tiles kept */
    unsigned client_requests;        /* a second by one client's address; 0 for any number */
    uint64_t client_cost;            /* millions a second, likewise */
    unsigned client_burst;           /* seconds' worth of both that may come at once; 0 for 10 */
    bool client_loopback;            /* whether that is so for this machine's own, too */
    const char *cache_disk;          /* file of the tier on a disk, or null */
    uint64_t disk_size;              /* bytes it may take */
    const char *const *cache_shared; /* memcached://… each: see shared_servers.h */
    size_t cache_shared_count;
    unsigned shared_timeout;          /* milliseconds */
    uint64_t chunk_samples;           /* of one answer of chunks, at most; 0 for 2²² */
    unsigned connections;             /* at most, over all loops; 0 for 4096 */
    unsigned connections_per_address; /* see peer.h; 0 for no such limit */
    /* Seconds that a connection may take for the headers of a request, for its body, and for a
     * piece of its answer (see reaper.h); 0 for 10, 30 and 30. */
    unsigned header_timeout, body_timeout, send_timeout;
    unsigned timeout;       /* seconds without a byte before a connection is closed; 0 for 15 */
    const char *access_log; /* a file, "-" for standard output, or null */
    enum access_format access_log_format;
    const char *public_url;           /* base of absolute URLs, or null: from the Host header */
    const char *const *allowed_hosts; /* Host values (without port) that absolute URLs may be built
                                         from; a loopback name or address is always one */
    size_t allowed_host_count;
    const char *const *trusted_proxies; /* addresses and networks: see proxies.h */
    size_t trusted_proxy_count;
    struct catalog *catalog; /* borrowed for the server's life */
};

struct http_server;

/* Listens and answers from its own threads. Null on failure ("… port 8080 is in use"). */
struct http_server *http_server_start(const struct http_options *options, struct error *error);
/* The address of its i-th place, as in "http://127.0.0.1:8080"; false beyond the last one. */
bool http_server_address(const struct http_server *server, unsigned i, char text[ADDRESS_TEXT]);
/* The access log, if there is one, is soon opened anew by its name. From any thread. */
void http_server_reopen_log(struct http_server *server);
/* Answers what has begun, refuses what is new (readyz 503, then no accepting), ends all threads and
 * frees. At most about `seconds` long. */
void http_server_stop(struct http_server *server, unsigned seconds);

#endif
