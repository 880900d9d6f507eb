/* atf_wire_test.c - every structure, field by field, the forms of a payload, and how structures
 * read back as they were put, at their extremes. */
#include "../calls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* Bytes 1, 2, 3, ... so that every field has a value of its own. */
static struct ras_bytes counting(uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)(i + 1);
    return (struct ras_bytes){bytes, size};
}

static uint64_t le(unsigned first, unsigned size)
{
    uint64_t v = 0;
    for (unsigned i = size; i--;)
        v = v << 8 | (first + 1 + i);
    return v;
}

static void an_index_header_has_its_fields_in_place(void **state)
{
    (void)state;
    uint8_t bytes[64];
    struct ras_atf_index_header h;
    struct ras_bytes b = counting(bytes, 64);
    assert_true(ras_atf_index_header_get(b, &h));
    assert_memory_equal(h.magic, bytes, 4);
    assert_int_equal(h.endian, 5);
    assert_int_equal(h.version, 6);
    assert_int_equal(h.arch, 7);
    assert_int_equal(h.os, 8);
    assert_int_equal(h.flags, le(8, 4));
    assert_int_equal(h.thread_id, le(12, 4));
    assert_int_equal(h.clock_type, 17);
    assert_memory_equal(h.reserved1, bytes + 17, 3);
    assert_int_equal(h.reserved2, le(20, 4));
    assert_int_equal(h.event_size, le(24, 4));
    assert_int_equal(h.event_count, le(28, 4));
    assert_int_equal(h.events_offset, le(32, 8));
    assert_int_equal(h.footer_offset, le(40, 8));
    assert_int_equal(h.time_start_ns, le(48, 8));
    assert_int_equal(h.time_end_ns, le(56, 8));
    b.len = 63;
    assert_false(ras_atf_index_header_get(b, &h));
}

static void an_index_event_has_its_fields_in_place(void **state)
{
    (void)state;
    uint8_t bytes[32];
    struct ras_atf_index_event e;
    struct ras_bytes b = counting(bytes, 32);
    assert_true(ras_atf_index_event_get(b, &e));
    assert_int_equal(e.timestamp_ns, le(0, 8));
    assert_int_equal(e.function_id, le(8, 8));
    assert_int_equal(e.thread_id, le(16, 4));
    assert_int_equal(e.event_kind, le(20, 4));
    assert_int_equal(e.call_depth, le(24, 4));
    assert_int_equal(e.detail_seq, le(28, 4));
    b.len = 31;
    assert_false(ras_atf_index_event_get(b, &e));
}

static void footers_have_their_fields_in_place(void **state)
{
    (void)state;
    uint8_t bytes[64];
    struct ras_atf_index_footer i;
    struct ras_atf_detail_footer d;
    struct ras_bytes b = counting(bytes, 64);
    assert_true(ras_atf_index_footer_get(b, &i));
    assert_int_equal(i.checksum, le(4, 4));
    assert_int_equal(i.event_count, le(8, 8));
    assert_int_equal(i.time_start_ns, le(16, 8));
    assert_int_equal(i.time_end_ns, le(24, 8));
    assert_int_equal(i.bytes_written, le(32, 8));
    assert_memory_equal(i.reserved, bytes + 40, 24);
    assert_true(ras_atf_detail_footer_get(b, &d));
    assert_int_equal(d.checksum, le(4, 4));
    assert_int_equal(d.event_count, le(8, 8));
    assert_int_equal(d.bytes_length, le(16, 8)); /* before the times, unlike the other */
    assert_int_equal(d.time_start_ns, le(24, 8));
    assert_int_equal(d.time_end_ns, le(32, 8));
    assert_memory_equal(d.reserved, bytes + 40, 24);
    b.len = 63;
    assert_false(ras_atf_index_footer_get(b, &i));
    assert_false(ras_atf_detail_footer_get(b, &d));
}

static void a_detail_header_has_its_fields_in_place(void **state)
{
    (void)state;
    uint8_t bytes[64];
    struct ras_atf_detail_header h;
    struct ras_bytes b = counting(bytes, 64);
    assert_true(ras_atf_detail_header_get(b, &h));
    assert_int_equal(h.flags, le(8, 4));
    assert_int_equal(h.thread_id, le(12, 4));
    assert_int_equal(h.reserved1, le(16, 4));
    assert_int_equal(h.events_offset, le(20, 8)); /* not aligned */
    assert_int_equal(h.event_count, le(28, 8));
    assert_int_equal(h.bytes_length, le(36, 8));
    assert_int_equal(h.index_seq_start, le(44, 8));
    assert_int_equal(h.index_seq_end, le(52, 8));
    assert_memory_equal(h.padding, bytes + 60, 4);
    b.len = 63;
    assert_false(ras_atf_detail_header_get(b, &h));
}

static void a_detail_is_as_long_as_it_says(void **state)
{
    (void)state;
    struct out o = {0};
    struct ras_atf_detail_event e;
    put_detail(&o, 7, 99, 5);
    assert_true(ras_atf_detail_event_get(made(&o), &e));
    assert_int_equal(e.total_length, 29);
    assert_int_equal(e.event_type, RAS_ATF_FUNCTION_CALL);
    assert_int_equal(e.index_seq, 7);
    assert_int_equal(e.timestamp, 99);
    assert_ptr_equal(e.payload.at, o.at + 24);
    assert_int_equal(e.payload.len, 5);
    for (size_t n = 0; n < o.len; n++)
        assert_false(ras_atf_detail_event_get((struct ras_bytes){o.at, n}, &e));
    o.at[0] = 23; /* shorter than its own header */
    assert_false(ras_atf_detail_event_get(made(&o), &e));
    o.at[0] = 24;
    assert_true(ras_atf_detail_event_get(made(&o), &e));
    assert_int_equal(e.payload.len, 0);
    out_free(&o);
}

static struct ras_atf_detail_event event_of(const struct out *payload, uint64_t time)
{
    return (struct ras_atf_detail_event){.timestamp = time, .payload = made(payload)};
}

static void a_payload_as_specified(void **state)
{
    (void)state;
    struct out o = {0};
    struct ras_atf_payload p;
    for (uint64_t i = 0; i < 12; i++)
        put_le(&o, 0x1000 + i, 8);
    put_le(&o, 3, 2);
    put_le(&o, 0xbeef, 2);
    out_bytes(&o, "abc", 3);
    struct ras_atf_detail_event e = event_of(&o, 1);
    assert_int_equal(ras_atf_payload_get(&e, RAS_ATF_OPAQUE, &p), RAS_ATF_SPEC);
    assert_int_equal(p.function_id, 0x1000);
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(p.x_regs[i], 0x1001 + i);
    assert_int_equal(p.lr, 0x1009);
    assert_int_equal(p.fp, 0x100a);
    assert_int_equal(p.sp, 0x100b);
    assert_int_equal(p.stack_size, 3);
    assert_int_equal(p.reserved, 0xbeef);
    assert_memory_equal(p.stack.at, "abc", p.stack.len);
    assert_int_equal(ras_atf_payload_get(&e, RAS_ATF_PRODUCTION, &p), RAS_ATF_OPAQUE);
    e.payload.len--; /* the stack is longer than the payload */
    assert_int_equal(ras_atf_payload_get(&e, RAS_ATF_OPAQUE, &p), RAS_ATF_OPAQUE);
    assert_int_equal(p.function_id, 0);
    out_free(&o);
}

static void a_payload_as_the_public_tracer_writes_it(void **state)
{
    (void)state;
    struct out o = {0};
    struct ras_atf_payload p;
    put_le(&o, 77, 8);   /* timestamp */
    put_le(&o, 0x2a, 8); /* function_id */
    put_le(&o, 7939, 4); /* the thread of the operating system */
    put_le(&o, 2, 4);    /* event_kind */
    put_le(&o, 5, 8);    /* call_depth, padding */
    for (uint64_t i = 0; i < 11; i++)
        put_le(&o, i, 8);
    for (unsigned i = 0; i < 128; i++)
        put_le(&o, i, 1);
    put_le(&o, 1000, 4); /* stack_size: more than there is room for */
    put_zeros(&o, 264);
    assert_int_equal(o.len, RAS_ATF_PRODUCTION_SIZE);
    struct ras_atf_detail_event e = event_of(&o, 77);
    assert_int_equal(ras_atf_payload_get(&e, RAS_ATF_OPAQUE, &p), RAS_ATF_PRODUCTION);
    assert_int_equal(p.timestamp, 77);
    assert_int_equal(p.function_id, 0x2a);
    assert_int_equal(p.os_thread_id, 7939);
    assert_int_equal(p.event_kind, 2);
    assert_int_equal(p.call_depth, 5);
    assert_int_equal(p.x_regs[7], 7);
    assert_int_equal(p.sp, 10);
    assert_int_equal(p.stack_size, 1000);
    assert_int_equal(p.stack.len, 128);
    assert_int_equal(ras_atf_payload_get(&e, RAS_ATF_SPEC, &p), RAS_ATF_OPAQUE);
    /* lr read as a stack size of 416 makes it look as specified, too: the time decides. */
    o.at[96] = 0xa0;
    o.at[97] = 1;
    assert_int_equal(ras_atf_payload_get(&e, RAS_ATF_OPAQUE, &p), RAS_ATF_PRODUCTION);
    e.timestamp = 78;
    assert_int_equal(ras_atf_payload_get(&e, RAS_ATF_OPAQUE, &p), RAS_ATF_SPEC);
    out_free(&o);
}

static void registers_are_named_by_architecture(void **state)
{
    (void)state;
    assert_string_equal(ras_atf_register(RAS_ATF_X86_64, RAS_ATF_FUNCTION_CALL, 0), "rdi");
    assert_string_equal(ras_atf_register(RAS_ATF_X86_64, RAS_ATF_FUNCTION_RETURN, 0), "rax");
    assert_string_equal(ras_atf_register(RAS_ATF_X86_64, RAS_ATF_FUNCTION_RETURN, 7), "rsp");
    assert_string_equal(ras_atf_register(RAS_ATF_ARM64, RAS_ATF_FUNCTION_RETURN, 0), "x0");
    assert_string_equal(ras_atf_register(RAS_ATF_ARM64, RAS_ATF_FUNCTION_CALL, 7), "x7");
    assert_null(ras_atf_register(RAS_ATF_ARM64, RAS_ATF_FUNCTION_CALL, 8));
    assert_null(ras_atf_register(3, RAS_ATF_FUNCTION_CALL, 0));
}

static void unknown_codes_have_no_name(void **state)
{
    (void)state;
    assert_string_equal(ras_atf_arch_name(2), "arm64");
    assert_string_equal(ras_atf_os_name(5), "windows");
    assert_string_equal(ras_atf_clock_name(2), "qpc");
    assert_string_equal(ras_atf_kind_name(3), "EXCEPTION");
    assert_string_equal(ras_atf_type_name(4), "FUNCTION_RETURN");
    assert_null(ras_atf_arch_name(0));
    assert_null(ras_atf_os_name(6));
    assert_null(ras_atf_clock_name(0));
    assert_null(ras_atf_kind_name(4));
    assert_null(ras_atf_type_name(5));
}

/* ---- structures to bytes ------------------------------------------------------------- */

/* A generator whose extremes are common: all ones and all zeros. */
static uint64_t some(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    unsigned top = (unsigned)(*state >> 61);
    return top == 0 ? 0 : top == 1 ? UINT64_MAX : *state ^ *state >> 29;
}

static void some_bytes(uint64_t *state, void *to, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ((uint8_t *)to)[i] = (uint8_t)some(state);
}

enum { ROUNDS = 2000 };

static void index_structures_read_back(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (unsigned i = 0; i < ROUNDS; i++) {
        uint8_t bytes[64], again[64];
        struct ras_atf_index_header h;
        struct ras_atf_index_event e = {0};
        struct ras_atf_index_footer f;
        some_bytes(&seed, bytes, sizeof bytes);
        assert_true(ras_atf_index_header_get((struct ras_bytes){bytes, 64}, &h));
        ras_atf_index_header_put(&h, again);
        assert_memory_equal(bytes, again, 64);
        assert_true(ras_atf_index_footer_get((struct ras_bytes){bytes, 64}, &f));
        memset(again, 0x55, sizeof again);
        ras_atf_index_footer_put(&f, again);
        assert_memory_equal(bytes, again, 64);
        assert_true(ras_atf_index_event_get((struct ras_bytes){bytes, 32}, &e));
        ras_atf_index_event_put(&e, again);
        assert_memory_equal(bytes, again, 32);
    }
}

static void detail_structures_read_back(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (unsigned i = 0; i < ROUNDS; i++) {
        uint8_t bytes[64], again[64];
        struct ras_atf_detail_header h;
        struct ras_atf_detail_footer f;
        some_bytes(&seed, bytes, sizeof bytes);
        assert_true(ras_atf_detail_header_get((struct ras_bytes){bytes, 64}, &h));
        ras_atf_detail_header_put(&h, again);
        assert_memory_equal(bytes, again, 64);
        assert_true(ras_atf_detail_footer_get((struct ras_bytes){bytes, 64}, &f));
        memset(again, 0x55, sizeof again);
        ras_atf_detail_footer_put(&f, again);
        assert_memory_equal(bytes, again, 64);
    }
}

static void details_read_back(void **state)
{
    (void)state;
    uint64_t seed = 3;
    uint8_t payload[100], bytes[124];
    for (size_t n = 0; n <= sizeof payload; n++) {
        struct ras_atf_detail_event d = {.total_length = 24 + (uint32_t)n,
                                         .event_type = (uint16_t)some(&seed),
                                         .flags = (uint16_t)some(&seed),
                                         .index_seq = (uint32_t)some(&seed),
                                         .thread_id = (uint32_t)some(&seed),
                                         .timestamp = some(&seed),
                                         .payload = {payload, n}};
        struct ras_atf_detail_event again;
        some_bytes(&seed, payload, n);
        assert_false(ras_atf_detail_event_put(&d, bytes, 23 + n));
        assert_true(ras_atf_detail_event_put(&d, bytes, 24 + n));
        assert_true(ras_atf_detail_event_get((struct ras_bytes){bytes, 24 + n}, &again));
        assert_int_equal(again.total_length, d.total_length);
        assert_int_equal(again.event_type, d.event_type);
        assert_int_equal(again.flags, d.flags);
        assert_int_equal(again.index_seq, d.index_seq);
        assert_int_equal(again.thread_id, d.thread_id);
        assert_int_equal(again.timestamp, d.timestamp);
        assert_memory_equal(again.payload.at, payload, n);
        d.total_length++;
        assert_false(ras_atf_detail_event_put(&d, bytes, sizeof bytes));
    }
    struct ras_atf_detail_event none = {.total_length = 23};
    assert_false(ras_atf_detail_event_put(&none, bytes, sizeof bytes));
}

static void payloads_of_both_forms_read_back(void **state)
{
    (void)state;
    static const enum ras_atf_form forms[] = {RAS_ATF_SPEC, RAS_ATF_PRODUCTION};
    uint64_t seed = 4;
    uint8_t stack[257], bytes[600];
    some_bytes(&seed, stack, sizeof stack);
    for (unsigned f = 0; f < 2; f++)
        for (size_t n = 0; n <= (f ? 128u : 256u); n++) {
            struct ras_atf_payload p = {.form = forms[f],
                                        .function_id = some(&seed),
                                        .lr = some(&seed),
                                        .fp = some(&seed),
                                        .sp = some(&seed),
                                        .stack = {stack, n},
                                        .stack_size = (uint32_t)n,
                                        .timestamp = f ? some(&seed) : 0,
                                        .os_thread_id = f ? (uint32_t)some(&seed) : 0};
            struct ras_atf_payload again;
            size_t size, less;
            for (unsigned i = 0; i < 8; i++)
                p.x_regs[i] = some(&seed);
            assert_true(ras_atf_payload_put(&p, bytes, sizeof bytes, &size));
            assert_int_equal(size, f ? 516 : 100 + n);
            assert_true(ras_atf_payload_put(&p, NULL, size - 1, &less));
            assert_int_equal(less, size);
            struct ras_atf_detail_event d = {.timestamp = p.timestamp, .payload = {bytes, size}};
            assert_int_equal(ras_atf_payload_get(&d, RAS_ATF_OPAQUE, &again), forms[f]);
            assert_int_equal(again.function_id, p.function_id);
            assert_memory_equal(again.x_regs, p.x_regs, sizeof p.x_regs);
            assert_int_equal(again.lr, p.lr);
            assert_int_equal(again.fp, p.fp);
            assert_int_equal(again.sp, p.sp);
            assert_int_equal(again.os_thread_id, p.os_thread_id);
            assert_int_equal(again.stack.len, n);
            assert_memory_equal(again.stack.at, stack, n);
        }
}

static void a_payload_that_no_form_holds_is_refused(void **state)
{
    (void)state;
    static const uint8_t stack[300];
    struct ras_atf_payload p = {.form = RAS_ATF_SPEC, .stack = {stack, 257}};
    size_t size;
    assert_false(ras_atf_payload_put(&p, NULL, 0, &size));
    p.form = RAS_ATF_PRODUCTION;
    p.stack.len = 129;
    assert_false(ras_atf_payload_put(&p, NULL, 0, &size));
    p.form = RAS_ATF_OPAQUE;
    p.stack.len = 0;
    assert_false(ras_atf_payload_put(&p, NULL, 0, &size));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_index_header_has_its_fields_in_place),
        cmocka_unit_test(an_index_event_has_its_fields_in_place),
        cmocka_unit_test(footers_have_their_fields_in_place),
        cmocka_unit_test(a_detail_header_has_its_fields_in_place),
        cmocka_unit_test(a_detail_is_as_long_as_it_says),
        cmocka_unit_test(a_payload_as_specified),
        cmocka_unit_test(a_payload_as_the_public_tracer_writes_it),
        cmocka_unit_test(registers_are_named_by_architecture),
        cmocka_unit_test(unknown_codes_have_no_name),
        cmocka_unit_test(index_structures_read_back),
        cmocka_unit_test(detail_structures_read_back),
        cmocka_unit_test(details_read_back),
        cmocka_unit_test(payloads_of_both_forms_read_back),
        cmocka_unit_test(a_payload_that_no_form_holds_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
