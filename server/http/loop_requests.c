/* Requests are kept for reuse, each with room for the values of its parameters: a struct
 * http_request has 8 KB, most of it arrays that are written before they are read and need no
 * clearing. So a request costs no allocation, and only its first KB or two are cleared.
 *
 * `next` and `previous` serve all lists, as a request is in one of them at a time: while its
 * headers come, while its chunked body comes, or while it waits (jobs/http_request_wait.c). */
#include "server/http/loop_requests.h"

#include <stdlib.h>
#include <string.h>

#include "server/http/response/compressed_cache.h"
#include "server/http/response/static_document.h"
#include "server/queries/parameters.h"

enum { POOL_MAX = 256 };

bool loop_requests_init(struct event_loop *loop)
{
    loop->requests = calloc(1, sizeof *loop->requests);
    return loop->requests;
}

void loop_requests_free(struct event_loop *loop)
{
    struct loop_requests *requests = loop->requests;
    if (!requests)
        return;
    while (requests->pool) {
        struct http_request *request = requests->pool;
        requests->pool = request->next;
        free(request);
    }
    compressed_cache_free(requests->compressed_cache);
    static_documents_free(requests->static_documents);
    free(requests);
    loop->requests = NULL;
}

/* Freed as one. */
struct room {
    struct http_request request; /* first member */
    struct parameter_values values;
};

static struct http_request *request_new(void)
{
    struct room *room = malloc(sizeof *room);
    if (!room)
        return NULL;
    room->request.values = &room->values;
    return &room->request;
}

static struct http_request *pool_take(struct loop_requests *requests)
{
    struct http_request *request = requests->pool;
    if (!request)
        return request_new();
    requests->pool = request->next;
    requests->pool_size--;
    return request;
}

static void list_prepend(struct http_request **list, struct http_request *request)
{
    request->previous = NULL;
    request->next = *list;
    if (*list)
        (*list)->previous = request;
    *list = request;
}

static void list_remove(struct http_request **list, struct http_request *request)
{
    *(request->previous ? &request->previous->next : list) = request->next;
    if (request->next)
        request->next->previous = request->previous;
}

struct http_request *loop_requests_add(struct event_loop *loop)
{
    struct http_request *request = pool_take(loop->requests);
    if (!request)
        return NULL;
    memset(request, 0, offsetof(struct http_request, problem));
    request->loop = loop;
    request->server = loop->group->server;
    list_prepend(&loop->requests->reading_headers, request);
    loop->active++;
    return request;
}

void loop_requests_add_upload(struct http_request *request)
{
    list_prepend(&request->loop->requests->chunked_uploads, request);
    request->upload.linked = true;
    request->upload.bytes_at_last_data = connection_bytes_received(request->connection);
}

void loop_requests_unlink(struct http_request *request)
{
    struct loop_requests *requests = request->loop->requests;
    if (request->state == HTTP_REQUEST_HEADERS)
        list_remove(&requests->reading_headers, request);
    else if (request->upload.linked)
        list_remove(&requests->chunked_uploads, request);
    request->upload.linked = false;
}

void loop_requests_remove(struct http_request *request)
{
    struct loop_requests *requests = request->loop->requests;
    loop_requests_unlink(request);
    if (requests->last_answered == request)
        requests->last_answered = NULL;
    request->loop->active--;
    if (requests->pool_size >= POOL_MAX) {
        free(request);
        return;
    }
    request->next = requests->pool;
    requests->pool = request;
    requests->pool_size++;
}
