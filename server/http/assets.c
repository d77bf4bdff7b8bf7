#include "server/http/assets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/embed.h"

static const char prefix[] = "viewer/";

/* What the page may load: its own files, and pictures that it draws itself. */
static const char policy[] = "default-src 'none'; script-src 'self'; style-src 'self'; "
                             "img-src 'self' data:; connect-src 'self'; base-uri 'none'; "
                             "form-action 'none'; frame-ancestors 'none'";

static const struct {
    const char *extension;
    const char *type;
} types[] = {
    {".html", "text/html; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".png", "image/png"},
    {".svg", "image/svg+xml"},
};

enum { CODINGS = CODING_ZSTD + 1 };

/* By coding; where one would not pay, there is that of identity. */
struct asset {
    const char *path;
    size_t lengths[CODINGS];
    char etags[CODINGS][ETAG_TEXT];
    struct MHD_Response *responses[CODINGS];
};

struct assets {
    size_t count;
    struct asset items[];
};

static const char *content_type(const char *path)
{
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof types / sizeof *types; i++)
        if (strcmp(dot, types[i].extension) == 0)
            return types[i].type;
    return "application/octet-stream";
}

static bool add_headers(struct MHD_Response *response, const char *etag, enum coding coding)
{
    const char *name = coding_name(coding);
    return response_header(response, "ETag", etag) &&
           response_header(response, "Content-Security-Policy", policy) &&
           response_header(response, "Referrer-Policy", "no-referrer") &&
           response_header(response, "Vary", "Accept, Accept-Encoding") &&
           (!name || response_header(response, "Content-Encoding", name));
}

static struct MHD_Response *asset_response(const char *path, const struct embedded_file *file)
{
    return response_finish(MHD_create_response_from_buffer(
                               file->length, (void *)(uintptr_t)file->data, MHD_RESPMEM_PERSISTENT),
                           content_type(path), CACHE_REVALIDATE);
}

static bool asset_make(struct asset *asset, const struct embedded_file *file)
{
    asset->path = file->path;
    asset->lengths[CODING_IDENTITY] = file->length;
    etag_write(hash_bytes(file->data, file->length, 0), asset->etags[CODING_IDENTITY]);
    asset->responses[CODING_IDENTITY] = asset_response(file->path, file);
    return add_headers(asset->responses[CODING_IDENTITY], asset->etags[CODING_IDENTITY],
                       CODING_IDENTITY);
}

/* A further response, of the file compressed; there is none where that would not pay. */
static bool asset_pack(struct asset *asset, const struct embedded_file *file, enum coding coding,
                       const char *ending)
{
    char path[128];
    snprintf(path, sizeof path, "%s%s", file->path, ending);
    const struct embedded_file *packed = embed_find(path);
    if (!packed)
        return true;
    etag_write_coded(hash_bytes(file->data, file->length, 0), coding, asset->etags[coding]);
    asset->lengths[coding] = packed->length;
    asset->responses[coding] = asset_response(asset->path, packed);
    return add_headers(asset->responses[coding], asset->etags[coding], coding);
}

static bool is_packed(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (strcmp(dot, ".gz") == 0 || strcmp(dot, ".zst") == 0);
}

static bool add_files(struct assets *assets)
{
    for (size_t i = 0; i < embedded_file_count; i++) {
        const struct embedded_file *file = &embedded_files[i];
        if (strncmp(file->path, prefix, strlen(prefix)) != 0 || is_packed(file->path))
            continue;
        struct asset *asset = &assets->items[assets->count++];
        if (!asset_make(asset, file) || !asset_pack(asset, file, CODING_GZIP, ".gz") ||
            !asset_pack(asset, file, CODING_ZSTD, ".zst"))
            return false;
    }
    return true;
}

struct assets *assets_new(void)
{
    struct assets *assets = calloc(1, sizeof *assets + embedded_file_count * sizeof(struct asset));
    if (assets && add_files(assets))
        return assets;
    assets_free(assets);
    return NULL;
}

void assets_free(struct assets *assets)
{
    if (!assets)
        return;
    for (size_t i = 0; i < assets->count; i++)
        for (size_t coding = 0; coding < CODINGS; coding++)
            if (assets->items[i].responses[coding])
                MHD_destroy_response(assets->items[i].responses[coding]);
    free(assets);
}

bool assets_answer(const struct assets *assets, const char *path, struct exchange *exchange)
{
    for (size_t i = 0; i < assets->count; i++) {
        const struct asset *asset = &assets->items[i];
        if (strcmp(asset->path, path) != 0)
            continue;
        enum coding coding = headers_coding(&exchange->headers, CODINGS_ALL);
        if (!asset->responses[coding])
            coding = CODING_IDENTITY;
        const bool known = headers_match(&exchange->headers, asset->etags[coding]);
        response_answer(exchange, known ? MHD_HTTP_NOT_MODIFIED : MHD_HTTP_OK,
                        asset->responses[coding]);
        exchange->response_shared = true;
        exchange->body_length = asset->lengths[coding];
        return true;
    }
    return false;
}
