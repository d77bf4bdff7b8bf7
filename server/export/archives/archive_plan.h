/* Which tiles an export makes, and as what: its options, checked before a world is loaded. */
#ifndef TERRANE_SERVER_EXPORT_ARCHIVES_ARCHIVE_PLAN_H
#define TERRANE_SERVER_EXPORT_ARCHIVES_ARCHIVE_PLAN_H

#include "server/export/archives/tile_archive.h"
#include "server/export/job.h"
#include "server/render/format.h"
#include "server/render/tile_maker.h"

struct archive_plan {
    const struct tile_archive_kind *kind; /* null for a dry run without a file */
    const struct format *format;
    uint32_t size; /* samples a side */
    enum tile_effort effort;
    const char *effort_name;
    bool labels; /* vector tiles have them */
    struct tile_range range;
    unsigned shard, shards;
    uint64_t first, end; /* tiles of the range that the shard has */
    char size_text[16];
    struct buffer vector_layers; /* of vector tiles, as JSON; or empty */
};

/* Reads the options into the plan of the job. */
bool archive_plan_read(struct export_job *job, struct error *error);

#endif
