/* cdt_write_test.c - written traces: chunks, order, limits, and the result of failures. */
#include "faults.h"
#include "cdt_make.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>
#include <cmocka.h>

#define SPAN(text)                                                                                 \
    (struct ras_bytes)                                                                             \
    {                                                                                              \
        (const uint8_t *)(text), sizeof(text) - 1                                                  \
    }

/* The same where a constant is wanted. */
#define TEXT(text)                                                                                 \
    {                                                                                              \
        (const uint8_t *)(text), sizeof(text) - 1                                                  \
    }

static struct ras_cdt_trace_meta a_meta(void)
{
    return (struct ras_cdt_trace_meta){.trace_format_version = 1,
                                       .trace_schema_version = RAS_CDT_SCHEMA_VERSION,
                                       .created_utc = SPAN("2026-05-01T12:00:00+00:00"),
                                       .producer = {.impl = SPAN("python")}};
}

static struct ras_cdt_tick_record a_tick(int64_t index)
{
    static const struct ras_cdt_timing_sample_row timing = {
        .node = {.present = 0x1fff}, .phase = TEXT("gpur_enter"), .write_kind = TEXT("snapshot")};
    struct ras_cdt_tick_record tick = {.tick_index = index, .elapsed_ms = 16, .mode_id = 1};
    tick.channels.checkpoint.tick_index = index;
    tick.channels.timing_samples.at = &timing;
    tick.channels.timing_samples.count = 1;
    return tick;
}

static struct ras_cdt_writer *open_writer(struct ras_sink **sink,
                                          const struct ras_cdt_writer_options *options)
{
    struct ras_cdt_trace_meta meta = a_meta();
    struct ras_cdt_writer *w;
    assert_int_equal(ras_sink_memory(sink, NULL), RAS_OK);
    assert_int_equal(ras_cdt_writer_open(&w, *sink, &meta, options, NULL), RAS_OK);
    return w;
}

static int put(struct ras_cdt_writer *w, int64_t index, struct ras_error *err)
{
    struct ras_cdt_tick_record tick = a_tick(index);
    return ras_cdt_writer_tick(w, &tick, err);
}

/* Counts rows and blocks in a sink. */
static void expect(struct ras_bytes file, uint64_t ticks, size_t blocks)
{
    struct ras_cdt *cdt;
    const struct ras_cdt_tick_record *tick;
    uint64_t count = 0;
    assert_int_equal(ras_cdt_open(&cdt, file.at, file.len, NULL, NULL), RAS_OK);
    assert_non_null(ras_cdt_footer(cdt));
    assert_int_equal(ras_cdt_footer(cdt)->tick_count, ticks);
    assert_int_equal(ras_cdt_footer(cdt)->tick_blocks.count, blocks);
    while (ras_cdt_tick_next(cdt, &tick, NULL) == RAS_OK)
        count++;
    assert_int_equal(count, ticks);
    ras_cdt_close(cdt);
}

/* ---- bytes ------------------------------------------------------------------------ */

/* Compares the encoded struct with the bytes of the notation. */
static void is_written(const struct ras_cdt_tick_record *tick, enum ras_cdt_style style,
                       const char *text)
{
    struct out out = {0};
    struct ras_bytes want = make(&out, text);
    uint8_t bytes[4096];
    size_t size;
    assert_int_equal(ras_cdt_tick_put(tick, style, bytes, sizeof bytes, &size, NULL), RAS_OK);
    assert_int_equal(size, want.len);
    assert_memory_equal(bytes, want.at, size);
    out_free(&out);
}

#define TAIL                                                                                       \
    "'sim_state':{'gameplay':{'mode_id':0,'quest_stage_major':0,'quest_stage_minor':0,"            \
    "'perk_pending_count':0,'perk_choices_dirty':false,'bonus_timers':{'weapon_power_up_ms':0,"    \
    "'reflex_boost_ms':0,'energizer_ms':0,'double_experience_ms':0,'freeze_ms':0}},'players':[]}," \
    "'entity_samples':{'creatures':[],'projectiles':[],'secondary_projectiles':[],'bonuses':[]},"
#define PERK                                                                                       \
    "'perk':{'pending_count':0,'choices_dirty':false,'choices':[],'player_nonzero_counts':[]},"

static void both_styles_are_those_of_their_producers(void **state)
{
    (void)state;
    static const struct ras_cdt_replay_player_checkpoint player = {.pos = {0.5, 0.1}, .health = 1};
    static const struct ras_cdt_timer timer = {TEXT("4"), {200, false}};
    static const struct ras_cdt_rng_stream_row rng = {.value_15 = -200, .state_after_u32 = 70000};
    static const struct ras_cdt_timing_sample_row timing = {
        .node = {.present = 1u << RAS_CDT_TIMING_FRAME_DT_F32}, .frame_dt_f32 = 0.5};
    struct ras_cdt_tick_record t = {.tick_index = 128, .elapsed_ms = -33, .mode_id = 40000};
    t.channels.checkpoint.players.at = &player;
    t.channels.checkpoint.bonus_timers.at = &timer;
    t.channels.rng_stream.at = &rng;
    t.channels.timing_samples.at = &timing;
    t.channels.checkpoint.players.count = t.channels.checkpoint.bonus_timers.count = 1;
    t.channels.rng_stream.count = t.channels.timing_samples.count = 1;
    is_written(
        &t, RAS_CDT_PYTHON,
        "{'tick_index':<cc80>,'elapsed_ms':<d0df>,'dt_ms_i32':0,'mode_id':<cd9c40>,"
        "'channels':{'checkpoint':{'tick_index':0,'rng_state':0,'elapsed_ms':0,'score_xp':0,"
        "'kills':0,'creature_count':0,'perk_pending':0,'players':[{'pos':{'x':0.5,'y':0.1},"
        "'health':1.0,'weapon_id':0,'ammo':0.0,'experience':0,'level':0}],"
        "'bonus_timers':{'4':<ccc8>},'deaths':[]," PERK
        "'events':{'hit_count':0,'pickup_count':0,'sfx_count':0,'sfx_head':[],'hit_head':[]},"
        "'tutorial':null,'typo':null}," TAIL
        "'rng_stream':[{'tick_call_index':0,'value_15':<d1ff38>,'state_before_u32':0,"
        "'state_after_u32':<ce00011170>,'caller':null}],'timing_samples':[{'tick_index':0,"
        "'gameplay_frame':null,'phase':'','write_kind':'','frame_dt_f32':0.5,"
        "'frame_dt_ms_i32':null,'frame_dt_ms_f32':null,'time_scale_active_entry':null,"
        "'time_scale_active_current':null,'time_scale_factor':null,"
        "'bonus_reflex_boost_timer':null,'mode_fn':null,'player_index':null}]}}");
    is_written(&t, RAS_CDT_ZIG,
               "{'tick_index':<d10080>,'elapsed_ms':<d0df>,'dt_ms_i32':0,'mode_id':<d200009c40>,"
               "'channels':{'checkpoint':{'tick_index':0,'rng_state':0,'elapsed_ms':0,'score_xp':0,"
               "'kills':0,'creature_count':0,'perk_pending':0,'players':[{'pos':{'x':0.5,'y':0.1},"
               "'health':1.0,'weapon_id':0,'ammo':0.0,'experience':0,'level':0}],"
               "'bonus_timers':{'4':<d100c8>},'state_hash':'','command_hash':'','deaths':[]," PERK
               "'events':{'hit_count':0,'pickup_count':0,'sfx_count':0,'sfx_head':[]}}," TAIL
               "'rng_stream':[{'tick_call_index':0,'value_15':<d1ff38>,'state_before_u32':0,"
               "'state_after_u32':<d200011170>}],'timing_samples':[{'tick_index':0,"
               "'phase':'','write_kind':'','frame_dt_f32':0.5f}]}}");
}

static void a_float_that_float32_cannot_hold_stays_exact(void **state)
{
    (void)state;
    static const struct ras_cdt_timing_sample_row rows[] = {
        {.node = {.present = 1u << RAS_CDT_TIMING_FRAME_DT_F32}, .frame_dt_f32 = 0.1}};
    struct ras_cdt_tick_record tick = a_tick(0);
    uint8_t bytes[4096];
    size_t exact, short_;
    tick.channels.timing_samples.at = rows;
    assert_int_equal(ras_cdt_tick_put(&tick, RAS_CDT_ZIG, bytes, sizeof bytes, &exact, NULL), 0);
    tick.channels.timing_samples.at = &(struct ras_cdt_timing_sample_row){
        .node = {.present = 1u << RAS_CDT_TIMING_FRAME_DT_F32}, .frame_dt_f32 = 0.5};
    assert_int_equal(ras_cdt_tick_put(&tick, RAS_CDT_ZIG, NULL, 0, &short_, NULL), RAS_OK);
    assert_int_equal(exact, short_ + 4);
}

/* In the style that stores chunks as they are, META has these bytes. */
static void a_meta_is_the_payload_of_its_chunk(void **state)
{
    (void)state;
    struct ras_cdt_trace_meta meta = a_meta();
    struct ras_sink *sink;
    struct ras_cdt_chunk chunk;
    uint8_t bytes[4096];
    size_t size, again;
    assert_int_equal(ras_cdt_meta_put(&meta, RAS_CDT_ZIG, bytes, sizeof bytes, &size, NULL), 0);
    struct ras_cdt_writer *w =
        open_writer(&sink, &(struct ras_cdt_writer_options){.style = RAS_CDT_ZIG});
    assert_int_equal(put(w, 0, NULL), RAS_OK);
    assert_int_equal(ras_cdt_writer_close(w, NULL), RAS_OK);
    struct ras_bytes file = ras_sink_bytes(sink);
    assert_int_equal(ras_cdt_chunk_get(file, RAS_CDT_HEADER_SIZE, &chunk, NULL), RAS_OK);
    assert_int_equal(chunk.kind, RAS_CDT_META);
    assert_int_equal(chunk.compressed_len, size);
    assert_memory_equal(file.at + RAS_CDT_HEADER_SIZE + RAS_CDT_CHUNK_HEADER_SIZE, bytes, size);
    /* Without room for all of it nothing is written. */
    memset(bytes, 0xaa, sizeof bytes);
    assert_int_equal(ras_cdt_meta_put(&meta, RAS_CDT_ZIG, bytes, size - 1, &again, NULL), RAS_OK);
    assert_int_equal(again, size);
    assert_int_equal(bytes[0], 0xaa);
    ras_sink_drop(sink);
}

static void chunks_have_256_rows(void **state)
{
    (void)state;
    struct ras_sink *sink;
    struct ras_cdt_writer *w = open_writer(&sink, NULL);
    uint64_t size = 0;
    for (int64_t i = 0; i < 600; i++) {
        assert_int_equal(put(w, i, NULL), RAS_OK);
        if (i == 255)
            size = ras_sink_size(sink);
        if (i == 510)
            assert_int_equal(ras_sink_size(sink),
                             size); /* the rows are buffered until their chunk is complete */
    }
    assert_int_equal(ras_cdt_writer_count(w), 600);
    assert_int_equal(ras_cdt_writer_stored(w), 512);
    assert_int_equal(ras_cdt_writer_close(w, NULL), RAS_OK);
    expect(ras_sink_bytes(sink), 600, 3);
    ras_sink_drop(sink);
}

static void a_chunk_ends_before_it_is_too_long(void **state)
{
    (void)state;
    struct ras_sink *sink;
    struct ras_error err;
    size_t size;
    struct ras_cdt_tick_record tick = a_tick(1);
    assert_int_equal(ras_cdt_tick_put(&tick, RAS_CDT_PYTHON, NULL, 0, &size, NULL), RAS_OK);
    struct ras_cdt_writer_options options = {.chunk_bytes = (uint32_t)(3 * size + 64)};
    struct ras_cdt_writer *w = open_writer(&sink, &options);
    for (int i = 0; i < 10; i++)
        assert_int_equal(put(w, 1, NULL), RAS_OK);
    tick.channels.checkpoint.events.sfx_head.at =
        &(struct ras_bytes){calloc(1, 3 * size), 3 * size};
    tick.channels.checkpoint.events.sfx_head.count = 1;
    assert_int_equal(ras_cdt_writer_tick(w, &tick, &err), RAS_ELIMIT);
    assert_int_equal(ras_cdt_writer_count(w), 10);
    assert_int_equal(ras_cdt_writer_close(w, NULL), RAS_OK);
    expect(ras_sink_bytes(sink), 10, 4);
    free((void *)tick.channels.checkpoint.events.sfx_head.at->at);
    ras_sink_drop(sink);
}

/* A trace written after other bytes counts its offsets from its own beginning. */
static void offsets_count_from_the_start_of_the_trace(void **state)
{
    (void)state;
    struct ras_cdt_trace_meta meta = a_meta();
    struct ras_cdt_writer *w;
    struct ras_sink *sink;
    assert_int_equal(ras_sink_memory(&sink, NULL), RAS_OK);
    assert_int_equal(ras_sink_write(sink, "before", 6, NULL), RAS_OK);
    assert_int_equal(ras_cdt_writer_open(&w, sink, &meta, NULL, NULL), RAS_OK);
    assert_int_equal(put(w, 3, NULL), RAS_OK);
    assert_int_equal(ras_cdt_writer_close(w, NULL), RAS_OK);
    struct ras_bytes all = ras_sink_bytes(sink);
    expect((struct ras_bytes){all.at + 6, all.len - 6}, 1, 1);
    ras_sink_drop(sink);
}

/* ---- refusals ------------------------------------------------------------------------ */

/* Rows of growing length, so that chunks also end because of their size. */
static struct ras_bytes written(bool threaded, enum ras_cdt_style style, struct ras_sink **sink)
{
    enum { MANY = 900 };
    static struct ras_cdt_rng_stream_row draws[MANY];
    const struct ras_cdt_writer_options how = {
        .style = style, .chunk_ticks = 64, .chunk_bytes = 1 << 20, .threaded = threaded};
    struct ras_cdt_writer *w = open_writer(sink, &how);
    for (int64_t i = 0; i < MANY; i++) {
        struct ras_cdt_tick_record tick = a_tick(i);
        tick.channels.rng_stream.at = draws;
        tick.channels.rng_stream.count = (size_t)i;
        assert_int_equal(ras_cdt_writer_tick(w, &tick, NULL), RAS_OK);
        assert_int_equal(ras_cdt_writer_count(w), i + 1);
        if (i == 500) {
            assert_int_equal(ras_cdt_writer_flush(w, NULL), RAS_OK);
            assert_int_equal(ras_cdt_writer_stored(w), 501);
        }
    }
    assert_int_equal(ras_cdt_writer_close(w, NULL), RAS_OK);
    return ras_sink_bytes(*sink);
}

static void a_thread_writes_the_same(void **state)
{
    (void)state;
    for (enum ras_cdt_style style = RAS_CDT_PYTHON; style <= RAS_CDT_ZIG; style++) {
        struct ras_sink *here, *there;
        struct ras_bytes a = written(false, style, &here), b = written(true, style, &there);
        assert_int_equal(a.len, b.len);
        assert_memory_equal(a.at, b.at, a.len);
        ras_sink_drop(here);
        ras_sink_drop(there);
    }
}

static void a_failed_thread_stays_failed(void **state)
{
    struct ras_cdt_trace_meta meta = a_meta();
    const struct ras_cdt_writer_options how = {.chunk_ticks = 1, .threaded = true};
    struct ras_cdt_writer *w;
    struct ras_sink *sink;
    struct ras_error err;
    int status = RAS_OK, full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    (void)state;
    if (full < 0)
        skip();
    assert_int_equal(ras_sink_fd(&sink, full, NULL), RAS_OK);
    assert_int_equal(ras_cdt_writer_open(&w, sink, &meta, &how, NULL), RAS_OK);
    for (int64_t i = 0; i < 100000 && status == RAS_OK; i++)
        status = put(w, i, &err);
    assert_int_equal(status, RAS_EIO);
    assert_int_equal(ras_cdt_writer_flush(w, NULL), RAS_EIO);
    assert_int_equal(ras_cdt_writer_close(w, NULL), RAS_EIO);
    ras_sink_drop(sink);
    close(full);
}

static void descending_ticks_are_refused_before_their_block(void **state)
{
    (void)state;
    struct ras_sink *sink;
    struct ras_error err;
    struct ras_cdt_writer_options options = {.chunk_ticks = 2};
    struct ras_cdt_writer *w = open_writer(&sink, &options);
    assert_int_equal(put(w, 5, NULL), RAS_OK);
    uint64_t size = ras_sink_size(sink);
    assert_int_equal(put(w, 4, &err), RAS_EUSAGE); /* it would have filled the block */
    assert_non_null(strstr(err.text, "non-decreasing order, got 4 after 5"));
    assert_int_equal(ras_sink_size(sink), size);
    assert_int_equal(put(w, 5, NULL), RAS_OK); /* a repeated tick does not descend */
    assert_true(ras_sink_size(sink) > size);
    assert_int_equal(put(w, 4, &err), RAS_EUSAGE); /* across blocks too */
    assert_int_equal(put(w, 6, NULL), RAS_OK);
    assert_int_equal(ras_cdt_writer_close(w, NULL), RAS_OK);
    expect(ras_sink_bytes(sink), 3, 2);
    ras_sink_drop(sink);
}

static void ticks_that_headers_cannot_hold_are_refused(void **state)
{
    (void)state;
    struct ras_sink *sink;
    struct ras_cdt_writer *w = open_writer(&sink, NULL);
    assert_int_equal(put(w, -1, NULL), RAS_ELIMIT);
    assert_int_equal(put(w, (int64_t)INT32_MAX + 1, NULL), RAS_ELIMIT);
    assert_int_equal(put(w, INT32_MAX, NULL), RAS_OK);
    assert_int_equal(ras_cdt_writer_close(w, NULL), RAS_OK);
    expect(ras_sink_bytes(sink), 1, 1);
    ras_sink_drop(sink);
}

/* A reader finds META before and after, in either style. */
static void the_range_may_be_written_at_the_end(void **state)
{
    (void)state;
    for (int style = RAS_CDT_PYTHON; style <= RAS_CDT_ZIG; style++) {
        const struct ras_cdt_writer_options options = {
            .struct_size = sizeof options, .style = (enum ras_cdt_style)style, .range_at_close = 1};
        struct ras_sink *sink;
        struct ras_cdt_writer *w = open_writer(&sink, &options);
        struct ras_cdt *cdt;
        for (int64_t i = 7; i <= 300; i++)
            assert_int_equal(put(w, i, NULL), RAS_OK);
        assert_int_equal(ras_cdt_writer_flush(w, NULL), RAS_OK);
        struct ras_bytes file = ras_sink_bytes(sink);
        assert_int_equal(ras_cdt_open(&cdt, file.at, file.len, NULL, NULL), RAS_OK);
        assert_int_equal(ras_cdt_meta(cdt)->tick_range.tick_count, 0);
        ras_cdt_close(cdt);
        assert_int_equal(ras_cdt_writer_close(w, NULL), RAS_OK);
        file = ras_sink_bytes(sink);
        expect(file, 294, 2);
        assert_int_equal(ras_cdt_open(&cdt, file.at, file.len, NULL, NULL), RAS_OK);
        assert_int_equal(ras_cdt_meta(cdt)->tick_range.start_tick, 7);
        assert_int_equal(ras_cdt_meta(cdt)->tick_range.end_tick, 300);
        assert_int_equal(ras_cdt_meta(cdt)->tick_range.tick_count, 294);
        ras_cdt_close(cdt);
        ras_sink_drop(sink);
    }
}

static void a_trace_without_ticks_is_refused(void **state)
{
    (void)state;
    struct ras_sink *sink;
    struct ras_error err;
    struct ras_cdt_writer *w = open_writer(&sink, NULL);
    assert_int_equal(ras_cdt_writer_close(w, &err), RAS_EUSAGE);
    assert_string_equal(err.text, "trace must contain at least one tick");
    ras_sink_drop(sink);
}

static void values_that_cannot_be_encoded_are_refused(void **state)
{
    (void)state;
    struct ras_sink *sink;
    struct ras_error err;
    struct ras_cdt_writer *w = open_writer(&sink, NULL);
    struct ras_cdt_replay_player_checkpoint player = {.weapon_id = 54};
    struct ras_cdt_tick_record tick = a_tick(1);
    tick.channels.checkpoint.players.at = &player;
    tick.channels.checkpoint.players.count = 1;
    assert_int_equal(ras_cdt_writer_tick(w, &tick, &err), RAS_EUSAGE);
    assert_string_equal(err.text, "invalid enum value 54 at "
                                  "$.channels.checkpoint.players[0].weapon_id");
    tick = a_tick(1);
    tick.channels.checkpoint.events.sfx_head.at = &SPAN("sfx\xff");
    tick.channels.checkpoint.events.sfx_head.count = 1;
    assert_int_equal(ras_cdt_writer_tick(w, &tick, &err), RAS_EUSAGE);
    assert_non_null(strstr(err.text, "invalid UTF-8 in a str of 4 bytes"));
    assert_int_equal(ras_cdt_writer_count(w), 0);
    ras_cdt_writer_drop(w);
    ras_sink_drop(sink);
}

static void a_meta_that_cannot_be_encoded_writes_nothing(void **state)
{
    (void)state;
    struct ras_cdt_trace_meta meta = a_meta();
    struct ras_cdt_writer *w;
    struct ras_sink *sink;
    assert_int_equal(ras_sink_memory(&sink, NULL), RAS_OK);
    meta.trace_schema_version = 11;
    assert_int_equal(ras_cdt_writer_open(&w, sink, &meta, NULL, NULL), RAS_EVERSION);
    assert_null(w);
    meta = a_meta();
    meta.producer.arch = SPAN("\xc3");
    assert_int_equal(ras_cdt_writer_open(&w, sink, &meta, NULL, NULL), RAS_EUSAGE);
    meta = a_meta();
    ras_cdt_set(&meta.node, RAS_CDT_META_STATUS);
    meta.status.weapon_usage_counts[52].value = -1;
    assert_int_equal(ras_cdt_writer_open(&w, sink, &meta, NULL, NULL), RAS_EUSAGE);
    assert_int_equal(ras_sink_size(sink), 0);
    ras_sink_drop(sink);
}

static void rows_of_bytes_are_checked_and_kept(void **state)
{
    (void)state;
    static const char *const bad[] = {"{'tick_index':1}", "[]",
                                      "{'tick_index':1.0,'elapsed_ms':16}",
                                      "{'tick_index':18446744073709551615,'elapsed_ms':0,'dt_ms_"
                                      "i32':0,'mode_id':0,'channels':" MAKE_CHANNELS "}"};
    struct ras_sink *sink;
    struct out out = {0};
    struct ras_cdt_writer *w = open_writer(&sink, NULL);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_true(ras_cdt_writer_raw(w, make(&out, bad[i]), NULL) < 0);
    assert_int_equal(ras_cdt_writer_raw(w, (struct ras_bytes){0}, NULL), RAS_EFORMAT);
    struct ras_bytes row = make(&out, MAKE_TICK("7,'x_new':[1,2.5f]"));
    assert_int_equal(ras_cdt_writer_raw(w, (struct ras_bytes){row.at, row.len - 1}, NULL),
                     RAS_EFORMAT);
    row = make(&out, "{'tick_index':7,'x_new':[1,2.5f],'elapsed_ms':1,'dt_ms_i32':0,'mode_id':0,"
                     "'channels':" MAKE_CHANNELS "}");
    assert_int_equal(ras_cdt_writer_raw(w, row, NULL), RAS_OK);
    assert_int_equal(ras_cdt_writer_close(w, NULL), RAS_OK);
    struct ras_cdt *cdt;
    const struct ras_cdt_tick_record *tick;
    struct ras_bytes file = ras_sink_bytes(sink);
    assert_int_equal(ras_cdt_open(&cdt, file.at, file.len, NULL, NULL), RAS_OK);
    assert_int_equal(ras_cdt_tick_at(cdt, 7, &tick, NULL), RAS_OK);
    assert_int_equal(tick->node.length, row.len);
    assert_memory_equal(ras_cdt_payload(cdt).at + tick->node.at, row.at, row.len);
    ras_cdt_close(cdt);
    out_free(&out);
    ras_sink_drop(sink);
}

/* ---- failures -------------------------------------------------------------------------- */

enum { TICKS = 7, PER_CHUNK = 2 };

/* Writes META and ticks until a call fails; returns how many ticks were in flushed chunks. */
static uint64_t write_until_failure(struct ras_sink *sink, bool *closed)
{
    struct ras_cdt_trace_meta meta = a_meta();
    struct ras_cdt_writer_options options = {.chunk_ticks = PER_CHUNK};
    struct ras_cdt_writer *w;
    struct ras_error err;
    uint64_t flushed = 0;
    *closed = false;
    if (ras_cdt_writer_open(&w, sink, &meta, &options, &err) < 0)
        return 0;
    for (int64_t i = 0; i < TICKS; i++) {
        if (put(w, i, &err) < 0 || ras_sink_flush(sink, &err) < 0) {
            assert_int_equal(err.status, RAS_EIO);
            assert_true(err.offset <= ras_sink_size(sink));
            ras_cdt_writer_drop(w);
            return flushed;
        }
        flushed = ras_cdt_writer_stored(w);
    }
    *closed = ras_cdt_writer_close(w, &err) == RAS_OK;
    return *closed ? TICKS : flushed;
}

static uint64_t count_ticks(const char *path, enum ras_ending_kind *ending)
{
    struct ras_trace *t;
    struct ras_cursor *c;
    const struct ras_record *r;
    uint64_t count = 0;
    assert_int_equal(ras_open(&t, path, NULL, NULL), RAS_OK);
    assert_int_equal(ras_cursor_open(&c, t, &(struct ras_scan){.frames_only = true}, NULL), RAS_OK);
    while (ras_next(c, &r, NULL) == RAS_OK)
        count++;
    *ending = ras_ending(t).kind;
    ras_cursor_close(c);
    ras_close(t);
    return count;
}

/* To a descriptor: what was flushed stays, and no incomplete chunk follows, unless truncating fails
 * too. */
static void to_a_descriptor(void *user)
{
    const char *path = user;
    struct ras_sink *sink;
    enum ras_ending_kind ending;
    bool closed;
    int fd = creat(path, 0600);
    assert_int_equal(ras_sink_fd(&sink, fd, NULL), RAS_OK);
    uint64_t flushed = write_until_failure(sink, &closed);
    ras_sink_drop(sink);
    faults_stop();
    close(fd);
    assert_true(faults_hit() || closed);
    if (flushed) {
        assert_true(count_ticks(path, &ending) >= flushed);
        assert_true(ending == (closed ? RAS_COMPLETE : RAS_UNSEALED) || faults_stayed());
    }
    unlink(path);
}

/* To an atomic file: all of it, or nothing and no temporary files. */
static void to_a_file(void *user)
{
    const char *path = user;
    struct ras_sink *sink;
    enum ras_ending_kind ending;
    bool closed;
    int status = ras_sink_file(&sink, path, false, NULL);
    if (status == RAS_OK) {
        (void)write_until_failure(sink, &closed);
        if (closed)
            status = ras_sink_close(sink, NULL);
        else
            ras_sink_drop(sink);
        status = closed ? status : RAS_EIO;
    }
    faults_stop();
    assert_true(faults_hit() || status == RAS_OK);
    if (status == RAS_OK) {
        assert_int_equal(count_ticks(path, &ending), TICKS);
        assert_int_equal(ending, RAS_COMPLETE);
    }
    assert_int_equal(unlink(path), status == RAS_OK ? 0 : -1);
}

static void every_call_may_fail(void **state)
{
    (void)state;
    char folder[] = "/tmp/rastrum-cdt-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/x.cdt", folder);
    signal(SIGPIPE, SIG_IGN);
    faults_everywhere(to_a_descriptor, path);
    faults_everywhere(to_a_file, path);
    assert_int_equal(rmdir(folder), 0);
}

/* Rows as long as this one are written chunk by chunk. */
static int put_long(struct ras_cdt_writer *w, int64_t index, struct ras_error *err)
{
    static uint8_t text[200000];
    struct ras_cdt_tick_record tick = a_tick(index);
    uint32_t x = (uint32_t)index + 1;
    for (size_t i = 0; i < sizeof text; i++) /* incompressible */
        text[i] = (uint8_t)((x = x * 1664525 + 1013904223) >> 25);
    tick.channels.checkpoint.events.sfx_head.at = &(struct ras_bytes){text, sizeof text};
    tick.channels.checkpoint.events.sfx_head.count = 1;
    return ras_cdt_writer_tick(w, &tick, err);
}

/* The row whose chunk fails is not accepted; if it is given again, nothing is missing or
 * repeated. */
static void a_row_may_be_given_again(void **state)
{
    (void)state;
    char path[] = "/tmp/rastrum-cdt-XXXXXX";
    struct ras_cdt_trace_meta meta = a_meta();
    struct ras_cdt_writer_options options = {.chunk_ticks = PER_CHUNK};
    int fd = mkstemp(path);
    unsigned hits = 0;
    for (unsigned call = 0; call < 20; call++) {
        struct ras_cdt_writer *w;
        struct ras_sink *sink;
        enum ras_ending_kind ending;
        unsigned failures = 0;
        assert_int_equal(ftruncate(fd, 0), 0);
        lseek(fd, 0, SEEK_SET);
        assert_int_equal(ras_sink_fd(&sink, fd, NULL), RAS_OK);
        assert_int_equal(ras_cdt_writer_open(&w, sink, &meta, &options, NULL), RAS_OK);
        faults_arm(call, 28, FAULT_ONCE); /* ENOSPC */
        for (int64_t i = 0; i < TICKS; i++)
            while (put_long(w, i, NULL) < 0)
                assert_true(++failures < 9);
        assert_int_equal(ras_cdt_writer_count(w), TICKS);
        assert_int_equal(failures, faults_hit());
        hits += failures;
        faults_stop();
        assert_int_equal(ras_cdt_writer_close(w, NULL), RAS_OK);
        ras_sink_drop(sink);
        assert_int_equal(count_ticks(path, &ending), TICKS);
        assert_int_equal(ending, RAS_COMPLETE);
    }
    assert_true(hits >= TICKS / PER_CHUNK); /* each chunk failed once */
    close(fd);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_styles_are_those_of_their_producers),
        cmocka_unit_test(a_float_that_float32_cannot_hold_stays_exact),
        cmocka_unit_test(a_meta_is_the_payload_of_its_chunk),
        cmocka_unit_test(chunks_have_256_rows),
        cmocka_unit_test(a_chunk_ends_before_it_is_too_long),
        cmocka_unit_test(offsets_count_from_the_start_of_the_trace),
        cmocka_unit_test(a_thread_writes_the_same),
        cmocka_unit_test(a_failed_thread_stays_failed),
        cmocka_unit_test(descending_ticks_are_refused_before_their_block),
        cmocka_unit_test(ticks_that_headers_cannot_hold_are_refused),
        cmocka_unit_test(the_range_may_be_written_at_the_end),
        cmocka_unit_test(a_trace_without_ticks_is_refused),
        cmocka_unit_test(values_that_cannot_be_encoded_are_refused),
        cmocka_unit_test(a_meta_that_cannot_be_encoded_writes_nothing),
        cmocka_unit_test(rows_of_bytes_are_checked_and_kept),
        cmocka_unit_test(every_call_may_fail),
        cmocka_unit_test(a_row_may_be_given_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
