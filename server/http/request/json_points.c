/* A reader of [[x,y],[x,y],…] that gives up at anything unexpected. It says nothing about errors:
 * json_body_parse() reads the text again then, so there is one text for each error. */
#define _GNU_SOURCE /* memmem() */
#include "server/http/request/json_points.h"

#include <string.h>

struct cursor {
    const char *at, *end;
};

static void skip_space(struct cursor *cursor)
{
    while (cursor->at < cursor->end && (*cursor->at == ' ' || *cursor->at == '\n' ||
                                        *cursor->at == '\r' || *cursor->at == '\t'))
        cursor->at++;
}

/* Takes the character if it is the next one behind white space. */
static bool take(struct cursor *cursor, char character)
{
    skip_space(cursor);
    if (cursor->at == cursor->end || *cursor->at != character)
        return false;
    cursor->at++;
    return true;
}

static bool take_coordinate(struct cursor *cursor, int64_t *coordinate)
{
    skip_space(cursor);
    const size_t length = number_scan(cursor->at, (size_t)(cursor->end - cursor->at));
    const char *text = cursor->at;
    cursor->at += length;
    return length > 0 && place_parse(text, length, coordinate, NULL);
}

static bool take_point(struct cursor *cursor, struct place *place)
{
    return take(cursor, '[') && take_coordinate(cursor, &place->x) && take(cursor, ',') &&
           take_coordinate(cursor, &place->y) && take(cursor, ']');
}

/* The pairs behind '[', as far as before the ']'. */
static bool take_points(struct cursor *cursor, struct place *places, size_t *count)
{
    const size_t max = *count;
    *count = 0;
    skip_space(cursor);
    if (cursor->at < cursor->end && *cursor->at == ']')
        return true;
    do {
        if (*count == max || !take_point(cursor, &places[*count]))
            return false;
        ++*count;
    } while (take(cursor, ','));
    return cursor->at < cursor->end && *cursor->at == ']';
}

bool json_points_take(const char *text, size_t length, struct place *places, size_t *count,
                      struct buffer *rest)
{
    static const char key[] = "\"points\"";
    struct cursor cursor = {memmem(text, length, key, sizeof key - 1), text + length};
    if (!cursor.at)
        return false;
    cursor.at += sizeof key - 1;
    if (!take(&cursor, ':') || !take(&cursor, '['))
        return false;
    const size_t begin = (size_t)(cursor.at - text);
    if (!take_points(&cursor, places, count))
        return false;
    buffer_append(rest, text, begin);
    buffer_append(rest, cursor.at, (size_t)(cursor.end - cursor.at));
    return true;
}
