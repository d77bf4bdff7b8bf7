/* A guess is tried on the patterns of the routes, so it always leads to one. The literal part of
 * each pattern is its first segment, so a misspelt path is one misspelt name among those with which
 * the path would lead somewhere. */
#include "server/http/routes/guess.h"

#include <ctype.h>
#include <string.h>

#include "server/http/routes/router.h"

enum { ROUTES_MAX = 64, NAME_TEXT = 64 };

/* A path while it is changed; each text has its length and need not be terminated. */
struct path {
    struct target_text segments[TARGET_SEGMENTS_MAX + 1];
    unsigned count;
};

static struct target_text first_segment(const char *pattern)
{
    const size_t length = strcspn(pattern, "/");
    return (struct target_text){pattern, length, pattern, length};
}

static void append_path(const struct path *path, struct buffer *out)
{
    if (path->count == 0)
        buffer_byte(out, '/');
    for (unsigned i = 0; i < path->count; i++) {
        buffer_byte(out, '/');
        buffer_append(out, path->segments[i].raw, path->segments[i].raw_length);
    }
}

static bool leads_somewhere(const struct path *path)
{
    struct route_match match;
    const struct route *route;
    for (size_t i = 0; (route = router_route_at(i)); i++)
        if (router_matches(route, path->segments, path->count, &match))
            return true;
    return false;
}

/* Without the empty segments of "//" and of a slash at the end. */
static struct path without_gaps(const struct http_target *target)
{
    struct path path = {.count = 0};
    for (unsigned i = 0; i < target->segment_count; i++)
        if (target->segments[i].length > 0)
            path.segments[path.count++] = target->segments[i];
    return path;
}

/* A segment as a text, cut if it is longer than any name: whole, or without its extension. */
static void copy_name(const struct target_text *segment, bool stem, char name[NAME_TEXT])
{
    const char *dot = stem ? memchr(segment->text, '.', segment->length) : NULL;
    size_t length = dot ? (size_t)(dot - segment->text) : segment->length;
    if (length >= NAME_TEXT)
        length = NAME_TEXT - 1;
    memcpy(name, segment->text, length);
    name[length] = '\0';
}

/* Puts the nearest name at `at` with which the path leads somewhere; for `stems` by what stands in
 * front of the extensions, as "wmts" is the stem of "wmts.xml". */
static bool mend_name(struct path *path, unsigned at, bool stems)
{
    char asked[NAME_TEXT], names[ROUTES_MAX][NAME_TEXT];
    const char *candidates[ROUTES_MAX];
    struct target_text segments[ROUTES_MAX];
    struct path changed = *path;
    const struct route *route;
    size_t count = 0;
    for (size_t i = 0; (route = router_route_at(i)) && count < ROUTES_MAX; i++) {
        changed.segments[at] = segments[count] = first_segment(route->pattern);
        if (!leads_somewhere(&changed))
            continue;
        copy_name(&segments[count], stems, names[count]);
        candidates[count] = names[count];
        count++;
    }
    copy_name(&path->segments[at], stems, asked);
    const char *near = error_suggest(asked, candidates, count);
    for (size_t i = 0; i < count; i++)
        if (candidates[i] == near)
            path->segments[at] = segments[i];
    return near != NULL;
}

/* The name of a route stands first, or behind /worlds/{world}. */
static bool mend_names(struct path *path)
{
    static const char worlds[] = "worlds";
    const bool in_world = path->count > 2 && path->segments[0].length == sizeof worlds - 1 &&
                          memcmp(path->segments[0].text, worlds, sizeof worlds - 1) == 0;
    const unsigned at = in_world ? 2 : 0;
    return path->count > 0 && (mend_name(path, at, false) || mend_name(path, at, true));
}

static bool is_number(const struct target_text *segment)
{
    const bool negative = segment->length > 1 && segment->text[0] == '-';
    return isdigit((unsigned char)segment->text[negative]);
}

static bool is_style(const struct http_request *request, const struct target_text *segment)
{
    return catalog_painter(catalog_default(request->generation->catalog), segment->text, NULL);
}

/* "/{z}/{x}/{y}.png" and "/{style}/{z}/{x}/{y}.png". */
static bool add_tiles(const struct http_request *request, struct path *path)
{
    if (path->count < 3 || path->count > 4)
        return false;
    for (unsigned i = path->count - 3; i < path->count; i++)
        if (!is_number(&path->segments[i]))
            return false;
    if (path->count == 4 && !is_style(request, &path->segments[0]))
        return false;
    memmove(path->segments + 1, path->segments, path->count * sizeof *path->segments);
    path->segments[0] = first_segment("tiles");
    path->count++;
    return leads_somewhere(path);
}

static bool leave_prefix_out(struct path *path)
{
    while (path->count > 1) {
        path->count--;
        memmove(path->segments, path->segments + 1, path->count * sizeof *path->segments);
        if (leads_somewhere(path))
            return true;
    }
    return false;
}

static void append_query(const struct http_request *request, struct buffer *out)
{
    const char *query = strchr(request->raw_target, '?');
    buffer_text(out, query && query[1] ? query : "");
}

enum guess guess_path(const struct http_request *request, struct buffer *out)
{
    const struct path asked = without_gaps(&request->target);
    struct path path = asked;
    enum guess guess = leads_somewhere(&path) || mend_names(&path) ? GUESS_PATH : GUESS_NONE;
    if (guess == GUESS_NONE && add_tiles(request, &path))
        guess = GUESS_PATH;
    if (guess == GUESS_NONE) {
        path = asked;
        guess = leave_prefix_out(&path) ? GUESS_PREFIX : GUESS_NONE;
    }
    if (guess == GUESS_NONE)
        return GUESS_NONE;
    append_path(&path, out);
    append_query(request, out);
    return request->target.segments[0].length == 0 ? GUESS_PREFIX : guess;
}

void guess_extension(const struct http_request *request, const char *extension, struct buffer *out)
{
    struct path path = without_gaps(&request->target);
    struct buffer target = {0};
    append_path(&path, &target);
    const char *text = buffer_string(&target);
    const char *slash = strrchr(text, '/'), *dot = slash ? strchr(slash, '.') : NULL;
    buffer_append(out, text, dot ? (size_t)(dot - text) : target.length);
    buffer_format(out, ".%s", extension);
    append_query(request, out);
    buffer_free(&target);
}

void guess_set_example(struct problem *problem, struct buffer *target)
{
    if (!target->failed && target->length < sizeof problem->example)
        memcpy(problem->example, buffer_string(target), target->length + 1);
    buffer_free(target);
}
