/* The warp is inverted by Broyden's method (C. G. Broyden, "A Class of Methods for Solving
 * Nonlinear Simultaneous Equations", 1965), for each place by itself: one sample of the warp a
 * step, from which the derivative is learned. It begins with a smooth warp, of coarse detail, and
 * goes on from what it found with a finer one. A step that leads farther off is not taken, but the
 * next one knows better. */
#include "core/sampling/network.h"

#include "core/base/extremes.h"
#include "core/sampling/sampler_private.h"

enum {
    BATCH = 128,           /* places at once */
    STEPS_MAX = 48,        /* for each level of detail */
    COARSE_SPACING = 2048, /* metres, of the first level of detail, */
    FINER = 16,            /* and how much finer each next one is */
};

unsigned network_spacing_log2(const struct program *program)
{
    return program->drainage.spacing_log2;
}

/* ---- streams */

/* The network that the sampler keeps. */
static struct drainage *kept_drainage(const struct network_request *request)
{
    return request->sampler->kept->drainage;
}

static bool fail(const struct network_request *request)
{
    return work_fail(&request->sampler->kept->work, request->error);
}

/* The network as a sampler keeps it; null when memory is out. */
static const struct drainage_network *open_network(const struct network_request *request)
{
    struct sampler *sampler = request->sampler;
    if (!sampler->drainage)
        sampler->drainage = drainage_plan_new(sampler->kept);
    return sampler->drainage && drainage_plan_begin(sampler->drainage, request->program, 0.0)
               ? drainage_plan_network(sampler->drainage)
               : NULL;
}

bool network_find(const struct network_request *request, struct place place,
                  struct drainage_position *position)
{
    const struct drainage_network *network = open_network(request);
    return (network && drainage_find(kept_drainage(request), network, place, position)) ||
           fail(request);
}

bool network_follow(const struct network_request *request, const struct drainage_position *position,
                    struct drainage_stream *stream)
{
    const struct drainage_network *network = open_network(request);
    return (network && drainage_follow(kept_drainage(request), network, position, stream)) ||
           fail(request);
}

bool network_streams(const struct network_request *request, const struct network_rect *rect,
                     bool (*take)(void *context, const struct drainage_stream *stream),
                     void *context)
{
    const struct drainage_network *network = open_network(request);
    return (network && drainage_streams(kept_drainage(request), network, rect->level, rect->low,
                                        rect->high, take, context)) ||
           fail(request);
}

bool network_beds(const struct network_request *request, const struct place *places, size_t count,
                  const struct network_beds *beds)
{
    const struct drainage_network *network = open_network(request);
    const unsigned log2 = request->program->drainage.spacing_log2;
    const unsigned shift =
        PLACE_BITS + drainage_cell_log2(log2, drainage_level(log2, request->spacing));
    int64_t cells[2][BATCH];
    float t[2][BATCH];
    const struct drainage_samples samples = {{cells[0], cells[1]}, {t[0], t[1]}, 0.0};
    for (size_t first = 0, some; network && first < count; first += some) {
        float *const outputs[DRAINAGE_OUTPUTS] = {
            [DRAINAGE_WATER] = beds->beds + first,
            [DRAINAGE_FLOW] = beds->flows ? beds->flows + first : NULL,
            [DRAINAGE_ORDER] = beds->orders ? beds->orders + first : NULL,
            [DRAINAGE_DISTANCE] = beds->distances ? beds->distances + first : NULL,
        };
        some = count - first < BATCH ? count - first : BATCH;
        for (size_t i = 0; i < some; i++) {
            const int64_t at[2] = {places[first + i].x, places[first + i].y};
            for (int axis = 0; axis < 2; axis++) {
                cells[axis][i] = at[axis] >> shift;
                t[axis][i] = (float)(at[axis] - cells[axis][i] * ((int64_t)1 << shift)) /
                             (float)((int64_t)1 << shift);
            }
        }
        if (!drainage_sample(kept_drainage(request), network, request->spacing, some, &samples,
                             outputs))
            return fail(request);
    }
    return network || fail(request);
}

uint64_t network_stream_id(const struct program *program, const struct drainage_position *position)
{
    const struct drainage_node *node = &position->node;
    return drainage_stream_id(
        program->drainage.key, node,
        drainage_stream_arm(program->drainage.spacing_log2, node, position->piece));
}

/* ---- the warp */

/* Positions that are moved farther could have no place. */
static bool check_warp(const struct network_request *request, const struct place *places,
                       size_t count, float warp[2][BATCH])
{
    for (size_t i = 0; i < 2 * count; i++) {
        const size_t axis = i / count;
        const struct place *place = &places[i % count];
        const double metres = (double)warp[axis][i % count];
        if (__builtin_fabs(metres) <= PROGRAM_WARP_MAX)
            continue;
        error_set(request->error, ERROR_WORLD,
                  "moves the place %.0f, %.0f by %g m; at most 2^40 m (about 1.1e12) are allowed",
                  place_metres(place->x), place_metres(place->y), metres);
        return error_in_path(request->error, "drainage.warp_%c", axis == 0 ? 'x' : 'y');
    }
    return true;
}

/* The warp at places, in metres. */
static bool sample_warp(const struct network_request *request, const struct place *places,
                        size_t count, float warp[2][BATCH])
{
    const struct program *program = request->program;
    int32_t operations[2];
    float *outputs[2];
    struct sampler_operations wanted = {operations, outputs, 0};
    for (int axis = 0; axis < 2; axis++) {
        const int32_t operation = program->drainage.warp[axis];
        for (size_t i = 0; i < count; i++)
            warp[axis][i] = 0.0f;
        if (operation < 0)
            continue;
        operations[wanted.count] = operation;
        outputs[wanted.count++] = warp[axis];
    }
    const struct sample_points points = {places, count, request->spacing, 0, 0};
    if (wanted.count > 0 && !sampler_nested_points(request->sampler, program, &points, &wanted))
        return fail(request);
    return check_warp(request, places, count, warp);
}

static struct place move_by(struct place place, double x, double y)
{
    return (struct place){place.x + place_from_metres(x), place.y + place_from_metres(y)};
}

bool network_displace(const struct network_request *request, const struct place *places,
                      size_t count, struct place *moved)
{
    float warp[2][BATCH];
    for (size_t first = 0, some; first < count; first += some) {
        some = count - first < BATCH ? count - first : BATCH;
        if (!sample_warp(request, places + first, some, warp))
            return false;
        for (size_t i = 0; i < some; i++)
            moved[first + i] = move_by(places[first + i], (double)warp[0][i], (double)warp[1][i]);
    }
    return true;
}

/* The search for a place. All in metres. */
struct search {
    double x, y;         /* from the target to the place */
    double off_x, off_y; /* from the target to where the warp moves the place to */
    double off;          /* squared */
    double h[2][2];      /* the inverse of the derivative of `off`, as far as it is known */
    double step_x, step_y;
};

static struct search begin_search(void)
{
    return (struct search){.off = -1.0, .h = {{1.0, 0.0}, {0.0, 1.0}}};
}

/* Learns from a step, after which the warp was off by x, y more. */
static void learn(struct search *s, double x, double y)
{
    const double hx = s->h[0][0] * x + s->h[0][1] * y, hy = s->h[1][0] * x + s->h[1][1] * y;
    const double along = s->step_x * hx + s->step_y * hy;
    const double least = 0.02 * (s->step_x * s->step_x + s->step_y * s->step_y);
    if (along < least && along > -least)
        return;
    const double ax = (s->step_x - hx) / along, ay = (s->step_y - hy) / along;
    const double tx = s->step_x * s->h[0][0] + s->step_y * s->h[1][0];
    const double ty = s->step_x * s->h[0][1] + s->step_y * s->h[1][1];
    s->h[0][0] += ax * tx;
    s->h[0][1] += ax * ty;
    s->h[1][0] += ay * tx;
    s->h[1][1] += ay * ty;
}

/* Takes the sample after a step: the warp there. */
static void take_sample(struct search *s, double warp_x, double warp_y)
{
    const double x = s->x + s->step_x, y = s->y + s->step_y;
    const double off_x = x + warp_x, off_y = y + warp_y, off = off_x * off_x + off_y * off_y;
    if (s->off >= 0.0)
        learn(s, off_x - s->off_x, off_y - s->off_y);
    if (s->off >= 0.0 && off >= s->off)
        return;
    s->x = x;
    s->y = y;
    s->off_x = off_x;
    s->off_y = off_y;
    s->off = off;
}

/* The next step is at most a few times as long as the place is off. */
static void choose_step(struct search *s)
{
    const double x = -(s->h[0][0] * s->off_x + s->h[0][1] * s->off_y);
    const double y = -(s->h[1][0] * s->off_x + s->h[1][1] * s->off_y);
    const double squared = x * x + y * y, most = 16.0 * s->off;
    const double share = squared > most ? __builtin_sqrt(most / squared) : 1.0;
    s->step_x = share * x;
    s->step_y = share * y;
}

/* Goes on with a warp of other detail. */
static bool search_batch(const struct network_request *request, const struct place *targets,
                         size_t count, struct search *searches)
{
    const double to = double_max(request->spacing / 16.0, NETWORK_RESTORED_TO);
    size_t active[BATCH], active_count = count;
    struct place places[BATCH];
    float warp[2][BATCH];
    for (size_t i = 0; i < count; i++) {
        active[i] = i;
        searches[i].off = -1.0;
        searches[i].step_x = searches[i].step_y = 0.0;
    }
    for (unsigned step = 0; step < STEPS_MAX && active_count > 0; step++) {
        size_t left = 0;
        for (size_t i = 0; i < active_count; i++) {
            const struct search *s = &searches[active[i]];
            places[i] = move_by(targets[active[i]], s->x + s->step_x, s->y + s->step_y);
        }
        if (!sample_warp(request, places, active_count, warp))
            return false;
        for (size_t i = 0; i < active_count; i++) {
            struct search *s = &searches[active[i]];
            take_sample(s, (double)warp[0][i], (double)warp[1][i]);
            choose_step(s);
            if (s->off > to * to)
                active[left++] = active[i];
        }
        active_count = left;
    }
    return true;
}

static bool restore_batch(const struct network_request *request, const struct place *targets,
                          size_t count, struct place *places)
{
    struct network_request coarse = *request;
    struct search searches[BATCH];
    for (size_t i = 0; i < count; i++)
        searches[i] = begin_search();
    for (coarse.spacing = COARSE_SPACING;
         coarse.spacing > request->spacing && coarse.spacing >= 1.0; coarse.spacing /= FINER)
        if (!search_batch(&coarse, targets, count, searches))
            return false;
    if (!search_batch(request, targets, count, searches))
        return false;
    for (size_t i = 0; i < count; i++)
        places[i] = move_by(targets[i], searches[i].x, searches[i].y);
    return true;
}

bool network_restore(const struct network_request *request, const struct place *moved, size_t count,
                     struct place *places)
{
    for (size_t first = 0, some; first < count; first += some) {
        some = count - first < BATCH ? count - first : BATCH;
        if (!restore_batch(request, moved + first, some, places + first))
            return false;
    }
    return true;
}
