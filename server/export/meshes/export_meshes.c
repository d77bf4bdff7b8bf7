/* The ground of a rectangle as one file, which appears when it is complete. A signal ends the
 * program and removes what was written: server/base/output.h. */
#include <stdio.h>
#include <string.h>

#include "server/base/output.h"
#include "server/export/job.h"
#include "server/export/meshes/mesh.h"

static bool takes(const struct options *options, const char *path)
{
    (void)options;
    return path && mesh_kind_of(path);
}

/* Options */

/* Options of colours are for kinds with colours, and those of solids for solids. */
static bool check_options(const struct export_job *job, const struct mesh_kind *kind,
                          struct error *error)
{
    const struct {
        enum option_id id;
        bool is_allowed;
    } uses[] = {{job->style, mesh_kind_is_coloured(kind)},
                {OPTION_SCALE, mesh_kind_is_solid(kind)},
                {OPTION_BASE, mesh_kind_is_solid(kind)}};
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++)
        if (!uses[i].is_allowed && options_given(job->options, uses[i].id))
            return error_set(error, ERROR_VALUE, "--%s is for other meshes than .%s",
                             option_table[uses[i].id].name, mesh_kind_name(kind));
    return true;
}

static bool read_solid(const struct options *options, struct mesh_plan *plan, struct error *error)
{
    plan->scale = options_number(options, OPTION_SCALE);
    plan->has_base = options_given(options, OPTION_BASE);
    plan->base = options_number(options, OPTION_BASE);
    if (plan->scale >= 1.0 && plan->scale <= 1e9)
        return true;
    error_set(error, ERROR_LIMIT, "must be from 1 to 1000000000, not %s",
              options_text(options, OPTION_SCALE));
    return error_in_path(error, "--scale");
}

static bool read_options(struct export_job *job, struct error *error)
{
    struct mesh_plan *plan = &((struct mesh_run *)job->plan)->plan;
    plan->kind = mesh_kind_of(job->path);
    if (!check_options(job, plan->kind, error))
        return false;
    if (!options_given(job->options, OPTION_BBOX) || job->step == 0)
        return error_set(error, ERROR_VALUE, "a mesh needs --bbox X0,Y0,X1,Y1 and --step METRES");
    memcpy(plan->box, job->box, sizeof plan->box);
    plan->step = job->step;
    plan->t = job->t;
    return read_solid(job->options, plan, error) &&
           (mesh_cover(plan, error) || error_in_path(error, "--bbox"));
}

static bool bind(struct export_job *job, struct error *error)
{
    struct mesh_run *run = job->plan;
    struct mesh_plan *plan = &run->plan;
    const double bytes = (double)mesh_bytes_max(plan);
    const bool is_coloured = mesh_kind_is_coloured(plan->kind);
    plan->world = job->world->world;
    plan->painter = catalog_painter(job->world, options_text(job->options, job->style), error);
    if (!plan->painter && is_coloured)
        return error_in_path(error, "--style");
    run->threads = job->threads;
    run->network = job->network;
    run->progress = &job->progress;
    job->estimate.bytes = bytes;
    job->space.parts = (struct long_work_space){.least = bytes * 0.7, .about = bytes};
    job->space.is_known = true; /* pictures are compressed, by how much does not show before */
    buffer_format(&job->summary, "%u x %u vertices, %llu triangles,%s", (unsigned)plan->columns,
                  (unsigned)plan->rows, (unsigned long long)mesh_triangles(plan),
                  is_coloured ? " at most" : "");
    return true;
}

/* Work */

static bool estimate(struct export_job *job, struct error *error)
{
    return mesh_estimate(job->plan, &job->estimate.seconds, error);
}

/* Parts are written in any order, which pipes cannot. */
static bool check_output(const struct output *output, struct error *error)
{
    if (output->path && fseek(output->stream, 0, SEEK_SET) == 0)
        return true;
    error_set(error, ERROR_VALUE, "must be a file: meshes cannot be written to a pipe");
    return error_in_path(error, "-o");
}

static bool make(struct export_job *job, struct error *error)
{
    struct mesh_run *run = job->plan;
    struct output output;
    if (!output_open(&output, job->path, error))
        return false;
    run->file = fileno(output.stream);
    const bool done = check_output(&output, error) && mesh_write(run, error);
    if (!done && error->code == ERROR_IO)
        error_in_file(error, job->path);
    return output_close(&output, done, done ? error : NULL) && done;
}

const struct export_kind export_meshes = {
    .name = "meshes, .glb and .stl",
    .noun = "mesh",
    .file = "FILE",
    .unit = "rows",
    .commands = FOR_EXPORT | FOR_RENDER,
    .options = (const enum option_id[]){OPTION_STYLES_OF, OPTION_EXPORT_STEP, OPTION_SCALE,
                                        OPTION_BASE, OPTION_COUNT},
    .plan_size = sizeof(struct mesh_run),
    .endings = mesh_kind_names,
    .takes = takes,
    .read = read_options,
    .bind = bind,
    .estimate = estimate,
    .make = make,
};
