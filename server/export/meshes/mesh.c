/* A band is sampled with a ring around it: a mesh needs the neighbours of its vertices for normals
 * and for the squares to the next band. */
#include "server/export/meshes/mesh_task.h"

#include <errno.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/sampling/sampler.h"
#include "server/base/file.h"
#include "server/base/in_order.h"

enum { BAND_SAMPLES = 1 << 17, ESTIMATE_BANDS = 16, ESTIMATE_MS = 1000 };

static const struct mesh_kind *const kinds[] = {&mesh_glb, &mesh_stl};

const struct mesh_kind *mesh_kind_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    for (size_t i = 0; dot && i < sizeof kinds / sizeof *kinds; i++)
        if (strcasecmp(dot + 1, kinds[i]->name) == 0)
            return kinds[i];
    return NULL;
}

const char *mesh_kind_name(const struct mesh_kind *kind)
{
    return kind->name;
}

const char *mesh_kind_names(char text[FORMAT_NAMES_TEXT])
{
    size_t length = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char name[16];
        snprintf(name, sizeof name, ".%s", kinds[i]->name);
        names_add(text, &length, name);
    }
    return text;
}

bool mesh_kind_is_coloured(const struct mesh_kind *kind)
{
    return kind->is_coloured;
}

bool mesh_kind_is_solid(const struct mesh_kind *kind)
{
    return kind->is_solid;
}

bool mesh_cover(struct mesh_plan *plan, struct error *error)
{
    const int64_t *box = plan->box;
    const int64_t across = (box[2] - box[0] + plan->step - 1) / plan->step;
    const int64_t down = (box[3] - box[1] + plan->step - 1) / plan->step;
    if (across >= INT32_MAX || down >= INT32_MAX)
        return error_set(error, ERROR_LIMIT,
                         "%lld x %lld squares of that step: at most 2147483646 a side",
                         (long long)across, (long long)down);
    if (across > (PLACE_LIMIT - box[0]) / plan->step || down > (PLACE_LIMIT - box[1]) / plan->step)
        return error_set(error, ERROR_LIMIT,
                         "the last square would go beyond the world's edge at 1099511627776 m");
    plan->columns = (uint32_t)across + 1;
    plan->rows = (uint32_t)down + 1;
    return plan->kind->check(plan, error);
}

uint64_t mesh_triangles(const struct mesh_plan *plan)
{
    return plan->kind->triangles(plan);
}

uint64_t mesh_bytes_max(const struct mesh_plan *plan)
{
    return plan->kind->bytes_max(plan);
}

/* The vertex columns of a band with its ring. */
static uint32_t ringed_columns(const struct mesh_plan *plan)
{
    return plan->columns + 2;
}

void mesh_end_part(struct mesh_band *band, uint64_t offset)
{
    band->parts[band->part_count].offset = offset;
    band->parts[band->part_count].end = band->bytes.length;
    band->part_count++;
}

static bool write_bytes(const struct mesh_task *task, const void *bytes, size_t length,
                        uint64_t offset, struct error *error)
{
    return file_write_at(task->run->file, bytes, length, offset) ||
           error_set(error, ERROR_IO, "cannot be written: %s", strerror(errno));
}

bool mesh_write_at(const struct mesh_task *task, const struct buffer *bytes, uint64_t offset,
                   struct error *error)
{
    if (bytes->failed)
        return error_memory(error);
    return write_bytes(task, bytes->data, bytes->length, offset, error);
}

/* Bands */

static void *begin(void *context)
{
    const struct mesh_task *task = context;
    const size_t samples = (size_t)ringed_columns(&task->run->plan) * ((size_t)task->band_rows + 2);
    struct mesh_band *band = calloc(1, sizeof *band);
    if (!band)
        return NULL;
    band->canvas = canvas_new();
    band->samples = malloc(samples * sizeof *band->samples);
    if (band->canvas && band->samples) {
        sampler_set_cache(canvas_sampler(band->canvas), task->run->network);
        return band;
    }
    canvas_free(band->canvas);
    free(band->samples);
    free(band);
    return NULL;
}

static void end(void *memory)
{
    struct mesh_band *band = memory;
    canvas_free(band->canvas);
    free(band->samples);
    buffer_free(&band->bytes);
    free(band);
}

static void find_extremes(const struct mesh_plan *plan, struct mesh_band *band)
{
    band->low = FLT_MAX;
    band->high = -FLT_MAX;
    for (uint32_t j = 1; j <= band->rows; j++) {
        const float *row = band->samples + (size_t)j * ringed_columns(plan);
        for (uint32_t i = 1; i <= plan->columns; i++) {
            band->low = row[i] < band->low ? row[i] : band->low;
            band->high = row[i] > band->high ? row[i] : band->high;
        }
    }
}

static bool make(void *context, const struct in_order_piece *piece, struct error *error)
{
    struct mesh_task *task = context;
    struct mesh_band *band = piece->memory;
    const struct mesh_plan *plan = &task->run->plan;
    const unsigned layer = world_height_layer(plan->world);
    band->first = (uint32_t)piece->number * task->band_rows;
    band->rows = plan->rows - band->first;
    band->rows = band->rows < task->band_rows ? band->rows : task->band_rows;
    band->part_count = 0;
    buffer_clear(&band->bytes);
    const struct sample_grid grid = {
        .x = plan->box[0] - plan->step,
        .y = plan->box[1] + ((int64_t)band->first - 1) * plan->step,
        .step = plan->step,
        .columns = ringed_columns(plan),
        .rows = band->rows + 2,
        .spacing = place_metres(plan->step),
        .t = plan->t,
    };
    const struct sample_request request = {&layer, &band->samples, 1};
    if (!sampler_grid(canvas_sampler(band->canvas), world_program(plan->world), &grid, &request,
                      error))
        return false;
    find_extremes(plan, band);
    if (!plan->kind->make(task, band, error))
        return false;
    return !band->bytes.failed || error_memory(error);
}

static bool use(void *context, const struct in_order_piece *piece, struct error *error)
{
    struct mesh_task *task = context;
    const struct mesh_band *band = piece->memory;
    size_t from = 0;
    for (unsigned i = 0; i < band->part_count; i++) {
        if (!write_bytes(task, band->bytes.data + from, band->parts[i].end - from,
                         band->parts[i].offset, error))
            return false;
        from = band->parts[i].end;
    }
    task->low = band->low < task->low ? band->low : task->low;
    task->high = band->high > task->high ? band->high : task->high;
    task->done += band->rows;
    return progress_step(task->run->progress, task->done, task->total, 0);
}

/* Solids keep their border: false when memory is out. */
static bool start_task(const struct mesh_run *run, struct mesh_task *task)
{
    const struct mesh_plan *plan = &run->plan;
    const uint32_t rows = BAND_SAMPLES / plan->columns;
    *task = (struct mesh_task){
        .run = run,
        .band_rows = rows < 1            ? 1
                     : rows < plan->rows ? rows
                                         : plan->rows,
        .low = FLT_MAX,
        .high = -FLT_MAX,
        .total = plan->rows + (plan->kind->more_rows ? plan->kind->more_rows(plan) : 0),
    };
    if (plan->kind->is_solid)
        task->border = malloc(2 * ((size_t)plan->columns + plan->rows) * sizeof *task->border);
    return task->border || !plan->kind->is_solid;
}

static struct in_order pieces_of(struct mesh_task *task)
{
    return (struct in_order){
        .count = (task->run->plan.rows + task->band_rows - 1) / task->band_rows,
        .threads = task->run->threads,
        .context = task,
        .begin = begin,
        .end = end,
        .make = make,
    };
}

bool mesh_estimate(const struct mesh_run *run, double *seconds, struct error *error)
{
    struct mesh_task task;
    struct in_order_sample sample = {1, ESTIMATE_BANDS, ESTIMATE_MS, 0, 0.0};
    double more = 0.0;
    if (!start_task(run, &task))
        return error_memory(error);
    struct in_order pieces = pieces_of(&task);
    pieces.threads = 1; /* they would write the border at once */
    bool done = in_order_sample(&pieces, &sample, error);
    if (done && run->plan.kind->estimate_end)
        done = run->plan.kind->estimate_end(run, &more, error);
    *seconds = (sample.seconds + more) / run->threads;
    free(task.border);
    return done;
}

bool mesh_write(const struct mesh_run *run, struct error *error)
{
    struct mesh_task task;
    if (!start_task(run, &task))
        return error_memory(error);
    struct in_order pieces = pieces_of(&task);
    pieces.use = use;
    const bool done = in_order_run(&pieces, error) && run->plan.kind->end(&task, error);
    free(task.border);
    return done;
}
