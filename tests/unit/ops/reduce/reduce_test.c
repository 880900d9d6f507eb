/* reduce_test.c - the reduced replay still fails its test, and is minimal. */
#include "../../replay.h"
#include <rastrum/rastrum.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { FRAMES = 40, COMMANDS = 5, MOST = FRAMES * (COMMANDS + 1) };

/* A test: whether a trace fails, by the numbers of its records in the first one. */
struct question {
    bool needed[MOST]; /* it fails only with all of these */
    uint64_t modulus;  /* and only with a number of records that is divisible; 0: any */
    size_t tests;
};

/* ---- traces -------------------------------------------------------------------------- */

/* Frame f has commands of arrival 100 * f, ...: so every record is known wherever it is. */
static struct ras_trace *make(struct out *o)
{
    struct ras_trace *t;
    put_header(o);
    for (uint64_t f = 0; f < FRAMES; f++) {
        put_u64(o, f + 1);
        put_u32(o, COMMANDS);
        for (uint64_t i = 0; i < COMMANDS; i++) {
            struct command c = {.tag = 2, .payload = "12345678", .payload_len = 8};
            c.arrival = f * COMMANDS + i;
            put_command(o, &c);
        }
        put_u64(o, f);
    }
    assert_int_equal(ras_open_memory(&t, o->at, o->len, NULL, NULL), RAS_OK);
    return t;
}

/* The number of a record in the first trace. */
static size_t number_of(const struct ras_cursor *c, const struct ras_record *r)
{
    size_t count, frame = (size_t)r->tick - 1;
    const struct ras_value *v = ras_values(c, &count);
    if (r->parent == RAS_NONE)
        return frame * (COMMANDS + 1);
    while (strcmp(ras_schema_of(c)->fields[v->field].name, "arrival_seq") != 0)
        v += 1 + (v->kind == RAS_LIST || v->kind == RAS_MAP ? v->count : 0);
    return frame * (COMMANDS + 1) + 1 + (size_t)v->u % COMMANDS;
}

static size_t list(struct ras_trace *t, bool there[MOST])
{
    struct ras_cursor *c;
    const struct ras_record *r;
    size_t count = 0;
    memset(there, 0, MOST * sizeof *there);
    assert_int_equal(ras_cursor_open(&c, t, NULL, NULL), RAS_OK);
    for (; ras_next(c, &r, NULL) == RAS_OK; count++)
        there[number_of(c, r)] = true;
    ras_cursor_close(c);
    return count;
}

static bool fails(struct question *q, struct ras_sink *sink)
{
    struct ras_trace *t;
    struct ras_bytes bytes = ras_sink_bytes(sink);
    bool there[MOST];
    q->tests++;
    assert_int_equal(ras_open_memory(&t, bytes.at, bytes.len, NULL, NULL), RAS_OK);
    size_t count = list(t, there);
    ras_close(t);
    for (size_t i = 0; i < MOST; i++)
        if (q->needed[i] && !there[i])
            return false;
    return !q->modulus || count % q->modulus == 0;
}

/* ---- reductions ------------------------------------------------------------------------- */

/* Reduce, and give the smallest trace. */
static struct ras_sink *reduce(struct ras_trace *t, struct question *q)
{
    struct ras_reduce *r;
    struct ras_candidate c;
    struct ras_rewritten *made;
    struct ras_sink *sink;
    assert_int_equal(ras_reduce_open(&r, t, NULL, NULL, NULL), RAS_OK);
    while (ras_reduce_next(r, 0, &c, NULL) == RAS_OK) {
        assert_int_equal(ras_sink_memory(&sink, NULL), RAS_OK);
        const struct ras_rewrite_options how = {.sink = sink};
        assert_int_equal(ras_reduce_write(r, &c, &how, &made, NULL), RAS_OK);
        ras_rewritten_free(made);
        assert_int_equal(ras_reduce_report(r, fails(q, sink), NULL), RAS_OK);
        ras_sink_drop(sink);
    }
    assert_int_equal(ras_reduce_state(r)->reported, q->tests);
    assert_int_equal(ras_sink_memory(&sink, NULL), RAS_OK);
    const struct ras_rewrite_options how = {.sink = sink};
    assert_int_equal(ras_reduce_write(r, NULL, &how, &made, NULL), RAS_OK);
    ras_rewritten_free(made);
    assert_true(ras_reduce_report(r, true, NULL) < 0); /* there is no candidate to report on */
    ras_reduce_close(r);
    return sink;
}

/* Without records `from` up to `to` of it the trace does not fail. */
static void check_without(struct ras_trace *t, struct question *q, uint64_t from, uint64_t to,
                          uint64_t count)
{
    struct ras_sink *sink;
    struct ras_rewritten *made;
    const struct ras_span spans[] = {{0, from}, {to, count}};
    const struct ras_span *first = from ? spans : spans + 1;
    size_t span_count = (size_t)(from > 0) + (size_t)(to < count);
    if (!span_count)
        return; /* nothing at all: tried by the caller's own means */
    assert_int_equal(ras_sink_memory(&sink, NULL), RAS_OK);
    const struct ras_rewrite_options how = {.axis = RAS_AXIS_SEQ,
                                            .from = first->from,
                                            .to = first[span_count - 1].to,
                                            .spans = first,
                                            .span_count = span_count,
                                            .sink = sink};
    assert_int_equal(ras_rewrite(&made, &t, 1, &how, NULL), RAS_OK);
    ras_rewritten_free(made);
    assert_false(fails(q, sink));
    ras_sink_drop(sink);
}

/* No frame with its commands, and no command, can be left out. */
static void check_minimal(struct ras_sink *sink, struct question *q)
{
    struct ras_trace *t;
    struct ras_cursor *c;
    const struct ras_record *r;
    struct ras_bytes bytes = ras_sink_bytes(sink);
    uint64_t parents[MOST], count = 0;
    assert_true(fails(q, sink));
    assert_int_equal(ras_open_memory(&t, bytes.at, bytes.len, NULL, NULL), RAS_OK);
    assert_int_equal(ras_cursor_open(&c, t, NULL, NULL), RAS_OK);
    while (ras_next(c, &r, NULL) == RAS_OK)
        parents[count++] = r->parent;
    ras_cursor_close(c);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t end = i + 1;
        while (parents[i] == RAS_NONE && end < count && parents[end] == i)
            end++;
        check_without(t, q, i, end, count);
    }
    ras_close(t);
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

/* A test that depends only on some records finds exactly these. */
static void only_the_requested_records_are_left(void **state)
{
    (void)state;
    struct out o = {0};
    struct ras_trace *t = make(&o), *small;
    uint64_t random = 1;
    for (size_t count = 0; count < 12; count++) {
        struct question q = {0};
        bool there[MOST], want[MOST] = {0};
        for (size_t i = 0; i < count; i++)
            q.needed[next_random(&random) % MOST] = true;
        for (size_t i = 0; i < MOST; i++) /* a command is in its frame */
            if (q.needed[i])
                want[i] = want[i / (COMMANDS + 1) * (COMMANDS + 1)] = true;
        struct ras_sink *sink = reduce(t, &q);
        struct ras_bytes bytes = ras_sink_bytes(sink);
        assert_int_equal(ras_open_memory(&small, bytes.at, bytes.len, NULL, NULL), RAS_OK);
        list(small, there);
        assert_memory_equal(there, want, sizeof want);
        assert_true(q.tests < 40 + 30 * count);
        ras_close(small);
        check_minimal(sink, &q);
        ras_sink_drop(sink);
    }
    ras_close(t);
    out_free(&o);
}

/* Another one still gives a trace from which no single part can be left out. */
static void what_is_left_is_minimal(void **state)
{
    (void)state;
    struct out o = {0};
    struct ras_trace *t = make(&o);
    uint64_t random = 7;
    for (size_t n = 0; n < 60; n++) {
        struct question q = {.modulus = 1 + n % 5};
        while (MOST % q.modulus)
            q.modulus--;
        for (size_t i = 0; i < 1 + n % 7; i++)
            q.needed[next_random(&random) % MOST] = true;
        struct ras_sink *sink = reduce(t, &q);
        check_minimal(sink, &q);
        ras_sink_drop(sink);
    }
    ras_close(t);
    out_free(&o);
}

static void a_sound_trace_is_not_reduced(void **state)
{
    (void)state;
    struct out o = {0};
    struct ras_trace *t = make(&o);
    struct ras_reduce *r;
    struct ras_candidate c;
    assert_int_equal(ras_reduce_open(&r, t, NULL, NULL, NULL), RAS_OK);
    assert_int_equal(ras_reduce_next(r, 1, &c, NULL), RAS_END); /* the whole comes first */
    assert_int_equal(ras_reduce_next(r, 0, &c, NULL), RAS_OK);
    assert_int_equal(c.records, MOST);
    assert_int_equal(ras_reduce_report(r, false, NULL), RAS_OK);
    assert_int_equal(ras_reduce_next(r, 0, &c, NULL), RAS_END);
    ras_reduce_close(r);
    ras_reduce_close(NULL);
    ras_close(t);
    out_free(&o);
}

/* The same records with another byte are another trace. */
static void identity_is_of_all_bytes(void **state)
{
    (void)state;
    struct out o = {0};
    struct ras_trace *t = make(&o);
    struct ras_reduce *r;
    uint64_t identity[2];
    for (int i = 0; i < 2; i++) {
        assert_int_equal(ras_reduce_open(&r, t, NULL, NULL, NULL), RAS_OK);
        identity[i] = ras_reduce_state(r)->identity;
        ras_reduce_close(r);
        o.at[o.len - 40] ^= 1;
    }
    assert_int_not_equal(identity[0], identity[1]);
    ras_close(t);
    out_free(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_the_requested_records_are_left),
        cmocka_unit_test(what_is_left_is_minimal),
        cmocka_unit_test(a_sound_trace_is_not_reduced),
        cmocka_unit_test(identity_is_of_all_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
