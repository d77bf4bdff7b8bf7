/* The records of objects, and the price of a search by the cells that it looks at: those of the
 * box, and one more on each side, as neighbours decide which candidates stand. */
#include "server/render/object_records.h"

#include <string.h>

#include "core/base/extremes.h"
#include "core/base/place.h"

static void append_float(struct buffer *out, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    buffer_little_endian(out, bits, sizeof bits);
}

void object_records_write(const struct object_list *objects, struct buffer *out)
{
    buffer_reserve(out, (size_t)OBJECT_RECORD_BYTES * objects->count);
    for (uint32_t i = 0; i < objects->count; i++) {
        const struct object *object = &objects->objects[i];
        buffer_little_endian(out, object->id, 8);
        buffer_little_endian(out, (uint64_t)object->place.x, 8);
        buffer_little_endian(out, (uint64_t)object->place.y, 8);
        append_float(out, object->ground);
        append_float(out, object->scale);
        append_float(out, object->rotation);
        buffer_little_endian(out, object->kind, 4);
    }
}

bool object_records_find(struct sampler *sampler, const struct world *world,
                         const struct object_search *search, struct buffer *out,
                         struct error *error)
{
    struct object_list list = {0};
    const bool found = objects_find(sampler, world, search, &list, error);
    if (found)
        object_records_write(&list, out);
    object_list_free(&list);
    return found && (!out->failed || error_memory(error));
}

/* Cells of a kind that a search looks at; 0 for a kind that it leaves out. */
static double kind_cells(const struct world *world, const struct object_search *search,
                         unsigned kind)
{
    const double spacing = place_metres(world_object(world, kind)->spacing);
    const double width = place_metres(search->high.x - search->low.x);
    const double height = place_metres(search->high.y - search->low.y);
    if (!(search->kinds >> kind & 1))
        return 0.0;
    return double_min((width / spacing + 2) * (height / spacing + 2), OBJECTS_CANDIDATES_MAX);
}

double object_search_most(const struct world *world, const struct object_search *search)
{
    double cells = 0.0;
    for (unsigned kind = 0; kind < world_object_count(world); kind++)
        cells += kind_cells(world, search, kind);
    return double_min(cells, search->limit);
}

uint64_t price_object_search(const struct world *world, const struct object_search *search,
                             double each, const struct chunk_spread *spread)
{
    const double width = place_metres(search->high.x - search->low.x);
    const double most = object_search_most(world, search);
    const double searches = spread ? (double)spread->pieces : 1.0;
    const unsigned ground = world_height_layer(world);
    const struct sampling_where own = {search->low, search->high, NULL, 0};
    struct sampling sampling = {.extent = width,
                                .all_extent = spread ? spread->extent : 0.0,
                                .where = spread ? spread->where : &own};
    uint64_t price = 0;
    for (unsigned kind = 0; kind < world_object_count(world); kind++) {
        const unsigned density = world_density_layer(world, kind);
        sampling.places = kind_cells(world, search, kind);
        sampling.all_places = spread ? sampling.places * searches : 0.0;
        const struct price_layers layers = {world, &density, 1, sampling};
        if (sampling.places > 0.0)
            price += price_points(&layers, sampling.places, 1, PRICE_NUMBER);
    }
    sampling.places = most;
    sampling.all_places = spread ? most * searches : 0.0;
    const struct price_layers under = {world, &ground, 1, sampling};
    return price + price_points(&under, most, 1, each);
}
