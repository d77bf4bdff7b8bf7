/* Writes heights as ASCII characters. Every character stands for a cell of samples: land or water,
 * whichever covers more of it. Land has a character by its height, made denser or thinner by the
 * light from the north-west; water has waves by its depth. The range of heights and the typical
 * slope come from the cells themselves, so plains and mountains both use all characters. */
#include "core/encode/terminal_private.h"

#include <math.h>
#include <stdlib.h>

/* The content of a character's cell. */
struct cell {
    float height; /* the mean of its land if most of it is land, else of its water */
    bool land;
};

struct cells {
    struct cell *cells;
    uint32_t columns, lines;
    float width, height; /* of a cell, metres */
    float low, high;     /* of the land */
    float steepness;     /* of its slopes, rise over run */
};

static struct cell measure_cell(const struct terminal_heights *source,
                                const struct terminal_span *across,
                                const struct terminal_span *down)
{
    double sums[2] = {0}, weights[2] = {0};
    for (uint32_t y = down->first; y <= down->last; y++) {
        const float *row = source->heights + (size_t)y * source->columns;
        const double part = terminal_overlap(down, y);
        for (uint32_t x = across->first; x <= across->last; x++) {
            const double weight = part * terminal_overlap(across, x);
            const bool land = !source->sea || row[x] >= 0.0f;
            sums[land] += weight * (double)row[x];
            weights[land] += weight;
        }
    }
    const bool land = weights[1] >= weights[0];
    return (struct cell){(float)(sums[land] / weights[land]), land};
}

static void fill_cells(struct cells *cells, const struct terminal_heights *source)
{
    bool any = false;
    for (uint32_t y = 0; y < cells->lines; y++) {
        const struct terminal_span down = terminal_find_span(y, cells->lines, source->rows);
        for (uint32_t x = 0; x < cells->columns; x++) {
            const struct terminal_span across =
                terminal_find_span(x, cells->columns, source->columns);
            const struct cell cell = measure_cell(source, &across, &down);
            cells->cells[(size_t)y * cells->columns + x] = cell;
            if (!cell.land)
                continue;
            cells->low = any && cells->low < cell.height ? cells->low : cell.height;
            cells->high = any && cells->high > cell.height ? cells->high : cell.height;
            any = true;
        }
    }
}

/* The level of the ground or the water; beyond the border of the text, that of the nearest cell. */
static float level_at(const struct cells *cells, int64_t x, int64_t y)
{
    x = x < 0 ? 0 : x >= cells->columns ? cells->columns - 1 : x;
    y = y < 0 ? 0 : y >= cells->lines ? cells->lines - 1 : y;
    const struct cell *cell = &cells->cells[(size_t)y * cells->columns + (size_t)x];
    return cell->land ? cell->height : 0.0f;
}

/* The rise of the ground towards the south-east, as rise over run: positive where the ground faces
 * the light in the north-west. */
static float find_slope(const struct cells *cells, uint32_t column, uint32_t line)
{
    const int64_t x = column, y = line;
    float east = (level_at(cells, x + 1, y) - level_at(cells, x - 1, y)) / (2.0f * cells->width);
    float south = (level_at(cells, x, y + 1) - level_at(cells, x, y - 1)) / (2.0f * cells->height);
    return (east + south) * 0.70710678f;
}

/* The slope at which light has 0.7 of its full effect: twice the root mean square slope of the
 * land. So plains show their small slopes, and mountains do not become black and white. */
static float typical_steepness(const struct cells *cells)
{
    double sum = 0, count = 0;
    for (uint32_t y = 0; y < cells->lines; y++)
        for (uint32_t x = 0; x < cells->columns; x++) {
            if (!cells->cells[(size_t)y * cells->columns + x].land)
                continue;
            const double slope = (double)find_slope(cells, x, y);
            sum += slope * slope;
            count += 1;
        }
    return count > 0 ? 2.0f * (float)sqrt(sum / count) : 0.0f;
}

static char land_character(const struct cells *cells, uint32_t column, uint32_t line)
{
    static const char ramp[] = ".:-=+*%@^";
    const float steps = (float)(sizeof ramp - 2), light = 1.8f;
    const float range = cells->high - cells->low, steep = cells->steepness;
    const float above = cells->cells[(size_t)line * cells->columns + column].height - cells->low;
    const float slope = find_slope(cells, column, line);
    /* The root gives low land, which covers most of a map, half of the characters. */
    float level = range > 0.0f ? sqrtf(above / range) * steps : 0.0f;
    if (steep > 0.0f)
        level += light * slope / sqrtf(slope * slope + steep * steep);
    level = level > 0.0f ? level : 0.0f;
    level = level < steps ? level : steps;
    return ramp[(size_t)(level + 0.5f)];
}

static char water_character(float height, uint32_t column, uint32_t line)
{
    bool wave = line % 2 == 0 && (column + 2 * line) % 8 == 0;
    if (height > -500.0f)
        wave = (column + line) % 2 == 0;
    if (height > -50.0f)
        wave = true;
    return wave ? '~' : ' ';
}

static void write_cells(const struct cells *cells, struct buffer *out)
{
    for (uint32_t y = 0; y < cells->lines; y++) {
        for (uint32_t x = 0; x < cells->columns; x++) {
            const struct cell *cell = &cells->cells[(size_t)y * cells->columns + x];
            buffer_byte(out, (uint8_t)(cell->land ? land_character(cells, x, y)
                                                  : water_character(cell->height, x, y)));
        }
        buffer_byte(out, '\n');
    }
}

bool terminal_write_heights(const struct terminal_heights *heights, uint32_t columns,
                            struct buffer *out, struct error *error)
{
    struct cells cells = {.columns = columns};
    if (!terminal_count_lines(heights->columns, heights->rows, columns, &cells.lines, error))
        return false;
    cells.width = heights->spacing * (float)heights->columns / (float)columns;
    cells.height = heights->spacing * (float)heights->rows / (float)cells.lines;
    cells.cells = calloc((size_t)columns * cells.lines, sizeof *cells.cells);
    if (!cells.cells)
        return error_memory(error);
    fill_cells(&cells, heights);
    cells.steepness = typical_steepness(&cells);
    size_t before = out->length;
    write_cells(&cells, out);
    free(cells.cells);
    if (!out->failed)
        return true;
    out->length = before;
    return error_memory(error);
}
