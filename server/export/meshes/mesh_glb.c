/* GLB: the attributes of a band go to their places; the picture comes behind them, and the head
 * last, when the bounds are known. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "core/encode/glb_parts.h"
#include "server/base/clock.h"
#include "server/export/meshes/mesh_task.h"
#include "server/render/format.h"
#include "server/render/picture.h"

enum { ESTIMATE_ROWS = 64 };

static struct glb_shape shape_of(const struct mesh_plan *plan)
{
    return (struct glb_shape){
        .layer = plan->world ? world_layer(plan->world, world_height_layer(plan->world))->name : "",
        .columns = plan->columns,
        .rows = plan->rows,
        .step = plan->step,
        .origin = {plan->box[0], plan->box[1]},
    };
}

/* The step with which the area fits, about: bytes are in proportion to the squares. */
static bool check(const struct mesh_plan *plan, struct error *error)
{
    const struct glb_shape shape = shape_of(plan);
    const uint64_t squares = ((uint64_t)plan->columns - 1) * (plan->rows - 1);
    if (squares < UINT32_MAX && glb_bytes_max(&shape) <= UINT32_MAX)
        return true;
    return error_set(error, ERROR_LIMIT,
                     "%u x %u vertices are more than the 4 GiB of a GLB file hold, about 70 "
                     "million: use a larger --step or a smaller --bbox",
                     (unsigned)plan->columns, (unsigned)plan->rows);
}

static uint64_t bytes_max(const struct mesh_plan *plan)
{
    const struct glb_shape shape = shape_of(plan);
    return glb_bytes_max(&shape);
}

static uint64_t triangles(const struct mesh_plan *plan)
{
    return 2 * ((uint64_t)plan->columns - 1) * (plan->rows - 1);
}

static uint32_t more_rows(const struct mesh_plan *plan)
{
    const struct glb_shape shape = shape_of(plan);
    return glb_picture_rows(&shape);
}

static bool make(struct mesh_task *task, struct mesh_band *band, struct error *error)
{
    const struct glb_shape shape = shape_of(&task->run->plan);
    const struct glb_rows rows = {band->first, band->rows, band->samples};
    (void)error;
    for (unsigned part = 0; part < GLB_PART_COUNT; part++)
        mesh_end_part(band, glb_part_rows(&shape, part, &rows, &band->bytes));
    return true;
}

/* The picture, which is written behind the parts. */
struct writer {
    struct mesh_task *task;
    uint64_t offset;
    bool is_ended;
};

static bool write_picture(void *context, const void *bytes, size_t length, struct error *error)
{
    struct writer *writer = context;
    const struct buffer whole = {.data = (uint8_t *)(uintptr_t)bytes, .length = length};
    if (writer->is_ended || !mesh_write_at(writer->task, &whole, writer->offset, error))
        return false;
    writer->offset += length;
    return true;
}

static void show_picture(void *context, uint64_t done, uint64_t total)
{
    struct writer *writer = context;
    const struct mesh_task *task = writer->task;
    const uint64_t rows = task->total - total + done;
    if (!progress_step(task->run->progress, rows, task->total, 0))
        writer->is_ended = true;
}

static struct picture picture_of(const struct mesh_run *run)
{
    const struct mesh_plan *plan = &run->plan;
    const struct glb_shape shape = shape_of(plan);
    const int64_t pixel = glb_picture_pixel(&shape) * plan->step;
    return (struct picture){
        .world = plan->world,
        .painter = plan->painter,
        .format = format_find("png", strlen("png")),
        .grid = {.x = plan->box[0] + pixel / 2,
                 .y = plan->box[1] + pixel / 2,
                 .step = pixel,
                 .columns = glb_picture_columns(&shape),
                 .rows = glb_picture_rows(&shape),
                 .spacing = place_metres(pixel),
                 .t = plan->t},
        .threads = run->threads,
        .network = run->network,
    };
}

static bool forget_picture(void *context, const void *bytes, size_t length, struct error *error)
{
    (void)context, (void)bytes, (void)length, (void)error;
    return true;
}

/* Some rows in the middle. */
static bool estimate_end(const struct mesh_run *run, double *seconds, struct error *error)
{
    struct picture picture = picture_of(run);
    const struct picture_output nowhere = {forget_picture, NULL, NULL};
    const uint32_t rows = picture.grid.rows, some = rows < ESTIMATE_ROWS ? rows : ESTIMATE_ROWS;
    const int64_t begun = clock_milliseconds();
    picture.threads = 1;
    picture.grid.y += (rows - some) / 2 * picture.grid.step;
    picture.grid.rows = some;
    const bool done = picture_write(&picture, &nowhere, error);
    *seconds = (double)(clock_milliseconds() - begun) / 1000 * rows / some;
    return done;
}

static bool end(struct mesh_task *task, struct error *error)
{
    const struct glb_shape shape = shape_of(&task->run->plan);
    const struct picture picture = picture_of(task->run);
    struct writer writer = {task, glb_picture_offset(&shape), false};
    const struct picture_output output = {write_picture, show_picture, &writer};
    if (!picture_write(&picture, &output, error) || writer.is_ended)
        return false;
    struct buffer head = {0};
    const float heights[] = {task->low, task->high};
    uint64_t length;
    glb_part_head(&shape, heights, writer.offset - glb_picture_offset(&shape), &length, &head);
    bool done = mesh_write_at(task, &head, 0, error);
    if (done && ftruncate(task->run->file, (off_t)length) != 0)
        done = error_set(error, ERROR_IO, "cannot be written: %s", strerror(errno));
    buffer_free(&head);
    return done;
}

const struct mesh_kind mesh_glb = {
    .name = "glb",
    .is_coloured = true,
    .check = check,
    .bytes_max = bytes_max,
    .triangles = triangles,
    .more_rows = more_rows,
    .make = make,
    .estimate_end = estimate_end,
    .end = end,
};
