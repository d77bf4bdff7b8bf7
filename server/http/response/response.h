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

/* Responses of the library. Functions that return one destroy what they were given if they fail,
 * and return null for null, so that calls can be nested; memory is the only thing that can fail. */

/* A response with the body's bytes, which it takes (the buffer is empty afterwards), and the
 * headers that all responses have. */
struct MHD_Response *response_new(struct buffer *body, const char *content_type,
                                  enum cache_policy policy);
/* Adds those headers to a response made otherwise; `content_type` may be null. */
struct MHD_Response *response_add_common_headers(struct MHD_Response *response,
                                                 const char *content_type,
                                                 enum cache_policy policy);

/* Adding headers: false for a null response or on failure, and the response stays. */
bool response_add_header(struct MHD_Response *response, const char *name, const char *value);
/* `headers` are each a name and a value, both terminated. */
bool response_add_headers(struct MHD_Response *response, const struct buffer *headers);
/* Vary: Accept-Encoding, and Content-Encoding. */
bool response_add_vary(struct MHD_Response *response, enum coding coding);
/* The durations of the parts of making the response, in microseconds. */
struct response_times {
    uint32_t waited, render, encode;
};
bool response_add_server_timing(struct MHD_Response *response, struct response_times times);

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

/* The following set the response of the request and return HANDLER_DONE. A null response closes the
 * connection. */
enum handler_result response_set(struct http_request *request, unsigned status,
                                 struct MHD_Response *response);
/* A response that has this entity tag and so many bytes: 200, or 304 if the client has it. */
enum handler_result response_set_tagged(struct http_request *request, const char *etag,
                                        uint64_t length, struct MHD_Response *response);
/* response_set_tagged() for a response made from a recipe: its tag gets the length, and is added to
 * the response. */
enum handler_result response_with_etag(struct http_request *request, char etag[ETAG_TEXT],
                                       uint64_t length, struct MHD_Response *response);
/* A document, which it takes, under an entity tag of its content, compressed if the client takes
 * that: 200 or 304. */
enum handler_result response_document(struct http_request *request, struct buffer *body,
                                      const char *content_type, enum cache_policy policy);
/* True with 304, without anything being made, if the client has the recipe's tag with a length. */
bool response_not_modified(struct http_request *request, const char *etag,
                           struct response_caching caching);
/* 204 to an OPTIONS request. `allow`: the methods. */
enum handler_result response_options(struct http_request *request, const char *allow);
/* application/problem+json (RFC 9457), with the headers that the problem requires. */
enum handler_result response_problem(struct http_request *request, const struct problem *problem);

/* Appends the whole response to a problem as bytes, status line included, for where the library
 * cannot be used. Returns the length of its body. */
size_t response_write_problem(const struct problem *problem, struct buffer *out);

#endif
