/* Arithmetic of chunk orders. All of it is exact in 2⁻¹⁶ m: a step is a power of two, so that
 * chunks of any size and step share their border samples bit by bit, and an address times its size
 * and step stays within ±2⁴⁰ m by chunk_in_range(). */
#include "server/render/chunk_order.h"

#include "core/base/place.h"

bool chunk_step_of_metres(double metres, int64_t *step)
{
    if (!(metres > 0 && metres <= place_metres(CHUNK_STEP_MAX)))
        return false;
    const int64_t wanted = place_from_metres(metres);
    const bool done =
        wanted >= CHUNK_STEP_MIN && (wanted & (wanted - 1)) == 0 && place_metres(wanted) == metres;
    if (done)
        *step = wanted;
    return done;
}

uint32_t chunk_side(const struct chunk_order *order)
{
    return order->size + 1 + 2 * order->apron;
}

uint32_t chunk_slices(const struct chunk_order *order)
{
    return order->shape == CHUNK_VOLUME ? chunk_side(order) : 1;
}

uint64_t chunk_samples(const struct chunk_order *order)
{
    const uint64_t side = chunk_side(order);
    return side * side * chunk_slices(order) * order->layer_count;
}

void chunk_order_add_materials(struct chunk_order *order)
{
    order->material_first = order->layer_count;
    order->material_count = world_material_count(order->world);
    for (unsigned i = 0; i < order->material_count; i++)
        order->layers[order->layer_count++] = world_material_layer(order->world, i);
}

unsigned chunk_plain_layers(const struct chunk_order *order)
{
    return order->layer_count - order->material_count;
}

double chunk_encoded_layers(const struct chunk_order *order)
{
    const struct chunk_format *format = order->format;
    const double share =
        format->share_bytes ? (double)format->share_bytes / format->sample_bytes : 1.0;
    return chunk_plain_layers(order) + share * order->material_count;
}

const char *chunk_shape_name(const struct chunk_order *order)
{
    return order->shape == CHUNK_VOLUME ? "volumes" : "chunks";
}

size_t chunk_bytes(const struct chunk_order *order)
{
    return (size_t)(chunk_encoded_layers(order) * (double)chunk_samples(order) /
                    order->layer_count * order->format->sample_bytes) +
           4096;
}

int64_t chunk_limit(const struct chunk_order *order)
{
    return PLACE_LIMIT / (order->step * order->size);
}

int64_t chunk_end(const struct chunk_order *order, uint32_t shift)
{
    return chunk_limit(order) - ((int64_t)shift + order->size - 1) / order->size;
}

bool chunk_in_range(const struct chunk_order *order, const struct chunk_address *address)
{
    const int64_t limit = chunk_limit(order);
    return address->x >= -limit && address->x < chunk_end(order, order->dx) &&
           address->y >= -limit && address->y < chunk_end(order, order->dy) &&
           address->z >= -limit && address->z < limit;
}

struct chunk_address chunk_origin(const struct chunk_order *order,
                                  const struct chunk_address *address)
{
    const int64_t side = order->step * order->size, apron = order->step * order->apron;
    return (struct chunk_address){address->x * side + order->step * order->dx - apron,
                                  address->y * side + order->step * order->dy - apron,
                                  order->shape == CHUNK_VOLUME ? address->z * side - apron : 0};
}

bool chunk_uses_time(const struct chunk_order *order)
{
    for (unsigned i = 0; i < order->layer_count; i++)
        if (world_layer_uses_time(order->world, order->layers[i]))
            return true;
    return order->painter && painter_uses_time(order->painter);
}
