/* A store in the file tiles.db of the test's folder, and simple records for it. */
#ifndef TERRANE_TESTS_DISK_FIXTURE_H
#define TERRANE_TESTS_DISK_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "server/cache/disk.h"
#include "tests/unit/server/cache/store_helpers.h"
#include "tests/unit/temporary_folder.h"

enum { SMALL = 16 << 20 };

static const char *path;

static inline int set_path(void **state)
{
    (void)state;
    path = temporary_path("tiles.db");
    return 0;
}

static inline const char *beside(const char *suffix)
{
    return temporary_path("tiles.db%s", suffix);
}

static inline bool is_there(const char *suffix)
{
    return access(beside(suffix), F_OK) == 0;
}

static inline uint64_t size_of(const char *suffix)
{
    struct stat status;
    return stat(beside(suffix), &status) == 0 ? (uint64_t)status.st_size : 0;
}

static inline struct store *open_disk(void)
{
    const struct disk_options options = {path, SMALL, 2};
    struct error error = {0};
    struct store *store = disk_open(&options, &error);
    if (!store)
        print_error("%s\n", error.message);
    assert_non_null(store);
    assert_string_equal(store->methods->name, "disk");
    return store;
}

/* A record is the number over and over. */
static inline void put(struct store *store, uint64_t number, size_t length)
{
    const struct cache_key key = key_of(number);
    uint8_t *record = malloc(length);
    assert_non_null(record);
    for (size_t i = 0; i < length; i++)
        record[i] = (uint8_t)(number >> i % 8 * 8);
    store->methods->put(store, &key, record, length);
    free(record);
}

/* Its length if it is there; a wrong byte fails. */
static inline size_t get(struct store *store, uint64_t number)
{
    const struct cache_key key = key_of(number);
    struct buffer out = {0};
    enum store_result found = store->methods->get(store, &key, &out);
    assert_int_not_equal(found, STORE_FAILED);
    assert_int_equal(found == STORE_HIT, out.length > 0);
    for (size_t i = 0; i < out.length; i++)
        assert_int_equal(out.data[i], (uint8_t)(number >> i % 8 * 8));
    const size_t length = out.length;
    buffer_free(&out);
    return length;
}

/* A test that begins with an empty folder. */
#define in_a_folder(test) cmocka_unit_test_setup_teardown(test, set_path, temporary_folder_remove)

#endif
