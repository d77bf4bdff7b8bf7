/* A square of a Hilbert curve consists of four, in an order that depends on how the curve is turned
 * there, which is described by what is done to coordinates on the way down: swapped, and counted
 * from the far side. The whole curve of any zoom begins in the north-west and ends in the
 * north-east. */
#include "server/export/archives/tile_range.h"

/* Indices of tiles: first ≤ x < end. */
struct span {
    int64_t first, end;
};

/* x0 ≤ x < x1. */
struct rectangle {
    int64_t x0, y0, x1, y1;
};

/* A square of side 2^level with its north-west corner, and how the curve lies in it. */
struct square {
    int64_t x, y;
    int level;
    bool is_swapped; /* x and y change places */
    bool is_flipped; /* both are counted from the far side */
};

static int64_t floor_divide(int64_t value, int64_t divisor)
{
    return value / divisor - (value % divisor < 0);
}

static int64_t ceil_divide(int64_t value, int64_t divisor)
{
    return -floor_divide(-value, divisor);
}

/* The tiles, north-west corner of the square as zero, that what lies between two places touches. */
static struct span touch(int zoom, int64_t from, int64_t to)
{
    const int64_t span = tile_span(zoom), half = (int64_t)1 << 40; /* 2²⁴ m */
    return (struct span){floor_divide(from + half, span), ceil_divide(to + half, span)};
}

/* The same in the archive, which has so many tiles a side. */
static struct span inside(struct span tiles, int64_t shift, int64_t side)
{
    const int64_t first = tiles.first - shift, end = tiles.end - shift;
    return (struct span){first < 0 ? 0 : first, end > side ? side : end};
}

/* The range's tiles at a zoom, in the archive's indices. */
static struct rectangle rectangle_at(const struct tile_range *range, int zoom)
{
    const int up = zoom - range->zoom_min;
    const int64_t side = (int64_t)1 << zoom, scale = (int64_t)1 << up; /* shifts may be negative */
    const struct span x =
        inside(touch(zoom, range->west, range->east), range->shift_x * scale, side);
    const struct span y =
        inside(touch(zoom, range->north, range->south), range->shift_y * scale, side);
    return (struct rectangle){x.first, y.first, x.end, y.end};
}

static int64_t overlap(int64_t a0, int64_t a1, int64_t b0, int64_t b1)
{
    const int64_t low = a0 > b0 ? a0 : b0, high = a1 < b1 ? a1 : b1;
    return high > low ? high - low : 0;
}

/* How many tiles of the rectangle lie in the square. */
static uint64_t count_in(const struct rectangle *all, const struct square *square)
{
    const int64_t side = (int64_t)1 << square->level;
    return (uint64_t)overlap(all->x0, all->x1, square->x, square->x + side) *
           (uint64_t)overlap(all->y0, all->y1, square->y, square->y + side);
}

/* The quarter that the curve passes as the `part`-th, 0 … 3. Before it is turned, a curve goes
 * north-west, south-west, south-east, north-east. */
static struct square quarter(const struct square *square, unsigned part)
{
    const bool at_end = part == 3;
    unsigned x = part >> 1, y = (part ^ part >> 1) & 1;
    if (square->is_flipped) {
        x ^= 1;
        y ^= 1;
    }
    if (square->is_swapped) {
        const unsigned other = x;
        x = y;
        y = other;
    }
    const int level = square->level - 1;
    return (struct square){
        .x = square->x + ((int64_t)x << level),
        .y = square->y + ((int64_t)y << level),
        .level = level,
        .is_swapped = square->is_swapped ^ (part == 0 || at_end),
        .is_flipped = square->is_flipped ^ at_end,
    };
}

bool tile_range_init(struct tile_range *range, const int64_t box[4], const int zooms[2],
                     bool may_shift, struct error *error)
{
    *range = (struct tile_range){zooms[0], zooms[1], box[0], box[1], box[2], box[3], 0, 0};
    const int64_t side = (int64_t)1 << zooms[0];
    const struct span x = touch(zooms[0], range->west, range->east);
    const struct span y = touch(zooms[0], range->north, range->south);
    const int64_t columns = x.end - x.first, rows = y.end - y.first;
    if (x.first >= 0 && x.end <= side && y.first >= 0 && y.end <= side)
        return true;
    if (!may_shift)
        return error_set(error, ERROR_LIMIT,
                         "the rectangle reaches beyond the Mercator square, -16777216 to 16777216 "
                         "m, which is all that an archive holds: it would have to be moved");
    if (columns > side || rows > side)
        return error_set(error, ERROR_LIMIT,
                         "the rectangle touches %lld x %lld tiles of zoom %d, of which an archive "
                         "holds %lld x %lld: use a higher --zoom or a smaller rectangle",
                         (long long)columns, (long long)rows, zooms[0], (long long)side,
                         (long long)side);
    /* In the middle of the square. */
    range->shift_x = x.first - (side - columns) / 2;
    range->shift_y = y.first - (side - rows) / 2;
    return true;
}

static uint64_t count_at(const struct tile_range *range, int zoom)
{
    const struct rectangle all = rectangle_at(range, zoom);
    return (uint64_t)(all.x1 - all.x0) * (uint64_t)(all.y1 - all.y0);
}

uint64_t tile_range_count(const struct tile_range *range)
{
    uint64_t count = 0;
    for (int zoom = range->zoom_min; zoom <= range->zoom_max; zoom++)
        count += count_at(range, zoom);
    return count;
}

/* The square of one tile that is the index-th of those of the rectangle on the curve. */
static struct square find_on_curve(const struct rectangle *all, int zoom, uint64_t index)
{

    struct square square = {.level = zoom};
    while (square.level > 0) {
        struct square part = quarter(&square, 0);
        for (unsigned i = 0; i < 3; part = quarter(&square, ++i)) {
            const uint64_t count = count_in(all, &part);
            if (index < count)
                break;
            index -= count;
        }
        square = part;
    }
    return square;
}

struct tile_address tile_range_at(const struct tile_range *range, uint64_t index)
{
    int zoom = range->zoom_min;
    for (uint64_t count; index >= (count = count_at(range, zoom)) && zoom < range->zoom_max; zoom++)
        index -= count;
    const struct rectangle all = rectangle_at(range, zoom);
    const struct square square = find_on_curve(&all, zoom, index);
    return (struct tile_address){zoom, square.x, square.y};
}

struct tile_address tile_range_world(const struct tile_range *range, struct tile_address tile)
{
    const int up = tile.zoom - range->zoom_min;
    return (struct tile_address){tile.zoom, tile.x + range->shift_x * ((int64_t)1 << up),
                                 tile.y + range->shift_y * ((int64_t)1 << up)};
}

static bool holds(const struct square *square, struct tile_address tile)
{
    return tile.x >> square->level == square->x >> square->level &&
           tile.y >> square->level == square->y >> square->level;
}

uint64_t tile_id(struct tile_address tile)
{
    uint64_t id = (((uint64_t)1 << 2 * tile.zoom) - 1) / 3; /* tiles of lower zooms: 1 + 4 + 16 … */
    struct square square = {.level = tile.zoom};
    while (square.level > 0) {
        unsigned part = 0;
        struct square next = quarter(&square, part);
        while (!holds(&next, tile))
            next = quarter(&square, ++part);
        square = next;
        id += (uint64_t)part << 2 * square.level;
    }
    return id;
}

bool tile_range_name(struct tile_address tile, struct error *error)
{
    return error_in_path(error, "tile %d/%lld/%lld", tile.zoom, (long long)tile.x,
                         (long long)tile.y);
}
