/* Blocks of 16 KB and more are memory mappings of their own; smaller ones come from malloc().
 *
 * Why: a cache of 64 MB must not take 170 MB. glibc gives each thread a heap, and a freed value
 * leaves a hole in the heap of the thread that made it, which other threads cannot fill. One heap
 * for all threads is smaller (108 MB), but render threads of low priority then hold its lock while
 * event loops wait: three to five times as many waits of more than a millisecond on a busy machine.
 * A mapping goes back to the system whoever frees it.
 *
 * Debian's allocators were measured with four threads that fill a cache of 64 MB with values of up
 * to 120 KB (260 KB): resident memory is 77 MB (72) with this file, 97 (140) with jemalloc 5.3, 137
 * (176) with mimalloc 2.0.9 and 170 (173) with glibc. A value costs 4 to 8 µs more than with them,
 * which is little beside its rendering. They would also change the whole program's allocator for
 * the sake of these 90 lines.
 *
 * A fresh mapping costs a page fault and a cleared page for each 4 KB, and several times as much
 * where a hypervisor shadows page tables: 2 to 4 ns a byte. So sizes are rounded up to eight per
 * power of two, and some free blocks of each size up to 4 MB are kept for reuse, 8 MB in all:
 * one more drops others in turn. The rest of the faults are taken in one call, and from 2 MB on
 * large pages are asked for, of which a chunk has few (14 MB: 2 ms instead of 42). The slots of the
 * spare blocks are exchanged atomically: who takes a pointer out owns the block. */
#define _GNU_SOURCE /* MAP_POPULATE, MADV_HUGEPAGE */

#include "server/cache/block.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "server/cache/memory.h"

enum {
    PAGE = 4096,            /* where pages are larger, the system rounds up further */
    MAPPED_PAGES_MIN = 4,   /* below, the half page that rounding loses would be too much */
    LARGE_PAGE = 1 << 21,   /* of most processors */
    SPARE_PAGES_MAX = 1024, /* larger free blocks are unmapped */
    SPARE_PAGES_ALL = 2048, /* of all spare blocks */
    SIZES_PER_DOUBLING = 8, /* sizes from one power of two to the next */
    SIZE_COUNT = 65,        /* up to SPARE_PAGES_MAX */
    SPARES_PER_SIZE = 12,   /* a piece of a batch has up to eleven chunks of 64 steps */
};

/* In front of each block. */
union block_header {
    struct {
        size_t size; /* header included */
        bool is_mapped;
    };
    max_align_t alignment;
};

/* Each pointer is atomic; null for a free slot. */
static union block_header *spare_blocks[SIZE_COUNT][SPARES_PER_SIZE];
/* Both atomic: the pages of all of them, and how many slots were looked at to drop some. */
static size_t spare_pages;
static unsigned spare_turn;

/* The number of low bits that rounding clears: all but the four leading bits. */
static unsigned size_shift(size_t pages)
{
    const unsigned digits = 64 - (unsigned)__builtin_clzll(pages);
    return digits > 4 ? digits - 4 : 0;
}

static size_t round_up(size_t pages)
{
    const size_t step = (size_t)1 << size_shift(pages);
    return (pages + step - 1) & ~(step - 1);
}

static union block_header **spare_slots(size_t pages)
{
    const unsigned shift = size_shift(pages);
    return spare_blocks[shift * SIZES_PER_DOUBLING + (pages >> shift)];
}

static union block_header *take_spare(size_t pages)
{
    union block_header **slots = spare_slots(pages), *header = NULL;
    for (size_t i = 0; i < SPARES_PER_SIZE && !header; i++)
        if (__atomic_load_n(&slots[i], __ATOMIC_RELAXED))
            header = __atomic_exchange_n(&slots[i], NULL, __ATOMIC_ACQUIRE);
    if (header)
        __atomic_sub_fetch(&spare_pages, pages, __ATOMIC_RELAXED);
    return header;
}

/* Unmaps spare blocks until the others are few enough. */
static void drop_spares(void)
{
    const unsigned slots = SIZE_COUNT * SPARES_PER_SIZE;
    for (unsigned i = 0;
         i < slots && __atomic_load_n(&spare_pages, __ATOMIC_RELAXED) > SPARE_PAGES_ALL; i++) {
        const unsigned slot = __atomic_fetch_add(&spare_turn, 1, __ATOMIC_RELAXED) % slots;
        union block_header *header = __atomic_exchange_n(
            &spare_blocks[slot / SPARES_PER_SIZE][slot % SPARES_PER_SIZE], NULL, __ATOMIC_ACQUIRE);
        if (!header)
            continue;
        __atomic_sub_fetch(&spare_pages, header->size / PAGE, __ATOMIC_RELAXED);
        munmap(header, header->size);
    }
}

static bool keep_spare(union block_header *header, size_t pages)
{
    union block_header **slots = spare_slots(pages), *expected = NULL;
    /* Counted first, as another thread may take it at once. */
    __atomic_add_fetch(&spare_pages, pages, __ATOMIC_RELAXED);
    for (size_t i = 0; i < SPARES_PER_SIZE; i++, expected = NULL)
        if (__atomic_compare_exchange_n(&slots[i], &expected, header, false, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED))
            return true;
    __atomic_sub_fetch(&spare_pages, pages, __ATOMIC_RELAXED);
    return false;
}

/* Null without memory, and when the process has as many mappings as the system allows. */
static uint8_t *map_bytes(size_t size, int populate)
{
    void *memory =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | populate, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

/* The same at a border of large pages. Systems without them take the advice for nothing. */
static uint8_t *map_large(size_t size)
{
    uint8_t *memory = map_bytes(size + LARGE_PAGE, 0);
    if (!memory)
        return NULL;
    const size_t before = -(uintptr_t)memory % LARGE_PAGE;
    if (before > 0)
        munmap(memory, before);
    munmap(memory + before + size, LARGE_PAGE - before);
    memory += before;
    madvise(memory, size, MADV_HUGEPAGE);
#ifdef MADV_POPULATE_WRITE
    madvise(memory, size, MADV_POPULATE_WRITE);
#endif
    return memory;
}

static union block_header *map_pages(size_t pages)
{
    const size_t size = pages * PAGE;
    return (void *)(size < LARGE_PAGE ? map_bytes(size, MAP_POPULATE) : map_large(size));
}

static union block_header *new_pages(size_t pages)
{
    union block_header *header = pages <= SPARE_PAGES_MAX ? take_spare(pages) : NULL;
    if (!header)
        header = map_pages(pages);
    if (header)
        *header = (union block_header){{pages * PAGE, true}};
    return header;
}

void *block_new(size_t size)
{
    union block_header *header = NULL;
    if (size > SIZE_MAX / 2)
        return NULL;
    size += sizeof *header;
    if (size >= (size_t)MAPPED_PAGES_MIN * PAGE)
        header = new_pages(round_up((size + PAGE - 1) / PAGE));
    if (!header && (header = malloc(size)))
        *header = (union block_header){{size, false}};
    return header ? header + 1 : NULL;
}

void block_free(void *block)
{
    if (!block)
        return;
    union block_header *header = (union block_header *)block - 1;
    const size_t pages = header->size / PAGE;
    if (!header->is_mapped)
        free(header);
    else if (pages > SPARE_PAGES_MAX || !keep_spare(header, pages))
        munmap(header, header->size);
    else
        drop_spares();
}

size_t block_memory(const void *block)
{
    const union block_header *header = (const union block_header *)block - 1;
    return header->is_mapped ? header->size : allocated_size(header->size);
}
