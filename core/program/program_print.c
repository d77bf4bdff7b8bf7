/* Prints programs as tables.
 *
 * An operation's expression is the text of its row, in which operands and numbers are filled in. A
 * fused operation has the texts of its halves: the second one's @ is the first one. */
#include "core/program/program_print.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

#include "core/base/number.h"
#include "core/program/operation_row.h"

enum {
    COLUMN_TEXT = 40, /* bytes of a column's text, at most */
    DIGITS = 6,       /* of rounded numbers; from 0.001 to 999999 without an exponent: */
    PLAIN_LEAST = -8,
};

/* A half of a fused operation: its name, and its text (operation_row.h). */
struct half_text {
    const char *name, *text;
};

static const struct half_text firsts[FUSED_FIRSTS] = {
    [FUSED_ADD] = {"add", "$a + $b"},
    [FUSED_ADD_NUMBER] = {"add", "$a + $k"},
    [FUSED_SUBTRACT] = {"subtract", "$a - $b"},
    [FUSED_FROM_NUMBER] = {"subtract", "$k - $a"},
    [FUSED_MULTIPLY] = {"multiply", "$a * $b"},
    [FUSED_SCALE] = {"multiply", "$a * $k"},
    [FUSED_AT_LEAST] = {"maximum", "max($a, $k)"},
    [FUSED_AT_MOST] = {"minimum", "min($a, $k)"},
};

static const struct half_text seconds[FUSED_SECONDS] = {
    [THEN_NOTHING] = {"", "@"},
    [THEN_ADD] = {"+add", "(@) + $c"},
    [THEN_ADD_SCALED] = {"+add", "(@) + $c * $l"},
    [THEN_ADD_NUMBER] = {"+add", "(@) + $l"},
    [THEN_SUBTRACT] = {"+subtract", "(@) - $c"},
    [THEN_SUBTRACT_FROM] = {"+subtract", "$c - (@)"},
    [THEN_FROM_NUMBER] = {"+subtract", "$l - (@)"},
    [THEN_MULTIPLY] = {"+multiply", "(@) * $c"},
    [THEN_SCALE] = {"+multiply", "(@) * $l"},
    [THEN_AT_LEAST] = {"+maximum", "max(@, $l)"},
    [THEN_AT_MOST] = {"+minimum", "min(@, $l)"},
    [THEN_GREATER] = {"+maximum", "max(@, $c)"},
    [THEN_LESSER] = {"+minimum", "min(@, $c)"},
};

/* Formats a number with at most six digits, with an exponent if it is large or small. */
static void format_rounded(double value, char text[COLUMN_TEXT])
{
    double digits = __builtin_fabs(value), scale = 1.0;
    int exponent = 0; /* of the last of six digits */
    char number[NUMBER_TEXT];
    while (digits >= 999999.5) {
        digits /= 10.0;
        exponent++;
    }
    while (digits > 0.0 && digits < 99999.95) {
        digits *= 10.0;
        exponent--;
    }
    const bool plain = exponent >= PLAIN_LEAST && exponent <= 0;
    for (int i = plain ? exponent : 1 - DIGITS; i < 0; i++)
        scale *= 10.0;
    number_format_double(__builtin_floor(digits + 0.5) / scale, number);
    snprintf(text, COLUMN_TEXT, "%s%s", value < 0.0 ? "-" : "", number);
    if (!plain && digits > 0.0)
        snprintf(text + strlen(text), COLUMN_TEXT - strlen(text), "e%d", exponent + DIGITS - 1);
}

static void append_float(struct buffer *out, float value)
{
    char text[NUMBER_TEXT];
    number_format_float(value, text);
    buffer_text(out, text);
}

static void append_double(struct buffer *out, double value)
{
    char text[NUMBER_TEXT];
    number_format_double(value, text);
    buffer_text(out, text);
}

/* ---- the entries of tables */

static void print_noise(struct buffer *out, const struct noise_settings *settings)
{
#define BASIS_NAME(id, name, parameters, summary) [id] = #name,
    static const char *const bases[] = {NOISE_BASIS_ROWS(BASIS_NAME)};
    static const char *const fractals[] = {[NOISE_FBM] = "fbm",
                                           [NOISE_BILLOW] = "billow",
                                           [NOISE_TURBULENCE] = "turbulence",
                                           [NOISE_RIDGED] = "ridged"};
    static const char *const axes[] = {[NOISE_XY] = "",
                                       [NOISE_X] = ", x",
                                       [NOISE_XYZ] = ", xyz",
                                       [NOISE_XYT] = ", xyt",
                                       [NOISE_XYZT] = ", xyzt"};
    const bool single = settings->fractal == NOISE_SINGLE;
    if (settings->result == NOISE_ZERO_DISTANCE)
        buffer_text(out, "metres to a zero of ");
    buffer_format(out, "%s(", single ? bases[settings->basis] : fractals[settings->fractal]);
    append_double(out, settings->wavelength);
    buffer_text(out, " m");
    if (!single)
        buffer_format(out, ", %u octaves of %s", settings->octaves, bases[settings->basis]);
    buffer_format(out, "%s)", axes[settings->axes]);
}

static void print_spline(struct buffer *out, const struct spline *spline)
{
    buffer_text(out, "spline(");
    for (uint32_t i = 0; i < spline->count; i++) {
        buffer_text(out, i > 0 ? ", " : "");
        append_float(out, spline->x[i]);
        buffer_text(out, ":");
        append_float(out, spline->c0[i]);
    }
    buffer_text(out, ")");
}

static void print_centre(struct buffer *out, const struct place *centre)
{
    buffer_text(out, "(");
    append_double(out, place_metres(centre->x));
    buffer_text(out, ", ");
    append_double(out, place_metres(centre->y));
    buffer_text(out, ")");
}

static void print_cycle(struct buffer *out, const struct cycle *cycle)
{
    const bool turned = cycle->form[0] != 0 || cycle->form[1] != 0;
    buffer_text(out, "cycle(");
    append_float(out, cycle->period);
    buffer_format(out, " m along %s)", turned ? "a direction" : cycle->axis == 0 ? "x" : "y");
}

/* Metres from a node, or cell, to the next. */
static void print_node_grid(struct buffer *out, const struct node_grid *grid)
{
    append_double(out, (double)((uint64_t)1 << grid->spacing_log2) * grid->scale);
    buffer_text(out, " m");
}

static void print_polyline(struct buffer *out, const struct polyline *line)
{
    buffer_format(out, "the %s \"%s\"", line->closed ? "area" : "path", line->name);
}

static void print_entry(struct buffer *out, const struct program *program,
                        const struct operation *operation)
{
    const uint32_t i = operation->table_index;
    switch (operation_rows[operation->code].table) {
    case TABLE_NONE:
        break;
    case TABLE_NOISES:
        print_noise(out, &program->noises[i]->settings);
        break;
    case TABLE_SPLINES:
        print_spline(out, &program->splines[i]);
        break;
    case TABLE_CENTRES:
        print_centre(out, &program->centres[i]);
        break;
    case TABLE_CYCLES:
        print_cycle(out, &program->cycles[i]);
        break;
    case TABLE_NODE_GRIDS:
        print_node_grid(out, &program->node_grids[i]);
        break;
    case TABLE_POLYLINE_VIEWS:
        print_polyline(out, program->polyline_views[i].line);
        break;
    }
}

/* ---- expressions */

static void print_operand(struct buffer *out, const struct operation *operation, int operand)
{
    if (operation->operands[operand] >= 0)
        buffer_format(out, "#%d", (int)operation->operands[operand]);
    else
        append_float(out, operation->k[0]);
}

/* The other edge of a smoothstep, of which the operation has the reciprocal of the distance. */
static void append_edge(struct buffer *out, const struct operation *operation)
{
    char text[COLUMN_TEXT];
    format_rounded((double)operation->k[0] + 1.0 / (double)operation->k[1], text);
    buffer_text(out, text);
}

/* Appends what a letter after a $ stands for. */
static void print_part(struct buffer *out, const struct program *program,
                       const struct operation *operation, char part)
{
    if (part >= 'a' && part <= 'c')
        print_operand(out, operation, part - 'a');
    else if (part == 'k' || part == 'l')
        append_float(out, operation->k[part - 'k']);
    else if (part == 'e')
        append_edge(out, operation);
    else if (part == 't')
        print_entry(out, program, operation);
    else if (part == 'o')
        buffer_text(out, program_output_name((enum drainage_output)(int)operation->k[0]));
}

/* Appends a text whose @ is `inner`, which has none. Of "[, moved by $a]", the operand of the
 * first $ decides whether it is left out. */
static void print_text(struct buffer *out, const struct program *program,
                       const struct operation *operation, const char *text, const char *inner)
{
    while (*text) {
        const char c = *text++;
        if (c == '[' && operation->operands[strchr(text, '$')[1] - 'a'] < 0)
            text = strchr(text, ']') + 1;
        else if (c == '$')
            print_part(out, program, operation, *text++);
        else if (c == '@')
            print_text(out, program, operation, inner, "");
        else if (c != '[' && c != ']')
            buffer_append(out, &c, 1);
    }
}

static void print_expression(struct buffer *out, const struct program *program,
                             const struct operation *operation)
{
    if (operation->code == OP_FUSED)
        print_text(out, program, operation, seconds[operation->fused.second].text,
                   firsts[operation->fused.first].text);
    else
        print_text(out, program, operation, operation_rows[operation->code].text, "");
}

const char *program_output_name(enum drainage_output output)
{
#define OUTPUT_NAME(id, name, least, most) [DRAINAGE_##id] = (name),
    static const char *const names[DRAINAGE_OUTPUTS] = {DRAINAGE_OUTPUT_ROWS(OUTPUT_NAME)};
    return names[output];
}

/* ---- the table */

static void format_bound(float bound, char text[COLUMN_TEXT])
{
    if (__builtin_fabsf(bound) == FLT_MAX)
        memcpy(text, "-", sizeof "-");
    else
        format_rounded((double)bound, text);
}

static void format_name(const struct operation *operation, char text[COLUMN_TEXT])
{
    if (operation->code == OP_FUSED)
        snprintf(text, COLUMN_TEXT, "%s%s", firsts[operation->fused.first].name,
                 seconds[operation->fused.second].name);
    else
        snprintf(text, COLUMN_TEXT, "%s", operation_rows[operation->code].name);
}

static void format_octaves(uint32_t octaves, char text[COLUMN_TEXT])
{
    snprintf(text, COLUMN_TEXT, octaves > 0 ? "%u" : "-", (unsigned)octaves);
}

static void format_guard(const struct operation *operation, char text[COLUMN_TEXT])
{
    const int32_t guard = operation->guard == GUARD_B ? operation->b : operation->a;
    snprintf(text, COLUMN_TEXT, operation->guard == GUARD_NONE ? "-" : "#%d", (int)guard);
}

static void print_line(struct buffer *out, const struct program *program, uint32_t number,
                       uint32_t readers)
{
    const struct operation *operation = &program->operations[number];
    char index[COLUMN_TEXT], name[COLUMN_TEXT], low[COLUMN_TEXT], high[COLUMN_TEXT];
    char octaves[COLUMN_TEXT], guard[COLUMN_TEXT];
    snprintf(index, sizeof index, "#%u", (unsigned)number);
    format_name(operation, name);
    format_bound(operation->bounds.low, low);
    format_bound(operation->bounds.high, high);
    format_octaves(program_octaves(program, operation), octaves);
    format_guard(operation, guard);
    buffer_format(out, "%5s  %-17s  %11s  %11s  %7u  %4s  %5s  ", index, name, low, high,
                  (unsigned)readers, octaves, guard);
}

static void print_results(struct buffer *out, const struct program_result *results, uint32_t count,
                          uint32_t number)
{
    for (uint32_t i = 0; i < count; i++)
        if (results[i].value == (int32_t)number)
            buffer_format(out, "%s%s%s = ", results[i].kind, *results[i].kind ? " " : "",
                          results[i].name);
}

/* Counts the operations among those that are marked that read each one. */
static void count_readers(const struct program *program, const bool *needed, uint32_t *readers)
{
    for (uint32_t i = 0; i < program->count; i++)
        for (int k = 0; needed[i] && k < 3; k++)
            if (program->operations[i].operands[k] >= 0)
                readers[program->operations[i].operands[k]]++;
}

void program_print(const struct program *program, const struct program_result *results,
                   uint32_t count, int32_t value, struct buffer *out)
{
    bool needed[PROGRAM_OPERATIONS_MAX] = {false};
    uint32_t readers[PROGRAM_OPERATIONS_MAX] = {0};
    for (uint32_t i = 0; i < count; i++)
        if (results[i].value >= 0 && (value < 0 || value == results[i].value))
            needed[results[i].value] = true;
    program_mark_all(program, needed);
    count_readers(program, needed, readers);
    buffer_format(out, "%5s  %-17s  %11s  %11s  %7s  %4s  %5s  %s\n", "", "operation", "low",
                  "high", "readers", "cost", "guard", "expression");
    for (uint32_t i = 0; i < program->count; i++) {
        if (!needed[i])
            continue;
        print_line(out, program, i, readers[i]);
        print_results(out, results, count, i);
        print_expression(out, program, &program->operations[i]);
        buffer_text(out, "\n");
    }
}
