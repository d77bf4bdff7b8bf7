/* Deltas. Internal to core/drainage.
 *
 * Where a trunk reaches a shallow sea it may build land out into it. Its own bed stays above the
 * sea that much longer, to the tip of the delta; and two arms leave it at the apex, where the shore
 * was. Arms are pieces of the trunk, too, behind those of its line: their beds fall to the sea, so
 * all that holds for streams holds for them.
 *
 *        land     |                sea
 *                 |      _.-'''-.
 *                 |  .-''  __.--o  arm
 *        trunk    |.'  _.-'   _.'
 *      -----------o==-----------o  tip
 *            apex |'.  '-._   '-._
 *                 |  '-.._ ''--.__o  arm
 *                 |       ''-...-'
 *
 * The land of the delta is not added to the height, which would make pits. Instead it is the target
 * height that finer streams aim at: they find ground around the arms where there was sea, and drain
 * it as they do any other. */
#ifndef TERRANE_DRAINAGE_COURSE_DELTAS_H
#define TERRANE_DRAINAGE_COURSE_DELTAS_H

#include "core/drainage/course/draft.h"
#include "core/drainage/course/source.h"

#define NO_DELTA (-1e6f)
enum {
    DELTA_ARMS = 2,
    ARM_SEGMENTS = 4, /* the last of them is in the sea */
    DELTA_SEGMENTS = DELTA_ARMS * ARM_SEGMENTS,
};

/* A delta that a request may need. */
struct delta {
    const struct segment *line; /* of its trunk, from the apex to the tip */
    const struct segment *arms; /* DELTA_SEGMENTS; those of an arm that is missing have no length */
    struct place_bounds reach;  /* it changes nothing outside */
    float tip_half;             /* half the width of the land at a tip, about, metres */
};

struct delta_list {
    struct delta *deltas;
    size_t count, capacity;
};

/* How many more segments are kept for each stream of a level. */
static inline unsigned delta_segments(const struct drainage_network *network, unsigned level)
{
    return level == 0 && network->deltas > 0.0f ? DELTA_SEGMENTS : 0;
}

/* Scratch memory: the rivers that may have a delta, and the places where they ask for targets. */
struct delta_scratch {
    struct mouth *mouths;
    struct place *places;
    size_t count, capacity, place_count, place_capacity;
};

/* Builds the deltas of finished streams of level 0, of those that have one. False when memory or
 * work is out. */
bool deltas_build(struct delta_scratch *scratch, const struct drainage_network *network,
                  const struct stream_draft *drafts, size_t count,
                  const struct course_source *source);
void delta_scratch_free(struct delta_scratch *scratch);
size_t delta_scratch_bytes(const struct delta_scratch *scratch);
/* Adds the delta of a stream of level 0 to a list, if it has one; its line has n pieces. False when
 * memory is out. */
bool delta_list_add(struct delta_list *list, const struct segment *stream, unsigned n);
/* The height of the listed deltas at a place, metres; far below the sea where there is none. Any
 * list that has those in reach of the place gives the same. */
float deltas_height(const struct delta_list *list, struct place place);

#endif
