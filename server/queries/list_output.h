/* The output of queries that list what is in a rectangle: as JSON, as a table, or as GeoJSON. */
#ifndef TERRANE_SERVER_QUERIES_LIST_OUTPUT_H
#define TERRANE_SERVER_QUERIES_LIST_OUTPUT_H

#include "server/queries/query_output.h"

/* A list, and the functions that write its item number i. */
struct query_list {
    const struct query_run *run;
    const void *items; /* for the functions */
    size_t count;
    const char *name;    /* of the array in JSON */
    const char *columns; /* of the table, besides that of the id */
    uint64_t (*id)(const struct query_list *list, size_t i);
    /* The columns behind the id, and the end of the line. */
    void (*write_columns)(const struct query_list *list, size_t i, struct buffer *out);
    /* Members of the object in JSON, which are the properties of the feature in GeoJSON. */
    void (*write_members)(const struct query_list *list, size_t i, struct json_writer *json);
    /* Members of the object in JSON alone, behind the others; may be null. */
    void (*write_line)(const struct query_list *list, size_t i, struct json_writer *json);
    /* The member "geometry" of the feature. */
    void (*write_geometry)(const struct query_list *list, size_t i, struct json_writer *json);
};
/* Writes the list in the form of its run. */
void query_list_write(const struct query_list *list, struct buffer *out);

/* A FeatureCollection (RFC 7946), up to its array of features, and its end. */
void query_output_open_features(struct json_writer *json, const struct query_run *run,
                                struct buffer *out);
void query_output_close_features(struct json_writer *json);

#endif
