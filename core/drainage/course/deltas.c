/* See deltas.h. Lengths are shares of the width of a cell of level 0, or of the delta's line.
 *
 * The deltas of a load are built together, as targets of all are asked for at once: first those
 * along the lines of the trunks, where the shores are found, then those where line and arms of a
 * delta would end. */
#include "core/drainage/course/deltas.h"

#include <stdlib.h>

#include "core/base/lanes.h"
#include "core/drainage/network/scratch.h"
#include "core/drainage/network/shape.h"
#include "core/drainage/network/slopes.h"

enum {
    JOINTS = 3,         /* of a trunk that a delta takes: apex, tip and toe */
    HASH_DELTAS = 0xDE, /* apart from other uses of a stream's hash */
};

static const float REACH = 1.9f; /* the land of a delta is far below the sea beyond that */

static float share_of(uint64_t hash, unsigned bit, float low, float high)
{
    return low + (high - low) * hash_fraction(hash, bit);
}

/* ---- building */

/* A river's mouth on a trunk of n pieces. */
struct mouth {
    struct segment *stream;
    unsigned n;
    uint64_t hash;
    unsigned before;             /* a joint above the sea */
    unsigned apex;               /* the joint that becomes the apex; the tip and the toe follow */
    unsigned passed;             /* joints up to this one lie before the toe, and move there */
    struct place places[JOINTS]; /* of these three */
    float length;                /* from the apex to the tip along the trunk, metres */
    float down;                  /* to the apex, from the joint `before`, metres; negative: none */
    const struct field_lattice *fields;
};

static struct place place_beside(struct place from, float ahead, float aside, const float unit[2])
{
    return (struct place){from.x + place_from_metres((double)(ahead * unit[0] - aside * unit[1])),
                          from.y + place_from_metres((double)(ahead * unit[1] + aside * unit[0]))};
}

/* The piece on which the trunk's line is, `metres` downstream of a joint, and the place there; n if
 * it ends before. */
static unsigned point_down(const struct mouth *mouth, unsigned joint, float metres,
                           struct place *place)
{
    for (; joint < mouth->n; metres -= mouth->stream[joint++].length) {
        const struct segment *piece = &mouth->stream[joint];
        if (metres > piece->length || piece->length == 0.0f)
            continue;
        const float unit[2] = {piece->ux / piece->length, piece->uy / piece->length};
        *place = place_beside(piece->ends[0], metres, 0.0f, unit);
        return joint;
    }
    return mouth->n;
}

static float target_at(const struct mouth *mouth, struct place place)
{
    return field_at(mouth->fields, mouth->fields->values.target, place);
}

/* True if the sea at a toe is deeper than its bed, but not too deep. */
static bool may_end(const struct mouth *mouth, struct place toe)
{
    const float target = target_at(mouth, toe);
    return target < SHAPE_DELTA_TOE_BED && target > SHAPE_DELTA_SEA_MOST;
}

/* Asks for the target at a place. False when memory is out. */
static bool ask_at(struct delta_scratch *scratch, struct place place)
{
    if (!reserve_items(&scratch->places, &scratch->place_capacity, scratch->place_count + 1,
                       sizeof *scratch->places))
        return false;
    scratch->places[scratch->place_count++] = place;
    return true;
}

/* Lets all mouths have the targets that were asked for. False when memory or work is out. */
static bool sample_targets(struct delta_scratch *scratch, const struct course_source *source)
{
    const struct field_part part = {SHAPE_DELTA_FIELDS_LEVEL, false, scratch->places,
                                    scratch->place_count};
    if (scratch->place_count == 0)
        return true;
    const struct field_lattice *fields = source->sample_fields(source->context, &part);
    for (size_t i = 0; i < scratch->count; i++)
        scratch->mouths[i].fields = fields;
    scratch->place_count = 0;
    return fields != NULL;
}

/* Asks for the targets along the line from which the shore is looked for. */
static bool ask_along(struct delta_scratch *scratch, const struct mouth *mouth, float step)
{
    struct place place;
    for (float metres = 0.0f; point_down(mouth, mouth->before, metres, &place) < mouth->n;
         metres += step)
        if (!ask_at(scratch, place))
            return false;
    return true;
}

/* Finds how far down the line from there the apex is: before the first place in the sea, on the low
 * land at the shore. Negative if the line reaches no sea, or begins there. */
static float find_apex(const struct mouth *mouth, float step)
{
    struct place place = mouth->stream[0].ends[0];
    float high = step; /* where the land was too high for arms last */
    for (float metres = 0.0f; point_down(mouth, mouth->before, metres, &place) < mouth->n;
         metres += step) {
        const float target = target_at(mouth, place);
        if (target < SHAPE_SEA_FROM)
            return metres > 0.0f ? max_float(high, metres - SHAPE_DELTA_INLAND * mouth->length)
                                 : -1.0f;
        high = target > SHAPE_DELTA_LOW_LAND ? max_float(metres, step) : high;
    }
    return -1.0f;
}

/* Finds the places of apex, tip and toe. False if there is no shore or no room. */
static bool place_mouth(struct mouth *mouth)
{
    struct place *places = mouth->places;
    const unsigned from = mouth->before;
    const float apex = mouth->down, tip = apex + mouth->length;
    if (apex < 0.0f)
        return false;
    mouth->passed = point_down(mouth, from, tip + SHAPE_DELTA_TOE * mouth->length, &places[2]);
    if (mouth->passed == mouth->n)
        return false;
    const unsigned at = point_down(mouth, from, apex, &places[0]);
    point_down(mouth, from, tip, &places[1]);
    mouth->apex = at + JOINTS < mouth->n ? at + 1 : mouth->n - JOINTS;
    mouth->before = 0;
    while (mouth->before + 1 < mouth->apex && mouth->stream[mouth->before].bed[1] > 0.0f)
        mouth->before++;
    const float along[2] = {units_to_metres(places[1].x - places[0].x),
                            units_to_metres(places[1].y - places[0].y)};
    places[2] = place_beside(places[1], SHAPE_DELTA_TOE, 0.0f, along);
    return !(mouth->stream[mouth->apex - 1].lake > NO_LAKE);
}

static void move_joint(struct mouth *mouth, unsigned joint, struct place place)
{
    struct segment *above = &mouth->stream[joint - 1], *below = &mouth->stream[joint];
    segment_place(above, (const struct place[2]){above->ends[0], place});
    segment_place(below, (const struct place[2]){place, below->ends[1]});
}

static void set_bed(struct mouth *mouth, unsigned joint, float bed, float target)
{
    mouth->stream[joint - 1].bed[1] = mouth->stream[joint].bed[0] = bed;
    mouth->stream[joint - 1].target[1] = mouth->stream[joint].target[0] = target;
}

/* The trunk's bed falls evenly from the last joint above the sea to the apex, and to the tip. */
static void build_line(struct mouth *mouth)
{
    struct segment *stream = mouth->stream;
    for (unsigned i = 0; i < JOINTS; i++)
        move_joint(mouth, mouth->apex + i, mouth->places[i]);
    for (unsigned i = mouth->apex + JOINTS; i <= mouth->passed; i++)
        move_joint(mouth, i, mouth->places[JOINTS - 1]);
    struct segment *line = &stream[mouth->apex];
    const float from = stream[mouth->before].bed[0];
    const float apex = min_float(SHAPE_DELTA_FALL * line->length, SHAPE_DELTA_APEX_MOST * from);
    float length = 0.0f, passed = 0.0f;
    for (unsigned i = mouth->before; i < mouth->apex; i++)
        length += stream[i].length;
    for (unsigned i = mouth->before + 1; i <= mouth->apex; i++) {
        passed += stream[i - 1].length;
        set_bed(mouth, i, from + (apex - from) * passed / length, SHAPE_DELTA_HEIGHT);
    }
    set_bed(mouth, mouth->apex, apex, SHAPE_DELTA_HEIGHT);
    set_bed(mouth, mouth->apex + 1, 0.0f, 0.0f);
    const float toe = min_float(line[JOINTS - 1].bed[0], SHAPE_DELTA_TOE_BED);
    set_bed(mouth, mouth->apex + JOINTS - 1, toe, SHAPE_DELTA_TOE_BED);
    for (unsigned i = mouth->apex + JOINTS; i <= mouth->passed; i++)
        set_bed(mouth, i, toe, SHAPE_DELTA_TOE_BED);
    line->delta = 1;
}

/* The number of the first piece of an arm, and the hash of the arm. */
static unsigned arm_piece(const struct mouth *mouth, unsigned arm)
{
    return mouth->n + arm * ARM_SEGMENTS;
}
static uint64_t arm_hash(const struct mouth *mouth, unsigned arm)
{
    return hash_mix(mouth->hash + arm_piece(mouth, arm));
}

/* The places of an arm's joints, which turns away from the line to one side. */
static void place_arm(const struct mouth *mouth, unsigned arm,
                      struct place places[ARM_SEGMENTS + 1])
{
    const uint64_t hash = arm_hash(mouth, arm);
    const float side = arm == 0 ? -1.0f : 1.0f;
    struct segment of_line, *line = &of_line;
    segment_place(line, mouth->places);
    const float turn = side * share_of(hash, 0, SHAPE_DELTA_TURN_LEAST,
                                       SHAPE_DELTA_TURN_MOST); /* the tangent of the angle */
    const float length =
        share_of(hash, 16, SHAPE_DELTA_ARM_LEAST, SHAPE_DELTA_ARM_MOST) * line->length;
    const float shrink = length / (line->length * __builtin_sqrtf(1.0f + turn * turn));
    const float unit[2] = {shrink * (line->ux - turn * line->uy),
                           shrink * (line->uy + turn * line->ux)};
    const float bend = side * share_of(hash, 32, SHAPE_DELTA_BEND_LEAST, SHAPE_DELTA_BEND_MOST);
    for (unsigned i = 0; i <= ARM_SEGMENTS; i++) {
        const float t = (float)i / (float)(ARM_SEGMENTS - 1);
        const float ahead = i < ARM_SEGMENTS ? t : 1.0f + SHAPE_DELTA_TOE;
        const float aside = i < ARM_SEGMENTS ? -bend * 4.0f * t * (1.0f - t) : 0.0f;
        places[i] = place_beside(line->ends[0], ahead, aside, unit);
    }
}

/* Asks for the targets where the line and the arms would end. */
static bool ask_at_ends(struct delta_scratch *scratch, const struct mouth *mouth)
{
    struct place places[ARM_SEGMENTS + 1];
    if (!ask_at(scratch, mouth->places[1]) || !ask_at(scratch, mouth->places[2]))
        return false;
    for (unsigned arm = 0; arm < DELTA_ARMS; arm++) {
        place_arm(mouth, arm, places);
        if (!ask_at(scratch, places[ARM_SEGMENTS - 1]) || !ask_at(scratch, places[ARM_SEGMENTS]))
            return false;
    }
    return true;
}

/* Builds an arm, if it ends in the sea. */
static void build_arm(struct mouth *mouth, unsigned arm)
{
    const uint64_t hash = arm_hash(mouth, arm);
    const unsigned number = arm_piece(mouth, arm);
    const struct segment *line = &mouth->stream[mouth->apex];
    struct place places[ARM_SEGMENTS + 1];
    place_arm(mouth, arm, places);
    if (!(target_at(mouth, places[ARM_SEGMENTS - 1]) < SHAPE_SEA_FROM) ||
        !may_end(mouth, places[ARM_SEGMENTS]) ||
        hash_fraction(hash_mix(hash), 0) >= SHAPE_DELTA_ARM_SHARE)
        return;
    const float flow =
        share_of(hash, 48, SHAPE_DELTA_FLOW_LEAST, SHAPE_DELTA_FLOW_MOST) * line->flow[0];
    for (unsigned i = 0; i < ARM_SEGMENTS; i++) {
        struct segment *piece = &mouth->stream[number + i];
        const bool toe = i + 1 == ARM_SEGMENTS;
        *piece = *line;
        segment_place(piece, places + i);
        piece->piece = (number + i) & 63;
        piece->last = toe;
        piece->delta = 0;
        for (unsigned end = 0; end < 2; end++) {
            const float rest = 1.0f - (float)(i + end) / (float)(ARM_SEGMENTS - 1);
            piece->bed[end] = toe && end == 1 ? SHAPE_DELTA_TOE_BED : line->bed[0] * rest;
            piece->target[end] = toe && end == 1 ? SHAPE_DELTA_TOE_BED : SHAPE_DELTA_HEIGHT * rest;
            piece->flow[end] = flow;
        }
    }
}

/* Finds where the trunk may reach the sea: by the targets of level 0, the joint before its land
 * gets low. False if it does not. */
static bool find_low_land(struct mouth *mouth)
{
    const struct segment *stream = mouth->stream;
    if (!(stream->bed[0] > 0.0f) || stream[mouth->n - 1].bed[1] > 0.0f)
        return false;
    while (mouth->before < mouth->n && stream[mouth->before].target[1] > SHAPE_DELTA_SHORE_MOST)
        mouth->before++;
    return mouth->before < mouth->n;
}

/* Lists the trunks that may have a delta, and asks for the targets along them. */
static bool list_mouths(struct delta_scratch *scratch, const struct drainage_network *network,
                        const struct stream_draft *drafts, size_t count)
{
    const float width = cell_width(network, 0);
    scratch->count = scratch->place_count = 0;
    for (size_t i = 0; i < count; i++) {
        struct mouth mouth = {.stream = drafts[i].slot.segments,
                              .n = drafts[i].slot.pieces,
                              .hash = hash_mix(drafts[i].hash + HASH_DELTAS)};
        if (hash_fraction(mouth.hash, 0) >= network->deltas || !find_low_land(&mouth))
            continue;
        const float flow = mouth.stream->flow[0] / (SHAPE_DELTA_FLOW_CELLS * width * width);
        mouth.length = SHAPE_DELTA_LENGTH_WIDTHS * width * __builtin_sqrtf(flow);
        if (!reserve_items(&scratch->mouths, &scratch->capacity, scratch->count + 1,
                           sizeof *scratch->mouths) ||
            !ask_along(scratch, &mouth, SHAPE_DELTA_STEP_WIDTHS * width))
            return false;
        scratch->mouths[scratch->count++] = mouth;
    }
    return true;
}

/* Finds the shore on each, gives up those that reach none or have no room, and asks for the targets
 * where the others end. */
static bool place_mouths(struct delta_scratch *scratch, float step)
{
    size_t placed = 0;
    for (size_t i = 0; i < scratch->count; i++) {
        struct mouth *mouth = &scratch->mouths[i];
        mouth->down = find_apex(mouth, step);
        if (!place_mouth(mouth))
            continue;
        if (!ask_at_ends(scratch, mouth))
            return false;
        scratch->mouths[placed++] = *mouth;
    }
    scratch->count = placed;
    return true;
}

static void build_mouth(struct mouth *mouth)
{
    if (!(target_at(mouth, mouth->places[1]) < SHAPE_SEA_FROM) || !may_end(mouth, mouth->places[2]))
        return;
    build_line(mouth);
    for (unsigned arm = 0; arm < DELTA_ARMS; arm++)
        build_arm(mouth, arm);
}

bool deltas_build(struct delta_scratch *scratch, const struct drainage_network *network,
                  const struct stream_draft *drafts, size_t count,
                  const struct course_source *source)
{
    const float step = SHAPE_DELTA_STEP_WIDTHS * cell_width(network, 0);
    if (!list_mouths(scratch, network, drafts, count) || !sample_targets(scratch, source) ||
        !place_mouths(scratch, step) || !sample_targets(scratch, source))
        return false;
    for (size_t i = 0; i < scratch->count; i++)
        build_mouth(&scratch->mouths[i]);
    return true;
}

void delta_scratch_free(struct delta_scratch *scratch)
{
    free(scratch->mouths);
    free(scratch->places);
}

size_t delta_scratch_bytes(const struct delta_scratch *scratch)
{
    return scratch->capacity * sizeof *scratch->mouths +
           scratch->place_capacity * sizeof *scratch->places;
}

/* ---- the land around */

/* Between the arms of some deltas are bays, others are round. */
static float tip_half(const struct segment *line)
{
    const struct place apex = line->ends[0];
    const uint64_t hash = hash_mix((uint64_t)apex.x + hash_mix((uint64_t)apex.y));
    return line->length * share_of(hash, 0, SHAPE_DELTA_TIP_LEAST, SHAPE_DELTA_TIP_MOST);
}

static struct place_bounds reach_of(const struct segment *line)
{
    const struct place apex = line->ends[0];
    const int64_t units = place_from_metres((double)(REACH * line->length));
    return (struct place_bounds){{apex.x - units, apex.y - units},
                                 {apex.x + units, apex.y + units}};
}

bool delta_list_add(struct delta_list *list, const struct segment *stream, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        const struct segment *line = &stream[i];
        if (!line->delta)
            continue;
        if (!reserve_items(&list->deltas, &list->capacity, list->count + 1, sizeof *list->deltas))
            return false;
        list->deltas[list->count++] =
            (struct delta){line, stream + n, reach_of(line), tip_half(line)};
    }
    return true;
}

/* The land beside a piece that lies from `from` to `to` on the way to a tip. */
static float height_beside(const struct delta *delta, const struct segment *piece, float from,
                           float to, struct place place)
{
    float along;
    const float squared = segment_distance(piece, place, &along);
    const float t = from + (to - from) * along;
    const float root = SHAPE_DELTA_ROOT_HALF * delta->line->length;
    const float half = root + (delta->tip_half - root) * t;
    const float q = squared / (half * half);
    return SHAPE_DELTA_HEIGHT - (SHAPE_DELTA_HEIGHT - SHAPE_SEA_FROM) * q * q;
}

/* Beside the line, and beside the trunk for as long above the apex: there fine bays may cut it off
 * from the land. */
static float height_of_line(const struct delta *delta, struct place place)
{
    const struct segment *line = delta->line, *piece = line;
    float height = height_beside(delta, line, 0.0f, 1.0f, place);
    for (float passed = 0.0f; passed < 1.0f && piece->piece > 0;) {
        piece--;
        const float from = min_float(passed + piece->length / line->length, 1.0f);
        height = max_float(height, height_beside(delta, piece, from, passed, place));
        passed = from;
    }
    return height;
}

static float delta_height(const struct delta *delta, struct place place)
{
    float height = height_of_line(delta, place);
    for (unsigned i = 0; i < DELTA_SEGMENTS; i++) {
        const struct segment *piece = &delta->arms[i];
        const float from = (float)(i % ARM_SEGMENTS) / (ARM_SEGMENTS - 1);
        const float to = (float)(i % ARM_SEGMENTS + 1) / (ARM_SEGMENTS - 1);
        if (piece->length > 0.0f && !piece->last)
            height = max_float(height, height_beside(delta, piece, from, to, place));
    }
    return height;
}

float deltas_height(const struct delta_list *list, struct place place)
{
    float height = NO_DELTA;
    for (size_t i = 0; i < list->count; i++) {
        const struct delta *delta = &list->deltas[i];
        const struct place_bounds *reach = &delta->reach;
        if (place.x >= reach->low.x && place.x <= reach->high.x && place.y >= reach->low.y &&
            place.y <= reach->high.y)
            height = max_float(height, delta_height(delta, place));
    }
    return height;
}
