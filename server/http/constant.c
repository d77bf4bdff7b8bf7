#include "server/http/constant.h"

#include "server/http/response.h"

void constant_free(struct constant *constant)
{
    buffer_free(&constant->text);
    for (size_t i = 0; i < CONSTANT_CODINGS; i++)
        if (constant->answers[i].response)
            MHD_destroy_response(constant->answers[i].response);
    *constant = (struct constant){0};
}

/* Null, and nothing kept, when memory is out. */
static const struct constant_answer *find_answer(struct loop *loop, struct constant *constant,
                                                 enum coding coding)
{
    struct constant_answer *answer = &constant->answers[coding];
    if (answer->response)
        return answer;
    const struct hash128 hash = hash_bytes(constant->text.data, constant->text.length, 0);
    struct buffer body = {0};
    buffer_append(&body, constant->text.data, constant->text.length);
    if (!response_pack_document(loop, hash, coding, &body))
        body.failed = true;
    answer->length = body.length;
    etag_write_coded(hash, coding, answer->etag);
    etag_add_length(answer->etag, answer->length);
    struct MHD_Response *response = response_new(&body, "application/json", CACHE_REVALIDATE);
    if (response_vary(response, coding) && response_header(response, "ETag", answer->etag)) {
        answer->response = response;
        return answer;
    }
    if (response)
        MHD_destroy_response(response);
    return NULL;
}

enum handled response_constant(struct exchange *exchange, struct constant *constant, bool pretty,
                               constant_writer *write, struct problem *problem)
{
    struct error error = {0};
    if (constant->text.length == 0 && !write(pretty, &constant->text, &error)) {
        buffer_free(&constant->text);
        problem_from_error(problem, PROBLEM_INTERNAL, &error);
        return FAILED;
    }
    const enum coding coding = response_coding(&exchange->headers, constant->text.length);
    const struct constant_answer *answer = find_answer(exchange->loop, constant, coding);
    if (!answer)
        return response_answer(exchange, MHD_HTTP_OK, NULL);
    const bool known = headers_match(&exchange->headers, answer->etag);
    response_answer(exchange, known ? MHD_HTTP_NOT_MODIFIED : MHD_HTTP_OK, answer->response);
    exchange->response_shared = true;
    exchange->body_length = answer->length;
    return HANDLED;
}
