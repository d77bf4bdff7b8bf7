/* Writes Mapbox Vector Tiles. A protocol buffer's message is preceded by its length, so each
 * message is written to a buffer of its own and then appended to the enclosing one: value, tags or
 * commands, feature, layer, tile. All of a layer's features share its keys and values, which two
 * string tables number in the order of their first use; the tables are written after the features.
 *
 * A failed allocation is remembered in the buffer or table and passed on to the enclosing message,
 * so there is one check at the end. */
#include "core/encode/mvt.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"

/* Protocol buffers: a field is a number and a wire type, followed by a value. */
enum wire { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2 };
/* Field numbers of the specification's vector_tile.proto. */
enum { TILE_LAYER = 3 };
enum { LAYER_NAME = 1, LAYER_FEATURE = 2, LAYER_KEY = 3, LAYER_VALUE = 4, LAYER_EXTENT = 5 };
enum { LAYER_VERSION = 15, SPECIFICATION = 2 };
enum { FEATURE_ID = 1, FEATURE_TAGS = 2, FEATURE_KIND = 3, FEATURE_COMMANDS = 4 };
enum { VALUE_TEXT = 1, VALUE_DOUBLE = 3, VALUE_SIGNED = 6, VALUE_BOOL = 7 };
enum command { MOVE_TO = 1, LINE_TO = 2, CLOSE_PATH = 7 };

/* A layer's keys or its encoded values: byte strings, each once, in the order of their first use.
 * An open-addressing hash table finds the index of a string. */
struct string_table {
    struct buffer entries; /* struct string_entry, by index */
    struct buffer bytes;
    uint32_t *slots; /* index + 1, or 0, by hash; a power of two, at most half full */
    size_t slot_count;
    bool failed;
};

struct string_entry {
    size_t first, length; /* in `bytes` */
};

/* The messages that are being written, each until its length is known. */
struct mvt_writer {
    struct string_table keys, values;
    struct buffer layer, feature, part, value;
};

static void put_varint(struct buffer *out, uint64_t value)
{
    while (value >= 0x80) {
        buffer_byte(out, (uint8_t)(value | 0x80));
        value >>= 7;
    }
    buffer_byte(out, (uint8_t)value);
}

static void put_field(struct buffer *out, unsigned number, enum wire wire)
{
    put_varint(out, number << 3 | (unsigned)wire);
}

static void put_number(struct buffer *out, unsigned field, uint64_t value)
{
    put_field(out, field, WIRE_VARINT);
    put_varint(out, value);
}

static void put_bytes(struct buffer *out, unsigned field, const void *bytes, size_t length)
{
    put_field(out, field, WIRE_BYTES);
    put_varint(out, length);
    buffer_append(out, bytes, length);
}

static void put_double(struct buffer *out, unsigned field, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_field(out, field, WIRE_64);
    buffer_little_endian(out, bits, 8);
}

/* Maps 0, −1, 1, −2 … to 0, 1, 2, 3 …, so that small numbers of both signs have short varints. */
static uint64_t zigzag(int64_t value)
{
    return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}

static size_t table_count(const struct string_table *table)
{
    return table->entries.length / sizeof(struct string_entry);
}

static struct string_entry table_entry(const struct string_table *table, size_t index)
{
    struct string_entry entry;
    memcpy(&entry, table->entries.data + index * sizeof entry, sizeof entry);
    return entry;
}

static void table_clear(struct string_table *table)
{
    buffer_clear(&table->entries);
    buffer_clear(&table->bytes);
    if (table->slots)
        memset(table->slots, 0, table->slot_count * sizeof *table->slots);
}

static void table_free(struct string_table *table)
{
    buffer_free(&table->entries);
    buffer_free(&table->bytes);
    free(table->slots);
}

/* The slot that holds the index of the bytes, or the empty slot for it. */
static uint32_t *table_slot(const struct string_table *table, const void *bytes, size_t length)
{
    size_t slot = (size_t)hash_bytes(bytes, length, 0).low & (table->slot_count - 1);
    for (; table->slots[slot]; slot = (slot + 1) & (table->slot_count - 1)) {
        struct string_entry entry = table_entry(table, table->slots[slot] - 1);
        if (entry.length == length && memcmp(table->bytes.data + entry.first, bytes, length) == 0)
            break;
    }
    return &table->slots[slot];
}

static bool table_grow(struct string_table *table)
{
    size_t wanted = table->slot_count ? 2 * table->slot_count : 64;
    uint32_t *slots = calloc(wanted, sizeof *slots);
    if (!slots)
        return false;
    free(table->slots);
    table->slots = slots;
    table->slot_count = wanted;
    for (size_t i = 0; i < table_count(table); i++) {
        struct string_entry entry = table_entry(table, i);
        *table_slot(table, table->bytes.data + entry.first, entry.length) = (uint32_t)i + 1;
    }
    return true;
}

/* The index of the bytes in the table, to which they are added if they are new. Null bytes stand
 * for an allocation that failed. */
static uint32_t table_index(struct string_table *table, const void *bytes, size_t length)
{
    if (table->failed || !bytes ||
        (2 * (table_count(table) + 1) > table->slot_count && !table_grow(table))) {
        table->failed = true;
        return 0;
    }
    uint32_t *slot = table_slot(table, bytes, length);
    if (*slot)
        return *slot - 1;
    const struct string_entry entry = {table->bytes.length, length};
    buffer_append(&table->bytes, bytes, length);
    buffer_append(&table->entries, &entry, sizeof entry);
    table->failed = table->bytes.failed || table->entries.failed;
    if (!table->failed)
        *slot = (uint32_t)table_count(table);
    return table->failed ? 0 : *slot - 1;
}

static void put_value(struct buffer *out, const struct feature_value *value)
{
    switch (value->type) {
    case FEATURE_INTEGER:
        put_number(out, VALUE_SIGNED, zigzag(value->integer));
        break;
    case FEATURE_NUMBER:
        put_double(out, VALUE_DOUBLE, value->number);
        break;
    case FEATURE_BOOLEAN:
        put_number(out, VALUE_BOOL, value->boolean);
        break;
    case FEATURE_TEXT:
        put_bytes(out, VALUE_TEXT, value->text, strlen(value->text));
        break;
    }
}

static void put_tags(struct mvt_writer *writer, const struct features *features,
                     const struct feature *feature)
{
    struct buffer *tags = &writer->part, *value = &writer->value;
    if (feature->property_count == 0)
        return;
    buffer_clear(tags);
    for (size_t i = 0; i < feature->property_count; i++) {
        const struct feature_property *property =
            &features->properties[feature->first_property + i];
        put_varint(tags, table_index(&writer->keys, property->key, strlen(property->key)));
        buffer_clear(value);
        put_value(value, &property->value);
        put_varint(tags,
                   table_index(&writer->values, value->failed ? NULL : value->data, value->length));
    }
    writer->feature.failed |= tags->failed;
    put_bytes(&writer->feature, FEATURE_TAGS, tags->data, tags->length);
}

static void put_command(struct buffer *out, enum command command, size_t count)
{
    put_varint(out, (uint64_t)count << 3 | (unsigned)command);
}

/* A point as the difference from the one before, which becomes this one. */
static void put_delta(struct buffer *out, struct feature_point to, struct feature_point *at)
{
    put_varint(out, zigzag((int64_t)to.x - at->x));
    put_varint(out, zigzag((int64_t)to.y - at->y));
    *at = to;
}

/* Points: one MoveTo with all points of all paths. */
static void put_points(struct buffer *out, const struct features *features,
                       const struct feature *feature)
{
    struct feature_point at = {0, 0};
    put_command(out, MOVE_TO, feature->path_count);
    for (size_t i = 0; i < feature->path_count; i++)
        put_delta(out, features->points[features->paths[feature->first_path + i].first], &at);
}

/* Lines and polygons: for each path MoveTo, LineTo and, for a ring, ClosePath. */
static void put_paths(struct buffer *out, const struct features *features,
                      const struct feature *feature)
{
    struct feature_point at = {0, 0};
    for (size_t i = 0; i < feature->path_count; i++) {
        const struct feature_path *path = &features->paths[feature->first_path + i];
        const struct feature_point *points = features->points + path->first;
        put_command(out, MOVE_TO, 1);
        put_delta(out, points[0], &at);
        put_command(out, LINE_TO, path->count - 1);
        for (size_t k = 1; k < path->count; k++)
            put_delta(out, points[k], &at);
        if (feature->geometry == FEATURE_POLYGONS)
            put_command(out, CLOSE_PATH, 1);
    }
}

static void put_feature(struct mvt_writer *writer, const struct features *features,
                        const struct feature *feature)
{
    static const uint8_t kinds[] = {
        [FEATURE_POINTS] = 1, [FEATURE_LINES] = 2, [FEATURE_POLYGONS] = 3};
    struct buffer *commands = &writer->part;
    if (feature->path_count == 0)
        return;
    buffer_clear(&writer->feature);
    if (feature->has_id)
        put_number(&writer->feature, FEATURE_ID, feature->id);
    put_tags(writer, features, feature);
    put_number(&writer->feature, FEATURE_KIND, kinds[feature->geometry]);
    buffer_clear(commands);
    if (feature->geometry == FEATURE_POINTS)
        put_points(commands, features, feature);
    else
        put_paths(commands, features, feature);
    writer->feature.failed |= commands->failed;
    put_bytes(&writer->feature, FEATURE_COMMANDS, commands->data, commands->length);
    writer->layer.failed |= writer->feature.failed;
    put_bytes(&writer->layer, LAYER_FEATURE, writer->feature.data, writer->feature.length);
}

static void put_string_table(struct buffer *out, unsigned field, const struct string_table *table)
{
    out->failed |= table->failed;
    for (size_t i = 0; i < table_count(table) && !out->failed; i++) {
        struct string_entry entry = table_entry(table, i);
        put_bytes(out, field, table->bytes.data + entry.first, entry.length);
    }
}

static void put_layer(struct mvt_writer *writer, const struct features *features,
                      const struct feature_layer *layer, struct buffer *out)
{
    struct buffer *body = &writer->layer;
    table_clear(&writer->keys);
    table_clear(&writer->values);
    buffer_clear(body);
    put_number(body, LAYER_VERSION, SPECIFICATION);
    put_bytes(body, LAYER_NAME, layer->name, strlen(layer->name));
    size_t empty = body->length;
    for (size_t i = 0; i < layer->count; i++)
        put_feature(writer, features, &features->items[layer->first + i]);
    if (body->length == empty && !body->failed)
        return;
    put_string_table(body, LAYER_KEY, &writer->keys);
    put_string_table(body, LAYER_VALUE, &writer->values);
    put_number(body, LAYER_EXTENT, features->extent);
    out->failed |= body->failed;
    put_bytes(out, TILE_LAYER, body->data, body->length);
}

bool mvt_encode(const struct features *features, struct buffer *out, struct error *error)
{
    struct mvt_writer writer = {0};
    size_t before = out->length;
    for (size_t i = 0; i < features->layer_list.count; i++)
        put_layer(&writer, features, &features->layers[i], out);
    bool done = !out->failed && !features->failed;
    if (!done) {
        out->length = before;
        error_memory(error);
    }
    table_free(&writer.keys);
    table_free(&writer.values);
    buffer_free(&writer.layer);
    buffer_free(&writer.feature);
    buffer_free(&writer.part);
    buffer_free(&writer.value);
    return done;
}
