/* track_scan_test.c - long traces with much that is wrong: what is read again from the middle is
 * what all records say, also where the budget has made the pyramid coarse. */
#include "oracle.h"
#include "../runtime.h"
#include <rastrum/atf.h>

#include <sys/stat.h>
#include <unistd.h>

enum { THREADS = 3, DEPTH = 9 };

/* ---- calls --------------------------------------------------------------------------------- */

struct caller {
    uint64_t stack[DEPTH], time_ns;
    unsigned depth;
    bool broken;
};

/* Calls and returns at random; if broken, also returns without a call, calls that have no return,
 * and times that descend. */
static struct ras_atf_index_event next_call(struct caller *c)
{
    uint64_t random = chance(1000);
    bool call = !c->depth || (c->depth < DEPTH && chance(2));
    c->time_ns += chance(3) ? chance(90) : chance(UINT64_C(1) << chance(16));
    if (c->broken && random < 5)
        c->time_ns -= chance(c->time_ns < 3000 ? c->time_ns : 3000);
    if (call)
        c->stack[c->depth++] = UINT64_C(7) << 32 | (1 + chance(40));
    struct ras_atf_index_event e = {.timestamp_ns = c->time_ns,
                                    .function_id = c->stack[c->depth - 1],
                                    .event_kind = call ? RAS_ATF_CALL : RAS_ATF_RETURN,
                                    .call_depth = c->depth,
                                    .detail_seq = RAS_ATF_NO_DETAIL};
    c->depth -= !call;
    if (c->broken && random > 980) {
        e.function_id += random % 3;
        e.call_depth += (uint32_t)(random % 2);
        e.event_kind = 1 + (uint32_t)chance(3);
    }
    return e;
}

static struct ras_sink *write_thread(uint32_t thread, size_t events, bool broken)
{
    const struct ras_atf_index_header header = {.thread_id = thread};
    struct caller c = {.time_ns = 5000 + 77 * thread, .broken = broken};
    struct ras_sink *sink;
    struct ras_atf_writer *w;
    assert_int_equal(ras_sink_memory(&sink, NULL), RAS_OK);
    assert_int_equal(ras_atf_writer_open(&w, sink, &header, NULL, NULL), RAS_OK);
    for (size_t i = 0; i < events;) {
        struct ras_atf_index_event *e;
        size_t room, n = 0;
        assert_int_equal(ras_atf_writer_reserve(w, &e, &room, NULL), RAS_OK);
        for (; n < room && i < events; n++, i++)
            e[n] = next_call(&c);
        assert_int_equal(ras_atf_writer_commit(w, n, NULL), RAS_OK);
    }
    assert_int_equal(ras_atf_writer_finalize(w, NULL), RAS_OK);
    assert_int_equal(ras_atf_writer_close(w, NULL), RAS_OK);
    return sink;
}

static void check_calls(size_t events, bool broken, size_t block, unsigned tries)
{
    static const char *const names[] = {"thread_0/index.atf", "thread_1/index.atf",
                                        "thread_2/index.atf"};
    struct ras_part parts[THREADS];
    struct ras_sink *sinks[THREADS];
    struct ras_trace *t;
    for (uint32_t i = 0; i < THREADS; i++) {
        sinks[i] = write_thread(i, events, broken);
        parts[i] = (struct ras_part){names[i], ras_sink_bytes(sinks[i])};
    }
    assert_int_equal(ras_open_parts(&t, parts, THREADS, NULL, NULL), RAS_OK);
    struct tracks *s = build(t, NULL, block);
    assert_all(s, tries);
    for (size_t i = 0; i < s->pen_count; i++)
        assert_true(s->pens[i].blocks.point_count > 3);
    if (events > 15000)
        assert_true(tracks_base(s) > 8);
    tracks_close(s);
    ras_close(t);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(ras_sink_close(sinks[i], NULL), RAS_OK);
}

static void calls_are_found_from_the_middle_on(void **unused)
{
    (void)unused;
    check_calls(3000, false, 100, 20);
    check_calls(20000, false, 700, 4);
}

static void broken_calls_are_found_from_the_middle_on(void **unused)
{
    (void)unused;
    check_calls(2000, true, 33, 20);
    check_calls(18000, true, 500, 4);
}

/* ---- a session that grows ------------------------------------------------------------------ */

static char home[] = "rastrum-scan-XXXXXX";

static int enter(void **unused)
{
    (void)unused;
    const char *temporary = getenv("TMPDIR");
    return chdir(temporary ? temporary : "/tmp") || !mkdtemp(home) || chdir(home);
}

static int leave(void **unused)
{
    (void)unused;
    char command[64];
    snprintf(command, sizeof command, "rm -r '%s'", home);
    return chdir("..") || system(command);
}

/* What a recorder has written of a thread so far: the header is not filled in yet. */
static struct ras_sink *begin_thread(struct ras_atf_writer **w, uint32_t thread, size_t events)
{
    const struct ras_atf_index_header header = {.thread_id = thread};
    struct caller c = {.time_ns = 5000 + 77 * thread};
    struct ras_sink *sink;
    assert_int_equal(ras_sink_memory(&sink, NULL), RAS_OK);
    assert_int_equal(ras_atf_writer_open(w, sink, &header, NULL, NULL), RAS_OK);
    for (size_t i = 0; i < events;) {
        struct ras_atf_index_event *e;
        size_t room, n = 0;
        assert_int_equal(ras_atf_writer_reserve(*w, &e, &room, NULL), RAS_OK);
        for (; n < room && i < events; n++, i++)
            e[n] = next_call(&c);
        assert_int_equal(ras_atf_writer_commit(*w, n, NULL), RAS_OK);
    }
    assert_int_equal(ras_atf_writer_flush(*w, NULL), RAS_OK);
    return sink;
}

static void write_part(uint32_t thread, struct ras_bytes bytes, size_t from, size_t to)
{
    char path[64];
    snprintf(path, sizeof path, "grows/thread_%u/index.atf", (unsigned)thread);
    FILE *f = fopen(path, from ? "ab" : "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes.at + from, 1, to - from, f), to - from);
    assert_int_equal(fclose(f), 0);
}

/* All that can be read now. */
static void assert_same_tracks(struct tracks *got, const char *path)
{
    struct ras_trace *t;
    assert_int_equal(ras_open(&t, path, NULL, NULL), RAS_OK);
    struct tracks *want = build(t, NULL, 300);
    unsigned slices = 0;
    for (size_t i = 0; i < tracks_count(want); i++) {
        const struct track_about *x = tracks_at(want, i), *y = NULL;
        for (size_t k = 0; k < tracks_count(got) && !y; k++)
            if (!strcmp(tracks_at(got, k)->name, x->name) && tracks_at(got, k)->kind == x->kind)
                y = tracks_at(got, k);
        assert_non_null(y);
        assert_int_equal(y->records, x->records);
        assert_int_equal(y->rows, x->rows);
        assert_int_equal(y->to, x->to);
        slices += x->kind == TRACK_SLICE;
    }
    assert_int_equal(slices, 2);
    tracks_close(want);
    ras_close(t);
}

static bool count_closed(void *user, const struct track_item *i)
{
    uint64_t *count = user;
    *count += !i->is_open;
    return true;
}

/* What is read again, from states in which both threads have open calls. */
static void assert_each_is_counted(struct tracks *s)
{
    uint64_t all = 0, got = 0;
    for (size_t i = 0; i < tracks_count(s); i++)
        all += tracks_at(s, i)->records;
    assert_int_equal(tracks_each(s, TRACK_NONE, 0, UINT64_MAX, count_closed, &got, NULL), RAS_OK);
    assert_int_equal(got, all);
    assert_true(s->pens[0].blocks.point_count > 3);
}

/* Threads take turns: the calls that are open in one are so when it goes on. */
static void a_session_that_grows_shows_what_it_has(void **unused)
{
    struct ras_atf_writer *w[2];
    struct ras_sink *sinks[2];
    struct ras_trace *t;
    struct tracks *s;
    const struct ras_options live = {.live = true};
    const struct tracks_options how = {.budget_bytes = 1 << 20, .follow = true};
    (void)unused;
    assert_int_equal(
        mkdir("grows", 0777) | mkdir("grows/thread_0", 0777) | mkdir("grows/thread_1", 0777), 0);
    size_t there = 64 + 32 * 100;
    for (uint32_t i = 0; i < 2; i++) {
        sinks[i] = begin_thread(&w[i], i, 2000);
        write_part(i, ras_sink_bytes(sinks[i]), 0, there);
    }
    assert_int_equal(ras_open(&t, "grows", &live, NULL), RAS_OK);
    assert_int_equal(tracks_open(&s, t, NULL, &how, NULL), RAS_OK);
    s->block_records = 50;
    for (; there < 64 + 32 * 2000; there += 32 * 95) {
        for (uint32_t i = 0; i < 2; i++)
            write_part(i, ras_sink_bytes(sinks[i]), there, there + 32 * 95);
        while (ras_wait(t, 0, NULL) == RAS_OK)
            ;
        while (tracks_step(s, 0, NULL) == RAS_OK)
            ;
        assert_same_tracks(s, "grows");
    }
    assert_each_is_counted(s);
    tracks_close(s);
    ras_close(t);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(ras_atf_writer_close(w[i], NULL), RAS_OK);
        assert_int_equal(ras_sink_close(sinks[i], NULL), RAS_OK);
    }
}

/* ---- events -------------------------------------------------------------------------------- */

/* One worker's events; every worker has a batch of its own now and then. */
static size_t make_events(struct made *m, size_t most, uint64_t worker, uint64_t *time)
{
    size_t n = 0;
    while (n + 8 < most) {
        uint64_t task = chance(20), span = 1 + chance(6) + 10 * worker;
        m[n++] = (struct made){ *time += chance(900), UNPARK, worker, 1, 70 + worker};
        m[n++] = (struct made){ *time += chance(90), WAKE, task, 0, 0};
        m[n++] = (struct made){ *time += chance(90), START, worker, task, chance(5)};
        if (chance(2))
            m[n++] = (struct made){ *time += chance(50), ENTER, span, NONE, span % 3};
        if (chance(3))
            m[n++] = (struct made){ *time += chance(1u << chance(14)), EXIT, span, 0, 0};
        if (chance(9)) /* else its end is lost */
            m[n++] = (struct made){ *time += chance(1u << chance(12)), END, worker, 0, 0};
        if (!chance(4)) /* samples are late */
            m[n++] = (struct made){*time - chance(*time / 2), SAMPLE, worker, 0, 70 + worker};
        m[n++] =
            (struct made){ *time += chance(90), chance(5) ? PARK : QUEUE, worker, 1, 70 + worker};
    }
    return n;
}

static void check_events(size_t rounds, size_t block, unsigned tries)
{
    struct made events[120];
    uint64_t times[4] = {5000, 5100, 5200, 9000};
    struct ras_sink *sink;
    struct ras_trace *t;
    assert_int_equal(ras_sink_memory(&sink, NULL), RAS_OK);
    for (size_t i = 0; i < rounds; i++) {
        size_t n = make_events(events, 10 + chance(110), i % 4, &times[i % 4]);
        struct ras_dial9_writer *w;
        assert_int_equal(ras_dial9_writer_open(&w, NULL, NULL, NULL), RAS_OK);
        for (size_t k = 0; k < n; k++)
            put(w, &events[k]);
        assert_int_equal(ras_dial9_writer_append(w, sink, NULL), RAS_OK);
        assert_int_equal(ras_dial9_writer_close(w, NULL), RAS_OK);
    }
    const struct ras_bytes bytes = ras_sink_bytes(sink);
    assert_int_equal(ras_open_memory(&t, bytes.at, bytes.len, NULL, NULL), RAS_OK);
    struct tracks *s = build(t, NULL, block);
    assert_all(s, tries);
    assert_true(s->pens[0].blocks.point_count > 3);
    tracks_close(s);
    ras_close(t);
    assert_int_equal(ras_sink_close(sink, NULL), RAS_OK);
}

static void events_are_found_from_the_middle_on(void **unused)
{
    (void)unused;
    check_events(60, 40, 30);
    check_events(800, 500, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_are_found_from_the_middle_on),
        cmocka_unit_test(broken_calls_are_found_from_the_middle_on),
        cmocka_unit_test_setup_teardown(a_session_that_grows_shows_what_it_has, enter, leave),
        cmocka_unit_test(events_are_found_from_the_middle_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
