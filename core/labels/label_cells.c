/* Cells are surveyed one by one, and what was found in them is kept in the sampler's cache. */
#include "core/labels/label_cells.h"

#include "core/base/hash.h"
#include "core/drainage/store/cache.h"

struct label_cell {
    int rank;
    int64_t column, row;
};

/* What was found in a cell. */
struct cell_features {
    unsigned count;
    struct survey_feature features[SURVEY_FEATURES];
};

/* The same, as the cache keeps it. */
struct kept_cell {
    struct cached cached;
    struct cell_features found;
};

int64_t label_cell_width(int rank)
{
    return (LABEL_CELL_PIXELS * PLACE_METRE) << (17 - rank);
}

/* Cells up to this rank, where there are no rivers and peaks yet, show a zoom earlier. */
enum { EARLY_RANKS = LABEL_ZOOM_MIN + 5 };

static int is_early(int rank)
{
    return rank <= EARLY_RANKS && rank > LABEL_ZOOM_MIN;
}

/* How far a row of cells is moved to the east. */
static int64_t row_offset(int rank, int64_t row)
{
    const uint64_t hash = hash_mix(hash_mix((uint64_t)rank) + (uint64_t)row);
    return (int64_t)(hash % (uint64_t)label_cell_width(rank));
}

static struct place cell_corner(const struct label_cell *cell)
{
    const int64_t width = label_cell_width(cell->rank);
    return (struct place){cell->column * width + row_offset(cell->rank, cell->row),
                          cell->row * width};
}

static uint64_t cell_hash(const struct label_cell *cell, uint64_t salt)
{
    return hash_mix(hash_mix(hash_mix(salt + (uint64_t)cell->rank) + (uint64_t)cell->row) +
                    (uint64_t)cell->column);
}

static bool sample_cell(const struct label_source *source, const struct label_cell *cell,
                        struct survey *survey, struct error *error)
{
    const struct place corner = cell_corner(cell);
    const int64_t step = label_cell_width(cell->rank) / LABEL_CELL_SIDE;
    const int64_t around = SURVEY_AROUND * step - step / 2;
    const int biome = world_biome_layer(source->world);
    const unsigned layers[] = {world_height_layer(source->world), (unsigned)biome};
    float *const outputs[] = {survey->heights, survey->biomes};
    const struct sample_request request = {layers, outputs, biome < 0 ? 1 : 2};
    const struct sample_grid grid = {.x = corner.x - around,
                                     .y = corner.y - around,
                                     .step = step,
                                     .columns = SURVEY_SIDE,
                                     .rows = SURVEY_SIDE,
                                     .spacing = place_metres(step)};
    survey->rank = cell->rank;
    return sampler_grid(source->sampler, world_program(source->world), &grid, &request, error);
}

/* Finds what is in a cell; surveys it if that is not known. */
static bool survey_cell(const struct label_source *source, const struct label_cell *cell,
                        struct cell_features *found, struct error *error)
{
    struct drainage_cache *cache = sampler_cache(source->sampler);
    const struct cache_key key = {.network = {.low = source->world_hash},
                                  .x = cell->column,
                                  .y = cell->row,
                                  .kind = CACHE_LABEL_CELL,
                                  .level = (unsigned)cell->rank};
    struct survey survey;
    if (!cache)
        return error_memory(error);
    struct cached *item = cache_find(cache, &key);
    if (item) {
        *found = ((const struct kept_cell *)(const void *)item)->found;
        cache_release(item);
        return true;
    }
    if (!sample_cell(source, cell, &survey, error))
        return false;
    *found = (struct cell_features){0};
    found->count = survey_find(&survey, source->world, found->features);
    item = cache_new_item(cache, &key, sizeof(struct kept_cell));
    if (item) {
        ((struct kept_cell *)(void *)item)->found = *found;
        cache_publish(item);
    }
    cache_release(item);
    return true;
}

static struct label label_of(const struct label_cell *cell, const struct survey_feature *feature,
                             uint64_t seed)
{
    const struct place corner = cell_corner(cell);
    const int64_t step = label_cell_width(cell->rank) / LABEL_CELL_SIDE;
    const double metres = place_metres(step);
    const uint64_t id = cell_hash(cell, seed + ((uint64_t)feature->kind << 32)) >> (64 - 53);
    const struct place place = {corner.x + (feature->column - SURVEY_AROUND) * step + step / 2,
                                corner.y + (feature->row - SURVEY_AROUND) * step + step / 2};
    return (struct label){
        .kind = feature->kind,
        .id = id,
        .name_id = id,
        .place = place,
        .name_place = place,
        .rank = cell->rank - is_early(cell->rank),
        .last = cell->rank + LABEL_ZOOMS - 1,
        .size = feature->samples * metres * metres,
        .axis = {feature->axis[0], feature->axis[1]},
        .length = feature->length * metres,
    };
}

/* ---- the cells of a box */

/* Metres that labels may lie beside their cells: those of islands. */
static int64_t around_of(int rank)
{
    return SURVEY_AROUND * (label_cell_width(rank) / LABEL_CELL_SIDE);
}

static void begin_row(struct label_cell *cell, const struct label_box *box)
{
    cell->column =
        place_floor_divide(box->low.x - around_of(cell->rank) - row_offset(cell->rank, cell->row),
                           label_cell_width(cell->rank));
}

/* The first of the cells that may have labels in a box, row by row. True, as there is one. */
static bool first_cell(struct label_cell *cell, const struct label_box *box)
{
    cell->row =
        place_floor_divide(box->low.y - around_of(cell->rank), label_cell_width(cell->rank));
    begin_row(cell, box);
    return true;
}

/* The next one; false after the last. */
static bool next_cell(struct label_cell *cell, const struct label_box *box)
{
    const int64_t around = around_of(cell->rank);
    cell->column++;
    if (cell_corner(cell).x < box->high.x + around)
        return true;
    cell->row++;
    begin_row(cell, box);
    return cell_corner(cell).y < box->high.y + around;
}

/* ---- what is found */

enum { ISLAND_APART = 3 };

struct search {
    const struct label_source *source;
    const struct label_box *box;
    uint64_t seed;
    struct label_list *list;
};

/* True in *known if the cell has an island within ISLAND_APART of its samples of a place. */
static bool check_islands(const struct search *search, const struct label_cell *cell,
                          struct place place, bool *known, struct error *error)
{
    const int64_t apart = ISLAND_APART * (label_cell_width(cell->rank) / LABEL_CELL_SIDE);
    struct cell_features found;
    if (!survey_cell(search->source, cell, &found, error))
        return false;
    for (unsigned i = 0; i < found.count; i++) {
        const struct label other = label_of(cell, &found.features[i], search->seed);
        const int64_t x = other.place.x - place.x, y = other.place.y - place.y;
        *known = *known ||
                 (other.kind == NAME_ISLAND && x > -apart && x < apart && y > -apart && y < apart);
    }
    return true;
}

/* True in *known if an island has its name in a cell of the next coarser rank: of equal cells some
 * see an island that those of both ranks can. */
static bool is_known_island(const struct search *search, const struct label_cell *cell,
                            struct place place, bool *known, struct error *error)
{
    struct label_cell coarser = {.rank = cell->rank - 1};
    const int64_t around = ISLAND_APART * (label_cell_width(coarser.rank) / LABEL_CELL_SIDE);
    const struct label_box box = {{place.x - around, place.y - around},
                                  {place.x + around, place.y + around}};
    *known = false;
    if (coarser.rank < LABEL_CELL_RANK_MIN)
        return true;
    for (bool more = first_cell(&coarser, &box); more; more = next_cell(&coarser, &box))
        if (!check_islands(search, &coarser, place, known, error))
            return false;
    return true;
}

static bool find_in_cell(const struct search *search, const struct label_cell *cell,
                         struct error *error)
{
    struct cell_features found;
    if (!survey_cell(search->source, cell, &found, error))
        return false;
    for (unsigned i = 0; i < found.count; i++) {
        const struct label label = label_of(cell, &found.features[i], search->seed);
        bool known = false;
        if (!label_box_holds(search->box, label.place))
            continue;
        if (label.kind == NAME_ISLAND && !is_known_island(search, cell, label.place, &known, error))
            return false;
        if (!known && !label_list_add(search->list, &label, error))
            return false;
    }
    return true;
}

static bool find_of_rank(const struct search *search, int rank, struct error *error)
{
    struct label_cell cell = {.rank = rank};
    for (bool more = first_cell(&cell, search->box); more; more = next_cell(&cell, search->box))
        if (!find_in_cell(search, &cell, error))
            return false;
    return true;
}

bool label_cells_find(const struct label_source *source, const struct label_box *box, int zoom,
                      struct label_list *list, struct error *error)
{
    const struct search search = {source, box, world_seed_number(source->world), list};
    const int finest = zoom + is_early(zoom + 1);
    const int last = finest < LABEL_CELL_RANK_MAX ? finest : LABEL_CELL_RANK_MAX;
    int rank = zoom - LABEL_ZOOMS + 1;
    for (rank = rank > LABEL_CELL_RANK_MIN ? rank : LABEL_CELL_RANK_MIN; rank <= last; rank++)
        if (!find_of_rank(&search, rank, error))
            return false;
    return true;
}
