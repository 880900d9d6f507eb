/* cdt_wire_test.c - the container's bytes, at every length. */
#include "cdt_make.h"
#include "formats/cdt/cdt_wire.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void header_needs_all_its_bytes(void **state)
{
    (void)state;
    struct out o = {0};
    struct ras_error err;
    uint32_t version = 0;
    make_header(&o);
    assert_int_equal(o.len, RAS_CDT_HEADER_SIZE);
    for (size_t n = 0; n < o.len; n++) {
        assert_int_equal(ras_cdt_header_get((struct ras_bytes){o.at, n}, &version, &err), RAS_ECUT);
        assert_int_equal(err.offset, n);
    }
    assert_int_equal(ras_cdt_header_get((struct ras_bytes){o.at, o.len}, &version, &err), RAS_OK);
    assert_int_equal(version, 1);
    o.at[0] ^= 1;
    for (size_t n = 1; n <= o.len; n++)
        assert_int_equal(ras_cdt_header_get((struct ras_bytes){o.at, n}, &version, &err),
                         RAS_EFORMAT);
    out_free(&o);
}

static void chunk_header_as_specified(void **state)
{
    (void)state;
    struct out o = {0};
    struct ras_cdt_chunk c;
    struct ras_error err;
    make_header(&o);
    out_text(&o, "TICK");
    make_le(&o, (uint32_t)-2, 4);
    make_le(&o, 7, 4);
    make_le(&o, 0x80000003, 4);
    make_le(&o, 0xfffffffe, 4);
    make_le(&o, 0xffffffff, 4);
    make_le(&o, 0x0123456789abcdef, 8);
    struct ras_bytes file = {o.at, o.len};
    assert_int_equal(ras_cdt_chunk_get(file, 27, &c, &err), RAS_OK);
    assert_int_equal(c.kind, RAS_CDT_TICK);
    assert_string_equal(c.kind_text, "TICK");
    assert_int_equal(c.start_tick, -2);
    assert_int_equal(c.end_tick, 7);
    assert_int_equal(c.flags, 0x80000003);
    assert_int_equal(c.compressed_len, 0xfffffffe);
    assert_int_equal(c.uncompressed_len, 0xffffffff);
    assert_true(c.checksum64 == 0x0123456789abcdef);
    assert_true(cdt_chunk_size(&c) == 0x10000001e);
    assert_int_equal(ras_cdt_chunk_get(file, 28, &c, &err), RAS_ECUT);
    assert_int_equal(ras_cdt_chunk_get(file, o.len, &c, &err), RAS_ECUT);
    assert_int_equal(ras_cdt_chunk_get(file, UINT64_MAX, &c, &err), RAS_ECUT);
    assert_non_null(strstr(err.text, "truncated chunk header"));
    out_free(&o);
}

static void kinds_by_their_first_bytes(void **state)
{
    (void)state;
    char text[12];
    struct ras_cdt_chunk c = {.kind_text = "METB"};
    assert_int_equal(cdt_kind_starts((const uint8_t *)"META", 4), RAS_CDT_META);
    assert_int_equal(cdt_kind_starts((const uint8_t *)"FOTR", 1), RAS_CDT_FOTR);
    assert_int_equal(cdt_kind_starts((const uint8_t *)"TI", 2), RAS_CDT_TICK);
    assert_int_equal(cdt_kind_starts((const uint8_t *)"TO", 2), RAS_CDT_UNKNOWN);
    assert_int_equal(cdt_kind_starts((const uint8_t *)"XICK", 4), RAS_CDT_UNKNOWN);
    assert_string_equal(cdt_kind_show(&c, text, sizeof text), "'METB'");
    c.kind_text[1] = '\n';
    assert_string_equal(cdt_kind_show(&c, text, sizeof text), "0x4d0a5442");
}

static void trailer_is_the_last_sixteen_bytes(void **state)
{
    (void)state;
    struct out o = {0};
    struct ras_error err;
    uint64_t at = 0;
    make_header(&o);
    out_text(&o, RAS_CDT_TRAILER_MAGIC);
    make_le(&o, 0x1122334455667788, 8);
    assert_int_equal(ras_cdt_trailer_get((struct ras_bytes){o.at, o.len}, &at, &err), RAS_OK);
    assert_true(at == 0x1122334455667788);
    for (size_t n = 0; n < o.len; n++)
        assert_int_equal(ras_cdt_trailer_get((struct ras_bytes){o.at, n}, &at, &err), RAS_EFORMAT);
    o.at[RAS_CDT_HEADER_SIZE + 6] = '2'; /* container 2 */
    assert_int_equal(ras_cdt_trailer_get((struct ras_bytes){o.at, o.len}, &at, &err), RAS_EFORMAT);
    assert_string_equal(err.text, "missing trace trailer");
    out_free(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(header_needs_all_its_bytes),
        cmocka_unit_test(chunk_header_as_specified),
        cmocka_unit_test(kinds_by_their_first_bytes),
        cmocka_unit_test(trailer_is_the_last_sixteen_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
