/* The time that samples take, in nanoseconds (core/noise/work.h), so that a request can be refused
 * before it is rendered.
 *
 * Operations are marked as the sampler would plan them at this level of detail, and each adds its
 * time. What coarse() samples at nodes is inspected in the same way, as a grid or a list of nodes,
 * and counts for the nodes that a sample needs: in a grid the square of the ratio of their
 * distances, at a place up to 16, in each scope anew. Kept nodes are not counted on, except those
 * that the places of one request share. */
#include <string.h>

#include "core/base/extremes.h"
#include "core/world/coarse.h"
#include "core/world/inspect.h"
#include "core/world/world_private.h"

#define OPERATION_CALL 60.0 /* for each operation of a call */
#define GUARDED_SHARE 0.65  /* of the samples for which a guarded operand is needed, about */
#define LIST_PLACES 288.0   /* sampled at once */
#define EDGE_NODES 0.0625   /* nodes a sample around a grid, for a ratio of distances of 1 */
#define CELL_NODES 16.0     /* around a place */
#define CELL_SIDE 4.0
#define INTERPOLATED_PLACE 12.0
#define INTERPOLATED_ROW 0.2   /* of a grid along the nodes */
#define INTERPOLATED 1.2       /* of any other grid, */
#define INTERPOLATED_CELL 20.0 /* and for each cell that a sample needs */
/* For each operation at nodes: to find the nodes around a place, to keep one of them, and to keep
 * one of a grid. */
#define FIND_CELL 50.0
#define KEEP_CELL_NODE 10.0
#define KEEP_NODE 2.0
#define NODE_CALL 3000.0 /* of a nested sampler */

/* Operations that are needed, and those that are needed at every place. */
struct marks {
    bool needed[PROGRAM_OPERATIONS_MAX], unguarded[PROGRAM_OPERATIONS_MAX];
};

/* The operands that are evaluated in a call, without those sampled at nodes. */
static void operands_in_call(const struct operation *operation, double spacing, int32_t operands[3])
{
    memcpy(operands, operation->operands, sizeof operation->operands);
    coarse_drop_operands(operation, spacing, operands);
}

/* Marks what the marked operations need: not as unguarded those whose only readers have a guard
 * that may decide without them. */
static void mark(const struct program *program, double spacing, struct marks *marks)
{
    for (uint32_t i = program->count; i-- > 0;) {
        const struct operation *operation = &program->operations[i];
        const int32_t guard = operation->guard == GUARD_B ? operation->b : operation->a;
        int32_t operands[3];
        if (!marks->needed[i])
            continue;
        operands_in_call(operation, spacing, operands);
        for (int k = 0; k < 3; k++) {
            if (operands[k] < 0)
                continue;
            marks->needed[operands[k]] = true;
            if (marks->unguarded[i] && (operation->guard == GUARD_NONE || operands[k] == guard))
                marks->unguarded[operands[k]] = true;
        }
    }
}

/* Interpolation between nodes. In a scope that is turned or displaced, samples are computed by runs
 * that share a cell: the shorter these are, the longer it takes. */
static double interpolation_work(const struct program *program, const struct operation *operation,
                                 struct sampling sampling)
{
    const struct node_grid *grid = &program->node_grids[operation->table_index];
    const double side = (double)(1 << grid->spacing_log2) * grid->scale;
    if (sampling.step <= 0.0)
        return INTERPOLATED_PLACE;
    if (operation->b < 0 && grid->domain.sine == 0.0)
        return INTERPOLATED_ROW;
    return double_min(INTERPOLATED + INTERPOLATED_CELL * sampling.step / side, INTERPOLATED_PLACE);
}

/* An operation that is no noise, for a sample of a grid and at a single place. */
static double operation_work(const struct program *program, const struct operation *operation,
                             struct sampling sampling)
{
    const bool places = sampling.step <= 0.0;
    switch (operation->code) {
    case OP_CYCLE:
        return places || operation->a >= 0 ? 12.0 : 4.0;
    case OP_DISTANCE:
        return places ? 2.0 : 3.0;
    case OP_COARSE:
        return interpolation_work(program, operation, sampling);
    case OP_SIN:
    case OP_COS:
    case OP_EXP:
    case OP_SPLINE:
        return places ? 1.2 : 0.6;
    case OP_SMOOTHSTEP_ROWS:
        return places ? 0.8 : 0.45;
    case OP_DIVIDE:
    case OP_SQRT:
    case OP_SMOOTHSTEP:
        return places ? 0.8 : 0.25;
    default:
        return places ? 0.8 : 0.12;
    }
}

/* The nodes `side` metres apart that a sample of a grid or a place of a list needs. */
static double nodes_of_sample(struct sampling sampling, double side)
{
    const double ratio = sampling.step / side;
    if (sampling.step > 0.0)
        return double_min(ratio * ratio + EDGE_NODES * ratio, CELL_NODES);
    const double near = sampling.extent / side + CELL_SIDE;
    const double cluster = sampling.cluster / side + CELL_SIDE;
    const double all = sampling.all_extent / side + CELL_SIDE;
    double nodes = CELL_NODES;
    if (sampling.extent > 0.0)
        nodes = double_min(nodes, near * near / LIST_PLACES);
    if (sampling.cluster > 0.0)
        nodes = double_min(nodes, cluster * cluster / CELL_NODES);
    if (sampling.all_places > 0.0)
        nodes = double_min(nodes, all * all / sampling.all_places);
    return nodes;
}

/* The cells `side` metres wide that a place of a list lies in, apart from those of other places. */
static double cells_of_place(struct sampling sampling, double side)
{
    const double across = sampling.extent / side + 1.0;
    return sampling.extent > 0.0 ? double_min(across * across / LIST_PLACES, 1.0) : 1.0;
}

static struct sampling_work work_of(const struct program *program, struct marks *marks,
                                    struct sampling sampling);

/* What is sampled at nodes of one spacing. */
struct node_marks {
    struct marks marks;
    uint16_t scopes[PROGRAM_OPERATIONS_MAX]; /* that need nodes of an operation, each its own */
    uint32_t count;                          /* operations */
    uint32_t most_scopes;                    /* of an operation */
    double scale;                            /* of the scopes, the least */
};

static void mark_in_scope(const struct node_grid *grid, int32_t value, bool unguarded,
                          struct node_marks *nodes)
{
    const uint32_t scopes = ++nodes->scopes[value];
    nodes->count += scopes == 1;
    nodes->most_scopes = scopes > nodes->most_scopes ? scopes : nodes->most_scopes;
    nodes->scale = nodes->scale > 0.0 ? double_min(nodes->scale, grid->scale) : grid->scale;
    nodes->marks.needed[value] = true;
    nodes->marks.unguarded[value] |= unguarded;
}

static void mark_nodes(const struct program *program, const struct marks *marks,
                       uint32_t spacing_log2, struct node_marks *nodes)
{
    for (uint32_t i = 0; i < program->count; i++) {
        const struct operation *operation = &program->operations[i];
        if (operation->code != OP_COARSE || !marks->needed[i])
            continue;
        const struct node_grid *grid = &program->node_grids[operation->table_index];
        if (grid->spacing_log2 == spacing_log2)
            mark_in_scope(grid, operation->a, marks->unguarded[i], nodes);
    }
}

/* Adds the work for the nodes of one spacing. All are counted as often as those that most scopes
 * need. */
static void add_nodes(const struct program *program, const struct marks *marks,
                      uint32_t spacing_log2, struct sampling sampling, struct sampling_work *work)
{
    struct node_marks nodes = {0};
    mark_nodes(program, marks, spacing_log2, &nodes);
    const double spacing = (double)(1 << spacing_log2), side = spacing * nodes.scale;
    const double count = nodes.count, scopes = nodes.most_scopes;
    const double each = nodes_of_sample(sampling, side);
    const bool grid = sampling.step > 0.0;
    const bool apart = !grid || each >= CELL_NODES; /* samples do not share nodes */
    const struct sampling at_nodes = {
        .step = apart ? 0.0 : spacing,
        .spacing = 0.5 * spacing,
        .extent = !grid && sampling.extent > 0.0 ? sampling.extent / nodes.scale + spacing : 0.0,
        .cluster = CELL_SIDE * spacing,
        .all_extent = sampling.all_extent / nodes.scale,
        .all_places = sampling.all_places * each,
    };
    const struct sampling_work node = work_of(program, &nodes.marks, at_nodes);
    /* A list whose nodes are all kept calls no sampler for them. */
    work->call += scopes * (grid ? 1.0 : double_min(each, 1.0)) * (NODE_CALL + node.call);
    if (apart) {
        const double sample =
            each * (node.sample + node.place + (NODE_CALL + node.call) / LIST_PLACES) +
            count * (each * KEEP_CELL_NODE + cells_of_place(sampling, side) * FIND_CELL);
        *(grid ? &work->sample : &work->place) += scopes * sample;
    } else {
        work->call += scopes * CELL_NODES * (node.sample + KEEP_NODE * count);
        work->sample += scopes * each * (node.sample + KEEP_NODE * count);
    }
}

/* The work for the marked operations and what they need. */
static struct sampling_work work_of(const struct program *program, struct marks *marks,
                                    struct sampling sampling)
{
    struct sampling_work work = {0.0, 0.0, 0.0};
    uint32_t spacings = 0; /* of nodes: a bit for each logarithm */
    mark(program, sampling.spacing, marks);
    for (uint32_t i = 0; i < program->count; i++) {
        const struct operation *operation = &program->operations[i];
        const double share = marks->unguarded[i] ? 1.0 : GUARDED_SHARE;
        if (!marks->needed[i])
            continue;
        if (operation->code == OP_NOISE) {
            const struct sampling_work noise =
                noise_work(program->noises[operation->table_index], operation->a >= 0, sampling);
            work.call += share * noise.call;
            work.sample += share * noise.sample;
        }
        if (operation->code == OP_COARSE)
            spacings |= (uint32_t)1 << program->node_grids[operation->table_index].spacing_log2;
        work.call += share * OPERATION_CALL;
        work.sample += share * operation_work(program, operation, sampling);
    }
    for (uint32_t i = 0; spacings >> i > 0; i++)
        if (spacings >> i & 1)
            add_nodes(program, marks, i, sampling, &work);
    return work;
}

struct sampling_work inspect_work(const struct world *world, const unsigned *layers, unsigned count,
                                  struct sampling sampling)
{
    struct marks marks = {0};
    for (unsigned i = 0; i < count; i++) {
        marks.needed[world->values[layers[i]]] = true;
        marks.unguarded[world->values[layers[i]]] = true;
    }
    return work_of(&world->program, &marks, sampling);
}
