#include "tests/faults/allocation_faults.h"

#include <stdlib.h>
#include <string.h>

static struct {
    bool active, triggered;
    enum fault_mode mode;
    size_t left; /* allocations until the one that fails */
} faults;

void faults_inject(enum fault_mode mode, size_t number)
{
    faults.mode = mode;
    faults.left = number;
    faults.triggered = false;
    faults.active = true;
}

void faults_clear(void)
{
    faults.active = false;
}

bool faults_triggered(void)
{
    return faults.triggered;
}

static bool should_fail(void)
{
    if (!faults.active || (faults.triggered && faults.mode == FAULT_ONCE))
        return false;
    if (!faults.triggered && --faults.left > 0)
        return false;
    faults.triggered = true;
    return true;
}

/* The linker's names: calls of f go to __wrap_f, and __real_f is f. */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
char *__wrap_strdup(const char *text);

void *__wrap_malloc(size_t size)
{
    return should_fail() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return should_fail() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    return should_fail() ? NULL : __real_realloc(memory, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return should_fail() ? NULL : __real_aligned_alloc(alignment, size);
}

char *__wrap_strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = __wrap_malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}
