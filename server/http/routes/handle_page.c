/* /w/{world}: the map page of a place, by its path.
 *
 * Programs that show a link as a picture with a title read no fragment of an address and run no
 * script. So this page is the map page (server/viewer/index.html) with the tags of Open Graph and
 * Twitter for the place, and, for readers without scripts, a picture and a table instead of the
 * map. The script takes the place from the element "terrane-place" and then has the address of the
 * map page. Addresses in the page are relative to the folder above, whatever the prefix of a proxy.
 *
 * All texts of worlds, seeds, styles and names go through xml_text(). */
#include <stdio.h>
#include <string.h>

#include "core/tile/address.h"
#include "server/base/embed.h"
#include "server/base/xml.h"
#include "server/http/jobs/server_state.h"
#include "server/http/response/answer_pieces.h"
#include "server/http/response/base_url.h"
#include "server/http/response/page_settings.h"
#include "server/http/routes/handlers.h"
#include "server/http/routes/resolve.h"
#include "server/http/routes/views.h"
#include "server/queries/parameters.h"
#include "server/queries/place_facts.h"

/* Open Graph's pictures are shown at 1.91 : 1. */
enum { PICTURE_WIDTH = 1200, PICTURE_HEIGHT = 630 };

struct page_job {
    struct answer_job answer;
    struct place_facts facts;
    const struct painter *painter; /* of the world's base */
    int zoom;
};

static const struct world *world_of(const struct page_job *job)
{
    return job->answer.request->worlds[0].base->world;
}

/* On a render thread: the world is compiled as well. */
static bool find_facts(struct answer_job *answer, struct worker_context *worker)
{
    struct page_job *job = (struct page_job *)answer;
    struct http_request *request = answer->request;
    struct resolved_world *resolved = &request->worlds[0];
    struct error error = {0};
    return (resolved_world_compile(resolved, request->generation->catalog, &error) &&
            place_facts_find(canvas_sampler(tile_maker_canvas(worker->maker)),
                             resolved->compiled->world, &job->facts, &error)) ||
           problem_from_error(&answer->problem, PROBLEM_PARAMETER, &error);
}

/* The page's title: the name of the place, and that of the world. */
static void write_title(const struct page_job *job, struct buffer *out)
{
    if (job->facts.name[0]) {
        xml_text(out, job->facts.name);
        buffer_text(out, ", ");
    }
    xml_text(out, world_title(world_of(job)));
}

/* The facts in a line, and what the world is. */
static void write_description(const struct page_job *job, struct buffer *out)
{
    const struct place_facts *facts = &job->facts;
    for (unsigned i = 0; i < facts->count; i++) {
        const bool is_sentence = strcmp(facts->items[i].name, "Names") == 0;
        xml_text(out, is_sentence ? "" : facts->items[i].name);
        buffer_text(out, is_sentence ? "" : " ");
        xml_text(out, facts->items[i].text);
        buffer_text(out, i + 1 < facts->count ? "; " : ". ");
    }
    xml_text(out, world_description(world_of(job)));
}

/* "/w/terra~7", as the server's other addresses write names. */
static void write_world(const struct world_identity *world, struct buffer *out)
{
    reference_escape(world->name, out);
    if (!world->is_reseeded)
        return;
    buffer_text(out, "~");
    reference_escape(world->seed, out);
}

/* The place as texts: metres. */
struct place_texts {
    char x[NUMBER_TEXT], y[NUMBER_TEXT];
};

static struct place_texts place_of(const struct page_job *job)
{
    struct place_texts texts;
    place_format(job->facts.place.x, texts.x);
    place_format(job->facts.place.y, texts.y);
    return texts;
}

static void write_style(const struct page_job *job, struct buffer *out)
{
    reference_escape(painter_name(job->painter), out);
}

/* Nothing at the time 0. */
static void write_time(const struct page_job *job, const char *before, struct buffer *out)
{
    char text[NUMBER_TEXT];
    if (job->facts.t == 0)
        return;
    place_format(job->facts.t, text);
    buffer_format(out, "%st=%s", before, text);
}

/* The address of this page, below the base. */
static void write_page_path(const struct page_job *job, struct buffer *out)
{
    const struct place_texts place = place_of(job);
    buffer_text(out, "/w/");
    write_world(&job->answer.request->worlds[0].identity, out);
    buffer_format(out, "?x=%s&y=%s&zoom=%d&style=", place.x, place.y, job->zoom);
    write_style(job, out);
    write_time(job, "&", out);
}

/* What the map page has behind its "#": server/viewer/app/permalink.js. */
static void write_permalink(const struct page_job *job, struct buffer *out)
{
    const struct place_texts place = place_of(job);
    buffer_text(out, "#");
    write_world(&job->answer.request->worlds[0].identity, out);
    buffer_text(out, "/");
    write_style(job, out);
    buffer_format(out, "/%d/%s/%s", job->zoom, place.x, place.y);
    write_time(job, "?", out);
}

/* Moves a coordinate so that the picture around it stays within the world. */
static int64_t within(int64_t centre, int64_t half)
{
    const int64_t most = ((int64_t)1 << (40 + PLACE_BITS)) - half;
    return centre < -most ? -most : centre > most ? most : centre;
}

/* The address of the picture, pinned, below the base. */
static void write_picture_path(const struct page_job *job, struct buffer *out)
{
    const int64_t pixel = tile_span(job->zoom) / 256;
    const int64_t half_width = pixel * PICTURE_WIDTH / 2, half_height = pixel * PICTURE_HEIGHT / 2;
    const int64_t x = within(job->facts.place.x, half_width);
    const int64_t y = within(job->facts.place.y, half_height);
    const int64_t box[] = {x - half_width, y - half_height, x + half_width, y + half_height};
    resolve_append_world_path(&job->answer.request->worlds[0].identity, true, out);
    for (int i = 0; i < 4; i++) {
        char text[NUMBER_TEXT];
        place_format(box[i], text);
        buffer_format(out, "%s%s", i == 0 ? "/render?bbox=" : ",", text);
    }
    buffer_format(out, "&width=%d&style=", PICTURE_WIDTH);
    write_style(job, out);
    buffer_format(out, "%%40%s", painter_fingerprint(job->painter));
    write_time(job, "&", out);
}

/* A part of the page, unescaped, made by `write`. */
typedef void part_writer(const struct page_job *job, struct buffer *out);

/* Appends an address as the value of an attribute: the base, and what is below it. */
static void write_address(const struct page_job *job, const char *base, part_writer *write,
                          struct buffer *out)
{
    struct buffer path = {0};
    write(job, &path);
    xml_text(out, base);
    xml_text(out, buffer_string(&path));
    out->failed = out->failed || path.failed;
    buffer_free(&path);
}

/* A tag whose content is written already: escaped. */
static void write_tag(const char *key, const char *name, const char *content, struct buffer *out)
{
    buffer_format(out, "  <meta %s=\"%s\" content=\"%s\">\n", key, name, content);
}

/* The texts that stand in several places, escaped. */
enum { TITLE, DESCRIPTION, PAGE, PICTURE, IMAGE, PERMALINK, TEXTS };
struct page_texts {
    struct buffer buffers[TEXTS]; /* owned */
    const char *of[TEXTS];        /* in the buffers */
};

static void write_head(const struct page_texts *texts, struct buffer *out)
{
    const char *title = texts->of[TITLE], *description = texts->of[DESCRIPTION];
    buffer_format(out, "<base href=\"../\">\n  <title>%s – Terrane</title>\n", title);
    buffer_format(out, "  <link rel=\"canonical\" href=\"%s\">\n", texts->of[PAGE]);
    write_tag("name", "terrane-place", texts->of[PERMALINK], out);
    write_tag("name", "description", description, out);
    write_tag("property", "og:type", "website", out);
    write_tag("property", "og:site_name", "Terrane", out);
    write_tag("property", "og:url", texts->of[PAGE], out);
    write_tag("property", "og:title", title, out);
    write_tag("property", "og:description", description, out);
    write_tag("property", "og:image", texts->of[PICTURE], out);
    write_tag("property", "og:image:type", "image/png", out);
    buffer_format(out, "  <meta property=\"og:image:width\" content=\"%d\">\n", PICTURE_WIDTH);
    buffer_format(out, "  <meta property=\"og:image:height\" content=\"%d\">\n", PICTURE_HEIGHT);
    write_tag("property", "og:image:alt", title, out);
    write_tag("name", "twitter:card", "summary_large_image", out);
    write_tag("name", "twitter:title", title, out);
    write_tag("name", "twitter:description", description, out);
    write_tag("name", "twitter:image", texts->of[PICTURE], out);
}

static void write_row(const char *name, const char *text, struct buffer *out)
{
    buffer_text(out, "<tr><th scope=\"row\">");
    xml_text(out, name);
    buffer_text(out, "</th><td>");
    xml_text(out, text);
    buffer_text(out, "</td></tr>");
}

/* The page for readers without scripts. */
static void write_plain(const struct page_job *job, const struct page_texts *texts,
                        struct buffer *out)
{
    const struct place_texts place = place_of(job);
    char text[sizeof place + 32];
    snprintf(text, sizeof text, "%s m east, %s m south", place.x, place.y);
    buffer_format(out, "<noscript><article class=\"place-page\"><h1>%s</h1>", texts->of[TITLE]);
    buffer_format(out, "<img src=\"%s\" alt=\"A map of the place\" width=\"%d\" height=\"%d\">",
                  texts->of[IMAGE] + 1, PICTURE_WIDTH, PICTURE_HEIGHT); /* relative */
    buffer_text(out, "<table><tbody>");
    write_row("Place", text, out);
    for (unsigned i = 0; i < job->facts.count; i++)
        write_row(job->facts.items[i].name, job->facts.items[i].text, out);
    buffer_text(out, "</tbody></table><p>");
    xml_text(out, world_description(world_of(job)));
    buffer_text(out, " The map that moves needs JavaScript.</p></article></noscript>");
}

/* Fills in the places of the map page. False if they are not there, which a test would show. */
static bool write_page(const struct page_job *job, const struct page_texts *texts,
                       struct buffer *out)
{
    static const char title[] = "<title>Terrane</title>\n", plain[] = "<noscript>",
                      plain_end[] = "</noscript>";
    const struct embedded_file *file = embed_find("viewer/index.html");
    const char *page = file ? (const char *)file->data : "";
    const char *head = strstr(page, title), *body = strstr(page, plain);
    const char *rest = body ? strstr(body, plain_end) : NULL;
    if (!head || !rest)
        return false;
    buffer_append(out, page, (size_t)(head - page));
    write_head(texts, out);
    head += strlen(title);
    buffer_append(out, head, (size_t)(body - head));
    write_plain(job, texts, out);
    buffer_text(out, rest + strlen(plain_end));
    return true;
}

/* False when memory is out. */
static bool write_texts(const struct page_job *job, const char *base, struct page_texts *texts)
{
    bool done = true;
    write_title(job, &texts->buffers[TITLE]);
    write_description(job, &texts->buffers[DESCRIPTION]);
    write_address(job, base, write_page_path, &texts->buffers[PAGE]);
    write_address(job, base, write_picture_path, &texts->buffers[PICTURE]);
    write_address(job, "", write_picture_path, &texts->buffers[IMAGE]);
    write_address(job, "", write_permalink, &texts->buffers[PERMALINK]);
    for (int i = 0; i < TEXTS; i++) {
        texts->of[i] = buffer_string(&texts->buffers[i]);
        done = done && !texts->buffers[i].failed;
    }
    return done;
}

static bool make_body(struct page_job *job, struct problem *problem)
{
    struct buffer base = {0};
    struct page_texts texts = {.of = {NULL}};
    const bool known = base_url_append_as_asked(job->answer.request, &base, problem);
    const bool done = known && write_texts(job, buffer_string(&base), &texts) && !base.failed &&
                      write_page(job, &texts, &job->answer.out) && !job->answer.out.failed;
    for (int i = 0; i < TEXTS; i++)
        buffer_free(&texts.buffers[i]);
    buffer_free(&base);
    return done || !known ? done : problem_out_of_memory(problem);
}

static enum handler_result respond(struct answer_job *answer, struct problem *problem)
{
    struct page_job *job = (struct page_job *)answer;
    struct http_request *request = answer->request;
    answer_piece_end(answer);
    if (!make_body(job, problem))
        return HANDLER_FAILED;
    const enum handler_result result =
        base_url_respond(request, &answer->out, "text/html; charset=utf-8");
    response_add_header(&request->response.made, "Content-Security-Policy",
                        request->server->page->place_policy);
    response_add_header(&request->response.made, "Referrer-Policy", "no-referrer");
    return result;
}

static const struct answer_type page_answer = {METRICS_QUESTION, false, find_facts, respond, NULL};

/* Half a place is none. */
static bool read_page(struct http_request *request, struct problem *problem)
{
    const bool x = request->values->given & PARAMETER_BIT(PAGE_X);
    const bool y = request->values->given & PARAMETER_BIT(PAGE_Y);
    return x == y || problem_parameter(problem, x ? "y" : "x", "metres",
                                       "%s: is missing: a place has both x and y", x ? "y" : "x");
}

/* The style of the request, or that of the world's view if the world has it. */
static const struct painter *find_painter(const struct http_request *request,
                                          struct problem *problem)
{
    const char *style = request->values->style;
    const char *wanted = world_view(request->worlds[0].base->world)->style;
    struct error error;
    const struct painter *painter =
        !style && wanted ? catalog_painter(request->worlds[0].base, wanted, &error) : NULL;
    return painter ? painter : resolve_style(request, style, style ? strlen(style) : 0, problem);
}

static bool order_page(struct http_request *request, struct problem *problem)
{
    return find_painter(request, problem) != NULL;
}

static uint64_t price_of(const struct http_request *request)
{
    return place_facts_price(request->worlds[0].base->world) +
           resolved_world_compile_time(&request->worlds[0]);
}

static bool charge_page(struct http_request *request, struct charge *charge,
                        struct problem *problem)
{
    (void)problem;
    *charge = (struct charge){.nanoseconds = price_of(request),
                              .smaller = "a world whose samples cost less",
                              .example = "/w/terra"};
    return true;
}

const struct route_steps page_steps = {
    .read = read_page,
    .order = order_page,
    .charge = charge_page,
    .is_paid_by_piece = true,
};

/* The place where the map begins is the request's work until here. */
enum handler_result handle_page(struct http_request *request, struct problem *problem)
{
    const struct parameter_values *values = request->values;
    const struct world_view *view = world_view(request->worlds[0].base->world);
    const bool given = values->given & PARAMETER_BIT(PAGE_X);
    const struct place place = given ? values->place : views_centre(request, 0);
    request->work_free(request->work);
    request->work = NULL;
    struct page_job *job = answer_job_new(request, &page_answer, sizeof *job, problem);
    if (!job)
        return HANDLER_FAILED;
    job->facts.place = place;
    job->facts.t = values->given & PARAMETER_BIT(T) || given ? values->t : view->t;
    job->zoom = values->zoom < 0 ? view->zoom : (int)values->zoom;
    job->painter = find_painter(request, problem);
    return answer_piece_run(&job->answer, price_of(request), problem);
}
