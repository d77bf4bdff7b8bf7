/* Files that are built into the binary: config/worlds, config/styles and the web pages. Pages that
 * compress well are also there as "viewer/main.js.gz" and "….zst". server/viewer/embed.sh generates
 * the table at build time. */
#ifndef TERRANE_SERVER_BASE_EMBED_H
#define TERRANE_SERVER_BASE_EMBED_H

#include <stddef.h>
#include <stdint.h>

struct embedded_file {
    const char *path; /* "worlds/terra.json", "styles/relief.json", "viewer/index.html" */
    const uint8_t *data;
    size_t length;
};

extern const struct embedded_file embedded_files[]; /* sorted by path */
extern const size_t embedded_file_count;

/* The file, or null. */
const struct embedded_file *embed_find(const char *path);

#endif
