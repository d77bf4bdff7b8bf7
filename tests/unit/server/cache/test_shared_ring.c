/* The distribution of keys over servers. All expectations were computed by other programs. */
#include "server/cache/shared_ring.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct shared_ring *ring_of(const char *url)
{
    struct server_list list = {0};
    assert_true(server_list_add(&list, url, NULL));
    struct shared_ring *ring = shared_ring_new(&list, NULL);
    assert_non_null(ring);
    return ring;
}

/* The 24 keys terrane1:0…0 to terrane1:0…17 (hex), by an implementation of ketama in Python: MD5 of
 * "host:port-i" ("host-i" on port 11211), 40 of them a server, four points each. */
static void keys_are_distributed_by_ketama(void **state)
{
    static const struct {
        const char *url, *expected;
    } cases[] = {
        {"memcached://cache-1:11211,cache-2:11211,10.0.0.7:11311", "222122001020011111001121"},
        {"memcached://10.0.0.7:11311,cache-1", "000100110101111010111101"},
        {"memcached://cache-1", "000000000000000000000000"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct shared_ring *ring = ring_of(cases[i].url);
        for (unsigned k = 0; k < 24; k++) {
            char key[64];
            snprintf(key, sizeof key, "terrane1:%032x", k);
            assert_int_equal(shared_ring_find(ring, key, strlen(key)), cases[i].expected[k] - '0');
        }
        shared_ring_free(ring);
    }
}

/* The servers of 200 keys by libmemcached 1.1.4, MEMCACHED_BEHAVIOR_KETAMA_WEIGHTED. */
static void keys_are_where_libmemcached_has_them(void **state)
{
#define TWO "memcached://cache-1:11211,cache-2:11211"
#define FIVE TWO ",10.0.0.7:11311,[2001:db8::5]:11211,memcached-4.internal:11212"
    static const struct {
        const char *url, *expected;
    } cases[] = {
        {"memcached://cache-1:11211",
         "00000000000000000000000000000000000000000000000000000000000000000000000000000000"
         "00000000000000000000000000000000000000000000000000000000000000000000000000000000"
         "0000000000000000000000000000000000000000"},
        {TWO, "00111111011100001110111001111000100000111010101111100100110000110000111110000110"
              "10001000111101000111001001010111000111101110111101010011000111100011011111001100"
              "1111001001011111100001101100000101111010"},
        {TWO ",10.0.0.7:11311",
         "20111122212102002220122201211020220000122022202111200120112200220000112110200120"
         "10221002112121000112001201212112220211101110112221210021000112220222012211021120"
         "1122001002012111222021101200020102212212"},
        {FIVE, "40433122212303002220434203441040234330334044342144400434313200334330112113204324"
               "14233002132121034112034203213112323411101410144423444021004314420224412414421320"
               "1322004403412111434341333200023142412414"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct shared_ring *ring = ring_of(cases[i].url);
        assert_int_equal(strlen(cases[i].expected), 200);
        for (unsigned k = 0; k < 200; k++) {
            char key[64];
            snprintf(key, sizeof key, "terrane1:01234567:%032x", k);
            assert_int_equal(shared_ring_find(ring, key, strlen(key)), cases[i].expected[k] - '0');
        }
        shared_ring_free(ring);
    }
}

/* With 25 servers libmemcached rounds the number of points per server down to 156. */
static void the_number_of_points_is_libmemcacheds(void **state)
{
    static const uint8_t expected[] = {
        14, 4,  18, 11, 16, 0,  4,  10, 0,  17, 7,  19, 6,  24, 4,  5,  8,  20, 2,  1,
        13, 6,  11, 23, 23, 18, 16, 5,  16, 1,  19, 19, 13, 16, 13, 1,  14, 3,  15, 16,
        21, 20, 10, 17, 16, 4,  17, 20, 20, 11, 17, 9,  10, 23, 14, 18, 13, 13, 2,  8,
        0,  11, 21, 9,  8,  24, 2,  9,  10, 7,  17, 0,  13, 5,  23, 10, 16, 21, 14, 11,
        15, 13, 5,  13, 6,  23, 20, 13, 15, 4,  5,  21, 1,  22, 7,  13, 20, 6,  0,  0};
    char url[1024] = "memcached://10.1.0.0:12000";
    (void)state;
    for (int i = 1; i < 25; i++)
        snprintf(url + strlen(url), sizeof url - strlen(url), ",10.1.%d.%d:%d", i % 3, i,
                 i % 2 ? 11211 : 12000 + i);
    struct shared_ring *ring = ring_of(url);
    for (unsigned k = 0; k < sizeof expected; k++) {
        char key[64];
        snprintf(key, sizeof key, "terrane1:%08x:%032x", k * 2654435761U, k);
        assert_int_equal(shared_ring_find(ring, key, strlen(key)), expected[k]);
    }
    shared_ring_free(ring);
}

int test_shared_ring(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_distributed_by_ketama),
        cmocka_unit_test(keys_are_where_libmemcached_has_them),
        cmocka_unit_test(the_number_of_points_is_libmemcacheds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
