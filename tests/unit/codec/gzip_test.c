/* gzip_test.c - gzip streams: whole, cut, flipped, padded, followed by rubbish. */
#include "inflate_drive.h"
#include "oracle.h"

#define ZLIB_CONST
#include <zlib.h>

static struct inflate *(*make)(void); /* all of this holds for both */

static struct ras_bytes bytes_of(const struct out *out)
{
    return (struct ras_bytes){out->at, out->len};
}

/* Append a member made by zlib, with an extra field and a name if asked. */
static void put_member(struct out *stream, struct ras_bytes content, bool dressed)
{
    z_stream zlib = {0};
    gz_header header = {.extra = (Bytef *)"RA\2\0xy", .extra_len = 6, .name = (Bytef *)"trace"};
    assert_int_equal(deflateInit2(&zlib, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    if (dressed)
        assert_int_equal(deflateSetHeader(&zlib, &header), Z_OK);
    size_t room = deflateBound(&zlib, content.len) + 64;
    uint8_t *at = out_room(stream, room);
    zlib.next_in = content.at;
    zlib.avail_in = (uInt)content.len;
    zlib.next_out = at;
    zlib.avail_out = (uInt)room;
    assert_int_equal(deflate(&zlib, Z_FINISH), Z_STREAM_END);
    stream->len += room - zlib.avail_out;
    deflateEnd(&zlib);
}

struct sample {
    struct out stream, content;
    size_t ends[8]; /* of the members, in the stream */
    size_t count;
};

static void add(struct sample *sample, size_t len, bool dressed)
{
    uint8_t *at = out_room(&sample->content, len + 1);
    fill_text(at, len, (uint32_t)(len + sample->count));
    sample->content.len += len;
    put_member(&sample->stream, (struct ras_bytes){at, len}, dressed);
    sample->ends[sample->count++] = sample->stream.len;
}

/* Four members: plain, empty, dressed, plain. */
static struct sample sample_new(void)
{
    struct sample sample = {0};
    add(&sample, 900, false);
    add(&sample, 0, false);
    add(&sample, 1500, true);
    add(&sample, 300, false);
    return sample;
}

static void sample_free(struct sample *sample)
{
    out_free(&sample->stream);
    out_free(&sample->content);
}

static void members_join_in_any_step_size(void **state)
{
    (void)state;
    struct sample sample = sample_new();
    for (size_t in_step = 1; in_step < 40000; in_step = in_step * 3 + 1)
        for (size_t out_step = 1; out_step < 40000; out_step = out_step * 3 + 2) {
            struct driven got = drive(make(), bytes_of(&sample.stream), in_step, out_step);
            assert_same(&got.out, bytes_of(&sample.content));
            assert_true(got.whole && !got.bad);
            assert_int_equal(got.members, 4);
            assert_int_equal(got.good, sample.stream.len);
            assert_string_equal(got.why, "");
            out_free(&got.out);
        }
    sample_free(&sample);
}

static void every_cut_gives_a_prefix(void **state)
{
    (void)state;
    struct sample sample = sample_new();
    size_t before = 0, member = 0;
    for (size_t cut = 0; cut <= sample.stream.len; cut++) {
        struct driven got = drive(make(), (struct ras_bytes){sample.stream.at, cut}, 61, 977);
        while (member < sample.count && cut >= sample.ends[member])
            member++;
        assert_true(is_prefix(&got.out, bytes_of(&sample.content)));
        assert_true(got.out.len >= before);
        before = got.out.len;
        assert_false(got.bad);
        assert_int_equal(got.whole, member && cut == sample.ends[member - 1]);
        assert_int_equal(got.members, member);
        assert_int_equal(got.good, member ? sample.ends[member - 1] : 0);
        out_free(&got.out);
    }
    assert_int_equal(before, sample.content.len);
    sample_free(&sample);
}

/* Of a deflate stream cut at 60 %, about 60 % of the content must come out. */
static void a_cut_member_is_salvaged_to_the_last_byte(void **state)
{
    (void)state;
    struct sample sample = {0};
    add(&sample, 200000, false);
    size_t cut = sample.stream.len * 6 / 10;
    struct driven big = drive(make(), (struct ras_bytes){sample.stream.at, cut}, cut, 300000);
    struct driven small = drive(make(), (struct ras_bytes){sample.stream.at, cut}, 1, 1);
    assert_true(is_prefix(&big.out, bytes_of(&sample.content)));
    assert_same(&small.out, bytes_of(&big.out));
    assert_in_range(big.out.len, 110000, 130000);
    out_free(&big.out);
    out_free(&small.out);
    sample_free(&sample);
}

static void every_flipped_byte_is_noticed_or_harmless(void **state)
{
    (void)state;
    struct sample sample = sample_new();
    size_t noticed = 0;
    for (size_t at = 0; at < sample.stream.len; at++)
        for (unsigned bit = 0; bit < 8; bit++) {
            sample.stream.at[at] ^= (uint8_t)(1u << bit);
            struct driven got = drive(make(), bytes_of(&sample.stream), 100, 5000);
            /* A flip in mtime, os or the name changes nothing; all else must be noticed. */
            if (got.whole)
                assert_same(&got.out, bytes_of(&sample.content));
            else
                noticed++;
            assert_true(!got.bad || got.why[0]);
            uint8_t *all = NULL;
            size_t len = 0;
            uint64_t members = 0;
            if (gzip_inflate_all(bytes_of(&sample.stream), 1 << 20, &all, &len, &members)) {
                assert_true(got.whole);
                assert_same(&got.out, (struct ras_bytes){all, len});
                assert_int_equal(got.members, members);
            }
            free(all);
            out_free(&got.out);
            sample.stream.at[at] ^= (uint8_t)(1u << bit);
        }
    assert_true(noticed > sample.stream.len * 6);
    sample_free(&sample);
}

/* The bytes before a corrupt place are kept, and the member is named. */
static void a_corrupt_member_keeps_what_came_before(void **state)
{
    (void)state;
    struct sample sample = {0};
    add(&sample, 1000, false);
    add(&sample, 100000, false);
    sample.stream.at[sample.ends[1] - 8] ^= 1; /* its CRC32 */
    struct driven crc = drive(make(), bytes_of(&sample.stream), 4096, 4096);
    assert_true(crc.bad && !crc.trailing && !crc.whole);
    assert_same(&crc.out, bytes_of(&sample.content));
    assert_string_equal(crc.why, "gzip member 2: incorrect data check");
    assert_int_equal(crc.members, 1);
    assert_int_equal(crc.good, sample.ends[0]);
    sample.stream.at[sample.ends[1] - 8] ^= 1;
    size_t middle = (sample.ends[0] + sample.ends[1]) / 2;
    memset(sample.stream.at + middle, 0xff, 64);
    struct driven data = drive(make(), bytes_of(&sample.stream), sample.stream.len, 200000);
    struct driven step = drive(make(), bytes_of(&sample.stream), 1, 1);
    assert_true(data.bad && !data.trailing);
    assert_true(data.out.len > 40000);
    assert_memory_equal(data.out.at, sample.content.at, 40000);
    assert_same(&step.out, bytes_of(&data.out));
    out_free(&crc.out);
    out_free(&data.out);
    out_free(&step.out);
    sample_free(&sample);
}

static void bytes_after_the_last_member_are_a_warning(void **state)
{
    (void)state;
    static const struct {
        const char *tail;
        size_t len;
    } rows[] = {{"x", 1}, {"\x1fx", 2}, {"\x1f\x8bx", 3}, {"\0\0\0y", 4}, {"\0\x1f\x8b\7", 4}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct sample sample = sample_new();
        size_t whole = sample.stream.len;
        out_bytes(&sample.stream, rows[i].tail, rows[i].len);
        out_text(&sample.stream, "and more");
        for (size_t step = 1; step < 10000; step = step * 7) {
            struct driven got = drive(make(), bytes_of(&sample.stream), step, 500);
            assert_same(&got.out, bytes_of(&sample.content));
            assert_true(got.bad && got.trailing && !got.whole);
            assert_string_equal(got.why, "bytes after the last gzip member");
            assert_int_equal(got.members, 4);
            assert_int_equal(got.good, whole);
            out_free(&got.out);
        }
        sample_free(&sample);
    }
}

static void zero_padding_is_clean(void **state)
{
    (void)state;
    struct sample sample = {0};
    add(&sample, 700, false);
    out_bytes(&sample.stream, (const uint8_t[512]){0}, 512);
    struct driven got = drive(make(), bytes_of(&sample.stream), 100, 100);
    assert_true(got.whole && !got.bad && !got.trailing);
    assert_int_equal(got.good, sample.ends[0]);
    out_free(&got.out);
    add(&sample, 50, true);
    got = drive(make(), bytes_of(&sample.stream), 100, 100);
    assert_true(got.whole && got.members == 2);
    assert_same(&got.out, bytes_of(&sample.content));
    out_free(&got.out);
    sample_free(&sample);
}

static void other_bytes_than_gzip_are_refused(void **state)
{
    (void)state;
    struct driven got = drive(make(), (struct ras_bytes){(const uint8_t *)"MURK", 4}, 4, 16);
    assert_true(got.bad && !got.trailing && !got.whole);
    assert_string_equal(got.why, "not a gzip stream");
    got = drive(make(), (struct ras_bytes){(const uint8_t *)"\0\0", 2}, 4, 16);
    assert_true(got.bad && !got.trailing);
    assert_true(gzip_is((struct ras_bytes){(const uint8_t *)"\x1f\x8b\x08", 3}));
    assert_true(gzip_is((struct ras_bytes){(const uint8_t *)"\x1f\x8b", 2}));
    assert_false(gzip_is((struct ras_bytes){(const uint8_t *)"\x1f\x8b\x07\x00", 4}));
    assert_false(gzip_is((struct ras_bytes){(const uint8_t *)"\x1f", 1}));
    assert_false(gzip_is((struct ras_bytes){NULL, 0}));
    inflate_free(NULL);
}

static void the_fast_path_keeps_its_cap(void **state)
{
    (void)state;
    struct sample sample = sample_new();
    uint8_t *all = NULL;
    size_t len = 0;
    uint64_t members = 0;
    struct ras_bytes stream = bytes_of(&sample.stream);
    assert_true(gzip_inflate_all(stream, sample.content.len, &all, &len, &members));
    assert_same(&sample.content, (struct ras_bytes){all, len});
    assert_int_equal(members, 4);
    free(all);
    assert_false(gzip_inflate_all(stream, sample.content.len - 1, &all, &len, &members));
    assert_null(all);
    assert_int_equal(len, 0);
    for (size_t cut = 0; cut < stream.len; cut++) {
        bool done =
            gzip_inflate_all((struct ras_bytes){stream.at, cut}, 1 << 20, &all, &len, &members);
        bool at_end = cut == sample.ends[0] || cut == sample.ends[1] || cut == sample.ends[2];
        assert_int_equal(done, at_end);
        free(all);
    }
    sample_free(&sample);
}

/* Far above the likely ratio the block has to grow several times. */
static void the_fast_path_expands_a_thousandfold(void **state)
{
    (void)state;
    struct out content = {0}, stream = {0};
    memset(out_room(&content, 3000000), 0, 3000000);
    content.len = 3000000;
    put_member(&stream, bytes_of(&content), false);
    put_member(&stream, (struct ras_bytes){content.at, 100}, true);
    out_bytes(&stream, "\0\0\0", 3);
    uint8_t *all = NULL;
    size_t len = 0;
    uint64_t members = 0;
    assert_true(gzip_inflate_all(bytes_of(&stream), SIZE_MAX, &all, &len, &members));
    assert_int_equal(len, 3000100);
    assert_int_equal(members, 2);
    assert_memory_equal(all, content.at, 3000000);
    free(all);
    out_text(&stream, "x");
    assert_false(gzip_inflate_all(bytes_of(&stream), SIZE_MAX, &all, &len, &members));
    out_free(&content);
    out_free(&stream);
}

static void python_agrees(void **state)
{
    (void)state;
    struct out all = oracle("gzip_streams.py", "1952");
    struct in in = oracle_in(&all);
    size_t fast = 0, pairs = 0;
    for (; in_left(&in); pairs++) {
        struct ras_bytes stream = oracle_blob(&in), content = oracle_blob(&in);
        struct driven got = drive(make(), stream, 1 + pairs * 977, 65536);
        assert_true(got.whole && !got.bad);
        assert_same(&got.out, content);
        uint8_t *at = NULL;
        size_t len = 0;
        uint64_t members = 0;
        if (gzip_inflate_all(stream, 1 << 24, &at, &len, &members)) {
            assert_same(&got.out, (struct ras_bytes){at, len});
            assert_int_equal(members, got.members);
            fast++;
        }
        free(at);
        out_free(&got.out);
    }
    assert_true(pairs == 60 && fast > 5 && fast < 60);
    out_free(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_join_in_any_step_size),
        cmocka_unit_test(every_cut_gives_a_prefix),
        cmocka_unit_test(a_cut_member_is_salvaged_to_the_last_byte),
        cmocka_unit_test(every_flipped_byte_is_noticed_or_harmless),
        cmocka_unit_test(a_corrupt_member_keeps_what_came_before),
        cmocka_unit_test(bytes_after_the_last_member_are_a_warning),
        cmocka_unit_test(zero_padding_is_clean),
        cmocka_unit_test(other_bytes_than_gzip_are_refused),
        cmocka_unit_test(the_fast_path_keeps_its_cap),
        cmocka_unit_test(the_fast_path_expands_a_thousandfold),
        cmocka_unit_test(python_agrees),
    };
    make = gzip_inflate_new;
    int failed = cmocka_run_group_tests_name("codec/gzip", tests, NULL, NULL);
    make = gzip_plain_new;
    return failed + cmocka_run_group_tests_name("codec/gzip without zlib", tests, NULL, NULL);
}
