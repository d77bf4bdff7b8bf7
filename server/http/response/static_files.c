/* Each embedded file below "viewer/" becomes up to three responses at the start of the server, one
 * for each coding: the build has put FILE.gz and FILE.zst beside a file where compressing pays, so
 * nothing is compressed here. The responses point into the binary and are shared by all requests.
 * So it is with the files that are installed beside the program, which are read at the start. */
#include "server/http/response/static_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/base/data_file.h"
#include "server/base/embed.h"

static const char prefix[] = "viewer/";

static const struct {
    const char *extension;
    const char *type;
} content_types[] = {
    {".html", "text/html; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".png", "image/png"},
    {".svg", "image/svg+xml"},
    {".txt", "text/plain; charset=utf-8"},
    {".wasm", "application/wasm"},
};

static const char *const data_files[] = {"terrane.wasm"};
enum { DATA_FILES = sizeof data_files / sizeof *data_files };

static const char *const suffixes[CODINGS] = {
    [CODING_IDENTITY] = "", [CODING_GZIP] = ".gz", [CODING_ZSTD] = ".zst"};

/* Arrays by coding; without a response where the file is not embedded in that coding. */
struct static_file {
    const char *path;
    size_t lengths[CODINGS];
    char etags[CODINGS][ETAG_TEXT];
    struct MHD_Response *responses[CODINGS];
};

struct static_files {
    struct buffer data[DATA_FILES][CODINGS]; /* what was read at the start */
    size_t count;
    struct static_file items[];
};

/* The map page, whose address has a guide for programs that do not accept HTML. */
static const char page_path[] = "viewer/index.html";

static const char *content_type(const char *path)
{
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof content_types / sizeof *content_types; i++)
        if (strcmp(dot, content_types[i].extension) == 0)
            return content_types[i].type;
    return "application/octet-stream";
}

/* Null when memory is out. */
static struct MHD_Response *make_response(const char *path, const struct embedded_file *file,
                                          const char *etag, enum coding coding, const char *policy)
{
    const struct response_bytes bytes = {file->data, file->length, NULL, NULL};
    struct response response = response_from_bytes(&bytes, content_type(path), CACHE_REVALIDATE);
    response_add_header(&response, "ETag", etag);
    response_add_header(&response, "Content-Security-Policy", policy);
    response_add_header(&response, "Referrer-Policy", "no-referrer");
    response_add_header(&response, "Vary",
                        strcmp(path, page_path) == 0 ? "Accept, Accept-Encoding"
                                                     : "Accept-Encoding");
    if (coding_name(coding))
        response_add_header(&response, "Content-Encoding", coding_name(coding));
    return response_finish(&response);
}

/* Makes the response of each coding that there is: `encoded[coding]` has data. */
static bool static_file_init(struct static_file *static_file, const struct embedded_file *encoded,
                             const char *policy)
{
    const struct embedded_file *file = &encoded[CODING_IDENTITY];
    const struct hash128 hash = hash_bytes(file->data, file->length, 0);
    static_file->path = file->path;
    for (enum coding coding = CODING_IDENTITY; coding <= CODING_ZSTD; coding++) {
        if (!encoded[coding].data)
            continue;
        etag_write_with_coding(hash, coding, static_file->etags[coding]);
        static_file->lengths[coding] = encoded[coding].length;
        static_file->responses[coding] =
            make_response(file->path, &encoded[coding], static_file->etags[coding], coding, policy);
        if (!static_file->responses[coding])
            return false;
    }
    return true;
}

static bool add_embedded(struct static_files *static_files, const struct embedded_file *file,
                         const char *policy)
{
    struct embedded_file encoded[CODINGS] = {0};
    for (enum coding coding = CODING_IDENTITY; coding <= CODING_ZSTD; coding++) {
        char path[128];
        snprintf(path, sizeof path, "%s%s", file->path, suffixes[coding]);
        const struct embedded_file *found = embed_find(path);
        if (found)
            encoded[coding] = *found;
    }
    return static_file_init(&static_files->items[static_files->count++], encoded, policy);
}

/* A file that is not there is left out. */
static bool add_data_file(struct static_files *static_files, size_t index, const char *policy)
{
    struct embedded_file encoded[CODINGS] = {0};
    for (enum coding coding = CODING_IDENTITY; coding <= CODING_ZSTD; coding++) {
        struct buffer *data = &static_files->data[index][coding];
        char name[64];
        snprintf(name, sizeof name, "%s%s", data_files[index], suffixes[coding]);
        if (!data_file_read(name, data)) {
            if (data->failed)
                return false;
            continue;
        }
        encoded[coding] = (struct embedded_file){data_files[index], data->data, data->length};
    }
    return !encoded[CODING_IDENTITY].data ||
           static_file_init(&static_files->items[static_files->count++], encoded, policy);
}

static bool is_compressed(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (strcmp(dot, ".gz") == 0 || strcmp(dot, ".zst") == 0);
}

static bool add_files(struct static_files *static_files, const char *policy)
{
    for (size_t i = 0; i < embedded_file_count; i++) {
        const struct embedded_file *file = &embedded_files[i];
        if (strncmp(file->path, prefix, strlen(prefix)) != 0 || is_compressed(file->path))
            continue;
        if (!add_embedded(static_files, file, policy))
            return false;
    }
    for (size_t i = 0; i < DATA_FILES; i++)
        if (!add_data_file(static_files, i, policy))
            return false;
    return true;
}

struct static_files *static_files_new(const char *content_security_policy)
{
    const size_t most = embedded_file_count + DATA_FILES;
    struct static_files *static_files =
        calloc(1, sizeof *static_files + most * sizeof(struct static_file));
    if (static_files && add_files(static_files, content_security_policy))
        return static_files;
    static_files_free(static_files);
    return NULL;
}

void static_files_free(struct static_files *static_files)
{
    if (!static_files)
        return;
    for (size_t i = 0; i < static_files->count; i++)
        for (size_t coding = 0; coding < CODINGS; coding++)
            response_destroy(static_files->items[i].responses[coding]);
    for (size_t i = 0; i < DATA_FILES; i++)
        for (size_t coding = 0; coding < CODINGS; coding++)
            buffer_free(&static_files->data[i][coding]);
    free(static_files);
}

bool static_files_respond(const struct static_files *static_files, const char *path,
                          struct http_request *request)
{
    for (size_t i = 0; i < static_files->count; i++) {
        const struct static_file *static_file = &static_files->items[i];
        if (strcmp(static_file->path, path) != 0)
            continue;
        enum coding coding = headers_select_coding(&request->headers, CODINGS_ALL);
        if (!static_file->responses[coding])
            coding = CODING_IDENTITY;
        response_set_shared(request, static_file->etags[coding], static_file->lengths[coding],
                            static_file->responses[coding]);
        return true;
    }
    return false;
}
