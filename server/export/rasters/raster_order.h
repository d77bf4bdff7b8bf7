/* A raster of a rectangle, as the options tell to make it, checked before a world is loaded. */
#ifndef TERRANE_SERVER_EXPORT_RASTERS_RASTER_ORDER_H
#define TERRANE_SERVER_EXPORT_RASTERS_RASTER_ORDER_H

#include "server/export/job.h"
#include "server/export/rasters/raster_file.h"

struct raster_order {
    const struct raster_kind *kind;
    const char *style, *layer; /* one of them at most */
    bool has_range; /* samples are scaled from `low` to `high`, not by the layer's own range */
    double low, high;
    struct sample_grid grid;
    enum geotiff_crs crs;
    uint16_t compression; /* of libtiff */
};

/* True if the options want a raster: those of `render` may want a tile or a picture as well. */
bool raster_order_wanted(const struct options *options, const char *path);
bool raster_order_read(const struct export_job *job, struct raster_order *order,
                       struct error *error);

#endif
