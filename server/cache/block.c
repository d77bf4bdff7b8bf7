#define _GNU_SOURCE /* MAP_POPULATE */

#include "server/cache/block.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "server/cache/memory.h"

enum {
    PAGE = 4096,      /* where pages are larger, the system rounds up once more */
    MAPPED_MIN = 4,   /* pages; below, half a page lost would be too much */
    SPARE_MAX = 64,   /* pages */
    STEPS = 8,        /* sizes from one power of two to the next */
    SIZES = 33,       /* up to SPARE_MAX */
    SPARES_A_SIZE = 2 /* 6 MB of all sizes */
};

/* In front of each block. */
union head {
    struct {
        size_t size; /* with the head */
        bool is_mapped;
    };
    max_align_t alignment;
};

/* Atomic; taken and put by exchange, so each has one owner. */
static union head *spares[SIZES][SPARES_A_SIZE];

/* The binary digits below the first four, in which sizes do not differ. */
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

static union head **spares_of(size_t pages)
{
    const unsigned shift = size_shift(pages);
    return spares[shift * STEPS + (pages >> shift)];
}

static union head *take_spare(size_t pages)
{
    union head **slots = spares_of(pages), *head = NULL;
    for (size_t i = 0; i < SPARES_A_SIZE && !head; i++)
        head = __atomic_exchange_n(&slots[i], NULL, __ATOMIC_ACQUIRE);
    return head;
}

static bool keep_spare(union head *head, size_t pages)
{
    union head **slots = spares_of(pages), *none = NULL;
    for (size_t i = 0; i < SPARES_A_SIZE; i++, none = NULL)
        if (__atomic_compare_exchange_n(&slots[i], &none, head, false, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED))
            return true;
    return false;
}

/* All of its pages at once. Null also where there are too many mappings. */
static union head *map(size_t pages)
{
    void *memory = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static union head *new_pages(size_t pages)
{
    union head *head = pages <= SPARE_MAX ? take_spare(pages) : NULL;
    if (!head)
        head = map(pages);
    if (head)
        *head = (union head){{pages * PAGE, true}};
    return head;
}

void *block_new(size_t size)
{
    union head *head = NULL;
    if (size > SIZE_MAX / 2)
        return NULL;
    size += sizeof *head;
    if (size >= (size_t)MAPPED_MIN * PAGE)
        head = new_pages(round_up((size + PAGE - 1) / PAGE));
    if (!head && (head = malloc(size)))
        *head = (union head){{size, false}};
    return head ? head + 1 : NULL;
}

void block_free(void *block)
{
    if (!block)
        return;
    union head *head = (union head *)block - 1;
    const size_t pages = head->size / PAGE;
    if (!head->is_mapped)
        free(head);
    else if (pages > SPARE_MAX || !keep_spare(head, pages))
        munmap(head, head->size);
}

size_t block_cost(const void *block)
{
    const union head *head = (const union head *)block - 1;
    return head->is_mapped ? head->size : cache_allocation(head->size);
}
