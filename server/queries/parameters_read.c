/* Reading parameters by their rows.
 *
 * Each kind has one function that parses a text into the member that the row names; an error text
 * is built from the row (what the parameter must be) and the text that was given. Numbers are
 * strict decimal: no blanks, no hexadecimal digits, no infinity. After the single values come the
 * rules for several parameters together: a place is one pair of coordinates, a search has one aim.
 */
#include <string.h>
#include <strings.h>

#include "core/base/number.h"
#include "core/tile/mercator.h"
#include "server/queries/parameters.h"
#include "server/render/chunk_maker.h"

#define HEIGHT_MAX 1e6 /* metres above the ground, of a point */

/* A text or a part of one, with the row that it is for. */
struct part {
    const struct parameter *parameter;
    const char *text;
    size_t length;
};

typedef bool parser(const struct part *part, void *value, struct error *error);

/* The error of a text that is not what its row says; long texts are cut. */
static bool refuse(const struct part *part, struct error *error)
{
    char expected[PARAMETER_ALLOWED_TEXT];
    parameter_expected((enum parameter_id)(part->parameter - parameter_table), expected);
    return error_set(error, ERROR_VALUE, "must be %s, not \"%.*s\"", expected,
                     part->length < 100 ? (int)part->length : 100, part->text);
}

bool parameter_refuse(enum parameter_id id, const char *text, struct error *error)
{
    const struct part part = {&parameter_table[id], text, strlen(text)};
    refuse(&part, error);
    return error_in_path(error, "%s", part.parameter->name);
}

/* Names are looked up by the query, which knows the world; here every text is taken. */
static bool parse_text(const struct part *part, void *value, struct error *error)
{
    (void)error;
    *(const char **)value = part->text;
    return true;
}

static bool parse_integer(const struct part *part, void *value, struct error *error)
{
    return number_parse_integer(part->text, part->length, (int64_t)part->parameter->low,
                                (int64_t)part->parameter->high, value) ||
           refuse(part, error);
}

/* A number in the row's range; -0 becomes 0. */
static bool parse_number(const struct part *part, void *value, struct error *error)
{
    const struct parameter *row = part->parameter;
    double number;
    if (!number_parse(part->text, part->length, &number) || number < row->low ||
        number > row->high || (row->kind == PARAMETER_KIND_ABOVE && number == row->low))
        return refuse(part, error);
    *(double *)value = number + 0.0;
    return true;
}

static bool parse_fixed(const struct part *part, void *value, struct error *error)
{
    double number = 0;
    if (!parse_number(part, &number, error))
        return false;
    *(int64_t *)value = place_from_metres(number);
    return true;
}

/* A position is parsed from its decimal digits, without a double in between: see place.h. */
static bool parse_coordinate(const struct part *part, void *value, struct error *error)
{
    return place_parse(part->text, part->length, value, error);
}

static bool parse_bool(const struct part *part, void *value, struct error *error)
{
    if (strcmp(part->text, "0") != 0 && strcmp(part->text, "1") != 0)
        return refuse(part, error);
    *(bool *)value = part->text[0] == '1';
    return true;
}

/* The whole word must match, in the letters of the row unless the kind is a keyword. */
static bool parse_choice(const struct part *part, void *value, struct error *error)
{
    const bool any_case = part->parameter->kind == PARAMETER_KIND_KEYWORD;
    unsigned index = 0;
    for (const char *at = part->parameter->choices; *at; index++) {
        const size_t length = strcspn(at, " ");
        if (length == part->length && (any_case ? strncasecmp(at, part->text, length) == 0
                                                : memcmp(at, part->text, length) == 0)) {
            *(unsigned *)value = index;
            return true;
        }
        at += length + (at[length] == ' ');
    }
    return refuse(part, error);
}

static bool parse_step(const struct part *part, void *value, struct error *error)
{
    double metres;
    return (number_parse(part->text, part->length, &metres) &&
            chunk_step_of_metres(metres, value)) ||
           refuse(part, error);
}

/* Splits a text at its commas; false unless it has exactly `count` parts. */
static bool split(const struct part *whole, unsigned count, struct part parts[])
{
    const char *text = whole->text, *end = text + whole->length;
    for (unsigned i = 0; i < count; i++) {
        const char *comma = memchr(text, ',', (size_t)(end - text));
        if ((comma == NULL) != (i + 1 == count))
            return false;
        parts[i] = (struct part){whole->parameter, text, (size_t)((comma ? comma : end) - text)};
        text = comma ? comma + 1 : end;
    }
    return true;
}

/* A place of two parts. */
static bool parse_place(const struct part parts[2], struct place *place, struct error *error)
{
    return parse_coordinate(&parts[0], &place->x, error) &&
           parse_coordinate(&parts[1], &place->y, error);
}

/* x0,y0,x1,y1, not empty on either axis. */
static bool parse_bbox(const struct part *part, void *value, struct error *error)
{
    struct area *area = value;
    struct part parts[4];
    if (!split(part, 4, parts))
        return refuse(part, error);
    if (!parse_place(parts, &area->low, error) || !parse_place(parts + 2, &area->high, error))
        return false;
    return (area->low.x < area->high.x && area->low.y < area->high.y) ||
           error_set(error, ERROR_VALUE,
                     "x0 must be less than x1 and y0 less than y1 (y grows to the south)");
}

/* x,y;x,y[;…]: a line without length has no profile. */
static bool parse_line(const struct part *part, void *value, struct error *error)
{
    _Static_assert(PROFILE_CORNERS_MAX == 64, "the row's form and the message below");
    struct profile_line *line = value;
    line->count = 0;
    for (const char *rest = part->text; rest;) {
        const char *end = strchr(rest, ';');
        const struct part corner = {part->parameter, rest,
                                    end ? (size_t)(end - rest) : strlen(rest)};
        struct part parts[2];
        if (line->count == PROFILE_CORNERS_MAX)
            return error_set(error, ERROR_VALUE, "has more than 64 places");
        if (!split(&corner, 2, parts))
            return refuse(&corner, error);
        if (!parse_place(parts, &line->corners[line->count++], error))
            return false;
        rest = end ? end + 1 : NULL;
    }
    return (line->count >= 2 && profile_length(line) > 0) ||
           error_set(error, ERROR_VALUE,
                     "must be at least two places, x,y;x,y, that are not the same");
}

/* x,y,height: a place, and metres above its ground. */
static bool parse_point(const struct part *part, void *value, struct error *error)
{
    struct sight_end *end = value;
    struct part parts[3];
    if (!split(part, 3, parts))
        return refuse(part, error);
    if (!parse_place(parts, &end->place, error))
        return false;
    return (number_parse(parts[2].text, parts[2].length, &end->above) &&
            end->above >= -HEIGHT_MAX && end->above <= HEIGHT_MAX) ||
           error_set(error, ERROR_VALUE,
                     "the height must be a decimal number from -1000000 to 1000000, not \"%.*s\"",
                     (int)parts[2].length, parts[2].text);
}

/* One for each kind; the header says which type of member it writes. */
static parser *const parsers[] = {
    [PARAMETER_KIND_TEXT] = parse_text,      [PARAMETER_KIND_INTEGER] = parse_integer,
    [PARAMETER_KIND_NUMBER] = parse_number,  [PARAMETER_KIND_ABOVE] = parse_number,
    [PARAMETER_KIND_FIXED] = parse_fixed,    [PARAMETER_KIND_COORDINATE] = parse_coordinate,
    [PARAMETER_KIND_BOOL] = parse_bool,      [PARAMETER_KIND_CHOICE] = parse_choice,
    [PARAMETER_KIND_KEYWORD] = parse_choice, [PARAMETER_KIND_STEP] = parse_step,
    [PARAMETER_KIND_BBOX] = parse_bbox,      [PARAMETER_KIND_LINE] = parse_line,
    [PARAMETER_KIND_POINT] = parse_point,    [PARAMETER_KIND_TILE_SIZE] = parse_text,
};

bool parameter_parse(enum parameter_id id, const char *text, struct parameter_values *values,
                     struct error *error)
{
    const struct part part = {&parameter_table[id], text, strlen(text)};
    return parsers[part.parameter->kind](&part, (char *)values + part.parameter->offset, error) ||
           error_in_path(error, "%s", part.parameter->name);
}

static bool fail(enum parameter_id id, const char *message, struct error *error)
{
    error_set(error, ERROR_VALUE, "%s", message);
    return error_in_path(error, "%s", parameter_table[id].name);
}

/* One pair of coordinates, x and y or lon and lat, must be given, and only one. */
static bool check_place(struct parameter_values *values, struct error *error)
{
    const parameter_set given = values->given;
    const parameter_set metres = PARAMETER_BIT(X) | PARAMETER_BIT(Y);
    const parameter_set degrees = PARAMETER_BIT(LON) | PARAMETER_BIT(LAT);
    if ((given & metres) && (given & degrees))
        return fail(PARAMETER_LON,
                    "a place is x and y in metres, or lon and lat in degrees, not both", error);
    if (!(given & (metres | degrees)))
        return fail(PARAMETER_X,
                    "is missing: a place is x and y in metres, or lon and lat in degrees", error);
    if (!(given & degrees) && (given & metres) != metres)
        return fail(given & PARAMETER_BIT(X) ? PARAMETER_Y : PARAMETER_X, "is missing", error);
    if ((given & degrees) && (given & degrees) != degrees)
        return fail(given & PARAMETER_BIT(LON) ? PARAMETER_LAT : PARAMETER_LON, "is missing",
                    error);
    if (given & degrees)
        values->place = mercator_place(values->longitude, values->latitude);
    return true;
}

/* A search is for a condition, for a biome, for a height, for a feature or for a name. */
static bool check_aim(const struct parameter_values *values, struct error *error)
{
    const parameter_set aims =
        values->given & (PARAMETER_BIT(BIOME) | PARAMETER_BIT(WHERE) | PARAMETER_BIT(MIN_HEIGHT) |
                         PARAMETER_BIT(FEATURE) | PARAMETER_BIT(NAME));
    const parameter_set others = aims & (aims - 1);
    if (aims == 0 && values->given & PARAMETER_BIT(NAME_KIND))
        return fail(PARAMETER_NAME_KIND,
                    "goes with name=, the beginning of names to look for, which is not given",
                    error);
    if (aims == 0)
        return fail(PARAMETER_BIOME,
                    "give either where, biome, min_height, feature or name, not none", error);
    return others == 0 ||
           fail(parameter_first(others),
                "give either where, biome, min_height, feature or name, not several", error);
}

/* In the order of the table, so the first fault in that order is the one that is reported. A
 * default is read as if the client had given it: it can be any text that a client may write. */
bool parameters_read(parameter_set set, const struct parameter_source *source,
                     struct parameter_values *values, struct error *error)
{
    memset(values, 0, sizeof *values);
    values->zoom = -1;
    for (parameter_set rest = set; rest; rest &= rest - 1) {
        const enum parameter_id id = parameter_first(rest);
        const struct parameter *row = &parameter_table[id];
        const char *given = source->text(source->context, row->name);
        const char *text = given ? given : row->fallback;
        if (given)
            values->given |= (parameter_set)1 << id;
        if (!text && row->required)
            return fail(id, "is missing", error);
        if (text && !parameter_parse(id, text, values, error))
            return false;
    }
    return (!(set & PARAMETER_BIT(BIOME)) || check_aim(values, error)) &&
           (!(set & PARAMETER_BIT(LON)) || check_place(values, error));
}

enum parameter_id parameter_find(parameter_set set, const char *name)
{
    for (parameter_set rest = set; rest; rest &= rest - 1) {
        const enum parameter_id id = parameter_first(rest);
        if (strcmp(parameter_table[id].name, name) == 0)
            return id;
    }
    return PARAMETER_COUNT;
}
