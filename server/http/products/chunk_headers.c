/* The headers are kept as text in a buffer, and not as a response of the library, since they belong
 * to the product: they are made on the render thread together with the bytes, and each of the
 * responses with these bytes gets them. */
#include "server/http/products/chunk_headers.h"

#include <stdio.h>
#include <string.h>

static void add(struct buffer *out, const char *name, const char *value)
{
    buffer_append(out, name, strlen(name) + 1);
    buffer_append(out, value, strlen(value) + 1);
}

static void add_grid(const struct chunk_order *order, struct buffer *out)
{
    const unsigned side = chunk_side(order);
    char grid[48], step[NUMBER_TEXT];
    if (order->shape == CHUNK_VOLUME)
        snprintf(grid, sizeof grid, "%ux%ux%u", side, side, side);
    else
        snprintf(grid, sizeof grid, "%ux%u", side, side);
    place_format(order->step, step);
    add(out, "X-Terrane-Grid", grid);
    add(out, "X-Terrane-Step", step);
}

static void add_layers(const struct chunk_order *order, struct buffer *out)
{
    buffer_append(out, "X-Terrane-Layers", sizeof "X-Terrane-Layers");
    for (unsigned i = 0; i < order->layer_count; i++)
        buffer_format(out, "%s%s", i ? "," : "", world_layer(order->world, order->layers[i])->name);
    buffer_byte(out, '\0');
    if (order->material_count > 0)
        add(out, "X-Terrane-Materials", world_materials_fingerprint(order->world));
}

/* How a layer's range was scaled into bytes. */
static void write_scale(const struct world_layer *layer, struct buffer *out)
{
    char low[NUMBER_TEXT], width[NUMBER_TEXT];
    number_format_float(layer->range_low, low);
    number_format_double((double)layer->range_high - (double)layer->range_low, width);
    buffer_format(out, "value / 255 * %s + %s", width, low);
}

/* Adds the header X-Terrane-Encoding. For r8 it also says how ranges were scaled into bytes, by the
 * names of the layers if there are several; shares of materials are bytes as they are. */
static void add_encoding(const struct chunk_order *order, struct buffer *out)
{
    const struct chunk_format *format = order->format;
    const bool several = order->layer_count > 1;
    const bool pixels = format->materials == CHUNK_MATERIALS_ALONE && order->material_count > 0;
    buffer_append(out, "X-Terrane-Encoding", sizeof "X-Terrane-Encoding");
    if (pixels)
        buffer_format(out, "uint8, RGBA PNG; shares of 255 of four layers, from number %u on",
                      CHUNK_MATERIAL_GROUP * order->material_group);
    else
        buffer_text(out, format->encoding);
    for (unsigned i = 0; i < order->layer_count && format->scaled_to_range; i++) {
        const struct world_layer *layer = world_layer(order->world, order->layers[i]);
        if (i - order->material_first < order->material_count)
            continue;
        buffer_format(out, "; %s%s", several ? layer->name : "", several ? ": " : "");
        write_scale(layer, out);
    }
    if (order->material_count > 0 && format->scaled_to_range)
        buffer_text(out, "; shares of 255");
    buffer_byte(out, '\0');
}

void chunk_headers_write_common(const struct chunk_order *order, const char *world,
                                struct buffer *out)
{
    /* In addition to those that all responses expose. */
    add(out, "Access-Control-Expose-Headers",
        "X-Terrane-World, X-Terrane-Grid, X-Terrane-Origin, X-Terrane-Step, "
        "X-Terrane-Layers, X-Terrane-Materials, X-Terrane-Encoding, X-Terrane-Digest, "
        "X-Terrane-Minimum, X-Terrane-Maximum");
    add(out, "X-Terrane-World", world);
    add_grid(order, out);
    add_layers(order, out);
    add_encoding(order, out);
}

void chunk_headers_write_single(const struct chunk_order *order,
                                const struct chunk_address *address,
                                const struct chunk_prefix *prefix, struct buffer *out)
{
    const struct chunk_address origin = chunk_origin(order, address);
    char x[NUMBER_TEXT], y[NUMBER_TEXT], z[NUMBER_TEXT], text[3 * NUMBER_TEXT + 2];
    place_format(origin.x, x);
    place_format(origin.y, y);
    place_format(origin.z, z);
    if (order->shape == CHUNK_VOLUME)
        snprintf(text, sizeof text, "%s,%s,%s", x, y, z);
    else
        snprintf(text, sizeof text, "%s,%s", x, y);
    add(out, "X-Terrane-Origin", text);
    add(out, "X-Terrane-Digest", prefix->digest);
    if (order->shape == CHUNK_VOLUME) {
        number_format_float(prefix->low, x);
        number_format_float(prefix->high, y);
        add(out, "X-Terrane-Minimum", x);
        add(out, "X-Terrane-Maximum", y);
    }
}
