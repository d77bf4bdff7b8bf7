/* Every question of server/question.h as a route of its name: see router.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/http/admission.h"
#include "server/http/arguments.h"
#include "server/http/handlers.h"
#include "server/http/recipe.h"
#include "server/http/resolve.h"
#include "server/http/response.h"
#include "server/http/router.h"
#include "server/question.h"

/* A question on its way to a render thread and back. */
struct asked {
    struct inquiry inquiry;
    const struct headers *headers; /* the exchange's */
    char etag[ETAG_TEXT];
    struct buffer out;
    enum coding coding; /* of `out` */
    bool done;          /* `out` is the answer, not `problem` */
    struct problem problem;
};

static const char *const types[QUESTION_FORMS] = {
    [QUESTION_JSON] = "application/json",
    [QUESTION_TEXT] = "text/plain; charset=utf-8",
    [QUESTION_SVG] = "image/svg+xml",
    [QUESTION_GEOJSON] = "application/geo+json",
};

static void asked_free(void *work)
{
    struct asked *asked = work;
    buffer_free(&asked->out);
    free(asked);
}

static enum cache_policy asked_policy(const struct exchange *exchange)
{
    return exchange->world_pinned ? CACHE_FOR_EVER : CACHE_REVALIDATE;
}

/* ".svg" and ".geojson" are forms of their own; else ?format= says which. */
static bool read_form(const struct exchange *exchange, const char *extension,
                      struct inquiry *inquiry, struct problem *problem)
{
    bool text = false;
    if (!argument_format(&exchange->request, &text, problem) ||
        !argument_switch(&exchange->request, "pretty", &inquiry->pretty, problem))
        return false;
    if (extension[0])
        inquiry->form = strcmp(extension, ".svg") == 0 ? QUESTION_SVG : QUESTION_GEOJSON;
    else
        inquiry->form = text ? QUESTION_TEXT : QUESTION_JSON;
    return true;
}

static bool refuse(const struct question *question, const struct error *error,
                   struct problem *problem)
{
    problem_from_error(problem, error->code == ERROR_LIMIT ? PROBLEM_TOO_LARGE : PROBLEM_PARAMETER,
                       error);
    snprintf(problem->example, sizeof problem->example, "%s", question->example);
    return false;
}

static void run_question(struct job *job, struct tools *tools)
{
    struct asked *asked = exchange_of_job(job)->work;
    const struct question *question = asked->inquiry.question;
    struct error error = {0};
    if (!tools) {
        problem_set(&asked->problem, PROBLEM_STOPPING, "the server is shutting down");
        return;
    }
    struct sampler *sampler = canvas_sampler(tile_maker_canvas(tools->maker));
    asked->done = question->answer(&asked->inquiry, sampler, &asked->out, &error);
    if (asked->done) {
        asked->coding = response_pack_in(job, tools, asked->headers, &asked->out);
        return;
    }
    refuse(question, &error, &asked->problem);
    problem_name(&asked->problem, question->parameters[0].name);
    snprintf(asked->problem.example, sizeof asked->problem.example, "%s", question->example);
}

static enum handled question_answered(struct exchange *exchange, struct problem *problem)
{
    struct asked *asked = exchange->work;
    if (!asked->done) {
        *problem = asked->problem;
        return FAILED;
    }
    const size_t length = asked->out.length;
    struct MHD_Response *response =
        response_new(&asked->out, types[asked->inquiry.form], asked_policy(exchange));
    response_vary(response, asked->coding);
    return response_tagged(exchange, asked->etag, length, response);
}

/* The entity tag; false when memory is out. */
static bool tag_question(const struct exchange *exchange, struct asked *asked)
{
    const struct inquiry *inquiry = &asked->inquiry;
    struct buffer parameters = {0};
    struct hash128 recipe;
    for (const struct question_parameter *each = inquiry->question->parameters; each->name;
         each++) {
        const char *text = argument_text(&exchange->request, each->name);
        if (text)
            buffer_format(&parameters, "%s=%s&", each->name, text);
    }
    bool done =
        recipe_of_question(inquiry, buffer_string(&parameters), &recipe) && !parameters.failed;
    buffer_free(&parameters);
    if (done)
        etag_write_coded(recipe, headers_coding(&exchange->headers, CODINGS_ALL), asked->etag);
    return done;
}

static bool admit(struct exchange *exchange, const struct inquiry *inquiry, struct problem *problem)
{
    const struct question *question = inquiry->question;
    struct error error = {0};
    if (question->check && !question->check(inquiry, &error))
        return refuse(question, &error, problem);
    const struct charge charge = {question->cost(inquiry), question->smaller, question->example};
    return admission_check(exchange, &charge, problem);
}

static enum handled ask(struct exchange *exchange, const struct inquiry *inquiry,
                        struct problem *problem)
{
    struct asked *asked = calloc(1, sizeof *asked);
    if (asked) {
        asked->inquiry = *inquiry;
        asked->headers = &exchange->headers;
        exchange->work = asked;
        exchange->work_free = asked_free;
    }
    if (!asked || !tag_question(exchange, asked)) {
        problem_set(problem, PROBLEM_BUSY, "out of memory");
        return FAILED;
    }
    const struct response_form form = {asked_policy(exchange), true};
    if (response_unchanged(exchange, asked->etag, form))
        return HANDLED;
    if (!admit(exchange, inquiry, problem))
        return FAILED;
    return exchange_run(exchange, run_question, question_answered, problem);
}

enum handled handle_question(struct exchange *exchange, struct problem *problem)
{
    const char *pattern = exchange->route->pattern, *extension = pattern + strcspn(pattern, ".");
    struct inquiry inquiry = {.question = question_find(pattern, (size_t)(extension - pattern))};
    struct error error = {0};
    const struct question_source source = {&exchange->request, argument_text, &error};
    if (!read_form(exchange, extension, &inquiry, problem))
        return FAILED;
    enum handled resolved = resolve_world(exchange, exchange->world_text, problem);
    if (resolved != HANDLED)
        return resolved;
    inquiry.world = exchange->world;
    if (!inquiry.question->read(&source, &inquiry)) {
        argument_problem(inquiry.question->parameters, inquiry.question->example, &error, problem);
        return FAILED;
    }
    return ask(exchange, &inquiry, problem);
}
