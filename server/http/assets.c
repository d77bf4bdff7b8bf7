#include "server/http/assets.h"

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

struct asset {
    const char *path;
    size_t length;
    char etag[ETAG_TEXT];
    struct MHD_Response *response;
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

static bool asset_make(struct asset *asset, const struct embedded_file *file)
{
    asset->path = file->path;
    asset->length = file->length;
    etag_write(hash_bytes(file->data, file->length, 0), asset->etag);
    struct MHD_Response *response = MHD_create_response_from_buffer(
        file->length, (void *)(uintptr_t)file->data, MHD_RESPMEM_PERSISTENT);
    asset->response = response_finish(response, content_type(file->path), CACHE_REVALIDATE);
    return response_header(asset->response, "ETag", asset->etag) &&
           response_header(asset->response, "Content-Security-Policy", policy) &&
           response_header(asset->response, "Referrer-Policy", "no-referrer") &&
           response_header(asset->response, "Vary", "Accept");
}

struct assets *assets_new(void)
{
    struct assets *assets = calloc(1, sizeof *assets + embedded_file_count * sizeof(struct asset));
    if (!assets)
        return NULL;
    for (size_t i = 0; i < embedded_file_count; i++) {
        if (strncmp(embedded_files[i].path, prefix, strlen(prefix)) != 0)
            continue;
        if (!asset_make(&assets->items[assets->count++], &embedded_files[i])) {
            assets_free(assets);
            return NULL;
        }
    }
    return assets;
}

void assets_free(struct assets *assets)
{
    if (!assets)
        return;
    for (size_t i = 0; i < assets->count; i++)
        if (assets->items[i].response)
            MHD_destroy_response(assets->items[i].response);
    free(assets);
}

bool assets_answer(const struct assets *assets, const char *path, struct exchange *exchange)
{
    for (size_t i = 0; i < assets->count; i++) {
        const struct asset *asset = &assets->items[i];
        if (strcmp(asset->path, path) != 0)
            continue;
        bool known = headers_match(&exchange->headers, asset->etag);
        response_answer(exchange, known ? MHD_HTTP_NOT_MODIFIED : MHD_HTTP_OK, asset->response);
        exchange->response_shared = true;
        exchange->body_length = asset->length;
        return true;
    }
    return false;
}
