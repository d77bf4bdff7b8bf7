/* One line of the access log for a request and its response, as JSON or in the combined format of
 * Apache and nginx. Pure.
 * Whatever a client sends, a record is one line, and its texts cannot pass for other fields: JSON
 * escapes quotes, backslashes and control characters, and replaces bytes that are not UTF-8 by
 * U+FFFD; the combined format writes all of these, and everything beyond ASCII, as \xHH. */
#ifndef TERRANE_SERVER_LOG_ACCESS_LINE_H
#define TERRANE_SERVER_LOG_ACCESS_LINE_H

#include "core/base/buffer.h"
#include "server/base/ip_address.h"

enum access_format { ACCESS_JSON, ACCESS_COMBINED };

/* The texts that the client sent, byte for byte. */
enum access_text {
    ACCESS_METHOD,
    ACCESS_TARGET,
    ACCESS_VERSION,
    ACCESS_REFERER,
    ACCESS_AGENT,
    ACCESS_TEXTS
};

enum { ACCESS_TEXT_MAX = 2048 }; /* bytes of each that are kept */

struct access_record {
    int64_t at;       /* end of the response: microseconds since 1970 */
    int64_t duration; /* since the request line, microseconds */
    uint64_t bytes;   /* of the response's body */
    unsigned status;  /* 0 for no response */
    struct ip_address client;
    bool has_client;   /* false for the client of a unix socket, which has no address */
    const char *route; /* the pattern in the table of routes; null for none */
    const char *cache; /* the value of X-Terrane-Cache; null for none */
    uint64_t cost;     /* nanoseconds: see server/render/price.h; 0 if nothing was computed */
    struct {
        const char *bytes; /* null if there is none */
        size_t length;
    } texts[ACCESS_TEXTS];
};

/* {"time":"2026-11-21T11:40:00.123Z","client":"192.0.2.1","method":"GET","target":"/…",
 *  "version":"HTTP/1.1","status":200,"bytes":31234,"seconds":0.000123,"route":"/tiles/…",
 *  "cache":"memory","cost":0,"referer":"…","agent":"…"}
 * A member without a value is null. The combined format has no seconds, route, cache and cost:
 * 192.0.2.1 - - [21/Nov/2026:11:40:00 +0000] "GET /… HTTP/1.1" 200 31234 "…" "…" */
void access_line_write(const struct access_record *record, enum access_format format,
                       struct buffer *out);

#endif
