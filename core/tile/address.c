/* The arithmetic of the tile matrix in whole numbers of 2⁻¹⁶ m: spans are powers of two, so that a
 * place is divided by a shift, and every pixel centre is exact. */
#include "core/tile/address.h"

/* Tile (z, 0, 0) begins at −WORLD_EDGE on both axes: −2²⁴ m. */
#define WORLD_EDGE ((int64_t)1 << (24 + PLACE_BITS))

int64_t tile_span(int zoom)
{
    return (int64_t)1 << (25 - zoom + PLACE_BITS);
}

void tile_index_range(int zoom, int64_t *low, int64_t *high)
{
    int64_t span = tile_span(zoom);
    *low = -((PLACE_LIMIT - WORLD_EDGE) / span); /* rounded towards 0: whole tiles only */
    *high = (PLACE_LIMIT + WORLD_EDGE) / span - 1;
}

static bool check_zoom(const struct tile_address *tile, struct error *error)
{
    return (tile->zoom >= 0 && tile->zoom <= TILE_ZOOM_MAX) ||
           error_set(error, ERROR_LIMIT, "zoom %d is out of range; zooms go from 0 to %d",
                     tile->zoom, TILE_ZOOM_MAX);
}

static bool check_indices(const struct tile_address *tile, int64_t low, int64_t high,
                          struct error *error)
{
    if (tile->x >= low && tile->x <= high && tile->y >= low && tile->y <= high)
        return true;
    bool x = tile->x < low || tile->x > high;
    return error_set(error, ERROR_LIMIT,
                     "tile %s %lld is out of range; at zoom %d it goes from %lld to %lld",
                     x ? "x" : "y", (long long)(x ? tile->x : tile->y), tile->zoom, (long long)low,
                     (long long)high);
}

bool tile_check(const struct tile_address *tile, struct error *error)
{
    int64_t low, high;
    if (!check_zoom(tile, error))
        return false;
    tile_index_range(tile->zoom, &low, &high);
    return check_indices(tile, low, high, error);
}

bool tile_check_globe(const struct tile_address *tile, struct error *error)
{
    return check_zoom(tile, error) && check_indices(tile, 0, ((int64_t)1 << tile->zoom) - 1, error);
}

void tile_grid(const struct tile_address *tile, uint32_t size, uint32_t apron,
               struct sample_grid *grid)
{
    int64_t span = tile_span(tile->zoom);
    int64_t step = span / size;
    *grid = (struct sample_grid){
        .x = tile->x * span - WORLD_EDGE + step / 2 - apron * step,
        .y = tile->y * span - WORLD_EDGE + step / 2 - apron * step,
        .step = step,
        .columns = size + 2 * apron,
        .rows = size + 2 * apron,
        .spacing = place_metres(step),
    };
}

void tile_vertex_grid(const struct tile_address *tile, uint32_t size, uint32_t ring,
                      struct sample_grid *grid)
{
    tile_grid(tile, size, ring, grid);
    grid->x -= grid->step / 2;
    grid->y -= grid->step / 2;
    grid->columns++;
    grid->rows++;
}

struct sample_grid tile_square(const struct tile_address *tile)
{
    struct sample_grid pixels;
    tile_grid(tile, 256, 0, &pixels);
    return (struct sample_grid){.x = pixels.x - pixels.step / 2,
                                .y = pixels.y - pixels.step / 2,
                                .step = tile_span(tile->zoom),
                                .columns = 1,
                                .rows = 1};
}

struct tile_address tile_at(int zoom, struct place place)
{
    /* An arithmetic shift divides towards minus infinity. */
    int bits = 25 - zoom + PLACE_BITS;
    return (struct tile_address){zoom, (place.x + WORLD_EDGE) >> bits,
                                 (place.y + WORLD_EDGE) >> bits};
}

double tile_spacing(int zoom)
{
    return place_metres(tile_span(zoom) / 256);
}
