/* terrane seeds: the first seeds of a world that have a place of each condition near a place. One
 * line for each seed, as they are found: the seed, and for each condition the place, its height and
 * its distance. The search is that of /locate on a grid of fewer steps. */
#include <string.h>

#include "core/base/json_writer.h"
#include "core/base/number.h"
#include "core/worldfile/world_condition.h"
#include "server/base/in_order.h"
#include "server/base/process.h"
#include "server/base/progress.h"
#include "server/cli/command.h"
#include "server/cli/seed_search.h"
#include "server/queries/query_output.h"

/* Places that are checked at full detail for one condition of a seed. */
enum { CHECKS_MAX = 1000 };

/* The output, with its progress bar. */
struct output {
    const struct seed_search *search;
    struct progress progress;
    bool json;
};

static void write_text(const struct output *output, const struct seed_result *result,
                       struct buffer *out)
{
    buffer_format(out, "%llu", (unsigned long long)result->seed);
    for (unsigned i = 0; i < output->search->condition_count; i++) {
        const struct located_place *place = &result->places[i];
        buffer_byte(out, '\t');
        query_output_coordinate(out, place->place.x, '\t');
        query_output_coordinate(out, place->place.y, '\t');
        query_output_float(out, place->height, '\t');
        char distance[NUMBER_TEXT];
        number_format_double(place->distance, distance);
        buffer_text(out, distance);
    }
    buffer_byte(out, '\n');
}

static void write_json(const struct output *output, const struct seed_result *result,
                       struct buffer *out)
{
    struct json_writer json;
    json_begin_object(&json, out, false);
    query_output_id(&json, "seed", result->seed);
    json_member_array(&json, "places");
    for (unsigned i = 0; i < output->search->condition_count; i++) {
        json_object_open(&json);
        query_output_located(&json, &result->places[i]);
        json_object_close(&json);
    }
    json_array_close(&json);
    json_finish_object(&json);
}

/* An error was printed. */
static bool write_seed(void *context, const struct seed_result *result, struct error *error)
{
    struct output *output = context;
    struct buffer out = {0};
    progress_end(&output->progress);
    (output->json ? write_json : write_text)(output, result, &out);
    (void)error;
    return command_print(&out) == EXIT_DONE;
}

static void show_progress(void *context, uint64_t done, uint64_t total)
{
    struct output *output = context;
    progress_show(&output->progress, done, total);
}

static bool print_header(const struct seed_search *search)
{
    struct buffer out = {0};
    buffer_text(&out, "seed");
    for (unsigned i = 0; i < search->condition_count; i++)
        buffer_text(&out, "\tx\ty\theight\tdistance");
    buffer_byte(&out, '\n');
    return command_print(&out) == EXIT_DONE;
}

/* X,Y in metres. */
static bool read_near(const struct options *options, struct place *place, struct error *error)
{
    const char *text = options_text(options, OPTION_NEAR), *comma = strchr(text, ',');
    if (!comma)
        error_set(error, ERROR_SYNTAX, "must be X,Y in metres, not \"%s\"", text);
    else if (place_parse(text, (size_t)(comma - text), &place->x, error) &&
             place_parse(comma + 1, strlen(comma + 1), &place->y, error))
        return true;
    return error_in_path(error, "--near");
}

static bool read_metres(const struct options *options, enum option_id id, double low,
                        int64_t *value, struct error *error)
{
    const double most = place_metres(LOCATE_RADIUS_MAX);
    if (!options_given(options, id))
        return true;
    const double metres = options_number(options, id);
    *value = place_from_metres(metres);
    if (metres >= low && metres <= most)
        return true;
    error_set(error, ERROR_VALUE, "must be a decimal number from %.0f to %.0f, not \"%s\"", low,
              most, options_text(options, id));
    return error_in_path(error, "--%s", option_table[id].name);
}

static bool read_min_distance(const struct options *options, struct locate_search *search,
                              struct error *error)
{
    return read_metres(options, OPTION_MIN_DISTANCE, 0.0, &search->min_distance, error) &&
           (locate_check_min_distance(search, error) ||
            error_in_path(error, "--%s", option_table[OPTION_MIN_DISTANCE].name));
}

static bool read_conditions(const struct options *options, struct seed_search *search,
                            struct error *error)
{
    size_t count;
    const char *const *texts = options_list(options, OPTION_WHERE, &count);
    for (; search->condition_count < count; search->condition_count++) {
        struct condition **condition = &search->conditions[search->condition_count];
        *condition = world_condition_new(search->world, texts[search->condition_count], error);
        if (!*condition)
            return error_in_path(error, "--where");
    }
    return true;
}

static bool report_missing(const struct seed_search *search, uint64_t found, struct error *error)
{
    return found == search->wanted ||
           error_set(error, ERROR_UNKNOWN,
                     "%llu of %llu seeds found among %llu: try more (--tries), a larger radius or "
                     "weaker conditions",
                     (unsigned long long)found, (unsigned long long)search->wanted,
                     (unsigned long long)search->tries);
}

static bool find_seeds(const struct options *options, const struct catalog_world *world,
                       void *context, struct error *error)
{
    struct output output = {.json = options_given(options, OPTION_JSON)};
    struct seed_search search = {
        .world = world->world,
        .near = {.radius = 10000 * PLACE_METRE,
                 .limit = 1,
                 .steps = (unsigned)options_whole(options, OPTION_STEPS),
                 .octaves_max = UINT64_MAX,
                 .checks_max = CHECKS_MAX},
        .first = (uint64_t)options_whole(options, OPTION_FROM),
        .tries = (uint64_t)options_whole(options, OPTION_TRIES),
        .wanted = (uint64_t)options_whole(options, OPTION_SEEDS),
        .threads =
            process_threads((unsigned)options_whole(options, OPTION_THREADS), IN_ORDER_THREADS_MAX),
        .write = write_seed,
        .progress = show_progress,
        .context = &output,
    };
    uint64_t found = 0;
    (void)context;
    output.search = &search;
    bool done = read_near(options, &search.near.place, error) &&
                read_metres(options, OPTION_RADIUS, 1.0, &search.near.radius, error) &&
                read_min_distance(options, &search.near, error) &&
                read_conditions(options, &search, error) && (output.json || print_header(&search));
    progress_begin(&output.progress);
    done = done && seed_search_run(&search, &found, error);
    progress_end(&output.progress);
    for (unsigned i = 0; i < search.condition_count; i++)
        condition_free(search.conditions[i]);
    return done && report_missing(&search, found, error);
}

enum exit_status command_seeds(const struct options *options)
{
    size_t count;
    options_list(options, OPTION_WHERE, &count);
    if (count == 0)
        return command_misuse(options, "--where CONDITION is needed");
    if (count > SEED_CONDITIONS_MAX)
        return command_misuse(options, "--where may be given %d times at most",
                              SEED_CONDITIONS_MAX);
    return command_with_world(options, find_seeds, NULL);
}
