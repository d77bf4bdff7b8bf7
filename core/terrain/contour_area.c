/* The area below a level as polygons: its isolines cut by the box, joined along the box's border.
 *
 * Lines have the lower ground on their right. So where a line leaves the box, the area goes on
 * along the border, clockwise, to the next place where a line comes in; the joined lines are rings,
 * clockwise around the area's parts and anticlockwise around its holes. */
#include <stdlib.h>

#include "core/terrain/contour_private.h"

/* An end of a cut line, on the box's border. */
struct border_end {
    int64_t position; /* clockwise from the north-west corner */
    size_t line;
    bool is_exit; /* the line's last point */
    bool used;
};

static int64_t border_position(const struct contour_box *box, struct contour_point point)
{
    int64_t width = (int64_t)box->east - box->west, height = (int64_t)box->south - box->north;
    if (point.y == box->north)
        return (int64_t)point.x - box->west;
    if (point.x == box->east)
        return width + point.y - box->north;
    if (point.y == box->south)
        return 2 * width + height - ((int64_t)point.x - box->west);
    return 2 * (width + height) - ((int64_t)point.y - box->north);
}

/* At equal positions an exit comes before an entry, so that they are joined without a way between.
 */
static int compare_ends(const void *exit_end, const void *right)
{
    const struct border_end *a = exit_end, *b = right;
    if (a->position != b->position)
        return a->position < b->position ? -1 : 1;
    if (a->is_exit != b->is_exit)
        return a->is_exit ? -1 : 1;
    return a->line < b->line ? -1 : a->line > b->line;
}

static size_t list_ends(const struct contours *lines, const struct contour_box *box,
                        struct border_end *ends)
{
    size_t count = 0;
    for (size_t i = 0; i < lines->line_count; i++) {
        const struct contour_line *line = &lines->lines[i];
        if (line->closed)
            continue;
        const struct contour_point *points = lines->points + line->first;
        ends[count++] = (struct border_end){border_position(box, points[0]), i, false, false};
        ends[count++] =
            (struct border_end){border_position(box, points[line->count - 1]), i, true, false};
    }
    qsort(ends, count, sizeof *ends, compare_ends);
    return count;
}

/* Appends the corners of the box between two positions, clockwise. */
static void add_corners(const struct contour_box *box, int64_t from, int64_t to,
                        struct contours *out)
{
    int64_t width = (int64_t)box->east - box->west, height = (int64_t)box->south - box->north;
    const int64_t positions[4] = {0, width, width + height, 2 * width + height};
    const struct contour_point corners[4] = {{box->west, box->north},
                                             {box->east, box->north},
                                             {box->east, box->south},
                                             {box->west, box->south}};
    int64_t perimeter = 2 * (width + height);
    if (to < from)
        to += perimeter;
    for (int i = 0; i < 8; i++) {
        int64_t position = positions[i % 4] + (i < 4 ? 0 : perimeter);
        if (position > from && position < to)
            contours_add_distinct(out, corners[i % 4]);
    }
}

/* Ends the ring being made, and drops it if it has no area. */
static void end_ring(struct contours *out)
{
    size_t first = contours_tail(out);
    if (out->failed)
        return;
    const struct contour_point *points = out->points + first;
    size_t count = out->point_count - first;
    while (count > 1 && points[count - 1].x == points[0].x && points[count - 1].y == points[0].y)
        count--;
    out->point_count = first + count;
    double area = contour_ring_area(points, count);
    if (area == 0) {
        contours_discard_tail(out);
        return;
    }
    contours_add_line(out, 0, true);
    if (!out->failed)
        out->lines[out->line_count - 1].hole = area < 0;
}

static void add_line_points(const struct contours *lines, size_t line, struct contours *out)
{
    const struct contour_point *points = lines->points + lines->lines[line].first;
    for (size_t i = 0; i < lines->lines[line].count; i++)
        contours_add_distinct(out, points[i]);
}

/* The first unused entry of a line, clockwise from `index`. There is one, as there are as many
 * entries as exits. */
static size_t next_entry(const struct border_end *ends, size_t count, size_t index)
{
    do
        index = index + 1 == count ? 0 : index + 1;
    while (ends[index].is_exit || ends[index].used);
    return index;
}

/* The ends of all open lines, around the border. */
struct border {
    struct border_end *ends;
    size_t count;
    size_t *exit_index; /* by line: the index of the end where the line exits */
};

/* Joins the open lines into rings. */
static void join_lines(const struct contours *lines, const struct contour_box *box,
                       const struct border *border, struct contours *out)
{
    struct border_end *ends = border->ends;
    size_t *exit_index = border->exit_index;
    const size_t count = border->count;
    for (size_t i = 0; i < count; i++) {
        if (ends[i].is_exit)
            exit_index[ends[i].line] = i;
    }
    for (size_t i = 0; i < count; i++) {
        if (ends[i].is_exit || ends[i].used)
            continue;
        size_t entry = i;
        do {
            add_line_points(lines, ends[entry].line, out);
            size_t exit_end = exit_index[ends[entry].line];
            entry = next_entry(ends, count, exit_end);
            ends[entry].used = true;
            add_corners(box, ends[exit_end].position, ends[entry].position, out);
        } while (entry != i);
        end_ring(out);
    }
}

static void copy_rings(const struct contours *lines, struct contours *out)
{
    for (size_t i = 0; i < lines->line_count; i++) {
        if (!lines->lines[i].closed)
            continue;
        add_line_points(lines, i, out);
        end_ring(out);
    }
}

static void add_box(const struct contour_box *box, struct contours *out)
{
    contours_add_point(out, box->west, box->north);
    contours_add_point(out, box->east, box->north);
    contours_add_point(out, box->east, box->south);
    contours_add_point(out, box->west, box->south);
    end_ring(out);
}

/* True if the border of the box, which no line crosses, is below the level. The ring that reaches
 * farthest west decides: the ground outside a hole is below the level. Without rings any sample
 * decides. */
static bool border_is_below(const struct contour_area *area, const struct contours *rings)
{
    const struct contour_point *west = NULL;
    bool below = false;
    for (size_t i = 0; i < rings->line_count; i++) {
        for (size_t k = 0; k < rings->lines[i].count; k++) {
            const struct contour_point *point = &rings->points[rings->lines[i].first + k];
            if (!west || point->x < west->x) {
                west = point;
                below = rings->lines[i].hole;
            }
        }
    }
    if (west)
        return below;
    size_t column = ((size_t)area->box.west + CONTOUR_ONE - 1) / CONTOUR_ONE;
    size_t row = ((size_t)area->box.north + CONTOUR_ONE - 1) / CONTOUR_ONE;
    return area->field->samples[row * area->field->columns + column] < area->level;
}

/* All rings of the area, holes among them. */
static bool make_rings(const struct contour_area *area, const struct contours *lines,
                       struct contours *out)
{
    size_t size = lines->line_count * (2 * sizeof(struct border_end) + sizeof(size_t));
    struct border_end *ends = contours_scratch(out, size + 1);
    if (!ends)
        return false;
    contours_clear(out);
    const struct border border = {
        .ends = ends,
        .count = list_ends(lines, &area->box, ends),
        .exit_index = (size_t *)(void *)(ends + 2 * lines->line_count),
    };
    join_lines(lines, &area->box, &border, out);
    copy_rings(lines, out);
    if (border.count == 0 && border_is_below(area, out))
        add_box(&area->box, out);
    return !out->failed;
}

static bool check_area(const struct contour_area *area, struct error *error)
{
    const struct contour_box *box = &area->box;
    int64_t width = (int64_t)box->east - box->west, height = (int64_t)box->south - box->north;
    if (box->west >= 0 && box->north >= 0 && width >= CONTOUR_ONE && height >= CONTOUR_ONE &&
        box->east <= (int64_t)(area->field->columns - 1) * CONTOUR_ONE &&
        box->south <= (int64_t)(area->field->rows - 1) * CONTOUR_ONE)
        return true;
    return error_set(error, ERROR_VALUE,
                     "an area's box must lie within its field and be at least a sample wide");
}

bool contour_area(const struct contour_area *area, struct contours work[2], struct contours *out,
                  struct error *error)
{
    contours_clear(out);
    if (!contour_trace(area->field, &area->level, 1, &work[0], error) || !check_area(area, error) ||
        !contour_clip(&work[0], &area->box, &work[1], error))
        return false;
    if (!make_rings(area, &work[1], &work[0]) || !contour_order_rings(&work[0], out))
        return error_memory(error);
    return true;
}
