/* Which chunks of a batch are made together. Expectations by counting: a rectangle of neighbours,
 * two thirds of which at least are asked for, of at most 49,152 samples and 64 chunks. */
#include "server/http/products/chunk_pieces.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "server/http/products/chunk_parameters.h"
#include "server/render/chunk_format.h"

static const struct world *the_world(void)
{
    static const char text[] = "{\"generator\":1,\"layers\":{\"height\":\"x\"}}";
    static struct world *world;
    if (!world)
        world = world_parse(text, strlen(text), "world", NULL, NULL);
    assert_non_null(world);
    return world;
}

static struct chunk_batch batch_of(uint32_t size, struct chunk_address *addresses, size_t count)
{
    return (struct chunk_batch){
        .addresses = addresses,
        .count = count,
        .order = {.world = the_world(),
                  .shape = CHUNK_FLAT,
                  .step = PLACE_METRE,
                  .format = chunk_format_find("r32f", CHUNK_FLAT),
                  .size = size,
                  .layer_count = 1},
    };
}

/* The pieces' lengths as text, such as "8 8 1". */
static const char *pieces(uint32_t size, struct chunk_address *addresses, size_t count)
{
    static char text[512];
    const struct chunk_batch batch = batch_of(size, addresses, count);
    size_t used = 0;
    text[0] = '\0';
    for (size_t first = 0; first < count;) {
        struct chunk_area area;
        const size_t length = chunk_piece_plan(&batch, first, &area);
        for (size_t i = first; i < first + length; i++) {
            const int64_t x = addresses[i].x - area.first.x, y = addresses[i].y - area.first.y;
            assert_true(x >= 0 && x < area.columns && y >= 0 && y < area.rows);
        }
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "%s%zu", first ? " " : "", length);
        first += length;
    }
    return text;
}

static void fill(struct chunk_address *out, int64_t columns, int64_t rows)
{
    for (int64_t i = 0; i < columns * rows; i++)
        out[i] = (struct chunk_address){i % columns - 3, i / columns - 5, 0};
}

static void neighbouring_chunks_are_rendered_together(void **state)
{
    (void)state;
    struct chunk_address addresses[256];
    fill(addresses, 8,
         2); /* 4225 samples each: 11 fit, but eight and one would be half a rectangle */
    assert_string_equal(pieces(64, addresses, 16), "8 8");
    fill(addresses, 256, 1);
    assert_string_equal(pieces(1, addresses, 256), "64 64 64 64");
    assert_string_equal(pieces(64, addresses, 23), "11 11 1");
    assert_string_equal(pieces(255, addresses, 3), "1 1 1"); /* 65,536 samples each */
    fill(addresses, 2, 4);
    assert_string_equal(pieces(16, addresses, 8), "8");
    for (int i = 0; i < 6; i++)
        addresses[i] = (struct chunk_address){7, 7, 0};
    assert_string_equal(pieces(16, addresses, 6), "6");
}

static void distant_chunks_are_rendered_apart(void **state)
{
    (void)state;
    struct chunk_address addresses[] = {{0, 0, 0},         {2, 0, 0},         {0, 9, 0}, {1, 9, 0},
                                        {INT64_MAX, 0, 0}, {INT64_MIN, 0, 0}, {1, 9, 0}};
    assert_string_equal(pieces(64, addresses, 7), "2 2 1 1 1");
    struct chunk_address edges[] = {{(int64_t)1 << 33, 0, 0}, {-((int64_t)1 << 33), 0, 0}};
    assert_string_equal(pieces(64, edges, 2), "1 1");
}

/* Chunks of 64 m lie within the world, 2^40 m each way, up to the index 2^34. */
static void chunks_beyond_the_edge_cost_nothing(void **state)
{
    (void)state;
    struct chunk_address addresses[] = {{0, 0, 0}, {(int64_t)1 << 35, 0, 0}, {0, INT64_MIN, 0}};
    const struct chunk_batch all = batch_of(64, addresses, 3);
    const struct chunk_batch beyond = batch_of(64, addresses + 1, 2);
    const uint64_t one = chunk_batch_total(&all, 1, CODING_IDENTITY, 0);
    assert_true(one > 0);
    assert_int_equal(chunk_batch_total(&all, 3, CODING_IDENTITY, 0), one);
    assert_int_equal(chunk_batch_total(&beyond, 2, CODING_IDENTITY, 0), 0);
}

/* The second record of the example of chunk_pieces.h. */
static void a_record_without_payload_has_its_bytes(void **state)
{
    (void)state;
    static const char expected[] = "TRNC\1\0\x94\1\0\0\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
    struct chunk_address address = {.x = INT64_C(1) << 40};
    const struct chunk_batch batch = batch_of(1, &address, 1);
    struct buffer out = {0};
    assert_true(chunk_piece_fail(&batch, 0, 404, &out));
    assert_int_equal(out.length, sizeof expected);
    assert_memory_equal(out.data, expected, sizeof expected);
    buffer_free(&out);
}

/* The same with objects: a second record, which begins with "TRNO" and is alike otherwise. */
static void a_chunk_with_objects_that_fails_has_two_records(void **state)
{
    (void)state;
    static const char header[] =
        "\1\0\xf7\1\3\0\0\0\0\0\0\0\xfe\xff\xff\xff\xff\xff\xff\xff\0\0\0\0\0\0\0";
    struct chunk_address address = {.x = 3, .y = -2};
    struct chunk_batch batch = batch_of(1, &address, 1);
    const size_t plain = chunk_piece_estimate_bytes(&batch);
    struct buffer out = {0};
    batch.has_objects = true;
    assert_true(chunk_piece_fail(&batch, 0, 503, &out));
    assert_int_equal(out.length, 64);
    for (size_t i = 0; i < 2; i++) {
        assert_memory_equal(out.data + 32 * i, i == 0 ? "TRNC" : "TRNO", 4);
        assert_memory_equal(out.data + 32 * i + 4, header, sizeof header);
    }
    assert_int_equal(chunk_piece_estimate_bytes(&batch), plain + 32); /* the world has no objects */
    buffer_free(&out);
}

int test_chunk_pieces(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbouring_chunks_are_rendered_together),
        cmocka_unit_test(distant_chunks_are_rendered_apart),
        cmocka_unit_test(chunks_beyond_the_edge_cost_nothing),
        cmocka_unit_test(a_record_without_payload_has_its_bytes),
        cmocka_unit_test(a_chunk_with_objects_that_fails_has_two_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
