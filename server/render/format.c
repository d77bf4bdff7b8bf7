#include "server/render/format.h"

#include <string.h>

#include "core/encode/mvt.h"
#include "core/encode/png.h"
#include "core/encode/samples.h"
#include "core/encode/terminal.h"
#include "core/encode/webp.h"
#include "server/render/coding.h"

/* Floats lose an eighth by either coding: gzip takes 2.6 ms for it, longer than the sampling and
 * than sending what it saves at 100 Mbit/s, zstd 0.3 ms. */
static const struct format formats[] = {
    {"png", "image/png", FORMAT_PNG, PNG_VERSION, FORMAT_PIXELS, CODINGS_NONE, false, false},
    {"webp", "image/webp", FORMAT_WEBP, WEBP_VERSION, FORMAT_PIXELS, CODINGS_NONE, false, false},
    {"r32f", "application/octet-stream", FORMAT_R32F, SAMPLES_VERSION, FORMAT_PIXELS, CODINGS_ZSTD,
     false, false},
    {"r16", "application/octet-stream", FORMAT_R16, SAMPLES_VERSION, FORMAT_PIXELS, CODINGS_ALL,
     false, false},
    {"json", "application/json", FORMAT_JSON, SAMPLES_VERSION, FORMAT_FEW, CODINGS_ALL, false,
     false},
    {"mvt", "application/vnd.mapbox-vector-tile", FORMAT_MVT, MVT_VERSION, FORMAT_FIXED,
     CODINGS_ALL, false, true},
    {"txt", "text/plain; charset=utf-8", FORMAT_TXT, TERMINAL_VERSION, FORMAT_FIXED, CODINGS_ALL,
     true, false},
    {"ansi", "text/plain; charset=utf-8", FORMAT_ANSI, TERMINAL_VERSION, FORMAT_FIXED, CODINGS_ALL,
     true, false},
};
enum { FORMAT_COUNT = sizeof formats / sizeof *formats };

const struct format *format_find(const char *name, size_t length)
{
    for (size_t i = 0; i < FORMAT_COUNT; i++)
        if (strlen(formats[i].name) == length && memcmp(formats[i].name, name, length) == 0)
            return &formats[i];
    return NULL;
}

const struct format *format_at(size_t index)
{
    return index < FORMAT_COUNT ? &formats[index] : NULL;
}

const char *format_names(void)
{
    return "png, webp, r32f, r16, json, mvt, txt, ansi";
}

bool format_is_deep(const struct format *format)
{
    return format->id != FORMAT_WEBP && format->id != FORMAT_ANSI;
}

const char *format_deep_names(void)
{
    return "png, r32f, r16, json, mvt, txt";
}

uint32_t format_size(const struct format *format)
{
    return format->sizes == FORMAT_FEW ? 64 : 256;
}

bool format_allows_size(const struct format *format, uint32_t size)
{
    if (format->sizes == FORMAT_FEW)
        return size >= 1 && size <= 64 && (size & (size - 1)) == 0;
    return size == 256 || (size == 512 && format->sizes == FORMAT_PIXELS);
}

const char *format_size_names(const struct format *format)
{
    static const char *const names[] = {
        [FORMAT_FIXED] = "256",
        [FORMAT_PIXELS] = "256, 512",
        [FORMAT_FEW] = "1, 2, 4, 8, 16, 32, 64",
    };
    return names[format->sizes];
}
