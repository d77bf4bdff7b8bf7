/* STL: the ground as bands come; walls and base at the end, from the samples of the border, which
 * are kept, because the base may lie below the lowest place. */
#include "core/encode/stl.h"
#include "server/export/meshes/mesh_task.h"

enum { MILLIMETRES = 1000 };

/* The base's depth below the lowest place, as a part of the longer side. */
static const double base_share = 0.02;

static struct stl_shape shape_of(const struct mesh_plan *plan)
{
    const double scale = MILLIMETRES / plan->scale;
    return (struct stl_shape){plan->columns, plan->rows, place_metres(plan->step) * scale, scale};
}

static bool check(const struct mesh_plan *plan, struct error *error)
{
    const struct stl_shape shape = shape_of(plan);
    if (stl_triangles(&shape) <= UINT32_MAX)
        return true;
    return error_set(error, ERROR_LIMIT,
                     "%u x %u vertices are more than the 4294967295 triangles of an STL file hold: "
                     "use a larger --step or a smaller --bbox",
                     (unsigned)plan->columns, (unsigned)plan->rows);
}

static uint64_t triangles(const struct mesh_plan *plan)
{
    const struct stl_shape shape = shape_of(plan);
    return stl_triangles(&shape);
}

static uint64_t bytes_max(const struct mesh_plan *plan)
{
    return STL_HEAD + STL_TRIANGLE * triangles(plan);
}

/* In the numbers of the file, so that no wall is without height there. */
static bool check_base(const struct stl_shape *shape, float low, double base, struct error *error)
{
    char text[NUMBER_TEXT];
    if ((float)((double)low * shape->scale) > (float)(base * shape->scale))
        return true;
    number_format_float(low, text);
    error_set(error, ERROR_VALUE, "must be below the ground, which goes down to %s m", text);
    return error_in_path(error, "--base");
}

/* Each sample of the border has its place, whichever thread comes by: see stl_write_sides(). */
static void keep_border(struct mesh_task *task, const struct mesh_band *band)
{
    const struct mesh_plan *plan = &task->run->plan;
    const size_t east = plan->columns - 1, south = plan->rows - 1, width = plan->columns + 2;
    for (size_t j = band->first; j < (size_t)band->first + band->rows; j++) {
        const float *row = band->samples + (j - band->first + 1) * width + 1;
        task->border[j] = row[0];
        task->border[2 * south + east - j] = row[east];
        for (size_t i = 0; j == south && i <= east; i++)
            task->border[south + i] = row[i];
        for (size_t i = 1; j == 0 && i <= east; i++)
            task->border[2 * (south + east) - i] = row[i];
    }
}

static bool make(struct mesh_task *task, struct mesh_band *band, struct error *error)
{
    const struct mesh_plan *plan = &task->run->plan;
    const struct stl_shape shape = shape_of(plan);
    const size_t width = plan->columns + 2;
    const struct stl_rows rows = {
        .first = band->first,
        .rows = band->rows - (band->first + band->rows == plan->rows),
        .samples = band->samples + width + 1,
        .stride = width,
    };
    if (plan->has_base && !check_base(&shape, band->low, plan->base, error))
        return false;
    keep_border(task, band);
    stl_write_ground(&shape, &rows, &band->bytes);
    mesh_end_part(band, STL_HEAD + (uint64_t)STL_TRIANGLE * 2 * (plan->columns - 1) * band->first);
    return true;
}

static bool end(struct mesh_task *task, struct error *error)
{
    const struct mesh_plan *plan = &task->run->plan;
    const struct stl_shape shape = shape_of(plan);
    const uint32_t longer = plan->columns > plan->rows ? plan->columns : plan->rows;
    const double depth = base_share * (longer - 1) * place_metres(plan->step);
    const double base = plan->has_base ? plan->base : (double)task->low - depth;
    struct buffer bytes = {0};
    if (!check_base(&shape, task->low, base, error))
        return false;
    stl_write_head(&shape, &bytes);
    bool done = mesh_write_at(task, &bytes, 0, error);
    buffer_clear(&bytes);
    stl_write_sides(&shape, task->border, base, &bytes);
    done = done && mesh_write_at(task, &bytes,
                                 STL_HEAD + STL_TRIANGLE * stl_ground_triangles(&shape), error);
    buffer_free(&bytes);
    return done;
}

const struct mesh_kind mesh_stl = {
    .name = "stl",
    .is_solid = true,
    .check = check,
    .bytes_max = bytes_max,
    .triangles = triangles,
    .make = make,
    .end = end,
};
