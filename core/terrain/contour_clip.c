/* Clips lines to a rectangle, segment by segment: first by the vertical sides, then by the
 * horizontal ones. Crossings are computed in integers (contour_at_x, contour_at_y). Each piece
 * is a line of its own; a ring is started at a point outside, so that it is not cut where it
 * happens to begin. */
#include "core/base/place.h"
#include "core/terrain/contour_private.h"

int64_t contour_round_quotient(int64_t numerator, int64_t denominator)
{
    if (denominator < 0) {
        numerator = -numerator;
        denominator = -denominator;
    }
    return place_floor_divide(2 * numerator + denominator, 2 * denominator);
}

struct contour_point contour_at_x(struct contour_point a, struct contour_point b, int32_t x)
{
    int64_t rise = (int64_t)b.y - a.y, run = (int64_t)b.x - a.x;
    return (struct contour_point){x,
                                  (int32_t)(a.y + contour_round_quotient(rise * (x - a.x), run))};
}

struct contour_point contour_at_y(struct contour_point a, struct contour_point b, int32_t y)
{
    int64_t rise = (int64_t)b.y - a.y, run = (int64_t)b.x - a.x;
    return (struct contour_point){(int32_t)(a.x + contour_round_quotient(run * (y - a.y), rise)),
                                  y};
}

static bool is_inside(struct contour_point point, const struct contour_box *box)
{
    return point.x >= box->west && point.x <= box->east && point.y >= box->north &&
           point.y <= box->south;
}

/* A segment; cutting replaces its ends, and returns false if nothing of it is left. */
struct segment {
    struct contour_point from, to;
};

static bool cut_x(struct segment *segment, int32_t west, int32_t east)
{
    struct contour_point a = segment->from, b = segment->to;
    if ((a.x < west && b.x < west) || (a.x > east && b.x > east))
        return false;
    if (a.x < west || a.x > east)
        segment->from = contour_at_x(a, b, a.x < west ? west : east);
    if (b.x < west || b.x > east)
        segment->to = contour_at_x(a, b, b.x < west ? west : east);
    return true;
}

static bool cut_y(struct segment *segment, int32_t north, int32_t south)
{
    struct contour_point a = segment->from, b = segment->to;
    if ((a.y < north && b.y < north) || (a.y > south && b.y > south))
        return false;
    if (a.y < north || a.y > south)
        segment->from = contour_at_y(a, b, a.y < north ? north : south);
    if (b.y < north || b.y > south)
        segment->to = contour_at_y(a, b, b.y < north ? north : south);
    return true;
}

static bool cut_segment(struct segment *segment, const struct contour_box *box)
{
    return cut_x(segment, box->west, box->east) && cut_y(segment, box->north, box->south);
}

/* Ends the current piece. A piece that returned to its first point is a ring. */
static void end_piece(struct contours *out, uint32_t level)
{
    size_t first = contours_tail(out), count = out->point_count - first;
    if (out->failed)
        return;
    if (count < 2) {
        contours_discard_tail(out);
        return;
    }
    const struct contour_point *points = out->points + first;
    bool closed = points[0].x == points[count - 1].x && points[0].y == points[count - 1].y;
    if (closed)
        out->point_count--;
    if (closed && count < 4)
        contours_discard_tail(out); /* it has no area */
    else
        contours_add_line(out, level, closed);
}

/* Clips one line, from point `start` on; for a ring, that is a point outside the box. */
static void clip_line(const struct contours *lines, const struct contour_line *line, size_t start,
                      const struct contour_box *box, struct contours *out)
{
    const struct contour_point *points = lines->points + line->first;
    size_t segments = line->closed ? line->count : line->count - 1;
    for (size_t i = 0; i < segments; i++) {
        struct contour_point from = points[(start + i) % line->count];
        struct contour_point to = points[(start + i + 1) % line->count];
        struct segment segment = {from, to};
        if (!cut_segment(&segment, box))
            continue;
        contours_add_distinct(out, segment.from);
        contours_add_distinct(out, segment.to);
        if (!is_inside(to, box))
            end_piece(out, line->level);
    }
    end_piece(out, line->level);
}

bool contour_clip(const struct contours *lines, const struct contour_box *box, struct contours *out,
                  struct error *error)
{
    contours_clear(out);
    for (size_t i = 0; i < lines->line_count; i++) {
        const struct contour_line *line = &lines->lines[i];
        size_t outside = 0;
        while (outside < line->count && is_inside(lines->points[line->first + outside], box))
            outside++;
        if (outside == line->count)
            contours_copy_line(lines, i, out);
        else
            clip_line(lines, line, line->closed ? outside : 0, box, out);
    }
    return out->failed ? error_memory(error) : true;
}
