/* du_test.c - every stored byte of a replay is booked once, by every grouping. */
#include "../../replay.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

/* Header 54; frame 1: 20; frame 2: 20 + 64; and 5 bytes of a third. */
static struct ras_trace *open_cut(struct out *o)
{
    struct ras_trace *t;
    put_header(o);
    put_frame(o, 1);
    put_despawns(o, 2, 2);
    out_bytes(o, "\3\0\0\0\0", 5);
    assert_int_equal(ras_open_memory(&t, o->at, o->len, NULL, NULL), RAS_OK);
    return t;
}

static void books(enum ras_du_by by, const char *want)
{
    struct out o = {0};
    struct ras_trace *t = open_cut(&o);
    struct ras_du *du;
    char got[800] = "";
    size_t len = 0;
    uint64_t sum = 0;
    assert_int_equal(ras_du(&du, t, by, NULL, NULL, NULL), RAS_OK);
    for (size_t i = 0; i < du->part_count; i++) {
        const struct ras_usage *u = &du->parts[i];
        sum += u->bytes;
        assert_int_equal(u->bytes, u->raw_bytes);
        len += (size_t)snprintf(got + len, sizeof got - len, "%s%s %s %" PRIu64 "/%" PRIu64,
                                len ? "; " : "", u->kind, u->name, u->bytes, u->records);
    }
    assert_string_equal(got, want);
    assert_int_equal(sum, ras_size(t));
    ras_du_free(du);
    ras_close(t);
    out_free(&o);
}

static void by_type(void **state)
{
    (void)state;
    books(RAS_DU_TYPE, "type command 64/2; header header 54/0; type frame 40/2; "
                       "padding not understood 5/0");
}

static void by_field(void **state)
{
    (void)state;
    books(RAS_DU_FIELD,
          "header header 54/0; field frame.(framing) 40/2; field command.payload 24/0; "
          "field command.arrival_seq 16/0; field command.expires_after_tick 16/0; "
          "padding not understood 5/0; field command.payload_type 2/0; "
          "field command.priority_class 2/0; field command.source_id 2/0; "
          "field command.source_seq 2/0");
}

static void by_frame(void **state)
{
    (void)state;
    books(RAS_DU_FRAME,
          "frame 2 84/3; header header 54/0; frame 1 20/1; padding not understood 5/0");
}

static void by_stream(void **state)
{
    (void)state;
    books(RAS_DU_STREAM, "stream all 104/4; header header 54/0; padding not understood 5/0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_type),
        cmocka_unit_test(by_field),
        cmocka_unit_test(by_frame),
        cmocka_unit_test(by_stream),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
