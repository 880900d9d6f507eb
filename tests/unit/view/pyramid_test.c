/* pyramid_test.c - every bucket of every level and row is what all items together say. */
#include "view/pyramid.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 9, MIB = 1 << 20 };

/* A row's items, in the order in which they are added. */
struct made {
    struct entry *items;
    size_t count;
    bool values;
};

struct shape {
    const char *name;
    size_t items;      /* of all rows */
    uint64_t first;    /* time */
    unsigned gap_bits; /* between two slices, at most */
    unsigned dur_bits;
    unsigned late;    /* of 100 items, how many come later than they should */
    unsigned shuffle; /* by how many places */
    bool all_shuffled;
    bool equal; /* many items have the same time */
};

static uint64_t state;

static uint64_t chance(uint64_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return below ? state % below : 0;
}

/* Disjoint slices, in order; few are long. */
static void make_items(struct made *m, const struct shape *s, size_t count, bool values)
{
    uint64_t time = s->first;
    m->items = calloc(count + 1, sizeof *m->items);
    m->values = values;
    for (size_t i = 0; i < count; i++) {
        struct entry *e = &m->items[m->count];
        uint64_t gap = s->equal && chance(3) ? 0 : chance(UINT64_C(1) << chance(s->gap_bits + 1));
        uint64_t dur = chance(4) ? chance(UINT64_C(1) << chance(s->dur_bits + 1)) : 0;
        if (time > UINT64_MAX - gap || time + gap > UINT64_MAX - dur)
            break;
        *e = (struct entry){.start = time + gap, .count = 1, .seq = (uint32_t)i};
        if (values) {
            e->sum = (double)chance(1000) - 500;
            e->min = e->max = (float)e->sum;
        } else {
            e->dur = dur;
            e->busy = (float)dur;
            e->name = (uint32_t)chance(50);
        }
        time += gap + (values ? 0 : dur);
        m->count++;
    }
}

static void swap(struct entry *a, struct entry *b)
{
    struct entry x = *a;
    *a = *b;
    *b = x;
}

static void disorder(struct made *m, const struct shape *s)
{
    for (size_t i = 0; s->all_shuffled && i + 1 < m->count; i++)
        swap(&m->items[i], &m->items[i + chance(m->count - i)]);
    for (size_t i = 0; s->late && i + 1 < m->count; i++)
        if (chance(100) < s->late) {
            size_t to = i + 1 + chance(s->shuffle);
            swap(&m->items[i], &m->items[to < m->count ? to : m->count - 1]);
        }
}

/* ---- what it should be --------------------------------------------------------------------- */

static int by_start_and_seq(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->seq > y->seq) - (x->seq < y->seq);
}

/* Independent of the pyramid's own merging. */
static size_t brute(const struct entry *sorted, size_t count, unsigned shift, bool values,
                    struct entry *out)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        const struct entry *e = &sorted[i];
        struct entry *b = n ? &out[n - 1] : NULL;
        if (!b || b->start >> shift != e->start >> shift) {
            out[n++] = *e;
            continue;
        }
        b->count++;
        if (values) {
            b->sum += e->sum;
            b->min = fminf(b->min, e->min);
            b->max = fmaxf(b->max, e->max);
            continue;
        }
        float busy = b->busy + e->busy;
        uint32_t many = b->count;
        if (e->dur > b->dur)
            *b = *e;
        b->busy = busy;
        b->count = many;
    }
    return n;
}

static bool near_enough(double a, double b)
{
    return fabs(a - b) <= 1e-3 * (1 + fabs(a) + fabs(b));
}

static void assert_entry(const struct entry *got, const struct entry *want, bool values)
{
    assert_int_equal(got->start, want->start);
    assert_int_equal(got->seq, want->seq);
    assert_int_equal(got->count, want->count);
    if (values) {
        assert_true(near_enough(got->sum, want->sum));
        assert_true(got->min == want->min && got->max == want->max);
        return;
    }
    assert_int_equal(got->dur, want->dur);
    assert_int_equal(got->name, want->name);
    assert_true(near_enough((double)got->busy, (double)want->busy));
}

static void assert_level(struct pyramid *p, uint32_t row, const struct made *m, unsigned shift,
                         const struct entry *sorted, size_t count)
{
    struct entry *want = calloc(count + 1, sizeof *want);
    struct entry_list got = {0};
    size_t n = brute(sorted, count, shift, m->values, want);
    assert_true(pyramid_read(p, row, shift, 0, UINT64_MAX, &got));
    assert_int_equal(got.count, n);
    for (size_t i = 0; i < n; i++)
        assert_entry(&got.at[i], &want[i], m->values);
    /* Parts of it: those that begin in the range, and the one before. */
    for (unsigned tries = 0; n && tries < 20; tries++) {
        uint64_t from = want[chance(n)].start >> shift << shift;
        uint64_t last = from + (chance(200) << (shift < 56 ? shift : 0));
        last = last < from ? UINT64_MAX : last | ((UINT64_C(1) << shift) - 1);
        size_t first = 0, end;
        while (want[first].start < from)
            first++;
        first -= first > 0;
        for (end = first; end < n && want[end].start <= last;)
            end++;
        assert_true(pyramid_read(p, row, shift, from, last, &got));
        assert_int_equal(got.count, end - first);
        for (size_t i = 0; i < got.count; i++)
            assert_entry(&got.at[i], &want[first + i], m->values);
    }
    free(got.at);
    free(want);
}

/* A slice that is longer than a bucket is its longest; one that reaches over the edge of a bucket
 * and is not the longest where it starts reaches less than a bucket over it. */
static void assert_lemmas(struct pyramid *p, uint32_t row, const struct entry *sorted, size_t count)
{
    unsigned base = pyramid_base(p);
    struct entry_list got = {0};
    for (unsigned shift = base; shift < base + 3 && shift < 63; shift++) {
        size_t at = 0;
        assert_true(pyramid_read(p, row, shift, 0, UINT64_MAX, &got));
        for (size_t i = 0; i < count; i++) {
            const struct entry *e = &sorted[i];
            uint64_t bucket = e->start >> shift, width = UINT64_C(1) << shift;
            while (got.at[at].start >> shift < bucket)
                at++;
            bool shown = got.at[at].start == e->start && got.at[at].dur == e->dur;
            if (e->dur > width)
                assert_true(shown);
            uint64_t edge = (bucket + 1) << shift;
            if (!shown && edge && e->start + e->dur > edge)
                assert_true(e->start + e->dur - edge < width);
        }
    }
    free(got.at);
}

static void assert_row(struct pyramid *p, uint32_t row, const struct made *m, size_t count,
                       unsigned step)
{
    struct entry *sorted = calloc(count + 1, sizeof *sorted);
    memcpy(sorted, m->items, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_start_and_seq);
    for (unsigned shift = pyramid_base(p); shift < 64; shift += step)
        assert_level(p, row, m, shift, sorted, count);
    if (!m->values && step == 1)
        assert_lemmas(p, row, sorted, count);
    free(sorted);
}

/* ---- the property -------------------------------------------------------------------------- */

static void check_shape(const struct shape *s, size_t budget)
{
    struct made rows[ROWS] = {{0}};
    size_t added[ROWS] = {0}, left = 0, total = 0;
    struct pyramid *p = pyramid_new(budget, 8);
    state = 88172645463325252u + s->items + budget;
    for (uint32_t i = 0; i < ROWS; i++) {
        size_t share = i ? s->items / 2 / (ROWS - 1) : s->items / 2;
        make_items(&rows[i], s, share, i % 3 == 2);
        disorder(&rows[i], s);
        assert_int_equal(pyramid_row(p, rows[i].values), i);
        left += rows[i].count;
    }
    for (total = left; left; left--) {
        uint32_t row = (uint32_t)chance(ROWS);
        while (added[row] == rows[row].count)
            row = (row + 1) % ROWS;
        assert_true(pyramid_add(p, row, &rows[row].items[added[row]++]));
        if (s->items % 20000 == 0 && left % 256 == 0)
            pyramid_plan(p, (double)(total - left) / (double)total);
        if (left % (total / 5 + 1) == 0) /* meanwhile */
            assert_row(p, row, &rows[row], added[row], 5);
    }
    for (uint32_t i = 0; i < ROWS; i++)
        assert_row(p, i, &rows[i], rows[i].count, 1);
    assert_in_range(pyramid_bytes(p), 0, budget + 8 * MIB);
    pyramid_free(p);
    for (size_t i = 0; i < ROWS; i++)
        free(rows[i].items);
}

static const struct shape shapes[] = {
    {.name = "in order", .items = 60000, .first = 1000, .gap_bits = 12, .dur_bits = 14},
    {.name = "late", .items = 60000, .gap_bits = 12, .dur_bits = 10, .late = 40, .shuffle = 300},
    {.name = "shuffled", .items = 40000, .gap_bits = 16, .dur_bits = 12, .all_shuffled = true},
    {.name = "equal times", .items = 30000, .gap_bits = 6, .dur_bits = 0, .equal = true},
    {.name = "no time", .items = 5000, .first = 77},
    {.name = "near the end",
     .items = 30000,
     .first = UINT64_MAX - (UINT64_C(1) << 31),
     .gap_bits = 17,
     .dur_bits = 17,
     .late = 10,
     .shuffle = 20},
    {.name = "all of 64 bits", .items = 20000, .gap_bits = 52, .dur_bits = 53},
    {.name = "one", .items = 2, .gap_bits = 4, .dur_bits = 20},
};

static void every_bucket_is_what_all_items_say(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        check_shape(&shapes[i], 64 * MIB);
        check_shape(&shapes[i], 2 * MIB);
        check_shape(&shapes[i], MIB);
    }
}

/* As many as need a coarser base also with more memory. */
static void a_long_row_becomes_coarser(void **unused)
{
    struct shape s = {.items = 500000, .gap_bits = 12, .dur_bits = 12};
    (void)unused;
    check_shape(&s, 8 * MIB);
    s.late = 5;
    s.shuffle = 3000;
    check_shape(&s, 8 * MIB);
}

/* With a plan the base is as coarse at the beginning as it would become, and what is stored is not
 * read again at the end. */
static void a_plan_makes_it_coarser_before_it_is_full(void **unused)
{
    enum { ITEMS = 1000000 };
    struct pyramid *p = pyramid_new(4 * MIB, 8);
    unsigned early = 0;
    (void)unused;
    assert_int_equal(pyramid_row(p, false), 0);
    for (uint64_t i = 0; i < ITEMS; i++) {
        struct entry e = {.start = i << 9, .dur = 100, .busy = 100, .count = 1};
        assert_true(pyramid_add(p, 0, &e));
        if (i % 1000 == 0)
            pyramid_plan(p, (double)i / ITEMS);
        if (i == ITEMS / 20)
            early = pyramid_base(p);
        assert_in_range(pyramid_bytes(p), 0, 4 * MIB);
    }
    assert_int_equal(pyramid_base(p), early);
    assert_in_range(early, 13, 16);
    pyramid_free(p);
}

static void memory_stays_within_the_budget(void **unused)
{
    struct pyramid *p = pyramid_new(MIB, 8);
    size_t most = 0;
    (void)unused;
    state = 7;
    for (uint32_t row = 0; row < 100; row++)
        assert_int_equal(pyramid_row(p, false), row);
    for (uint64_t i = 0; i < 2000000; i++) {
        struct entry e = {.start = i << 9, .dur = 100, .busy = 100, .count = 1};
        assert_true(pyramid_add(p, (uint32_t)chance(100), &e));
        most = pyramid_bytes(p) > most ? pyramid_bytes(p) : most;
    }
    assert_in_range(most, MIB / 2, 2 * MIB);
    assert_true(pyramid_base(p) > 12);
    pyramid_free(p);
}

static void rows_are_limited(void **unused)
{
    struct pyramid *p = pyramid_new(MIB, 8);
    uint32_t rows = 0;
    (void)unused;
    while (pyramid_row(p, false) != PYRAMID_NONE)
        rows++;
    assert_int_equal(rows, 1024);
    pyramid_free(p);
    pyramid_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bucket_is_what_all_items_say),
        cmocka_unit_test(a_long_row_becomes_coarser),
        cmocka_unit_test(a_plan_makes_it_coarser_before_it_is_full),
        cmocka_unit_test(memory_stays_within_the_budget),
        cmocka_unit_test(rows_are_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
