/* What the answers to questions have in common. */
#ifndef TERRANE_SERVER_QUERIES_QUERY_OUTPUT_H
#define TERRANE_SERVER_QUERIES_QUERY_OUTPUT_H

#include "core/base/json_writer.h"
#include "server/queries/query.h"

/* Opens the answer's object and says of which world it is. */
void answer_open(struct json_writer *json, const struct inquiry *inquiry, struct buffer *out);
void answer_close(struct json_writer *json);

/* "x": …, "y": … */
void answer_place(struct json_writer *json, struct place place);
void answer_area(struct json_writer *json, const struct area *area);

/* "name\tvalue\tunit\n" */
void answer_line(struct buffer *out, const char *name, const char *value, const char *unit);
void answer_number_line(struct buffer *out, const char *name, double value, const char *unit);
void answer_place_lines(struct buffer *out, struct place place);
/* A number and the byte behind it. */
void answer_float(struct buffer *out, float value, char behind);
void answer_double(struct buffer *out, double value, char behind);
void answer_coordinate(struct buffer *out, int64_t coordinate, char behind);
/* False with ERROR_MEMORY if the buffer failed. */
bool answer_done(const struct buffer *out, struct error *error);

#endif
