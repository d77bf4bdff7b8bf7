#include "tests/faults/allocations.h"

#include <stdlib.h>
#include <string.h>

static struct {
    bool armed, struck;
    enum fault_mode mode;
    size_t left; /* allocations until the one that fails */
} faults;

void faults_arm(enum fault_mode mode, size_t number)
{
    faults.mode = mode;
    faults.left = number;
    faults.struck = false;
    faults.armed = true;
}

void faults_disarm(void)
{
    faults.armed = false;
}

bool faults_struck(void)
{
    return faults.struck;
}

static bool strikes(void)
{
    if (!faults.armed || (faults.struck && faults.mode == FAULT_ONCE))
        return false;
    if (!faults.struck && --faults.left > 0)
        return false;
    faults.struck = true;
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
    return strikes() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return strikes() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    return strikes() ? NULL : __real_realloc(memory, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return strikes() ? NULL : __real_aligned_alloc(alignment, size);
}

char *__wrap_strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = __wrap_malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}
