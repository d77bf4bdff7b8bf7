/* terrane render: one picture, as a tile or as a rectangle of any size. */
#include <string.h>
#include <strings.h>

#include "core/encode/png.h"
#include "core/encode/png_stream.h"
#include "core/tile/address.h"
#include "server/command.h"
#include "server/output.h"
#include "server/progress.h"

/* Pixels painted at once, about: what bounds the memory of a large picture. */
enum { BAND_PIXELS = 1 << 18 };

/* What to paint, with what, and where to. */
struct picture {
    const struct catalog_world *world;
    const struct painter *painter;
    struct canvas *canvas;
    struct sample_grid grid; /* of the whole picture; rows may be many */
    struct output output;
    struct error *error; /* of the output's writes */
};

static bool parse_tile(const char *text, struct tile_address *tile, struct error *error)
{
    int64_t parts[3];
    const char *rest = text;
    for (int i = 0; i < 3; i++) {
        size_t length = i < 2 ? strcspn(rest, "/") : strlen(rest);
        if ((i < 2 && !rest[length]) ||
            !number_parse_integer(rest, length, INT64_MIN, INT64_MAX, &parts[i]))
            return error_set(error, ERROR_SYNTAX, "must be Z/X/Y such as 3/4/2, not \"%s\"", text);
        rest += length + (i < 2);
    }
    if (parts[0] < 0 || parts[0] > TILE_ZOOM_MAX)
        return error_set(error, ERROR_LIMIT, "the zoom must be from 0 to %d, not %.*s",
                         TILE_ZOOM_MAX, (int)strcspn(text, "/"), text);
    *tile = (struct tile_address){(int)parts[0], parts[1], parts[2]};
    return tile_check(tile, error);
}

/* West, north, east, south; the area must not be empty. */
static bool parse_bbox(const char *text, int64_t box[4], struct error *error)
{
    const char *rest = text;
    for (int i = 0; i < 4; i++) {
        size_t length = i < 3 ? strcspn(rest, ",") : strlen(rest);
        if (i < 3 && !rest[length])
            return error_set(error, ERROR_SYNTAX, "must be X0,Y0,X1,Y1 in metres, not \"%s\"",
                             text);
        if (!place_parse(rest, length, &box[i], error))
            return false;
        rest += length + (i < 3);
    }
    if (box[0] >= box[2] || box[1] >= box[3])
        return error_set(error, ERROR_VALUE,
                         "X0 must be less than X1 and Y0 less than Y1 (y grows to the south)");
    return true;
}

/* Square pixels whose side is the nearest whole number of 2⁻¹⁶ m; samples at their centres. */
static bool bbox_grid(const int64_t box[4], int64_t width, struct sample_grid *grid,
                      struct error *error)
{
    int64_t across = box[2] - box[0], down = box[3] - box[1];
    int64_t step = (across + width / 2) / width;
    if (step < 1)
        return error_set(error, ERROR_LIMIT,
                         "a pixel would be smaller than 2^-16 m: use a width "
                         "of less pixels");
    int64_t height = (down + step / 2) / step;
    if (height > INT32_MAX)
        return error_set(error, ERROR_LIMIT,
                         "the picture would be more than 2147483647 pixels "
                         "high");
    *grid = (struct sample_grid){
        .x = box[0] + step / 2,
        .y = box[1] + step / 2,
        .step = step,
        .columns = (uint32_t)width,
        .rows = height < 1 ? 1 : (uint32_t)height,
        .spacing = (double)step / (double)PLACE_METRE,
    };
    return true;
}

static bool write_png(void *context, const uint8_t *bytes, size_t length)
{
    struct picture *picture = context;
    return output_write(&picture->output, bytes, length, picture->error);
}

static bool render_tile(struct picture *picture, struct error *error)
{
    struct image image;
    struct buffer bytes = {0};
    struct png_encoder *encoder = png_encoder_new();
    bool done = encoder || error_memory(error);
    done = done &&
           painter_paint(picture->painter, picture->canvas, &picture->grid, &image, error) &&
           png_encode(encoder, &image, PNG_EXPORT, &bytes, error) &&
           output_write(&picture->output, bytes.data, bytes.length, error);
    if (encoder)
        png_encoder_free(encoder);
    buffer_free(&bytes);
    return done;
}

/* Paints the rows from `first` on; `*band` is them. */
static bool paint_band(struct picture *picture, uint32_t first, struct image *band,
                       struct error *error)
{
    struct sample_grid grid = picture->grid;
    uint32_t most = BAND_PIXELS / grid.columns;
    uint32_t left = grid.rows - first;
    grid.rows = most < 1 ? 1 : most < left ? most : left;
    grid.y += (int64_t)first * grid.step;
    return painter_paint(picture->painter, picture->canvas, &grid, band, error);
}

static bool render_bands(struct picture *picture, struct error *error)
{
    struct image band;
    struct progress progress;
    struct png_stream *stream = NULL;
    uint32_t rows = picture->grid.rows;
    bool done = true;
    progress_begin(&progress);
    for (uint32_t row = 0; row < rows && done; row += band.height) {
        done = paint_band(picture, row, &band, error);
        if (done && !stream) {
            struct image shape = band;
            shape.height = rows;
            stream = png_stream_new(&shape, write_png, picture, error);
        }
        done = done && stream && png_stream_rows(stream, &band, error);
        progress_show(&progress, row, rows);
    }
    done = done && png_stream_end(stream, error);
    png_stream_free(stream);
    progress_end(&progress);
    return done;
}

static bool render(struct picture *picture, const char *path, bool whole, struct error *error)
{
    struct error output_error = {0};
    picture->error = &output_error;
    if (!output_open(&picture->output, path, error))
        return false;
    bool done = whole ? render_tile(picture, error) : render_bands(picture, error);
    if (output_error.code != ERROR_NONE)
        *error = output_error;
    return output_close(&picture->output, done, done ? error : NULL) && done;
}

static bool render_world(const struct options *options, struct catalog *catalog,
                         struct picture *picture, struct error *error)
{
    bool whole = options_given(options, OPTION_TILE);
    const char *path = options_text(options, OPTION_OUTPUT);
    picture->grid.t = place_from_metres(options_number(options, OPTION_TIME));
    picture->world = command_world(catalog, options, error);
    if (picture->world)
        picture->painter =
            catalog_painter(picture->world, options_text(options, OPTION_STYLE), error);
    if (picture->painter && !(picture->canvas = canvas_new()))
        error_memory(error);
    bool done = picture->canvas && render(picture, path, whole, error);
    if (picture->canvas)
        canvas_free(picture->canvas);
    catalog_release(picture->world);
    return done;
}

/* The grid that --tile and --size or --bbox and --width ask for. */
static enum exit_status read_grid(const struct options *options, struct sample_grid *grid)
{
    struct error error = {0};
    struct tile_address tile;
    int64_t box[4], size = options_whole(options, OPTION_SIZE);
    const char *tile_text = options_text(options, OPTION_TILE);
    const char *bbox_text = options_text(options, OPTION_BBOX);
    if (tile_text && !parse_tile(tile_text, &tile, &error)) {
        error_in_path(&error, "--tile");
    } else if (bbox_text && !(parse_bbox(bbox_text, box, &error) &&
                              bbox_grid(box, options_whole(options, OPTION_WIDTH), grid, &error))) {
        error_in_path(&error, "--bbox");
    } else {
        if (tile_text)
            tile_grid(&tile, (uint32_t)size, 0, grid);
        return EXIT_DONE;
    }
    command_fail(&error);
    return EXIT_USAGE;
}

static enum exit_status check_usage(const struct options *options)
{
    bool tile = options_given(options, OPTION_TILE), bbox = options_given(options, OPTION_BBOX);
    const char *path = options_text(options, OPTION_OUTPUT);
    int64_t size = options_whole(options, OPTION_SIZE);
    if (!command_takes(options, 0))
        return EXIT_USAGE;
    if (tile == bbox)
        return command_misuse(options, "give either --tile Z/X/Y or --bbox X0,Y0,X1,Y1");
    if (bbox != options_given(options, OPTION_WIDTH))
        return command_misuse(options, bbox ? "--bbox needs --width" : "--width goes with --bbox");
    if (bbox && options_given(options, OPTION_SIZE))
        return command_misuse(options, "--size goes with --tile; a --bbox has a --width");
    if (size != 256 && size != 512)
        return command_misuse(options, "--size must be 256 or 512");
    if (!path)
        return command_misuse(options, "-o FILE is needed (\"-\" for standard output)");
    const char *dot = strrchr(path, '.');
    if (strcmp(path, "-") != 0 && (!dot || strcasecmp(dot, ".png") != 0))
        return command_misuse(options,
                              "the extension of \"%s\" must be .png: PNG is the format "
                              "there is",
                              path);
    return EXIT_DONE;
}

enum exit_status command_render(const struct options *options)
{
    struct picture picture = {0};
    enum exit_status status = check_usage(options);
    if (status == EXIT_DONE)
        status = read_grid(options, &picture.grid);
    if (status != EXIT_DONE)
        return status;
    struct catalog *catalog = command_catalog(options);
    if (!catalog)
        return EXIT_FAILED;
    struct error error = {0};
    if (!render_world(options, catalog, &picture, &error))
        status = command_fail(&error);
    catalog_free(catalog);
    return status;
}
