/* terrane worlds, styles, formulas: lists, as aligned columns or as a JSON array of objects. Each
 * list gives a function that reads one row; the printing is shared. */
#include <string.h>

#include "core/base/json_writer.h"
#include "core/base/utf8.h"
#include "core/language/functions.h"
#include "server/cli/command.h"

enum { COLUMNS = 3, SIGNATURE = 256, WIDTH_MAX = 40 }; /* a wider text shifts only its own line */

/* One line of a list: its columns, and their names in JSON (null behind the last). */
struct row {
    const char *names[COLUMNS + 1];
    const char *texts[COLUMNS];
    char signature[SIGNATURE]; /* memory for a text that is composed */
};

/* Fills the row of that index; the texts may be borrowed from the list or point into `signature`.
 */
typedef void row_reader(const void *list, size_t index, struct row *row);

static void print_rows_json(const void *list, size_t count, row_reader *read, struct buffer *out)
{
    struct json_writer json;
    json_begin(&json, out, true);
    json_array_open(&json);
    for (size_t i = 0; i < count; i++) {
        struct row row = {0};
        read(list, i, &row);
        json_object_open(&json);
        for (size_t c = 0; row.names[c]; c++)
            json_member_string(&json, row.names[c], row.texts[c]);
        json_object_close(&json);
    }
    json_array_close(&json);
    json_finish(&json);
}

/* Two passes: the first finds the widths of the columns, the second prints. */
static void print_rows_text(const void *list, size_t count, row_reader *read, struct buffer *out)
{
    size_t width[COLUMNS] = {0};
    struct row row = {0};
    for (size_t i = 0; i < count; i++) {
        read(list, i, &row);
        for (size_t c = 0; row.names[c]; c++) {
            size_t length = utf8_count(row.texts[c], strlen(row.texts[c]));
            if (length > width[c] && length <= WIDTH_MAX)
                width[c] = length;
        }
    }
    for (size_t i = 0; i < count; i++) {
        read(list, i, &row);
        for (size_t c = 0; row.names[c]; c++) {
            size_t length = utf8_count(row.texts[c], strlen(row.texts[c]));
            size_t gap = length < width[c] ? width[c] - length + 2 : 2;
            buffer_format(out, "%s%*s", row.texts[c], row.names[c + 1] ? (int)gap : 0, "");
        }
        buffer_byte(out, '\n');
    }
}

static enum exit_status print_rows(const struct options *options, const void *list, size_t count,
                                   row_reader *read)
{
    struct buffer out = {0};
    if (options_given(options, OPTION_JSON))
        print_rows_json(list, count, read, &out);
    else
        print_rows_text(list, count, read, &out);
    return command_print(&out);
}

static void read_world(const void *list, size_t index, struct row *row)
{
    const struct catalog_world *world = catalog_world_at(list, index);
    *row = (struct row){
        {"name", "title", "fingerprint"},
        {world->identity.name, world_title(world->world), world_fingerprint(world->world)},
        ""};
}

static enum exit_status print_catalog(const struct options *options,
                                      size_t (*count)(const struct catalog *), row_reader *read)
{
    struct catalog *catalog = command_catalog(options);
    if (!catalog)
        return EXIT_FAILED;
    enum exit_status status = print_rows(options, catalog, count(catalog), read);
    catalog_free(catalog);
    return status;
}

enum exit_status command_worlds(const struct options *options)
{
    return print_catalog(options, catalog_world_count, read_world);
}

static void read_style(const void *list, size_t index, struct row *row)
{
    const struct style *style = catalog_style_at(list, index);
    *row = (struct row){{"name", "title"}, {style_name(style), style_title(style)}, ""};
}

static void read_painter(const void *list, size_t index, struct row *row)
{
    const struct painter *painter = ((const struct catalog_world *)list)->painters[index];
    *row = (struct row){{"name", "title"}, {painter_name(painter), painter_title(painter)}, ""};
}

static bool print_painters(const struct options *options, const struct catalog_world *world,
                           void *context, struct error *error)
{
    (void)context, (void)error;
    return print_rows(options, world, world->style_count, read_painter) == EXIT_DONE;
}

/* Without --world the shared styles; with it all styles of that world, which are bound to its
 * layers. */
enum exit_status command_styles(const struct options *options)
{
    return options_given(options, OPTION_WORLD)
               ? command_with_world(options, print_painters, NULL)
               : print_catalog(options, catalog_style_count, read_style);
}

static void read_function(const void *list, size_t index, struct row *row)
{
    const struct function *function = (const struct function *)list + index;
    *row = (struct row){{"signature", "summary"}, {row->signature, function->summary}, ""};
    function_signature(function, false, row->signature, sizeof row->signature);
}

static void read_function_briefly(const void *list, size_t index, struct row *row)
{
    read_function(list, index, row);
    function_signature((const struct function *)list + index, true, row->signature,
                       sizeof row->signature);
}

/* Prints the functions: as text with short signatures and the parameters that many functions share;
 * as JSON in full. */
enum exit_status command_formulas(const struct options *options)
{
    if (options_given(options, OPTION_JSON))
        return print_rows(options, functions, function_count, read_function);
    struct buffer out = {0};
    print_rows_text(functions, function_count, read_function_briefly, &out);
    buffer_byte(&out, '\n');
    function_describe_common(&out);
    return command_print(&out);
}
