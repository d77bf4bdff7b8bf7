/* Making answers: the headers that all of them have, caching, entity tags. */
#ifndef TERRANE_SERVER_HTTP_RESPONSE_RESPONSE_H
#define TERRANE_SERVER_HTTP_RESPONSE_RESPONSE_H

#include "server/http/http_request.h"

enum cache_policy {
    CACHE_NO_STORE,   /* no-store: errors, answers to POST, the state of the server */
    CACHE_REVALIDATE, /* no-cache: whatever may change */
    CACHE_IMMUTABLE,  /* pinned: immutable */
};

/* What all answers of an address have in common. */
struct response_caching {
    enum cache_policy policy;
    bool varies; /* depends on Accept-Encoding */
};

/* Without a length. Who makes an answer from a recipe adds it to the tag that goes out with the
 * bytes, so that a client's tag says how long the answer is which a 304 stands for. */
void etag_write(struct hash128 hash, char etag[ETAG_TEXT]);
/* The tag of what has this hash before it is coded. */
void etag_write_with_coding(struct hash128 hash, enum coding coding, char etag[ETAG_TEXT]);

/* A response with the body's bytes, which it takes (the buffer is empty afterwards), and the
 * headers that all answers have. Null when memory is out. */
struct MHD_Response *response_new(struct buffer *body, const char *content_type,
                                  enum cache_policy policy);
/* Adds those headers to a response made otherwise; null for null or on failure, the response being
 * destroyed then. */
struct MHD_Response *response_add_common_headers(struct MHD_Response *response,
                                                 const char *content_type,
                                                 enum cache_policy policy);
/* Adds one header; false for a null response or on failure. */
bool response_add_header(struct MHD_Response *response, const char *name, const char *value);
/* Adds headers that stand in `headers` each as its name and its value, both terminated; false for a
 * null response, if the buffer has failed, or on failure. */
bool response_add_headers(struct MHD_Response *response, const struct buffer *headers);
/* Says that the answer depends on Accept-Encoding, and which coding this one has. */
bool response_add_vary(struct MHD_Response *response, enum coding coding);
/* Replaces the body by what it is in the coding that the client prefers, and says which that is. A
 * short one stays as it is, unless the client refuses that. Without memory the body has failed. */
enum coding response_compress(struct coder *coder, const struct headers *headers,
                              struct buffer *body);

/* The same on a render thread, whose job is told how long it took. */
enum coding response_compress_in_job(struct job *job, const struct worker_context *worker,
                                     const struct headers *headers, struct buffer *body);

/* Where the time went of an answer that a render thread made, in microseconds. */
struct response_times {
    uint32_t waited, render, encode;
};
/* Adds Server-Timing; false for a null response or on failure. */
bool response_add_server_timing(struct MHD_Response *response, struct response_times times);

/* The following fill the exchange's answer and return HANDLED. A response that could not be made
 * leaves it empty, and the connection is closed. */
enum handler_result response_set(struct http_request *request, unsigned status,
                                 struct MHD_Response *response);
/* A document under an entity tag of its content, compressed if the client takes that: 200, or 304
 * if the client has it. */
enum handler_result response_document(struct http_request *request, struct buffer *body,
                                      const char *content_type, enum cache_policy policy);
/* The same for one that stays the same as long as the program runs: it is written when it is first
 * asked for. */
typedef bool static_document_writer(bool pretty, struct buffer *out, struct error *error);
enum handler_result response_static_document(struct http_request *request,
                                             struct static_document *document, bool pretty,
                                             static_document_writer *write,
                                             struct problem *problem);
/* The coding that a document of that length is sent in. */
enum coding response_select_coding(const struct headers *headers, size_t length);
/* Replaces the body, which has that hash, by what it is in that coding; made once if it can be
 * kept. False when memory is out. */
bool response_compress_document(struct event_loop *loop, struct hash128 hash, enum coding coding,
                                struct buffer *body);
/* An answer that was made, under its recipe's tag, which gets its length: 200, or 304 if the client
 * has it. */
enum handler_result response_with_etag(struct http_request *request, char etag[ETAG_TEXT],
                                       uint64_t length, struct MHD_Response *response);
/* True with 304, without making anything, if the client names the recipe's tag with a length. */
bool response_not_modified(struct http_request *request, const char *etag,
                           struct response_caching caching);
/* The problem gets an example if it has none and the route has one. */
enum handler_result response_problem(struct http_request *request, struct problem *problem);
/* The same as bytes, status line and headers included, for where the library cannot be used. How
 * many of them are the body. */
size_t response_write_problem(const struct problem *problem, struct buffer *out);
/* 204 to an OPTIONS request for what takes these methods. */
enum handler_result response_options(struct http_request *request, const char *allow);

#endif
