/* write_cdt.c - the state of a run of three ticks: one player who walks, one draw a tick.
 *
 * A struct that is all zero says nothing; what may be nil holds a value only when
 * ras_cdt_set() says so. The file bears its name only when the trace is whole. */
#include <rastrum/cdt.h>
#include <stdio.h>

enum { TICKS = 3, TICK_MS = 16 };

#define TEXT(text)                                                                                 \
    {                                                                                              \
        (const uint8_t *)(text), sizeof(text) - 1                                                  \
    }

static struct ras_cdt_trace_meta make_meta(void)
{
    struct ras_cdt_trace_meta meta = {
        .trace_format_version = RAS_CDT_FORMAT_VERSION,
        .trace_schema_version = RAS_CDT_SCHEMA_VERSION,
        .created_utc = TEXT("2026-05-01T12:00:00+00:00"),
        .producer = {.impl = TEXT("python"), .platform = TEXT("Linux"), .arch = TEXT("x86_64")},
        .source = {.seed = 1234, .tick_rate = 60},
        .tick_range = {.start_tick = 0, .end_tick = TICKS - 1, .tick_count = TICKS},
    };
    ras_cdt_set(&meta.source.node, RAS_CDT_SOURCE_SEED);
    ras_cdt_set(&meta.source.node, RAS_CDT_SOURCE_TICK_RATE);
    return meta;
}

/* The row that every tick has: when it was entered, and how long it is. */
static struct ras_cdt_timing_sample_row make_timing(int64_t tick)
{
    struct ras_cdt_timing_sample_row row = {.tick_index = tick,
                                            .gameplay_frame = tick,
                                            .phase = TEXT("gpur_enter"),
                                            .write_kind = TEXT("snapshot"),
                                            .frame_dt_f32 = TICK_MS / 1000.0F,
                                            .frame_dt_ms_i32 = TICK_MS,
                                            .frame_dt_ms_f32 = TICK_MS,
                                            .time_scale_factor = 1.0,
                                            .mode_fn = TEXT("gameplay_update_and_render")};
    ras_cdt_set(&row.node, RAS_CDT_TIMING_GAMEPLAY_FRAME);
    for (unsigned m = RAS_CDT_TIMING_FRAME_DT_F32; m <= RAS_CDT_TIMING_MODE_FN; m++)
        ras_cdt_set(&row.node, m);
    return row;
}

static int write_tick(struct ras_cdt_writer *w, int64_t n, uint32_t *rng, struct ras_error *err)
{
    uint32_t before = *rng;
    *rng = before * 214013 + 2531011;
    struct ras_cdt_rng_stream_row draw = {.tick_call_index = 1,
                                          .value_15 = *rng >> 16 & 0x7fff,
                                          .state_before_u32 = before,
                                          .state_after_u32 = *rng};
    struct ras_cdt_timing_sample_row timing = make_timing(n);
    struct ras_cdt_replay_player_checkpoint player = {.pos = {10.0 + (double)n, 20.0},
                                                      .health = 100.0};
    struct ras_cdt_snapshot_player sim_player = {.pos = {player.pos.x, player.pos.y},
                                                 .health = player.health};
    int64_t elapsed_ms = (n + 1) * TICK_MS;
    struct ras_cdt_tick_record tick = {
        .tick_index = n,
        .elapsed_ms = elapsed_ms,
        .dt_ms_i32 = TICK_MS,
        .mode_id = 1,
        .channels = {.checkpoint = {.tick_index = n,
                                    .rng_state = *rng,
                                    .elapsed_ms = elapsed_ms,
                                    .players = {&player, 1}},
                     .sim_state = {.gameplay = {.mode_id = 1}, .players = {&sim_player, 1}},
                     .rng_stream = {&draw, 1},
                     .timing_samples = {&timing, 1}},
    };
    return ras_cdt_writer_tick(w, &tick, err);
}

int main(int argc, char **argv)
{
    struct ras_cdt_trace_meta meta = make_meta();
    struct ras_cdt_writer *w = NULL;
    struct ras_sink *sink = NULL;
    struct ras_error err;
    uint32_t rng = 1234;
    int status = ras_sink_file(&sink, argc > 1 ? argv[1] : "walk.cdt", RAS_REPLACE, &err);
    if (status == RAS_OK)
        status = ras_cdt_writer_open(&w, sink, &meta, NULL, &err);
    for (int64_t n = 0; status == RAS_OK && n < TICKS; n++)
        status = write_tick(w, n, &rng, &err);
    if (status == RAS_OK)
        status = ras_cdt_writer_close(w, &err);
    else
        ras_cdt_writer_drop(w);
    if (status == RAS_OK)
        status = ras_sink_close(sink, &err);
    else
        ras_sink_drop(sink);
    if (status < 0)
        fprintf(stderr, "write_cdt: %s\n", err.text);
    return status < 0;
}
