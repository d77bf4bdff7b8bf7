/* /render: a picture, or samples, of any rectangle.
 *
 * A picture may take seconds, so it is made in pieces (answer_pieces.h): each is a step of
 * server/render/picture.h, a band of rows or the encoding of the whole, and is paid and queued by
 * itself. The bytes are those that `terrane render --effort fast` writes. They are collected: so
 * the response has a length, an entity tag of the recipe like a tile's, and an error in the middle
 * is a problem. The memory for them is reserved before the first piece, at the most that they take.
 *
 * The entity tag is a hash of everything that can change a byte: a conditional request is answered
 * without compiling or sampling. */
#include "core/base/place.h"
#include "server/http/jobs/server_state.h"
#include "server/http/response/answer_pieces.h"
#include "server/http/routes/handlers.h"
#include "server/http/routes/resolve.h"
#include "server/queries/parameters.h"
#include "server/render/area.h"
#include "server/render/format.h"
#include "server/render/picture.h"

enum {
    RECIPE_VERSION = 1,
    WIDTH = 1024,       /* pixels, if nothing says how many */
    ROW_BYTES = 16,     /* of a format, besides the pixels: the filter of a row and more */
    HEAD_BYTES = 65536, /* of a file, and of its parts */
    COPIES = 2,         /* pixels that are collected, and the file */
};

struct render_job {
    struct answer_job answer;
    struct picture picture; /* of the world's base until handle_render() */
    struct picture_output output;
    struct picture_maker *maker; /* owned; null before the first step */
    uint32_t next, steps;
};

static bool append_bytes(void *context, const void *bytes, size_t length, struct error *error)
{
    struct buffer *out = context;
    buffer_append(out, bytes, length);
    return !out->failed || error_memory(error);
}

static bool make_step(struct answer_job *answer, struct worker_context *worker)
{
    struct render_job *job = (struct render_job *)answer;
    struct error error = {0};
    if (!job->maker)
        job->maker = picture_maker_new(&job->picture, &job->output);
    if (!job->maker)
        return problem_out_of_memory(&answer->problem);
    if (!picture_maker_step(job->maker, tile_maker_canvas(worker->maker), &error))
        return problem_from_error(&answer->problem, PROBLEM_PARAMETER, &error) ||
               problem_set_parameter(&answer->problem, "bbox");
    job->next++;
    return true;
}

static enum handler_result run_step(struct render_job *job, struct problem *problem)
{
    return answer_piece_run(&job->answer, picture_step_price(&job->picture, job->next), problem);
}

static void release_render(struct answer_job *answer)
{
    struct render_job *job = (struct render_job *)answer;
    picture_maker_free(job->maker);
    job->maker = NULL;
}

/* While it is sent, only the file takes memory. */
static enum handler_result respond(struct render_job *job)
{
    struct http_request *request = job->answer.request;
    const size_t length = job->answer.out.length;
    release_render(&job->answer);
    if (request->response.reserved > length) {
        memory_budget_release(&request->server->response_budget,
                              request->response.reserved - length);
        request->response.reserved = length;
    }
    return answer_job_respond(&job->answer);
}

static enum handler_result step_done(struct answer_job *answer, struct problem *problem)
{
    struct render_job *job = (struct render_job *)answer;
    answer_piece_end(answer);
    return job->next == job->steps ? respond(job) : run_step(job, problem);
}

static const struct answer_type render_answer = {METRICS_QUESTION, false, make_step, step_done,
                                                 release_render};

/* The n-th of the formats that rectangles have. */
static const struct format *format_of_choice(unsigned choice)
{
    const struct format *format;
    for (size_t i = 0; (format = format_at(i)); i++)
        if (format_supports_rectangles(format) && choice-- == 0)
            return format;
    return NULL;
}

/* The parameter that decides how many pixels there are. */
static const char *size_parameter(const struct http_request *request)
{
    return request->values->given & PARAMETER_BIT(PIXEL_STEP) ? "step" : "width";
}

/* Completes a 413 for a picture with more pixels than are served. */
static bool refuse_size(const struct http_request *request, struct problem *problem)
{
    snprintf(problem->allowed, sizeof problem->allowed, "%d x %d pixels", PICTURE_SERVED_MAX,
             PICTURE_SERVED_MAX);
    return problem_set_parameter(problem, size_parameter(request));
}

static bool set_grid(const struct http_request *request, struct sample_grid *grid,
                     struct problem *problem)
{
    const struct parameter_values *values = request->values;
    const struct area *area = &values->area;
    const int64_t box[] = {area->low.x, area->low.y, area->high.x, area->high.y};
    const bool by_step = values->given & PARAMETER_BIT(PIXEL_STEP);
    struct error error = {0};
    if (by_step && values->given & PARAMETER_BIT(WIDTH))
        return problem_parameter(problem, "step", "width or step",
                                 "a picture has a width or a step, not both");
    const bool done = by_step
                          ? area_of_step(box, values->step, grid, &error)
                          : area_of_width(box, values->width ? values->width : WIDTH, grid, &error);
    if (!done) {
        problem_from_error(problem, PROBLEM_TOO_LARGE, &error);
        return refuse_size(request, problem);
    }
    grid->t = values->t;
    return true;
}

static bool begin_render(struct http_request *request, struct problem *problem)
{
    struct render_job *job = answer_job_new(request, &render_answer, sizeof *job, problem);
    if (!job)
        return false;
    job->output = (struct picture_output){append_bytes, NULL, &job->answer.out};
    job->picture.effort = TILE_FAST;
    job->picture.format = format_of_choice(request->values->picture_format);
    job->answer.content_type = job->picture.format->content_type;
    return set_grid(request, &job->picture.grid, problem);
}

/* The most that a step of the picture costs: a band, or encoding the whole. */
static uint64_t most_of_steps(const struct picture *picture)
{
    const uint64_t band = picture_step_price(picture, 0);
    const uint64_t last = picture_step_price(picture, picture_steps(picture) - 1);
    return band > last ? band : last;
}

/* The same of a picture of that width, which has the same shape. */
static uint64_t most_of_width(const void *context, uint64_t width)
{
    struct picture picture = *(const struct picture *)context;
    struct sample_grid *grid = &picture.grid;
    const double scale = (double)width / grid->columns;
    grid->rows = (uint32_t)(grid->rows * scale) + 1;
    grid->step = (int64_t)((double)grid->step / scale) + 1;
    grid->columns = (uint32_t)width;
    return most_of_steps(&picture);
}

/* Only the most expensive step is compared with the limit of a request: all are paid by the client,
 * one by one. */
static struct charge charge_of(const struct http_request *request, const struct picture *picture)
{
    return (struct charge){
        .nanoseconds = most_of_steps(picture),
        .smaller = "fewer pixels, or another format",
        .example = "/render?bbox=0,0,200,200&width=64",
        .parts = "width",
        .is_value = true,
        .count = picture->grid.columns,
        .nanoseconds_of = most_of_width,
        .context = picture,
        .parameter = size_parameter(request),
    };
}

/* The largest width of the rectangle with PICTURE_SERVED_MAX pixels a side; 0 for none. */
static uint64_t widest_served(const struct area *area)
{
    const double width = (double)(area->high.x - area->low.x);
    const double height = (double)(area->high.y - area->low.y);
    return (uint64_t)((width < height ? width / height : 1.0) * PICTURE_SERVED_MAX);
}

/* False with 413 for a picture with more pixels than are served, which says the largest width that
 * may be had: by the sides, and by the price. */
static bool check_sides(const struct http_request *request, const struct picture *picture,
                        struct problem *problem)
{
    const struct sample_grid *grid = &picture->grid;
    const uint64_t widest = widest_served(&request->values->area);
    struct charge charge = charge_of(request, picture);
    if (grid->columns <= PICTURE_SERVED_MAX && grid->rows <= PICTURE_SERVED_MAX)
        return true;
    problem_set(problem, PROBLEM_TOO_LARGE, "a picture of %u x %u pixels; it may have %d a side%s",
                (unsigned)grid->columns, (unsigned)grid->rows, PICTURE_SERVED_MAX,
                widest > 0 ? "" : ", which no picture of so narrow a rectangle has");
    charge.count = widest;
    admission_add_fitting(request, &charge, problem);
    return refuse_size(request, problem);
}

static bool order_render(struct http_request *request, struct problem *problem)
{
    struct render_job *job = request->work;
    struct picture *picture = &job->picture;
    const char *style = request->values->style;
    char names[FORMAT_NAMES_TEXT];
    picture->world = request->worlds[0].base->world;
    picture->painter = resolve_style(request, style, style ? strlen(style) : 0, problem);
    if (!picture->painter)
        return false;
    job->steps = picture_steps(picture);
    if (!painter_is_16bit(picture->painter) || picture->format->supports_16bit)
        return check_sides(request, picture, problem);
    return problem_parameter(problem, "format",
                             format_names(format_supports_16bit_rectangles, names),
                             "the style \"%s\" has 16 bits a pixel, which %s cannot hold; its "
                             "pictures are %s",
                             painter_name(picture->painter), picture->format->name, names);
}

static bool uses_time(const struct picture *picture)
{
    return (!format_has_samples(picture->format) && painter_uses_time(picture->painter)) ||
           world_layer_uses_time(picture->world, painter_layer(picture->painter));
}

/* What of the style decides the bytes: of samples the layer alone. */
static void append_style(const struct picture *picture, struct buffer *recipe)
{
    const struct painter *painter = picture->painter;
    if (format_has_samples(picture->format))
        buffer_format(recipe, " layer %u", painter_layer(painter));
    else
        buffer_format(recipe, " style %s", painter_fingerprint(painter));
}

static enum handler_result find_render(struct http_request *request, struct problem *problem)
{
    struct render_job *job = request->work;
    const struct picture *picture = &job->picture;
    const struct sample_grid *grid = &picture->grid;
    const struct resolved_world *world = &request->worlds[0];
    struct buffer recipe = {0};
    buffer_format(&recipe, "picture %d %s %u %u %d %lld %lld %lld %u %u %lld", RECIPE_VERSION,
                  world->identity.fingerprint, picture->format->id, picture->format->version,
                  world->base->is_preview, (long long)grid->x, (long long)grid->y,
                  (long long)grid->step, (unsigned)grid->columns, (unsigned)grid->rows,
                  uses_time(picture) ? (long long)grid->t : 0LL);
    append_style(picture, &recipe);
    const bool failed = recipe.failed;
    etag_write(hash_bytes(recipe.data, recipe.length, 0), job->answer.etag);
    buffer_free(&recipe);
    if (failed) {
        problem_out_of_memory(problem);
        return HANDLER_FAILED;
    }
    const struct response_caching caching = {response_cache_policy(request->is_pinned), false};
    return response_not_modified(request, job->answer.etag, caching) ? HANDLER_DONE
                                                                     : HANDLER_CONTINUE;
}

static bool charge_render(struct http_request *request, struct charge *charge,
                          struct problem *problem)
{
    (void)problem;
    *charge = charge_of(request, &((struct render_job *)request->work)->picture);
    return true;
}

const struct route_steps render_steps = {
    .read = begin_render,
    .order = order_render,
    .find = find_render,
    .charge = charge_render,
    .is_paid_by_piece = true,
};

/* Numbers of four bytes, or up to four channels of a byte. */
static bool reserve_memory(struct http_request *request, const struct sample_grid *grid,
                           struct problem *problem)
{
    const size_t row = 4 * (size_t)grid->columns + ROW_BYTES;
    const size_t bytes = COPIES * row * grid->rows + HEAD_BYTES;
    if (!memory_budget_reserve(&request->server->response_budget, bytes))
        return problem_response_memory(problem);
    request->response.reserved = bytes;
    return true;
}

enum handler_result handle_render(struct http_request *request, struct problem *problem)
{
    struct render_job *job = request->work;
    const struct catalog_world *world = request->worlds[0].compiled;
    struct error error = {0};
    job->picture.world = world->world;
    job->picture.painter = catalog_painter(world, painter_name(job->picture.painter), &error);
    if (!job->picture.painter)
        problem_from_error(problem, PROBLEM_PATH, &error);
    return job->picture.painter && reserve_memory(request, &job->picture.grid, problem)
               ? run_step(job, problem)
               : HANDLER_FAILED;
}
