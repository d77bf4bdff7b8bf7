/* The tiers: who is asked, who is given what, and that a record that does not open is no answer. */
#include "server/cache/tiers.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "server/base/clock.h"

static const struct hash128 build = {.high = 1, .low = 2};

/* Holds up whoever asks a store, until it is opened. */
struct barrier {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned held; /* who stands before it */
    bool open;
};

/* Milliseconds that no answer here takes, however busy the machine is. */
enum { LONG_TIMEOUT = 60000 };

/* A store of one record, whoever asks. What it does is counted in `calls`, which outlives it. */
struct store_calls {
    unsigned gets, puts, invalidate, cancelled, freed; /* atomic */
    bool is_unavailable;
    struct barrier *barrier; /* or null */
    struct buffer record;
};

struct fake_store {
    struct store store;
    struct store_calls *calls;
};

static void barrier_wait(struct barrier *barrier)
{
    pthread_mutex_lock(&barrier->lock);
    barrier->held++;
    pthread_cond_broadcast(&barrier->changed);
    while (!barrier->open)
        pthread_cond_wait(&barrier->changed, &barrier->lock);
    pthread_mutex_unlock(&barrier->lock);
}

static void barrier_wait_held(struct barrier *barrier, unsigned held)
{
    pthread_mutex_lock(&barrier->lock);
    while (barrier->held < held)
        pthread_cond_wait(&barrier->changed, &barrier->lock);
    pthread_mutex_unlock(&barrier->lock);
}

static void barrier_release(struct barrier *barrier)
{
    pthread_mutex_lock(&barrier->lock);
    barrier->open = true;
    pthread_cond_broadcast(&barrier->changed);
    pthread_mutex_unlock(&barrier->lock);
}

static bool fake_is_unavailable(struct store *store, const struct cache_key *key)
{
    (void)key;
    return ((struct fake_store *)store)->calls->is_unavailable;
}

static enum store_result fake_get(struct store *store, const struct cache_key *key,
                                  struct buffer *out)
{
    struct store_calls *calls = ((struct fake_store *)store)->calls;
    (void)key;
    __atomic_fetch_add(&calls->gets, 1, __ATOMIC_RELAXED);
    if (calls->barrier)
        barrier_wait(calls->barrier);
    if (calls->record.length == 0)
        return STORE_MISS;
    buffer_append(out, calls->record.data, calls->record.length);
    return STORE_HIT;
}

static void fake_put(struct store *store, const struct cache_key *key, const uint8_t *record,
                     size_t length)
{
    struct store_calls *calls = ((struct fake_store *)store)->calls;
    struct record read;
    assert_true(record_open(record, length, key, build, &read));
    __atomic_fetch_add(&calls->puts, 1, __ATOMIC_RELAXED);
    buffer_clear(&calls->record);
    buffer_append(&calls->record, record, length);
}

static void fake_invalidate(struct store *store, const struct cache_key *key)
{
    (void)key;
    __atomic_fetch_add(&((struct fake_store *)store)->calls->invalidate, 1, __ATOMIC_RELAXED);
}

static void fake_cancel(struct store *store)
{
    __atomic_fetch_add(&((struct fake_store *)store)->calls->cancelled, 1, __ATOMIC_RELAXED);
}

static void fake_free(struct store *store)
{
    ((struct fake_store *)store)->calls->freed++;
    free(store);
}

static struct store *fake_new(struct store_calls *calls, const struct store_methods *methods,
                              unsigned timeout)
{
    struct fake_store *fake = calloc(1, sizeof *fake);
    assert_non_null(fake);
    fake->store.methods = methods;
    fake->store.timeout = timeout;
    fake->calls = calls;
    return &fake->store;
}

#define FAKE_METHODS(its_name)                                                                     \
    {                                                                                              \
        .name = its_name, .is_unavailable = fake_is_unavailable, .get = fake_get, .put = fake_put, \
        .invalidate = fake_invalidate, .cancel = fake_cancel, .free = fake_free                    \
    }
static const struct store_methods near_methods = FAKE_METHODS("near");
static const struct store_methods far_methods = FAKE_METHODS("far");

static struct cache_key key_of(uint8_t first)
{
    struct cache_key key;
    memset(&key, 0, sizeof key);
    key.bytes[0] = first;
    cache_key_seal(&key);
    return key;
}

static void seal(uint8_t first, struct hash128 of, struct buffer *out)
{
    struct record record = {
        .build = of, .format = "png", .bytes = (const uint8_t *)"tile", .length = 4};
    record.key[0] = first;
    record_seal(&record, out);
    assert_false(out->failed);
}

struct test_fetch {
    struct tier_fetch fetch;
    pthread_mutex_t lock;
    pthread_cond_t answered;
    bool done, found;
    const char *tier;
};

static void on_fetched(struct tier_fetch *fetch, const struct record *record, const char *tier)
{
    struct test_fetch *fetch_test = (struct test_fetch *)fetch;
    pthread_mutex_lock(&fetch_test->lock);
    fetch_test->done = true;
    fetch_test->found = record && record->length == 4 && memcmp(record->bytes, "tile", 4) == 0;
    fetch_test->tier = tier;
    pthread_cond_signal(&fetch_test->answered);
    pthread_mutex_unlock(&fetch_test->lock);
}

static bool test_fetch_start(struct test_fetch *fetch_test, struct tiers *tiers, uint8_t first)
{
    *fetch_test = (struct test_fetch){.fetch = {.key = key_of(first), .done = on_fetched}};
    pthread_mutex_init(&fetch_test->lock, NULL);
    pthread_cond_init(&fetch_test->answered, NULL);
    return tiers_fetch(tiers, &fetch_test->fetch);
}

/* The name of the tier that has it, or null. */
static const char *test_fetch_wait(struct test_fetch *fetch_test)
{
    pthread_mutex_lock(&fetch_test->lock);
    while (!fetch_test->done)
        pthread_cond_wait(&fetch_test->answered, &fetch_test->lock);
    pthread_mutex_unlock(&fetch_test->lock);
    pthread_cond_destroy(&fetch_test->answered);
    pthread_mutex_destroy(&fetch_test->lock);
    assert_int_equal(fetch_test->found, fetch_test->tier != NULL);
    return fetch_test->tier;
}

static const char *fetch_and_wait(struct tiers *tiers, uint8_t first)
{
    struct test_fetch fetch_test;
    assert_true(test_fetch_start(&fetch_test, tiers, first));
    return test_fetch_wait(&fetch_test);
}

struct two_tiers {
    struct tiers *tiers;
    struct store_calls near, far;
};

static void begin_with_timeout(struct two_tiers *pair, unsigned timeout)
{
    *pair = (struct two_tiers){.tiers = tiers_new(build)};
    assert_non_null(pair->tiers);
    assert_true(tiers_add(pair->tiers, fake_new(&pair->near, &near_methods, timeout)));
    assert_true(tiers_add(pair->tiers, fake_new(&pair->far, &far_methods, 1)));
    assert_int_equal(tiers_count(pair->tiers), 2);
    struct error error;
    assert_true(tiers_start(pair->tiers, &error));
}

static void begin(struct two_tiers *pair)
{
    begin_with_timeout(pair, LONG_TIMEOUT);
}

/* Ends them; what waited has been put. */
static void end(struct two_tiers *pair)
{
    tiers_free(pair->tiers);
    assert_int_equal(pair->near.freed, 1);
    assert_int_equal(pair->far.freed, 1);
    buffer_free(&pair->near.record);
    buffer_free(&pair->far.record);
}

static void miss_in_every_tier(void **state)
{
    (void)state;
    struct two_tiers pair;
    begin(&pair);
    assert_null(fetch_and_wait(pair.tiers, 1));
    assert_int_equal(pair.near.gets, 1);
    assert_int_equal(pair.far.gets, 1);
    end(&pair);
}

static void the_nearest_is_asked_first(void **state)
{
    (void)state;
    struct two_tiers pair;
    begin(&pair);
    seal(1, build, &pair.near.record);
    assert_string_equal(fetch_and_wait(pair.tiers, 1), "near");
    assert_int_equal(pair.far.gets, 0);
    end(&pair);
    assert_int_equal(pair.near.puts, 0);
}

static void far_hit_fills_nearer_tiers(void **state)
{
    (void)state;
    struct two_tiers pair;
    begin(&pair);
    seal(1, build, &pair.far.record);
    assert_string_equal(fetch_and_wait(pair.tiers, 1), "far");
    end(&pair);
    assert_int_equal(pair.near.puts, 1);
    assert_int_equal(pair.far.puts, 0);
}

static void unreadable_record_invalidated(void **state)
{
    (void)state;
    const struct hash128 other = {.high = 1, .low = 3};
    struct two_tiers pair;
    begin(&pair);
    seal(2, build, &pair.near.record); /* another key's */
    seal(1, other, &pair.far.record);  /* another build's */
    assert_null(fetch_and_wait(pair.tiers, 1));
    assert_int_equal(pair.near.invalidate, 1);
    assert_int_equal(pair.far.invalidate, 1);
    pair.far.record.data[pair.far.record.length - 1] ^= 1;
    assert_null(fetch_and_wait(pair.tiers, 1));
    assert_int_equal(pair.far.invalidate, 2);
    end(&pair);
}

static void rendered_record_to_all_tiers(void **state)
{
    (void)state;
    struct two_tiers pair;
    begin(&pair);
    const struct cache_key key = key_of(1);
    const struct record record = {.format = "png", .bytes = (const uint8_t *)"tile", .length = 4};
    tiers_put(pair.tiers, tiers_seal(pair.tiers, &key, &record));
    tiers_put(pair.tiers, NULL);
    end(&pair);
    assert_int_equal(pair.near.puts, 1);
    assert_int_equal(pair.far.puts, 1);
}

static void unavailable_tier_is_skipped(void **state)
{
    (void)state;
    struct two_tiers pair;
    struct test_fetch fetch_test;
    begin(&pair);
    seal(1, build, &pair.near.record);
    pair.near.is_unavailable = true;
    assert_null(fetch_and_wait(pair.tiers, 1));
    assert_int_equal(pair.near.gets, 0);
    assert_int_equal(pair.far.gets, 1);
    pair.far.is_unavailable = true;
    assert_false(test_fetch_start(&fetch_test, pair.tiers, 1));
    assert_int_equal(pair.far.gets, 1);
    pair.near.is_unavailable = false;
    assert_string_equal(fetch_and_wait(pair.tiers, 1), "near");
    end(&pair);
}

/* All threads stand before a tier that hangs. One waits, and then, as that has taken too long,
 * nobody joins it; when the tier goes on it is not even asked for that one. */
static void queued_fetch_times_out(void **state)
{
    (void)state;
    struct barrier barrier = {.lock = PTHREAD_MUTEX_INITIALIZER,
                              .changed = PTHREAD_COND_INITIALIZER};
    struct test_fetch held[TIERS_FETCH_THREADS], waits, late;
    struct two_tiers pair;
    begin(&pair);
    seal(1, build, &pair.near.record);
    pair.near.barrier = &barrier;
    for (size_t i = 0; i < TIERS_FETCH_THREADS; i++)
        assert_true(test_fetch_start(&held[i], pair.tiers, 1));
    barrier_wait_held(&barrier, TIERS_FETCH_THREADS);
    assert_true(test_fetch_start(&waits, pair.tiers, 1));
    nanosleep(&(struct timespec){.tv_nsec = (TIERS_QUEUE_TIMEOUT_MS + 10) * 1000000L}, NULL);
    assert_false(test_fetch_start(&late, pair.tiers, 1));
    barrier_release(&barrier);
    for (size_t i = 0; i < TIERS_FETCH_THREADS; i++)
        assert_string_equal(test_fetch_wait(&held[i]), "near");
    assert_null(test_fetch_wait(&waits));
    assert_int_equal(pair.near.gets, TIERS_FETCH_THREADS);
    assert_string_equal(fetch_and_wait(pair.tiers, 1), "near");
    end(&pair);
}

/* Starts fetches until every thread is held at the barrier and some wait, or none is accepted.
 * Returns how many. */
static size_t fill_threads_and_queue(struct two_tiers *pair, struct barrier *barrier,
                                     struct test_fetch *fetches, size_t most)
{
    pair->near.barrier = barrier;
    for (size_t i = 0; i < TIERS_FETCH_THREADS; i++)
        assert_true(test_fetch_start(&fetches[i], pair->tiers, 1));
    barrier_wait_held(barrier, TIERS_FETCH_THREADS);
    size_t count = TIERS_FETCH_THREADS;
    while (count < most && test_fetch_start(&fetches[count], pair->tiers, 1))
        count++;
    return count;
}

/* Threads and queue are full of fetches for a tier that hangs. All are done while it does; what it
 * finds later fills no response, and the threads work as before. */
static void late_fetches_are_done_without_their_tier(void **state)
{
    (void)state;
    enum { FETCHES = TIERS_FETCH_THREADS + 20, TIMEOUT = 60 };
    struct barrier barrier = {.lock = PTHREAD_MUTEX_INITIALIZER,
                              .changed = PTHREAD_COND_INITIALIZER};
    struct test_fetch fetches[FETCHES];
    struct two_tiers pair;
    begin_with_timeout(&pair, TIMEOUT);
    seal(1, build, &pair.near.record);
    const size_t count = fill_threads_and_queue(&pair, &barrier, fetches, FETCHES);
    assert_true(count > TIERS_FETCH_THREADS);
    for (size_t i = 0; i < count; i++)
        assert_null(test_fetch_wait(&fetches[i]));
    assert_int_equal(pair.near.gets, TIERS_FETCH_THREADS);
    assert_int_equal(pair.far.gets, 0);
    barrier_release(&barrier);
    while (!test_fetch_start(&fetches[0], pair.tiers, 1) ||
           test_fetch_wait(&fetches[0]) == NULL) /* late again, on a machine that is busy */
        ;
    end(&pair);
}

static void cancelled_fetches_are_done_at_once(void **state)
{
    (void)state;
    enum { FETCHES = TIERS_FETCH_THREADS + 20 };
    struct barrier barrier = {.lock = PTHREAD_MUTEX_INITIALIZER,
                              .changed = PTHREAD_COND_INITIALIZER};
    struct test_fetch fetches[FETCHES], later;
    struct two_tiers pair;
    begin(&pair);
    const size_t count = fill_threads_and_queue(&pair, &barrier, fetches, FETCHES);
    const int64_t start = clock_milliseconds();
    tiers_cancel(pair.tiers);
    for (size_t i = 0; i < count; i++)
        assert_null(test_fetch_wait(&fetches[i]));
    assert_true(clock_milliseconds() - start < LONG_TIMEOUT);
    assert_int_equal(pair.near.cancelled, 1);
    assert_int_equal(pair.far.cancelled, 1);
    assert_false(test_fetch_start(&later, pair.tiers, 1));
    barrier_release(&barrier);
    end(&pair);
}

static void oversized_record_is_not_sealed(void **state)
{
    (void)state;
    enum { MOST = TIERS_PUT_QUEUE_BYTES - RECORD_HEADER_SIZE };
    struct two_tiers pair;
    const struct cache_key key = key_of(1);
    uint8_t *bytes = calloc(1, MOST + 1);
    assert_non_null(bytes);
    begin(&pair);
    struct record record = {.format = "r32f", .bytes = bytes, .length = MOST + 1};
    assert_null(tiers_seal(pair.tiers, &key, &record));
    record.length = MOST;
    tiers_put(pair.tiers, tiers_seal(pair.tiers, &key, &record));
    end(&pair);
    assert_int_equal(pair.near.puts, 1);
    free(bytes);
}

static void without_a_tier_nothing_happens(void **state)
{
    (void)state;
    struct tiers *tiers = tiers_new(build);
    const struct cache_key key = key_of(1);
    const struct record record = {0};
    struct tier_fetch fetch = {.key = key};
    struct error error;
    assert_non_null(tiers);
    assert_true(tiers_start(tiers, &error));
    assert_false(tiers_fetch(tiers, &fetch));
    assert_null(tiers_seal(tiers, &key, &record));
    assert_false(tiers_add(tiers, NULL));
    tiers_free(tiers);
    tiers_free(NULL);
}

int test_tiers(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(miss_in_every_tier),
        cmocka_unit_test(the_nearest_is_asked_first),
        cmocka_unit_test(far_hit_fills_nearer_tiers),
        cmocka_unit_test(unreadable_record_invalidated),
        cmocka_unit_test(rendered_record_to_all_tiers),
        cmocka_unit_test(unavailable_tier_is_skipped),
        cmocka_unit_test(queued_fetch_times_out),
        cmocka_unit_test(late_fetches_are_done_without_their_tier),
        cmocka_unit_test(cancelled_fetches_are_done_at_once),
        cmocka_unit_test(oversized_record_is_not_sealed),
        cmocka_unit_test(without_a_tier_nothing_happens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
