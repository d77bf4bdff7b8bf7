/* Cells are surveyed one by one, and what was found in them is kept in the sampler's cache. */
#include "core/labels/label_cells.h"

#include <math.h>

#include "core/base/hash.h"
#include "core/drainage/store/cache.h"
#include "core/labels/label_walk.h"

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

/* Cells up to this rank, where there are no rivers and peaks yet, show a zoom earlier; in worlds
 * without streams those of all ranks do, but for their inlets. */
enum { EARLY_RANKS = LABEL_ZOOM_MIN + 5 };

int label_cell_rank_max(const struct world *world)
{
    return world_has_drainage(world) ? LABEL_CELL_RANK_MAX : LABEL_CELL_RANK_DRY;
}

static bool is_inlet(enum name_kind kind)
{
    return kind == NAME_BAY || kind == NAME_STRAIT || kind == NAME_FJORD;
}

static int is_early(const struct world *world, int rank, enum name_kind kind)
{
    return rank > LABEL_ZOOM_MIN &&
           (rank <= EARLY_RANKS || (!world_has_drainage(world) && !is_inlet(kind)));
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
                                     .spacing = survey_detail(place_metres(step))};
    survey->rank = cell->rank;
    return sampler_grid(source->sampler, world_program(source->world), &grid, &request, error);
}

static struct place sample_place(const struct label_cell *cell,
                                 const struct survey_feature *feature)
{
    const struct place corner = cell_corner(cell);
    const int64_t step = label_cell_width(cell->rank) / LABEL_CELL_SIDE;
    return (struct place){corner.x + (feature->column - SURVEY_AROUND) * step + step / 2,
                          corner.y + (feature->row - SURVEY_AROUND) * step + step / 2};
}

static struct cache_key key_of(const struct label_source *source, const struct label_cell *cell)
{
    return (struct cache_key){.owner = {.low = source->world_hash},
                              .x = cell->column,
                              .y = cell->row,
                              .kind = CACHE_LABEL_CELL,
                              .level = (unsigned)cell->rank};
}

static void keep_cell(const struct label_source *source, const struct label_cell *cell,
                      const struct cell_features *found)
{
    const struct cache_key key = key_of(source, cell);
    struct cached *item =
        cache_new_item(sampler_cache(source->sampler), &key, sizeof(struct kept_cell));
    if (!item)
        return;
    ((struct kept_cell *)(void *)item)->found = *found;
    cache_publish(item);
    cache_release(item);
}

/* Finds what is in a cell; surveys it if that is not known. */
static bool survey_cell(const struct label_source *source, const struct label_cell *cell,
                        struct cell_features *found, struct error *error)
{
    struct drainage_cache *cache = sampler_cache(source->sampler);
    const struct cache_key key = key_of(source, cell);
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
    keep_cell(source, cell, found);
    return true;
}

static uint64_t feature_id(const struct label_cell *cell, enum name_kind kind, uint64_t seed)
{
    return cell_hash(cell, seed + ((uint64_t)kind << 32)) >> (64 - 53);
}

static struct label label_of(const struct world *world, const struct label_cell *cell,
                             const struct survey_feature *feature)
{
    const int64_t step = label_cell_width(cell->rank) / LABEL_CELL_SIDE;
    const double metres = place_metres(step);
    const uint64_t id = feature_id(cell, feature->kind, world_seed_number(world));
    struct place place = sample_place(cell, feature);
    struct label label = {
        .kind = feature->kind,
        .id = id,
        .name_id = id,
        .rank = cell->rank - is_early(world, cell->rank, feature->kind),
        .last = cell->rank + LABEL_ZOOMS - 1,
        .size = feature->samples * metres * metres,
        .axis = {feature->axis[0], feature->axis[1]},
        .length = feature->length * metres,
    };
    if (label_is_walked_to(feature->kind)) {
        place.x += place_from_metres((double)feature->beyond[0]);
        place.y += place_from_metres((double)feature->beyond[1]);
        label.rank = cell->rank;
        label.axis[0] = 1.0f;
        label.axis[1] = 0.0f;
    }
    label.place = label.name_place = place;
    return label;
}

/* ---- the cells of a box */

/* How far labels may lie beside their cells: those of islands, capes and passes. */
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

enum {
    APART = 3, /* samples */
    WALK_RANKS = 3,
};

struct search {
    const struct label_source *source;
    const struct label_box *box;
    int zoom;
    uint64_t seed;
    struct label_list *list;
};

/* A feature and the cell that it is in. */
struct found_feature {
    const struct label_cell *cell;
    const struct survey_feature *feature;
    uint64_t id;
    struct place place; /* of its sample */
};

/* True in *known if the cell has an island, cape or pass, as the other, within APART of its
 * samples; of two of one rank that of lesser id is known. */
static bool check_cell(const struct search *search, const struct label_cell *cell,
                       const struct found_feature *other, bool *known, struct error *error)
{
    const int64_t apart = APART * (label_cell_width(cell->rank) / LABEL_CELL_SIDE);
    struct cell_features found;
    if (!survey_cell(search->source, cell, &found, error))
        return false;
    for (unsigned i = 0; i < found.count && !*known; i++) {
        const enum name_kind kind = found.features[i].kind;
        const struct place place = sample_place(cell, &found.features[i]);
        const int64_t x = place.x - other->place.x, y = place.y - other->place.y;
        *known =
            kind == other->feature->kind && x > -apart && x < apart && y > -apart && y < apart &&
            (cell->rank < other->cell->rank || feature_id(cell, kind, search->seed) < other->id);
    }
    return true;
}

/* The same of all cells of a rank. */
static bool check_rank(const struct search *search, int rank, const struct found_feature *other,
                       bool *known, struct error *error)
{
    struct label_cell cell = {.rank = rank};
    const struct place place = other->place;
    const int64_t around = APART * (label_cell_width(rank) / LABEL_CELL_SIDE);
    const struct label_box box = {{place.x - around, place.y - around},
                                  {place.x + around, place.y + around}};
    for (bool more = first_cell(&cell, &box); more && !*known; more = next_cell(&cell, &box))
        if (!check_cell(search, &cell, other, known, error))
            return false;
    return true;
}

/* True in *known if an island has its name in a cell of the next coarser rank, as of equal cells
 * some see an island that those of both ranks can; or if a cape or pass has it in one of
 * WALK_RANKS, as some of them miss a spit that is narrower than their samples, or in another cell
 * of its own. */
static bool is_known(const struct search *search, const struct label_cell *cell,
                     const struct survey_feature *feature, bool *known, struct error *error)
{
    const bool is_walked_to = label_is_walked_to(feature->kind);
    const struct found_feature found = {
        cell, feature, feature_id(cell, feature->kind, search->seed), sample_place(cell, feature)};
    const int first = cell->rank - (is_walked_to ? 0 : 1),
              last = cell->rank - (is_walked_to ? WALK_RANKS : 1);
    *known = false;
    if (!is_walked_to && feature->kind != NAME_ISLAND)
        return true;
    for (int rank = first; rank >= last && rank >= LABEL_CELL_RANK_MIN && !*known; rank--)
        if (!check_rank(search, rank, &found, known, error))
            return false;
    return true;
}

/* Adds the label of a feature, unless it is out of the box or has another one. */
static bool add_feature(const struct search *search, const struct label_cell *cell,
                        struct survey_feature *feature, struct error *error)
{
    const struct label label = label_of(search->source->world, cell, feature);
    bool known;
    if (label.rank > search->zoom || !label_box_holds(search->box, label.place))
        return true;
    return is_known(search, cell, feature, &known, error) &&
           (known || label_list_add(search->list, &label, error));
}

/* True if the sample of a cape or pass that is not walked to is so near the box that it may lie
 * there. */
static bool is_to_walk(const struct search *search, const struct label_cell *cell,
                       const struct survey_feature *feature)
{
    const int64_t around = around_of(cell->rank);
    const struct label_box *box = search->box;
    const struct label_box wider = {{box->low.x - around, box->low.y - around},
                                    {box->high.x + around, box->high.y + around}};
    return label_is_walked_to(feature->kind) && !feature->walked && cell->rank <= search->zoom &&
           label_box_holds(&wider, sample_place(cell, feature));
}

/* Walks to the capes and passes that are not known elsewhere, and keeps where they are. */
static bool walk_to_features(const struct search *search, const struct label_cell *cell,
                             struct cell_features *found, struct error *error)
{
    const double metres = place_metres(label_cell_width(cell->rank) / LABEL_CELL_SIDE);
    for (unsigned i = 0; i < found->count; i++) {
        struct survey_feature *feature = &found->features[i];
        bool known;
        if (!is_to_walk(search, cell, feature))
            continue;
        if (!is_known(search, cell, feature, &known, error) ||
            (!known &&
             !label_walk(search->source, sample_place(cell, feature), metres, feature, error)))
            return false;
        feature->walked = true;
        keep_cell(search->source, cell, found);
    }
    return true;
}

static bool find_in_cell(const struct search *search, const struct label_cell *cell,
                         struct error *error)
{
    struct cell_features found;
    if (!survey_cell(search->source, cell, &found, error) ||
        !walk_to_features(search, cell, &found, error))
        return false;
    for (unsigned i = 0; i < found.count; i++)
        if (found.features[i].samples > 0 && !add_feature(search, cell, &found.features[i], error))
            return false;
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
    const struct search search = {source, box, zoom, world_seed_number(source->world), list};
    const int finest = zoom + is_early(source->world, zoom + 1, NAME_PLAIN);
    const int most = label_cell_rank_max(source->world), last = finest < most ? finest : most;
    int rank = zoom - LABEL_ZOOMS + 1;
    for (rank = rank > LABEL_CELL_RANK_MIN ? rank : LABEL_CELL_RANK_MIN; rank <= last; rank++)
        if (!find_of_rank(&search, rank, error))
            return false;
    return true;
}

/* ---- what a place is in */

static bool is_water(enum name_kind kind)
{
    return kind == NAME_SEA || is_inlet(kind);
}

static int sample_at(int64_t from_corner, int64_t step)
{
    return (int)place_floor_divide(from_corner, step) + SURVEY_AROUND;
}

/* Adds those of one cell. The survey is made again, as samples are not kept. */
static bool add_holding(const struct search *search, const struct label_cell *cell,
                        const struct label_cells_place *at, struct error *error)
{
    struct survey survey;
    struct survey_feature features[SURVEY_FEATURES];
    const int64_t step = label_cell_width(cell->rank) / LABEL_CELL_SIDE;
    const struct place corner = cell_corner(cell);
    const int column = sample_at(at->place.x - corner.x, step);
    const int row = sample_at(at->place.y - corner.y, step);
    if (!sample_cell(search->source, cell, &survey, error))
        return false;
    const unsigned count = survey_find(&survey, search->source->world, features);
    for (unsigned i = 0; i < count; i++) {
        const struct label label = label_of(search->source->world, cell, &features[i]);
        bool known = false;
        if (label_is_walked_to(label.kind) || is_water(label.kind) != at->is_water ||
            !survey_holds(&survey, &features[i], column, row, at->is_water))
            continue;
        if (!is_known(search, cell, &features[i], &known, error))
            return false;
        if (!known && !label_list_add(search->list, &label, error))
            return false;
    }
    return true;
}

bool label_cells_holding(const struct label_source *source, const struct label_cells_place *at,
                         struct label_list *list, struct error *error)
{
    const struct label_box box = {at->place, {at->place.x + 1, at->place.y + 1}};
    const struct search search = {
        .source = source, .box = &box, .seed = world_seed_number(source->world), .list = list};
    const int last = label_cell_rank_max(source->world);
    for (int rank = LABEL_CELL_RANK_MIN; rank <= at->last && rank <= last; rank++) {
        struct label_cell cell = {.rank = rank};
        for (bool more = first_cell(&cell, &box); more; more = next_cell(&cell, &box))
            if (!add_holding(&search, &cell, at, error))
                return false;
    }
    return true;
}
