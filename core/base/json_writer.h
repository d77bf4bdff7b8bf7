/* Writing JSON into a buffer: compact, or indented by two spaces. Numbers read back to the same
 * float in any locale. Commas and colons are its business; nesting up to 32. */
#ifndef TERRANE_CORE_BASE_JSON_WRITER_H
#define TERRANE_CORE_BASE_JSON_WRITER_H

#include "core/base/buffer.h"
#include "core/base/place.h"

struct json_writer {
    struct buffer *out;
    bool pretty;
    unsigned depth;
    uint32_t filled; /* bit d: the container at depth d has an element */
    bool after_key;
};

void json_begin(struct json_writer *writer, struct buffer *out, bool pretty);
/* Ends the document with a newline. */
void json_finish(struct json_writer *writer);
/* The same for a document that is an object, which they open and close. */
void json_begin_object(struct json_writer *writer, struct buffer *out, bool pretty);
void json_finish_object(struct json_writer *writer);

void json_object_open(struct json_writer *writer);
void json_object_close(struct json_writer *writer);
void json_array_open(struct json_writer *writer);
void json_array_close(struct json_writer *writer);
void json_write_key(struct json_writer *writer, const char *key);

void json_write_string(struct json_writer *writer, const char *text); /* null writes null */
void json_write_float(struct json_writer *writer, float value);
void json_write_double(struct json_writer *writer, double value);
void json_write_integer(struct json_writer *writer, int64_t value);
void json_write_bool(struct json_writer *writer, bool value);
void json_write_null(struct json_writer *writer);
void json_write_place(struct json_writer *writer, int64_t coordinate); /* metres, exact */

/* key and value in one. */
void json_member_string(struct json_writer *writer, const char *key, const char *text);
void json_member_float(struct json_writer *writer, const char *key, float value);
void json_member_double(struct json_writer *writer, const char *key, double value);
void json_member_integer(struct json_writer *writer, const char *key, int64_t value);
void json_member_bool(struct json_writer *writer, const char *key, bool value);
void json_member_place(struct json_writer *writer, const char *key, int64_t coordinate);
void json_member_null(struct json_writer *writer, const char *key);
/* A value that is JSON already, on one line. */
void json_member_raw(struct json_writer *writer, const char *key, const char *json);
/* Open a member that is an object or an array. */
void json_member_object(struct json_writer *writer, const char *key);
void json_member_array(struct json_writer *writer, const char *key);
/* A string put together in a buffer, which is freed; its failure becomes the document's. */
void json_member_buffer(struct json_writer *writer, const char *key, struct buffer *text);

#endif
