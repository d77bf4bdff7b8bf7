/* The course and the bed of a stream between its ends. */
#include "core/base/lanes.h"
#include "core/drainage/bends.h"
#include "core/drainage/deltas.h"
#include "core/drainage/drainage_private.h"
#include "core/drainage/lakes.h"

static const float SEA_BED = -6.0f; /* beds in the sea are at least this deep */

void draft_end(struct stream_draft *draft, struct place end)
{
    const float dx = units_to_metres(end.x - draft->ends[0].x);
    const float dy = units_to_metres(end.y - draft->ends[0].y);
    draft->ends[1] = end;
    draft->length = __builtin_sqrtf(dx * dx + dy * dy);
}

struct place block_corner(const struct drainage_network *network, const struct stream_block *block)
{
    const int64_t width = (int64_t)BLOCK_SIDE << cell_shift(network, block->kept.key.level);
    return (struct place){block->kept.key.x * width, block->kept.key.y * width};
}

/* Begins drafts for some nodes of a block: a bit for each. Returns how many they are. */
static size_t begin_block(struct drainage *drainage, struct stream_block *block, uint32_t nodes,
                          struct stream_draft *drafts)
{
    const struct drainage_network *network = drainage->network;
    size_t count = 0;
    for (; nodes != 0; nodes &= nodes - 1) {
        const unsigned i = (unsigned)__builtin_ctz(nodes);
        const int64_t x = block->kept.key.x * BLOCK_SIDE + i % BLOCK_SIDE;
        const int64_t y = block->kept.key.y * BLOCK_SIDE + i / BLOCK_SIDE;
        const struct place place = node_place(network, block->kept.key.level, x, y);
        drafts[count++] = (struct stream_draft){
            .block = block,
            .node = i,
            .distance = 1e30f,
            .hash = node_hash(network, block->kept.key.level + 0x100, x, y),
            .ends = {place, place},
        };
    }
    return count;
}

size_t drafts_begin(struct drainage *drainage, unsigned level)
{
    struct level_window *window = &drainage->levels[level];
    const struct cell_rect *blocks = &window->blocks;
    struct stream_block **block = window->block;
    size_t count = 0;
    if (!reserve_items(&drainage->drafts, &drainage->draft_capacity, rect_count(&window->cells),
                       sizeof *drainage->drafts))
        return 0;
    for (int64_t y = blocks->low[1]; y <= blocks->high[1]; y++)
        for (int64_t x = blocks->low[0]; x <= blocks->high[0]; x++, block++) {
            const uint32_t needed = nodes_in_rect(x, y, &window->cells);
            if (*block && (needed & ~(*block)->made) == 0)
                continue;
            *block = *block ? *block : block_add(drainage, level, x, y);
            if (!*block)
                return 0;
            count +=
                begin_block(drainage, *block, needed & ~(*block)->made, drainage->drafts + count);
        }
    return count;
}

/* The bed of a stream as it is followed downstream. */
struct bed_walk {
    float bed; /* so far */
    bool at_sea;
    float step; /* from joint to joint, a share of the stream */
};

/* The least fall of a stream's pieces, metres a metre: no more than the stream has as a whole. */
static float least_fall(const struct stream_draft *draft)
{
    const float change = draft->bed[0] - draft->bed[1];
    return change >= FALL_LEAST * draft->length ? FALL_LEAST
           : change > 0.0f                      ? change / draft->length
                                                : 0.0f;
}

/* The bed at an inner joint: below the target by what streams of the level cut, not above a line
 * that is hollow as profiles of rivers are, and falling on to the last end. */
static float joint_bed(const struct stream_draft *draft, float t, float target, float depth,
                       struct bed_walk *walk)
{
    const float rest = 1.0f - t, step = draft->length * walk->step;
    const float hollow =
        draft->bed[1] + (draft->bed[0] - draft->bed[1]) * rest * (0.35f + 0.65f * rest);
    const float fall = least_fall(draft);
    const float upper = walk->bed - fall * step;
    const float lower = draft->bed[1] + fall * draft->length * rest;
    float bed = min_float(min_float(target - depth, hollow), upper);
    bed = min_float(max_float(bed, lower), walk->bed);
    walk->at_sea = walk->at_sea || target < SEA_FROM;
    if (walk->at_sea)
        bed = min_float(min_float(target - depth, SEA_BED), walk->bed);
    walk->bed = bed;
    return bed;
}

void segment_place(struct segment *segment, const struct place ends[2])
{
    segment->ends[0] = ends[0];
    segment->ends[1] = ends[1];
    segment->ux = units_to_metres(ends[1].x - ends[0].x);
    segment->uy = units_to_metres(ends[1].y - ends[0].y);
    const float squared = segment->ux * segment->ux + segment->uy * segment->uy;
    segment->inverse = squared > 0.0f ? 1.0f / squared : 0.0f;
    segment->length = __builtin_sqrtf(squared);
}

static void finish_stream(const struct drainage *drainage, const struct stream_draft *draft,
                          unsigned level)
{
    struct stream_block *block = draft->block;
    const struct field_lattice *fields = &drainage->fields;
    const unsigned n = segments_of_level(drainage->network, level), all = block->per_stream;
    struct segment *segments = block->segments + (size_t)draft->node * all;
    const struct segment_rows rows = block_rows(block);
    const struct place corner = block_corner(drainage->network, block);
    struct place from = draft->ends[0];
    float bed = draft->bed[0], relief = draft->relief[0], flow = draft->flow[0];
    float target = draft->target[0];
    struct bed_walk walk = {bed, false, 1.0f / (float)n};
    for (unsigned i = 1; i <= n; i++) {
        const float t = (float)i / (float)n;
        const struct place to = i == n ? draft->ends[1] : drainage->joints[draft->joint + i - 1];
        struct segment *segment = &segments[i - 1];
        segment_place(segment, (const struct place[2]){from, to});
        segment_write(rows, (size_t)draft->node * all + i - 1, segment, corner);
        segment->level = (uint8_t)level;
        segment->piece = (i - 1) & 7;
        segment->last = i == n;
        segment->end_level = draft->end_level & 15;
        segment->end_x = draft->end_x & 7;
        segment->end_y = draft->end_y & 7;
        segment->end_piece = draft->end_piece & 15;
        segment->bed[0] = bed;
        segment->relief[0] = relief;
        segment->flow[0] = flow;
        segment->target[0] = target;
        if (i == n) {
            bed = draft->bed[1];
            relief = draft->relief[1];
            target = draft->target[1];
        } else {
            const float here = field_at(fields, fields->values.relief, to);
            const float along = draft->relief[0] + (draft->relief[1] - draft->relief[0]) * t;
            relief = 0.5f * (here + along);
            const float delta = deltas_height(drainage, to);
            target = max_float(field_at(fields, fields->values.target, to), delta);
            bed = joint_bed(draft, t, target, bed_depth(level, here), &walk);
            if (delta >= SEA_FROM && draft->bed[0] < 0.0f && draft->bed[1] > 0.0f)
                bed = draft->bed[1] * t;
        }
        flow = draft->flow[0] + (draft->flow[1] - draft->flow[0]) * t;
        segment->bed[1] = bed;
        segment->relief[1] = relief;
        segment->flow[1] = flow;
        segment->target[1] = target;
        segment->lake = walk.at_sea ? NO_LAKE : draft->lake;
        from = to;
    }
    block->made |= 1u << draft->node;
}

/* Samples fields around all ends and joints. */
static bool sample_fields(struct drainage *drainage, unsigned level, size_t count, size_t joints)
{
    struct place_bounds bounds = {drainage->drafts->ends[0], drainage->drafts->ends[0]};
    for (size_t i = 0; i < count; i++)
        for (int end = 0; end < 2; end++)
            bounds_add(&bounds, drainage->drafts[i].ends[end]);
    for (size_t i = 0; i < joints; i++)
        bounds_add(&bounds, drainage->joints[i]);
    return fields_sample(drainage, level, &bounds, false);
}

bool drafts_place(struct drainage *drainage, unsigned level, size_t count)
{
    const unsigned width_log2 = drainage_cell_log2(drainage->network->spacing_log2, level);
    const unsigned n = drainage_segments(width_log2);
    const size_t joints = count * (n - 1);
    if (!reserve_items(&drainage->joints, &drainage->joint_capacity, joints, sizeof(struct place)))
        return false;
    for (size_t i = 0; i < count; i++) {
        struct stream_draft *draft = &drainage->drafts[i];
        draft->joint = i * (n - 1);
        for (unsigned joint = 1; joint < n; joint++)
            drainage->joints[draft->joint + joint - 1] =
                joint_place(drainage, level, draft, joint, n);
    }
    return sample_fields(drainage, level, count, joints);
}

static void dig_lakes(const struct drainage *drainage, const struct stream_draft *draft,
                      unsigned level)
{
    const struct field_lattice *fields = &drainage->fields;
    const unsigned n = segments_of_level(drainage->network, level);
    struct segment *segments =
        draft->block->segments + (size_t)draft->node * draft->block->per_stream;
    if (level_has_lakes(drainage->network, level))
        lake_dig(segments, n, draft, field_at(fields, fields->values.lakes, draft->ends[0]));
    if (level == 0 && draft->lake > NO_LAKE)
        lake_dig_sink(segments, n, draft, cell_width(drainage->network, 0));
}

void drafts_finish(struct drainage *drainage, unsigned level, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        finish_stream(drainage, &drainage->drafts[i], level);
        dig_lakes(drainage, &drainage->drafts[i], level);
    }
}
