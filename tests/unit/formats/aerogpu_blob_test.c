/* aerogpu_blob_test.c - blobs by id: duplicates, order, damage, opened traces. */
#include "aerogpu_make.h"

static struct ras_error err;

static void put_blobs(struct out *out)
{
    put_header(out, 1, "{}");
    put_blob(out, 2, RAS_AERO_BUFFER_DATA, "first", 5);
    put_blob(out, 1, RAS_AERO_SHADER_WGSL, "one", 3);
    put_blob(out, 2, RAS_AERO_BUFFER_DATA, "second", 6);
}

static void last_definition_before_a_point_wins(void **state)
{
    (void)state;
    struct out out = {0};
    struct ras_aero_blobs *blobs;
    struct ras_aero_blob b;
    uint64_t at;
    put_blobs(&out);
    assert_int_equal(ras_aero_blobs_open(&blobs, bytes_of(&out), &err), RAS_OK);
    assert_int_equal(ras_aero_blobs_count(blobs), 3);
    assert_true(ras_aero_blobs_find(blobs, 2, RAS_NONE, &b, &at));
    assert_memory_equal(b.data.at, "second", 6);
    assert_true(ras_aero_blobs_find(blobs, 2, at, &b, &at));
    assert_memory_equal(b.data.at, "first", 5);
    assert_int_equal(at, 34);
    assert_false(ras_aero_blobs_find(blobs, 2, at, &b, NULL));
    assert_false(ras_aero_blobs_find(blobs, 3, RAS_NONE, &b, NULL));
    assert_false(ras_aero_blobs_find(blobs, 0, RAS_NONE, &b, NULL));
    assert_true(ras_aero_blobs_at(blobs, 0, &b, NULL));
    assert_int_equal(b.blob_id, 1);
    assert_false(ras_aero_blobs_at(blobs, 3, &b, NULL));
    ras_aero_blobs_close(blobs);
    ras_aero_blobs_close(NULL);
    out_free(&out);
}

static void damage_ends_the_index(void **state)
{
    (void)state;
    struct out out = {0};
    struct ras_aero_blobs *blobs;
    put_blobs(&out);
    assert_int_equal(ras_aero_blobs_open(&blobs, (struct ras_bytes){out.at, out.len - 1}, &err),
                     RAS_OK);
    assert_int_equal(ras_aero_blobs_count(blobs), 2);
    ras_aero_blobs_close(blobs);
    assert_int_equal(ras_aero_blobs_open(&blobs, (struct ras_bytes){out.at, 20}, &err), RAS_ECUT);
    assert_null(blobs);
    out_free(&out);
}

static void opened_trace_finds_them_too(void **state)
{
    (void)state;
    struct out out = {0};
    struct ras_trace *t;
    struct ras_aero_blob b;
    put_blobs(&out);
    assert_int_equal(ras_open_memory(&t, out.at, out.len, NULL, &err), RAS_OK);
    assert_int_equal(ras_aero_blob(t, 1, &b, &err), RAS_OK);
    assert_int_equal(b.kind, RAS_AERO_SHADER_WGSL);
    assert_int_equal(ras_aero_blob(t, 7, &b, &err), RAS_END);
    ras_close(t);
    out_free(&out);
}

static void growing_trace_finds_what_came_later(void **state)
{
    (void)state;
    struct out out = {0};
    struct ras_trace *t;
    struct ras_aero_blob b;
    struct ras_options live = {.live = true};
    put_blobs(&out);
    assert_int_equal(ras_open_memory(&t, out.at, 80, &live, &err), RAS_OK);
    assert_int_equal(ras_aero_blob(t, 1, &b, &err), RAS_END);
    assert_int_equal(ras_trace_grow(t, out.len, false, &err), RAS_OK);
    assert_int_equal(ras_aero_blob(t, 1, &b, &err), RAS_OK);
    assert_int_equal(ras_aero_blob(t, 2, &b, &err), RAS_OK);
    assert_int_equal(b.data.len, 6);
    ras_close(t);
    out_free(&out);
}

static void other_traces_have_no_blobs(void **state)
{
    (void)state;
    struct out out = {0};
    struct ras_trace *t;
    struct ras_aero_blob b;
    put_stream(&out, 1);
    assert_int_equal(ras_open_memory(&t, out.at, out.len, NULL, &err), RAS_OK);
    assert_int_equal(ras_aero_blob(t, 1, &b, &err), RAS_EUSAGE);
    ras_close(t);
    out_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(last_definition_before_a_point_wins),
        cmocka_unit_test(damage_ends_the_index),
        cmocka_unit_test(opened_trace_finds_them_too),
        cmocka_unit_test(growing_trace_finds_what_came_later),
        cmocka_unit_test(other_traces_have_no_blobs),
    };
    return cmocka_run_group_tests_name("formats/aerogpu_blob", tests, NULL, NULL);
}
