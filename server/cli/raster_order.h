/* A raster of a rectangle, as `terrane export` and `terrane render` are told to make it: their
 * options, checked before a world is loaded. */
#ifndef TERRANE_SERVER_CLI_RASTER_ORDER_H
#define TERRANE_SERVER_CLI_RASTER_ORDER_H

#include "server/cli/command.h"
#include "server/export/rasters/raster_file.h"

struct raster_order {
    const char *path;
    const struct raster_kind *kind;
    const char *style, *layer; /* one of them at most */
    bool has_range; /* samples are scaled from `low` to `high`, not by the layer's own range */
    double low, high;
    struct sample_grid grid;
    enum geotiff_crs crs;
    uint16_t compression; /* of libtiff */
    unsigned threads;
    bool is_dry, is_resumed;
    bool is_export; /* what is done is kept when the work ends early */
};

/* True if the options of `render` are for a raster, not for a picture or a tile. */
bool raster_order_wanted(const struct options *options);
/* EXIT_USAGE after a message. */
enum exit_status raster_order_read(const struct options *options, struct raster_order *order);

#endif
