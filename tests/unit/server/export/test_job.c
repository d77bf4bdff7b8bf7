/* The steps of an export, with a kind of export whose items are the letters of "abc". */
#include "server/export/job.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/temporary_folder.h"

/* How the kind behaves in a test, and what was called. */
static struct {
    double bytes;         /* of its space */
    bool is_known;        /* its space */
    unsigned letters[2];  /* after which make() ends, in the outputs */
    const char *finished; /* the end of the name of an output that is made */
    uint64_t there[2];    /* letters that make() found */
    char steps[100];      /* names of the functions that were called */
} script;

static void note(const char *step)
{
    strcat(strcat(script.steps, step), " ");
}

static bool read_nothing(struct export_job *job, struct error *error)
{
    (void)job, (void)error;
    return true;
}

static bool bind(struct export_job *job, struct error *error)
{
    static const char *const names[] = {"one", "two"};
    note("bind");
    for (unsigned i = 0; i < 2; i++) {
        struct export_output *output =
            export_job_add_output(job, strdup(temporary_path("%s", names[i])), NULL, error);
        buffer_text(&output->recipe, names[i]);
    }
    job->space.parts.least = job->space.parts.about = script.bytes;
    job->space.is_known = script.is_known;
    buffer_text(&job->summary, "3 letters, about");
    return true;
}

static bool estimate(struct export_job *job, struct error *error)
{
    (void)error;
    note("estimate");
    job->space.parts.least = 3;
    job->estimate = (struct export_estimate){.bytes = 3, .seconds = 2};
    return true;
}

static bool is_finished(const struct export_job *job, const struct export_output *output)
{
    (void)job;
    return script.finished && strcmp(strrchr(output->path, '/') + 1, script.finished) == 0;
}

static bool make(struct export_job *job, struct error *error)
{
    bool done = true;
    note("make");
    for (unsigned i = 0; i < job->output_count; i++) {
        struct spool *spool = job->outputs[i].spool;
        script.there[i] = spool_count(spool);
        for (uint64_t k = spool_count(spool); k < script.letters[i]; k++)
            assert_true(spool_append(spool, "abc" + k, 1, error));
        done = done && spool_count(spool) == 3;
    }
    return done;
}

static bool finish(struct export_job *job, struct export_output *output, struct error *error)
{
    (void)job, (void)error;
    note("finish");
    spool_remove(output->spool);
    output->spool = NULL;
    return true;
}

static void close_plan(struct export_job *job)
{
    (void)job;
    note("close");
}

static const struct export_kind spooled = {
    .name = "letters",
    .file = "FILE",
    .unit = "letters",
    .options = (const enum option_id[]){OPTION_COUNT},
    .plan_size = 1,
    .has_spools = true,
    .read = read_nothing,
    .bind = bind,
    .estimate = estimate,
    .is_finished = is_finished,
    .make = make,
    .finish = finish,
    .close = close_plan,
};

/* Runs a job; the options are switches. Its result. */
static bool run(const struct export_kind *kind, unsigned command, enum option_id option,
                struct error *error)
{
    static const struct catalog_world world = {.identity.name = "test"};
    const enum option_id path = command == FOR_EXPORT ? OPTION_ARCHIVE : OPTION_OUTPUT;
    struct options options = {.command = command};
    struct export_job job;
    script.steps[0] = '\0';
    *error = (struct error){0};
    assert_true(options_add(&options, path, temporary_path("one"), ORIGIN_FLAG, error));
    assert_true(options_add(&options, OPTION_THREADS, "1", ORIGIN_FLAG, error));
    if (option != OPTION_COUNT)
        assert_true(options_add(&options, option, "1", ORIGIN_FLAG, error));
    assert_true(export_job_read(&job, kind, &options, error));
    const bool done = export_job_run(&job, &world, error);
    export_job_free(&job);
    options_free(&options);
    return done;
}

static bool is_there(const char *name)
{
    return access(temporary_path("%s", name), F_OK) == 0;
}

static int reset(void **state)
{
    (void)state;
    memset(&script, 0, sizeof script);
    script.letters[0] = script.letters[1] = 3;
    return 0;
}

static void steps_come_in_their_order(void **state)
{
    (void)state;
    struct export_kind tried = spooled;
    struct error error;
    tried.is_tried = true;
    assert_true(run(&spooled, FOR_EXPORT, OPTION_COUNT, &error));
    assert_string_equal(script.steps, "bind make finish finish close ");
    assert_true(run(&tried, FOR_EXPORT, OPTION_COUNT, &error));
    assert_string_equal(script.steps, "bind estimate make finish finish close ");
    assert_true(run(&tried, FOR_EXPORT, OPTION_RESUME, &error));
    assert_string_equal(script.steps, "bind make finish finish close ");
}

/* No disk has 10³⁰ bytes. */
static void room_is_asked_for_before_anything_is_made(void **state)
{
    (void)state;
    struct error error;
    script.bytes = 1e30;
    assert_true(run(&spooled, FOR_EXPORT, OPTION_COUNT, &error));
    assert_string_equal(script.steps, "bind estimate make finish finish close ");
    script.is_known = true;
    assert_false(run(&spooled, FOR_EXPORT, OPTION_COUNT, &error));
    assert_string_equal(script.steps, "bind close ");
    assert_string_equal(error.path, "-o");
    assert_non_null(strstr(error.message, "needs about 1000000000000000 PB, but the disk has"));
    assert_false(is_there("one.part"));
}

static void a_dry_run_makes_nothing(void **state)
{
    (void)state;
    struct error error;
    char text[100] = "";
    const int before = dup(STDOUT_FILENO);
    FILE *file = fopen(temporary_path("text"), "w+");
    fflush(stdout);
    assert_int_equal(dup2(fileno(file), STDOUT_FILENO), STDOUT_FILENO);
    const bool done = run(&spooled, FOR_EXPORT, OPTION_DRY_RUN, &error);
    dup2(before, STDOUT_FILENO);
    close(before);
    rewind(file);
    assert_non_null(fgets(text, sizeof text, file));
    fclose(file);
    assert_true(done);
    assert_string_equal(text, "3 letters, about 3 B, about 2 s on 1 threads\n");
    assert_string_equal(script.steps, "bind estimate close ");
    assert_false(is_there("one.part"));
}

/* The shorter spool says how far all are. */
static void what_was_kept_is_resumed_with_equally_many_items(void **state)
{
    (void)state;
    struct error error;
    script.letters[0] = 2;
    script.letters[1] = 1;
    assert_false(run(&spooled, FOR_EXPORT, OPTION_COUNT, &error));
    assert_string_equal(script.steps, "bind make close ");
    assert_true(is_there("one.part") && is_there("two.part-index"));
    script.letters[0] = script.letters[1] = 3;
    assert_true(run(&spooled, FOR_EXPORT, OPTION_RESUME, &error));
    assert_int_equal(script.there[0], 1);
    assert_int_equal(script.there[1], 1);
    assert_false(is_there("one.part") || is_there("two.part-index"));
}

static void another_export_begins_anew_without_resume(void **state)
{
    (void)state;
    struct error error;
    script.letters[0] = script.letters[1] = 2;
    assert_false(run(&spooled, FOR_EXPORT, OPTION_COUNT, &error));
    assert_false(run(&spooled, FOR_EXPORT, OPTION_COUNT, &error));
    assert_int_equal(script.there[0], 0);
    assert_false(run(&spooled, FOR_RENDER, OPTION_COUNT, &error));
    assert_non_null(strstr(error.message, "holds the beginning of another export"));
}

static void finished_files_are_not_made_again(void **state)
{
    (void)state;
    struct error error;
    script.finished = "one";
    assert_true(run(&spooled, FOR_EXPORT, OPTION_RESUME, &error));
    assert_string_equal(script.steps, "bind make finish close ");
    assert_true(run(&spooled, FOR_EXPORT, OPTION_COUNT, &error));
    assert_string_equal(script.steps, "bind make finish finish close ");
}

int test_job(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(steps_come_in_their_order, reset, temporary_folder_remove),
        cmocka_unit_test_setup_teardown(room_is_asked_for_before_anything_is_made, reset,
                                        temporary_folder_remove),
        cmocka_unit_test_setup_teardown(a_dry_run_makes_nothing, reset, temporary_folder_remove),
        cmocka_unit_test_setup_teardown(what_was_kept_is_resumed_with_equally_many_items, reset,
                                        temporary_folder_remove),
        cmocka_unit_test_setup_teardown(another_export_begins_anew_without_resume, reset,
                                        temporary_folder_remove),
        cmocka_unit_test_setup_teardown(finished_files_are_not_made_again, reset,
                                        temporary_folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
