/* jobs_test.c - jobs wait, run, are replaced, cancelled and kept. */
#include "view/jobs.h"
#include "viewed.h"

#include <stdatomic.h>

static atomic_uint entered, left;
static atomic_bool held;

/* Runs until it is let go or cancelled. */
static int hold(struct request *r)
{
    atomic_fetch_add(&entered, 1);
    while (atomic_load(&held))
        if (!request_goes_on(r, 1, 4)) {
            atomic_fetch_add(&left, 1);
            return fail_canceled(&r->err);
        } else {
            usleep(200);
        }
    out_format(r->out, "%" PRIu64, r->args[0].value);
    atomic_fetch_add(&left, 1);
    return RAS_OK;
}

static int refuse(struct request *r)
{
    r->hint = "do not";
    return (fail)(&r->err, RAS_EUNSUPPORTED, RAS_NONE, "it cannot be done");
}

static int put_much(struct request *r)
{
    for (int i = 0; i < 1000; i++)
        out_bytes(r->out, "0123456789", 10);
    return RAS_OK;
}

static const struct route routes[] = {
    {.path = "hold",
     .job = true,
     .is_long = true,
     .args = {{"n", ARG_NUMBER}, {"side", ARG_SIDE}},
     .answer = hold},
    {.path = "refuse", .job = true, .args = {{"n", ARG_NUMBER}}, .answer = refuse},
    {.path = "much", .job = true, .args = {{"n", ARG_NUMBER}}, .answer = put_much},
};

enum { HOLD, REFUSE, MUCH };

static struct jobs *jobs;
static struct origin origin;

static int open_jobs(bool threads, uint64_t bytes)
{
    char path[512];
    atomic_store(&held, true);
    atomic_store(&entered, 0);
    atomic_store(&left, 0);
    snprintf(path, sizeof path, "%s/murk/all_payloads.murk", getenv("GOLDEN"));
    assert_int_equal(origin_path(&origin, path, NULL, NULL), RAS_OK);
    assert_int_equal(jobs_open(&jobs, bytes, threads, NULL), RAS_OK);
    jobs_restart(jobs, &origin, 1);
    return 0;
}

static int open_threaded(void **state)
{
    (void)state;
    return open_jobs(true, 1 << 20);
}

static int open_in_place(void **state)
{
    (void)state;
    return open_jobs(false, 1 << 20);
}

static int open_small(void **state)
{
    (void)state;
    return open_jobs(false, 40000);
}

static int close_jobs(void **state)
{
    (void)state;
    jobs_close(jobs);
    origin_free(&origin);
    return 0;
}

static uint64_t page; /* that asks */

static int try_add(int route, uint64_t n, uint64_t side, uint64_t *id)
{
    static const struct ras_view_options options;
    struct request r = {.route = &routes[route], .options = &options, .status = 200, .page = page};
    r.args[0] = (struct arg){.given = true, .value = n};
    r.args[1].value = route == HOLD ? side : 0;
    return jobs_add(jobs, &r, id, NULL);
}

static uint64_t add(int route, uint64_t n)
{
    uint64_t id = 0;
    assert_int_equal(try_add(route, n, 0, &id), RAS_OK);
    return id;
}

static struct job_report report_of(uint64_t id)
{
    struct job_report report;
    assert_true(jobs_report(jobs, id, &report));
    return report;
}

static void await_state(uint64_t id, enum job_state state)
{
    for (int i = 0; i < 120000 && report_of(id).state != state; i++)
        usleep(500);
    assert_int_equal(report_of(id).state, state);
}

static void a_job_runs_and_its_result_is_kept(void **state)
{
    (void)state;
    uint64_t id = add(HOLD, 7);
    await_state(id, JOB_RUNNING);
    for (int i = 0; i < 120000 && report_of(id).done < 0.2; i++)
        usleep(500);
    assert_true(report_of(id).done > 0.24 && report_of(id).done < 0.26);
    atomic_store(&held, false);
    await_state(id, JOB_READY);
    struct job_report report = report_of(id);
    assert_int_equal(report.status, 200);
    assert_memory_equal(report.bytes.at, "7", 1);
    assert_int_equal(add(HOLD, 7), id); /* the same request is the same job */
}

static void a_newer_job_of_the_kind_replaces_it(void **state)
{
    (void)state;
    uint64_t first = add(HOLD, 1);
    await_state(first, JOB_RUNNING);
    uint64_t second = add(HOLD, 2), third = add(HOLD, 3);
    await_state(first, JOB_CANCELLED);
    await_state(second, JOB_CANCELLED);
    atomic_store(&held, false);
    await_state(third, JOB_READY);
}

static void a_job_of_another_side_is_not_replaced(void **state)
{
    uint64_t other;
    (void)state;
    uint64_t first = add(HOLD, 1);
    await_state(first, JOB_RUNNING);
    assert_int_equal(try_add(HOLD, 1, 1, &other), RAS_OK);
    assert_int_not_equal(first, other);
    assert_int_equal(report_of(other).state, JOB_QUEUED);
    atomic_store(&held, false);
    await_state(first, JOB_READY);
    await_state(other, JOB_FAILED); /* there is no side 1 */
}

static void a_job_of_another_page_is_not_replaced(void **state)
{
    (void)state;
    uint64_t first = add(HOLD, 1);
    await_state(first, JOB_RUNNING);
    page = 7;
    uint64_t second = add(HOLD, 2), third = add(HOLD, 3);
    page = 0;
    await_state(second, JOB_CANCELLED);
    assert_int_equal(report_of(first).state, JOB_RUNNING);
    atomic_store(&held, false);
    await_state(first, JOB_READY);
    await_state(third, JOB_READY);
}

static void a_job_that_runs_can_be_cancelled(void **state)
{
    (void)state;
    uint64_t id = add(HOLD, 1);
    await_state(id, JOB_RUNNING);
    assert_true(jobs_cancel(jobs, id));
    await_state(id, JOB_CANCELLED);
    for (int i = 0; i < 120000 && !atomic_load(&left); i++)
        usleep(500);
    assert_int_equal(atomic_load(&left), 1); /* it ended, and is not only forgotten */
    assert_int_not_equal(add(HOLD, 1), id);
    assert_false(jobs_cancel(jobs, 12345));
}

static void a_job_that_two_requested_is_not_cancelled_by_one(void **state)
{
    (void)state;
    uint64_t id = add(HOLD, 1);
    await_state(id, JOB_RUNNING);
    assert_int_equal(add(HOLD, 1), id);
    assert_true(jobs_cancel(jobs, id));
    assert_int_equal(report_of(id).state, JOB_RUNNING);
    atomic_store(&held, false);
    await_state(id, JOB_READY);
}

static void a_job_that_two_requested_is_cancelled_by_both(void **state)
{
    (void)state;
    uint64_t id = add(HOLD, 1);
    await_state(id, JOB_RUNNING);
    assert_int_equal(add(HOLD, 1), id);
    assert_true(jobs_cancel(jobs, id));
    assert_true(jobs_cancel(jobs, id));
    await_state(id, JOB_CANCELLED);
}

static void a_job_that_another_wants_is_not_replaced(void **state)
{
    (void)state;
    uint64_t id = add(HOLD, 1);
    await_state(id, JOB_RUNNING);
    assert_int_equal(add(HOLD, 1), id);
    uint64_t second = add(HOLD, 2); /* of one of the two */
    assert_int_equal(report_of(id).state, JOB_RUNNING);
    atomic_store(&held, false);
    await_state(id, JOB_READY);
    await_state(second, JOB_READY);
}

/* Nothing else waits for a job that takes long. */
static void a_short_job_does_not_wait_for_a_long_one(void **state)
{
    (void)state;
    uint64_t id = add(HOLD, 1);
    await_state(id, JOB_RUNNING);
    await_state(add(MUCH, 1), JOB_READY);
    await_state(add(REFUSE, 1), JOB_FAILED);
    assert_int_equal(report_of(id).state, JOB_RUNNING);
    uint64_t other;
    assert_int_equal(try_add(HOLD, 1, 1, &other), RAS_OK);
    await_state(add(MUCH, 2), JOB_READY);
    assert_int_equal(report_of(other).state, JOB_QUEUED); /* long ones wait for one another */
    atomic_store(&held, false);
    await_state(id, JOB_READY);
    await_state(other, JOB_FAILED);
}

/* Without threads the short ones are run first. */
static void a_short_job_is_run_before_a_long_one(void **state)
{
    (void)state;
    atomic_store(&held, false);
    uint64_t slow = add(HOLD, 1), quick = add(MUCH, 1);
    assert_true(jobs_step(jobs, NULL));
    assert_int_equal(report_of(quick).state, JOB_READY);
    assert_int_equal(report_of(slow).state, JOB_QUEUED);
    assert_true(jobs_step(jobs, NULL));
    assert_int_equal(report_of(slow).state, JOB_READY);
}

static void a_view_that_is_closed_ends_its_job(void **state)
{
    (void)state;
    uint64_t id = add(HOLD, 1);
    await_state(id, JOB_RUNNING);
    jobs_close(jobs);
    assert_int_equal(atomic_load(&left), 1);
    jobs = NULL;
}

static void other_sides_drop_what_was_made(void **state)
{
    struct job_report report;
    (void)state;
    uint64_t id = add(HOLD, 1);
    await_state(id, JOB_RUNNING);
    jobs_restart(jobs, &origin, 1);
    assert_int_equal(atomic_load(&left), 1);
    assert_false(jobs_report(jobs, id, &report));
    atomic_store(&held, false);
    await_state(add(HOLD, 1), JOB_READY);
}

static void a_failure_keeps_its_sentence(void **state)
{
    (void)state;
    uint64_t id = add(REFUSE, 1);
    assert_int_equal(report_of(id).state, JOB_QUEUED);
    assert_true(jobs_step(jobs, NULL));
    assert_int_equal(report_of(id).state, JOB_FAILED);
    assert_int_equal(report_of(id).err.status, RAS_EUNSUPPORTED);
    assert_string_equal(report_of(id).err.text, "it cannot be done");
    assert_string_equal(report_of(id).hint, "do not");
    assert_int_not_equal(add(REFUSE, 1), id); /* it is tried again */
    assert_true(jobs_step(jobs, NULL));
    assert_false(jobs_step(jobs, NULL));
}

static void traces_that_vanish_fail_the_job(void **state)
{
    struct shown none = {0};
    (void)state;
    uint64_t id = add(HOLD, 1);
    assert_true(jobs_step(jobs, &none));
    assert_int_equal(report_of(id).state, JOB_FAILED);
    assert_int_equal(atomic_load(&entered), 0);
}

static void grown_traces_make_a_new_job(void **state)
{
    (void)state;
    atomic_store(&held, false);
    uint64_t id = add(HOLD, 1);
    assert_true(jobs_step(jobs, NULL));
    assert_int_equal(add(HOLD, 1), id);
    jobs_grown(jobs);
    assert_int_not_equal(add(HOLD, 1), id);
    assert_int_equal(report_of(id).state, JOB_READY); /* who asked for it still gets it */
}

static void only_so_many_wait(void **state)
{
    uint64_t id;
    (void)state;
    for (uint64_t side = 0; side < JOBS_WAITING_MOST; side++)
        assert_int_equal(try_add(HOLD, 1, side, &id), RAS_OK);
    assert_int_equal(try_add(HOLD, 1, 99, &id), RAS_ELIMIT);
    assert_int_equal(try_add(HOLD, 2, 3, &id), RAS_OK); /* it takes the place of another */
}

static void results_are_kept_within_a_limit(void **state)
{
    struct job_report report;
    uint64_t ids[12];
    (void)state;
    for (uint64_t i = 0; i < 12; i++) {
        ids[i] = add(MUCH, i);
        assert_true(jobs_step(jobs, NULL));
        assert_int_equal(report_of(ids[i]).state, JOB_READY);
        assert_true(jobs_memory(jobs) <= 40000 + 2 * 16384);
    }
    assert_false(jobs_report(jobs, ids[0], &report)); /* the oldest went */
    assert_true(jobs_report(jobs, ids[11], &report));
}

static void a_result_above_the_limit_fails(void **state)
{
    (void)state;
    close_jobs(NULL);
    open_jobs(false, 5000);
    uint64_t id = add(MUCH, 1);
    assert_true(jobs_step(jobs, NULL));
    assert_int_equal(report_of(id).state, JOB_FAILED);
    assert_int_equal(report_of(id).err.status, RAS_ELIMIT);
    assert_int_equal(jobs_memory(jobs), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_job_runs_and_its_result_is_kept, open_threaded,
                                        close_jobs),
        cmocka_unit_test_setup_teardown(a_newer_job_of_the_kind_replaces_it, open_threaded,
                                        close_jobs),
        cmocka_unit_test_setup_teardown(a_job_of_another_side_is_not_replaced, open_threaded,
                                        close_jobs),
        cmocka_unit_test_setup_teardown(a_job_of_another_page_is_not_replaced, open_threaded,
                                        close_jobs),
        cmocka_unit_test_setup_teardown(a_job_that_runs_can_be_cancelled, open_threaded,
                                        close_jobs),
        cmocka_unit_test_setup_teardown(a_job_that_two_requested_is_not_cancelled_by_one,
                                        open_threaded, close_jobs),
        cmocka_unit_test_setup_teardown(a_job_that_two_requested_is_cancelled_by_both,
                                        open_threaded, close_jobs),
        cmocka_unit_test_setup_teardown(a_job_that_another_wants_is_not_replaced, open_threaded,
                                        close_jobs),
        cmocka_unit_test_setup_teardown(a_short_job_does_not_wait_for_a_long_one, open_threaded,
                                        close_jobs),
        cmocka_unit_test_setup_teardown(a_short_job_is_run_before_a_long_one, open_in_place,
                                        close_jobs),
        cmocka_unit_test_setup_teardown(a_view_that_is_closed_ends_its_job, open_threaded,
                                        close_jobs),
        cmocka_unit_test_setup_teardown(other_sides_drop_what_was_made, open_threaded, close_jobs),
        cmocka_unit_test_setup_teardown(a_failure_keeps_its_sentence, open_in_place, close_jobs),
        cmocka_unit_test_setup_teardown(traces_that_vanish_fail_the_job, open_in_place, close_jobs),
        cmocka_unit_test_setup_teardown(grown_traces_make_a_new_job, open_in_place, close_jobs),
        cmocka_unit_test_setup_teardown(only_so_many_wait, open_in_place, close_jobs),
        cmocka_unit_test_setup_teardown(results_are_kept_within_a_limit, open_small, close_jobs),
        cmocka_unit_test_setup_teardown(a_result_above_the_limit_fails, open_in_place, close_jobs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
