/* Archives are told apart by their extension, as reading begins differently for each: a table of
 * readers. Metadata of both kinds become one JSON object, so that whoever asks for a name need not
 * know which archive it is. What an export says of itself is checked here, for files come from
 * anywhere: nothing that follows computes with numbers that make no sense. */
#include "server/export/archives/tile_source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/number.h"
#include "server/export/archives/tile_source_private.h"

struct tile_source {
    char *path;
    const struct tile_reader *type;
    void *reader;
    struct json_document *metadata;
    struct buffer vector_layers; /* the text of the array, or empty */
    uint64_t count;
};

static const struct tile_reader *const readers[] = {&pmtiles_reader, &mbtiles_reader, &tar_reader,
                                                    &folder_reader};

static const struct tile_reader *find_reader(const char *path)
{
    const char *dot = strrchr(path, '.');
    const bool is_folder = *path && path[strlen(path) - 1] == '/';
    const char *extension = is_folder ? "/" : dot ? dot + 1 : "";
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        if (strcmp(extension, readers[i]->extension) == 0)
            return readers[i];
    return NULL;
}

void tile_source_write_json(struct json_writer *json, const struct json *value)
{
    const struct json *member;
    double number = 0.0;
    switch (json_type(value)) {
    case JSON_STRING:
        json_write_string(json, json_text(value));
        break;
    case JSON_NUMBER:
        json_number(value, &number);
        json_write_double(json, number);
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        json_write_bool(json, json_type(value) == JSON_TRUE);
        break;
    case JSON_ARRAY:
        json_array_open(json);
        for (member = json_first(value); member; member = json_next(member))
            tile_source_write_json(json, member);
        json_array_close(json);
        break;
    case JSON_OBJECT:
        json_object_open(json);
        for (member = json_first(value); member; member = json_next(member)) {
            json_write_key(json, json_key(member));
            tile_source_write_json(json, member);
        }
        json_object_close(json);
        break;
    case JSON_NULL:
    case JSON_NOTHING:
        json_write_null(json);
    }
}

/* Keeps the text of the array, which the metadata of another archive are to have, too. */
static bool read_vector_layers(struct tile_source *source, struct error *error)
{
    const struct json *value =
        json_member(json_root(source->metadata), tile_archive_names[ARCHIVE_VECTOR_LAYERS]);
    struct json_writer json;
    if (!value)
        return true;
    json_begin(&json, &source->vector_layers, false);
    tile_source_write_json(&json, value);
    buffer_string(&source->vector_layers);
    return !source->vector_layers.failed || error_memory(error);
}

bool tile_source_can_open(const char *path)
{
    const struct tile_reader *reader = find_reader(path);
    return reader && reader->read;
}

/* A pipe would be waited for, and a device may never end. */
static bool check_file(const struct tile_source *source, struct error *error)
{
    struct stat status;
    if (stat(source->path, &status) != 0)
        return error_set(error, ERROR_IO, "cannot be opened: %s", strerror(errno));
    return S_ISREG(status.st_mode) || source->type == &folder_reader ||
           error_set(error, ERROR_VALUE, "is not a regular file");
}

static bool open_source(struct tile_source *source, bool needs_tiles, struct error *error)
{
    struct buffer text = {0};
    const struct json_limits limits = {.bytes = 16 << 20};
    if (!source->type || (needs_tiles && !source->type->read))
        return error_set(error, ERROR_VALUE, "must end in .pmtiles or .mbtiles");
    if (!check_file(source, error))
        return false;
    source->reader = source->type->open(source->path, &text, &source->count, error);
    if (source->reader)
        source->metadata = json_parse((const char *)text.data, text.length, &limits, error);
    buffer_free(&text);
    return source->metadata && read_vector_layers(source, error);
}

static struct tile_source *open_path(const char *path, bool needs_tiles, struct error *error)
{
    struct tile_source *source = calloc(1, sizeof *source);
    if (!source || !(source->path = strdup(path))) {
        free(source);
        return error_memory_null(error);
    }
    source->type = find_reader(path);
    if (open_source(source, needs_tiles, error))
        return source;
    error_in_file(error, path);
    tile_source_close(source);
    return NULL;
}

struct tile_source *tile_source_open(const char *path, struct error *error)
{
    return open_path(path, true, error);
}

struct tile_source *tile_source_open_metadata(const char *path, struct error *error)
{
    return open_path(path, false, error);
}

void tile_source_rest(struct tile_source *source)
{
    source->type->close(source->reader);
    source->reader = NULL;
}

/* Opens the file again; what its metadata say is known. */
static bool wake(struct tile_source *source, struct error *error)
{
    struct buffer ignored = {0};
    if (!source->reader)
        source->reader = source->type->open(source->path, &ignored, &source->count, error);
    buffer_free(&ignored);
    return source->reader != NULL;
}

void tile_source_close(struct tile_source *source)
{
    if (!source)
        return;
    if (source->type)
        source->type->close(source->reader);
    json_free(source->metadata);
    buffer_free(&source->vector_layers);
    free(source->path);
    free(source);
}

const char *tile_source_path(const struct tile_source *source)
{
    return source->path;
}

const char *tile_source_metadata(const struct tile_source *source, const char *name)
{
    return json_text(json_member(json_root(source->metadata), name));
}

uint64_t tile_source_count(const struct tile_source *source)
{
    return source->count;
}

bool tile_source_read(struct tile_source *source, struct tile_address tile, struct buffer *out,
                      struct error *error)
{
    return (wake(source, error) && source->type->read(source->reader, tile, out, error)) ||
           error_in_file(error, source->path);
}

bool tile_source_check(struct tile_source *source,
                       const struct tile_archive_description *description, struct error *error)
{
    uint64_t first, end;
    tile_archive_shard(description, &first, &end);
    if (end - first != source->count)
        error_set(error, ERROR_VALUE, "damaged: has %llu tiles where its metadata name %llu",
                  (unsigned long long)source->count, (unsigned long long)(end - first));
    else if (source->type->check(source->reader, error))
        return true;
    return error_in_file(error, source->path);
}

/* Whole numbers with a mark between them: "1/3". */
static bool parse_numbers(const char *text, char mark, int64_t *numbers, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        const char *end = text ? strchr(text, mark) : NULL;
        const size_t length = end ? (size_t)(end - text) : text ? strlen(text) : 0;
        if (!text || (end != NULL) != (i + 1 < count) ||
            !number_parse_integer(text, length, 0, INT32_MAX, &numbers[i]))
            return false;
        text = end ? end + 1 : NULL;
    }
    return true;
}

static bool parse_box(const char *text, int64_t box[4], struct error *error)
{
    for (unsigned i = 0; i < 4; i++) {
        const size_t length = text ? strcspn(text, ",") : 0;
        if (!text || (text[length] == ',') != (i < 3) || !place_parse(text, length, &box[i], error))
            return false;
        text += length + 1;
    }
    return box[0] < box[2] && box[1] < box[3];
}

static bool read_extent(const struct tile_source *source,
                        struct tile_archive_description *description, struct error *error)
{
    int64_t zooms[2], shard[2], box[4];
    if (!parse_numbers(tile_source_metadata(source, "minzoom"), '/', &zooms[0], 1) ||
        !parse_numbers(tile_source_metadata(source, "maxzoom"), '/', &zooms[1], 1) ||
        !parse_numbers(tile_source_metadata(source, "terrane:shard"), '/', shard, 2) ||
        !parse_box(tile_source_metadata(source, "terrane:bbox"), box, error) ||
        zooms[0] > zooms[1] || zooms[1] > TILE_ZOOM_MAX || shard[0] < 1 || shard[0] > shard[1] ||
        shard[1] > TILE_SHARDS_MAX)
        return error_set(error, ERROR_SYNTAX,
                         "has metadata that make no sense: zooms, terrane:bbox or terrane:shard");
    description->shard = (unsigned)shard[0];
    description->shards = (unsigned)shard[1];
    return tile_range_init(&description->range, box, (const int[]){(int)zooms[0], (int)zooms[1]},
                           true, error);
}

bool tile_source_describe(const struct tile_source *source,
                          struct tile_archive_description *description, struct error *error)
{
    *description = (struct tile_archive_description){0};
    for (int i = 0; i < ARCHIVE_VALUES; i++) {
        const char *value = tile_source_metadata(source, tile_archive_names[i]);
        description->values[i] = value ? value : "";
    }
    description->values[ARCHIVE_VECTOR_LAYERS] =
        source->vector_layers.length > 0 ? (const char *)source->vector_layers.data : "";
    const bool is_ours = description->values[ARCHIVE_BUILD][0] != '\0';
    if (is_ours && read_extent(source, description, error))
        return true;
    if (!is_ours)
        error_set(error, ERROR_VALUE, "was not made by terrane export");
    return error_in_file(error, source->path);
}
