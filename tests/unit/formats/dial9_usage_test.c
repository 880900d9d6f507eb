/* dial9_usage_test.c - every byte of a stream is booked. */
#include "../stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

static uint64_t bytes_of(const struct ras_du *du, const char *kind, const char *name,
                         uint64_t *records)
{
    for (size_t i = 0; i < du->part_count; i++) {
        if (strcmp(du->parts[i].kind, kind) || strcmp(du->parts[i].name, name))
            continue;
        *records = du->parts[i].records;
        return du->parts[i].bytes;
    }
    return 0;
}

static struct ras_du *usage(const struct out *o, enum ras_du_by by)
{
    struct ras_trace *t;
    struct ras_du *du;
    uint64_t sum = 0;
    assert_int_equal(ras_open_memory(&t, o->at, o->len, NULL, NULL), RAS_OK);
    assert_true(ras_du(&du, t, by, NULL, NULL, NULL) == RAS_OK);
    for (size_t i = 0; i < du->part_count; i++)
        sum += du->parts[i].bytes;
    assert_int_equal(sum, o->len);
    ras_close(t);
    return du;
}

static void bytes_by_type_field_and_batch(void **state)
{
    (void)state;
    struct out o = {0};
    for (int batch = 0; batch < 2; batch++) {
        put_header(&o);
        put_ev_schema(&o);
        put_string(&o, 0, "abc");
        put_reset(&o, 7);
        put_ev(&o, 1, 300); /* 6 + 2 bytes */
        put_ev(&o, 1, 1);   /* 6 + 1 */
    }
    uint64_t records;
    struct ras_du *du = usage(&o, RAS_DU_TYPE);
    assert_int_equal(bytes_of(du, "type", "Ev", &records), 2 * 15);
    assert_int_equal(records, 4);
    assert_int_equal(bytes_of(du, "pool", "string", &records), 2 * 16);
    assert_int_equal(records, 2);
    assert_int_equal(bytes_of(du, "header", "header", &records), 10);
    assert_int_equal(bytes_of(du, "header", "timestamp reset", &records), 18);
    assert_int_equal(bytes_of(du, "header", "schema", &records), 2 * 14);
    ras_du_free(du);
    du = usage(&o, RAS_DU_FIELD);
    assert_int_equal(bytes_of(du, "field", "Ev.v", &records), 6);
    assert_int_equal(bytes_of(du, "field", "Ev.(framing)", &records), 24);
    ras_du_free(du);
    du = usage(&o, RAS_DU_STREAM);
    assert_int_equal(bytes_of(du, "stream", "batch 1", &records), 15 + 16);
    ras_du_free(du);
    out_free(&o);
}

static void unreadable_bytes_are_padding(void **state)
{
    (void)state;
    struct out o = {0};
    put_header(&o);
    put_ev_schema(&o);
    put_ev(&o, 1, 1);
    out_text(&o, "rubbish");
    uint64_t records;
    struct ras_du *du = usage(&o, RAS_DU_TYPE);
    assert_int_equal(bytes_of(du, "padding", "not understood", &records), 7);
    ras_du_free(du);
    out_free(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_by_type_field_and_batch),
        cmocka_unit_test(unreadable_bytes_are_padding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
