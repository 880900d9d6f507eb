/* aerogpu_put_test.c - every structure to bytes and back, at its extremes; meta_json. */
#include "aerogpu_make.h"

#include <stdlib.h>

static struct ras_error err;

/* Bytes whose every field differs from its neighbours, the highest bits set. */
static void fill(void *to, size_t size, unsigned seed)
{
    uint8_t *p = to;
    for (size_t i = 0; i < size; i++)
        p[i] = (uint8_t)(0x80 + i * 7 + seed);
}

static void container_structures_read_back(void **state)
{
    (void)state;
    uint8_t bytes[64];
    struct in_file {
        uint8_t header[RAS_AERO_HEADER_SIZE], toc[RAS_AERO_TOC_HEADER_SIZE],
            entry[RAS_AERO_TOC_ENTRY_SIZE], footer[RAS_AERO_FOOTER_SIZE];
    } file;
    struct ras_aero_header h = {32, 2, UINT32_MAX, 0x80000001, 0, 0xfedcba98}, header;
    struct ras_aero_footer f = {32, 2, RAS_AERO_HEADER_SIZE, 48}, footer;
    struct ras_aero_toc t = {1, 1}, toc;
    struct ras_aero_frame e = {UINT32_MAX, 0x89abcdef, UINT64_MAX, 1, UINT64_MAX - 1};
    struct ras_bytes all = {(const uint8_t *)&file, sizeof file};
    ras_aero_header_put(&h, file.header);
    ras_aero_toc_put(&t, file.toc);
    ras_aero_frame_put(&e, file.entry);
    ras_aero_footer_put(&f, file.footer);
    assert_int_equal(ras_aero_header_get(all, &header, &err), RAS_OK);
    assert_memory_equal(&header, &h, sizeof h);
    assert_int_equal(ras_aero_footer_get(all, &footer, &err), RAS_OK);
    assert_memory_equal(&footer, &f, sizeof f);
    assert_int_equal(ras_aero_toc_get(all, &footer, &toc, &err), RAS_OK);
    assert_memory_equal(&toc, &t, sizeof t);
    struct ras_aero_frame entry = ras_aero_toc_entry(all, &footer, 0);
    assert_memory_equal(&entry, &e, sizeof e);

    struct ras_aero_record r = {.record_type = 0xff, .flags = 0x81, .reserved = 0xfedc}, record;
    uint64_t at = 0;
    ras_aero_record_put(&r, bytes);
    assert_int_equal(ras_aero_record_get((struct ras_bytes){bytes, 8}, &at, &record, &err), RAS_OK);
    assert_int_equal(record.record_type, r.record_type);
    assert_int_equal(record.flags, r.flags);
    assert_int_equal(record.reserved, r.reserved);
    assert_int_equal(record.payload_len, 0);
}

static void payload_structures_read_back(void **state)
{
    (void)state;
    uint8_t bytes[RAS_AERO_SUBMISSION_SIZE + RAS_AERO_RANGE_SIZE];
    struct ras_aero_blob b = {UINT64_MAX, 0xfffffffe, 0x80000000, {NULL, 0}}, blob;
    ras_aero_blob_put(&b, bytes);
    assert_int_equal(ras_aero_blob_get((struct ras_bytes){bytes, 16}, &blob, &err), RAS_OK);
    assert_int_equal(blob.blob_id, b.blob_id);
    assert_int_equal(blob.kind, b.kind);
    assert_int_equal(blob.reserved, b.reserved);

    struct ras_aero_submission s, submission;
    struct ras_aero_range r;
    fill(&s, sizeof s, 1);
    fill(&r, sizeof r, 2);
    s.header_size = RAS_AERO_SUBMISSION_SIZE;
    s.memory_range_count = 1;
    ras_aero_submission_put(&s, bytes);
    ras_aero_range_put(&r, bytes + RAS_AERO_SUBMISSION_SIZE);
    assert_int_equal(
        ras_aero_submission_get((struct ras_bytes){bytes, sizeof bytes}, &submission, &err),
        RAS_OK);
    assert_int_equal(submission.record_version, s.record_version);
    assert_int_equal(submission.submit_flags, s.submit_flags);
    assert_int_equal(submission.context_id, s.context_id);
    assert_int_equal(submission.engine_id, s.engine_id);
    assert_int_equal(submission.reserved0, s.reserved0);
    assert_int_equal(submission.signal_fence, s.signal_fence);
    assert_int_equal(submission.cmd_stream_blob_id, s.cmd_stream_blob_id);
    assert_int_equal(submission.alloc_table_blob_id, s.alloc_table_blob_id);
    assert_int_equal(submission.reserved1, s.reserved1);
    struct ras_aero_range range = ras_aero_range_at(&submission, 0);
    assert_memory_equal(&range, &r, sizeof r);
}

static void packets_streams_and_tables_read_back(void **state)
{
    (void)state;
    uint8_t bytes[RAS_AERO_STREAM_HEADER_SIZE + RAS_AERO_ALLOC_SIZE];
    struct ras_aero_packet p = {0xfffffff0, 2, {NULL, 0}}, packet;
    ras_aero_packet_put(&p, bytes);
    assert_int_equal(ras_aero_packet_get((struct ras_bytes){bytes, 8}, &packet, &err), RAS_OK);
    assert_int_equal(packet.opcode, p.opcode);

    struct ras_aero_stream s = {.abi_version = 0x1ffff,
                                .size_bytes = 32,
                                .flags = 0xffffffff,
                                .reserved0 = 0x80000000,
                                .reserved1 = 0x7fffffff},
                           stream;
    struct ras_aero_command c = {0xfedcba98, 8, {NULL, 0}}, command;
    uint64_t at = 0;
    ras_aero_stream_put(&s, bytes);
    ras_aero_command_put(&c, bytes + RAS_AERO_STREAM_HEADER_SIZE);
    assert_int_equal(ras_aero_stream_get((struct ras_bytes){bytes, 32}, &stream, &err), RAS_OK);
    assert_int_equal(stream.abi_version, s.abi_version);
    assert_int_equal(stream.flags, s.flags);
    assert_int_equal(stream.reserved0, s.reserved0);
    assert_int_equal(stream.reserved1, s.reserved1);
    assert_int_equal(ras_aero_command_get(stream.commands, &at, &command, &err), RAS_OK);
    assert_int_equal(command.opcode, c.opcode);

    struct ras_aero_alloc_table t = {.abi_version = 0x10000,
                                     .size_bytes = sizeof bytes,
                                     .entry_count = 1,
                                     .entry_stride = RAS_AERO_ALLOC_SIZE,
                                     .reserved0 = 0x87654321},
                                table;
    struct ras_aero_alloc a;
    fill(&a, sizeof a, 3);
    ras_aero_alloc_table_put(&t, bytes);
    ras_aero_alloc_put(&a, bytes + RAS_AERO_ALLOC_TABLE_HEADER_SIZE);
    assert_int_equal(
        ras_aero_alloc_table_get((struct ras_bytes){bytes, sizeof bytes}, &table, &err), RAS_OK);
    assert_int_equal(table.reserved0, t.reserved0);
    struct ras_aero_alloc alloc = ras_aero_alloc_at(&table, 0);
    assert_memory_equal(&alloc, &a, sizeof a);
}

/* ---- meta_json ------------------------------------------------------------------- */

static void meta_is(const char *version, size_t len, uint32_t abi, const char *notes,
                    const char *want)
{
    struct ras_bytes v = {(const uint8_t *)version, len};
    struct ras_bytes n = {(const uint8_t *)notes, notes ? strlen(notes) : 0};
    size_t size = 0, room = strlen(want);
    uint8_t *exact = malloc(room); /* a byte beyond it is seen by a sanitizer */
    assert_int_equal(ras_aero_meta_put(v, abi, notes ? &n : NULL, NULL, 0, &size, &err), RAS_OK);
    assert_int_equal(size, room);
    assert_int_equal(ras_aero_meta_put(v, abi, notes ? &n : NULL, exact, room, &size, &err),
                     RAS_OK);
    assert_memory_equal(exact, want, room);
    free(exact);
}

static void meta_has_the_bytes_of_the_reference(void **state)
{
    (void)state;
    meta_is("0.0.0-dev", 9, 1, NULL,
            "{\"emulator_version\":\"0.0.0-dev\",\"command_abi_version\":1}");
    meta_is("", 0, UINT32_MAX, "",
            "{\"emulator_version\":\"\",\"command_abi_version\":4294967295,\"notes\":\"\"}");
    meta_is("a\"\\\n\r\t\b\0\x1f", 9, 0, NULL,
            "{\"emulator_version\":\"a\\\"\\\\\\n\\r\\t\\u0008\\u0000\\u001f\","
            "\"command_abi_version\":0}");
    /* U+007F, U+0080, U+009F are control characters; U+00A0, U+00E9, U+1F600 are not. */
    meta_is("\x7f\xc2\x80\xc2\x9f\xc2\xa0\xc3\xa9\xf0\x9f\x98\x80", 13, 0, NULL,
            "{\"emulator_version\":\"\\u007f\\u0080\\u009f\xc2\xa0\xc3\xa9\xf0\x9f\x98\x80\","
            "\"command_abi_version\":0}");
}

static void meta_of_text_that_is_not_utf8_is_refused(void **state)
{
    (void)state;
    struct ras_bytes good = {(const uint8_t *)"ok", 2}, bad = {(const uint8_t *)"a\xc2", 2};
    size_t size;
    assert_int_equal(ras_aero_meta_put(bad, 1, NULL, NULL, 0, &size, &err), RAS_EUSAGE);
    assert_string_equal(err.text, "emulator_version is not UTF-8 at its byte 1");
    assert_int_equal(ras_aero_meta_put(good, 1, &bad, NULL, 0, &size, &err), RAS_EUSAGE);
    assert_string_equal(err.text, "notes is not UTF-8 at its byte 1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(container_structures_read_back),
        cmocka_unit_test(payload_structures_read_back),
        cmocka_unit_test(packets_streams_and_tables_read_back),
        cmocka_unit_test(meta_has_the_bytes_of_the_reference),
        cmocka_unit_test(meta_of_text_that_is_not_utf8_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
