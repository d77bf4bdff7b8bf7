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

static const struct hash128 build = {.high = 1, .low = 2};

/* Holds up whoever asks a store, until it is opened. */
struct gate {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned held; /* who stands before it */
    bool open;
};

/* A store of one record, whoever asks. What it does is counted in `seen`, which outlives it. */
struct seen {
    unsigned gets, puts, spoiled, freed; /* atomic */
    bool declines;
    struct gate *gate; /* or null */
    struct buffer record;
};

struct pocket {
    struct store store;
    struct seen *seen;
};

static void gate_pass(struct gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    gate->held++;
    pthread_cond_broadcast(&gate->changed);
    while (!gate->open)
        pthread_cond_wait(&gate->changed, &gate->lock);
    pthread_mutex_unlock(&gate->lock);
}

static void gate_await(struct gate *gate, unsigned held)
{
    pthread_mutex_lock(&gate->lock);
    while (gate->held < held)
        pthread_cond_wait(&gate->changed, &gate->lock);
    pthread_mutex_unlock(&gate->lock);
}

static void gate_open(struct gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    gate->open = true;
    pthread_cond_broadcast(&gate->changed);
    pthread_mutex_unlock(&gate->lock);
}

static bool pocket_declines(struct store *store, const struct cache_key *key)
{
    (void)key;
    return ((struct pocket *)store)->seen->declines;
}

static enum store_found pocket_get(struct store *store, const struct cache_key *key,
                                   struct buffer *out)
{
    struct seen *seen = ((struct pocket *)store)->seen;
    (void)key;
    __atomic_fetch_add(&seen->gets, 1, __ATOMIC_RELAXED);
    if (seen->gate)
        gate_pass(seen->gate);
    if (seen->record.length == 0)
        return STORE_MISS;
    buffer_append(out, seen->record.data, seen->record.length);
    return STORE_HIT;
}

static void pocket_put(struct store *store, const struct cache_key *key, const uint8_t *record,
                       size_t length)
{
    struct seen *seen = ((struct pocket *)store)->seen;
    struct record read;
    assert_true(record_open(record, length, key, build, &read));
    __atomic_fetch_add(&seen->puts, 1, __ATOMIC_RELAXED);
    buffer_clear(&seen->record);
    buffer_append(&seen->record, record, length);
}

static void pocket_spoiled(struct store *store, const struct cache_key *key)
{
    (void)key;
    __atomic_fetch_add(&((struct pocket *)store)->seen->spoiled, 1, __ATOMIC_RELAXED);
}

static struct store_statistics pocket_statistics(struct store *store)
{
    (void)store;
    return (struct store_statistics){0};
}

static void pocket_free(struct store *store)
{
    ((struct pocket *)store)->seen->freed++;
    free(store);
}

static struct store *pocket_new(struct seen *seen, const struct store_methods *methods)
{
    struct pocket *pocket = calloc(1, sizeof *pocket);
    assert_non_null(pocket);
    pocket->store.methods = methods;
    pocket->seen = seen;
    return &pocket->store;
}

#define POCKET_METHODS(its_name)                                                                   \
    {                                                                                              \
        .name = its_name, .declines = pocket_declines, .get = pocket_get, .put = pocket_put,       \
        .spoiled = pocket_spoiled, .statistics = pocket_statistics, .free = pocket_free            \
    }
static const struct store_methods near_methods = POCKET_METHODS("near");
static const struct store_methods far_methods = POCKET_METHODS("far");

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

struct question {
    struct tier_fetch fetch;
    pthread_mutex_t lock;
    pthread_cond_t answered;
    bool done, found;
    const char *tier;
};

static void answer(struct tier_fetch *fetch, const struct record *record, const char *tier)
{
    struct question *question = (struct question *)fetch;
    pthread_mutex_lock(&question->lock);
    question->done = true;
    question->found = record && record->length == 4 && memcmp(record->bytes, "tile", 4) == 0;
    question->tier = tier;
    pthread_cond_signal(&question->answered);
    pthread_mutex_unlock(&question->lock);
}

static bool question_ask(struct question *question, struct tiers *tiers, uint8_t first)
{
    *question = (struct question){.fetch = {.key = key_of(first), .done = answer}};
    pthread_mutex_init(&question->lock, NULL);
    pthread_cond_init(&question->answered, NULL);
    return tiers_fetch(tiers, &question->fetch);
}

/* The name of the tier that has it, or null. */
static const char *question_await(struct question *question)
{
    pthread_mutex_lock(&question->lock);
    while (!question->done)
        pthread_cond_wait(&question->answered, &question->lock);
    pthread_mutex_unlock(&question->lock);
    pthread_cond_destroy(&question->answered);
    pthread_mutex_destroy(&question->lock);
    assert_int_equal(question->found, question->tier != NULL);
    return question->tier;
}

static const char *ask(struct tiers *tiers, uint8_t first)
{
    struct question question;
    assert_true(question_ask(&question, tiers, first));
    return question_await(&question);
}

struct two {
    struct tiers *tiers;
    struct seen near, far;
};

static void begin(struct two *two)
{
    *two = (struct two){.tiers = tiers_new(build)};
    assert_non_null(two->tiers);
    assert_true(tiers_add(two->tiers, pocket_new(&two->near, &near_methods)));
    assert_true(tiers_add(two->tiers, pocket_new(&two->far, &far_methods)));
    assert_int_equal(tiers_count(two->tiers), 2);
    struct error error;
    assert_true(tiers_start(two->tiers, &error));
}

/* Ends them; what waited has been put. */
static void end(struct two *two)
{
    tiers_free(two->tiers);
    assert_int_equal(two->near.freed, 1);
    assert_int_equal(two->far.freed, 1);
    buffer_free(&two->near.record);
    buffer_free(&two->far.record);
}

static void nobody_has_it(void **state)
{
    (void)state;
    struct two two;
    begin(&two);
    assert_null(ask(two.tiers, 1));
    assert_int_equal(two.near.gets, 1);
    assert_int_equal(two.far.gets, 1);
    end(&two);
}

static void the_nearest_is_asked_first(void **state)
{
    (void)state;
    struct two two;
    begin(&two);
    seal(1, build, &two.near.record);
    assert_string_equal(ask(two.tiers, 1), "near");
    assert_int_equal(two.far.gets, 0);
    end(&two);
    assert_int_equal(two.near.puts, 0);
}

static void a_far_hit_is_put_into_the_nearer(void **state)
{
    (void)state;
    struct two two;
    begin(&two);
    seal(1, build, &two.far.record);
    assert_string_equal(ask(two.tiers, 1), "far");
    end(&two);
    assert_int_equal(two.near.puts, 1);
    assert_int_equal(two.far.puts, 0);
}

static void what_does_not_open_is_spoiled(void **state)
{
    (void)state;
    const struct hash128 other = {.high = 1, .low = 3};
    struct two two;
    begin(&two);
    seal(2, build, &two.near.record); /* another key's */
    seal(1, other, &two.far.record);  /* another build's */
    assert_null(ask(two.tiers, 1));
    assert_int_equal(two.near.spoiled, 1);
    assert_int_equal(two.far.spoiled, 1);
    two.far.record.data[two.far.record.length - 1] ^= 1;
    assert_null(ask(two.tiers, 1));
    assert_int_equal(two.far.spoiled, 2);
    end(&two);
}

static void a_render_goes_into_all(void **state)
{
    (void)state;
    struct two two;
    begin(&two);
    const struct cache_key key = key_of(1);
    const struct record record = {.format = "png", .bytes = (const uint8_t *)"tile", .length = 4};
    tiers_keep(two.tiers, tiers_seal(two.tiers, &key, &record));
    tiers_keep(two.tiers, NULL);
    end(&two);
    assert_int_equal(two.near.puts, 1);
    assert_int_equal(two.far.puts, 1);
}

static void who_declines_is_not_asked(void **state)
{
    (void)state;
    struct two two;
    struct question question;
    begin(&two);
    seal(1, build, &two.near.record);
    two.near.declines = true;
    assert_null(ask(two.tiers, 1));
    assert_int_equal(two.near.gets, 0);
    assert_int_equal(two.far.gets, 1);
    two.far.declines = true;
    assert_false(question_ask(&question, two.tiers, 1));
    assert_int_equal(two.far.gets, 1);
    two.near.declines = false;
    assert_string_equal(ask(two.tiers, 1), "near");
    end(&two);
}

/* All threads stand before a tier that hangs. One waits, and then, as that has taken too long,
 * nobody joins it; when the tier goes on it is not even asked for that one. */
static void nobody_waits_long_for_a_thread(void **state)
{
    (void)state;
    struct gate gate = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
    struct question held[TIERS_FETCHERS], waits, late;
    struct two two;
    begin(&two);
    seal(1, build, &two.near.record);
    two.near.gate = &gate;
    for (size_t i = 0; i < TIERS_FETCHERS; i++)
        assert_true(question_ask(&held[i], two.tiers, 1));
    gate_await(&gate, TIERS_FETCHERS);
    assert_true(question_ask(&waits, two.tiers, 1));
    nanosleep(&(struct timespec){.tv_nsec = (TIERS_PATIENCE_MS + 10) * 1000000L}, NULL);
    assert_false(question_ask(&late, two.tiers, 1));
    gate_open(&gate);
    for (size_t i = 0; i < TIERS_FETCHERS; i++)
        assert_string_equal(question_await(&held[i]), "near");
    assert_null(question_await(&waits));
    assert_int_equal(two.near.gets, TIERS_FETCHERS);
    assert_string_equal(ask(two.tiers, 1), "near");
    end(&two);
}

static void what_is_too_large_to_be_kept_is_not_sealed(void **state)
{
    (void)state;
    enum { MOST = TIERS_KEEPING_MAX - RECORD_HEADER };
    struct two two;
    const struct cache_key key = key_of(1);
    uint8_t *bytes = calloc(1, MOST + 1);
    assert_non_null(bytes);
    begin(&two);
    struct record record = {.format = "r32f", .bytes = bytes, .length = MOST + 1};
    assert_null(tiers_seal(two.tiers, &key, &record));
    record.length = MOST;
    tiers_keep(two.tiers, tiers_seal(two.tiers, &key, &record));
    end(&two);
    assert_int_equal(two.near.puts, 1);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_has_it),
        cmocka_unit_test(the_nearest_is_asked_first),
        cmocka_unit_test(a_far_hit_is_put_into_the_nearer),
        cmocka_unit_test(what_does_not_open_is_spoiled),
        cmocka_unit_test(a_render_goes_into_all),
        cmocka_unit_test(who_declines_is_not_asked),
        cmocka_unit_test(nobody_waits_long_for_a_thread),
        cmocka_unit_test(what_is_too_large_to_be_kept_is_not_sealed),
        cmocka_unit_test(without_a_tier_nothing_happens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
