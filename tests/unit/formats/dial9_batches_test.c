/* dial9_batches_test.c - which batches of a long trace are kept in memory. */
#include "../stream.h"
#include "formats/dial9/dial9_driver.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

/* Batches with `strings` pool entries each. */
static void put_batches(struct out *o, unsigned batches, uint32_t strings)
{
    for (unsigned b = 0; b < batches; b++) {
        put_header(o);
        put_schema(o, 0, "Named", true, 1, "s", RAS_DIAL9_POOLED_STRING);
        for (uint32_t i = 0; i < strings; i++)
            put_string(o, i, "text");
        put_event(o, 0, b + 1);
        put_le(o, strings - 1, 4);
    }
}

static size_t walk(struct ras_trace *t, bool merged)
{
    struct ras_cursor *c;
    const struct ras_record *r;
    size_t n = 0;
    assert_int_equal(ras_cursor_open(&c, t, &(struct ras_scan){.merged = merged}, NULL), RAS_OK);
    while (ras_next(c, &r, NULL) == RAS_OK) {
        size_t cells;
        assert_int_equal(ras_values(c, &cells)->kind, RAS_STR);
        n++;
    }
    ras_cursor_close(c);
    return n;
}

static void memory_is_constant_in_the_number_of_batches(void **state)
{
    (void)state;
    enum { BATCHES = 60, STRINGS = 10000 };
    struct out o = {0};
    struct ras_trace *t;
    put_batches(&o, BATCHES, STRINGS);
    assert_int_equal(ras_open_memory(&t, o.at, o.len, NULL, NULL), RAS_OK);
    const struct dial9 *d = t->priv;
    for (int round = 0; round < 2; round++) {
        assert_int_equal(walk(t, false), BATCHES);
        size_t kept = 0;
        for (size_t i = 0; i < d->place_count; i++) {
            assert_true(!d->places[i].batch || d->places[i].batch->users == 0);
            kept += d->places[i].batch != NULL;
        }
        assert_int_equal(d->place_count, BATCHES);
        assert_true(kept > 1);
        assert_true(kept < BATCHES / 2);
        assert_true(d->idle_bytes <= (size_t)10 << 20);
    }
    ras_close(t);
    out_free(&o);
}

static void a_merge_reads_every_batch_at_once(void **state)
{
    (void)state;
    enum { BATCHES = 60 };
    struct out o = {0};
    struct ras_trace *t;
    put_batches(&o, BATCHES, 300);
    assert_int_equal(ras_open_memory(&t, o.at, o.len, NULL, NULL), RAS_OK);
    assert_int_equal(dial9_run_count(t), BATCHES + 1); /* and one of derived records */
    assert_int_equal(walk(t, true), BATCHES);
    assert_int_equal(walk(t, false), BATCHES);
    ras_close(t);
    out_free(&o);
}

/* Reading stops at damage; so does the count, or a merge would show what is after it. */
static void runs_end_where_reading_ends(void **state)
{
    (void)state;
    struct out o = {0};
    struct ras_trace *t;
    put_batches(&o, 3, 5);
    out_byte(&o, 0x77);
    put_batches(&o, 3, 5);
    assert_int_equal(ras_open_memory(&t, o.at, o.len, NULL, NULL), RAS_OK);
    assert_int_equal(dial9_run_count(t), 3 + 1);
    assert_int_equal(walk(t, true), 3);
    assert_int_equal(ras_ending(t).kind, RAS_DAMAGED);
    ras_close(t);
    out_free(&o);
}

static void a_batch_is_shared_by_its_readers(void **state)
{
    (void)state;
    struct out o = {0};
    struct ras_trace *t;
    put_batches(&o, 1, 500);
    assert_int_equal(ras_open_memory(&t, o.at, o.len, NULL, NULL), RAS_OK);
    struct dial9 *d = t->priv;
    struct dial9_batch *a = dial9_batch_take(t, 0, 0), *b = dial9_batch_take(t, 0, 0);
    assert_ptr_equal(a, b);
    assert_int_equal(a->users, 2);
    dial9_batch_leave(d, a);
    assert_int_equal(b->users, 1);
    assert_int_equal(dial9_batch_learn(b, &d->rules, (struct ras_bytes){o.at, o.len}, o.len, NULL),
                     RAS_OK);
    assert_int_equal(b->strings.count, 500);
    dial9_batch_leave(d, b);
    assert_ptr_equal(d->places[0].batch, b); /* long enough to be kept */
    assert_null(dial9_batch_take(t, 0, 9));  /* not where its header is */
    assert_null(dial9_batch_take(t, 7, 9));  /* not the next one */
    ras_close(t);
    out_free(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_constant_in_the_number_of_batches),
        cmocka_unit_test(a_merge_reads_every_batch_at_once),
        cmocka_unit_test(runs_end_where_reading_ends),
        cmocka_unit_test(a_batch_is_shared_by_its_readers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
