/* Files of rasters. A file is made of a finished spool of blocks (raster_run.h): the same blocks
 * give the same bytes, however the spool came about. */
#ifndef TERRANE_SERVER_EXPORT_RASTERS_RASTER_FILE_H
#define TERRANE_SERVER_EXPORT_RASTERS_RASTER_FILE_H

#include "core/encode/geotiff.h"
#include "server/export/rasters/raster_run.h"
#include "server/render/names.h"

/* A text that a file carries, in formats that have a place for it. */
struct raster_note {
    const char *name, *value;
};

enum { RASTER_NOTES_MAX = 16 };

struct raster_description {
    const char *title; /* of the layer or style */
    const char *unit;  /* of samples, "" if none */
    enum geotiff_crs crs;
    struct raster_note notes[RASTER_NOTES_MAX];
    unsigned note_count;
    uint64_t classic_max; /* the most bytes of a TIFF that is no BigTIFF: RASTER_CLASSIC_MAX */
};
#define RASTER_CLASSIC_MAX ((uint64_t)UINT32_MAX)

struct raster_file {
    const struct raster_plan *plan;
    struct spool *spool; /* all blocks of the plan */
    const struct raster_description *description;
    struct progress *progress; /* ends the work without an error; null is allowed */
};

/* A file that is being written, open for reading and writing under a temporary name. */
struct raster_output {
    const struct raster_file *file;
    const char *path;
    int descriptor;
    uint64_t length; /* of what raster_output_append() has written */
};

typedef bool raster_writer(struct raster_output *output, struct error *error);
/* ERROR_IO with the number of the reason; false. */
bool raster_output_fail(const struct raster_output *output, int reason, struct error *error);

/* A kind of file. */
struct raster_kind {
    const char *name, *alias; /* the file's extensions; the second may be null */
    bool has_overviews;       /* it is made of tiles */
    bool has_crs;
    bool has_pictures;      /* it holds pixels of styles */
    bool prefers_pictures;  /* where neither a layer nor a style is named */
    bool is_scaled;         /* samples of layers are scaled to 16 bits */
    bool has_wide_pixels;   /* it holds 16 bits a pixel */
    uint32_t side_max;      /* pixels */
    raster_encoder *encode; /* bands as the file has them; null: blocks of TIFF */
    raster_writer *write;
};

/* The kind of a path by its extension, in upper or lower case; null if it is no raster's. */
const struct raster_kind *raster_kind_of(const char *path);
/* ".tif, .asc …": the extensions of all kinds. Returns the text. */
const char *raster_kind_names(char text[FORMAT_NAMES_TEXT]);

/* Makes the file PATH. The spool stays; a file of that name is replaced when the new one is
 * complete. */
bool raster_file_make(const struct raster_kind *kind, const struct raster_file *file,
                      const char *path, struct error *error);

raster_writer raster_tiff_write; /* a cloud-optimised GeoTIFF */

#endif
