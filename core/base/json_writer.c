/* A comma stands before every element but a container's first, so one bit for each depth is all
 * that the writer remembers of what it has written. A key writes the comma, and the value behind it
 * none. Failures are left to the buffer. */
#include "core/base/json_writer.h"

#include <inttypes.h>
#include <string.h>

enum { DEPTH_MAX = 31 }; /* bits of `filled` */

void json_begin(struct json_writer *writer, struct buffer *out, bool pretty)
{
    *writer = (struct json_writer){.out = out, .pretty = pretty};
}

void json_finish(struct json_writer *writer)
{
    buffer_byte(writer->out, '\n');
}

static void line_begin(struct json_writer *writer)
{
    if (!writer->pretty)
        return;
    buffer_byte(writer->out, '\n');
    for (unsigned i = 0; i < writer->depth; i++)
        buffer_append(writer->out, "  ", 2);
}

/* Writes the text in front of an element or a key: a comma unless it is the first, and a new
 * line. */
static void element_begin(struct json_writer *writer)
{
    if (writer->after_key || writer->depth == 0) {
        writer->after_key = false;
        return;
    }
    uint32_t bit = (uint32_t)1 << writer->depth;
    if (writer->filled & bit)
        buffer_byte(writer->out, ',');
    writer->filled |= bit;
    line_begin(writer);
}

static void container_open(struct json_writer *writer, uint8_t bracket)
{
    element_begin(writer);
    buffer_byte(writer->out, bracket);
    if (writer->depth >= DEPTH_MAX) {
        writer->out->failed = true;
        return;
    }
    writer->depth++;
    writer->filled &= ~((uint32_t)1 << writer->depth);
}

static void container_close(struct json_writer *writer, uint8_t bracket)
{
    bool filled = writer->filled & ((uint32_t)1 << writer->depth);
    if (writer->depth > 0)
        writer->depth--;
    if (filled)
        line_begin(writer);
    buffer_byte(writer->out, bracket);
}

void json_object_open(struct json_writer *writer)
{
    container_open(writer, '{');
}

void json_object_close(struct json_writer *writer)
{
    container_close(writer, '}');
}

void json_begin_object(struct json_writer *writer, struct buffer *out, bool pretty)
{
    json_begin(writer, out, pretty);
    json_object_open(writer);
}

void json_finish_object(struct json_writer *writer)
{
    json_object_close(writer);
    json_finish(writer);
}

void json_array_open(struct json_writer *writer)
{
    container_open(writer, '[');
}

void json_array_close(struct json_writer *writer)
{
    container_close(writer, ']');
}

static void string_escaped(struct buffer *out, unsigned char c)
{
    switch (c) {
    case '"':
    case '\\':
        buffer_byte(out, '\\');
        buffer_byte(out, c);
        break;
    case '\n':
        buffer_text(out, "\\n");
        break;
    case '\t':
        buffer_text(out, "\\t");
        break;
    case '\r':
        buffer_text(out, "\\r");
        break;
    default:
        buffer_format(out, "\\u%04x", c);
    }
}

static void string_quoted(struct buffer *out, const char *text)
{
    buffer_byte(out, '"');
    for (const char *rest = text; *rest;) {
        size_t plain = 0;
        while ((unsigned char)rest[plain] >= 0x20 && rest[plain] != '"' && rest[plain] != '\\' &&
               rest[plain] != 0x7f)
            plain++;
        buffer_append(out, rest, plain);
        rest += plain;
        if (*rest)
            string_escaped(out, (unsigned char)*rest++);
    }
    buffer_byte(out, '"');
}

void json_write_key(struct json_writer *writer, const char *key)
{
    element_begin(writer);
    string_quoted(writer->out, key);
    buffer_text(writer->out, writer->pretty ? ": " : ":");
    writer->after_key = true;
}

static void write_raw(struct json_writer *writer, const char *text)
{
    element_begin(writer);
    buffer_text(writer->out, text);
}

void json_write_string(struct json_writer *writer, const char *text)
{
    element_begin(writer);
    if (text)
        string_quoted(writer->out, text);
    else
        buffer_text(writer->out, "null");
}

/* Straight into the buffer: of this there are millions in one document. */
void json_write_float(struct json_writer *writer, float value)
{
    element_begin(writer);
    char *out = (char *)buffer_reserve(writer->out, NUMBER_TEXT);
    if (out)
        writer->out->length += number_format_float(value, out);
}

void json_write_double(struct json_writer *writer, double value)
{
    char text[NUMBER_TEXT];
    number_format_double(value, text);
    write_raw(writer, text);
}

void json_write_integer(struct json_writer *writer, int64_t value)
{
    element_begin(writer);
    buffer_format(writer->out, "%" PRId64, value);
}

void json_write_bool(struct json_writer *writer, bool value)
{
    write_raw(writer, value ? "true" : "false");
}

void json_write_null(struct json_writer *writer)
{
    write_raw(writer, "null");
}

void json_write_place(struct json_writer *writer, int64_t coordinate)
{
    char text[NUMBER_TEXT];
    place_format(coordinate, text);
    write_raw(writer, text);
}

void json_member_string(struct json_writer *writer, const char *key, const char *text)
{
    json_write_key(writer, key);
    json_write_string(writer, text);
}

void json_member_float(struct json_writer *writer, const char *key, float value)
{
    json_write_key(writer, key);
    json_write_float(writer, value);
}

void json_member_double(struct json_writer *writer, const char *key, double value)
{
    json_write_key(writer, key);
    json_write_double(writer, value);
}

void json_member_integer(struct json_writer *writer, const char *key, int64_t value)
{
    json_write_key(writer, key);
    json_write_integer(writer, value);
}

void json_member_bool(struct json_writer *writer, const char *key, bool value)
{
    json_write_key(writer, key);
    json_write_bool(writer, value);
}

void json_member_place(struct json_writer *writer, const char *key, int64_t coordinate)
{
    json_write_key(writer, key);
    json_write_place(writer, coordinate);
}

void json_member_null(struct json_writer *writer, const char *key)
{
    json_write_key(writer, key);
    json_write_null(writer);
}

void json_member_raw(struct json_writer *writer, const char *key, const char *json)
{
    json_write_key(writer, key);
    element_begin(writer);
    buffer_text(writer->out, json);
}

void json_member_object(struct json_writer *writer, const char *key)
{
    json_write_key(writer, key);
    json_object_open(writer);
}

void json_member_array(struct json_writer *writer, const char *key)
{
    json_write_key(writer, key);
    json_array_open(writer);
}

void json_member_buffer(struct json_writer *writer, const char *key, struct buffer *text)
{
    json_member_string(writer, key, buffer_string(text));
    if (text->failed)
        writer->out->failed = true;
    buffer_free(text);
}
