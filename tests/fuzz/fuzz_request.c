/* Request heads, without any HTTP library: "METHOD VERSION\nTARGET\nname: value\n…". The target is
 * taken apart and every kind of parameter and reference is read from it; the headers are judged as
 * they come and as the library would leave them in its buffer. */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/utf8.h"
#include "core/tile/address.h"
#include "server/http/request/headers.h"
#include "server/http/request/parameters.h"
#include "server/http/request/reference.h"
#include "server/http/routes/router.h"

/* The next line of *rest, terminated in place; "" at the end. */
static char *next_line(char **rest)
{
    char *line = *rest, *end = strchr(line, '\n');
    *rest = end ? end + 1 : line + strlen(line);
    if (end)
        *end = '\0';
    return line;
}

static void expect_problem(const struct problem *problem)
{
    fuzz_expect(problem->detail[0] != '\0');
    fuzz_expect(problem_status(problem) >= 400 && problem_status(problem) < 600);
}

static void expect_piece(const struct target_text *piece, const char *raw_target)
{
    size_t length = strlen(raw_target);
    fuzz_expect(piece->raw >= raw_target && piece->raw + piece->raw_length <= raw_target + length);
    fuzz_expect(piece->length <= piece->raw_length && strlen(piece->text) == piece->length);
    fuzz_expect(utf8_valid(piece->text, piece->length));
    if (!memchr(piece->raw, '%', piece->raw_length))
        fuzz_expect(memcmp(piece->raw, piece->text, piece->length) == 0);
}

/* Every set of parameters that a route has, and what must hold of their values. */
static void read_parameters(const struct http_target *target)
{
    const struct route *route;
    for (size_t i = 0; (route = router_route_at(i)); i++) {
        struct parameter_values values;
        struct problem problem;
        if (!request_parameters_check(route->parameters, target, &problem))
            expect_problem(&problem);
        if (!request_parameters_read(route->parameters, target, &values, &problem)) {
            expect_problem(&problem);
            continue;
        }
        fuzz_expect(values.zoom >= -1 && values.zoom <= TILE_ZOOM_MAX);
        fuzz_expect(llabs(values.t) <= PLACE_LIMIT && llabs(values.z) <= PLACE_LIMIT);
        fuzz_expect(llabs(values.place.x) <= PLACE_LIMIT && llabs(values.place.y) <= PLACE_LIMIT);
        fuzz_expect(values.area.low.x <= values.area.high.x);
        fuzz_expect(values.line.count <= PROFILE_CORNERS_MAX);
        fuzz_expect(values.format < 2 && values.map_format < 2 && values.map_size < 2);
    }
}

/* Expects that an escaped text parses back to the original. */
static void expect_escape(const char *text)
{
    struct buffer path = {0};
    struct http_target *target = malloc(sizeof *target);
    struct problem problem;
    buffer_byte(&path, '/');
    reference_escape(text, &path);
    fuzz_expect(target && !path.failed);
    if (path.length > 1 && path.length <= TARGET_BYTES_MAX && !strchr(text, '/') &&
        strcmp(text, ".") != 0 && strcmp(text, "..") != 0) {
        bool parsed = target_parse((char *)path.data, path.length, target, &problem);
        fuzz_expect(parsed && strcmp(target->segments[0].text, text) == 0);
    }
    free(target);
    buffer_free(&path);
}

static void read_references(const struct target_text *segment)
{
    for (int kind = REFERENCE_WORLD; kind <= REFERENCE_STYLE; kind++) {
        struct reference reference;
        struct problem problem;
        if (!reference_parse(segment->text, segment->length, (enum reference_kind)kind, &reference,
                             &problem)) {
            expect_problem(&problem);
            continue;
        }
        fuzz_expect(strlen(reference.name) <= WORLD_NAME_MAX);
        fuzz_expect(!reference.has_seed || (kind == REFERENCE_WORLD && reference.seed[0] != '\0'));
        if (reference.has_seed)
            expect_escape(reference.seed);
    }
}

static void read_target(const char *raw_target, struct http_target *target)
{
    for (unsigned i = 0; i < target->segment_count; i++) {
        expect_piece(&target->segments[i], raw_target);
        expect_escape(target->segments[i].text);
        read_references(&target->segments[i]);
    }
    for (unsigned i = 0; i < target->parameter_count; i++) {
        expect_piece(&target->parameters[i].name, raw_target);
        expect_piece(&target->parameters[i].value, raw_target);
        fuzz_expect(target_find(target, target->parameters[i].name.text) != NULL);
    }
    read_parameters(target);
}

/* The lines as the library leaves them: zeros for line ends and for the first colon of each. */
static bool block_is_sound(const char *lines)
{
    struct buffer block = {0};
    bool in_name = true;
    buffer_append(&block, "\0\0", 2);
    for (const char *c = lines; *c; c++) {
        bool mark = *c == '\n' || (in_name && *c == ':');
        buffer_append(&block, mark ? "\0\0" : c, *c == '\n' ? 2 : 1);
        in_name = *c == '\n' || (in_name && !mark);
    }
    buffer_append(&block, "\0\0", 2);
    fuzz_expect(!block.failed);
    uint8_t *exact = (uint8_t *)fuzz_text(block.data, block.length);
    bool sound = headers_block_fault((char *)exact, block.length) == NULL;
    free(exact);
    buffer_free(&block);
    return sound;
}

static void read_headers(char *lines, enum method method, const char *version,
                         const struct http_target *target)
{
    struct headers headers = {0};
    struct problem problem;
    struct byte_range range;
    block_is_sound(lines);
    while (*lines) {
        char *name = next_line(&lines), *colon = strchr(name, ':');
        if (colon)
            *colon = '\0';
        headers_add(&headers, name, colon ? colon + 1 + strspn(colon + 1, " \t") : NULL);
    }
    if (!headers_check(&headers, method, version, target, &problem))
        expect_problem(&problem);
    headers_match_etag(&headers, "\"0123456789abcdef\"");
    headers_accept(&headers, "text/html");
    if (headers_select_range(&headers, "\"0123456789abcdef\"", 1000, &range) == RANGE_PART)
        fuzz_expect(range.first < 1000 && range.count > 0 && range.count <= 1000 - range.first);
    if (headers.host) {
        headers_host_is_loopback(headers.host);
        headers_host_equals(headers.host, "terrane.example");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size), *rest = text;
    char *version = next_line(&rest), *raw_target = next_line(&rest);
    char *space = strchr(version, ' ');
    struct http_target *target = malloc(sizeof *target);
    struct problem problem = {0};
    fuzz_expect(target != NULL);
    if (space)
        *space = '\0';
    if (target_parse(raw_target, strlen(raw_target), target, &problem)) {
        read_target(raw_target, target);
        read_headers(rest, method_parse(version), space ? space + 1 : "", target);
    } else {
        expect_problem(&problem);
        fuzz_expect(problem.close_connection);
    }
    free(target);
    free(text);
    return 0;
}
