/* The parts that the outputs of queries have in common. */
#ifndef TERRANE_SERVER_QUERIES_QUERY_OUTPUT_H
#define TERRANE_SERVER_QUERIES_QUERY_OUTPUT_H

#include "core/base/json_writer.h"
#include "core/terrain/trace.h"
#include "server/queries/query.h"

/* "world": …, "seed": …, "fingerprint": … */
void query_output_world(struct json_writer *json, const struct catalog_world *world);
/* Opens the answer's object and says of which world it is. */
void query_output_open(struct json_writer *json, const struct query_run *run, struct buffer *out);

/* "x": …, "y": … */
void query_output_place(struct json_writer *json, struct place place);
/* The same with "height", "distance" and "bearing". */
void query_output_located(struct json_writer *json, const struct located_place *place);
/* "name": "…": a 64-bit number as text, as JSON numbers are exact to 53 bits only. */
void query_output_id(struct json_writer *json, const char *name, uint64_t id);
/* The longitude, latitude and height of a position in GeoJSON (RFC 7946). */
void query_output_degrees(struct json_writer *json, struct place place, float height);
/* The geometry of a feature: a LineString, or null of less than two vertices. */
void query_output_line_string(struct json_writer *json, const struct course_vertex *vertices,
                              size_t count);
/* "end": where a trace ends, or null. */
void query_output_trace_end(struct json_writer *json, const struct trace *trace);
void query_output_area(struct json_writer *json, const struct area *area);
/* The area, and the grid of the samples in it: "bbox": …, "columns": …, "rows": …, "step": …, and
 * their level of detail, "spacing": … */
void query_output_grid(struct json_writer *json, const struct area *area,
                       const struct sample_grid *grid);

/* "name\tvalue\tunit\n" */
void query_output_line(struct buffer *out, const char *name, const char *value, const char *unit);
void query_output_number_line(struct buffer *out, const char *name, double value, const char *unit);
void query_output_float_line(struct buffer *out, const char *name, float value, const char *unit);
void query_output_place_lines(struct buffer *out, struct place place);
/* A number and the byte behind it. */
void query_output_float(struct buffer *out, float value, char behind);
void query_output_double(struct buffer *out, double value, char behind);
void query_output_coordinate(struct buffer *out, int64_t coordinate, char behind);

#endif
