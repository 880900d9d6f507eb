/* cdt_frida_check.c - what the rows of a capture must say, and what a trace makes of a tick.
 *
 * Texts and the order of checks are those of the reference: the first check that fails is reported.
 */
#include "base/error.h"
#include "base/in.h"
#include "codec/json_python.h"
#include "codec/number.h"
#include "formats/cdt/cdt_frida_run.h"

#include <stdarg.h>
#include <stdio.h>

/* ---- refusing ----------------------------------------------------------------------- */

static int refuse(struct frida *f, bool line, const char *fmt, va_list args)
{
    char *text = NULL, place[32] = "";
    if (line)
        snprintf(place, sizeof place, ".lines[%llu]", (unsigned long long)f->lines.number);
    va_list again;
    va_copy(again, args);
    int head = snprintf(NULL, 0, "%s%s", f->path, place), rest = vsnprintf(NULL, 0, fmt, again);
    va_end(again);
    if (head >= 0 && rest >= 0 && (text = malloc((size_t)head + (size_t)rest + 1))) {
        snprintf(text, (size_t)head + 1, "%s%s", f->path, place);
        vsnprintf(text + head, (size_t)rest + 1, fmt, args);
    }
    free(f->result->refusal);
    f->result->refusal = text;
    f->result->line = line ? f->lines.number : 0;
    return text ? RAS_EFORMAT : RAS_EMEMORY;
}

int frida_refuse(struct frida *f, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int status = refuse(f, true, fmt, args);
    va_end(args);
    return status;
}

int frida_refuse_file(struct frida *f, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int status = refuse(f, false, fmt, args);
    va_end(args);
    return status;
}

bool frida_is_one(struct ras_bytes text, const char *const *words)
{
    while (*words && !cdt_text_is(text, *words))
        words++;
    return *words != NULL;
}

/* ---- versions ------------------------------------------------------------------------- */

/* What is known of the versions that are not served. */
static const char *version_fault(frida_number version)
{
    static const char rows[] = "its rows are not known";
    static const char schema[] = "the structs of its ticks are not known";
    static const struct {
        int version;
        const char *fault;
    } faults[] = {{18, schema}, {22, schema}, {26, schema}, {27, schema}};
    if (version < 13)
        return "older than 13, the first one whose rows are known";
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        if (version == faults[i].version)
            return faults[i].fault;
    return rows;
}

int frida_refuse_version(struct frida *f, struct ras_cdt_int version)
{
    frida_number number = frida_number_of(version);
    return frida_refuse(f,
                        " unsupported capture_format_version=%s; expected one of [13, 14, 15, 28, "
                        "29]: %s",
                        frida_digits(number).text, version_fault(number));
}

/* ---- session_start ------------------------------------------------------------------- */

int frida_check_limits(struct frida *f, const struct frida_config *c, int64_t version)
{
    char all[1024] = "";
    size_t len = 0;
    for (unsigned i = 0; i < (version >= 14 ? FRIDA_LIMITS : FRIDA_LIMITS - 2u); i++)
        if (c->limits[i].value >= 0 || c->limits[i].wide)
            len += (size_t)snprintf(all + len, sizeof all - len, "%s'%s': %s", len ? ", " : "",
                                    frida_limit_names[i],
                                    frida_digits(frida_number_of(c->limits[i])).text);
    if (len)
        return frida_refuse(f,
                            " capture was recorded with trimmed streams {%s}; parity captures "
                            "require unlimited limits (-1)",
                            all);
    if (c->focus_tick.value >= 0 || c->focus_tick.wide)
        return frida_refuse(f,
                            " capture used focus mode (focus_tick=%s); parity captures must "
                            "record every tick",
                            frida_digits(frida_number_of(c->focus_tick)).text);
    return RAS_OK;
}

int frida_check_session(struct frida *f, const struct frida_session_start *row)
{
    const struct {
        const char *name;
        struct ras_bytes text;
    } texts[] = {{"session_id", row->session_id},
                 {"out_path", row->out_path},
                 {"platform", row->platform},
                 {"arch", row->arch},
                 {"script_version", row->script_version}};
    if (f->session.started)
        return frida_refuse(f, " duplicate session_start");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!texts[i].text.len)
            return frida_refuse(f, ".%s must be non-empty", texts[i].name);
    if (!bytes_same(row->config.out_path, row->out_path))
        return frida_refuse(f, ".config.out_path must match out_path");
    if (!bytes_same(row->session_fingerprint.session_id, row->session_id))
        return frida_refuse(f, ".session_fingerprint.session_id must match session_id");
    return frida_check_limits(f, &row->config, row->capture_format_version);
}

/* ---- run_start ------------------------------------------------------------------------ */

/* A leaf of a slot that is null or absent. `name` ends with a dot, or is empty. */
static int check_leaves(struct frida *f, size_t slot, const struct cdt_struct *s, const uint8_t *at,
                        unsigned from, const char *name)
{
    const struct ras_cdt_node *node = (const struct ras_cdt_node *)(const void *)at;
    for (unsigned i = from; i < s->count; i++) {
        const struct cdt_field *m = &s->fields[i];
        char inside[sizeof m->name + 1];
        int status = RAS_OK;
        snprintf(inside, sizeof inside, "%s.", m->name);
        if (m->type == CDT_STRUCT)
            status = check_leaves(f, slot, m->of, at + m->offset, 0, inside);
        else if (!ras_cdt_has(node, i))
            status = frida_refuse(
                f, ".pool_residue[%zu].%s%s must be %s in the pool residue snapshot", slot, name,
                m->name, m->type == CDT_FLOAT ? "a finite float" : "present");
        if (status < 0)
            return status;
    }
    return RAS_OK;
}

static int check_residue(struct frida *f, const struct frida_run_start *row)
{
    enum { INDEX, ACTIVE, LEAVES };
    if (!ras_cdt_has(&row->node, FRIDA_RUN_START_RESIDUE))
        return frida_refuse(f, ".pool_residue is required for capture v15 run_start rows");
    for (size_t i = 0; i < row->pool_residue.count; i++) {
        const struct frida_residue *slot = &row->pool_residue.at[i];
        frida_number index = frida_wide(&slot->node, INDEX, slot->index);
        if (index != (frida_number)i)
            return frida_refuse(f, ".pool_residue[%zu].index=%s does not match slot %zu", i,
                                frida_digits(index).text, i);
        if (!ras_cdt_has(&slot->node, ACTIVE))
            return frida_refuse(
                f, ".pool_residue[%zu].active must be present in the pool residue snapshot", i);
        if (slot->active != 0)
            return frida_refuse(f,
                                ".pool_residue[%zu] is active at run start; creature_reset_all "
                                "must have run before the latch",
                                i);
        int status = check_leaves(f, i, &frida_residue, (const uint8_t *)slot, LEAVES, "");
        if (status < 0)
            return status;
    }
    return RAS_OK;
}

int frida_check_run_start(struct frida *f, const struct frida_run_start *row)
{
    enum { SEED = 3, PLAYERS = 4 };
    static const char *const reasons[] = {"first_tick", "mode_or_stage_change", "quest_attempt",
                                          "run_start", NULL};
    static const char *const sources[] = {"crt_srand", "unknown", NULL};
    if (f->run.open)
        return frida_refuse(f, " run_start while run is active");
    if (!frida_is_one(row->reason, reasons))
        return frida_refuse(f, ".reason must be one of ['first_tick', 'mode_or_stage_change', "
                               "'quest_attempt', 'run_start']");
    if (!frida_is_one(row->seed_source, sources))
        return frida_refuse(f, ".seed_source must be one of ['crt_srand', 'unknown']");
    if (frida_wide(&row->node, SEED, row->seed) < 0)
        return frida_refuse(f, ".seed must be >= 0");
    if (frida_wide(&row->node, PLAYERS, row->player_count) <= 0)
        return frida_refuse(f, ".player_count must be positive");
    if (!ras_cdt_has(&row->node, FRIDA_RUN_START_SETUP))
        return frida_refuse(f, ".rng_state_at_run_setup is required for replay seeding");
    if ((uint64_t)row->rng_state_at_run_setup > UINT32_MAX)
        return frida_refuse(f, ".rng_state_at_run_setup must be u32");
    return f->session.version >= 15 ? check_residue(f, row) : RAS_OK;
}

/* ---- ids -------------------------------------------------------------------------------- */

/* RAS_OK, or the capture is refused. */
static int frida_check_ids(struct frida *f, const char *row, const struct frida_ids *ids,
                           unsigned from, unsigned to)
{
    static const char *const names[FRIDA_IDS] = {"run_id", "mode_id", "quest_stage_major",
                                                 "quest_stage_minor"};
    enum { RUN_ID = 1, MODE_ID, MAJOR = 6, MINOR };
    const struct frida_run_start *start = &f->run.start;
    const struct frida_ids run = {{frida_wide(&start->node, RUN_ID, start->run_id),
                                   frida_wide(&start->node, MODE_ID, start->mode_id),
                                   frida_wide(&start->node, MAJOR, start->quest_stage_major),
                                   frida_wide(&start->node, MINOR, start->quest_stage_minor)}};
    for (unsigned i = from; i < to; i++)
        if (ids->at[i] != run.at[i])
            return frida_refuse(f, " %s %s=%s does not match active run %s", row, names[i],
                                frida_digits(ids->at[i]).text, frida_digits(run.at[i]).text);
    return RAS_OK;
}

/* ---- run_end, session_end ---------------------------------------------------------------- */

int frida_check_run_end(struct frida *f, const struct frida_run_end *row)
{
    static const char *const reasons[] = {"capture_contract_error",
                                          "mode_or_stage_change",
                                          "quest_attempt",
                                          "run_end",
                                          "shutdown",
                                          NULL};
    enum { RUN_ID = 1, MODE_ID, MAJOR, MINOR, TICKS };
    const struct frida_ids ids = {{frida_wide(&row->node, RUN_ID, row->run_id),
                                   frida_wide(&row->node, MODE_ID, row->mode_id),
                                   frida_wide(&row->node, MAJOR, row->quest_stage_major),
                                   frida_wide(&row->node, MINOR, row->quest_stage_minor)}};
    if (!f->run.open)
        return frida_refuse(f, " run_end without active run");
    int status = frida_check_ids(f, "run_end", &ids, 0, 1);
    if (status == RAS_OK && !frida_is_one(row->reason, reasons))
        return frida_refuse(f, ".reason must be one of ['capture_contract_error', "
                               "'mode_or_stage_change', 'quest_attempt', 'run_end', "
                               "'shutdown']");
    if (status == RAS_OK)
        status = frida_check_ids(f, "run_end", &ids, 1, FRIDA_IDS);
    if (status < 0)
        return status;
    frida_number ticks = frida_wide(&row->node, TICKS, row->ticks_written);
    if (ticks != (frida_number)f->run.ticks)
        return frida_refuse(f,
                            " run_end.ticks_written=%s does not match active run tick_count %llu",
                            frida_digits(ticks).text, (unsigned long long)f->run.ticks);
    if (!ras_cdt_has(&row->node, FRIDA_RUN_END_TAIL))
        return frida_refuse(f, ".rng_outside_tail is required");
    return RAS_OK;
}

int frida_check_session_end(struct frida *f, const struct frida_session_end *row)
{
    enum { TICKS = 2 };
    if (f->run.open)
        return frida_refuse(f, " session_end while run is active");
    if (!bytes_same(row->session_id, f->session.session_id))
        return frida_refuse(f, ".session_id must match session_start.session_id");
    frida_number ticks = frida_wide(&row->node, TICKS, row->ticks_written);
    if (ticks != (frida_number)f->ticks)
        return frida_refuse(f, ".ticks_written=%s does not match parsed tick_count %llu",
                            frida_digits(ticks).text, (unsigned long long)f->ticks);
    return RAS_OK;
}

/* ---- ticks ------------------------------------------------------------------------------- */

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
    if (row->dt < 0) /* JSON cannot express non-finite numbers */
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

/* Only the first gpur_enter row is used. */
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

/* Accepts what Python's int(text, 16) accepts after 0x: digits with single underscores between
 * them, trailing blanks. Returns false otherwise. Values beyond 32 bits set *value to something
 * beyond 32 bits. */
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

/* Writes to the row's own memory, which is not read again. */
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

/* Format 13 stores the bits of a float there. */
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
