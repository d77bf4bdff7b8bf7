/* Objects from above: a crown with lobes and leaves, and a soft shadow to the south-east.
 *
 * object_scene_make() finds the objects in and around a band, turns them into shapes in pixels,
 * sorts them so that taller ones are painted last, and indexes them by row. object_scene_paint()
 * then paints a row from the shapes that touch it. A shape's brightness, direction and
 * leaves come from the object's id, and its centre is kept as a whole pixel and a fraction, so an
 * object that lies across the edge of two tiles has the same pixels in both. */
#include "core/tile/paint_objects.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/base/lanes.h"

enum { STRIP_PIXELS = 256 };

/* In radii: the extent of the outline with its lobes, the offset of the shadow to the south and
 * east, and the shadow's extent. */
#define OUTLINE_EXTENT 1.2f
#define SHADOW_OFFSET 0.55f
#define SHADOW_EXTENT 1.25f

/* One object as it is painted; lengths in pixels. Its centre is a pixel of the grid and a fraction,
 * so that the vector from any pixel to it has the same bits in every grid of these pixels. */
struct object_shape {
    uint64_t id;
    int32_t column, row;
    float x, y; /* the fraction, 0 … 1 */
    float radius;
    float red, green, blue, opacity;
    float cosine, sine; /* the direction in which its outline begins */
};

void object_scene_free(struct object_scene *scene)
{
    object_list_free(&scene->list);
    free(scene->shapes);
    free(scene->starts);
    free(scene->entries);
    *scene = (struct object_scene){0};
}

uint64_t object_paint_kinds(const struct world *world, const struct object_paint *paint,
                            float spacing, float visible[WORLD_OBJECTS_MAX])
{
    uint64_t kinds = 0;
    float density = 0.0f;
    for (unsigned i = 0; i < world_object_count(world); i++) {
        const struct world_object *object = world_object(world, i);
        const float cells = spacing / (float)place_metres(object->spacing);
        visible[i] = clamp_to(object->radius / (spacing * paint->from) - 1.0f, 0.0f, 1.0f);
        density += visible[i] > 0.0f ? cells * cells : 0.0f;
        if (density > PAINT_OBJECTS_DENSITY)
            break;
        kinds |= visible[i] > 0.0f ? (uint64_t)1 << i : 0;
    }
    return kinds;
}

/* Finds the objects of one kind in the grid and around it, as far as one can reach into it. In
 * strips of STRIP_PIXELS: there is at most one candidate for each pixel, so no strip exceeds the
 * limits of a search. */
static bool find_kind(struct object_scene *scene, const struct object_view *view, unsigned kind,
                      struct error *error)
{
    const struct sample_grid *grid = view->grid;
    const float radius = world_object(view->world, kind)->radius * OBJECTS_SCALE_HIGH;
    const int64_t margin =
        place_from_metres((double)(radius * (SHADOW_OFFSET + SHADOW_EXTENT))) + 2 * grid->step;
    const int64_t east = grid->x + grid->columns * grid->step + margin;
    struct object_search search = {
        .low = {grid->x - margin, grid->y - margin},
        .high = {grid->x, grid->y + grid->rows * grid->step + margin},
        .kinds = (uint64_t)1 << kind,
        .limit = UINT32_MAX,
    };
    for (; search.low.x < east; search.low.x = search.high.x) {
        search.high.x = search.low.x + STRIP_PIXELS * grid->step;
        search.high.x = search.high.x < east ? search.high.x : east;
        if (!objects_find(view->sampler, view->world, &search, &scene->list, error))
            return false;
    }
    return true;
}

/* Orders by radius: larger objects are taller and are painted over smaller ones. */
static int compare_shapes(const void *left, const void *right)
{
    const struct object_shape *a = left, *b = right;
    if (a->radius != b->radius)
        return a->radius < b->radius ? -1 : 1;
    return a->id < b->id ? -1 : a->id > b->id;
}

/* The distance from the grid's first pixel to a place: whole pixels, and the fraction in *rest. */
static int32_t pixels_to(int64_t from, int64_t to, int64_t step, float *rest)
{
    int64_t whole = (to - from) / step;
    whole -= (to - from) % step < 0;
    *rest = (float)(to - from - whole * step) / (float)step;
    return (int32_t)whole;
}

static struct object_shape shape_of(const struct world *world, const struct object *object,
                                    const struct sample_grid *grid, float opacity)
{
    const struct world_object *kind = world_object(world, object->kind);
    const uint64_t appearance_bits = hash_mix(object->id);
    const float brightness = 0.84f + 0.32f / 255.0f * (float)(appearance_bits >> 8 & 255);
    /* Any direction: (1 − t², 2t) / (1 + t²) with t in −1 … 1 is half of the circle; the sign gives
     * the other half. */
    const float t = (float)(appearance_bits >> 40 & 0xFFFF) / 32768.0f - 1.0f;
    const float direction_scale = (appearance_bits & 1 ? 1.0f : -1.0f) / (1.0f + t * t);
    struct object_shape shape = {
        .id = object->id,
        .radius = kind->radius * object->scale / (float)place_metres(grid->step),
        .red = brightness * (float)(kind->colour >> 16 & 255),
        .green = brightness * (float)(kind->colour >> 8 & 255),
        .blue = brightness * (float)(kind->colour & 255),
        .opacity = opacity,
        .cosine = direction_scale * (1.0f - t * t),
        .sine = direction_scale * 2.0f * t,
    };
    shape.column = pixels_to(grid->x, object->place.x, grid->step, &shape.x);
    shape.row = pixels_to(grid->y, object->place.y, grid->step, &shape.y);
    return shape;
}

/* The pixels that a shape extends to the north and west, and to the south and east. */
static int32_t extent_before(const struct object_shape *shape)
{
    return (int32_t)(OUTLINE_EXTENT * shape->radius) + 1;
}

static int32_t extent_after(const struct object_shape *shape)
{
    return (int32_t)((SHADOW_OFFSET + SHADOW_EXTENT) * shape->radius) + 2;
}

/* The pixels of 0 … count − 1 that a shape can touch; none if *end is not above *first. */
static void touched_range(const struct object_shape *shape, int32_t centre, uint32_t count,
                          uint32_t *first, uint32_t *end)
{
    const int32_t from = centre - extent_before(shape), to = centre + extent_after(shape) + 1;
    *first = from < 0 ? 0 : (uint32_t)from;
    *end = to < 0 ? 0 : (uint32_t)to < count ? (uint32_t)to : count;
}

/* Lists the shapes that touch each row, by a counting sort: counted, then placed. */
static bool index_rows(struct object_scene *scene, uint32_t count, uint32_t rows)
{
    uint32_t first, end;
    if (!paint_reserve((void **)&scene->starts, &scene->start_capacity,
                       ((size_t)rows + 2) * sizeof *scene->starts))
        return false;
    memset(scene->starts, 0, ((size_t)rows + 2) * sizeof *scene->starts);
    for (uint32_t i = 0; i < count; i++) {
        touched_range(&scene->shapes[i], scene->shapes[i].row, rows, &first, &end);
        for (; first < end; first++)
            scene->starts[first + 2]++;
    }
    for (uint32_t row = 0; row < rows; row++)
        scene->starts[row + 2] += scene->starts[row + 1];
    if (!paint_reserve((void **)&scene->entries, &scene->entry_capacity,
                       ((size_t)scene->starts[rows + 1] + 1) * sizeof *scene->entries))
        return false;
    /* starts[row + 1] is the place of the row's next entry, and in the end of the next row's first.
     */
    for (uint32_t i = 0; i < count; i++) {
        touched_range(&scene->shapes[i], scene->shapes[i].row, rows, &first, &end);
        for (; first < end; first++)
            scene->entries[scene->starts[first + 1]++] = i;
    }
    return true;
}

bool object_scene_make(struct object_scene *scene, const struct object_view *view,
                       struct error *error)
{
    const struct world *world = view->world;
    const struct sample_grid *grid = view->grid;
    float visible[WORLD_OBJECTS_MAX];
    const uint64_t kinds =
        object_paint_kinds(world, view->paint, (float)place_metres(grid->step), visible);
    scene->rows = 0;
    if (kinds == 0)
        return true;
    scene->list.count = 0;
    for (unsigned i = 0; i < world_object_count(world); i++)
        if (kinds >> i & 1 && !find_kind(scene, view, i, error))
            return false;
    const uint32_t count = scene->list.count;
    if (count == 0)
        return true;
    if (!paint_reserve((void **)&scene->shapes, &scene->shape_capacity,
                       count * sizeof *scene->shapes))
        return error_memory(error);
    for (uint32_t i = 0; i < count; i++) {
        const struct object *object = &scene->list.objects[i];
        scene->shapes[i] =
            shape_of(world, object, grid, view->paint->opacity * visible[object->kind]);
    }
    qsort(scene->shapes, count, sizeof *scene->shapes, compare_shapes);
    if (!index_rows(scene, count, grid->rows))
        return error_memory(error);
    scene->rows = grid->rows;
    return true;
}

/* Pixels of a row; none if `end` is not above `start`. */
struct range {
    uint32_t start, end;
};

/* The pixels of 0 … count − 1 in a row of a disk: `dy` below its centre, which is `shift` pixels
 * east of the shape's. */
static struct range disk_range(const struct object_shape *shape, float shift, float dy,
                               float radius, uint32_t count)
{
    const float square = radius * radius - dy * dy;
    const float centre = shape->x + shift, half = square > 0.0f ? __builtin_sqrtf(square) : 0.0f;
    const int32_t from = shape->column + (int32_t)__builtin_floorf(centre - half);
    const int32_t to = shape->column + (int32_t)__builtin_floorf(centre + half) + 2;
    return (struct range){
        .start = from < 0 ? 0 : (uint32_t)from,
        .end = to < 0 || !(square > 0.0f) ? 0
               : (uint32_t)to < count     ? (uint32_t)to
                                          : count,
    };
}

/* Darkens the ground to the south-east of an object, with a soft edge. Pixels beyond the shadow get
 * all light, which does not change them, so whole groups of LANES pixels are computed. */
TERRANE_INLINE void paint_shadow(const struct object_shape *shape, float darkness,
                                 uint32_t row_number, const struct paint_row *row)
{
    const float radius = shape->radius, shift = SHADOW_OFFSET * radius;
    const float edge = 0.6f * radius > 1.0f ? 0.6f * radius : 1.0f, outer = SHADOW_EXTENT * radius;
    const float dy = (float)((int32_t)row_number - shape->row) - shape->y - shift;
    const struct range range = disk_range(shape, shift, dy, outer + 1.0f, row->count);
    for (uint32_t start = range.start - range.start % LANES; start < range.end; start += LANES) {
        float *restrict red = row->red + start, *restrict green = row->green + start,
                        *restrict blue = row->blue + start;
        const int32_t column = (int32_t)start - shape->column;
        const float x = shape->x;
        TERRANE_INDEPENDENT_NO_UNROLL
        for (int32_t i = 0; i < LANES; i++) {
            const float dx = (float)(column + i) - x - shift;
            const float distance = __builtin_sqrtf(dx * dx + dy * dy);
            const float light = 1.0f - darkness * clamp_to((outer - distance) / edge, 0.0f, 1.0f);
            red[i] *= light;
            green[i] *= light;
            blue[i] *= light;
        }
    }
}

/* The distance of the outline from the centre in a direction, in radii: 1, with three and five
 * lobes by Chebyshev's formulas for the cosine and sine of multiple angles. */
TERRANE_INLINE float outline(float cosine, float sine)
{
    const float c2 = cosine * cosine, s2 = sine * sine;
    const float three = (4.0f * c2 - 3.0f) * cosine;
    const float five = ((16.0f * s2 - 20.0f) * s2 + 5.0f) * sine;
    return 1.0f + 0.08f * three + 0.07f * five;
}

TERRANE_INLINE float leaf_noise_value(uint32_t key, int32_t column, int32_t row)
{
    uint32_t h = key ^ ((uint32_t)column * 0x9E3779B1u) ^ ((uint32_t)row * 0x85EBCA77u);
    h = (h ^ h >> 15) * 0x2C1B3C6Du;
    h = (h ^ h >> 12) * 0x297A2D39u;
    return (float)((h ^ h >> 15) >> 8) * (2.0f / 16777216.0f) - 1.0f;
}

/* Leaves: value noise over the crown, −1 … 1. Coordinates in leaves from the centre, within ±32. */
TERRANE_INLINE float leaf_noise(uint32_t key, float u, float v)
{
    const float x = u + 32.0f, y = v + 32.0f;
    const int32_t column = (int32_t)x, row = (int32_t)y;
    float s = x - (float)column, t = y - (float)row;
    s = s * s * (3.0f - 2.0f * s);
    t = t * t * (3.0f - 2.0f * t);
    const float north = leaf_noise_value(key, column, row) * (1.0f - s) +
                        leaf_noise_value(key, column + 1, row) * s;
    const float south = leaf_noise_value(key, column, row + 1) * (1.0f - s) +
                        leaf_noise_value(key, column + 1, row + 1) * s;
    return north * (1.0f - t) + south * t;
}

/* The part of a pixel that the crown covers; 0 outside. (u, v) is the position from its centre in
 * radii. */
TERRANE_INLINE float crown_weight(const struct object_shape *shape, float u, float v)
{
    const float distance = __builtin_sqrtf(u * u + v * v);
    const float inverse = distance > 0.0f ? 1.0f / distance : 0.0f;
    const float cosine = (u * shape->cosine + v * shape->sine) * inverse;
    const float sine = (v * shape->cosine - u * shape->sine) * inverse;
    const float inside = (outline(cosine, sine) - distance) * shape->radius + 0.5f;
    return shape->opacity * clamp_to(inside, 0.0f, 1.0f);
}

/* The light on a hemisphere lit from the north-west, 45° above the horizon. */
TERRANE_INLINE float crown_light(float u, float v)
{
    const float rest = 1.0f - 0.85f * (u * u + v * v);
    const float up = __builtin_sqrtf(rest > 0.0f ? rest : 0.0f);
    return 0.58f + 0.5f * (0.70710678f * up - 0.5f * u - 0.5f * v);
}

/* Adds leaves to the light of LANES pixels: `fineness` of them in a radius. */
TERRANE_INLINE void add_leaves(uint32_t key, float strength, float fineness,
                               const float *restrict u, float v, float *restrict light)
{
    if (strength <= 0.0f)
        return;
    TERRANE_INDEPENDENT_NO_UNROLL
    for (int32_t i = 0; i < LANES; i++)
        light[i] += strength * leaf_noise(key, fineness * u[i], fineness * v);
}

/* In groups of LANES pixels; those outside have no weight. Branches and leaves appear as the radius
 * grows. */
TERRANE_INLINE void paint_crown(const struct object_shape *own, uint32_t row_number,
                                const struct paint_row *row)
{
    const struct object_shape shape = *own;
    const float scale = 1.0f / shape.radius, reach = OUTLINE_EXTENT * shape.radius + 1.0f;
    const float v = ((float)((int32_t)row_number - shape.row) - shape.y) * scale;
    const float branches = 0.16f * clamp_to((shape.radius - 2.5f) / 3.0f, 0.0f, 1.0f);
    const float leaves = 0.11f * clamp_to((shape.radius - 9.0f) / 9.0f, 0.0f, 1.0f);
    const struct range range = disk_range(own, 0.0f, v * shape.radius, reach, row->count);
    for (uint32_t start = range.start - range.start % LANES; start < range.end; start += LANES) {
        float *restrict red = row->red + start, *restrict green = row->green + start,
                        *restrict blue = row->blue + start;
        const int32_t column = (int32_t)start - shape.column;
        float u[LANES], light[LANES];
        TERRANE_INDEPENDENT_NO_UNROLL
        for (int32_t i = 0; i < LANES; i++) {
            u[i] = ((float)(column + i) - shape.x) * scale;
            light[i] = crown_light(u[i], v);
        }
        add_leaves((uint32_t)(shape.id >> 32), branches, 3.5f, u, v, light);
        add_leaves((uint32_t)shape.id, leaves, 9.0f, u, v, light);
        TERRANE_INDEPENDENT_NO_UNROLL
        for (int32_t i = 0; i < LANES; i++) {
            const float weight = crown_weight(&shape, u[i], v);
            red[i] += (shape.red * light[i] - red[i]) * weight;
            green[i] += (shape.green * light[i] - green[i]) * weight;
            blue[i] += (shape.blue * light[i] - blue[i]) * weight;
        }
    }
}

TERRANE_CLONES
void object_scene_paint(const struct object_scene *scene, const struct object_paint *paint,
                        uint32_t row_number, const struct paint_row *row)
{
    if (row_number >= scene->rows)
        return;
    for (uint32_t i = scene->starts[row_number]; i < scene->starts[row_number + 1]; i++) {
        const struct object_shape *shape = &scene->shapes[scene->entries[i]];
        paint_shadow(shape, paint->shadow * shape->opacity, row_number, row);
        paint_crown(shape, row_number, row);
    }
}
