/* Responses: the headers that all of them have, caching, entity tags, compression. */
#ifndef TERRANE_SERVER_HTTP_RESPONSE_RESPONSE_H
#define TERRANE_SERVER_HTTP_RESPONSE_RESPONSE_H

#include "server/http/jobs/http_request.h"

enum cache_policy {
    CACHE_NO_STORE,   /* no-store: errors, responses to POST, the state of the server */
    CACHE_REVALIDATE, /* no-cache: whatever may change */
    CACHE_IMMUTABLE,  /* pinned: immutable for a year */
};
/* The policy of a response that depends on worlds; `pinned` if its URL pins all of them. Styles are
 * in no world's fingerprint, so a client that wants to see edits of a style has to pin the style,
 * too; the URLs in documents do. */
enum cache_policy response_cache_policy(bool pinned);

/* The properties that all responses of one URL have in common. */
struct response_caching {
    enum cache_policy policy;
    bool varies; /* depends on Accept-Encoding */
};

/* The entity tag of a hash, without a length. The tag of a response that is made from a recipe gets
 * the length of its bytes as well: a 304, which is answered from the recipe alone, then knows how
 * long the response is that it stands for. */
void etag_write(struct hash128 hash, char etag[ETAG_TEXT]);
/* The tag of a document in that coding, from the hash of the document. */
void etag_write_with_coding(struct hash128 hash, enum coding coding, char etag[ETAG_TEXT]);

/* Responses under construction. What cannot be made or added for want of memory is remembered in
 * `failed`, so that no call but response_finish() has a result to check: a response goes out with
 * all its headers or not at all. A shared response fails if something is added to it.
 *
 * No other module calls the library's functions for responses, but for send_response.c, which
 * queues them; `make arrows` checks that. */

/* A response with the body's bytes, which it takes (the buffer is empty afterwards), and the
 * headers that all responses have; `content_type` may be null. */
struct response response_new(struct buffer *body, const char *content_type,
                             enum cache_policy policy);
/* Bytes that stay where they are until `release` is called with `context`, which happens at once if
 * the response fails. With a null `release` they stay for ever. */
struct response_bytes {
    const void *bytes;
    size_t length;
    void (*release)(void *context);
    void *context;
};
struct response response_from_bytes(const struct response_bytes *bytes, const char *content_type,
                                    enum cache_policy policy);
/* A body that is read in pieces of at most `block` bytes: see MHD_ContentReaderCallback. A length
 * that is not known is MHD_SIZE_UNKNOWN. */
struct response_stream {
    uint64_t length;
    size_t block;
    ssize_t (*read)(void *context, uint64_t position, char *bytes, size_t size);
    void (*release)(void *context); /* as above */
    void *context;
};
struct response response_from_stream(const struct response_stream *stream, const char *content_type,
                                     enum cache_policy policy);
/* The headers of a body whose length is not known, for HEAD. The connection closes behind them, as
 * the library ends a chunked body even where there is none (0.9.75). */
struct response response_without_stream(const char *content_type, enum cache_policy policy);

void response_add_header(struct response *response, const char *name, const char *value);
/* `headers` are each a name and a value, both terminated. */
void response_add_headers(struct response *response, const struct buffer *headers);
/* Vary: Accept-Encoding, and Content-Encoding. */
void response_add_vary(struct response *response, enum coding coding);
/* The durations of the parts of making the response, in microseconds. */
struct response_times {
    uint32_t waited, render, encode;
};
void response_add_server_timing(struct response *response, struct response_times times);

/* Null if the response has failed, and destroys it then, unless it is shared. */
struct MHD_Response *response_finish(struct response *response);
void response_destroy(struct MHD_Response *mhd_response); /* null is allowed */

/* The coding that a document of that length is sent in: identity if it is short. */
enum coding response_select_coding(const struct headers *headers, size_t length);
/* Compresses the body, on a render thread, in the coding that the client prefers, and returns that.
 * Without memory the body has failed. The job gets the time that it took. */
enum coding response_compress_in_job(struct job *job, const struct worker_context *worker,
                                     const struct headers *headers, struct buffer *body);
/* Compresses the body, which has that hash, in that coding; the loop keeps the result for the next
 * request. False when memory is out. */
bool response_compress_document(struct event_loop *loop, struct hash128 hash, enum coding coding,
                                struct buffer *body);

/* The following set the response of the request and return HANDLER_DONE. If the response has failed
 * by the time it is sent, send_response() sends response_without_memory() instead. */
enum handler_result response_set(struct http_request *request, unsigned status,
                                 struct response response);
/* A response that has this entity tag and so many bytes: 200, or 304 if the client has it. */
enum handler_result response_set_tagged(struct http_request *request, const char *etag,
                                        uint64_t length, struct response response);
/* 206: the range of a representation of that length; the response has the range's bytes. */
enum handler_result response_set_part(struct http_request *request, const struct byte_range *range,
                                      uint64_t length, struct response response);
/* response_set_tagged() for a finished response that requests share. */
enum handler_result response_set_shared(struct http_request *request, const char *etag,
                                        uint64_t length, struct MHD_Response *shared);
/* response_set_tagged() for a response made from a recipe: its tag gets the length, and is added to
 * the response. */
enum handler_result response_with_etag(struct http_request *request, char etag[ETAG_TEXT],
                                       uint64_t length, struct response response);
/* A document, which it takes, under an entity tag of its content, compressed if the client takes
 * that: 200 or 304. */
enum handler_result response_document(struct http_request *request, struct buffer *body,
                                      const char *content_type, enum cache_policy policy);
/* Takes the headers that let pages of other origins use the response from the one that is set. */
void response_keep_from_other_origins(struct http_request *request);
/* Adds Vary: Accept to the response that is set. */
void response_depends_on_accept(struct http_request *request);
/* True with 304, without anything being made, if the client has the recipe's tag with a length. */
bool response_not_modified(struct http_request *request, const char *etag,
                           struct response_caching caching);
/* 204 to an OPTIONS request. `allow`: the methods. */
enum handler_result response_options(struct http_request *request, const char *allow);
/* application/problem+json (RFC 9457), with the headers that the problem requires; `base_path`
 * stands in front of the paths in it. */
enum handler_result response_problem(struct http_request *request, const struct problem *problem,
                                     const char *base_path);
/* The same as an OWS exception report, version 1.1.0 of OWS Common (OGC 06-121r3, 8), as services
 * of the OGC have it. */
enum handler_result response_ows_exception(struct http_request *request,
                                           const struct problem *problem);
/* 503 for requests whose response has failed, to be made before that happens and shared by all of
 * them; `*length` is that of its body. Null when memory is out. */
struct MHD_Response *response_without_memory(uint64_t *length);

/* Appends the whole response to a problem as bytes, status line included, for where the library
 * cannot be used. Returns the length of its body. */
size_t response_write_problem(const struct problem *problem, struct buffer *out);

#endif
