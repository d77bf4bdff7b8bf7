/* terrane check --digest: prints the digest of a chunk's samples or compares it with another
 * program's; terrane check --golden: compares the digests of chunks of the built-in worlds with
 * config/golden.json, to find out whether this build computes the right numbers. */

#include <stdio.h>
#include <string.h>

#include "server/cli/command.h"
#include "server/render/chunk_digest.h"
#include "server/settings/settings.h"
#include "server/worlds/embedded_json.h"

/* The memory of sampling. */
struct digest_context {
    struct chunk_maker *maker;
    struct canvas *canvas;
};

static bool open_context(struct digest_context *context, struct error *error)
{
    context->canvas = canvas_new();
    context->maker = context->canvas ? chunk_maker_new(context->canvas) : NULL;
    return context->maker || error_memory(error);
}

static void close_context(struct digest_context *context)
{
    chunk_maker_free(context->maker);
    canvas_free(context->canvas);
}

/* The digest covers all layers in the order in which they are given; one may be all materials. */
static bool add_layer(struct chunk_order *order, const char *name, struct error *error)
{
    const bool materials = strcmp(name, "materials") == 0 && order->material_count == 0 &&
                           world_material_count(order->world) > 0;
    int layer = 0;
    if (!materials && !catalog_layer(order->world, name, &layer, error))
        return false;
    if (chunk_plain_layers(order) + (order->material_count > 0) == CHUNK_LAYERS_MAX)
        return error_set(error, ERROR_LIMIT, "a chunk has at most %d layers", CHUNK_LAYERS_MAX);
    if (materials)
        chunk_order_add_materials(order);
    else
        order->layers[order->layer_count++] = (unsigned)layer;
    return true;
}

static bool check_range(const struct chunk_digest *chunk, struct error *error)
{
    const long long limit = chunk_limit(&chunk->order);
    return chunk_in_range(&chunk->order, &chunk->address) ||
           error_set(error, ERROR_VALUE, "the numbers of such chunks are %lld … %lld", -limit,
                     limit - 1);
}

static bool read_numbers(struct chunk_digest *chunk, const struct options *options,
                         struct error *error)
{
    struct chunk_order *order = &chunk->order;
    if (options_given(options, OPTION_SIZE))
        order->size = (uint32_t)options_whole(options, OPTION_SIZE);
    order->apron = (uint32_t)options_whole(options, OPTION_APRON);
    order->t = place_from_metres(options_number(options, OPTION_TIME));
    if (!chunk_step_of_metres(options_number(options, OPTION_STEP), &order->step))
        return error_set(error, ERROR_VALUE, "--step must be a power of two from 0.0625 to 65536");
    if (!chunk_digest_address(chunk, options_text(options, OPTION_CHUNK)))
        return error_set(error, ERROR_SYNTAX, "--chunk must be two whole numbers CX,CY, not \"%s\"",
                         options_text(options, OPTION_CHUNK));
    return check_range(chunk, error);
}

static bool read_layers(struct chunk_digest *chunk, const struct options *options,
                        struct error *error)
{
    size_t count;
    const char *const *names = options_list(options, OPTION_LAYER, &count);
    for (size_t i = 0; i < count; i++)
        if (!add_layer(&chunk->order, names[i], error))
            return false;
    return count > 0 || add_layer(&chunk->order, "height", error);
}

/* Prints the digest, or "same", or fails with the difference; with --json prints all as JSON. */
static bool print_comparison(const struct chunk_digest *chunk, const struct catalog_world *world,
                             const struct options *options, struct error *error)
{
    const enum chunk_sameness sameness = chunk_digest_compare(chunk);
    struct buffer out = {0};
    if (options_given(options, OPTION_JSON))
        chunk_digest_json(chunk, world, false, &out);
    else if (sameness != CHUNK_DIFFERS)
        buffer_format(&out, "%s\n", sameness == CHUNK_SAME ? "same" : chunk->digest);
    if (command_print(&out) != EXIT_DONE)
        return false;
    return sameness != CHUNK_DIFFERS ||
           error_set(error, ERROR_VALUE,
                     "the ground differs: the digest is %s here, not %s (%s %s)", chunk->digest,
                     chunk->expected, world->identity.name, world_fingerprint(world->world));
}

/* The options that depend on the world are read when it is compiled. */
static bool digest_world(const struct options *options, const struct catalog_world *world,
                         void *digest, struct error *error)
{
    struct chunk_digest *chunk = digest;
    struct digest_context context;
    chunk->order.world = world->world;
    const bool done = open_context(&context, error) && read_numbers(chunk, options, error) &&
                      read_layers(chunk, options, error) &&
                      chunk_digest_make(chunk, context.maker, error) &&
                      print_comparison(chunk, world, options, error);
    close_context(&context);
    return done;
}

enum exit_status command_digest(const struct options *options)
{
    struct chunk_digest chunk;
    chunk_digest_begin(&chunk);
    if (!command_takes(options, 1))
        return EXIT_USAGE;
    if (options->argument_count == 1 && !chunk_digest_expect(&chunk, options->arguments[0]))
        return command_misuse(options, "a digest is 32 hex digits, not \"%s\"",
                              options->arguments[0]);
    return command_with_world(options, digest_world, &chunk);
}

/* Rows of the golden file have the members that --digest --json prints. */
static double number_of(const struct json *row, const char *key)
{
    double number = 0;
    json_number(json_member(row, key), &number);
    return number;
}

static const char *text_of(const struct json *row, const char *key)
{
    const char *text = json_text(json_member(row, key));
    return text ? text : "";
}

/* Parses a row into an order and the expected digest. The file is embedded, but checked all the
 * same, as a build may embed a wrong one. */
static bool read_row(const struct json *row, struct chunk_digest *chunk, struct error *error)
{
    struct chunk_order *order = &chunk->order;
    char address[2 * NUMBER_TEXT];
    const struct json *x = json_first(json_member(row, "chunk"));
    order->size = (uint32_t)number_of(row, "size");
    order->apron = (uint32_t)number_of(row, "apron");
    order->t = place_from_metres(number_of(row, "t"));
    if (!json_text(x) || !json_text(json_next(x)) || order->size < 1 ||
        order->size > CHUNK_SIZE_MAX || order->apron > CHUNK_APRON_MAX)
        return error_set(error, ERROR_VALUE, "a row has no chunk");
    snprintf(address, sizeof address, "%s,%s", json_text(x), json_text(json_next(x)));
    if (!chunk_digest_address(chunk, address) ||
        !chunk_digest_expect(chunk, text_of(row, "digest")) ||
        !chunk_step_of_metres(number_of(row, "step"), &order->step))
        return error_set(error, ERROR_VALUE, "a row has no address, step or digest");
    const struct json *layer = json_first(json_member(row, "layers"));
    for (; layer; layer = json_next(layer))
        if (!add_layer(order, json_text(layer), error))
            return false;
    return check_range(chunk, error);
}

/* A row is compared only if the world has the fingerprint of the row: otherwise the world file has
 * changed, and its digests with it. */
static bool compare_row(struct digest_context *context, const struct json *row,
                        const struct catalog_world *world, struct error *error)
{
    struct chunk_digest chunk;
    chunk_digest_begin(&chunk);
    chunk.order.world = world->world;
    const char *fingerprint = world_fingerprint(world->world);
    if (strcmp(fingerprint, text_of(row, "fingerprint")) != 0)
        return error_set(error, ERROR_VALUE, "the world is %s, and its digests are of %s",
                         fingerprint, text_of(row, "fingerprint"));
    if (!read_row(row, &chunk, error) || !chunk_digest_make(&chunk, context->maker, error))
        return false;
    return chunk_digest_compare(&chunk) == CHUNK_SAME ||
           error_set(error, ERROR_VALUE,
                     "chunk %lld,%lld has the digest %s, not %s: this build computes wrong numbers",
                     (long long)chunk.address.x, (long long)chunk.address.y, chunk.digest,
                     chunk.expected);
}

static bool check_row(struct digest_context *context, struct catalog *catalog,
                      const struct json *row)
{
    struct error error = {0};
    const char *name = text_of(row, "world");
    const struct catalog_world *world = catalog_acquire(catalog, name, NULL, &error);
    const bool done = world && compare_row(context, row, world, &error);
    catalog_release(world);
    if (!done)
        command_complain(name, &error);
    return done;
}

/* The exit status is 0 only if all chunks are right, and there is at least one. */
enum exit_status command_golden(const struct options *options)
{
    struct error error = {0};
    struct digest_context context = {0};
    /* Without the folders of the settings, as their worlds may replace built-in ones. */
    const struct catalog_options wanted = {.limits = settings_catalog(options).limits};
    size_t count = 0, right = 0;
    if (!command_takes(options, 0))
        return EXIT_USAGE;
    struct json_document *golden = embedded_json_open("golden.json", &error);
    struct catalog *catalog = golden ? catalog_load(&wanted, &error) : NULL;
    const bool open = catalog && open_context(&context, &error);
    const struct json *row = open ? json_first(json_root(golden)) : NULL;
    for (; row; row = json_next(row), count++)
        right += check_row(&context, catalog, row);
    close_context(&context);
    catalog_free(catalog);
    json_free(golden);
    if (!open)
        return command_fail(&error);
    struct buffer out = {0};
    buffer_format(&out, "%zu of %zu chunks are what they should be\n", right, count);
    const enum exit_status printed = command_print(&out);
    return count > 0 && right == count ? printed : EXIT_FAILED;
}
