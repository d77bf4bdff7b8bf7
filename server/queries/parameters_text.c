/* Texts made from the rows of the table: what a parameter may be, for errors and problems, and the
 * canonical spelling of values, for hashes. */
#include <stdio.h>
#include <string.h>

#include "core/base/number.h"
#include "server/queries/parameters.h"

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

void parameter_allowed(enum parameter_id id, char out[PARAMETER_ALLOWED_TEXT])
{
    const struct parameter *row = &parameter_table[id];
    char low[NUMBER_TEXT], high[NUMBER_TEXT];
    number_format_double(row->low, low);
    number_format_double(row->high, high);
    if (row->kind == PARAMETER_KIND_ABOVE)
        snprintf(out, PARAMETER_ALLOWED_TEXT, "above %s, to %s", low, high);
    else if (is_number(row->kind))
        snprintf(out, PARAMETER_ALLOWED_TEXT, "%s … %s", low, high);
    else if (row->choices)
        join_choices(row->choices, ", ", out, PARAMETER_ALLOWED_TEXT);
    else
        snprintf(out, PARAMETER_ALLOWED_TEXT, "%s",
                 row->kind == PARAMETER_KIND_BOOL   ? "0, 1"
                 : row->kind == PARAMETER_KIND_STEP ? "0.0625, 0.125 … 65536"
                 : row->form                        ? row->form
                                                    : row->text);
}

void parameter_expected(enum parameter_id id, char out[PARAMETER_ALLOWED_TEXT])
{
    const struct parameter *row = &parameter_table[id];
    char low[NUMBER_TEXT], high[NUMBER_TEXT];
    number_format_double(row->low, low);
    number_format_double(row->high, high);
    if (row->kind == PARAMETER_KIND_ABOVE)
        snprintf(out, PARAMETER_ALLOWED_TEXT, "a decimal number above %s and at most %s", low,
                 high);
    else if (is_number(row->kind))
        snprintf(out, PARAMETER_ALLOWED_TEXT, "a %s number from %s to %s",
                 row->kind == PARAMETER_KIND_INTEGER ? "whole" : "decimal", low, high);
    else if (row->choices)
        join_choices(row->choices, " or ", out, PARAMETER_ALLOWED_TEXT);
    else
        snprintf(out, PARAMETER_ALLOWED_TEXT, "%s",
                 row->kind == PARAMETER_KIND_BOOL   ? "1 or 0"
                 : row->kind == PARAMETER_KIND_STEP ? "a power of two from 0.0625 to 65536 metres"
                 : row->form                        ? row->form
                                                    : row->text);
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

void parameters_write(uint64_t set, const struct parameter_values *values, struct buffer *out)
{
    for (uint64_t rest = set; rest; rest &= rest - 1) {
        const struct parameter *row = &parameter_table[__builtin_ctzll(rest)];
        write_value(row->kind, (const char *)values + row->offset, out);
        buffer_append(out, "", 1);
    }
}
