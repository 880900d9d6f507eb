/* cdt_compare_test.c - compares traces tick by tick: which blocks are read, by how many threads,
 * and what is found. */
#include "cdt_make.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>
#include <cmocka.h>

enum { TICKS = 4000, NAMES = 8 };

/* A trace of so many ticks; from tick `differs_from` on its kills differ. */
static struct ras_sink *make_trace(uint32_t chunk_ticks, int64_t ticks, int64_t differs_from)
{
    static const uint8_t name[40] = "sfx_of_a_length_that_makes_files_long__";
    static const struct ras_bytes names[NAMES] = {{name, 39}, {name, 39}, {name, 39}, {name, 39},
                                                  {name, 39}, {name, 39}, {name, 39}, {name, 39}};
    const struct ras_cdt_trace_meta meta = {.trace_format_version = 1,
                                            .trace_schema_version = RAS_CDT_SCHEMA_VERSION,
                                            .producer = {.impl = {(const uint8_t *)"zig", 3}}};
    const struct ras_cdt_writer_options how = {.style = RAS_CDT_ZIG, .chunk_ticks = chunk_ticks};
    struct ras_sink *sink;
    struct ras_cdt_writer *w;
    assert_int_equal(ras_sink_memory(&sink, NULL), RAS_OK);
    assert_int_equal(ras_cdt_writer_open(&w, sink, &meta, &how, NULL), RAS_OK);
    for (int64_t i = 0; i < ticks; i++) {
        struct ras_cdt_tick_record tick = {.tick_index = i};
        tick.channels.checkpoint.tick_index = i;
        tick.channels.checkpoint.kills = i >= differs_from;
        tick.channels.checkpoint.events.sfx_head.at = names;
        tick.channels.checkpoint.events.sfx_head.count = NAMES;
        assert_int_equal(ras_cdt_writer_tick(w, &tick, NULL), RAS_OK);
    }
    assert_int_equal(ras_cdt_writer_close(w, NULL), RAS_OK);
    return sink;
}

static struct ras_trace *open_sink(struct ras_sink *sink)
{
    struct ras_trace *t;
    struct ras_bytes all = ras_sink_bytes(sink);
    assert_int_equal(ras_open_memory(&t, all.at, all.len, NULL, NULL), RAS_OK);
    return t;
}

static struct ras_diff *diff(struct ras_sink *a, struct ras_sink *b,
                             const struct ras_compare_options *how)
{
    struct ras_trace *x = open_sink(a), *y = open_sink(b);
    struct ras_diff *d;
    struct ras_error err;
    if (ras_diff(&d, x, y, how, &err) < 0)
        fail_msg("%s", err.text);
    ras_close(x);
    ras_close(y);
    return d;
}

static void assert_diverges(struct ras_sink *a, struct ras_sink *b,
                            const struct ras_compare_options *how, int64_t tick, uint64_t checked)
{
    struct ras_diff *d = diff(a, b, how);
    assert_int_equal(d->checked, checked);
    assert_int_equal(d->divergence_count, tick >= 0);
    if (tick >= 0) {
        assert_string_equal(d->divergences[0].kind, "tick_mismatch");
        assert_int_equal(d->divergences[0].at[0].value.i, tick);
        assert_non_null(d->divergences[0].detail);
    }
    ras_diff_free(d);
}

static void chunks_of_any_length_are_compared_by_two_threads(void **state)
{
    (void)state;
    struct ras_sink *a = make_trace(256, TICKS, TICKS);
    assert_true(ras_sink_size(a) > 1 << 18); /* otherwise no thread is started */
    for (uint32_t size = 1; size <= 256; size *= 4) {
        struct ras_sink *same = make_trace(size, TICKS, TICKS);
        struct ras_sink *other = make_trace(size, TICKS, 3333);
        assert_diverges(a, same, NULL, -1, TICKS);
        assert_diverges(same, a, &(struct ras_compare_options){.paranoid = true}, -1, TICKS);
        assert_diverges(a, other, NULL, 3333, 3334);
        assert_diverges(other, a, NULL, 3333, 3334);
        assert_diverges(a, other, &(struct ras_compare_options){.has_last = true, .last = 3332}, -1,
                        3333);
        ras_sink_drop(same);
        ras_sink_drop(other);
    }
    ras_sink_drop(a);
}

static void chunks_with_equal_headers_are_not_read(void **state)
{
    (void)state;
    struct ras_sink *a = make_trace(256, TICKS, TICKS);
    struct ras_bytes all = ras_sink_bytes(a);
    struct ras_trace *x = open_sink(a), *y = NULL;
    struct ras_diff *d;
    struct ras_error err;
    uint8_t *copy = malloc(all.len);
    assert_non_null(copy);
    memcpy(copy, all.at, all.len);
    copy[all.len / 2] ^= 1; /* inside a chunk in the middle: its header is unchanged */
    assert_int_equal(ras_open_memory(&y, copy, all.len, NULL, NULL), RAS_OK);
    assert_int_equal(ras_diff(&d, x, y, NULL, &err), RAS_OK);
    assert_int_equal(d->divergence_count, 0);
    assert_int_equal(d->checked, TICKS);
    ras_diff_free(d);
    const struct ras_compare_options paranoid = {.paranoid = true};
    assert_int_equal(ras_diff(&d, x, y, &paranoid, &err), RAS_EREFUSED);
    assert_string_equal(err.text, "chunk checksum mismatch");
    ras_close(x);
    ras_close(y);
    free(copy);
    ras_sink_drop(a);
}

static void every_divergence_is_listed_on_request(void **state)
{
    (void)state;
    struct ras_sink *a = make_trace(256, TICKS, TICKS), *b = make_trace(100, TICKS, 1000);
    struct ras_diff *d = diff(a, b, &(struct ras_compare_options){.keep_going = true});
    assert_int_equal(d->checked, TICKS);
    assert_int_equal(d->divergence_count, TICKS - 1000);
    for (size_t i = 0; i < d->divergence_count; i++) {
        assert_int_equal(d->divergences[i].at[0].value.i, 1000 + (int64_t)i);
        assert_true((d->divergences[i].detail != NULL) == (i < 1000)); /* limits.findings */
    }
    ras_diff_free(d);
    ras_sink_drop(a);
    ras_sink_drop(b);
}

static void a_shorter_trace_lacks_ticks_and_a_cut_one_does_not(void **state)
{
    (void)state;
    struct ras_sink *a = make_trace(256, TICKS, TICKS), *b = make_trace(256, 1024, TICKS);
    struct ras_diff *d = diff(a, b, NULL);
    assert_int_equal(d->divergence_count, 1);
    assert_string_equal(d->divergences[0].kind, "missing_tick");
    assert_int_equal(d->divergences[0].at[0].value.i, 1024);
    const struct ras_value *missing = ras_value_member(d->divergences[0].detail, "missing_in");
    assert_string_equal(missing->at, "actual");
    assert_int_equal(d->checked, 1025);
    ras_diff_free(d);
    d = diff(a, b, &(struct ras_compare_options){.compat = true});
    assert_null(d->divergences[0].detail); /* as the reference tool prints it */
    ras_diff_free(d);
    struct ras_bytes all = ras_sink_bytes(a);
    struct ras_trace *x = open_sink(a), *y;
    assert_int_equal(ras_open_memory(&y, all.at, all.len / 2, NULL, NULL), RAS_OK);
    assert_int_equal(ras_diff(&d, x, y, NULL, NULL), RAS_OK);
    assert_int_equal(d->divergence_count, 0);
    assert_int_equal(d->endings[0].kind, RAS_COMPLETE);
    assert_int_equal(d->endings[1].kind, RAS_CUT);
    assert_true(d->checked > 0 && d->checked % 256 == 0);
    ras_diff_free(d);
    ras_close(x);
    ras_close(y);
    ras_sink_drop(a);
    ras_sink_drop(b);
}

static void save(struct ras_sink *from, const char *path)
{
    struct ras_bytes all = ras_sink_bytes(from);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(all.at, 1, all.len, file), all.len);
    assert_int_equal(fclose(file), 0);
}

static void many_traces_are_compared_at_the_same_time(void **state)
{
    (void)state;
    enum { GOOD = 7 };
    char folder[] = "/tmp/rastrum-bisect-XXXXXX", names[GOOD + 1][64];
    const char *paths[GOOD + 1];
    assert_non_null(mkdtemp(folder));
    for (int i = 0; i <= GOOD; i++) {
        struct ras_sink *sink = make_trace(64, TICKS, i < GOOD ? 500 * (i + 1) : 100);
        snprintf(names[i], sizeof names[i], "%s/%d.cdt", folder, i);
        save(sink, names[i]);
        ras_sink_drop(sink);
        paths[i] = names[i];
    }
    paths[3] = "/tmp/rastrum-there-is-no-such.cdt";
    for (unsigned jobs = 0; jobs < 5; jobs += 2) {
        struct ras_bisect *b;
        const struct ras_bisect_options how = {.before = 12, .after = 6, .jobs = jobs};
        assert_int_equal(ras_bisect(&b, paths, GOOD + 1, &how, NULL), RAS_OK);
        assert_int_equal(b->pair_count, GOOD);
        for (size_t i = 0; i < GOOD; i++) {
            assert_int_equal(b->pairs[i].status, i == 3 ? RAS_EIO : RAS_OK);
            if (i == 3)
                continue;
            assert_int_equal(b->pairs[i].diff->divergences[0].at[0].value.i, 100);
        }
        assert_int_equal(b->nearest, 0);
        ras_bisect_free(b);
    }
    for (int i = 0; i <= GOOD; i++)
        remove(names[i]);
    assert_int_equal(rmdir(folder), 0);
}

static void the_window_is_not_cut_at_the_first_tick(void **state)
{
    (void)state;
    struct ras_divergence d = {.at = {{.value = {.kind = RAS_INT, .i = 1}}}, .at_count = 1};
    int64_t first, last;
    assert_true(ras_bisect_window(&d, 12, 6, &first, &last));
    assert_true(first == -11 && last == 7);
    assert_true(ras_bisect_window(&d, UINT64_MAX, UINT64_MAX, &first, &last));
    assert_true(first == INT64_MIN && last == INT64_MAX);
    d.at[0].value.kind = RAS_NULL;
    assert_false(ras_bisect_window(&d, 12, 6, &first, &last));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunks_of_any_length_are_compared_by_two_threads),
        cmocka_unit_test(chunks_with_equal_headers_are_not_read),
        cmocka_unit_test(every_divergence_is_listed_on_request),
        cmocka_unit_test(a_shorter_trace_lacks_ticks_and_a_cut_one_does_not),
        cmocka_unit_test(many_traces_are_compared_at_the_same_time),
        cmocka_unit_test(the_window_is_not_cut_at_the_first_tick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
