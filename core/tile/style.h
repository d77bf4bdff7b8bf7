/* Styles: how samples become colours. A style is a list of paint steps from a JSON object,
 *   { "title": "Relief", "paint": [ {"ramp": {…}}, {"shade": {…}} ] }
 * and is bound to a world before it can paint (a painter). Both are immutable. */
#ifndef TERRANE_TILE_STYLE_H
#define TERRANE_TILE_STYLE_H

#include "core/base/json_writer.h"
#include "core/price/sampling.h"
#include "core/sampling/sampler.h"
#include "core/tile/image.h"
#include "core/worldfile/world.h"

enum {
    STYLE_FINGERPRINT_TEXT = 20, /* "s1-" + 16 hex digits + zero */
    STYLE_STEPS_MAX = 16,
};

/* The keys of a style's object. */
enum { STYLE_KEYS = 4 };
extern const char *const style_keys[STYLE_KEYS];

struct style;
struct painter;

/* A style from a JSON value (a world's own styles) or from a file's text. `path` is the value's
 * JSON path for messages. Null with an error on failure. */
struct style *style_read(const char *name, const struct json *value, const char *path,
                         struct error *error);
struct style *style_parse(const char *name, const char *text, size_t length, const char *file,
                          struct error *error);
/* The same with all errors, in diagnostics of the text that the value is from, or of a style file.
 */
struct style *style_read_all(const char *name, const struct json *value, const char *path,
                             struct diagnostics *diagnostics);
struct style *style_diagnose(const char *name, struct diagnostics *diagnostics);
void style_free(struct style *style);
const char *style_name(const struct style *style);
const char *style_title(const struct style *style);

/* True if the world has all layers, biomes and objects that the style needs: then painter_new()
 * does not fail with ERROR_UNKNOWN. */
bool style_fits(const struct style *style, const struct world *world);

/* Checks that the layers which a style names are among those of a world file, as far as can be seen
 * without compiling it: for files with other errors. False with ERROR_UNKNOWN. */
bool style_check_layers(const struct style *style, const struct json *world, struct error *error);

/* Binds a style to a world: finds its layers, resolves colours. Keeps a reference to the world and
 * copies what it needs of the style. Null with ERROR_UNKNOWN if the world lacks a layer or has no
 * biomes where the style needs them. */
struct painter *painter_new(const struct style *style, struct world *world, struct error *error);
/* Any layer as grey, scaled by its range; "biome" in its colours. */
struct painter *painter_of_layer(struct world *world, unsigned layer, struct error *error);
/* The painter for `world`, which was reseeded from the world of `painter`. Borrows the steps of
 * `painter`, which must live longer. Null when memory is out. */
struct painter *painter_reseed(const struct painter *painter, struct world *world);
void painter_free(struct painter *painter); /* null is allowed */
/* Bytes of memory that the painter has allocated. */
size_t painter_memory(const struct painter *painter);

const char *painter_name(const struct painter *painter);
const char *painter_title(const struct painter *painter);
/* "s1-" and a hash of everything that can change a pixel, except the world's samples: the
 * version of painting, steps, stops, colours of biomes, ranges. Together with the world's
 * fingerprint it names a picture. */
const char *painter_fingerprint(const struct painter *painter);
/* "terrarium" or "mapbox" for DEM styles, else null: TileJSON's `encoding`. */
const char *painter_encoding(const struct painter *painter);
/* True if its pictures are IMAGE_GREY16, which only some formats can hold. */
bool painter_is_16bit(const struct painter *painter);
/* True if its pictures are colours for the eye, not numbers or greys. WebP makes those smaller than
 * PNG does, and the others larger. */
bool painter_is_picture(const struct painter *painter);
/* The layer whose samples represent the picture in formats of numbers: the one that it shows as
 * data or as grey, else the height. */
unsigned painter_layer(const struct painter *painter);
/* True if it shows the surface of water where that is higher than the layer; `*water` is the layer
 * of the surface, or -1 where the world has none, and water stands at 0 m. */
bool painter_covers_water(const struct painter *painter, int *water);
/* True if pictures depend on t. */
bool painter_uses_time(const struct painter *painter);

/* Writes the member "legend", an array: what each step paints, with its colours, the unit of its
 * values and where it shows. */
void painter_write_legend(const struct painter *painter, struct json_writer *json);

/* The price of sampling and painting at so many metres a pixel, for each block and each pixel: the
 * layers' (core/price/sampling.h), the objects' densities' and that of colouring. `where` may be
 * null. */
struct sampling_price painter_price(const struct painter *painter, double spacing,
                                    const struct sampling_where *where);

/* The memory one thread paints in: a sampler and pixels, reused. */
struct canvas;
struct canvas *canvas_new(void); /* null when memory is out */
void canvas_free(struct canvas *canvas);
struct sampler *canvas_sampler(struct canvas *canvas);

/* Paints the grid (without apron: the painter takes the neighbours it needs itself). The image's
 * pixels belong to the canvas until its next use. Rows of a larger grid painted in bands are the
 * same pixels. */
bool painter_paint(const struct painter *painter, struct canvas *canvas,
                   const struct sample_grid *grid, struct image *image, struct error *error);

/* The image that painter_paint() would give, without pixels. */
void painter_shape(const struct painter *painter, const struct sample_grid *grid,
                   struct image *image);
/* Some rows of a picture. */
struct picture_rows {
    const struct sample_grid *grid; /* of the whole picture, without apron */
    const struct image *image;      /* of painter_shape(), with pixels of the caller's */
    uint32_t first, count;
};
/* Paints the rows into their places in the image: the same pixels as painter_paint(). Several
 * threads, each with a canvas of its own, may paint different rows of one picture at once; each
 * range of rows costs the samples of its apron again, at most two rows. */
bool painter_paint_rows(const struct painter *painter, struct canvas *canvas,
                        const struct picture_rows *part, struct error *error);

#endif
