/* The cache of streams and land that render threads share: what one thread has made, another one
 * finds, and threads that are in it at the same time sample what a thread alone samples. */
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/sampling/sampler.h"
#include "core/worldfile/world.h"
#include "server/http/jobs/workers.h"

enum { THREADS = 2, SIDE = 48, ROUNDS = 12 };

static const char text[] =
    "{\"generator\": 1, \"drainage\": {\"potential\": \"fbm(900000, 4)\", \"target\": \"900 * "
    "fbm(90000, 6)\", \"relief\": \"100\"}, \"layers\": {\"height\": \"drainage('height')\"}}";

/* A grid that a render thread samples when it may. */
struct survey {
    struct job job; /* first member */
    sem_t begun, go, done;
    struct sample_grid grid;
    float samples[SIDE * SIDE];
    bool is_good;
    uint64_t work; /* that the core has counted */
    pthread_t thread;
};

static struct world *world;
static struct workers *workers;
static struct metrics *metrics;
static struct event_loop loop; /* nobody runs it: notices stay in its list */

static bool sample(struct sampler *sampler, struct survey *survey)
{
    const unsigned layer = world_height_layer(world);
    float *const samples = survey->samples;
    const struct sample_request request = {&layer, &samples, 1};
    return sampler_grid(sampler, world_program(world), &survey->grid, &request, NULL);
}

static void run(struct job *job, struct worker_context *worker)
{
    struct survey *survey = (struct survey *)job;
    struct sampler *sampler = canvas_sampler(tile_maker_canvas(worker->maker));
    sem_post(&survey->begun);
    sem_wait(&survey->go);
    survey->is_good = sample(sampler, survey);
    survey->work = sampler_meter(sampler)->done;
    survey->thread = pthread_self();
    sem_post(&survey->done);
}

static void prepare(struct survey *survey, int64_t east, int64_t south)
{
    memset(survey, 0, sizeof *survey);
    survey->grid = (struct sample_grid){.x = east * PLACE_METRE,
                                        .y = south * PLACE_METRE,
                                        .step = 64 * PLACE_METRE,
                                        .columns = SIDE,
                                        .rows = SIDE,
                                        .spacing = 64.0};
    survey->job = (struct job){.loop = &loop, .run = run, .expected = 400000000};
    sem_init(&survey->begun, 0, 0);
    sem_init(&survey->go, 0, 0);
    sem_init(&survey->done, 0, 0);
}

/* Each job keeps a thread until it may begin: so each has one of its own. */
static void submit_all(struct survey surveys[THREADS])
{
    for (int i = 0; i < THREADS; i++)
        assert_true(workers_submit(workers, PRIORITY_RENDER, &surveys[i].job));
    for (int i = 0; i < THREADS; i++)
        sem_wait(&surveys[i].begun);
}

static void finish(struct survey *survey)
{
    sem_wait(&survey->done);
    assert_true(survey->is_good);
}

static int start(void **state)
{
    const struct workers_limits limits = {.number = THREADS, .expected = 1000000000};
    struct error error = {0};
    (void)state;
    loop = (struct event_loop){.event = eventfd(0, EFD_NONBLOCK)};
    metrics = metrics_new(1, THREADS);
    world = world_parse(text, strlen(text), "test", NULL, &error);
    workers = workers_start((struct workers_threads){.count = THREADS, .network_memory = 64 << 20},
                            limits, metrics, &error);
    return world && workers ? 0 : -1;
}

static int stop(void **state)
{
    (void)state;
    workers_stop(workers);
    metrics_free(metrics);
    world_release(world);
    close(loop.event);
    return 0;
}

/* Most of the work is to make streams and land, which the second thread need not do. */
static void a_thread_finds_what_another_one_has_made(void **state)
{
    static struct survey surveys[THREADS];
    (void)state;
    const size_t before = workers_network_bytes(workers);
    for (int i = 0; i < THREADS; i++)
        prepare(&surveys[i], 100000, 200000);
    submit_all(surveys);
    for (int i = 0; i < THREADS; i++) {
        sem_post(&surveys[i].go);
        finish(&surveys[i]);
    }
    assert_false(pthread_equal(surveys[0].thread, surveys[1].thread));
    assert_memory_equal(surveys[0].samples, surveys[1].samples, sizeof surveys[0].samples);
    assert_true(workers_network_bytes(workers) > before);
    assert_true(4 * surveys[1].work < surveys[0].work);
}

/* Both threads begin with the same land, of which nothing is kept, and have half of it in common.
 * The threads may use the jobs until they end, so each round has its own. */
static void threads_at_once_sample_what_one_alone_samples(void **state)
{
    static struct survey surveys[ROUNDS][THREADS], alone;
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < THREADS; i++)
            prepare(&surveys[round][i], 300000 * (round % 3) + 1536 * i, 500000 + 40000 * round);
        submit_all(surveys[round]);
        for (int i = 0; i < THREADS; i++)
            sem_post(&surveys[round][i].go);
        for (int i = 0; i < THREADS; i++) {
            const struct survey *survey = &surveys[round][i];
            finish(&surveys[round][i]);
            struct sampler *sampler = sampler_new();
            assert_non_null(sampler);
            alone.grid = survey->grid;
            assert_true(sample(sampler, &alone));
            assert_memory_equal(survey->samples, alone.samples, sizeof alone.samples);
            sampler_free(sampler);
        }
    }
}

int test_workers_network(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_thread_finds_what_another_one_has_made, start, stop),
        cmocka_unit_test_setup_teardown(threads_at_once_sample_what_one_alone_samples, start, stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
