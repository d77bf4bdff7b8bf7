/* What places cost depends on what they share, so the number that a price allows is searched for:
 * in proportion to the last one that was tried, between the largest that fits and the smallest that
 * does not. Places that cost about the same take two or three tries. */
#include "server/render/place_pieces.h"

/* Tries for a piece, at most. Each walks the program of the world, and takes some microseconds. */
enum { TRIES = 12 };

/* A little less than in proportion: where there are fewer places to share it, each costs more. */
static size_t in_proportion(size_t count, uint64_t price, uint64_t most)
{
    const double fits = 0.9 * (double)count * (double)most / (double)(price + 1);
    return fits < (double)SIZE_MAX / 2 ? (size_t)fits : SIZE_MAX / 2;
}

static size_t between(size_t low, size_t number, size_t high)
{
    return number < low ? low : number > high ? high : number;
}

struct place_piece place_piece_cut(const struct place_cutter *cutter, const struct place *places,
                                   size_t count, size_t last)
{
    struct place_piece found = {0, 0};
    size_t too_many = count + 1, number = last > 0 && last < count / 2 ? 2 * last : count;
    for (unsigned i = 0; i < TRIES && too_many - found.count > 1; i++) {
        const uint64_t price = price_place_list(&cutter->layers, places, number, cutter->each);
        if (price <= cutter->most || number == 1)
            found = (struct place_piece){number, price};
        else
            too_many = number;
        if (found.count == number && 2 * price >= cutter->most)
            break;
        number = between(found.count + 1, in_proportion(number, price, cutter->most), too_many - 1);
    }
    if (found.count == 0 && count > 0)
        found = (struct place_piece){1, price_place_list(&cutter->layers, places, 1, cutter->each)};
    return found;
}
