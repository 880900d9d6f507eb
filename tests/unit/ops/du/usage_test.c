/* usage_test.c - bookings are summed as requested and add up to the stored size. */
#include "../../core/fake.h"
#include "ops/du/usage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <zlib.h>
#include <cmocka.h>

static const char bytes[] = "0123456789012345678901234567890123456789"; /* 40 */

/* A header of 10, two types on two streams in two frames, a pool; 4 bytes are left over. */
static void book_all(struct usage *u)
{
    static const struct booking all[] = {
        {.kind = "header", .name = "head", .raw = 10, .frame = RAS_NONE},
        {.kind = "type", .name = "a", .records = 1, .raw = 6, .stream = 1, .frame = 7},
        {.kind = "type", .name = "a", .field = "x", .raw = 4, .stream = 1, .frame = 7},
        {.kind = "type", .name = "b", .records = 2, .raw = 8, .stream = 2, .frame = 7},
        {.kind = "type", .name = "a", .records = 1, .raw = 3, .stream = 2, .frame = 8},
        {.kind = "pool", .name = "strings", .records = 1, .raw = 5, .frame = RAS_NONE},
        {.kind = "pool", .name = "empty", .frame = RAS_NONE}, /* no entry of its own */
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        usage_add(u, &all[i]);
}

/* "kind name bytes/raw/records; ..." */
static void sums(struct ras_trace *t, enum ras_du_by by, const char *want)
{
    struct ras_du *du;
    struct usage *u = usage_new(t, by, NULL, NULL);
    char got[500] = "";
    size_t len = 0;
    uint64_t total = 0;
    assert_non_null(u);
    assert_int_equal(usage_by_field(u), by == RAS_DU_FIELD);
    book_all(u);
    assert_int_equal(usage_finish(u, &du, NULL), RAS_OK);
    usage_free(u);
    for (size_t i = 0; i < du->part_count; i++) {
        const struct ras_usage *p = &du->parts[i];
        total += p->bytes;
        len += (size_t)snprintf(got + len, sizeof got - len,
                                "%s%s %s %" PRIu64 "/%" PRIu64 "/%" PRIu64, len ? "; " : "",
                                p->kind, p->name, p->bytes, p->raw_bytes, p->records);
    }
    assert_string_equal(got, want);
    assert_int_equal(total, ras_size(t));
    ras_du_free(du);
    ras_du_free(NULL);
}

static struct ras_trace *trace_of_40_bytes(void)
{
    struct ras_trace *t = fake_open(bytes, 40, 1, false);
    assert_true(stream_add(t, 1, "one") && stream_add(t, 2, "two"));
    return t;
}

static void by_type_the_rest_is_padding(void **state)
{
    (void)state;
    struct ras_trace *t = trace_of_40_bytes();
    sums(t, RAS_DU_TYPE,
         "type a 13/13/2; header head 10/10/0; type b 8/8/2; pool strings 5/5/1; "
         "padding not understood 4/4/0");
    ras_close(t);
}

static void by_field_framing_is_separate(void **state)
{
    (void)state;
    struct ras_trace *t = trace_of_40_bytes();
    sums(t, RAS_DU_FIELD,
         "header head 10/10/0; field a.(framing) 9/9/2; field b.(framing) 8/8/2; "
         "pool strings 5/5/1; field a.x 4/4/0; padding not understood 4/4/0");
    ras_close(t);
}

static void by_frame_and_by_stream(void **state)
{
    (void)state;
    struct ras_trace *t = trace_of_40_bytes();
    sums(t, RAS_DU_FRAME,
         "frame 7 18/18/3; header head 10/10/0; pool strings 5/5/1; "
         "padding not understood 4/4/0; frame 8 3/3/1");
    sums(t, RAS_DU_STREAM,
         "stream two 11/11/3; header head 10/10/0; stream one 10/10/1; stream all 5/5/1; "
         "padding not understood 4/4/0");
    ras_close(t);
}

static size_t gzip(uint8_t *to, size_t room)
{
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (void *)(uintptr_t)bytes;
    z.avail_in = 40;
    z.next_out = to;
    z.avail_out = (unsigned)room;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    return z.total_out;
}

/* Shares of a wrapped trace are its stored bytes; raw stays what was inflated. */
static void a_wrapped_trace_adds_up_to_what_is_stored(void **state)
{
    (void)state;
    uint8_t packed[100];
    size_t size = gzip(packed, sizeof packed);
    struct ras_trace *t = fake_open(packed, size, 1, false);
    struct usage *u = usage_new(t, RAS_DU_TYPE, NULL, NULL);
    struct ras_du *du;
    uint64_t stored = 0, raw = 0;
    book_all(u);
    assert_int_equal(usage_finish(u, &du, NULL), RAS_OK);
    usage_free(u);
    for (size_t i = 0; i < du->part_count; i++) {
        stored += du->parts[i].bytes;
        raw += du->parts[i].raw_bytes;
    }
    assert_int_equal(stored, size);
    assert_int_equal(raw, 40);
    assert_string_equal(du->parts[0].name, "a");
    ras_du_free(du);
    ras_close(t);
}

/* So are those of a wrapped file beside others, which share out their own. */
static void a_wrapped_part_shares_out_its_own_bytes(void **state)
{
    (void)state;
    uint8_t packed[100];
    size_t size = gzip(packed, sizeof packed);
    const struct ras_part parts[] = {{"plain", {(const void *)bytes, 40}},
                                     {"packed", {packed, size}}};
    struct ras_trace *t = trace_of_40_bytes();
    struct ras_limits limits = {.parts = 4, .inflated_bytes = 1 << 20};
    source_close(t->source);
    assert_int_equal(source_open_parts(&t->source, parts, 2, NULL, &limits, NULL), RAS_OK);
    assert_int_equal(source_load(t->source, 0, NULL), RAS_OK);
    assert_int_equal(source_load(t->source, 1, NULL), RAS_OK);
    struct usage *u = usage_new(t, RAS_DU_TYPE, NULL, NULL);
    struct ras_du *du;
    for (unsigned i = 0; i < 10; i++) {
        usage_add(u, &(struct booking){.kind = "type", .name = "a", .raw = 4, .part = 0});
        usage_add(u, &(struct booking){.kind = "type", .name = "b", .raw = 1, .part = 1});
        usage_add(u, &(struct booking){.kind = "type", .name = "c", .raw = 3, .part = 1});
    }
    assert_int_equal(usage_finish(u, &du, NULL), RAS_OK);
    usage_free(u);
    assert_int_equal(du->part_count, 3);
    assert_string_equal(du->parts[0].name, "a");
    assert_int_equal(du->parts[0].bytes, 40);
    assert_string_equal(du->parts[1].name, "c");
    assert_int_equal(du->parts[1].bytes, size - size / 4);
    assert_string_equal(du->parts[2].name, "b");
    assert_int_equal(du->parts[2].bytes, size / 4);
    assert_int_equal(du->parts[2].raw_bytes, 10);
    ras_du_free(du);
    ras_close(t);
}

static void what_a_format_packs_counts_as_stored(void **state)
{
    (void)state;
    struct ras_trace *t = trace_of_40_bytes();
    struct usage *u = usage_new(t, RAS_DU_TYPE, NULL, NULL);
    struct ras_du *du;
    struct booking b = {
        .kind = "type", .name = "a", .records = 1, .raw = 1000, .stored = 40, .packed = true};
    usage_add(u, &b);
    assert_int_equal(usage_finish(u, &du, NULL), RAS_OK);
    usage_free(u);
    assert_int_equal(du->part_count, 1);
    assert_int_equal(du->parts[0].bytes, 40);
    assert_int_equal(du->parts[0].raw_bytes, 1000);
    ras_du_free(du);
    ras_close(t);
}

static void many_names_are_each_summed_once(void **state)
{
    (void)state;
    enum { NAMES = 5000 };
    struct ras_trace *t = trace_of_40_bytes();
    struct usage *u = usage_new(t, RAS_DU_TYPE, NULL, NULL);
    struct ras_du *du;
    for (int i = 0; i < 3 * NAMES; i++) {
        char name[20];
        snprintf(name, sizeof name, "type %d", i % NAMES);
        usage_add(u, &(struct booking){.kind = "type", .name = name, .records = 1, .raw = 2});
    }
    assert_int_equal(usage_finish(u, &du, NULL), RAS_OK);
    usage_free(u);
    assert_int_equal(du->part_count, NAMES);
    for (size_t i = 0; i < NAMES; i++) {
        assert_int_equal(du->parts[i].records, 3);
        assert_int_equal(du->parts[i].bytes, 6);
    }
    ras_du_free(du);
    ras_close(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_type_the_rest_is_padding),
        cmocka_unit_test(by_field_framing_is_separate),
        cmocka_unit_test(by_frame_and_by_stream),
        cmocka_unit_test(a_wrapped_trace_adds_up_to_what_is_stored),
        cmocka_unit_test(a_wrapped_part_shares_out_its_own_bytes),
        cmocka_unit_test(what_a_format_packs_counts_as_stored),
        cmocka_unit_test(many_names_are_each_summed_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
