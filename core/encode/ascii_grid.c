/* Writes the text of an ESRI ASCII grid. Every number reads back to the same
 * value. */
#include "core/encode/ascii_grid.h"

#include <string.h>

static void write_line(const char *name, int64_t coordinate, struct buffer *out)
{
    char text[NUMBER_TEXT];
    place_format(coordinate, text);
    buffer_format(out, "%s %s\n", name, text);
}

/* Readers take a grid that begins with whole numbers for a grid of integers, so every whole number
 * gets a decimal point. */
static void write_sample(float sample, struct buffer *out)
{
    char text[NUMBER_TEXT];
    const size_t length = number_format_float(sample, text);
    buffer_append(out, text, length);
    if (!strchr(text, '.') && !strchr(text, 'e'))
        buffer_text(out, ".0");
}

void ascii_grid_write_head(const struct sample_raster *grid, struct buffer *out)
{
    const int64_t south = grid->origin.y + (int64_t)(grid->rows - 1) * grid->step;
    buffer_format(out, "ncols %u\nnrows %u\n", (unsigned)grid->columns, (unsigned)grid->rows);
    write_line("xllcenter", grid->origin.x, out);
    write_line("yllcenter", -south, out);
    write_line("cellsize", grid->step, out);
}

void ascii_grid_write_rows(const float *samples, uint32_t columns, uint32_t rows,
                           struct buffer *out)
{
    for (uint32_t j = 0; j < rows; j++) {
        const float *row = samples + (size_t)j * columns;
        for (uint32_t i = 0; i < columns; i++) {
            if (i > 0)
                buffer_byte(out, ' ');
            write_sample(row[i], out);
        }
        buffer_byte(out, '\n');
    }
}

void ascii_grid_write(const struct sample_raster *grid, struct buffer *out)
{
    ascii_grid_write_head(grid, out);
    ascii_grid_write_rows(grid->samples, grid->columns, grid->rows, out);
}
