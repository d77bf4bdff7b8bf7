/* The price of sampling is that of the operations that it needs.
 *
 * Operations are marked as the sampler would plan them at this level of detail, and each adds its
 * time. What coarse() samples at nodes is inspected in the same way, as a grid or a list of nodes,
 * and counts for the nodes that a sample needs: in a grid the square of the ratio of their
 * distances, at a place up to 16, in each scope anew (node_counts.h). Kept nodes are not counted
 * on, except those that the places of one request share. */
#include "core/price/sampling.h"

#include <math.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/extremes.h"
#include "core/price/drainage.h"
#include "core/price/node_counts.h"
#include "core/price/noise.h"
#include "core/price/polyline.h"
#include "core/program/operation_facts.h"
#include "core/sampling/coarse.h"

#define OPERATION_CALL 60.0    /* for each operation of a call */
#define GUARDED_SHARE 0.65     /* of the samples for which a guarded operand is needed, about */
#define INTERPOLATED_PLACE 3.0 /* between nodes, */
#define INTERPOLATED_MOST 12.0 /* in a grid, where each sample has a cell of its own */
#define INTERPOLATED_ROW 0.2   /* of a grid along the nodes */
#define INTERPOLATED 1.2       /* of any other grid, */
#define INTERPOLATED_MOVED 1.0 /* more if it is displaced, */
#define INTERPOLATED_CELL 20.0 /* and for each cell that a sample needs */
/* For each operation at nodes: to find the nodes around a place, to keep one of them, and to keep
 * one of a grid. */
#define FIND_CELL 50.0
#define KEEP_CELL_NODE 10.0
#define KEEP_NODE 2.0
#define LISTED_NODES 128.0 /* of a rectangle that is sampled as a list, at most */
#define NODE_CALL 3000.0   /* of a nested sampler */
/* The finest level of detail that fields of the drainage network are sampled at. */
#define FIELDS_SPACING (0.5 * DRAINAGE_NODES_APART)

/* Operations that are needed, and those that are needed at every place. An operation has none of
 * the later ones as operands. */
struct marks {
    uint32_t end; /* the flags of operations before it are set */
    bool needed[PROGRAM_OPERATIONS_MAX], unguarded[PROGRAM_OPERATIONS_MAX];
    /* Those needed, with what they need: the last first. */
    uint16_t list[PROGRAM_OPERATIONS_MAX];
    uint32_t count;
    uint16_t coarse[PROGRAM_OPERATIONS_MAX]; /* those of them that are sampled at nodes */
    uint32_t coarse_count;
};
_Static_assert(PROGRAM_OPERATIONS_MAX <= UINT16_MAX, "a list holds any operation");

/* Unmarks the operations before `end`: none after them will be marked. */
static void marks_clear(struct marks *marks, uint32_t end)
{
    marks->end = end;
    marks->count = marks->coarse_count = 0;
    memset(marks->needed, 0, end * sizeof *marks->needed);
    memset(marks->unguarded, 0, end * sizeof *marks->unguarded);
}

/* The last marked operation before `end`, and 1; 0 if there is none. */
static uint32_t marks_before(const struct marks *marks, uint32_t end)
{
    uint64_t eight = 0;
    while (end >= sizeof eight && eight == 0) {
        memcpy(&eight, marks->needed + end - sizeof eight, sizeof eight);
        end -= eight == 0 ? (uint32_t)sizeof eight : 0;
    }
    while (end > 0 && !marks->needed[end - 1])
        end--;
    return end;
}

/* The operands that are evaluated in a call, without those sampled at nodes. */
static void operands_in_call(const struct operation *operation, double spacing, int32_t operands[3])
{
    memcpy(operands, operation->operands, sizeof operation->operands);
    coarse_drop_operands(operation, spacing, operands);
}

/* Marks what the marked operations need, and lists all: not as unguarded those whose only readers
 * have a guard that may decide without them. */
static void mark(const struct program *program, struct sampling sampling, struct marks *marks)
{
    marks->count = marks->coarse_count = 0;
    for (uint32_t i = marks->end; (i = marks_before(marks, i)) > 0;) {
        const struct operation *operation = &program->operations[--i];
        const int32_t guard = operation->guard == GUARD_B ? operation->b : operation->a;
        int32_t operands[3];
        marks->list[marks->count++] = (uint16_t)i;
        if (operation->code == OP_COARSE)
            marks->coarse[marks->coarse_count++] = (uint16_t)i;
        operands_in_call(operation, sampling.spacing, operands);
        if (operation->code == OP_CHOOSE && operation->a >= 0 &&
            price_polyline_is_far(program, &program->operations[operation->a], sampling.where))
            operands[1] = -1; /* what is chosen within the reach */
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
static double interpolation_price(const struct program *program, const struct operation *operation,
                                  struct sampling sampling)
{
    const struct node_grid *grid = &program->node_grids[operation->table_index];
    const double side = (double)(1 << grid->spacing_log2) * grid->scale;
    const double apart = displaced_metres(node_displacement(program, grid), sampling.step);
    if (sampling.step <= 0.0)
        return INTERPOLATED_PLACE;
    if (operation->b < 0 && grid->domain.sine == 0.0)
        return INTERPOLATED_ROW;
    const double moved = operation->b < 0 ? 0.0 : INTERPOLATED_MOVED;
    return double_min(INTERPOLATED + moved + INTERPOLATED_CELL * apart / side, INTERPOLATED_MOST);
}

/* An operation without its octaves, for a sample of a grid and at a single place. */
static double operation_work(const struct program *program, const struct operation *operation,
                             struct sampling sampling, struct polyline_price *polyline)
{
    const struct operation_row *row = &operation_rows[operation->code];
    /* A cycle that is moved is computed place by place. */
    const bool moved = row->table == TABLE_CYCLES && operation->a >= 0;
    if (operation->code == OP_COARSE)
        return interpolation_price(program, operation, sampling);
    if (row->table == TABLE_POLYLINE_VIEWS && operation->code != OP_POLYLINE_POINT)
        return price_polyline(program, operation, sampling, polyline);
    return operation_time(operation, sampling.step <= 0.0 || moved);
}

static struct sampling_price price_of(const struct program *program, struct marks *marks,
                                      struct sampling sampling);

/* The scopes whose nodes are priced together. */
struct node_kind {
    uint32_t spacing_log2;
    bool displaced;
};

/* The operations that are sampled at the nodes of a kind, with the scopes that need them. */
struct node_marks {
    struct marks marks;
    uint16_t scopes[PROGRAM_OPERATIONS_MAX]; /* by operation: so many, each with nodes of its own */
    uint32_t count;                          /* of operations */
    uint32_t most_scopes;                    /* of an operation */
    double spacing;                          /* metres of the scopes, */
    double scale;                            /* and the least scale of one */
    struct displacement displacement;        /* the greatest */
    double stations; /* of profiles, which are all nodes that there are; infinite of other nodes */
};
#define STATION_ROWS 4.0 /* of nodes, for each station */

/* The nodes of a profile, which is moved to by OP_POLYLINE_MOVE. */
static double station_nodes(const struct program *program, const struct node_grid *grid)
{
    const struct operation *move = grid->dx < 0 ? NULL : &program->operations[grid->dx];
    if (!move || move->code != OP_POLYLINE_MOVE)
        return (double)INFINITY;
    const struct polyline *line = program->polyline_views[move->table_index].line;
    const double spacing = (double)(1 << grid->spacing_log2);
    return STATION_ROWS * (line->starts[line->segments] / spacing + CELL_SIDE);
}

static void mark_in_scope(const struct program *program, const struct operation *operation,
                          bool unguarded, struct node_marks *nodes)
{
    const struct node_grid *grid = &program->node_grids[operation->table_index];
    const struct displacement displacement = node_displacement(program, grid);
    const uint32_t scopes = ++nodes->scopes[operation->a];
    nodes->count += scopes == 1;
    nodes->most_scopes = scopes > nodes->most_scopes ? scopes : nodes->most_scopes;
    nodes->scale = nodes->scale > 0.0 ? double_min(nodes->scale, grid->scale) : grid->scale;
    nodes->displacement.width = double_max(nodes->displacement.width, displacement.width);
    nodes->displacement.slope = double_max(nodes->displacement.slope, displacement.slope);
    nodes->stations += station_nodes(program, grid);
    nodes->marks.needed[operation->a] = true;
    nodes->marks.unguarded[operation->a] |= unguarded;
}

static struct node_kind kind_of(const struct program *program, const struct operation *operation)
{
    return (struct node_kind){program->node_grids[operation->table_index].spacing_log2,
                              operation->b >= 0};
}

/* Begins with no marks, for nodes of this kind alone. */
static void clear_nodes(struct node_kind kind, uint32_t end, struct node_marks *nodes)
{
    marks_clear(&nodes->marks, end);
    memset(nodes->scopes, 0, end * sizeof *nodes->scopes);
    nodes->count = nodes->most_scopes = 0;
    nodes->spacing = (double)(1 << kind.spacing_log2);
    nodes->scale = nodes->stations = 0.0;
    nodes->displacement = (struct displacement){0.0, 0.0};
}

static void mark_nodes(const struct program *program, const struct marks *marks,
                       struct node_kind kind, struct node_marks *nodes)
{
    clear_nodes(kind, marks->end, nodes);
    for (uint32_t k = marks->coarse_count; k-- > 0;) {
        const uint32_t i = marks->coarse[k];
        const struct node_kind own = kind_of(program, &program->operations[i]);
        if (own.spacing_log2 == kind.spacing_log2 && own.displaced == kind.displaced)
            mark_in_scope(program, &program->operations[i], marks->unguarded[i], nodes);
    }
}

/* How nodes are sampled of which each sample needs so many: in a grid, or if samples lie apart, as
 * a list. `places` are the samples in their scopes. */
static struct sampling sampling_at_nodes(struct sampling places, const struct node_marks *nodes,
                                         double each)
{
    const double spacing = nodes->spacing;
    const double extent = places.extent / nodes->scale + spacing;
    if (places.step > 0.0)
        return (struct sampling){.step = spacing,
                                 .spacing = 0.5 * spacing,
                                 .across = node_samples_across(places) * __builtin_sqrt(each)};
    return (struct sampling){
        .spacing = 0.5 * spacing,
        .extent = places.extent > 0.0 && extent < SAMPLING_NEAR ? extent : 0.0,
        .cluster = CELL_SIDE * spacing,
        .all_extent = places.all_extent / nodes->scale,
        .all_places = places.all_places * each,
    };
}

/* Adds the price of the rectangle of nodes under a grid, of which each sample needs so many besides
 * those around the grid. If all are few, they are sampled as a list (coarse_nodes.c). */
static void add_rectangle(const struct program *program, struct node_marks *nodes,
                          struct sampling sampling, double each, struct sampling_price *price)
{
    const double count = nodes->count, scopes = nodes->most_scopes;
    const double across = node_samples_across(sampling),
                 least = CELL_NODES + each * across * across;
    const struct sampling places = node_displaced_sampling(sampling, nodes->displacement, false);
    const struct sampling_price node =
        price_of(program, &nodes->marks, sampling_at_nodes(places, nodes, each));
    const double each_node = node.sample + node.place + KEEP_NODE * count;
    double call = node.call + CELL_NODES * each_node;
    if (least <= LISTED_NODES) {
        const struct sampling apart = node_displaced_sampling(sampling, nodes->displacement, true);
        const struct sampling_price listed =
            price_of(program, &nodes->marks, sampling_at_nodes(apart, nodes, each));
        call = listed.call + least * (listed.sample + listed.place + KEEP_CELL_NODE * count);
    }
    price->call += scopes * (NODE_CALL + call);
    price->sample += scopes * each * each_node;
}

/* Adds the price of nodes around each place of a list, or sample of a grid whose nodes lie apart.
 */
static void add_cells(const struct program *program, struct node_marks *nodes,
                      struct sampling sampling, struct sampling_price *price)
{
    const double count = nodes->count, scopes = nodes->most_scopes;
    const double side = nodes->spacing * nodes->scale;
    const bool grid = sampling.step > 0.0;
    const struct sampling places = node_displaced_sampling(sampling, nodes->displacement, true);
    const double across = node_samples_across(sampling),
                 samples = grid ? across * across : sampling.all_places;
    const double apart = grid ? node_count_apart(sampling.step, side, nodes->displacement)
                              : node_count_place(places, side);
    const double each = double_min(apart, nodes->stations / double_max(samples, 1.0));
    const struct sampling_price node =
        price_of(program, &nodes->marks, sampling_at_nodes(places, nodes, each));
    /* A list whose nodes are all kept calls no sampler for them. */
    const double calls = grid ? 1.0 : double_min(each * double_max(sampling.places, 1.0), 1.0);
    const double sample =
        each * (node.sample + node.place + (NODE_CALL + node.call) / LIST_PLACES) +
        count * (each * KEEP_CELL_NODE + node_count_cells(sampling, side) * FIND_CELL);
    price->call += scopes * calls * (NODE_CALL + node.call);
    *(grid ? &price->sample : &price->place) += scopes * sample;
}

/* Adds the price of the nodes of a kind. All are counted as often as those that most scopes need.
 */
static void add_nodes(const struct program *program, const struct marks *marks,
                      struct node_kind kind, struct sampling sampling, struct sampling_price *price)
{
    struct node_marks nodes;
    mark_nodes(program, marks, kind, &nodes);
    const double rectangle =
        node_count_rectangle(sampling, nodes.spacing * nodes.scale, nodes.displacement);
    if (sampling.step > 0.0 && rectangle <= 1.0)
        add_rectangle(program, &nodes, sampling, rectangle, price);
    else
        add_cells(program, &nodes, sampling, price);
}

/* Adds the price of all nodes, kind by kind: those that are not displaced first, the finest first.
 */
static void add_all_nodes(const struct program *program, const struct marks *marks,
                          struct sampling sampling, struct sampling_price *price)
{
    uint32_t spacings[2] = {0, 0}; /* a bit for each logarithm of a spacing */
    for (uint32_t k = 0; k < marks->coarse_count; k++) {
        const struct node_kind kind = kind_of(program, &program->operations[marks->coarse[k]]);
        spacings[kind.displaced] |= (uint32_t)1 << kind.spacing_log2;
    }
    for (int displaced = 0; displaced < 2; displaced++)
        for (uint32_t i = 0; spacings[displaced] >> i > 0; i++)
            if (spacings[displaced] >> i & 1)
                add_nodes(program, marks, (struct node_kind){i, displaced}, sampling, price);
}

/* The price of a sample of some fields of the drainage network at its nodes. */
static double field_price(const struct program *program, double spacing, const int32_t *operations,
                          size_t count)
{
    const struct sampling at_nodes = {.spacing = spacing,
                                      .cluster = CELL_SIDE * DRAINAGE_NODES_APART};
    struct marks fields;
    marks_clear(&fields, program->count);
    for (size_t i = 0; i < count; i++)
        if (operations[i] >= 0)
            fields.needed[operations[i]] = true;
    const struct sampling_price price = price_of(program, &fields, at_nodes);
    return price.sample + price.place + price.call / LIST_PLACES;
}

/* The prices of the network's fields, which lie DRAINAGE_NODES_APART at the least. */
static struct field_prices field_prices(const struct program *program, double spacing)
{
    const struct program_drainage *drainage = &program->drainage;
    const int32_t fields[] = {drainage->potential, drainage->target, drainage->relief,
                              drainage->lakes};
    const double fields_price = field_price(program, spacing, fields, 3);
    return (struct field_prices){fields_price,
                                 field_price(program, spacing, fields, 4) - fields_price};
}

/* Adds the price of the drainage network, whose fields are sampled at its nodes. */
static void add_drainage(const struct program *program, const struct marks *marks,
                         struct sampling sampling, struct sampling_price *price)
{
    const struct field_prices *kept = program->drainage.field_prices;
    const struct field_prices prices =
        kept && sampling.spacing <= FIELDS_SPACING
            ? *kept
            : field_prices(program, double_max(FIELDS_SPACING, sampling.spacing));
    const struct sampling_price network =
        price_drainage(program, marks->list, marks->count, &prices, sampling);
    price->call += network.call;
    price->sample += network.sample;
    price->place += network.place;
}

/* The price of the marked operations and what they need. */
static struct sampling_price price_of(const struct program *program, struct marks *marks,
                                      struct sampling sampling)
{
    struct sampling_price price = {0.0, 0.0, 0.0};
    struct polyline_price polyline = {.view = UINT32_MAX, .visits_left = POLYLINE_PRICE_VISITS};
    bool network = false;
    mark(program, sampling, marks);
    for (uint32_t k = marks->count; k-- > 0;) {
        const struct operation *operation = &program->operations[marks->list[k]];
        const double share = marks->unguarded[marks->list[k]] ? 1.0 : GUARDED_SHARE;
        if (operation->code == OP_NOISE) {
            const struct sampling_price noise =
                price_noise(program->noises[operation->table_index], operation->a >= 0, sampling);
            price.call += share * noise.call;
            price.sample += share * noise.sample;
        }
        network |= operation->code == OP_DRAINAGE;
        price.call += share * OPERATION_CALL;
        price.sample += share * operation_work(program, operation, sampling, &polyline);
    }
    add_all_nodes(program, marks, sampling, &price);
    if (network)
        add_drainage(program, marks, sampling, &price);
    return price;
}

struct sampling_price price_sampling(const struct program *program, const unsigned *layers,
                                     unsigned count, struct sampling sampling)
{
    struct marks marks;
    marks_clear(&marks, program->count);
    for (unsigned i = 0; i < count; i++) {
        marks.needed[program->values[layers[i]]] = true;
        marks.unguarded[program->values[layers[i]]] = true;
    }
    return price_of(program, &marks, sampling);
}

bool price_keep_fields(struct program *program)
{
    if (program->drainage.spacing_log2 == 0)
        return true;
    struct field_prices *kept = arena_allocate(&program->arena, 1, sizeof *kept);
    if (kept)
        *kept = field_prices(program, FIELDS_SPACING);
    program->drainage.field_prices = kept;
    return kept != NULL;
}
