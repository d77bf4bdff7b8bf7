/* A place's key interleaves the bits of its distances, east and south, from the north-west corner
 * of the box around all places. 32 bits of each are enough: within 2⁻³² of the box any order will
 * do. The keys are sorted by their digits from the lowest to the highest, each pass keeping the
 * order of the one before (radix sort), which for 10,000 places takes a seventh of the time of
 * comparisons. */
#include "core/base/place_order.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    AXIS_BITS = 32,
    DIGIT_BITS = 11, /* counters of 8 KB, and at most six passes */
    DIGITS = 1 << DIGIT_BITS,
};

/* The box around the places: its corner, and how a distance from there becomes a few bits. */
struct key_frame {
    struct place corner;
    unsigned shift, bits;
};

static struct key_frame frame_of(const struct place *places, size_t count, unsigned axis_bits)
{
    struct key_frame frame = {.corner = places[0]};
    struct place far = places[0];
    for (size_t i = 1; i < count; i++) {
        const struct place place = places[i];
        frame.corner.x = place.x < frame.corner.x ? place.x : frame.corner.x;
        frame.corner.y = place.y < frame.corner.y ? place.y : frame.corner.y;
        far.x = place.x > far.x ? place.x : far.x;
        far.y = place.y > far.y ? place.y : far.y;
    }
    const uint64_t extent =
        ((uint64_t)far.x - (uint64_t)frame.corner.x) | ((uint64_t)far.y - (uint64_t)frame.corner.y);
    const unsigned bits = extent ? 64 - (unsigned)__builtin_clzll(extent) : 0;
    frame.shift = bits > axis_bits ? bits - axis_bits : 0;
    frame.bits = bits - frame.shift;
    return frame;
}

/* Puts a 0 in front of each bit of a number below 2³². */
static uint64_t spread(uint64_t n)
{
    n = (n | n << 16) & 0x0000FFFF0000FFFF;
    n = (n | n << 8) & 0x00FF00FF00FF00FF;
    n = (n | n << 4) & 0x0F0F0F0F0F0F0F0F;
    n = (n | n << 2) & 0x3333333333333333;
    return (n | n << 1) & 0x5555555555555555;
}

static uint64_t key_of(const struct key_frame *frame, struct place place)
{
    const uint64_t east = (uint64_t)place.x - (uint64_t)frame->corner.x;
    const uint64_t south = (uint64_t)place.y - (uint64_t)frame->corner.y;
    return spread(east >> frame->shift) | spread(south >> frame->shift) << 1;
}

/* Sorts by the digit at `shift`, into `to`. */
static void sort_by_digit(const struct place_key *from, size_t count, unsigned shift,
                          struct place_key *to)
{
    uint32_t starts[DIGITS] = {0}, start = 0;
    for (size_t i = 0; i < count; i++)
        starts[from[i].key >> shift & (DIGITS - 1)]++;
    for (unsigned digit = 0; digit < DIGITS; digit++) {
        const uint32_t of_digit = starts[digit];
        starts[digit] = start;
        start += of_digit;
    }
    for (size_t i = 0; i < count; i++)
        to[starts[from[i].key >> shift & (DIGITS - 1)]++] = from[i];
}

/* Writes the keys of places. True if they do not fall. */
static bool write_keys(const struct key_frame *frame, const struct place *places, size_t count,
                       struct place_key *keys)
{
    uint64_t before = 0;
    bool rising = true;
    for (size_t i = 0; i < count; i++) {
        keys[i] = (struct place_key){key_of(frame, places[i]), (uint32_t)i};
        rising &= keys[i].key >= before;
        before = keys[i].key;
    }
    return rising;
}

const struct place_key *place_order_find(const struct place *places, size_t count, unsigned bits,
                                         struct place_key *memory)
{
    struct place_key *keys = memory, *spare = memory + count;
    const struct key_frame frame = frame_of(places, count, bits);
    if (write_keys(&frame, places, count, keys))
        return NULL;
    for (unsigned shift = 0; shift < 2 * frame.bits; shift += DIGIT_BITS) {
        sort_by_digit(keys, count, shift, spare);
        struct place_key *const by_digit = spare;
        spare = keys;
        keys = by_digit;
    }
    return keys;
}

bool place_order_sort(struct place *places, uint32_t *ranks, size_t count)
{
    if (count == 0)
        return true;
    struct place_key *memory = calloc(2 * count, sizeof *memory);
    struct place *sorted = malloc(count * sizeof *sorted);
    const bool done = memory && sorted;
    const struct place_key *keys = done ? place_order_find(places, count, AXIS_BITS, memory) : NULL;
    for (size_t i = 0; done && i < count; i++) {
        const uint32_t index = keys ? keys[i].index : (uint32_t)i;
        sorted[i] = places[index];
        ranks[index] = (uint32_t)i;
    }
    if (keys)
        memcpy(places, sorted, count * sizeof *places);
    free(sorted);
    free(memory);
    return done;
}
