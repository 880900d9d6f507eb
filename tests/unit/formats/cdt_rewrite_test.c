/* cdt_rewrite_test.c - slices, joined traces and the two styles of a trace. */
#include "faults.h"
#include <rastrum/cdt.h>

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

enum { PER_CHUNK = 4 };

#define TEXT(text)                                                                                 \
    {                                                                                              \
        (const uint8_t *)(text), sizeof(text) - 1                                                  \
    }

static const struct ras_cdt_timing_sample_row timing[] = {
    {.phase = TEXT("other"), .write_kind = TEXT("snapshot")},
    {.node = {.present = 0x1fff},
     .phase = TEXT("gpur_enter"),
     .write_kind = TEXT("snapshot"),
     .mode_fn = TEXT("gameplay_update_and_render")},
    {.phase = TEXT("last"), .write_kind = TEXT("snapshot")}};
static const struct ras_cdt_creature_entity_sample creatures[] = {
    {.uid = 1, .pool_kind = TEXT("creature"), .hp = 0.5},
    {.uid = 2, .pool_kind = TEXT("creature"), .hp = 1.5},
    {.uid = 3, .pool_kind = TEXT("creature"), .hp = 2.5}};
static const struct ras_cdt_replay_hit_summary_entry hit = {.type_id = 7};

/* A tick of 8 records: tick, checkpoint, sim_state, the creatures but one, the timings. */
static struct ras_cdt_tick_record a_tick(int64_t index)
{
    struct ras_cdt_tick_record t = {.tick_index = index, .elapsed_ms = 16 * index};
    t.channels.checkpoint.tick_index = index;
    t.channels.checkpoint.elapsed_ms = t.elapsed_ms;
    t.channels.entity_samples.creatures.at = creatures;
    t.channels.entity_samples.creatures.count = 2;
    t.channels.timing_samples.at = timing;
    t.channels.timing_samples.count = 3;
    return t;
}

/* Ticks from..to-1, as the producer of this style would have written them. */
static struct ras_sink *make(enum ras_cdt_style style, int64_t from, int64_t to, int64_t seed,
                             bool hits)
{
    struct ras_cdt_trace_meta meta = {
        .trace_format_version = 1,
        .trace_schema_version = RAS_CDT_SCHEMA_VERSION,
        .source = {.seed = seed},
        .tick_range = {.start_tick = from, .end_tick = to - 1, .tick_count = to - from}};
    struct ras_cdt_writer_options options = {.style = style, .chunk_ticks = PER_CHUNK};
    struct ras_cdt_writer *w;
    struct ras_sink *sink;
    const char *impl = style == RAS_CDT_ZIG ? "zig" : "python";
    meta.producer.impl = (struct ras_bytes){(const uint8_t *)impl, strlen(impl)};
    ras_cdt_set(&meta.source.node, RAS_CDT_SOURCE_SEED);
    assert_int_equal(ras_sink_memory(&sink, NULL), RAS_OK);
    assert_int_equal(ras_cdt_writer_open(&w, sink, &meta, &options, NULL), RAS_OK);
    for (int64_t i = from; i < to; i++) {
        struct ras_cdt_tick_record tick = a_tick(i);
        tick.channels.checkpoint.events.hit_head.at = &hit;
        tick.channels.checkpoint.events.hit_head.count = hits;
        assert_int_equal(ras_cdt_writer_tick(w, &tick, NULL), RAS_OK);
    }
    assert_int_equal(ras_cdt_writer_close(w, NULL), RAS_OK);
    return sink;
}

static struct ras_trace *open_sink(const struct ras_sink *sink)
{
    struct ras_trace *t;
    struct ras_bytes file = ras_sink_bytes(sink);
    assert_int_equal(ras_open_memory(&t, file.at, file.len, NULL, NULL), RAS_OK);
    return t;
}

/* The result of `how` for one or two traces. */
static int rewrite(struct ras_sink *const *from, size_t count, struct ras_rewrite_options how,
                   struct ras_sink **to, struct ras_rewritten **r)
{
    struct ras_trace *t[2];
    for (size_t i = 0; i < count; i++)
        t[i] = open_sink(from[i]);
    assert_int_equal(ras_sink_memory(to, NULL), RAS_OK);
    how.sink = *to;
    int status = ras_rewrite(r, t, count, &how, NULL);
    for (size_t i = 0; i < count; i++)
        ras_close(t[i]);
    return status;
}

static void same_bytes(const struct ras_sink *a, const struct ras_sink *b)
{
    assert_int_equal(ras_sink_size(a), ras_sink_size(b));
    assert_memory_equal(ras_sink_bytes(a).at, ras_sink_bytes(b).at, ras_sink_size(a));
}

static void is_valid(const struct ras_sink *sink)
{
    struct ras_trace *t = open_sink(sink);
    struct ras_report *report;
    const struct ras_verify_options strict = {.strict = true, .deep = true};
    assert_int_equal(ras_verify(&report, t, &strict, NULL), RAS_OK);
    assert_int_equal(report->by_severity[RAS_ERROR], 0);
    ras_report_free(report);
    ras_close(t);
}

/* ---- long traces ------------------------------------------------------------------- */

/* The same to a descriptor, which cannot seek back, so chunk headers are not trusted. */
static int rewrite_carefully(struct ras_sink *from, struct ras_rewrite_options how, FILE *to,
                             struct ras_rewritten **r)
{
    struct ras_trace *t = open_sink(from);
    assert_int_equal(ras_sink_fd(&how.sink, fileno(to), NULL), RAS_OK);
    int status = ras_rewrite(r, &t, 1, &how, NULL);
    if (status == RAS_OK)
        assert_int_equal(ras_sink_close(how.sink, NULL), RAS_OK);
    else
        ras_sink_drop(how.sink);
    ras_close(t);
    return status;
}

static void holds_the_same(FILE *file, struct ras_bytes want)
{
    uint8_t *got = malloc(want.len + 1);
    assert_non_null(got);
    rewind(file);
    assert_int_equal(fread(got, 1, want.len + 1, file), want.len);
    assert_memory_equal(got, want.at, want.len);
    free(got);
}

/* Both modes give the same result, whatever the headers say. */
static void both_ways(struct ras_sink *from, struct ras_rewrite_options how, bool valid)
{
    struct ras_sink *to;
    struct ras_rewritten *a, *b;
    FILE *file = tmpfile();
    assert_non_null(file);
    int status = rewrite(&from, 1, how, &to, &a);
    assert_int_equal(rewrite_carefully(from, how, file, &b), status);
    if (status == RAS_OK) {
        holds_the_same(file, ras_sink_bytes(to));
        assert_int_equal(a->kept_count, b->kept_count);
        for (size_t i = 0; i < a->kept_count; i++)
            for (size_t k = 0; k < b->kept_count; k++)
                if (!strcmp(a->kept[i].name, b->kept[k].name))
                    assert_int_equal(a->kept[i].records, b->kept[k].records);
        assert_int_equal(a->ending.kind, b->ending.kind);
        assert_int_equal(a->note_count, b->note_count);
        if (valid)
            is_valid(to);
        ras_rewritten_free(a);
        ras_rewritten_free(b);
    }
    ras_sink_drop(to);
    fclose(file);
}

static void all_ranges(struct ras_sink *from, bool valid)
{
    static const struct ras_rewrite_options how[] = {
        {0},
        {.axis = RAS_AXIS_SEQ, .from = 11, .to = RAS_NONE},
        {.axis = RAS_AXIS_SEQ, .from = 8, .to = 9000},
        {.axis = RAS_AXIS_TICK, .from = 7, .to = RAS_NONE},
        {.axis = RAS_AXIS_TICK, .from = 8, .to = 1501},
    };
    for (size_t i = 0; i < sizeof how / sizeof *how; i++)
        both_ways(from, how[i], valid);
}

enum { LONG = 2000 };

/* Where the chunk of a tick begins. */
static uint64_t chunk_of(const struct ras_sink *sink, int64_t tick)
{
    struct ras_bytes file = ras_sink_bytes(sink);
    struct ras_cdt_chunk chunk;
    uint64_t at = RAS_CDT_HEADER_SIZE;
    for (;; at += RAS_CDT_CHUNK_HEADER_SIZE + chunk.compressed_len) {
        assert_int_equal(ras_cdt_chunk_get(file, at, &chunk, NULL), RAS_OK);
        if (chunk.kind == RAS_CDT_TICK && chunk.start_tick <= tick && tick <= chunk.end_tick)
            return at;
    }
}

static void long_ranges_equal_chunk_by_chunk_copies(void **state)
{
    (void)state;
    for (enum ras_cdt_style style = RAS_CDT_PYTHON; style <= RAS_CDT_ZIG; style++) {
        struct ras_sink *from = make(style, 0, LONG, 1, true);
        all_ranges(from, true);
        ras_sink_drop(from);
    }
}

static void a_damaged_chunk_is_not_copied(void **state)
{
    (void)state;
    for (int64_t tick = 1; tick < LONG; tick += LONG / 3) {
        struct ras_sink *from = make(RAS_CDT_PYTHON, 0, LONG, 1, false);
        uint64_t at = chunk_of(from, tick) + RAS_CDT_CHUNK_HEADER_SIZE + 40;
        uint8_t byte = (uint8_t)~ras_sink_bytes(from).at[at];
        assert_int_equal(ras_sink_patch(from, at, &byte, 1, NULL), RAS_OK);
        all_ranges(from, true);
        ras_sink_drop(from);
    }
}

static void a_wrong_chunk_header_is_detected(void **state)
{
    (void)state;
    static const struct {
        uint8_t at, add;
    } lies[] = {{4, 1}, {4, 255}, {8, 1}, {8, 255}, {24, 1}};
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        struct ras_sink *from = make(RAS_CDT_PYTHON, 0, LONG, 1, false);
        uint64_t at = chunk_of(from, LONG / 2 + 1) + lies[i].at;
        uint8_t byte = (uint8_t)(ras_sink_bytes(from).at[at] + lies[i].add);
        assert_int_equal(ras_sink_patch(from, at, &byte, 1, NULL), RAS_OK);
        all_ranges(from, false); /* chunks are copied as stored */
        ras_sink_drop(from);
    }
}

static void a_cut_trace_is_copied_up_to_the_cut(void **state)
{
    (void)state;
    struct ras_sink *from = make(RAS_CDT_PYTHON, 0, LONG, 1, false);
    uint64_t at = chunk_of(from, LONG - 100);
    assert_int_equal(ras_sink_rewind(from, at + 100, NULL), RAS_OK);
    all_ranges(from, true);
    assert_int_equal(ras_sink_rewind(from, at, NULL), RAS_OK);
    all_ranges(from, true);
    ras_sink_drop(from);
}

/* ---- slices ---------------------------------------------------------------------- */

static void a_slice_of_everything_is_the_trace(void **state)
{
    (void)state;
    for (enum ras_cdt_style style = RAS_CDT_PYTHON; style <= RAS_CDT_ZIG; style++) {
        struct ras_sink *from = make(style, 5, 15, 1, false), *to;
        struct ras_rewritten *r;
        assert_int_equal(rewrite(&from, 1, (struct ras_rewrite_options){0}, &to, &r), RAS_OK);
        same_bytes(from, to);
        assert_int_equal(r->note_count, 0);
        ras_rewritten_free(r);
        ras_sink_drop(to);
        ras_sink_drop(from);
    }
}

/* Partly selected chunks hold fewer rows, unchanged; META has the remaining ticks. */
static void a_slice_copies_rows_and_has_its_tick_range(void **state)
{
    (void)state;
    struct ras_sink *from = make(RAS_CDT_PYTHON, 0, 12, 1, true), *to, *again;
    struct ras_rewritten *r;
    struct ras_rewrite_options how = {.axis = RAS_AXIS_TICK, .from = 2, .to = 9};
    assert_int_equal(rewrite(&from, 1, how, &to, &r), RAS_OK);
    struct ras_cdt *a, *b;
    struct ras_bytes x = ras_sink_bytes(from), y = ras_sink_bytes(to);
    assert_int_equal(ras_cdt_open(&a, x.at, x.len, NULL, NULL), RAS_OK);
    assert_int_equal(ras_cdt_open(&b, y.at, y.len, NULL, NULL), RAS_OK);
    assert_int_equal(ras_cdt_meta(b)->tick_range.start_tick, 2);
    assert_int_equal(ras_cdt_meta(b)->tick_range.end_tick, 8);
    assert_int_equal(ras_cdt_meta(b)->tick_range.tick_count, 7);
    assert_int_equal(ras_cdt_meta(b)->source.seed, 1);
    assert_int_equal(ras_cdt_footer(b)->tick_blocks.count, 3);
    for (int64_t i = 2; i < 9; i++) {
        const struct ras_cdt_tick_record *p, *q;
        assert_int_equal(ras_cdt_tick_at(a, i, &p, NULL), RAS_OK);
        assert_int_equal(ras_cdt_tick_at(b, i, &q, NULL), RAS_OK);
        assert_int_equal(p->node.length, q->node.length);
        assert_memory_equal(ras_cdt_payload(a).at + p->node.at, ras_cdt_payload(b).at + q->node.at,
                            p->node.length);
    }
    ras_cdt_close(a);
    ras_cdt_close(b);
    ras_rewritten_free(r);
    is_valid(to);
    assert_int_equal(rewrite(&to, 1, how, &again, &r), RAS_OK);
    same_bytes(to, again);
    ras_rewritten_free(r);
    ras_sink_drop(again);
    ras_sink_drop(to);
    ras_sink_drop(from);
}

/* A type is copied with the structs that a tick must have, and its gpur_enter sample. */
static void a_slice_by_type_has_what_a_tick_must_have(void **state)
{
    (void)state;
    static const char *const types[] = {"creature"};
    struct ras_sink *from = make(RAS_CDT_PYTHON, 0, 6, 1, true), *to, *again;
    struct ras_rewritten *r;
    struct ras_rewrite_options how = {.types = types, .type_count = 1};
    assert_int_equal(rewrite(&from, 1, how, &to, &r), RAS_OK);
    assert_int_equal(r->kept_count, 5);
    assert_int_equal(r->kept[0].records, 12);
    for (size_t i = 1; i < 5; i++) /* tick, checkpoint, sim_state, timing */
        assert_int_equal(r->kept[i].records, 6);
    ras_rewritten_free(r);
    is_valid(to);
    struct ras_cdt *cdt;
    const struct ras_cdt_tick_record *tick;
    struct ras_bytes file = ras_sink_bytes(to);
    assert_int_equal(ras_cdt_open(&cdt, file.at, file.len, NULL, NULL), RAS_OK);
    for (int64_t i = 0; i < 6; i++) {
        assert_int_equal(ras_cdt_tick_at(cdt, i, &tick, NULL), RAS_OK);
        assert_int_equal(tick->channels.entity_samples.creatures.count, 2);
        assert_int_equal(tick->channels.timing_samples.count, 1);
        assert_memory_equal(tick->channels.timing_samples.at[0].phase.at, "gpur_enter", 10);
        assert_int_equal(tick->channels.checkpoint.events.hit_head.count, 0);
    }
    ras_cdt_close(cdt);
    assert_int_equal(rewrite(&to, 1, how, &again, &r), RAS_OK);
    same_bytes(to, again);
    ras_rewritten_free(r);
    ras_sink_drop(again);
    ras_sink_drop(to);
    ras_sink_drop(from);
}

/* Records by number: 8 to a tick; from the second creature of tick 0 to the first timing
 * of tick 1. */
static void a_slice_by_number_cuts_ticks_in_two(void **state)
{
    (void)state;
    struct ras_sink *from = make(RAS_CDT_PYTHON, 0, 3, 1, false), *to;
    struct ras_rewritten *r;
    struct ras_rewrite_options how = {.axis = RAS_AXIS_SEQ, .from = 4, .to = 14};
    assert_int_equal(rewrite(&from, 1, how, &to, &r), RAS_OK);
    ras_rewritten_free(r);
    is_valid(to);
    struct ras_cdt *cdt;
    const struct ras_cdt_tick_record *tick;
    struct ras_bytes file = ras_sink_bytes(to);
    assert_int_equal(ras_cdt_open(&cdt, file.at, file.len, NULL, NULL), RAS_OK);
    assert_int_equal(ras_cdt_footer(cdt)->tick_count, 2);
    assert_int_equal(ras_cdt_tick_at(cdt, 0, &tick, NULL), RAS_OK);
    assert_int_equal(tick->channels.entity_samples.creatures.count, 1);
    assert_int_equal(tick->channels.entity_samples.creatures.at[0].uid, 2);
    assert_int_equal(tick->channels.timing_samples.count, 3);
    assert_int_equal(ras_cdt_tick_at(cdt, 1, &tick, NULL), RAS_OK);
    assert_int_equal(tick->channels.entity_samples.creatures.count, 2);
    assert_int_equal(tick->channels.timing_samples.count, 2); /* up to gpur_enter */
    ras_cdt_close(cdt);
    ras_sink_drop(to);
    ras_sink_drop(from);
}

static void an_empty_range_writes_no_trace(void **state)
{
    (void)state;
    struct ras_sink *from = make(RAS_CDT_PYTHON, 0, 3, 1, false), *to;
    struct ras_rewritten *r;
    struct ras_rewrite_options how = {.axis = RAS_AXIS_TICK, .from = 3, .to = 9};
    assert_int_equal(rewrite(&from, 1, how, &to, &r), RAS_END);
    assert_null(r);
    assert_int_equal(ras_sink_size(to), 0);
    ras_sink_drop(to);
    ras_sink_drop(from);
}

/* ---- joined ------------------------------------------------------------------------ */

static void traces_of_one_run_are_joined_in_order(void **state)
{
    (void)state;
    struct ras_sink *whole = make(RAS_CDT_PYTHON, 0, 12, 1, true), *to;
    struct ras_sink *parts[] = {make(RAS_CDT_PYTHON, 8, 12, 1, true),
                                make(RAS_CDT_PYTHON, 0, 8, 1, true)};
    struct ras_rewritten *r;
    assert_int_equal(rewrite(parts, 2, (struct ras_rewrite_options){0}, &to, &r), RAS_OK);
    same_bytes(whole, to);
    ras_rewritten_free(r);
    ras_sink_drop(to);
    ras_sink_drop(parts[0]);
    ras_sink_drop(parts[1]);
    ras_sink_drop(whole);
}

static void traces_that_overlap_or_are_of_other_runs_are_refused(void **state)
{
    (void)state;
    struct ras_rewritten *r;
    struct ras_sink *to, *first = make(RAS_CDT_PYTHON, 0, 5, 1, true);
    struct ras_sink *others[] = {make(RAS_CDT_PYTHON, 4, 8, 1, true),
                                 make(RAS_CDT_PYTHON, 5, 8, 2, true)};
    for (size_t i = 0; i < 2; i++) {
        struct ras_sink *both[] = {first, others[i]};
        assert_int_equal(rewrite(both, 2, (struct ras_rewrite_options){0}, &to, &r), RAS_EUSAGE);
        assert_int_equal(ras_sink_size(to), 0);
        ras_sink_drop(to);
        ras_sink_drop(others[i]);
    }
    ras_sink_drop(first);
}

/* ---- styles ------------------------------------------------------------------------- */

/* What both styles can store is preserved. */
static void styles_convert_both_ways(void **state)
{
    (void)state;
    static const char *const names[] = {"python", "zig"};
    for (enum ras_cdt_style style = RAS_CDT_PYTHON; style <= RAS_CDT_ZIG; style++) {
        struct ras_sink *from = make(style, 0, 9, 1, false), *other, *back;
        struct ras_sink *want =
            make(style == RAS_CDT_ZIG ? RAS_CDT_PYTHON : RAS_CDT_ZIG, 0, 9, 1, false);
        struct ras_rewritten *r;
        struct ras_rewrite_options there = {.target = names[!style]};
        struct ras_rewrite_options again = {.target = names[style]};
        assert_int_equal(rewrite(&from, 1, there, &other, &r), RAS_OK);
        assert_int_equal(r->note_count, 1); /* the producer */
        assert_string_equal(r->target, names[!style]);
        ras_rewritten_free(r);
        same_bytes(want, other);
        assert_int_equal(rewrite(&other, 1, again, &back, &r), RAS_OK);
        ras_rewritten_free(r);
        same_bytes(from, back);
        ras_sink_drop(back);
        ras_sink_drop(other);
        ras_sink_drop(want);
        ras_sink_drop(from);
    }
}

static void losses_of_style_zig_are_reported(void **state)
{
    (void)state;
    struct ras_sink *from = make(RAS_CDT_PYTHON, 0, 9, 1, true), *to;
    struct ras_rewritten *r;
    struct ras_rewrite_options zig = {.target = "zig"}, frida = {.target = "frida"};
    assert_int_equal(rewrite(&from, 1, zig, &to, &r), RAS_OK);
    assert_int_equal(r->note_count, 2);
    assert_non_null(strstr(r->notes[1], "9, 0 and 0 are left out"));
    assert_int_equal(r->dropped_count, 1);
    assert_string_equal(r->dropped[0].name, "hit");
    assert_int_equal(r->dropped[0].records, 9);
    for (size_t i = 0; i < r->kept_count; i++)
        assert_string_not_equal(r->kept[i].name, "hit");
    ras_rewritten_free(r);
    is_valid(to);
    ras_sink_drop(to);
    assert_int_equal(rewrite(&from, 1, frida, &to, &r), RAS_EUSAGE);
    ras_sink_drop(to);
    ras_sink_drop(from);
}

/* ---- failures --------------------------------------------------------------------------- */

struct attempt {
    const char *path;
    struct ras_sink *from;
    struct ras_rewrite_options how;
};

/* The new trace is complete under its name, or does not exist. */
static void to_a_file(void *user)
{
    const struct attempt *a = user;
    struct ras_trace *t = open_sink(a->from);
    struct ras_rewritten *r;
    struct ras_rewrite_options how = a->how;
    how.path = a->path;
    int status = ras_rewrite(&r, &t, 1, &how, NULL);
    faults_stop();
    ras_close(t);
    assert_true(faults_hit() || status == RAS_OK);
    if (status == RAS_OK) {
        ras_rewritten_free(r);
        assert_int_equal(ras_open(&t, a->path, NULL, NULL), RAS_OK);
        struct ras_info *info;
        assert_int_equal(ras_info(&info, t, NULL, NULL, NULL), RAS_OK);
        assert_int_equal(info->ending.kind, RAS_COMPLETE);
        ras_info_free(info);
        ras_close(t);
    }
    assert_int_equal(unlink(a->path), status == RAS_OK ? 0 : -1);
}

static void every_call_may_fail(void **state)
{
    (void)state;
    char folder[] = "/tmp/rastrum-cdt-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/x.cdt", folder);
    signal(SIGPIPE, SIG_IGN);
    struct attempt a = {path,
                        make(RAS_CDT_PYTHON, 0, 9, 1, true),
                        {.axis = RAS_AXIS_TICK, .from = 2, .to = RAS_NONE}};
    faults_everywhere(to_a_file, &a);
    a.how = (struct ras_rewrite_options){.target = "zig"};
    faults_everywhere(to_a_file, &a);
    ras_sink_drop(a.from);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_ranges_equal_chunk_by_chunk_copies),
        cmocka_unit_test(a_damaged_chunk_is_not_copied),
        cmocka_unit_test(a_wrong_chunk_header_is_detected),
        cmocka_unit_test(a_cut_trace_is_copied_up_to_the_cut),
        cmocka_unit_test(a_slice_of_everything_is_the_trace),
        cmocka_unit_test(a_slice_copies_rows_and_has_its_tick_range),
        cmocka_unit_test(a_slice_by_type_has_what_a_tick_must_have),
        cmocka_unit_test(a_slice_by_number_cuts_ticks_in_two),
        cmocka_unit_test(an_empty_range_writes_no_trace),
        cmocka_unit_test(traces_of_one_run_are_joined_in_order),
        cmocka_unit_test(traces_that_overlap_or_are_of_other_runs_are_refused),
        cmocka_unit_test(styles_convert_both_ways),
        cmocka_unit_test(losses_of_style_zig_are_reported),
        cmocka_unit_test(every_call_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
