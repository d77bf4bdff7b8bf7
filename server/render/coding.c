/* Compression of responses and files. Both encoders are kept in a coder of one thread, as setting
 * one up costs more than compressing a small tile. The effort chooses the level: a served tile must
 * not wait longer for its compression than the compression saves on the wire. */
#include "server/render/coding.h"

#include <stdlib.h>

#include "core/encode/gzip.h"
#include "core/encode/zstd.h"

struct coder {
    struct gzip_encoder *gzipper;
    struct zstd_encoder *zstd;
};

/* Levels by effort. On samples, level 4 of gzip takes half as much time again as level 1 and saves
 * only 2 … 12 %. */
static const int gzip_levels[] = {
    [CODING_SAMPLES] = 1, [CODING_SERVE] = GZIP_LEVEL_SERVE, [CODING_EXPORT] = GZIP_LEVEL_EXPORT};
static const int zstd_levels[] = {[CODING_SAMPLES] = ZSTD_LEVEL_SERVE,
                                  [CODING_SERVE] = ZSTD_LEVEL_SERVE,
                                  [CODING_EXPORT] = ZSTD_LEVEL_EXPORT};

const char *coding_name(enum coding coding)
{
    static const char *const names[] = {
        [CODING_IDENTITY] = NULL, [CODING_GZIP] = "gzip", [CODING_ZSTD] = "zstd"};
    return names[coding];
}

struct coder *coder_new(void)
{
    struct coder *coder = calloc(1, sizeof *coder);
    if (!coder)
        return NULL;
    coder->gzipper = gzip_encoder_new();
    coder->zstd = zstd_encoder_new();
    if (coder->gzipper && coder->zstd)
        return coder;
    coder_free(coder);
    return NULL;
}

void coder_free(struct coder *coder)
{
    if (!coder)
        return;
    gzip_encoder_free(coder->gzipper);
    zstd_encoder_free(coder->zstd);
    free(coder);
}

bool coder_append(struct coder *coder, struct coding_order order, const struct buffer *bytes,
                  struct buffer *out, struct error *error)
{
    if (order.coding == CODING_GZIP)
        return gzip_compress(coder->gzipper, gzip_levels[order.effort], bytes, out, error);
    return zstd_compress(coder->zstd, zstd_levels[order.effort], bytes, out, error);
}
