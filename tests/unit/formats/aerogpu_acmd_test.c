/* aerogpu_acmd_test.c - command streams, packets and allocation tables: their framing. */
#include "aerogpu_make.h"

static struct ras_error err;

static void stream_is_walked_command_by_command(void **state)
{
    (void)state;
    struct out out = {0};
    struct ras_aero_stream s;
    struct ras_aero_command c;
    put_stream(&out, 3);
    out_text(&out, "rest");
    assert_int_equal(ras_aero_stream_get(bytes_of(&out), &s, &err), RAS_OK);
    assert_int_equal(s.abi_version, 0x10004);
    assert_int_equal(s.trailing.len, 4);
    uint64_t at = 0;
    for (uint64_t i = 0; i < 3; i++) {
        uint64_t scanout;
        assert_int_equal(ras_aero_command_get(s.commands, &at, &c, &err), RAS_OK);
        assert_int_equal(at, 16 * (i + 1));
        assert_true(ras_aero_field_uint(ras_aero_command_op(c.opcode, c.size_bytes), c.payload,
                                        "scanout_id", &scanout));
        assert_int_equal(scanout, i);
    }
    assert_int_equal(ras_aero_command_get(s.commands, &at, &c, &err), RAS_END);
    out_free(&out);
}

static void expect_stream(size_t at, uint32_t value, int status, const char *text)
{
    struct out out = {0};
    struct ras_aero_stream s;
    put_stream(&out, 1);
    patch(&out, at, value);
    assert_int_equal(ras_aero_stream_get(bytes_of(&out), &s, &err), status);
    assert_string_equal(err.text, text);
    out_free(&out);
}

static void stream_header_is_judged(void **state)
{
    (void)state;
    expect_stream(0, 0, RAS_EFORMAT, "command stream magic is not ACMD");
    expect_stream(4, 0x20000, RAS_EVERSION, "stream of ABI 2.0, 1.x is read");
    expect_stream(4, 0x9, RAS_EVERSION, "stream of ABI 0.9, 1.x is read");
    expect_stream(8, 20, RAS_EFORMAT, "stream size_bytes is 20, a multiple of 4 from 24 on wanted");
    expect_stream(8, 26, RAS_EFORMAT, "stream size_bytes is 26, a multiple of 4 from 24 on wanted");
    expect_stream(8, 44, RAS_ECUT, "stream of 44 bytes in 40");
    struct ras_aero_stream s;
    assert_int_equal(ras_aero_stream_get((struct ras_bytes){(const uint8_t *)"ACMD", 4}, &s, &err),
                     RAS_ECUT);
}

static void expect_command(uint32_t size, const char *text)
{
    struct out out = {0};
    struct ras_aero_command c;
    uint64_t at = 4;
    put(&out, 0, 4);
    put(&out, 0x700, 4);
    put(&out, size, 4);
    put(&out, 0, 8);
    assert_int_equal(ras_aero_command_get(bytes_of(&out), &at, &c, &err), RAS_EFORMAT);
    assert_int_equal(at, 4);
    assert_int_equal(err.offset, 4);
    assert_string_equal(err.text, text);
    out_free(&out);
}

static void command_sizes_are_judged(void **state)
{
    (void)state;
    expect_command(0, "command size_bytes is 0, a multiple of 4 from 8 on wanted");
    expect_command(4, "command size_bytes is 4, a multiple of 4 from 8 on wanted");
    expect_command(10, "command size_bytes is 10, a multiple of 4 from 8 on wanted");
    expect_command(20, "command of 20 bytes, 16 are left");
    expect_command(UINT32_MAX - 3, "command of 4294967292 bytes, 16 are left");
    struct ras_aero_command c;
    uint64_t at = 0;
    assert_int_equal(
        ras_aero_command_get((struct ras_bytes){(const uint8_t *)"four", 4}, &at, &c, &err),
        RAS_EFORMAT); /* a tail shorter than a header */
}

static void packet_is_as_long_as_it_says(void **state)
{
    (void)state;
    struct out out = {0};
    struct ras_aero_packet p;
    put(&out, 9, 4);
    put(&out, 4, 4);
    put(&out, 3, 8);
    assert_int_equal(ras_aero_packet_get(bytes_of(&out), &p, &err), RAS_OK);
    assert_int_equal(p.payload.len, 8);
    patch(&out, 4, 0x40000004); /* times four wraps to the same */
    assert_int_equal(ras_aero_packet_get(bytes_of(&out), &p, &err), RAS_EFORMAT);
    assert_int_equal(ras_aero_packet_get((struct ras_bytes){out.at, 7}, &p, &err), RAS_EFORMAT);
    assert_false(ras_aero_is_stream(bytes_of(&out)));
    assert_true(ras_aero_is_stream((struct ras_bytes){(const uint8_t *)"ACMD", 4}));
    assert_false(ras_aero_is_stream((struct ras_bytes){(const uint8_t *)"ACM", 3}));
    out_free(&out);
}

static void put_table(struct out *out, uint32_t count, uint32_t stride, uint32_t size)
{
    out_text(out, "ALOC");
    put(out, 0x10004, 4);
    put(out, size, 4);
    put(out, count, 4);
    put(out, stride, 4);
    put(out, 0, 4);
    for (uint32_t i = 0; i < 2; i++) {
        put(out, i + 1, 4);
        put(out, 0, 4);
        put(out, 0x1000 * (i + 1), 8);
        put(out, 72, 8);
        put(out, 0, 16); /* stride 40 */
    }
}

static int get_table(uint32_t count, uint32_t stride, uint32_t size, uint64_t *gpa)
{
    struct out out = {0};
    struct ras_aero_alloc_table t;
    put_table(&out, count, stride, size);
    int status = ras_aero_alloc_table_get(bytes_of(&out), &t, &err);
    if (status == RAS_OK && count)
        *gpa = ras_aero_alloc_at(&t, count - 1).gpa;
    out_free(&out);
    return status;
}

static void table_entries_may_be_wider_than_known(void **state)
{
    (void)state;
    uint64_t gpa = 0;
    assert_int_equal(get_table(2, 40, 104, &gpa), RAS_OK);
    assert_int_equal(gpa, 0x2000);
    assert_int_equal(get_table(0, 40, 24, &gpa), RAS_OK);
    assert_int_equal(get_table(2, 31, 104, &gpa), RAS_EFORMAT);
    assert_int_equal(get_table(3, 40, 104, &gpa), RAS_EFORMAT);
    assert_string_equal(err.text, "3 entries of 40 bytes, the table has room for 2");
    assert_int_equal(get_table(UINT32_MAX, UINT32_MAX, 104, &gpa), RAS_EFORMAT);
    assert_int_equal(get_table(2, 40, 20, &gpa), RAS_EFORMAT);
    assert_int_equal(get_table(2, 40, 4096, &gpa), RAS_ECUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stream_is_walked_command_by_command),
        cmocka_unit_test(stream_header_is_judged),
        cmocka_unit_test(command_sizes_are_judged),
        cmocka_unit_test(packet_is_as_long_as_it_says),
        cmocka_unit_test(table_entries_may_be_wider_than_known),
    };
    return cmocka_run_group_tests_name("formats/aerogpu_acmd", tests, NULL, NULL);
}
