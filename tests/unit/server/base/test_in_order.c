#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "server/base/clock.h"
#include "server/base/in_order.h"

enum { PIECES = 1000, NONE = PIECES + 1 };

struct record {
    uint64_t used;             /* how many, in their order */
    uint64_t unmade, unusable; /* pieces that fail, or NONE */
    bool has_memory;
    atomic_int memories; /* that are not given back */
    bool is_out_of_order;
};

static void *begin(void *context)
{
    struct record *record = context;
    if (!record->has_memory)
        return NULL;
    struct record **memory = malloc(sizeof *memory);
    *memory = record;
    record->memories++;
    return memory;
}

static void end(void *memory)
{
    (*(struct record **)memory)->memories--;
    free(memory);
}

static bool make(void *context, const struct in_order_piece *piece, struct error *error)
{
    struct record *record = context;
    assert_ptr_equal(*(struct record **)piece->memory, record);
    assert_ptr_equal(*(struct record **)piece->thread, record);
    return piece->number < record->unmade ||
           error_set(error, ERROR_VALUE, "made %u", (unsigned)piece->number);
}

static bool use(void *context, const struct in_order_piece *piece, struct error *error)
{
    struct record *record = context;
    record->is_out_of_order |= piece->number != record->used;
    if (piece->number == record->unusable)
        return error_set(error, ERROR_IO, "used %u", (unsigned)piece->number);
    record->used++;
    return true;
}

static bool run(struct record *record, unsigned threads, struct error *error)
{
    const struct in_order work = {.count = PIECES,
                                  .threads = threads,
                                  .ahead = threads % 3,
                                  .context = record,
                                  .begin = begin,
                                  .end = end,
                                  .begin_thread = begin,
                                  .end_thread = end,
                                  .make = make,
                                  .use = use};
    const bool done = in_order_run(&work, error);
    assert_int_equal(record->memories, 0);
    assert_false(record->is_out_of_order);
    return done;
}

static void pieces_are_used_in_their_order(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 8; threads++) {
        struct record record = {.unmade = NONE, .unusable = NONE, .has_memory = true};
        struct error error = {0};
        assert_true(run(&record, threads, &error));
        assert_int_equal(record.used, PIECES);
    }
}

/* Pieces behind it fail too, but later in the order. */
static void the_first_failure_counts(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 8; threads++) {
        struct record record = {.unmade = 500, .unusable = NONE, .has_memory = true};
        struct error error = {0};
        assert_false(run(&record, threads, &error));
        assert_string_equal(error.message, "made 500");
        assert_int_equal(record.used, 500);
        record = (struct record){.unmade = 500, .unusable = 77, .has_memory = true};
        assert_false(run(&record, threads, &error));
        assert_string_equal(error.message, "used 77");
        assert_int_equal(record.used, 77);
    }
}

static void no_memory_is_an_error(void **state)
{
    (void)state;
    struct record record = {.unmade = NONE, .unusable = NONE};
    struct error error = {0};
    assert_false(run(&record, 3, &error));
    assert_int_equal(error.code, ERROR_MEMORY);
}

/* Pieces that are made while the first one is not finished. */
struct queue {
    atomic_uint made, used;
    bool is_too_long;
};

enum { AHEAD = 4, ROOM = 2 * AHEAD };

/* The first piece takes until as many others are made as there is room for. */
static bool make_behind_the_first(void *context, const struct in_order_piece *piece,
                                  struct error *error)
{
    struct queue *queue = context;
    (void)error;
    while (piece->number == 0 && queue->made < ROOM - 1)
        sched_yield();
    queue->made++;
    return true;
}

static bool count_waiting(void *context, const struct in_order_piece *piece, struct error *error)
{
    struct queue *queue = context;
    (void)piece, (void)error;
    queue->is_too_long |= queue->made - queue->used > ROOM;
    queue->used++;
    return true;
}

/* Pieces of a sample. */
struct tenths {
    atomic_uint made;
    unsigned used[10]; /* of each tenth of the work */
};

static void *begin_nothing(void *context)
{
    return context;
}

static void end_nothing(void *memory)
{
    (void)memory;
}

static bool make_slowly(void *context, const struct in_order_piece *piece, struct error *error)
{
    (void)piece, (void)error;
    ((struct tenths *)context)->made++;
    const int64_t begun = clock_thread_nanoseconds();
    while (clock_thread_nanoseconds() - begun < 1000000)
        ;
    return nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL) == 0;
}

static bool use_tenth(void *context, const struct in_order_piece *piece, struct error *error)
{
    (void)error;
    ((struct tenths *)context)->used[piece->number / (PIECES / 10)]++;
    return true;
}

static void pieces_wait_for_an_expensive_one_as_far_as_there_is_room(void **state)
{
    (void)state;
    struct queue queue = {0};
    struct error error = {0};
    const struct in_order work = {.count = PIECES,
                                  .threads = 2,
                                  .ahead = AHEAD,
                                  .context = &queue,
                                  .begin = begin_nothing,
                                  .end = end_nothing,
                                  .make = make_behind_the_first,
                                  .use = count_waiting};
    assert_true(in_order_run(&work, &error));
    assert_int_equal(queue.used, PIECES);
    assert_false(queue.is_too_long);
}

/* Each piece takes a millisecond of a processor, and ten on the clock; two threads make two at
 * once.
 */
static void samples_are_spread_and_tell_the_time_of_all(void **state)
{
    (void)state;
    struct tenths tenths = {0};
    struct error error = {0};
    struct in_order_sample sample = {.least = 1, .most = 40, .milliseconds = INT64_MAX / 2};
    const struct in_order work = {.count = PIECES,
                                  .threads = 2,
                                  .context = &tenths,
                                  .begin = begin_nothing,
                                  .end = end_nothing,
                                  .make = make_slowly,
                                  .use = use_tenth};
    assert_true(in_order_sample(&work, &sample, &error));
    assert_int_equal(sample.made, 40);
    assert_true(sample.seconds >= PIECES * 0.001 / 2);
    assert_true(sample.seconds < PIECES * 0.010 / 2);
    for (unsigned i = 0; i < 10; i++)
        assert_in_range(tenths.used[i], 3, 5);
}

static void a_sample_ends_when_its_time_is_over(void **state)
{
    (void)state;
    struct tenths tenths = {0};
    struct error error = {0};
    struct in_order_sample sample = {.least = 7, .most = 40, .milliseconds = -1};
    const struct in_order work = {.count = PIECES,
                                  .threads = 1,
                                  .context = &tenths,
                                  .begin = begin_nothing,
                                  .end = end_nothing,
                                  .make = make_slowly};
    assert_true(in_order_sample(&work, &sample, &error));
    assert_int_equal(sample.made, 7);
    assert_int_equal(tenths.made, 7);
    struct record record = {.unmade = 0, .unusable = NONE, .has_memory = true};
    const struct in_order failing = {.count = PIECES,
                                     .threads = 2,
                                     .context = &record,
                                     .begin = begin,
                                     .end = end,
                                     .begin_thread = begin,
                                     .end_thread = end,
                                     .make = make};
    assert_false(in_order_sample(&failing, &sample, &error));
    assert_string_equal(error.message, "made 0");
}

int test_in_order(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_used_in_their_order),
        cmocka_unit_test(the_first_failure_counts),
        cmocka_unit_test(no_memory_is_an_error),
        cmocka_unit_test(pieces_wait_for_an_expensive_one_as_far_as_there_is_room),
        cmocka_unit_test(samples_are_spread_and_tell_the_time_of_all),
        cmocka_unit_test(a_sample_ends_when_its_time_is_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
