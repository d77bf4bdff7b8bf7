/* The parts are written by the functions of glb.c and glb_vertices.c, for a mesh that has samples
 * of some rows alone (first_row). The JSON in front of them has a fixed length: all of its numbers
 * but the bounds and the picture's length are known beforehand, and the rest of it are spaces, as
 * the specification pads it (section 4.4.3.2). */
#include "core/encode/glb_parts.h"

#include "core/encode/glb_private.h"

enum {
    HEADER = 12,
    CHUNK_HEADER = 8,
    HEAD = 4096, /* with the JSON, which is padded by spaces: its longest numbers fit */
};

/* The mesh without samples: its attributes and sizes. */
struct plan {
    struct sample_raster grid;
    struct glb_extras extras;
    struct glb_mesh mesh;
};

static void make_plan(const struct glb_shape *shape, struct plan *plan)
{
    *plan = (struct plan){
        .grid = {.layer = shape->layer,
                 .columns = shape->columns + 2,
                 .rows = shape->rows + 2,
                 .step = shape->step,
                 .origin = {shape->origin.x - shape->step, shape->origin.y - shape->step}},
    };
    plan->mesh = (struct glb_mesh){.grid = &plan->grid,
                                   .extras = &plan->extras,
                                   .columns = shape->columns,
                                   .rows = shape->rows};
    glb_choose_attributes(&plan->mesh);
    glb_measure(&plan->mesh);
    plan->mesh.across = glb_picture_columns(shape) * glb_picture_pixel(shape);
    plan->mesh.down = glb_picture_rows(shape) * glb_picture_pixel(shape);
}

uint32_t glb_picture_pixel(const struct glb_shape *shape)
{
    const uint32_t longer = shape->columns > shape->rows ? shape->columns : shape->rows;
    return (longer - 1 + GLB_PICTURE_SIDE_MAX - 1) / GLB_PICTURE_SIDE_MAX;
}

uint32_t glb_picture_columns(const struct glb_shape *shape)
{
    const uint32_t pixel = glb_picture_pixel(shape);
    return (shape->columns - 1 + pixel - 1) / pixel;
}

uint32_t glb_picture_rows(const struct glb_shape *shape)
{
    const uint32_t pixel = glb_picture_pixel(shape);
    return (shape->rows - 1 + pixel - 1) / pixel;
}

/* Bytes of a part before its `row`: attributes have rows of vertices, indices those of squares. */
static uint64_t bytes_before(const struct glb_mesh *mesh, unsigned part, uint32_t row)
{
    if (part < mesh->attribute_count)
        return (uint64_t)mesh->columns * row * mesh->attributes[part]->bytes;
    return 6 * (uint64_t)(mesh->columns - 1) * row * mesh->index_bytes;
}

static uint64_t part_offset(const struct glb_mesh *mesh, unsigned part)
{
    uint64_t offset = HEAD;
    for (unsigned i = 0; i < part; i++)
        offset += bytes_before(mesh, i, i < mesh->attribute_count ? mesh->rows : mesh->rows - 1);
    return offset;
}

uint64_t glb_picture_offset(const struct glb_shape *shape)
{
    struct plan plan;
    make_plan(shape, &plan);
    return part_offset(&plan.mesh, GLB_PART_COUNT);
}

/* PNG takes a few bytes more than its pixels where they cannot be compressed. */
uint64_t glb_bytes_max(const struct glb_shape *shape)
{
    const uint64_t pixels = (uint64_t)glb_picture_columns(shape) * glb_picture_rows(shape);
    return glb_picture_offset(shape) + 3 * pixels + pixels / 100 + (1 << 16);
}

uint64_t glb_part_rows(const struct glb_shape *shape, unsigned part, const struct glb_rows *rows,
                       struct buffer *out)
{
    struct plan plan;
    make_plan(shape, &plan);
    plan.grid.samples = rows->samples;
    plan.mesh.first_row = rows->first;
    const uint32_t end = rows->first + rows->rows;
    if (part < plan.mesh.attribute_count)
        glb_write_rows(&plan.mesh, plan.mesh.attributes[part], rows->first, rows->rows, out);
    else
        glb_write_squares(&plan.mesh, rows->first, rows->rows - (end == shape->rows), out);
    return part_offset(&plan.mesh, part) + bytes_before(&plan.mesh, part, rows->first);
}

void glb_part_head(const struct glb_shape *shape, const float heights[2], uint64_t picture_bytes,
                   uint64_t *length, struct buffer *out)
{
    struct plan plan;
    make_plan(shape, &plan);
    struct glb_mesh *mesh = &plan.mesh;
    const size_t start = out->length;
    mesh->image_bytes = (size_t)picture_bytes;
    mesh->low[1] = heights[0];
    mesh->high[1] = heights[1];
    mesh->high[0] = (float)((mesh->columns - 1) * mesh->step);
    mesh->high[2] = (float)((mesh->rows - 1) * mesh->step);
    *length = (part_offset(mesh, GLB_PART_COUNT) + picture_bytes + 3) / 4 * 4;
    buffer_text(out, "glTF");
    buffer_little_endian(out, 2, 4);
    buffer_little_endian(out, *length, 4);
    buffer_little_endian(out, HEAD - HEADER - 2 * CHUNK_HEADER, 4);
    buffer_little_endian(out, GLB_JSON, 4);
    glb_write_json(mesh, out);
    while (out->length - start < HEAD - CHUNK_HEADER && !out->failed)
        buffer_byte(out, ' ');
    buffer_little_endian(out, *length - HEAD, 4);
    buffer_little_endian(out, GLB_BINARY, 4);
}
