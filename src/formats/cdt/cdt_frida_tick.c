/* cdt_frida_tick.c - a tick of a capture: what it must say, and what a trace makes of it.
 *
 * The order of the checks is the reference's, as the first one that fails is told. */
#include "base/digits.h"
#include "base/error.h"
#include "codec/json_python.h"
#include "codec/number.h"
#include "formats/cdt/cdt_frida_run.h"

enum { TICK_RUN_ID = 1, TICK_ELAPSED, TICK_DT, TICK_DT_MS, TICK_MODE, TICK_MAJOR = 8, TICK_MINOR };

/* ---- the row -------------------------------------------------------------------------- */

static int check_row(struct frida *f, const struct frida_tick *row)
{
    const struct frida_ids ids = {{frida_wide(&row->node, TICK_RUN_ID, row->run_id),
                                   frida_wide(&row->node, TICK_MODE, row->mode_id),
                                   frida_wide(&row->node, TICK_MAJOR, row->quest_stage_major),
                                   frida_wide(&row->node, TICK_MINOR, row->quest_stage_minor)}};
    int status = frida_check_ids(f, "tick", &ids, 0, FRIDA_IDS);
    if (status < 0)
        return status;
    if (row->dt < 0) /* JSON has no way to write one that is not finite */
        return frida_refuse(f, ".dt must be finite and >= 0");
    if (frida_wide(&row->node, TICK_ELAPSED, row->elapsed_ms) < 0)
        return frida_refuse(f, ".elapsed_ms must be >= 0");
    if (frida_wide(&row->node, TICK_DT_MS, row->dt_ms_i32) < 0)
        return frida_refuse(f, ".dt_ms_i32 must be >= 0");
    return RAS_OK;
}

/* ---- checkpoint, sim_state --------------------------------------------------------------- */

static int frida_check_checkpoint(struct frida *f, const struct frida_tick *row)
{
    enum { RNG_STATE = 1, ELAPSED = 2, PLAYERS = 4 };
    const struct ras_cdt_replay_checkpoint *point = &row->channels.checkpoint;
    const struct frida_run_start *start = &f->run.start;
    size_t count = point->players.count;
    frida_number players = frida_wide(&start->node, PLAYERS, start->player_count);
    if (!count)
        return frida_refuse(f, ".channels.checkpoint.players must be non-empty");
    if ((frida_number)count != players)
        return frida_refuse(f,
                            ".channels.checkpoint.players length %zu does not match "
                            "run_start.player_count %s",
                            count, frida_digits(players).text);
    frida_number here = frida_wide(&point->node, ELAPSED, point->elapsed_ms);
    frida_number there = frida_wide(&row->node, TICK_ELAPSED, row->elapsed_ms);
    if (here != there)
        return frida_refuse(f,
                            ".channels.checkpoint.elapsed_ms=%s does not match tick.elapsed_ms %s",
                            frida_digits(here).text, frida_digits(there).text);
    frida_number state = frida_wide(&point->node, RNG_STATE, point->rng_state);
    if (state < 0 || state > UINT32_MAX)
        return frida_refuse(f, ".channels.checkpoint.rng_state must be a uint32");
    return RAS_OK;
}

static int check_sim_state(struct frida *f, const struct frida_tick *row)
{
    const struct frida_sim_state *sim = &row->channels.sim_state;
    const struct ras_cdt_snapshot_gameplay *game = &sim->gameplay.canonical;
    size_t count = sim->players.count, players = row->channels.checkpoint.players.count;
    if (count != players)
        return frida_refuse(f,
                            ".channels.sim_state.players length %zu does not match "
                            "checkpoint.players length %zu",
                            count, players);
    const struct {
        const char *name;
        frida_number here, there;
    } ids[] = {
        {"mode_id", frida_wide(&game->node, 0, game->mode_id),
         frida_wide(&row->node, TICK_MODE, row->mode_id)},
        {"quest_stage_major", frida_wide(&game->node, 1, game->quest_stage_major),
         frida_wide(&row->node, TICK_MAJOR, row->quest_stage_major)},
        {"quest_stage_minor", frida_wide(&game->node, 2, game->quest_stage_minor),
         frida_wide(&row->node, TICK_MINOR, row->quest_stage_minor)},
    };
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        if (ids[i].here != ids[i].there)
            return frida_refuse(f, ".channels.sim_state.gameplay.%s=%s does not match tick.%s %s",
                                ids[i].name, frida_digits(ids[i].here).text, ids[i].name,
                                frida_digits(ids[i].there).text);
    return RAS_OK;
}

/* ---- timing_samples ------------------------------------------------------------------------ */

struct number_text {
    char text[NUMBER_TEXT_SIZE + 1];
};

static struct number_text float_text(double value)
{
    struct number_text t = {{0}};
    t.text[f64_text(t.text, value)] = 0;
    return t;
}

/* The first gpur_enter row is the one that counts. */
static int check_enter(struct frida *f, const struct frida_tick *row,
                       const struct ras_cdt_timing_sample_row *enter)
{
    const char *where = ".channels.timing_samples.gpur_enter";
    if (!ras_cdt_has(&enter->node, RAS_CDT_TIMING_FRAME_DT_F32))
        return frida_refuse(f, "%s.frame_dt_f32 must be finite", where);
    if (!ras_cdt_has(&enter->node, RAS_CDT_TIMING_FRAME_DT_MS_I32))
        return frida_refuse(f, "%s.frame_dt_ms_i32 must be present", where);
    frida_number here =
        frida_wide(&enter->node, RAS_CDT_TIMING_FRAME_DT_MS_I32, enter->frame_dt_ms_i32);
    frida_number there = frida_wide(&row->node, TICK_DT_MS, row->dt_ms_i32);
    if (here < 0)
        return frida_refuse(f, "%s.frame_dt_ms_i32 must be >= 0", where);
    if (enter->frame_dt_f32 != row->dt)
        return frida_refuse(f, "%s.frame_dt_f32=%s does not match tick.dt %s", where,
                            float_text(enter->frame_dt_f32).text, float_text(row->dt).text);
    if (here != there)
        return frida_refuse(f, "%s.frame_dt_ms_i32=%s does not match tick.dt_ms_i32 %s", where,
                            frida_digits(here).text, frida_digits(there).text);
    return RAS_OK;
}

static int frida_check_timing(struct frida *f, const struct frida_tick *row)
{
    const struct ras_cdt_timing_sample_row *rows = row->channels.timing_samples.at, *enter = NULL;
    size_t count = row->channels.timing_samples.count;
    if (!count)
        return frida_refuse(f, ".channels.timing_samples must be non-empty");
    for (size_t i = 0; i < count; i++) {
        if (!rows[i].phase.len)
            return frida_refuse(f, ".channels.timing_samples[%zu].phase must be non-empty", i);
        if (!rows[i].write_kind.len)
            return frida_refuse(f, ".channels.timing_samples[%zu].write_kind must be non-empty", i);
        if (!enter && cdt_text_is(rows[i].phase, "gpur_enter"))
            enter = &rows[i];
    }
    if (!enter)
        return frida_refuse(f, ".channels.timing_samples must include phase `gpur_enter`");
    return check_enter(f, row, enter);
}

int frida_check_tick(struct frida *f, const struct frida_tick *row)
{
    enum { PLAYERS = 4 };
    const struct frida_run_start *start = &f->run.start;
    if (!f->run.open)
        return frida_refuse(f, " tick outside run");
    int status = check_row(f, row);
    if (status == RAS_OK)
        status = frida_check_checkpoint(f, row);
    if (status == RAS_OK)
        status = check_sim_state(f, row);
    if (status == RAS_OK)
        status = frida_check_timing(f, row);
    frida_number players = frida_wide(&start->node, PLAYERS, start->player_count);
    if (status == RAS_OK && (frida_number)row->replay_inputs.count != players)
        return frida_refuse(f, ".replay_inputs must contain %s player rows, got %zu",
                            frida_digits(players).text, row->replay_inputs.count);
    return status;
}

/* ---- canonical ------------------------------------------------------------------------------- */

/* What Python's int(text, 16) takes behind 0x: digits with single underscores between them,
 * blanks at the end. False: it takes none of it. Beyond 32 bits *value is beyond them, too. */
static bool hex_of(struct ras_bytes text, uint64_t *value)
{
    size_t n = text.len, i = 2;
    *value = 0;
    while (n > 2 && (text.at[n - 1] == ' ' || (text.at[n - 1] >= '\t' && text.at[n - 1] <= '\r') ||
                     (text.at[n - 1] >= 0x1c && text.at[n - 1] <= 0x1f)))
        n--;
    if (n == 2)
        return false;
    for (; i < n; i++) {
        if (text.at[i] == '_' && ++i == n)
            return false;
        int digit = hex_digit(text.at[i]);
        if (digit < 0)
            return false;
        *value = *value >> 32 ? *value : *value << 4 | (uint64_t)digit;
    }
    return true;
}

static int refuse_hex(struct frida *f, size_t i, struct ras_bytes text)
{
    struct out shown = {0};
    python_repr_text(&shown, text.at, text.len);
    out_byte(&shown, 0);
    int status = shown.failed ? RAS_EMEMORY
                              : frida_refuse(f,
                                             ".channels.rng_stream[%zu].caller_static invalid hex "
                                             "value: %s",
                                             i, (const char *)shown.at);
    out_free(&shown);
    return status;
}

static int canonical_caller(struct frida *f, size_t i, const struct frida_rng_row *row,
                            struct ras_cdt_rng_stream_row *out)
{
    struct ras_bytes text = row->caller_static;
    uint64_t caller;
    out->node.present &= ~(UINT32_C(1) << RAS_CDT_RNG_CALLER);
    out->caller = 0;
    if (!ras_cdt_has(&row->node, FRIDA_RNG_CALLER))
        return RAS_OK;
    if (text.len < 2 || text.at[0] != '0' || (text.at[1] | 0x20) != 'x')
        return frida_refuse(
            f, ".channels.rng_stream[%zu].caller_static must be a 0x-prefixed hex string", i);
    if (!hex_of(text, &caller))
        return refuse_hex(f, i, text);
    if (caller > UINT32_MAX)
        return frida_refuse(f, ".channels.rng_stream[%zu].caller_static must decode to a uint32",
                            i);
    ras_cdt_set(&out->node, RAS_CDT_RNG_CALLER);
    out->caller = (int64_t)caller;
    return RAS_OK;
}

static int canonical_rng(struct frida *f, const struct frida_channels *from,
                         struct ras_cdt_replay_tick_channels *to, struct ras_error *err)
{
    size_t count = from->rng_stream.count;
    struct ras_cdt_rng_stream_row *rows = arena_take(&f->row, count * sizeof *rows);
    if (count && !rows)
        return fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        const struct frida_rng_row *row = &from->rng_stream.at[i];
        rows[i] = (struct ras_cdt_rng_stream_row){.node = row->node,
                                                  .tick_call_index = row->tick_call_index,
                                                  .value_15 = row->value_15,
                                                  .state_before_u32 = row->state_before_u32,
                                                  .state_after_u32 = row->state_after_u32};
        int status = canonical_caller(f, i, row, &rows[i]);
        if (status < 0)
            return status;
    }
    to->rng_stream.at = rows;
    to->rng_stream.count = count;
    return RAS_OK;
}

/* The row's own memory is written to: nobody looks at it again. */
static void canonical_timing(struct frida *f, const struct frida_channels *from,
                             struct ras_cdt_replay_tick_channels *to)
{
    static const char mode_fn[] = "gameplay_update_and_render";
    struct ras_cdt_timing_sample_row *row =
        (struct ras_cdt_timing_sample_row *)(uintptr_t)from->timing_samples.at;
    to->timing_samples.at = row;
    to->timing_samples.count = from->timing_samples.count;
    for (size_t i = 0; i < from->timing_samples.count; i++, row++) {
        row->tick_index = (int64_t)f->run.ticks;
        row->node.wide &= ~(1u | 1u << RAS_CDT_TIMING_GAMEPLAY_FRAME);
        if (ras_cdt_has(&row->node, RAS_CDT_TIMING_GAMEPLAY_FRAME))
            row->gameplay_frame = (int64_t)f->run.ticks;
        if (!ras_cdt_has(&row->node, RAS_CDT_TIMING_MODE_FN) &&
            cdt_text_is(row->phase, "gpur_enter")) {
            row->mode_fn = (struct ras_bytes){(const uint8_t *)mode_fn, sizeof mode_fn - 1};
            ras_cdt_set(&row->node, RAS_CDT_TIMING_MODE_FN);
        }
        if (!ras_cdt_has(&row->node, RAS_CDT_TIMING_FRAME_DT_MS_I32))
            continue;
        row->frame_dt_ms_f32 =
            (double)frida_wide(&row->node, RAS_CDT_TIMING_FRAME_DT_MS_I32, row->frame_dt_ms_i32);
        ras_cdt_set(&row->node, RAS_CDT_TIMING_FRAME_DT_MS_F32);
    }
}

/* Format 13 has the bits of a float there. */
static int canonical_clip(struct frida *f, size_t i, struct ras_cdt_snapshot_weapon *weapon)
{
    enum { CLIP_SIZE = 2 };
    uint32_t bits = (uint32_t)weapon->clip_size;
    float size;
    memcpy(&size, &bits, sizeof size);
    if (!(size >= 0 && size <= 10000))
        return frida_refuse(
            f,
            ".channels.sim_state.players[%zu].weapon.clip_size is not a plausible f32 clip_size "
            "bit pattern: %s",
            i, frida_digits(frida_wide(&weapon->node, CLIP_SIZE, weapon->clip_size)).text);
    int64_t whole = (int64_t)((double)size + 0.5);
    double off = (double)size - (double)whole;
    if (off > 1e-3 || off < -1e-3)
        return frida_refuse(f,
                            ".channels.sim_state.players[%zu].weapon.clip_size decodes to a "
                            "non-integral clip_size: %s",
                            i, float_text(size).text);
    weapon->clip_size = whole;
    weapon->node.wide &= ~(UINT32_C(1) << CLIP_SIZE);
    return RAS_OK;
}

static int canonical_sim(struct frida *f, const struct frida_sim_state *from,
                         struct ras_cdt_sim_state_snapshot *to)
{
    enum { MODE_QUESTS = 3, STAGES = 6 };
    struct ras_cdt_snapshot_player *players =
        (struct ras_cdt_snapshot_player *)(uintptr_t)from->players.at;
    int status = RAS_OK;
    to->gameplay = from->gameplay.canonical;
    if (to->gameplay.mode_id != MODE_QUESTS) {
        to->gameplay.quest_stage_major = to->gameplay.quest_stage_minor = 0;
        to->gameplay.node.wide &= ~(uint32_t)STAGES;
    }
    for (size_t i = 0; status == RAS_OK && f->session.version == 13 && i < from->players.count; i++)
        status = canonical_clip(f, i, &players[i].weapon);
    to->players.at = players;
    to->players.count = from->players.count;
    return status;
}

static int check_accounting(struct frida *f, const struct frida_tick *row)
{
    const uint32_t all = 15u << FRIDA_TICK_RNG_CALLS;
    if ((row->node.present & all) != all)
        return frida_refuse(f, " must carry rng accounting (rng_calls, rng_outside_before, "
                               "rng_state_enter_u32, rng_state_leave_u32)");
    frida_number calls = frida_wide(&row->node, FRIDA_TICK_RNG_CALLS, row->rng_calls);
    if (calls != (frida_number)row->channels.rng_stream.count)
        return frida_refuse(f, ".rng_calls=%s does not match rng_stream length %zu",
                            frida_digits(calls).text, row->channels.rng_stream.count);
    return RAS_OK;
}

int frida_canonical(struct frida *f, struct frida_tick *row, struct ras_cdt_tick_record *canonical,
                    struct ras_error *err)
{
    enum { ELAPSED = 1, DT_MS, MODE };
    struct ras_cdt_replay_tick_channels *to = &canonical->channels;
    *canonical = (struct ras_cdt_tick_record){.tick_index = (int64_t)f->run.ticks,
                                              .elapsed_ms = row->elapsed_ms,
                                              .dt_ms_i32 = row->dt_ms_i32,
                                              .mode_id = row->mode_id};
    canonical->node.wide = (row->node.wide >> TICK_ELAPSED & 1) << ELAPSED |
                           (row->node.wide >> TICK_DT_MS & 1) << DT_MS |
                           (row->node.wide >> TICK_MODE & 1) << MODE;
    to->checkpoint = row->channels.checkpoint;
    to->checkpoint.tick_index = (int64_t)f->run.ticks;
    to->checkpoint.node.wide &= ~1u;
    to->entity_samples = row->channels.entity_samples;
    int status = canonical_rng(f, &row->channels, to, err);
    if (status == RAS_OK) {
        canonical_timing(f, &row->channels, to);
        status = canonical_sim(f, &row->channels.sim_state, &to->sim_state);
    }
    return status == RAS_OK ? check_accounting(f, row) : status;
}
