/* atf_put_test.c - every structure reads back as it was put, at its extremes. */
#include <rastrum/atf.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

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
        cmocka_unit_test(index_structures_read_back),
        cmocka_unit_test(detail_structures_read_back),
        cmocka_unit_test(details_read_back),
        cmocka_unit_test(payloads_of_both_forms_read_back),
        cmocka_unit_test(a_payload_that_no_form_holds_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
