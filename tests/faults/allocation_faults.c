#include "tests/faults/allocation_faults.h"

#include <execinfo.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static struct {
    bool active, recording, triggered;
    enum fault_mode mode;
    size_t left; /* allocations until the one that fails */
} faults;

/* Behind EACH_OF_FIRST the first SAME_STACK_MAX of a stack are chosen, and of all one in STRIDE. */
enum { EACH_OF_FIRST = 40, SAME_STACK_MAX = 2, STRIDE = 97 };
enum { FRAMES_MAX = 48, STACKS = 1 << 20, RECORDS_MAX = 1 << 20 };

static struct {
    size_t count;
    bool chosen[RECORDS_MAX + 1]; /* by the number of the allocation */
    uint8_t seen[STACKS];         /* allocations by hash of their stacks, up to SAME_STACK_MAX */
} records;

void faults_record(void)
{
    memset(&records, 0, sizeof records);
    faults.active = faults.recording = true;
    faults.triggered = false;
}

/* Of the callers, each once: how deep a recursion went makes no difference. */
static uint64_t hash_stack(void)
{
    void *frames[FRAMES_MAX];
    const int depth = backtrace(frames, FRAMES_MAX);
    uint64_t hash = 0;
    for (int i = 0; i < depth; i++) {
        int first = 0;
        while (frames[first] != frames[i])
            first++;
        if (first == i)
            hash = ((hash ^ (uintptr_t)frames[i]) * 0x9e3779b97f4a7c15) ^ (hash >> 29);
    }
    return hash >> 32;
}

static void record(void)
{
    if (++records.count > RECORDS_MAX)
        return;
    uint8_t *const seen = &records.seen[hash_stack() % STACKS];
    records.chosen[records.count] =
        records.count <= EACH_OF_FIRST || *seen < SAME_STACK_MAX || records.count % STRIDE == 0;
    *seen += *seen < SAME_STACK_MAX;
}

size_t faults_recorded(void)
{
    return records.count;
}

bool faults_is_chosen(size_t number)
{
    return number > RECORDS_MAX || records.chosen[number];
}

void faults_inject(enum fault_mode mode, size_t number)
{
    faults.mode = mode;
    faults.left = number;
    faults.triggered = false;
    faults.active = true;
}

void faults_clear(void)
{
    faults.active = faults.recording = false;
}

bool faults_triggered(void)
{
    return faults.triggered;
}

static bool should_fail(void)
{
    if (faults.recording)
        record();
    if (!faults.active || faults.recording || (faults.triggered && faults.mode == FAULT_ONCE))
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
