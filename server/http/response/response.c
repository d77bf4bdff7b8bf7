/* Making responses. Three things decide how a body goes out:
 *
 * - The entity tag is of the recipe (tiles, chunks, queries) or of the content (documents), and
 *   differs from coding to coding. A request that names it is answered 304 before anything is made.
 * - The coding is what the client prefers of those that pay: documents below 1 KB stay as they are.
 *   Documents are compressed once and kept by hash (compressed_cache.h).
 * - The cache policy follows from the URL: a pinned one never changes its meaning. */
#include "server/http/response/response.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/utf8.h"
#include "server/base/clock.h"
#include "server/base/xml.h"
#include "server/http/jobs/server_state.h"
#include "server/http/response/compressed_cache.h"

/* A shorter document fits into a packet with its headers, compressed or not. */
enum { COMPRESS_BYTES_MIN = 1024 };

static const char *const cache_control_values[] = {
    [CACHE_NO_STORE] = "no-store",
    [CACHE_REVALIDATE] = "no-cache",
    [CACHE_IMMUTABLE] = "public, max-age=31536000, immutable",
};

enum cache_policy response_cache_policy(bool pinned)
{
    return pinned ? CACHE_IMMUTABLE : CACHE_REVALIDATE;
}

void etag_write(struct hash128 hash, char etag[ETAG_TEXT])
{
    hash_hex(hash, etag + 1);
    etag[0] = '"';
    memcpy(etag + strlen(etag), "\"", 2);
}

void etag_write_with_coding(struct hash128 hash, enum coding coding, char etag[ETAG_TEXT])
{
    etag_write(hash, etag);
    if (coding != CODING_IDENTITY)
        etag_write(hash_bytes(etag, strlen(etag), (uint64_t)coding), etag);
}

void response_add_header(struct response *response, const char *name, const char *value)
{
    if (response->failed || response->shared ||
        MHD_add_response_header(response->mhd_response, name, value) != MHD_YES)
        response->failed = true;
}

void response_add_headers(struct response *response, const struct buffer *headers)
{
    const char *at = (const char *)headers->data, *end = at + headers->length;
    response->failed = response->failed || headers->failed;
    while (at < end) {
        const char *value = at + strlen(at) + 1;
        response_add_header(response, at, value);
        at = value + strlen(value) + 1;
    }
}

void response_add_vary(struct response *response, enum coding coding)
{
    const char *name = coding_name(coding);
    response_add_header(response, "Vary", "Accept-Encoding");
    if (name)
        response_add_header(response, "Content-Encoding", name);
}

enum coding response_select_coding(const struct headers *headers, size_t length)
{
    return length < COMPRESS_BYTES_MIN && !headers_forbid_identity(headers)
               ? CODING_IDENTITY
               : headers_select_coding(headers, CODINGS_ALL);
}

enum coding response_compress_in_job(struct job *job, const struct worker_context *worker,
                                     const struct headers *headers, struct buffer *body)
{
    const int64_t begun = clock_microseconds();
    const struct coding_order order = {response_select_coding(headers, body->length), CODING_SERVE};
    struct coder *coder = tile_maker_coder(worker->maker);
    struct buffer compressed = {0};
    if (body->failed || order.coding == CODING_IDENTITY)
        return CODING_IDENTITY;
    if (!coder || !coder_append(coder, order, body, &compressed, NULL))
        compressed.failed = true;
    buffer_free(body);
    *body = compressed;
    job->encoded = (uint32_t)(clock_microseconds() - begun);
    return order.coding;
}

void response_add_server_timing(struct response *response, struct response_times times)
{
    char text[128];
    snprintf(text, sizeof text, "render;dur=%u.%03u, encode;dur=%u.%03u, queue;dur=%u.%03u",
             times.render / 1000, times.render % 1000, times.encode / 1000, times.encode % 1000,
             times.waited / 1000, times.waited % 1000);
    response_add_header(response, "Server-Timing", text);
}

/* Begins a response with the headers that all have. */
static struct response begin(struct MHD_Response *mhd_response, const char *content_type,
                             enum cache_policy policy)
{
    struct response response = {mhd_response, false, mhd_response == NULL};
    if (content_type)
        response_add_header(&response, "Content-Type", content_type);
    response_add_header(&response, "Cache-Control", cache_control_values[policy]);
    response_add_header(&response, "Access-Control-Allow-Origin", "*");
    response_add_header(&response, "Access-Control-Expose-Headers",
                        "Accept-Ranges, Content-Range, ETag, Retry-After, Server-Timing, "
                        "X-Terrane-Cache");
    response_add_header(&response, "X-Content-Type-Options", "nosniff");
    return response;
}

struct response response_from_bytes(const struct response_bytes *bytes, const char *content_type,
                                    enum cache_policy policy)
{
    void *body = (void *)(uintptr_t)bytes->bytes;
    struct MHD_Response *made =
        bytes->release
            ? MHD_create_response_from_buffer_with_free_callback_cls(bytes->length, body,
                                                                     bytes->release, bytes->context)
            : MHD_create_response_from_buffer(bytes->length, body, MHD_RESPMEM_PERSISTENT);
    if (!made && bytes->release)
        bytes->release(bytes->context);
    return begin(made, content_type, policy);
}

struct response response_from_stream(const struct response_stream *stream, const char *content_type,
                                     enum cache_policy policy)
{
    struct MHD_Response *made = MHD_create_response_from_callback(
        stream->length, stream->block, stream->read, stream->context, stream->release);
    if (!made && stream->release)
        stream->release(stream->context);
    return begin(made, content_type, policy);
}

static ssize_t read_no_body(void *context, uint64_t position, char *bytes, size_t size)
{
    (void)context;
    (void)position;
    (void)bytes;
    (void)size;
    return MHD_CONTENT_READER_END_OF_STREAM;
}

struct response response_without_stream(const char *content_type, enum cache_policy policy)
{
    const struct response_stream no_body = {MHD_SIZE_UNKNOWN, 1, read_no_body, NULL, NULL};
    struct response response = response_from_stream(&no_body, content_type, policy);
    if (!response.failed &&
        MHD_set_response_options(response.mhd_response, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT,
                                 MHD_RO_END) != MHD_YES)
        response.failed = true;
    return response;
}

struct response response_new(struct buffer *body, const char *content_type,
                             enum cache_policy policy)
{
    const struct buffer taken = *body;
    *body = (struct buffer){0};
    const struct response_bytes bytes = {taken.data, taken.length, free, taken.data};
    struct response response = response_from_bytes(&bytes, content_type, policy);
    response.failed = response.failed || taken.failed;
    return response;
}

struct MHD_Response *response_finish(struct response *response)
{
    struct MHD_Response *made = response->mhd_response;
    if (!response->failed)
        return made;
    if (!response->shared)
        response_destroy(made);
    *response = (struct response){.failed = true};
    return NULL;
}

void response_destroy(struct MHD_Response *mhd_response)
{
    if (mhd_response)
        MHD_destroy_response(mhd_response);
}

enum handler_result response_set(struct http_request *request, unsigned status,
                                 struct response response)
{
    request->response.status = status;
    request->response.made = response;
    return HANDLER_DONE;
}

enum handler_result response_set_tagged(struct http_request *request, const char *etag,
                                        uint64_t length, struct response response)
{
    const bool known = headers_match_etag(&request->headers, etag);
    request->response.body_length = length;
    return response_set(request, known ? MHD_HTTP_NOT_MODIFIED : MHD_HTTP_OK, response);
}

enum handler_result response_set_part(struct http_request *request, const struct byte_range *range,
                                      uint64_t length, struct response response)
{
    char text[96];
    snprintf(text, sizeof text, "bytes %" PRIu64 "-%" PRIu64 "/%" PRIu64, range->first,
             range->first + range->count - 1, length);
    response_add_header(&response, "Content-Range", text);
    request->response.body_length = range->count;
    return response_set(request, MHD_HTTP_PARTIAL_CONTENT, response);
}

enum handler_result response_set_shared(struct http_request *request, const char *etag,
                                        uint64_t length, struct MHD_Response *shared)
{
    return response_set_tagged(request, etag, length,
                               (struct response){shared, true, shared == NULL});
}

enum handler_result response_with_etag(struct http_request *request, char etag[ETAG_TEXT],
                                       uint64_t length, struct response response)
{
    etag_add_length(etag, length);
    response_add_header(&response, "ETag", etag);
    return response_set_tagged(request, etag, length, response);
}

/* The library writes the length that the response object has into the Content-Length of a 304. With
 * an empty object that is a wrong 0; with one of unknown length it writes "Transfer-Encoding:
 * chunked", for which some clients wait for a body, or closes the connection. So the tag carries
 * the length, and the object has that length and a body that is never read. */
bool response_not_modified(struct http_request *request, const char *etag,
                           struct response_caching caching)
{
    char known[ETAG_TEXT];
    uint64_t length;
    memcpy(known, etag, sizeof known);
    if (!headers_find_etag_length(&request->headers, known, &length))
        return false;
    const struct response_stream no_body = {.length = length, .block = 1, .read = read_no_body};
    struct response response = response_from_stream(&no_body, NULL, caching.policy);
    response_add_header(&response, "ETag", known);
    if (caching.varies)
        response_add_vary(&response, CODING_IDENTITY);
    response_set(request, MHD_HTTP_NOT_MODIFIED, response);
    return true;
}

bool response_compress_document(struct event_loop *loop, struct hash128 hash, enum coding coding,
                                struct buffer *body)
{
    if (coding == CODING_IDENTITY)
        return true;
    struct loop_requests *requests = loop->requests;
    if (!requests->compressed_cache)
        requests->compressed_cache = compressed_cache_new(&loop->group->server->cache_charges);
    return requests->compressed_cache &&
           compressed_cache_encode(requests->compressed_cache, hash, coding, body);
}

enum handler_result response_document(struct http_request *request, struct buffer *body,
                                      const char *content_type, enum cache_policy policy)
{
    const struct hash128 hash = hash_bytes(body->data, body->length, 0);
    const enum coding coding =
        body->failed ? CODING_IDENTITY : response_select_coding(&request->headers, body->length);
    const struct response_caching caching = {policy, true};
    char etag[ETAG_TEXT];
    etag_write_with_coding(hash, coding, etag);
    if (response_not_modified(request, etag, caching)) {
        buffer_free(body);
        return HANDLER_DONE;
    }
    if (!response_compress_document(request->loop, hash, coding, body))
        body->failed = true;
    const size_t length = body->length;
    struct response response = response_new(body, content_type, policy);
    response_add_vary(&response, coding);
    return response_with_etag(request, etag, length, response);
}

void response_depends_on_accept(struct http_request *request)
{
    response_add_header(&request->response.made, "Vary", "Accept");
}

void response_keep_from_other_origins(struct http_request *request)
{
    static const char *const names[] = {
        "Access-Control-Allow-Origin", "Access-Control-Expose-Headers",
        "Access-Control-Allow-Methods", "Access-Control-Allow-Headers", "Access-Control-Max-Age"};
    struct response *response = &request->response.made;
    for (size_t i = 0; i < sizeof names / sizeof *names && response->mhd_response; i++) {
        const char *value = MHD_get_response_header(response->mhd_response, names[i]);
        if (value && MHD_del_response_header(response->mhd_response, names[i], value) != MHD_YES)
            response->failed = true;
    }
}

enum handler_result response_options(struct http_request *request, const char *allow)
{
    struct buffer body = {0};
    struct response response = response_new(&body, NULL, CACHE_NO_STORE);
    response_add_header(&response, "Allow", allow);
    response_add_header(&response, "Access-Control-Allow-Methods", allow);
    response_add_header(&response, "Access-Control-Allow-Headers",
                        "Content-Type, If-None-Match, If-Range, Range");
    response_add_header(&response, "Access-Control-Max-Age", "86400");
    return response_set(request, MHD_HTTP_NO_CONTENT, response);
}

/* With that body, which it takes, and the headers that the problem requires. */
static struct response problem_response(const struct problem *problem, struct buffer *body,
                                        const char *content_type, uint64_t *length)
{
    *length = body->length;
    struct response response = response_new(body, content_type, CACHE_NO_STORE);
    if (problem_retry_after(problem)) {
        char seconds[16];
        snprintf(seconds, sizeof seconds, "%u", problem_retry_after(problem));
        response_add_header(&response, "Retry-After", seconds);
    }
    if (problem->allow)
        response_add_header(&response, "Allow", problem->allow);
    if (problem->kind == PROBLEM_RANGE) {
        char range[32];
        snprintf(range, sizeof range, "bytes */%" PRIu64, problem->complete_length);
        response_add_header(&response, "Content-Range", range);
    }
    return response;
}

static struct response make_problem(const struct problem *problem, const char *base_path,
                                    uint64_t *length)
{
    struct buffer body = {0};
    problem_write(problem, base_path, &body);
    return problem_response(problem, &body, "application/problem+json", length);
}

/* The code by which programs tell errors apart. A parameter that is named and not there is missing.
 */
static const char *ows_code(const struct http_request *request, const struct problem *problem)
{
    if (problem->ows_code)
        return problem->ows_code;
    if (!problem->parameter[0])
        return "NoApplicableCode";
    if (problem->kind == PROBLEM_PARAMETER && !target_find(&request->target, problem->parameter))
        return "MissingParameterValue";
    return strcmp(problem->parameter, "REQUEST") == 0 ? "OperationNotSupported"
                                                      : "InvalidParameterValue";
}

/* A text of a problem, which may be cut within its last character: as problem_write() does it. */
static void append_problem_text(const char *text, struct buffer *out)
{
    struct buffer whole = {0};
    buffer_append(&whole, text, utf8_trim(text, strlen(text)));
    xml_text(out, buffer_string(&whole));
    out->failed = out->failed || whole.failed;
    buffer_free(&whole);
}

enum handler_result response_ows_exception(struct http_request *request,
                                           const struct problem *problem)
{
    struct buffer body = {0};
    buffer_format(&body,
                  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                  "<ows:ExceptionReport xmlns:ows=\"http://www.opengis.net/ows/1.1\" "
                  "version=\"1.0.0\" xml:lang=\"en\">\n<ows:Exception exceptionCode=\"%s\"",
                  ows_code(request, problem));
    if (problem->parameter[0]) {
        buffer_text(&body, " locator=\"");
        append_problem_text(problem->parameter, &body);
        buffer_text(&body, "\"");
    }
    buffer_text(&body, "><ows:ExceptionText>");
    append_problem_text(problem->detail, &body);
    if (problem->allowed[0]) {
        buffer_text(&body, "; allowed: ");
        append_problem_text(problem->allowed, &body);
    }
    buffer_text(&body, "</ows:ExceptionText></ows:Exception>\n</ows:ExceptionReport>\n");
    request->response.close = problem->close_connection;
    return response_set(
        request, problem_status(problem),
        problem_response(problem, &body, "application/xml", &request->response.body_length));
}

enum handler_result response_problem(struct http_request *request, const struct problem *problem,
                                     const char *base_path)
{
    request->response.close = problem->close_connection;
    return response_set(request, problem_status(problem),
                        make_problem(problem, base_path, &request->response.body_length));
}

struct MHD_Response *response_without_memory(uint64_t *length)
{
    struct problem problem;
    problem_out_of_memory(&problem);
    struct response response = make_problem(&problem, "", length);
    return response_finish(&response);
}

size_t response_write_problem(const struct problem *problem, struct buffer *out)
{
    struct buffer body = {0};
    problem_write(problem, "", &body);
    const size_t length = body.length;
    buffer_format(out,
                  "HTTP/1.1 %u %s\r\nContent-Type: application/problem+json\r\n"
                  "Cache-Control: no-store\r\nAccess-Control-Allow-Origin: *\r\n"
                  "X-Content-Type-Options: nosniff\r\nConnection: close\r\n"
                  "Content-Length: %zu\r\n\r\n",
                  problem_status(problem), MHD_get_reason_phrase_for(problem_status(problem)),
                  length);
    buffer_append(out, body.data, body.length);
    out->failed = out->failed || body.failed;
    buffer_free(&body);
    return length;
}
