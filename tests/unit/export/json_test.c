/* json_test.c - the public writer of JSON: sinks, callbacks, misuse and failure. */
#include <rastrum/rastrum.h>

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

static struct ras_sink *memory(void)
{
    struct ras_sink *sink;
    assert_int_equal(ras_sink_memory(&sink, NULL), RAS_OK);
    return sink;
}

static void holds(struct ras_sink *sink, const char *want)
{
    struct ras_bytes got = ras_sink_bytes(sink);
    assert_int_equal(got.len, strlen(want));
    assert_memory_equal(got.at, want, got.len);
}

static void put_all(struct ras_json *j)
{
    const struct ras_value cell = {.kind = RAS_STR, .at = "\xc3\xa9", .count = 2};
    ras_json_object(j, NULL);
    ras_json_text(j, "text", "a");
    ras_json_text(j, "none", NULL);
    ras_json_string(j, "bytes", "b\0", 2);
    ras_json_uint(j, "u", 1);
    ras_json_uint_or_null(j, "n", RAS_NONE);
    ras_json_int(j, "i", -1);
    ras_json_double(j, "d", 1.5);
    ras_json_hex(j, "x", 10, 2);
    ras_json_blob(j, "blob", "\xff", 1);
    ras_json_cell(j, "cell", &cell, 0);
    ras_json_raw(j, "raw", "{}", 2);
    ras_json_line(j, 1);
    ras_json_array(j, "list");
    ras_json_bool(j, NULL, true);
    ras_json_null(j, NULL);
    ras_json_end(j);
    ras_json_end(j);
    ras_json_newline(j);
}

static const char all[] = "{\"text\":\"a\",\"none\":null,\"bytes\":\"b\\u0000\",\"u\":1,\"n\":null,"
                          "\"i\":-1,\"d\":1.5,\"x\":\"0x0a\",\"blob\":\"ff\",\"cell\":\"\xc3\xa9\","
                          "\"raw\":{},\n \"list\":[true,null]}\n";

static void a_document_reaches_the_sink_when_it_is_whole(void **state)
{
    (void)state;
    struct ras_sink *sink = memory();
    struct ras_json *j;
    assert_int_equal(ras_json_open(&j, sink, 0, NULL), RAS_OK);
    put_all(j);
    holds(sink, all);
    assert_int_equal(ras_json_close(j, NULL), RAS_OK);
    ras_sink_drop(sink);
}

static void a_value_may_be_written_by_other_means(void **state)
{
    (void)state;
    struct ras_sink *sink = memory();
    struct ras_json *j;
    assert_int_equal(ras_json_open(&j, sink, RAS_JSON_SPACED, NULL), RAS_OK);
    ras_json_array(j, NULL);
    for (int i = 0; i < 2; i++) {
        assert_ptr_equal(ras_json_sink(j, NULL), sink);
        assert_int_equal(ras_sink_write(sink, "7\n", 2, NULL), RAS_OK);
    }
    ras_json_end(j);
    holds(sink, "[7\n, 7\n]");
    assert_int_equal(ras_json_close(j, NULL), RAS_OK);
    ras_sink_drop(sink);
}

struct taken {
    char text[512];
    size_t len, most;
};

static bool take(void *user, const void *bytes, size_t size)
{
    struct taken *t = user;
    if (t->len + size > t->most)
        return false;
    memcpy(t->text + t->len, bytes, size);
    t->len += size;
    return true;
}

static void a_callback_takes_the_text_and_its_failure_sticks(void **state)
{
    (void)state;
    struct taken t = {.most = sizeof t.text};
    struct ras_error err;
    struct ras_json *j;
    assert_int_equal(ras_json_open_callback(&j, take, &t, 0, NULL), RAS_OK);
    put_all(j);
    assert_int_equal(ras_json_close(j, NULL), RAS_OK);
    assert_int_equal(t.len, sizeof all - 1);
    assert_memory_equal(t.text, all, t.len);
    t = (struct taken){.most = 4};
    assert_int_equal(ras_json_open_callback(&j, take, &t, 0, NULL), RAS_OK);
    put_all(j);
    t.most = sizeof t.text;
    put_all(j);
    assert_int_equal(ras_json_close(j, &err), RAS_EIO);
    assert_string_equal(err.text, "the JSON text cannot be written");
    assert_int_equal(t.len, 0);
}

static void misused(void (*how)(struct ras_json *), const char *why)
{
    struct ras_sink *sink = memory();
    struct ras_error err;
    struct ras_json *j;
    assert_int_equal(ras_json_open(&j, sink, 0, NULL), RAS_OK);
    how(j);
    assert_int_equal(ras_json_close(j, &err), RAS_EUSAGE);
    assert_string_equal(err.text, why);
    ras_sink_drop(sink);
}

static void lacks_key(struct ras_json *j)
{
    ras_json_object(j, NULL);
    ras_json_uint(j, NULL, 1);
    ras_json_uint(j, "then", 1);
    ras_json_end(j);
}

static void has_key(struct ras_json *j)
{
    ras_json_array(j, NULL);
    ras_json_uint(j, "a", 1);
    ras_json_end(j);
}

static void stays_open(struct ras_json *j)
{
    ras_json_array(j, NULL);
}

static void closes_twice(struct ras_json *j)
{
    put_all(j);
    ras_json_end(j);
}

static void misuse_is_reported(void **state)
{
    (void)state;
    misused(lacks_key, "ras_json: a value in an object has no key");
    misused(has_key, "ras_json: a key is outside of an object");
    misused(stays_open, "ras_json: an object or array is not closed");
    misused(closes_twice, "ras_json: there is nothing to close");
}

static void no_writer_is_one_that_failed(void **state)
{
    (void)state;
    put_all(NULL);
    ras_json_flush(NULL);
    assert_null(ras_json_sink(NULL, NULL));
    assert_int_equal(ras_json_close(NULL, NULL), RAS_EMEMORY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_document_reaches_the_sink_when_it_is_whole),
        cmocka_unit_test(a_value_may_be_written_by_other_means),
        cmocka_unit_test(a_callback_takes_the_text_and_its_failure_sticks),
        cmocka_unit_test(misuse_is_reported),
        cmocka_unit_test(no_writer_is_one_that_failed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
