/* atf_span_read_test.c - spans as records: their own time, their callers, and jumps among them. */
#include "../figures.h"
#include "../tree.h"

enum { F_SELF = 11, F_PARENT = 12, FIELDS = 13, CALLS = 150 };

static struct script a, b;

/* The values of a span that are numbers; RAS_NONE for null. */
struct row {
    uint64_t v[FIELDS], stream;
    char reason[16];
};
struct rows {
    struct row at[2 * MOST];
    size_t count;
};
static struct rows plain, other;

static void keep(struct rows *to, const struct ras_cursor *c, const struct ras_record *r)
{
    size_t count;
    const struct ras_value *v = ras_values(c, &count);
    struct row *row = &to->at[to->count++];
    assert_int_equal(count, FIELDS);
    *row = (struct row){.stream = r->stream};
    for (size_t i = 0; i < FIELDS; i++) {
        assert_int_equal(v[i].field, i);
        if (v[i].kind == RAS_STR && !strcmp(ras_schema_of(c)->fields[i].name, "reason"))
            snprintf(row->reason, sizeof row->reason, "%.*s", (int)v[i].count,
                     (const char *)v[i].at);
        row->v[i] = v[i].kind == RAS_UINT ? v[i].u : RAS_NONE;
    }
}

static struct ras_cursor *open_spans(struct session *m, bool events, bool merged)
{
    struct ras_pick picks[] = {{.type = "span"}, {.type = "event"}};
    struct ras_scan scan = {.picks = picks, .pick_count = events ? 2 : 1, .merged = merged};
    struct ras_cursor *c;
    assert_int_equal(ras_cursor_open(&c, m->trace, &scan, NULL), RAS_OK);
    return c;
}

static void read_spans(struct session *m, bool events, bool merged, struct rows *to)
{
    struct ras_cursor *c = open_spans(m, events, merged);
    const struct ras_record *r;
    int status;
    to->count = 0;
    while ((status = ras_next(c, &r, NULL)) == RAS_OK)
        if (!strcmp(ras_schema_of(c)->name, "span"))
            keep(to, c, r);
    assert_int_equal(status, RAS_END);
    ras_cursor_close(c);
}

/* Events that are lost, of another kind, at another depth or at an earlier time. */
static void damage(struct script *s, uint32_t *seed, unsigned times)
{
    for (unsigned i = 0; i < times; i++) {
        size_t at = random_below(seed, (uint32_t)s->count - 1);
        struct ras_atf_index_event *e = &s->steps[at].event;
        switch (random_below(seed, 5)) {
        case 0:
            delete_steps(s, at, 1);
            break;
        case 1:
            e->event_kind = 1 + random_below(seed, 3);
            break;
        case 2:
            e->call_depth = 1 + random_below(seed, 8);
            break;
        case 3:
            e->timestamp_ns -= 10 * random_below(seed, 50);
            break;
        default:
            e->function_id = 1 + random_below(seed, 6);
        }
    }
}

static void make(struct session *m, uint32_t seed)
{
    const struct script *threads[2] = {&a, &b};
    uint32_t random = seed;
    make_tree(&a, &random, CALLS, 6);
    make_tree(&b, &random, CALLS / 2, 6);
    damage(&a, &random, seed % 7 * 4);
    damage(&b, &random, seed % 5 * 4);
    record(m, threads, 2, 0, true);
}

/* Sums by function are those of stats, whether events come along or not. */
static void self_times_add_up_to_those_of_stats(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed < 60; seed++) {
        struct session m;
        struct ras_stats *s;
        make(&m, seed);
        assert_int_equal(ras_stats(&s, m.trace, NULL, NULL), RAS_OK);
        for (int events = 0; events < 2; events++) {
            read_spans(&m, events, false, &plain);
            for (uint64_t f = 1; f <= 6; f++) {
                uint64_t count = 0, self = 0, untimed = 0;
                char name[16];
                snprintf(name, sizeof name, "f%d", (int)f);
                for (size_t i = 0; i < plain.count; i++) {
                    const struct row *r = &plain.at[i];
                    if (r->v[5] != f || !strcmp(r->reason, "no_call"))
                        continue;
                    count++;
                    untimed += r->v[F_SELF] == RAS_NONE;
                    self += r->v[F_SELF] == RAS_NONE ? 0 : r->v[F_SELF];
                    assert_int_equal(r->v[F_SELF] == RAS_NONE, r->v[2] == RAS_NONE);
                }
                assert_int_equal(figures_uint(s, "functions", name, "count"), count);
                assert_int_equal(figures_uint(s, "functions", name, "self_ns"), self);
                assert_int_equal(figures_uint(s, "functions", name, "unfinished"), untimed);
            }
        }
        ras_stats_free(s);
        forget(&m);
    }
}

static const struct row *call_of(const struct rows *rows, uint64_t stream, uint64_t call_seq)
{
    for (size_t i = 0; i < rows->count; i++)
        if (rows->at[i].stream == stream && rows->at[i].v[8] == call_seq)
            return &rows->at[i];
    return NULL;
}

/* In a tree without damage the parent is the last call at a lower depth. */
static void a_parent_is_the_call_around(void **state)
{
    (void)state;
    for (uint32_t seed = 35; seed < 200; seed += 35) {
        struct session m;
        make(&m, seed);
        read_spans(&m, false, false, &plain);
        assert_int_equal(plain.count, CALLS + CALLS / 2);
        for (size_t i = 0; i < plain.count; i++) {
            const struct row *r = &plain.at[i];
            const struct script *s = r->stream ? &b : &a;
            uint64_t want = RAS_NONE;
            for (uint64_t k = 0; k < r->v[8]; k++)
                if (s->steps[k].event.event_kind == RAS_ATF_CALL &&
                    s->steps[k].event.call_depth < r->v[4])
                    want = s->steps[k].event.call_depth == r->v[4] - 1 ? k : want;
            assert_int_equal(r->v[F_PARENT], want);
        }
        forget(&m);
    }
    for (uint32_t seed = 1; seed < 30; seed++) { /* with damage it still is a call around it */
        struct session m;
        make(&m, seed);
        read_spans(&m, false, false, &plain);
        for (size_t i = 0; i < plain.count; i++) {
            const struct row *r = &plain.at[i];
            if (r->v[F_PARENT] == RAS_NONE)
                continue;
            const struct row *p = call_of(&plain, r->stream, r->v[F_PARENT]);
            assert_non_null(p);
            assert_true(p->v[4] < r->v[4]);
        }
        forget(&m);
    }
}

static bool equal(const struct row *x, const struct row *y)
{
    return !memcmp(x->v, y->v, sizeof x->v) && x->stream == y->stream &&
           !strcmp(x->reason, y->reason);
}

/* From every mark on, and from marks that are taken after a jump. */
static void spans_after_a_jump_are_the_same(void **state)
{
    static struct ras_mark marks[2 * MOST];
    (void)state;
    for (uint32_t seed = 1; seed < 15; seed++) {
        struct session m;
        make(&m, seed);
        read_spans(&m, false, false, &plain);
        struct ras_cursor *c = open_spans(&m, false, false), *jumps = open_spans(&m, false, false);
        const struct ras_record *r;
        for (size_t i = 0; i < plain.count; i++) {
            ras_mark(c, &marks[i]);
            assert_int_equal(ras_next(c, &r, NULL), RAS_OK);
        }
        for (size_t i = plain.count; i-- > 0;) {
            assert_int_equal(ras_jump(jumps, &marks[i], NULL), RAS_OK);
            other.count = 0;
            for (size_t k = i; k < plain.count && k < i + 4; k++) {
                struct ras_mark mark;
                assert_int_equal(ras_next(jumps, &r, NULL), RAS_OK);
                keep(&other, jumps, r);
                assert_true(equal(&other.at[k - i], &plain.at[k]));
                if (i % 3) /* continue from a mark of the cursor that has jumped */
                    continue;
                ras_mark(jumps, &mark);
                assert_int_equal(ras_jump(jumps, &mark, NULL), RAS_OK);
            }
        }
        ras_cursor_close(c);
        ras_cursor_close(jumps);
        forget(&m);
    }
}

static int by_call(const void *x, const void *y)
{
    const struct row *p = x, *q = y;
    for (size_t i = 8; i < 10; i++)
        if (p->v[i] != q->v[i])
            return p->v[i] < q->v[i] ? -1 : 1;
    return p->stream < q->stream ? -1 : p->stream > q->stream;
}

static void merged_spans_are_the_same(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed < 15; seed++) {
        struct session m;
        make(&m, seed);
        read_spans(&m, false, false, &plain);
        read_spans(&m, false, true, &other);
        assert_int_equal(plain.count, other.count);
        for (size_t i = 1; i < other.count; i++) {
            const struct row *x = &other.at[i - 1], *y = &other.at[i];
            assert_true((x->v[0] == RAS_NONE ? x->v[1] : x->v[0]) <=
                        (y->v[0] == RAS_NONE ? y->v[1] : y->v[0]));
        }
        qsort(plain.at, plain.count, sizeof *plain.at, by_call);
        qsort(other.at, other.count, sizeof *other.at, by_call);
        for (size_t i = 0; i < plain.count; i++)
            assert_true(equal(&plain.at[i], &other.at[i]));
        forget(&m);
    }
}

/* Spans are numbered from 0, and a range of time or of their fields does not change them. */
static void a_range_selects_whole_spans(void **state)
{
    (void)state;
    struct session m;
    make(&m, 4);
    read_spans(&m, false, false, &plain);
    static const char *const fields[] = {"self_ns", "parent_call_seq"};
    struct ras_pick pick = {.type = "span", .fields = fields, .field_count = 2};
    struct ras_scan scan = {
        .picks = &pick, .pick_count = 1, .axis = RAS_AXIS_TIME, .from = 1500, .to = 2500};
    struct ras_cursor *c;
    const struct ras_record *r;
    size_t i = 0, count, got = 0;
    assert_int_equal(ras_cursor_open(&c, m.trace, &scan, NULL), RAS_OK);
    while (ras_next(c, &r, NULL) == RAS_OK) {
        while (i < plain.count && r->seq != i)
            i++;
        const struct ras_value *v = ras_values(c, &count);
        assert_int_equal(count, 2);
        assert_int_equal(v[0].kind == RAS_UINT ? v[0].u : RAS_NONE, plain.at[i].v[F_SELF]);
        assert_int_equal(v[1].kind == RAS_UINT ? v[1].u : RAS_NONE, plain.at[i].v[F_PARENT]);
        got++;
    }
    uint64_t want = 0;
    for (i = 0; i < plain.count; i++) {
        uint64_t at = plain.at[i].v[0] == RAS_NONE ? plain.at[i].v[1] : plain.at[i].v[0];
        want += at >= 1500 && at < 2500;
    }
    assert_int_equal(got, want);
    assert_true(got > 10 && got < plain.count);
    ras_cursor_close(c);
    forget(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(self_times_add_up_to_those_of_stats),
        cmocka_unit_test(a_parent_is_the_call_around),
        cmocka_unit_test(spans_after_a_jump_are_the_same),
        cmocka_unit_test(merged_spans_are_the_same),
        cmocka_unit_test(a_range_selects_whole_spans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
