/* Blocks of memory for values that are kept. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "server/cache/block.h"

static void blocks_of_every_size_are_writable(void **state)
{
    (void)state;
    for (size_t size = 0; size < 600000; size += size / 16 + 1) {
        uint8_t *block = block_new(size);
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % _Alignof(max_align_t), 0);
        assert_true(block_memory(block) > size);
        /* A head, a word, and an eighth of its pages at most; the smallest are five. */
        assert_true(block_memory(block) <= size + size / 8 + 4096 + 48);
        memset(block, 0xA5, size);
        block_free(block);
    }
    block_free(NULL);
}

static void impossible_sizes_are_refused(void **state)
{
    (void)state;
    assert_null(block_new(SIZE_MAX));
    assert_null(block_new(SIZE_MAX / 2 + 1));
}

/* Blocks that live at the same time are different ones, those that were free before included. */
static void live_blocks_never_overlap(void **state)
{
    enum { COUNT = 40 };
    uint32_t *blocks[COUNT];
    (void)state;
    for (uint32_t round = 0; round < 50; round++) {
        const size_t size = 12000 + 2000 * round, words = size / sizeof **blocks;
        for (uint32_t i = 0; i < COUNT; i++) {
            blocks[i] = block_new(size);
            assert_non_null(blocks[i]);
            blocks[i][0] = blocks[i][words - 1] = round * COUNT + i;
        }
        for (uint32_t i = 0; i < COUNT; i++) {
            assert_int_equal(blocks[i][0], round * COUNT + i);
            assert_int_equal(blocks[i][words - 1], round * COUNT + i);
            block_free(blocks[i]);
        }
    }
}

/* Bytes of the process's memory. */
static size_t resident(void)
{
    size_t total = 0, pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%zu %zu", &total, &pages), 2);
    fclose(file);
    return pages * 4096;
}

static void freed_memory_returns_to_the_system(void **state)
{
    enum { COUNT = 400, SIZE = 100000 };
    static void *blocks[COUNT];
    (void)state;
    const size_t before = resident();
    for (size_t i = 0; i < COUNT; i++)
        assert_non_null(blocks[i] = memset(block_new(SIZE), 1, SIZE));
    assert_true(resident() > before + (size_t)COUNT * SIZE * 9 / 10);
    for (size_t i = 0; i < COUNT; i++)
        block_free(blocks[i]);
    assert_true(resident() < before + (size_t)COUNT * SIZE / 4);
}

/* Bytes of a block that are in memory still. (Not those of the process: the address sanitizer keeps
 * what it notes of each block.) */
static size_t resident_in(const char *block, size_t size)
{
    const size_t page = 4096;
    size_t bytes = 0;
    for (size_t at = (uintptr_t)block / page * page; at < (uintptr_t)block + size; at += page) {
        unsigned char is_resident = 0; /* stays so where nothing is mapped any more */
        mincore((void *)at, page, &is_resident);
        bytes += (is_resident & 1) * page;
    }
    return bytes;
}

/* Spare blocks take 8 MB at most, though two of each of these sizes take 160 MB. */
static void spare_blocks_are_bounded_together(void **state)
{
    enum { FIRST = 300000, LAST = 4000000, STEP = 100000, COUNT = (LAST - FIRST) / STEP + 1 };
    static void *blocks[2 * COUNT];
    size_t used = 0, spare = 0;
    (void)state;
    for (size_t i = 0; i < 2 * (size_t)COUNT; i++) {
        const size_t size = FIRST + i / 2 * STEP;
        assert_non_null(blocks[i] = block_new(size));
        memset(blocks[i], 1, size);
        used += resident_in(blocks[i], size);
    }
    assert_true(used >= 155000000);
    for (size_t i = 0; i < 2 * (size_t)COUNT; i++)
        block_free(blocks[i]);
    for (size_t i = 0; i < 2 * (size_t)COUNT; i++)
        spare += resident_in(blocks[i], FIRST + i / 2 * STEP);
    assert_true(spare <= (8 << 20) + (1 << 20));
}

enum { THREADS = 4, ROUNDS = 20000, PLACES = 16 };

/* Atomic: blocks wander between the threads. */
static uint64_t *places[PLACES];

static void *exchange_blocks(void *argument)
{
    uint64_t random = (uintptr_t)argument;
    size_t torn = 0;
    for (uint64_t i = 0; i < ROUNDS; i++) {
        random = random * 6364136223846793005U + 1442695040888963407U;
        const size_t words = 1000 + (random >> 33) % 8000;
        uint64_t *block = block_new(words * sizeof *block);
        if (!block)
            return "no memory";
        block[0] = words;
        block[words - 1] = words;
        block = __atomic_exchange_n(&places[random >> 60], block, __ATOMIC_ACQ_REL);
        if (block)
            torn += block[block[0] - 1] != block[0];
        block_free(block);
    }
    return torn ? "torn" : NULL;
}

static void threads_free_each_others_blocks(void **state)
{
    pthread_t threads[THREADS];
    (void)state;
    for (uintptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, exchange_blocks, (void *)(i + 1)), 0);
    for (size_t i = 0; i < THREADS; i++) {
        void *fault = NULL;
        assert_int_equal(pthread_join(threads[i], &fault), 0);
        assert_null(fault);
    }
    for (size_t i = 0; i < PLACES; i++)
        block_free(places[i]);
}

int test_block(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_of_every_size_are_writable),
        cmocka_unit_test(impossible_sizes_are_refused),
        cmocka_unit_test(live_blocks_never_overlap),
        cmocka_unit_test(freed_memory_returns_to_the_system),
        cmocka_unit_test(spare_blocks_are_bounded_together),
        cmocka_unit_test(threads_free_each_others_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
