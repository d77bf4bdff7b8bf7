/* Each segment is compared with the later ones whose boxes overlap its own, by the tree.
 * Orientations of three places are exact: products of differences in 128 bits. */
#include "core/polylines/crossing.h"

static bool is_between(int64_t a, int64_t b, int64_t v)
{
    return (v >= a && v <= b) || (v >= b && v <= a);
}

/* True if c, which is on the line through a and b, is on the segment between them. */
static bool is_on(struct place a, struct place b, struct place c)
{
    return is_between(a.x, b.x, c.x) && is_between(a.y, b.y, c.y);
}

/* True if segments a–b and c–d have a point in common. */
static bool meet(struct place a, struct place b, struct place c, struct place d)
{
    const int to_c = polyline_side(a, b, c), to_d = polyline_side(a, b, d),
              to_a = polyline_side(c, d, a), to_b = polyline_side(c, d, b);
    if (to_c * to_d < 0 && to_a * to_b < 0)
        return true;
    return (to_c == 0 && is_on(a, b, c)) || (to_d == 0 && is_on(a, b, d)) ||
           (to_a == 0 && is_on(c, d, a)) || (to_b == 0 && is_on(c, d, b));
}

/* True if segments from `joint` to a and to b lie on each other. */
static bool overlap(struct place joint, struct place a, struct place b)
{
    return polyline_side(joint, a, b) == 0 && (is_on(joint, a, b) || is_on(joint, b, a));
}

static bool segments_meet(const struct polyline *line, uint32_t i, uint32_t k)
{
    const struct place a = line->vertices[i], b = polyline_end(line, i);
    const struct place c = line->vertices[k], d = polyline_end(line, k);
    if (k == i + 1)
        return overlap(b, a, d);
    if (i == 0 && k == line->segments - 1)
        return overlap(a, b, c);
    return meet(a, b, c, d);
}

struct crossing_search {
    const struct polyline *line;
    uint32_t segment;
    struct polyline_box box; /* of the segment */
    uint64_t pairs, most;
};

static struct polyline_box box_of(const struct polyline *line, uint32_t segment)
{
    const struct place a = line->vertices[segment], b = polyline_end(line, segment);
    return (struct polyline_box){{a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y},
                                 {a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y}};
}

static bool boxes_overlap(const struct polyline_box *a, const struct polyline_box *b)
{
    return a->low[0] <= b->high[0] && b->low[0] <= a->high[0] && a->low[1] <= b->high[1] &&
           b->low[1] <= a->high[1];
}

/* The first later segment under a box that meets the search's; the number of segments if none. As
 * deep as the tree. */
static uint32_t find_under(struct crossing_search *search, uint32_t level, uint32_t index)
{
    const struct polyline *line = search->line;
    const uint32_t none = line->segments;
    uint32_t first, end, found = none;
    polyline_segments(line, level, index, &first, &end);
    if (end <= search->segment + 1 || search->pairs > search->most)
        return none;
    search->pairs++;
    if (!boxes_overlap(&line->boxes[level][index], &search->box))
        return none;
    for (uint32_t i = first; level == 0 && i < end && found == none; i++) {
        search->pairs++;
        if (i > search->segment && segments_meet(line, search->segment, i))
            found = i;
    }
    for (uint32_t i = 2 * index; level > 0 && i < 2 * index + 2 && found == none; i++)
        if (i < polyline_level_count(line, level - 1))
            found = find_under(search, level - 1, i);
    return found;
}

enum polyline_crossing polyline_find_crossing(const struct polyline *line, uint32_t segments[2],
                                              uint64_t *pairs)
{
    struct crossing_search search = {.line = line,
                                     .most = (uint64_t)POLYLINE_PAIRS_MAX * line->segments};
    uint32_t second = line->segments;
    for (uint32_t i = 0; i < line->segments && second == line->segments; i++) {
        search.segment = segments[0] = i;
        search.box = box_of(line, i);
        second = find_under(&search, line->levels - 1, 0);
    }
    segments[1] = second;
    *pairs += search.pairs;
    if (second < line->segments)
        return POLYLINE_CROSSES;
    return search.pairs > search.most ? POLYLINE_TANGLED : POLYLINE_SIMPLE;
}
