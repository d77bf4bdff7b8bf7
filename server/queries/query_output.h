/* What the answers to querys have in common. */
#ifndef TERRANE_SERVER_QUERIES_QUERY_OUTPUT_H
#define TERRANE_SERVER_QUERIES_QUERY_OUTPUT_H

#include "core/base/json_writer.h"
#include "server/queries/query.h"

/* Opens the answer's object and says of which world it is. */
void query_output_open(struct json_writer *json, const struct query_run *run, struct buffer *out);
void query_output_close(struct json_writer *json);

/* "x": …, "y": … */
void query_output_place(struct json_writer *json, struct place place);
void query_output_area(struct json_writer *json, const struct area *area);

/* "name\tvalue\tunit\n" */
void query_output_line(struct buffer *out, const char *name, const char *value, const char *unit);
void query_output_number_line(struct buffer *out, const char *name, double value, const char *unit);
void query_output_place_lines(struct buffer *out, struct place place);
/* A number and the byte behind it. */
void query_output_float(struct buffer *out, float value, char behind);
void query_output_double(struct buffer *out, double value, char behind);
void query_output_coordinate(struct buffer *out, int64_t coordinate, char behind);
/* False with ERROR_MEMORY if the buffer failed. */
bool query_output_done(const struct buffer *out, struct error *error);

#endif
