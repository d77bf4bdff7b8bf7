/* The table of parameters, and the texts made from its rows: what a parameter may be, for errors
 * and problems, and the canonical spelling of values, for hashes. */
#include "server/queries/parameters.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "core/base/number.h"
#include "core/encode/terminal.h"
#include "core/labels/label.h"
#include "core/terrain/landmark.h"
#include "core/tile/address.h"
#include "core/tile/mercator.h"
#include "server/queries/query.h"
#include "server/render/chunk_maker.h"
#include "server/render/tile_maker.h"

#define COORDINATE_MAX 0x1p40 /* metres or seconds: the bound of every position and time */
#define WORLD_FORM "NAME, or NAME~SEED for another seed; either with @FINGERPRINT behind it"
#define STYLE_TEXT "a style of the world, or the name of a layer; @FINGERPRINT behind it pins it"
#define METRES_OR_DEGREES "; x and y, or lon and lat, must be given"

/* "any sea strait …", and a space. */
static const char name_kinds[] = "any "
#define NAME_KIND(id, text, reach_km, pattern) text " "
#include "core/names/kinds.def"
#undef NAME_KIND
    ;

const struct parameter parameter_table[PARAMETER_COUNT] = {
#define PARAMETER(id, name_, kind_, member, ...)                                                   \
    {.name = name_,                                                                                \
     .kind = PARAMETER_KIND_##kind_,                                                               \
     .offset = offsetof(struct parameter_values, member),                                          \
     __VA_ARGS__},
#include "server/queries/parameters.def"
#undef PARAMETER
};

static bool is_number(enum parameter_kind kind)
{
    return kind == PARAMETER_KIND_INTEGER || kind == PARAMETER_KIND_NUMBER ||
           kind == PARAMETER_KIND_ABOVE || kind == PARAMETER_KIND_FIXED ||
           kind == PARAMETER_KIND_COORDINATE;
}

/* Joins the choices, which are separated by spaces, with `separator`. */
static void join_choices(const char *choices, const char *separator, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    while (*choices && used < size) {
        const size_t length = strcspn(choices, " ");
        used += (size_t)snprintf(out + used, size - used, "%s%.*s", used ? separator : "",
                                 (int)length, choices);
        choices += length + (choices[length] == ' ');
    }
}

/* Writes the values that a parameter may have: as the end of a sentence, or in short. */
static void describe(const struct parameter *row, bool in_sentence,
                     char out[PARAMETER_ALLOWED_TEXT])
{
    const bool above = row->kind == PARAMETER_KIND_ABOVE;
    const char *text = row->form ? row->form : row->text;
    char low[NUMBER_TEXT], high[NUMBER_TEXT];
    number_format_double(row->low, low);
    number_format_double(row->high, high);
    if (row->kind == PARAMETER_KIND_BOOL)
        text = in_sentence ? "1 or 0" : "0, 1";
    if (row->kind == PARAMETER_KIND_STEP)
        text = in_sentence ? "a power of two from 0.0625 to 65536 metres" : "0.0625, 0.125 … 65536";
    if (row->choices)
        join_choices(row->choices, in_sentence ? " or " : ", ", out, PARAMETER_ALLOWED_TEXT);
    else if (!is_number(row->kind))
        snprintf(out, PARAMETER_ALLOWED_TEXT, "%s", text);
    else if (in_sentence)
        snprintf(out, PARAMETER_ALLOWED_TEXT, "a %s number %s %s %s %s",
                 row->kind == PARAMETER_KIND_INTEGER ? "whole" : "decimal",
                 above ? "above" : "from", low, above ? "and at most" : "to", high);
    else
        snprintf(out, PARAMETER_ALLOWED_TEXT, above ? "above %s, to %s" : "%s … %s", low, high);
}

void parameter_allowed(enum parameter_id id, char out[PARAMETER_ALLOWED_TEXT])
{
    describe(&parameter_table[id], false, out);
}

void parameter_expected(enum parameter_id id, char out[PARAMETER_ALLOWED_TEXT])
{
    describe(&parameter_table[id], true, out);
}

void parameter_choice(enum parameter_id id, unsigned index, char out[PARAMETER_ALLOWED_TEXT])
{
    const char *word = parameter_table[id].choices;
    while (index-- > 0)
        word += strcspn(word, " ") + 1;
    snprintf(out, PARAMETER_ALLOWED_TEXT, "%.*s", (int)strcspn(word, " "), word);
}

static void write_place(struct buffer *out, struct place place)
{
    buffer_format(out, "%lld,%lld,", (long long)place.x, (long long)place.y);
}

/* Texts as they are, integers in decimal, doubles in hexadecimal, which is exact. */
static void write_value(enum parameter_kind kind, const void *value, struct buffer *out)
{
    const struct profile_line *line = value;
    const struct sight_end *end = value;
    switch (kind) {
    case PARAMETER_KIND_TEXT:
    case PARAMETER_KIND_TILE_SIZE:
        buffer_text(out, *(const char *const *)value ? *(const char *const *)value : "");
        break;
    case PARAMETER_KIND_INTEGER:
    case PARAMETER_KIND_FIXED:
    case PARAMETER_KIND_COORDINATE:
    case PARAMETER_KIND_STEP:
        buffer_format(out, "%lld", (long long)*(const int64_t *)value);
        break;
    case PARAMETER_KIND_NUMBER:
    case PARAMETER_KIND_ABOVE:
        buffer_format(out, "%a", *(const double *)value);
        break;
    case PARAMETER_KIND_BOOL:
        buffer_format(out, "%d", *(const bool *)value);
        break;
    case PARAMETER_KIND_CHOICE:
    case PARAMETER_KIND_KEYWORD:
        buffer_format(out, "%u", *(const unsigned *)value);
        break;
    case PARAMETER_KIND_BBOX:
        write_place(out, ((const struct area *)value)->low);
        write_place(out, ((const struct area *)value)->high);
        break;
    case PARAMETER_KIND_LINE:
        for (unsigned i = 0; i < line->count; i++)
            write_place(out, line->corners[i]);
        break;
    case PARAMETER_KIND_POINT:
        write_place(out, end->place);
        buffer_format(out, "%a", end->above);
        break;
    }
}

void parameters_write(parameter_set set, const struct parameter_values *values, struct buffer *out)
{
    for (parameter_set rest = set; rest; rest &= rest - 1) {
        const struct parameter *row = &parameter_table[parameter_first(rest)];
        write_value(row->kind, (const char *)values + row->offset, out);
        buffer_append(out, "", 1);
    }
}
