/* Plans the operations OP_COARSE of a request: which nodes are sampled together.
 *
 * A field is an operation that is sampled at nodes of one spacing. Fields that are first needed in
 * the same view (a scope), at the same spacing and with the same use of z and t are a group. That
 * keeps together what formulas use together: a layer with four coarse() has one group, and slope()
 * of the layer four more views on it, not four more groups. */
#include "core/sampling/coarse.h"

#include <stdlib.h>
#include <string.h>

#include "core/sampling/coarse_private.h"

/* Nodes lie within ±2⁴⁴ m of the scope's origin before displacement: only scale() by small factors
 * leads out of that, and there the nodes of the edge go on. */
#define NODE_LIMIT_LOG2 44

void coarse_drop_operands(const struct operation *operation, double metres, int32_t operands[3])
{
    if (operation->code == OP_COARSE)
        operands[0] = -1;
    if (operation->code != OP_BY_SPACING)
        return;
    const float share = coarse_direct_share(metres, operation->k[0]);
    operands[0] = share < 1.0f ? operands[0] : -1;
    operands[1] = share > 0.0f ? operands[1] : -1;
}

struct coarse *coarse_new(struct sampler_kept *kept)
{
    struct coarse *coarse = calloc(1, sizeof *coarse);
    if (coarse)
        coarse->kept = kept;
    return coarse;
}

void coarse_free(struct coarse *coarse)
{
    if (!coarse)
        return;
    for (size_t i = 0; i < coarse->view_room; i++)
        free(coarse->views[i].columns);
    for (size_t i = 0; i < coarse->window_room; i++) {
        free(coarse->windows[i].nodes);
        free(coarse->windows[i].first);
    }
    for (size_t i = 0; i < coarse->operation_room; i++)
        free(coarse->operations[i].band);
    band_cells_free(&coarse->positions.cells);
    free(coarse->cells.cells);
    free(coarse->views);
    free(coarse->groups);
    free(coarse->windows);
    free(coarse->operations);
    free(coarse->fields);
    free(coarse->first_fields);
    free(coarse->numbers);
    node_reader_free(coarse->reader);
    free(coarse);
}

/* Makes room for `count` entries of an array, zeroed where it grows; null when memory is out. */
static void *make_room(void *entries, size_t *room, size_t count, size_t size)
{
    if (count <= *room)
        return entries;
    const size_t larger = count > 2 * *room ? count : 2 * *room;
    char *grown = realloc(entries, larger * size);
    if (!grown)
        return NULL;
    memset(grown + *room * size, 0, (larger - *room) * size);
    *room = larger;
    return grown;
}
#define MAKE_ROOM(coarse, name, count)                                                             \
    grow((void **)&(coarse)->name##s, &(coarse)->name##_room, count, sizeof *(coarse)->name##s)

static bool grow(void **entries, size_t *room, size_t count, size_t size)
{
    void *grown = make_room(*entries, room, count, size);
    *entries = grown ? grown : *entries;
    return grown != NULL;
}

/* The height of the nodes: that of the request in metres of the scope. */
static int64_t node_height(const struct coarse *coarse, const struct node_grid *grid)
{
    const double limit = 0x1p57, z = (double)coarse->uniforms.z / grid->scale;
    if (grid->scale == 1.0)
        return coarse->uniforms.z;
    return z < -limit  ? -(int64_t)limit
           : z > limit ? (int64_t)limit
                       : (int64_t)__builtin_floor(z + 0.5);
}

static struct coarse_view *begin_view(struct coarse *coarse, const struct operation *operation)
{
    struct coarse_view *view = &coarse->views[operation->table_index];
    const struct node_grid *grid = &coarse->program->node_grids[operation->table_index];
    if (view->request == coarse->request)
        return view;
    const double spacing = (double)((int64_t)1 << grid->spacing_log2);
    noise_cells_prepare(&view->scope.cells, &grid->domain, spacing * grid->scale);
    view->request = coarse->request;
    view->scope.limit = (int64_t)1 << (NODE_LIMIT_LOG2 - grid->spacing_log2);
    view->along = noise_cells_are_along(&view->scope.cells) && operation->b < 0;
    view->windows = -1;
    view->block = 0;
    for (int i = 0; i < 4; i++)
        view->groups[i] = -1;
    return view;
}

/* What the operation that is sampled at nodes depends on: USES_Z, USES_T. */
static uint8_t nodes_use(const struct coarse *coarse, const struct operation *operation)
{
    return coarse->program->operations[operation->a].uses & (USES_Z | USES_T);
}

/* What the nodes of a field are kept by. */
static struct node_field make_field(const struct coarse *coarse, const struct operation *operation,
                                    const struct node_group *group)
{
    const struct program *program = coarse->program;
    const uint64_t words[4] = {program->identity.high, program->identity.low,
                               (uint64_t)operation->a, group->spacing_log2};
    return (struct node_field){
        .identity = hash_bytes(words, sizeof words, 0),
        .z = nodes_use(coarse, operation) & USES_Z ? group->z : 0,
        .t = nodes_use(coarse, operation) & USES_T ? group->t : 0,
    };
}

/* The group for a field that is first seen in a view: the view's last one for this use of z and t,
 * unless it is full. Null when memory is out. */
static struct node_group *group_for(struct coarse *coarse, const struct operation *operation,
                                    struct coarse_view *view)
{
    int32_t *last = &view->groups[nodes_use(coarse, operation)];
    if (*last >= 0 && coarse->groups[*last].count < NODE_GROUP_FIELDS_MAX)
        return &coarse->groups[*last];
    if (!MAKE_ROOM(coarse, group, coarse->group_count + 1))
        return NULL;
    const struct node_grid *grid = &coarse->program->node_grids[operation->table_index];
    *last = (int32_t)coarse->group_count++;
    struct node_group *group = &coarse->groups[*last];
    group->spacing_log2 = grid->spacing_log2;
    group->z = node_height(coarse, grid);
    group->t = coarse->uniforms.t;
    group->count = 0;
    return group;
}

/* True if a field of a group serves an operation: heights differ in scopes of different scales. */
static bool field_fits(const struct coarse *coarse, const struct coarse_field *field,
                       const struct operation *operation)
{
    const struct node_grid *grid = &coarse->program->node_grids[operation->table_index];
    return field->spacing_log2 == grid->spacing_log2 &&
           (!(nodes_use(coarse, operation) & USES_Z) ||
            coarse->groups[field->group].z == node_height(coarse, grid));
}

/* The field of an operation; null when memory is out. */
static const struct coarse_field *find_field(struct coarse *coarse,
                                             const struct operation *operation,
                                             struct coarse_view *view)
{
    int32_t *first = &coarse->first_fields[operation->a];
    for (int32_t i = *first; i >= 0; i = coarse->fields[i].next)
        if (field_fits(coarse, &coarse->fields[i], operation))
            return &coarse->fields[i];
    if (!MAKE_ROOM(coarse, field, coarse->field_count + 1))
        return NULL;
    struct node_group *group = group_for(coarse, operation, view);
    if (!group)
        return NULL;
    struct coarse_field *field = &coarse->fields[coarse->field_count];
    *field = (struct coarse_field){group->spacing_log2, (uint32_t)(group - coarse->groups),
                                   group->count, *first};
    *first = (int32_t)coarse->field_count++;
    group->operations[group->count] = operation->a;
    group->fields[group->count++] = make_field(coarse, operation, group);
    return field;
}

/* The window of a group in a view, by number; -1 when memory is out. */
static int32_t find_window(struct coarse *coarse, uint32_t group, uint32_t number)
{
    struct coarse_view *view = &coarse->views[number];
    for (int32_t i = view->windows; i >= 0; i = coarse->windows[i].next)
        if (coarse->windows[i].group == group)
            return i;
    if (!MAKE_ROOM(coarse, window, coarse->window_count + 1))
        return -1;
    struct coarse_window *window = &coarse->windows[coarse->window_count];
    window->group = group;
    window->view = number;
    window->next = view->windows;
    window->block = window->band = 0;
    return view->windows = (int32_t)coarse->window_count++;
}

bool coarse_add(struct coarse *coarse, uint32_t number)
{
    const struct operation *operation = &coarse->program->operations[number];
    struct coarse_view *view = begin_view(coarse, operation);
    const struct coarse_field *field = find_field(coarse, operation, view);
    const int32_t window = field ? find_window(coarse, field->group, operation->table_index) : -1;
    if (window < 0 || !MAKE_ROOM(coarse, operation, coarse->operation_count + 1))
        return false;
    struct coarse_operation *added = &coarse->operations[coarse->operation_count++];
    added->window = (uint32_t)window;
    added->index = field->index;
    added->load = 0;
    coarse->numbers[number] = coarse->operation_count - 1;
    return true;
}

bool coarse_begin(struct coarse *coarse, const struct program *program,
                  const struct noise_uniforms *uniforms)
{
    coarse->program = program;
    coarse->uniforms = *uniforms;
    coarse->request++;
    coarse->group_count = coarse->window_count = coarse->operation_count = coarse->field_count = 0;
    coarse->reader = coarse->reader ? coarse->reader : node_reader_new(coarse->kept);
    if (!coarse->reader || !MAKE_ROOM(coarse, view, program->node_grid_count) ||
        !MAKE_ROOM(coarse, first_field, program->count) ||
        !MAKE_ROOM(coarse, number, program->count))
        return false;
    memset(coarse->first_fields, 0xFF, program->count * sizeof *coarse->first_fields);
    return true;
}

void coarse_begin_block(struct coarse *coarse)
{
    coarse->block++;
}

void coarse_begin_band(struct coarse *coarse, uint32_t rows_left)
{
    coarse->band++;
    coarse->rows_left = rows_left;
}
