/* Writes the parts of the file one after the other into a buffer of their known size.
 *
 * All vertices of a column have one longitude and all of a row one latitude. So their sines and
 * cosines are found once for each (struct line), and a vertex is a few products. They are made of
 * operations that IEEE 754 rounds alike everywhere: the bytes are the same on every machine.
 *
 * The horizon occlusion point is that of Cesium
 * (https://cesium.com/blog/2013/04/25/Horizon-culling): in a space in which the ellipsoid is a
 * sphere of radius 1, the lowest point above the tile's centre that rises over the horizon before
 * any vertex does. A tile that is so large that there is none has NaN, which no comparison finds
 * below the horizon, so that it is always drawn. */
#include "core/encode/quantized_mesh.h"

#include <math.h>
#include <string.h>

#include "core/tile/mercator.h"

#define EQUATOR 6378137.0              /* metres: the ellipsoid's radius, */
#define FLATTENING (1 / 298.257223563) /* of WGS 84 */
#define POLE (EQUATOR * (1 - FLATTENING))
#define ECCENTRICITY_SQUARED (FLATTENING * (2 - FLATTENING))
#define PI 3.14159265358979323846
#define GLOBE_METRES (EQUATOR * PI / 0x1p24) /* metres of the equator in a metre of the world */

enum {
    QUANTUM_MAX = 32767,
    HEADER_BYTES = 88,
    COUNT_BYTES = 4,
    VERTEX_BYTES = 6,
    INDEX_BYTES = 2,
    CELL_INDICES = 6,
    EDGES = 4,
    NORMALS_EXTENSION = 1,
    EXTENSION_BYTES = 5,
};

struct vector {
    double x, y, z;
};

/* A column or row of vertices: its longitude or latitude. */
struct line {
    struct mercator_angle angle;
    double degrees;   /* of a row */
    double radius;    /* of a row: from the ellipsoid along its normal to the axis */
    uint16_t quantum; /* where it lies in the tile, from the west or the south */
};

struct mesh {
    const struct sample_raster *grid;
    uint32_t columns, rows;
    struct line east[QUANTIZED_MESH_SIDE_MAX], south[QUANTIZED_MESH_SIDE_MAX];
    struct vector centre; /* of the tile, on its mean height */
    struct vector middle; /* of the bounding sphere */
    double radius;
    float low, high;
};

/* The sample of a vertex, or of the ring: from −1 on. */
static float height_at(const struct mesh *mesh, int64_t column, int64_t row)
{
    return mesh->grid->samples[(size_t)(row + 1) * mesh->grid->columns + (size_t)(column + 1)];
}

static struct line line_east(double metres)
{
    return (struct line){.angle = mercator_longitude_angle(metres)};
}

static struct line line_south(double metres)
{
    const struct mercator_angle angle = mercator_latitude_angle(metres);
    return (struct line){
        .angle = angle,
        .degrees = mercator_latitude(metres),
        .radius = EQUATOR / sqrt(1 - ECCENTRICITY_SQUARED * angle.sine * angle.sine),
    };
}

static struct vector position(const struct line *east, const struct line *south, double height)
{
    const double across = (south->radius + height) * south->angle.cosine;
    return (struct vector){across * east->angle.cosine, across * east->angle.sine,
                           (south->radius * (1 - ECCENTRICITY_SQUARED) + height) *
                               south->angle.sine};
}

static struct vector vertex(const struct mesh *mesh, uint32_t column, uint32_t row)
{
    return position(&mesh->east[column], &mesh->south[row], (double)height_at(mesh, column, row));
}

static uint16_t quantum(double value, double low, double high)
{
    const double quanta = high > low ? (value - low) / (high - low) * QUANTUM_MAX : 0;
    return (uint16_t)__builtin_floor(quanta + 0.5);
}

static void find_lines(struct mesh *mesh)
{
    const double step = place_metres(mesh->grid->step);
    const double west = place_metres(mesh->grid->origin.x) + step;
    const double north = place_metres(mesh->grid->origin.y) + step;
    for (uint32_t i = 0; i < mesh->columns; i++) {
        mesh->east[i] = line_east(west + i * step);
        mesh->east[i].quantum = quantum(i, 0, mesh->columns - 1);
    }
    for (uint32_t i = 0; i < mesh->rows; i++)
        mesh->south[i] = line_south(north + i * step);
    const double low = mesh->south[mesh->rows - 1].degrees, high = mesh->south[0].degrees;
    for (uint32_t i = 0; i < mesh->rows; i++)
        mesh->south[i].quantum = quantum(mesh->south[i].degrees, low, high);
}

static void find_heights(struct mesh *mesh)
{
    mesh->low = mesh->high = height_at(mesh, 0, 0);
    for (uint32_t j = 0; j < mesh->rows; j++)
        for (uint32_t i = 0; i < mesh->columns; i++) {
            const float height = height_at(mesh, i, j);
            mesh->low = height < mesh->low ? height : mesh->low;
            mesh->high = height > mesh->high ? height : mesh->high;
        }
}

static void find_centre(struct mesh *mesh)
{
    const double step = place_metres(mesh->grid->step);
    const struct line east =
        line_east(place_metres(mesh->grid->origin.x) + step * (mesh->columns + 1) / 2);
    const struct line south =
        line_south(place_metres(mesh->grid->origin.y) + step * (mesh->rows + 1) / 2);
    mesh->centre = position(&east, &south, ((double)mesh->low + (double)mesh->high) / 2);
}

static double square_of(struct vector a)
{
    return a.x * a.x + a.y * a.y + a.z * a.z;
}

static struct vector scaled(struct vector a, double factor)
{
    return (struct vector){a.x * factor, a.y * factor, a.z * factor};
}

static void widen(double value, double *low, double *high)
{
    *low = value < *low ? value : *low;
    *high = value > *high ? value : *high;
}

/* A sphere around all vertices: that of the box which they span. */
static void find_sphere(struct mesh *mesh)
{
    struct vector low = vertex(mesh, 0, 0), high = low;
    double square = 0;
    for (uint32_t j = 0; j < mesh->rows; j++)
        for (uint32_t i = 0; i < mesh->columns; i++) {
            const struct vector at = vertex(mesh, i, j);
            widen(at.x, &low.x, &high.x);
            widen(at.y, &low.y, &high.y);
            widen(at.z, &low.z, &high.z);
        }
    const struct vector middle = {(low.x + high.x) / 2, (low.y + high.y) / 2, (low.z + high.z) / 2};
    for (uint32_t j = 0; j < mesh->rows; j++)
        for (uint32_t i = 0; i < mesh->columns; i++) {
            const struct vector at = vertex(mesh, i, j);
            const double other =
                square_of((struct vector){at.x - middle.x, at.y - middle.y, at.z - middle.z});
            square = other > square ? other : square;
        }
    mesh->middle = middle;
    mesh->radius = sqrt(square);
}

static struct vector in_unit_sphere(struct vector at)
{
    return (struct vector){at.x / EQUATOR, at.y / EQUATOR, at.z / POLE};
}

/* The distance from the globe's centre at which a point in the direction rises over the horizon
 * together with the vertex; 0 if there is none. A vertex below the ellipsoid counts as on it. */
static double rising_distance(struct vector at, struct vector direction)
{
    const struct vector place = in_unit_sphere(at);
    const double length = sqrt(square_of(place));
    const double distance = length > 1 ? length : 1;
    const double cosine =
        (place.x * direction.x + place.y * direction.y + place.z * direction.z) / length;
    const double rest = 1 - cosine * cosine;
    const double sine = sqrt(rest > 0 ? rest : 0);
    const double below = cosine - sine * sqrt(distance * distance - 1);
    return below > 0 ? distance / below : 0;
}

static struct vector occlusion_point(const struct mesh *mesh)
{
    const struct vector centre = in_unit_sphere(mesh->centre);
    const struct vector direction = scaled(centre, 1 / sqrt(square_of(centre)));
    double most = 0;
    for (uint32_t j = 0; j < mesh->rows; j++)
        for (uint32_t i = 0; i < mesh->columns; i++) {
            const double distance = rising_distance(vertex(mesh, i, j), direction);
            if (distance <= 0)
                return (struct vector){(double)NAN, (double)NAN, (double)NAN};
            most = distance > most ? distance : most;
        }
    return scaled(direction, most);
}

static uint8_t *store(uint8_t *at, uint64_t number, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (uint8_t)(number >> (8 * i));
    return at + bytes;
}

/* Every NaN in the one spelling that all machines have. */
static uint8_t *store_double(uint8_t *at, double value)
{
    uint64_t bits = 0x7FF8000000000000;
    if (!isnan(value))
        memcpy(&bits, &value, sizeof bits);
    return store(at, bits, sizeof bits);
}

static uint8_t *store_vector(uint8_t *at, struct vector vector)
{
    return store_double(store_double(store_double(at, vector.x), vector.y), vector.z);
}

static uint8_t *store_float(uint8_t *at, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return store(at, bits, sizeof bits);
}

static uint8_t *store_header(uint8_t *at, const struct mesh *mesh)
{
    at = store_vector(at, mesh->centre);
    at = store_float(store_float(at, mesh->low), mesh->high);
    at = store_double(store_vector(at, mesh->middle), mesh->radius);
    return store_vector(at, occlusion_point(mesh));
}

/* The number of a vertex, and back. */
static uint32_t number_of(const struct mesh *mesh, uint32_t column, uint32_t row)
{
    return row < 2 ? 2 * column + row : row * mesh->columns + column;
}

static void vertex_of(const struct mesh *mesh, uint32_t number, uint32_t *column, uint32_t *row)
{
    const bool first_rows = number < 2 * mesh->columns;
    *column = first_rows ? number / 2 : number % mesh->columns;
    *row = first_rows ? number % 2 : number / mesh->columns;
}

typedef uint16_t vertex_quantum(const struct mesh *mesh, uint32_t column, uint32_t row);

static uint16_t quantum_east(const struct mesh *mesh, uint32_t column, uint32_t row)
{
    (void)row;
    return mesh->east[column].quantum;
}

static uint16_t quantum_north(const struct mesh *mesh, uint32_t column, uint32_t row)
{
    (void)column;
    return mesh->south[row].quantum;
}

static uint16_t quantum_up(const struct mesh *mesh, uint32_t column, uint32_t row)
{
    return quantum((double)height_at(mesh, column, row), (double)mesh->low, (double)mesh->high);
}

/* Differences from one vertex to the next, the sign in the lowest bit ("zig-zag"). */
static uint8_t *store_quanta(uint8_t *at, const struct mesh *mesh, vertex_quantum *quantum_of)
{
    int last = 0;
    for (uint32_t number = 0; number < mesh->columns * mesh->rows; number++) {
        uint32_t column, row;
        vertex_of(mesh, number, &column, &row);
        const int value = quantum_of(mesh, column, row), more = value - last;
        at = store(at, (uint64_t)(more >= 0 ? 2 * more : -2 * more - 1), 2);
        last = value;
    }
    return at;
}

/* Two triangles for each cell, counter-clockwise from above. A number is stored as how far it is
 * below the next new one ("high-water mark"). */
static uint8_t *store_triangles(uint8_t *at, const struct mesh *mesh)
{
    const uint32_t cells = (mesh->columns - 1) * (mesh->rows - 1);
    uint32_t next = 0;
    at = store(at, 2 * (uint64_t)cells, COUNT_BYTES);
    for (uint32_t j = 0; j + 1 < mesh->rows; j++)
        for (uint32_t i = 0; i + 1 < mesh->columns; i++) {
            const uint32_t north_west = number_of(mesh, i, j),
                           south_west = number_of(mesh, i, j + 1);
            const uint32_t north_east = number_of(mesh, i + 1, j);
            const uint32_t south_east = number_of(mesh, i + 1, j + 1);
            const uint32_t corners[CELL_INDICES] = {north_west, south_west, north_east,
                                                    north_east, south_west, south_east};
            for (unsigned k = 0; k < CELL_INDICES; k++) {
                at = store(at, next - corners[k], INDEX_BYTES);
                next += corners[k] == next;
            }
        }
    return at;
}

/* The vertices of a column from south to north, or of a row from west to east. */
static uint8_t *store_column(uint8_t *at, const struct mesh *mesh, uint32_t column)
{
    at = store(at, mesh->rows, COUNT_BYTES);
    for (uint32_t j = mesh->rows; j-- > 0;)
        at = store(at, number_of(mesh, column, j), INDEX_BYTES);
    return at;
}

static uint8_t *store_row(uint8_t *at, const struct mesh *mesh, uint32_t row)
{
    at = store(at, mesh->columns, COUNT_BYTES);
    for (uint32_t i = 0; i < mesh->columns; i++)
        at = store(at, number_of(mesh, i, row), INDEX_BYTES);
    return at;
}

static uint8_t *store_edges(uint8_t *at, const struct mesh *mesh)
{
    at = store_column(at, mesh, 0);
    at = store_row(at, mesh, mesh->rows - 1);
    at = store_column(at, mesh, mesh->columns - 1);
    return store_row(at, mesh, 0);
}

/* The normal of the ground on the globe, by central differences, not normalized. At a latitude the
 * globe is as much smaller than the map as its cosine says. */
static struct vector normal(const struct mesh *mesh, uint32_t column, uint32_t row)
{
    const int64_t i = column, j = row;
    const struct mercator_angle east = mesh->east[column].angle, north = mesh->south[row].angle;
    const double across = 2 * place_metres(mesh->grid->step) * GLOBE_METRES * north.cosine;
    const double to_east =
        ((double)height_at(mesh, i - 1, j) - (double)height_at(mesh, i + 1, j)) / across;
    const double to_north =
        ((double)height_at(mesh, i, j + 1) - (double)height_at(mesh, i, j - 1)) / across;
    const double out = north.cosine - to_north * north.sine; /* from the axis */
    return (struct vector){out * east.cosine - to_east * east.sine,
                           out * east.sine + to_east * east.cosine,
                           north.sine + to_north * north.cosine};
}

static uint8_t signed_byte(double value)
{
    return (uint8_t)((value * 0.5 + 0.5) * 255 + 0.5);
}

/* The two bytes of a direction: its place on an octahedron whose lower half is folded over the
 * upper one (Cigolle and others, A Survey of Efficient Representations for Independent Unit
 * Vectors, 2014). */
static uint8_t *store_direction(uint8_t *at, struct vector direction)
{
    const double sum = fabs(direction.x) + fabs(direction.y) + fabs(direction.z);
    double x = direction.x / sum, y = direction.y / sum;
    if (direction.z < 0) {
        const double folded = (1 - fabs(y)) * (x < 0 ? -1 : 1);
        y = (1 - fabs(x)) * (y < 0 ? -1 : 1);
        x = folded;
    }
    *at++ = signed_byte(x);
    *at++ = signed_byte(y);
    return at;
}

static uint8_t *store_normals(uint8_t *at, const struct mesh *mesh)
{
    const uint32_t vertices = mesh->columns * mesh->rows;
    *at++ = NORMALS_EXTENSION;
    at = store(at, 2 * (uint64_t)vertices, COUNT_BYTES);
    for (uint32_t number = 0; number < vertices; number++) {
        uint32_t column, row;
        vertex_of(mesh, number, &column, &row);
        at = store_direction(at, normal(mesh, column, row));
    }
    return at;
}

static size_t file_bytes(const struct mesh *mesh, bool normals)
{
    const size_t vertices = (size_t)mesh->columns * mesh->rows;
    const size_t cells = (size_t)(mesh->columns - 1) * (mesh->rows - 1);
    const size_t border = 2 * ((size_t)mesh->columns + mesh->rows);
    return HEADER_BYTES + COUNT_BYTES + VERTEX_BYTES * vertices + COUNT_BYTES +
           (size_t)CELL_INDICES * INDEX_BYTES * cells + (size_t)EDGES * COUNT_BYTES +
           INDEX_BYTES * border + (normals ? EXTENSION_BYTES + 2 * vertices : 0);
}

bool quantized_mesh_write(const struct sample_raster *grid, bool normals, struct buffer *out,
                          struct error *error)
{
    struct mesh mesh = {.grid = grid, .columns = grid->columns - 2, .rows = grid->rows - 2};
    if (grid->columns < 4 || grid->rows < 4 || mesh.columns > QUANTIZED_MESH_SIDE_MAX ||
        mesh.rows > QUANTIZED_MESH_SIDE_MAX)
        return error_set(error, ERROR_LIMIT, "a terrain tile has 2 … %d vertices a side",
                         QUANTIZED_MESH_SIDE_MAX);
    const size_t bytes = file_bytes(&mesh, normals);
    uint8_t *at = buffer_reserve(out, bytes);
    if (!at)
        return error_memory(error);
    find_lines(&mesh);
    find_heights(&mesh);
    find_centre(&mesh);
    find_sphere(&mesh);
    at = store(store_header(at, &mesh), (uint64_t)mesh.columns * mesh.rows, COUNT_BYTES);
    at = store_quanta(at, &mesh, quantum_east);
    at = store_quanta(at, &mesh, quantum_north);
    at = store_quanta(at, &mesh, quantum_up);
    at = store_edges(store_triangles(at, &mesh), &mesh);
    if (normals)
        store_normals(at, &mesh);
    out->length += bytes;
    return true;
}
