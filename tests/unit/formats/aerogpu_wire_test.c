/* aerogpu_wire_test.c - the structures of traces on memory of the caller: header, records, TOC,
 * footer, streams, packets, tables. */
#include "aerogpu_make.h"

static struct ras_error err;

static void header_is_checked_field_by_field(void **state)
{
    (void)state;
    struct out out = {0};
    struct ras_aero_header h;
    put_header(&out, 2, "{\"a\":1}");
    assert_int_equal(ras_aero_header_get(bytes_of(&out), &h, &err), RAS_OK);
    assert_int_equal(h.container_version, 2);
    assert_int_equal(h.command_abi_version, 0x10004);
    struct ras_bytes meta = ras_aero_meta(bytes_of(&out), &h);
    assert_int_equal(meta.len, 7);
    assert_memory_equal(meta.at, "{\"a\":1}", 7);

    patch(&out, 12, 3);
    assert_int_equal(ras_aero_header_get(bytes_of(&out), &h, &err), RAS_EVERSION);
    assert_int_equal(err.offset, 12);
    assert_string_equal(err.text, "container_version 3, 1 and 2 are read");
    patch(&out, 8, 31);
    assert_int_equal(ras_aero_header_get(bytes_of(&out), &h, &err), RAS_EFORMAT);
    assert_int_equal(err.offset, 8);
    out.at[7] = 'X';
    assert_int_equal(ras_aero_header_get(bytes_of(&out), &h, &err), RAS_EFORMAT);
    assert_int_equal(err.offset, 0);
    out_free(&out);
}

static void header_that_is_cut_says_so_at_every_length(void **state)
{
    (void)state;
    struct out out = {0};
    struct ras_aero_header h;
    put_header(&out, 1, "");
    for (size_t n = 0; n < RAS_AERO_HEADER_SIZE; n++)
        assert_int_equal(ras_aero_header_get((struct ras_bytes){out.at, n}, &h, NULL), RAS_ECUT);
    h.meta_len = UINT32_MAX; /* never beyond the file */
    assert_int_equal(ras_aero_meta(bytes_of(&out), &h).len, 0);
    out_free(&out);
}

static void records_are_followed_to_the_toc(void **state)
{
    (void)state;
    struct out out = {0};
    put_frames(&out, 2);
    struct ras_aero_footer f;
    struct ras_aero_toc toc;
    assert_int_equal(ras_aero_footer_get(bytes_of(&out), &f, &err), RAS_OK);
    assert_int_equal(ras_aero_toc_get(bytes_of(&out), &f, &toc, &err), RAS_OK);
    assert_int_equal(toc.frame_count, 2);
    struct ras_bytes records = {out.at, (size_t)f.toc_offset};
    struct ras_aero_record r;
    uint64_t at = RAS_AERO_HEADER_SIZE + 2;
    unsigned count = 0;
    for (; ras_aero_record_get(records, &at, &r, &err) == RAS_OK; count++)
        assert_int_equal(r.payload.len, r.payload_len);
    assert_int_equal(count, 2 * (FRAME_DRAWS + 2));
    assert_int_equal(at, f.toc_offset);
    for (uint32_t i = 0; i < 2; i++) {
        struct ras_aero_frame entry = ras_aero_toc_entry(bytes_of(&out), &f, i);
        uint32_t index;
        at = entry.present_offset;
        assert_int_equal(ras_aero_record_get(records, &at, &r, &err), RAS_OK);
        assert_int_equal(r.record_type, RAS_AERO_PRESENT);
        assert_int_equal(ras_aero_frame_index_get(r.payload, &index, &err), RAS_OK);
        assert_int_equal(index, i);
        assert_int_equal(at, entry.end_offset);
    }
    out_free(&out);
}

static void record_that_is_cut_leaves_the_offset(void **state)
{
    (void)state;
    struct out out = {0};
    struct ras_aero_record r;
    put_draw(&out, 3);
    for (size_t n = 1; n < out.len; n++) {
        uint64_t at = 0;
        assert_int_equal(ras_aero_record_get((struct ras_bytes){out.at, n}, &at, &r, &err),
                         RAS_ECUT);
        assert_int_equal(at, 0);
    }
    assert_string_equal(err.text, "Packet payload of 16 bytes, 15 are left");
    uint64_t beyond = 1000;
    assert_int_equal(ras_aero_record_get(bytes_of(&out), &beyond, &r, &err), RAS_END);
    out_free(&out);
}

/* The footer of a sealed trace with one u32 changed, and the error. */
static void expect_seal(size_t back, uint32_t value, const char *text)
{
    struct out out = {0};
    struct ras_aero_footer f;
    struct ras_aero_toc toc;
    put_frames(&out, 1);
    patch(&out, out.len - back, value);
    int status = ras_aero_footer_get(bytes_of(&out), &f, &err);
    if (status == RAS_OK)
        status = ras_aero_toc_get(bytes_of(&out), &f, &toc, &err);
    assert_int_equal(status, RAS_EFORMAT);
    assert_string_equal(err.text, text);
    out_free(&out);
}

static void footer_and_toc_are_checked_field_by_field(void **state)
{
    (void)state;
    expect_seal(32, 0, "no footer in the last 32 bytes");
    expect_seal(24, 33, "footer_size is 33, 32 wanted");
    expect_seal(20, 2, "container_version 2 in the footer, 1 in the header");
    expect_seal(16, 4096, "TOC of 48 bytes at 4096, the footer starts at 178");
    expect_seal(12, 1, "TOC of 48 bytes at 4294967426, the footer starts at 178");
    expect_seal(8, 15, "toc_len is 15, at least 16 wanted");
    expect_seal(8, 49, "TOC of 49 bytes at 130, the footer starts at 178");
    expect_seal(32 + 48, 0, "TOC magic is not AEROTOC");
    expect_seal(32 + 40, 2, "toc_version is 2, 1 wanted");
    expect_seal(32 + 36, 2, "toc_len is 48, 2 frames take 80");
}

static void submission_ranges_follow_its_header(void **state)
{
    (void)state;
    struct out out = {0};
    struct ras_aero_submission s;
    put(&out, 1, 4);
    put(&out, 60, 4);
    put(&out, 0, 40);
    put(&out, 1, 4);
    put(&out, 0, 4);
    put(&out, 0xeeeeeeee, 4); /* of a later version */
    put(&out, 7, 4);
    put(&out, 0, 4);
    put(&out, 0x1000, 8);
    put(&out, 72, 8);
    put(&out, 3, 8);
    put(&out, 0, 2);
    assert_int_equal(ras_aero_submission_get(bytes_of(&out), &s, &err), RAS_OK);
    assert_int_equal(s.trailing.len, 2);
    struct ras_aero_range range = ras_aero_range_at(&s, 0);
    assert_int_equal(range.alloc_id, 7);
    assert_int_equal(range.gpa, 0x1000);
    assert_int_equal(range.size_bytes, 72);
    assert_int_equal(range.blob_id, 3);
    patch(&out, 48, UINT32_MAX);
    assert_int_equal(ras_aero_submission_get(bytes_of(&out), &s, &err), RAS_EFORMAT);
    assert_string_equal(err.text, "4294967295 memory ranges take 137438953440 bytes, 34 are left");
    patch(&out, 4, 55);
    assert_int_equal(ras_aero_submission_get(bytes_of(&out), &s, &err), RAS_EFORMAT);
    out_free(&out);
}

static void names_are_those_of_the_specification(void **state)
{
    (void)state;
    assert_string_equal(ras_aero_record_name(RAS_AERO_BEGIN_FRAME), "BeginFrame");
    assert_string_equal(ras_aero_record_name(RAS_AERO_SUBMISSION), "AerogpuSubmission");
    assert_null(ras_aero_record_name(0));
    assert_null(ras_aero_record_name(6));
    assert_string_equal(ras_aero_blob_kind_name(RAS_AERO_SHADER_GLSL_ES300), "ShaderGlslEs300");
    assert_string_equal(ras_aero_blob_kind_name(RAS_AERO_ALLOC_MEMORY), "AerogpuAllocMemory");
    assert_null(ras_aero_blob_kind_name(0));
    assert_null(ras_aero_blob_kind_name(0xff));
    assert_null(ras_aero_blob_kind_name(0x103));
}

/* ---- streams, packets, tables -------------------------------------------------------------- */

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

static void stream_header_is_checked(void **state)
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

static void command_sizes_are_checked(void **state)
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
        cmocka_unit_test(header_is_checked_field_by_field),
        cmocka_unit_test(header_that_is_cut_says_so_at_every_length),
        cmocka_unit_test(records_are_followed_to_the_toc),
        cmocka_unit_test(record_that_is_cut_leaves_the_offset),
        cmocka_unit_test(footer_and_toc_are_checked_field_by_field),
        cmocka_unit_test(submission_ranges_follow_its_header),
        cmocka_unit_test(names_are_those_of_the_specification),
        cmocka_unit_test(stream_is_walked_command_by_command),
        cmocka_unit_test(stream_header_is_checked),
        cmocka_unit_test(command_sizes_are_checked),
        cmocka_unit_test(packet_is_as_long_as_it_says),
        cmocka_unit_test(table_entries_may_be_wider_than_known),
    };
    return cmocka_run_group_tests_name("formats/aerogpu_wire", tests, NULL, NULL);
}
