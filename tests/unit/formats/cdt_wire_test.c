/* cdt_wire_test.c - the bytes of the container, cut at every length, and chunks: the reader's rules
 * in their order, and limits before memory. */
#include "cdt_make.h"
#include "formats/cdt/cdt_model.h"
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

/* ---- chunks ---------------------------------------------------------------- */

enum { FLAGS = 12, COMPRESSED = 16, UNCOMPRESSED = 20, CHECKSUM = 24, BODY = 32 };

struct fixture {
    struct out out;
    struct cdt_buffer buffer;
    struct cdt_loaded loaded;
    struct ras_error err;
};

static int setup(void **state)
{
    struct fixture *f = *state = calloc(1, sizeof *f);
    make_chunk(&f->out, "TICK", 0, 0, "{'start_tick':0,'end_tick':0,'ticks':[]}");
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    out_free(&f->out);
    cdt_buffer_free(&f->buffer);
    free(f);
    return 0;
}

static int load(struct fixture *f, uint64_t limit)
{
    struct ras_bytes file = {f->out.at, f->out.len};
    return cdt_chunk_load(&f->buffer, file, 0, limit, &f->loaded, &f->err);
}

static void says(struct fixture *f, int status, const char *text)
{
    assert_int_equal(load(f, 1 << 20), status);
    assert_int_equal(f->err.status, status);
    if (!strstr(f->err.text, text))
        fail_msg("'%s' does not say '%s'", f->err.text, text);
    assert_null(f->loaded.payload.at);
}

/* The payload, wrapped in a zstd frame of one raw block. */
static void wrap(struct fixture *f, size_t extra)
{
    struct out o = {0};
    size_t n = f->out.len - BODY;
    out_bytes(&o, f->out.at, BODY);
    make_le(&o, 0xfd2fb528, 4);
    out_byte(&o, 0x20);
    out_byte(&o, (uint8_t)n);
    make_le(&o, n << 3 | 1, 3);
    out_bytes(&o, f->out.at + BODY, n);
    while (extra--)
        out_byte(&o, 0x55);
    o.at[FLAGS] = 3;
    o.at[COMPRESSED] = (uint8_t)(o.len - BODY);
    out_free(&f->out);
    f->out = o;
}

static void stored_as_it_is(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(load(f, 1 << 20), RAS_OK);
    assert_int_equal(f->loaded.payload.len, f->out.len - BODY);
    assert_memory_equal(f->loaded.payload.at, f->out.at + BODY, f->loaded.payload.len);
    for (int i = 0; i < CDT_PADDING; i++)
        assert_int_equal(f->loaded.payload.at[f->loaded.payload.len + (size_t)i], 0);
    f->out.at[FLAGS + 3] = 0x80; /* unknown bits are ignored */
    assert_int_equal(load(f, 1 << 20), RAS_OK);
}

static void compressed(void **state)
{
    struct fixture *f = *state;
    wrap(f, 0);
    assert_int_equal(load(f, 1 << 20), RAS_OK);
    assert_int_equal(f->loaded.after, 0);
    assert_int_equal(f->loaded.payload.len, f->out.len - BODY - 9);
}

static void bytes_after_the_frame_are_counted(void **state)
{
    struct fixture *f = *state;
    wrap(f, 5);
    assert_int_equal(load(f, 1 << 20), RAS_OK);
    assert_int_equal(f->loaded.after, 5);
}

static void every_cut_is_a_cut(void **state)
{
    struct fixture *f = *state;
    size_t whole = f->out.len;
    for (size_t n = 0; n < whole; n++) {
        f->out.len = n;
        says(f, RAS_ECUT, n < BODY ? "truncated chunk header" : "truncated chunk payload");
    }
}

static void rules_in_the_order_of_the_reader(void **state)
{
    struct fixture *f = *state;
    wrap(f, 0);
    f->out.at[CHECKSUM] ^= 1;
    says(f, RAS_EFORMAT, "chunk checksum mismatch");
    assert_true(f->loaded.hashed);
    f->out.at[FLAGS] = 1; /* the encoding comes before the checksum */
    says(f, RAS_EFORMAT, "unsupported chunk payload encoding: flags 0x1");
    f->out.at[UNCOMPRESSED] ^= 1; /* and the size before the encoding */
    says(f, RAS_EFORMAT, "chunk size mismatch");
    f->out.at[FLAGS] = 2;
    says(f, RAS_EFORMAT, "chunk size mismatch");
    f->out.at[3] = 'X';
    says(f, RAS_EFORMAT, "unknown chunk kind: 'TICX'");
}

static void damaged_frames(void **state)
{
    struct fixture *f = *state;
    wrap(f, 0);
    f->out.at[BODY] ^= 1;
    says(f, RAS_EFORMAT, "zstd: no content size");
    f->out.at[BODY] ^= 1;
    f->out.at[BODY + 6] |= 6; /* a reserved type of block */
    says(f, RAS_EFORMAT, "zstd: ");
}

static void limits_before_memory(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(load(f, 10), RAS_ELIMIT);
    assert_int_equal(f->buffer.room, 0);
    /* A frame and a header that state 3 GiB, in 40 bytes. */
    wrap(f, 0);
    f->out.at[BODY + 4] = 0xa0;
    memcpy(f->out.at + BODY + 5, "\0\0\0\xc0", 4);
    memcpy(f->out.at + UNCOMPRESSED, "\0\0\0\xc0", 4);
    assert_int_equal(load(f, UINT64_MAX), RAS_EFORMAT);
    assert_non_null(strstr(f->err.text, "cannot hold"));
    assert_int_equal(f->buffer.room, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(header_needs_all_its_bytes),
        cmocka_unit_test(chunk_header_as_specified),
        cmocka_unit_test(kinds_by_their_first_bytes),
        cmocka_unit_test(trailer_is_the_last_sixteen_bytes),
        TEST(stored_as_it_is),
        TEST(compressed),
        TEST(bytes_after_the_frame_are_counted),
        TEST(every_cut_is_a_cut),
        TEST(rules_in_the_order_of_the_reader),
        TEST(damaged_frames),
        TEST(limits_before_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
