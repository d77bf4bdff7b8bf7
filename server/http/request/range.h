/* Requests for a part of a representation: RFC 9110, section 14. */
#ifndef TERRANE_SERVER_HTTP_REQUEST_RANGE_H
#define TERRANE_SERVER_HTTP_REQUEST_RANGE_H

#include <stdint.h>

struct byte_range {
    uint64_t first, count;
};

enum range_outcome {
    RANGE_WHOLE,  /* everything is to be sent, as if there were no Range header */
    RANGE_PART,   /* the bytes of the range */
    RANGE_BEYOND, /* 416: there is none of these bytes */
};

/* Reads the value of a Range header for a representation of that length. Stores a range, which is
 * cut at the end and not empty, in *range for RANGE_PART alone. A server may ignore any Range; this
 * one ignores those of other units than bytes, those that do not parse, and lists of ranges, whose
 * answer would be a multipart document. */
enum range_outcome range_parse(const char *value, uint64_t length, struct byte_range *range);

#endif
