/* See label_survey.h. Counts and distances are whole numbers of samples, so features are the same
 * on every machine. */
#include "core/labels/label_survey.h"

#include "core/labels/survey_cape.h"
#include "core/labels/survey_pass.h"

#include <math.h>
#include <string.h>

enum {
    FIRST = SURVEY_AROUND,            /* the first row and column of the cell, */
    BEHIND = FIRST + LABEL_CELL_SIDE, /* and those behind its last */
    SAMPLES = LABEL_CELL_SIDE * LABEL_CELL_SIDE,
    FINE = LABEL_CELL_RANK_MIN + 6, /* ranks from here on name no class that fills the cell */
    FILLED = SAMPLES * 9 / 10,
    SEA_LEAST = SAMPLES / 4,      /* samples of water that are a sea, */
    INLET_LEAST = SAMPLES / 8,    /* or else a bay or strait, */
    INLET_MOST = SAMPLES * 3 / 4, /* as more of them are open water */
    LAND_LEAST = SAMPLES / 6,     /* a class of land with no more has no name; */
    RANGE_TIMES = 2,              /* samples of ranges count so many times, as they are narrow */
    NEAR = 4,                     /* a label needs so many samples² of its class around it, */
    ENOUGH = 12,                  /* and more do not make its place better */
    ISLAND_MIN = 3,               /* samples */
    ISLAND_MAX = 24,
    SEA_RANK_MAX = 7, /* seas end here, and bays and straits begin; */
    SEA_RANK_DRY = 8, /* in a world without streams open water is a sea up to here */
    BAY_RANK_MAX = 14,
    RANGE_RANK_MAX = 11,
    BIOME_RANK_MIN = 5, /* forests and deserts begin here */
};

/* The difference of heights in 3 × 3 samples that makes a range: metres, by rank. */
static const float range_reliefs[] = {650, 550, 450, 380, 300, 250, 210, 180, 150};
/* Shares of it that plateaus and plains have at most, and the least height of plateaus, metres. The
 * ranges of a world's layers must not matter: its fingerprint does not have them. */
static const float PLATEAU_RELIEF = 0.6f, PLAIN_RELIEF = 0.45f, PLATEAU_HEIGHT = 550.0f;

/* A pass is lower than its ridge, and higher than its valleys, by this share of it. */
static const float PASS_RELIEF = 0.5f;

/* Text that would climb more steeply than by this tangent, of 60°, is written level. */
static const double STEEPEST = 1.73;
/* Samples have an axis if their variance along it is so many times that across it at least; what
 * they cover is so many standard deviations long. */
static const double LONGER = 2.0, DEVIATIONS = 4.0;

/* From a level of detail to the next one: as from a step of summits. */
static const double DETAILS_APART = 1 << SUMMITS_LEVEL_LOG2;

/* Words in the names of biomes. */
static const char *const forest_words[] = {"forest", "wood", "jungle", "boreal", "taiga", "pine"};
static const char *const desert_words[] = {"desert", "dune", "hamada", "badland", "barren"};

static bool has_word(const char *name, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strstr(name, words[i]))
            return true;
    return false;
}

/* The classes of biomes by their names. */
static void list_biomes(const struct world *world, uint8_t classes[WORLD_BIOMES_MAX])
{
    for (unsigned i = 0; i < world_biome_count(world); i++) {
        const char *name = world_biome(world, i)->name;
        classes[i] = has_word(name, desert_words, sizeof desert_words / sizeof *desert_words)
                         ? SURVEY_DESERT
                     : has_word(name, forest_words, sizeof forest_words / sizeof *forest_words)
                         ? SURVEY_FOREST
                         : SURVEY_OTHER;
    }
}

double survey_detail(double metres)
{
    double detail = LABEL_SUMMITS_PIXELS * label_pixel(LABEL_SUMMITS_ZOOM);
    while (detail >= DETAILS_APART * metres)
        detail /= DETAILS_APART;
    while (detail < metres)
        detail *= DETAILS_APART;
    return detail;
}

static int clamp_index(int i)
{
    return i < 0 ? 0 : i < SURVEY_SIDE ? i : SURVEY_SIDE - 1;
}

/* The difference of heights among a sample and those around it on land; the sea counts as 0 m. */
static float relief_at(const struct survey *survey, int column, int row)
{
    float low = INFINITY, high = -INFINITY;
    for (int y = row - 1; y <= row + 1; y++)
        for (int x = column - 1; x <= column + 1; x++) {
            const float height = survey->heights[clamp_index(y) * SURVEY_SIDE + clamp_index(x)];
            low = height < low ? height : low;
            high = height > high ? height : high;
        }
    return (high > 0.0f ? high : 0.0f) - (low > 0.0f ? low : 0.0f);
}

/* The relief of ranges of a rank. */
static float range_relief(int rank)
{
    const int last = (int)(sizeof range_reliefs / sizeof *range_reliefs) - 1;
    const int steps = rank - LABEL_CELL_RANK_MIN;
    return range_reliefs[steps < last ? steps : last];
}

static enum survey_class classify(const struct survey *survey, int i, const uint8_t *biomes)
{
    const float height = survey->heights[i];
    const float least = range_relief(survey->rank);
    if (!(height > 0.0f))
        return SURVEY_WATER;
    const float relief = relief_at(survey, i % SURVEY_SIDE, i / SURVEY_SIDE);
    if (relief >= least && survey->rank <= RANGE_RANK_MAX)
        return SURVEY_RANGE;
    if (biomes && survey->rank >= BIOME_RANK_MIN) {
        const float biome = survey->biomes[i];
        const unsigned index = biome >= 0.0f && biome < WORLD_BIOMES_MAX ? (unsigned)biome : 0;
        if (biomes[index] != SURVEY_OTHER)
            return biomes[index];
    }
    if (height >= PLATEAU_HEIGHT && relief <= PLATEAU_RELIEF * least)
        return SURVEY_PLATEAU;
    return height < PLATEAU_HEIGHT && relief <= PLAIN_RELIEF * least ? SURVEY_PLAIN : SURVEY_OTHER;
}

static bool is_in_cell(int i)
{
    const int column = i % SURVEY_SIDE, row = i / SURVEY_SIDE;
    return column >= FIRST && column < BEHIND && row >= FIRST && row < BEHIND;
}

static void classify_all(struct survey *survey, const struct world *world)
{
    uint8_t biomes[WORLD_BIOMES_MAX] = {0};
    list_biomes(world, biomes);
    memset(survey->counts, 0, sizeof survey->counts);
    for (int i = 0; i < SURVEY_COUNT; i++) {
        survey->classes[i] = (uint8_t)classify(survey, i, world_biome_count(world) ? biomes : NULL);
        if (is_in_cell(i))
            survey->counts[survey->classes[i]]++;
    }
}

/* Steps to the samples around, from the nearest on: those whose distance is less than √ENOUGH. */
static const struct {
    int8_t x, y;
} around[] = {
    {0, -1}, {-1, 0},  {1, 0},   {0, 1},   {-1, -1}, {1, -1},  {-1, 1}, {1, 1},  {0, -2},
    {-2, 0}, {2, 0},   {0, 2},   {-1, -2}, {1, -2},  {-2, -1}, {2, -1}, {-2, 1}, {2, 1},
    {-1, 2}, {1, 2},   {-2, -2}, {2, -2},  {-2, 2},  {2, 2},   {0, -3}, {-3, 0}, {3, 0},
    {0, 3},  {-1, -3}, {1, -3},  {-3, -1}, {3, -1},  {-3, 1},  {3, 1},  {-1, 3}, {1, 3},
};

/* The square of the distance of a sample to the nearest of another class, or beyond the survey; at
 * most ENOUGH. */
static int room_at(const struct survey *survey, int column, int row)
{
    const int class = survey->classes[row * SURVEY_SIDE + column];
    for (size_t i = 0; i < sizeof around / sizeof *around; i++) {
        const int x = column + around[i].x, y = row + around[i].y;
        if (x < 0 || x >= SURVEY_SIDE || y < 0 || y >= SURVEY_SIDE ||
            survey->classes[y * SURVEY_SIDE + x] != class)
            return around[i].x * around[i].x + around[i].y * around[i].y;
    }
    return ENOUGH;
}

/* Sums over the samples of a class in the cell. */
struct moments {
    int64_t count, x, y, xx, yy, xy;
};

static struct moments moments_of(const struct survey *survey, enum survey_class class)
{
    struct moments sums = {0};
    for (int i = 0; i < SURVEY_COUNT; i++) {
        if (survey->classes[i] != class || !is_in_cell(i))
            continue;
        const int64_t x = i % SURVEY_SIDE, y = i / SURVEY_SIDE;
        sums.count++;
        sums.x += x;
        sums.y += y;
        sums.xx += x * x;
        sums.yy += y * y;
        sums.xy += x * y;
    }
    return sums;
}

/* Finds the place of a class: where there is most room; of equals, the one nearest to the middle of
 * all. Returns the room there. */
static int find_place(const struct survey *survey, enum survey_class class,
                      const struct moments *sums, struct survey_feature *feature)
{
    int64_t nearest = INT64_MAX;
    int most = 0;
    for (int i = 0; i < SURVEY_COUNT; i++) {
        if (survey->classes[i] != class || !is_in_cell(i))
            continue;
        const int column = i % SURVEY_SIDE, row = i / SURVEY_SIDE;
        const int room = room_at(survey, column, row);
        const int64_t x = column * sums->count - sums->x, y = row * sums->count - sums->y;
        const int64_t away = x * x + y * y;
        if (room < most || (room == most && away >= nearest))
            continue;
        most = room;
        nearest = away;
        feature->column = column;
        feature->row = row;
    }
    return most;
}

/* The axis along which samples lie farthest apart, where they are clearly longer than wide. */
static void find_axis(const struct moments *sums, struct survey_feature *feature)
{
    const double n = (double)sums->count;
    const double xx = ((double)sums->xx - (double)sums->x * (double)sums->x / n) / n;
    const double yy = ((double)sums->yy - (double)sums->y * (double)sums->y / n) / n;
    const double xy = ((double)sums->xy - (double)sums->x * (double)sums->y / n) / n;
    const double half = (xx - yy) / 2.0, root = sqrt(half * half + xy * xy);
    const double longer = (xx + yy) / 2.0 + root, shorter = (xx + yy) / 2.0 - root;
    double x = half >= 0.0 ? half + root : xy, y = half >= 0.0 ? xy : root - half;
    const double norm = sqrt(x * x + y * y);
    feature->axis[0] = 1.0f;
    feature->axis[1] = 0.0f;
    feature->length = 0.0;
    if (!(longer > LONGER * shorter) || norm == 0.0 || fabs(y) > STEEPEST * fabs(x))
        return;
    const double sign = x < 0.0 ? -1.0 : 1.0;
    feature->axis[0] = (float)(sign * x / norm);
    feature->axis[1] = (float)(sign * y / norm);
    feature->length = DEVIATIONS * sqrt(longer);
}

/* Fills in a feature of a class; false if it has no room for a label. */
static bool make_feature(const struct survey *survey, enum survey_class class,
                         struct survey_feature *feature)
{
    const struct moments sums = moments_of(survey, class);
    if (find_place(survey, class, &sums, feature) < NEAR)
        return false;
    feature->samples = (unsigned)sums.count;
    feature->axis[0] = 1.0f;
    feature->axis[1] = 0.0f;
    feature->length = 0.0;
    if (class == SURVEY_RANGE)
        find_axis(&sums, feature);
    return true;
}

/* In which of eight directions land follows the water from a place on, and in which it is as steep
 * as a range there: bits 0 … 7, clockwise from north. */
static unsigned shores_around(const struct survey *survey, const struct survey_feature *feature,
                              unsigned *steep)
{
    static const int steps[8][2] = {{0, -1}, {1, -1}, {1, 0},  {1, 1},
                                    {0, 1},  {-1, 1}, {-1, 0}, {-1, -1}};
    const float least = range_relief(survey->rank);
    unsigned shores = 0;
    *steep = 0;
    for (unsigned i = 0; i < 8; i++) {
        int x = feature->column, y = feature->row;
        while (x >= 0 && x < SURVEY_SIDE && y >= 0 && y < SURVEY_SIDE) {
            if (survey->classes[y * SURVEY_SIDE + x] != SURVEY_WATER) {
                shores |= 1U << i;
                *steep |= (relief_at(survey, x, y) >= least ? 1U : 0U) << i;
                break;
            }
            x += steps[i][0];
            y += steps[i][1];
        }
    }
    return shores;
}

static unsigned count_bits(unsigned bits)
{
    unsigned count = 0;
    for (; bits != 0; bits &= bits - 1)
        count++;
    return count;
}

static unsigned rotate_shores(unsigned shores, unsigned by)
{
    return ((shores >> by) | (shores << (8 - by))) & 0xff;
}

/* Water between two shores is a strait, water with shores on most sides a bay, and a fjord if half
 * of these are steep. */
static bool find_inlet(const struct survey *survey, struct survey_feature *feature)
{
    if (!make_feature(survey, SURVEY_WATER, feature))
        return false;
    unsigned steep;
    const unsigned shores = shores_around(survey, feature, &steep);
    const unsigned count = count_bits(shores);
    for (unsigned i = 0; i < 4; i++)
        if ((rotate_shores(shores, i) & 0x55) == 0x11 && count <= 6) {
            feature->kind = NAME_STRAIT;
            return true;
        }
    feature->kind = 2 * count_bits(steep) >= count ? NAME_FJORD : NAME_BAY;
    return count > 4 && count < 8;
}

static bool find_water(const struct survey *survey, struct survey_feature *feature)
{
    const unsigned water = survey->counts[SURVEY_WATER];
    const bool is_open = survey->is_dry && survey->rank <= SEA_RANK_DRY && water > INLET_MOST;
    if (survey->rank > SEA_RANK_MAX && !is_open)
        return survey->rank <= BAY_RANK_MAX && water >= INLET_LEAST && water <= INLET_MOST &&
               find_inlet(survey, feature);
    feature->kind = NAME_SEA;
    return water >= SEA_LEAST && make_feature(survey, SURVEY_WATER, feature);
}

/* The class that prevails on land, of those that are not `left` out; SURVEY_OTHER if none is
 * frequent enough. */
static enum survey_class prevailing_class(const struct survey *survey, unsigned left)
{
    unsigned most = LAND_LEAST, class = SURVEY_OTHER;
    for (unsigned i = SURVEY_RANGE; i < SURVEY_CLASSES; i++) {
        const unsigned count = survey->counts[i] * (i == SURVEY_RANGE ? RANGE_TIMES : 1);
        const bool is_filled =
            !survey->is_dry && survey->rank >= FINE && survey->counts[i] > FILLED;
        if (count <= most || is_filled || (left >> i & 1))
            continue;
        most = count;
        class = i;
    }
    return (enum survey_class) class;
}

/* Finds features of the two classes that prevail on land. */
static unsigned find_land(const struct survey *survey, struct survey_feature features[2])
{
    static const enum name_kind kinds[SURVEY_CLASSES] = {
        [SURVEY_RANGE] = NAME_RANGE,   [SURVEY_PLATEAU] = NAME_PLATEAU, [SURVEY_PLAIN] = NAME_PLAIN,
        [SURVEY_DESERT] = NAME_DESERT, [SURVEY_FOREST] = NAME_FOREST,
    };
    unsigned count = 0, left = 0;
    for (int i = 0; i < 2; i++) {
        const enum survey_class class = prevailing_class(survey, left);
        if (class == SURVEY_OTHER)
            break;
        left |= 1U << class;
        features[count].kind = kinds[class];
        count += make_feature(survey, class, &features[count]);
    }
    return count;
}

/* Counts the land that hangs together with a sample, and marks it as seen; 0 if it reaches the edge
 * of the survey. `middle` is a sample of it that is about as far from the first as from the last.
 */
static unsigned measure_island(const struct survey *survey, int from, bool *seen, int *middle)
{
    int queue[SURVEY_COUNT];
    unsigned count = 0;
    bool is_cut = false;
    queue[count++] = from;
    seen[from] = true;
    for (unsigned done = 0; done < count; done++) {
        const int column = queue[done] % SURVEY_SIDE, row = queue[done] / SURVEY_SIDE;
        if (column == 0 || row == 0 || column == SURVEY_SIDE - 1 || row == SURVEY_SIDE - 1) {
            is_cut = true;
            continue;
        }
        for (int k = 0; k < 9; k++) {
            const int other = queue[done] + (k / 3 - 1) * SURVEY_SIDE + k % 3 - 1;
            if (seen[other] || survey->classes[other] == SURVEY_WATER)
                continue;
            seen[other] = true;
            queue[count++] = other;
        }
    }
    *middle = queue[count / 2];
    return is_cut ? 0 : count;
}

/* The largest island whose first sample, by rows from the north, is in the cell. */
static bool find_island(const struct survey *survey, struct survey_feature *feature)
{
    bool seen[SURVEY_COUNT] = {false};
    int middle;
    *feature = (struct survey_feature){.kind = NAME_ISLAND, .axis = {1.0f, 0.0f}};
    for (int i = 0; i < SURVEY_COUNT; i++) {
        if (seen[i] || survey->classes[i] == SURVEY_WATER)
            continue;
        const unsigned count = measure_island(survey, i, seen, &middle);
        if (count < ISLAND_MIN || count > ISLAND_MAX || count <= feature->samples || !is_in_cell(i))
            continue;
        feature->samples = count;
        feature->column = middle % SURVEY_SIDE;
        feature->row = middle / SURVEY_SIDE;
    }
    return feature->samples > 0;
}

unsigned survey_find(struct survey *survey, const struct world *world,
                     struct survey_feature features[SURVEY_FEATURES])
{
    unsigned count = 0;
    survey->is_dry = !world_has_drainage(world);
    classify_all(survey, world);
    count += find_water(survey, &features[count]);
    count += find_land(survey, &features[count]);
    count += find_island(survey, &features[count]);
    if (survey_has_capes(survey->rank))
        count += survey_find_cape(survey, &features[count]);
    if (survey_has_passes(survey->rank))
        count +=
            survey_find_pass(survey, PASS_RELIEF * range_relief(survey->rank), &features[count]);
    return count;
}

/* ---- the extent of features */

/* The samples that were seen to belong to a feature, in the order in which they were found. */
struct extent {
    bool is_land, seen[SURVEY_COUNT];
    int queue[SURVEY_COUNT], count;
};

/* Adds the samples around one that are of its class, or on land like it, and were not seen. */
static void spread(const struct survey *survey, struct extent *extent, int from)
{
    const int column = from % SURVEY_SIDE, row = from / SURVEY_SIDE;
    for (int y = row - 1; y <= row + 1; y++)
        for (int x = column - 1; x <= column + 1; x++) {
            const int other = y * SURVEY_SIDE + x;
            if (x < 0 || y < 0 || x >= SURVEY_SIDE || y >= SURVEY_SIDE || extent->seen[other] ||
                (extent->is_land ? survey->classes[other] == SURVEY_WATER
                                 : survey->classes[other] != survey->classes[from]))
                continue;
            extent->seen[other] = true;
            extent->queue[extent->count++] = other;
        }
}

bool survey_holds(const struct survey *survey, const struct survey_feature *feature, int column,
                  int row, bool near)
{
    struct extent extent = {.is_land = feature->kind == NAME_ISLAND, .count = 1};
    extent.queue[0] = feature->row * SURVEY_SIDE + feature->column;
    extent.seen[extent.queue[0]] = true;
    for (int i = 0; i < extent.count; i++)
        spread(survey, &extent, extent.queue[i]);
    const int reach = near ? 1 : 0;
    for (int y = row - reach; y <= row + reach; y++)
        for (int x = column - reach; x <= column + reach; x++)
            if (extent.seen[clamp_index(y) * SURVEY_SIDE + clamp_index(x)])
                return true;
    return false;
}
