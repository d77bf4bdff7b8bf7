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
 * A fresh mapping costs a page fault and a cleared page for each 4 KB. So sizes are rounded up to
 * eight per power of two, and up to two free blocks of each size up to 256 KB are kept for reuse.
 * MAP_POPULATE takes the rest of the faults in one call. The slots of the spare blocks are
 * exchanged atomically: who takes a pointer out owns the block. */
#define _GNU_SOURCE /* MAP_POPULATE */

#include "server/cache/block.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "server/cache/memory.h"

enum {
    PAGE = 4096,            /* where pages are larger, the system rounds up further */
    MAPPED_PAGES_MIN = 4,   /* below, the half page that rounding loses would be too much */
    SPARE_PAGES_MAX = 64,   /* larger free blocks are unmapped */
    SIZES_PER_DOUBLING = 8, /* sizes from one power of two to the next */
    SIZE_COUNT = 33,        /* up to SPARE_PAGES_MAX */
    SPARES_PER_SIZE = 2     /* 6 MB of all sizes */
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
        header = __atomic_exchange_n(&slots[i], NULL, __ATOMIC_ACQUIRE);
    return header;
}

static bool keep_spare(union block_header *header, size_t pages)
{
    union block_header **slots = spare_slots(pages), *expected = NULL;
    for (size_t i = 0; i < SPARES_PER_SIZE; i++, expected = NULL)
        if (__atomic_compare_exchange_n(&slots[i], &expected, header, false, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED))
            return true;
    return false;
}

/* Null without memory, and when the process has as many mappings as the system allows. */
static union block_header *map_pages(size_t pages)
{
    void *memory = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
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
}

size_t block_memory(const void *block)
{
    const union block_header *header = (const union block_header *)block - 1;
    return header->is_mapped ? header->size : allocated_size(header->size);
}
