/* cdt_frida_check2.c - what the rows of captures 28 and 29 must say beyond the rules of a trace:
 * sessions, runs, draws outside of ticks.
 *
 * A tick is held to the rules of its trace as well (cdt_rules2.c), when it is written. */
#include "base/error.h"
#include "formats/cdt/cdt_frida_run.h"

#include <inttypes.h>

enum { MODE_QUESTS = 3, PLAYERS_MOST = 4 };

/* ---- session_start ------------------------------------------------------------------- */

static int check_hooks(struct frida *f, const struct frida_config *c)
{
    if (frida_number_of(c->player_count_override) > 0)
        return frida_refuse(f,
                            " capture used player_count_override=%s; parity captures must resolve "
                            "the native player count",
                            frida_digits(frida_number_of(c->player_count_override)).text);
    for (unsigned i = 0; i < FRIDA_HOOKS; i++)
        if (!c->hooks[i])
            return frida_refuse(f, " capture disabled required replay hooks ['%s']",
                                frida_hook_names[i]);
    return RAS_OK;
}

int frida_check_session2(struct frida *f, const struct frida_session_start *row)
{
    static const char *const sources[] = {"host", "environment", "default", NULL};
    static const char frida_version[] = "17.15.4";
    const struct frida_digits version = frida_digits(row->capture_format_version);
    const struct {
        const char *name;
        struct ras_bytes text;
    } texts[] = {{"session_id", row->session_id},
                 {"out_path", row->out_path},
                 {"platform", row->platform},
                 {"arch", row->arch}};
    if (f->session.started)
        return frida_refuse(f, " duplicate session_start");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!texts[i].text.len)
            return frida_refuse(f, ".%s must be non-empty", texts[i].name);
    if (!cdt_text_is(row->frida_version, frida_version))
        return frida_refuse(f, ".frida_version='%.*s'; expected '%s'",
                            (int)(row->frida_version.len < 64 ? row->frida_version.len : 64),
                            (const char *)row->frida_version.at, frida_version);
    if (!cdt_text_is(row->script_version, version.text))
        return frida_refuse(f, ".script_version='%.*s'; expected '%s'",
                            (int)(row->script_version.len < 64 ? row->script_version.len : 64),
                            (const char *)row->script_version.at, version.text);
    if (!bytes_same(row->config.out_path, row->out_path))
        return frida_refuse(f, ".config.out_path must match out_path");
    if (!frida_is_one(row->config.out_path_source, sources))
        return frida_refuse(f, ".config.out_path_source is invalid");
    if (!bytes_same(row->session_fingerprint.session_id, row->session_id))
        return frida_refuse(f, ".session_fingerprint.session_id must match session_id");
    int status = frida_check_limits(f, &row->config, row->capture_format_version);
    return status == RAS_OK ? check_hooks(f, &row->config) : status;
}

/* ---- run_start ------------------------------------------------------------------------ */

static bool is_u32(int64_t value)
{
    return value >= 0 && value <= UINT32_MAX;
}

static int check_slots(struct frida *f, const struct frida_run_start2 *row)
{
    if (!row->pool_residue.count)
        return frida_refuse(f, ".pool_residue must be non-empty");
    for (size_t i = 0; i < row->pool_residue.count; i++) {
        const struct frida_residue *slot = &row->pool_residue.at[i];
        const struct {
            const char *name;
            int64_t value;
        } bytes[] = {{"state_flag", slot->state_flag},
                     {"collision_flag", slot->collision_flag},
                     {"force_target", slot->force_target}};
        if (slot->index != (int64_t)i)
            return frida_refuse(f, ".pool_residue[%zu].index=%" PRId64 " does not match slot %zu",
                                i, slot->index, i);
        if (slot->active)
            return frida_refuse(f,
                                ".pool_residue[%zu] is active at run start; creature_reset_all "
                                "must have run before the latch",
                                i);
        for (size_t k = 0; k < sizeof bytes / sizeof *bytes; k++)
            if (bytes[k].value < 0 || bytes[k].value > UINT8_MAX)
                return frida_refuse(f,
                                    ".pool_residue[%zu].%s must be an unsigned byte in the pool "
                                    "residue snapshot",
                                    i, bytes[k].name);
        if (!is_u32(slot->orbit_radius_u32))
            return frida_refuse(f, ".pool_residue[%zu].orbit_radius_u32 must be a uint32", i);
    }
    return RAS_OK;
}

/* A list of exactly so many ints from 0 to `most`. */
static int check_list(struct frida *f, const char *name, const struct ras_cdt_int_list *list,
                      size_t count, int64_t most)
{
    if (list->count != count)
        return frida_refuse(f, ".settings.status.%s must contain exactly %zu entries, got %zu",
                            name, count, list->count);
    for (size_t i = 0; i < count; i++)
        if (list->at[i].wide || list->at[i].value < 0 || list->at[i].value > most)
            return frida_refuse(f, ".settings.status.%s[%zu] must be within 0 and %" PRId64, name,
                                i, most);
    return RAS_OK;
}

static int check_status(struct frida *f, const struct frida_status *s)
{
    const struct {
        const char *name;
        int64_t value;
    } counts[] = {{"mode_play_survival", s->mode_play_survival},
                  {"mode_play_rush", s->mode_play_rush},
                  {"mode_play_typo", s->mode_play_typo},
                  {"mode_play_other", s->mode_play_other},
                  {"play_time_ms", s->play_time_ms}};
    int status = check_list(f, "weapon_usage_counts", &s->weapon_usage_counts, RAS_CDT_WEAPON_COUNT,
                            UINT32_MAX);
    if (status == RAS_OK)
        status = check_list(f, "quest_play_counts", &s->quest_play_counts, RAS_CDT_QUEST_COUNT,
                            UINT32_MAX);
    if (status == RAS_OK)
        status = check_list(f, "reserved_seed_words", &s->reserved_seed_words,
                            sizeof f->run2.seed_words, UINT8_MAX);
    for (size_t i = 0; status == RAS_OK && i < sizeof counts / sizeof *counts; i++)
        if (!is_u32(counts[i].value))
            return frida_refuse(f, ".settings.status.%s must be a uint32", counts[i].name);
    return status;
}

static int check_settings(struct frida *f, const struct frida_settings *s)
{
    const double world_size = 1024;
    if (s->tick_rate <= 0)
        return frida_refuse(f, ".settings.tick_rate must be positive");
    if (s->quest_fail_retry_count < 0)
        return frida_refuse(f, ".settings.quest_fail_retry_count must be non-negative");
    if (s->detail_preset < 1 || s->detail_preset > 5)
        return frida_refuse(f, ".settings.detail_preset must be in 1..5");
    if (s->violence_disabled != 0 && s->violence_disabled != 1)
        return frida_refuse(f, ".settings.violence_disabled must be 0 or 1");
    if (s->world_size != world_size)
        return frida_refuse(f, ".settings.world_size must be 1024.0");
    return check_status(f, &s->status);
}

static int check_bootstrap(struct frida *f, const struct frida_run_start2 *row)
{
    if (!is_u32(row->rng_state_before_bootstrap))
        return frida_refuse(f, ".rng_state_before_bootstrap must be u32");
    if (!is_u32(row->rng_state_after_bootstrap))
        return frida_refuse(f, ".rng_state_after_bootstrap must be u32");
    if (row->rng_bootstrap_calls < 0)
        return frida_refuse(f, ".rng_bootstrap_calls must be >= 0");
    uint32_t after =
        frida_lcg((uint32_t)row->rng_state_before_bootstrap, (uint64_t)row->rng_bootstrap_calls);
    if (after != row->rng_state_after_bootstrap)
        return frida_refuse(f,
                            " bootstrap RNG boundary does not match rng_bootstrap_calls=%" PRId64
                            ": expected %" PRIu32 ", got %" PRId64,
                            row->rng_bootstrap_calls, after, row->rng_state_after_bootstrap);
    return RAS_OK;
}

/* What names the run: its ids, mode and players. */
static int check_run(struct frida *f, const struct frida_run_start2 *row, struct ras_error *err)
{
    const struct frida_digits id = frida_digits(row->run_id);
    frida_number times = 0;
    if (row->mode_id < 1 || row->mode_id > MODE_QUESTS)
        return frida_refuse(
            f, " unsupported mode_id=%" PRId64 "; Frida replay capture supports only [1, 2, 3]",
            row->mode_id);
    int status = frida_tally_add(
        &f->run_ids, (struct ras_bytes){(const uint8_t *)id.text, strlen(id.text)}, 1, &times, err);
    if (status < 0)
        return status;
    if (times > 1)
        return frida_refuse(f, " duplicate run_id=%s", id.text);
    if (row->player_count <= 0)
        return frida_refuse(f, ".player_count must be positive");
    if (row->player_count > PLAYERS_MOST)
        return frida_refuse(f, ".player_count=%" PRId64 ", a replay has at most %d",
                            row->player_count, PLAYERS_MOST);
    if (row->mode_id == MODE_QUESTS && (row->quest_stage_major <= 0 || row->quest_stage_minor <= 0))
        return frida_refuse(f, ".quest_stage_major and .quest_stage_minor must be set for quests");
    if (row->global_tick_index < 0 || row->global_tick_index > INT64_MAX / 2)
        return frida_refuse(f, ".global_tick_index must be >= 0");
    return RAS_OK;
}

int frida_check_run_start2(struct frida *f, const struct frida_run_start2 *row,
                           struct ras_error *err)
{
    static const char *const reasons[] = {"first_tick", "mode_or_stage_change", "quest_attempt",
                                          "run_start", NULL};
    if (f->run2.open)
        return frida_refuse(f, " run_start while run is active");
    if (f->next_global >= 0 && row->global_tick_index != f->next_global)
        return frida_refuse(f,
                            " run_start.global_tick_index=%" PRId64
                            " does not match expected session tick %" PRId64,
                            row->global_tick_index, f->next_global);
    if (!frida_is_one(row->reason, reasons))
        return frida_refuse(f, ".reason must be one of ['first_tick', 'mode_or_stage_change', "
                               "'quest_attempt', 'run_start']");
    int status = check_run(f, row, err);
    if (status == RAS_OK)
        status = check_bootstrap(f, row);
    if (status == RAS_OK)
        status = check_slots(f, row);
    return status == RAS_OK ? check_settings(f, &row->settings) : status;
}

/* ---- draws outside of ticks ------------------------------------------------------------ */

static bool advances(const struct ras_cdt_replay_operation *o)
{
    return cdt_text_is(o->type, "game_frame_rng_advance");
}

/* Exactly 0x and eight lower-case digits. */
static bool is_address(struct ras_bytes text)
{
    bool good = text.len == 10 && text.at[0] == '0' && text.at[1] == 'x';
    for (size_t i = 2; good && i < text.len; i++)
        good = (text.at[i] >= '0' && text.at[i] <= '9') || (text.at[i] >= 'a' && text.at[i] <= 'f');
    return good;
}

/* A list of operations. */
struct prelude {
    const struct ras_cdt_replay_operation *at;
    size_t count;
};

static int check_head(struct frida *f, const struct prelude *ops, const char *bag, size_t i,
                      const struct frida_head *row)
{
    int64_t owner = row->replay_operation_index;
    if (!is_address(row->caller_static))
        return frida_refuse(
            f, ".%s.head[%zu].caller_static must be a canonical static uint32 address", bag, i);
    if (owner < 0 || (uint64_t)owner >= ops->count)
        return frida_refuse(
            f, ".%s.head[%zu].replay_operation_index=%" PRId64 ", there are %zu operations", bag, i,
            owner, ops->count);
    if (i && owner < row[-1].replay_operation_index)
        return frida_refuse(
            f, ".%s.head[%zu].replay_operation_index=%" PRId64 " precedes prior operation %" PRId64,
            bag, i, owner, row[-1].replay_operation_index);
    if (advances(&ops->at[owner]) && !cdt_text_is(row->caller_static, "0x0040cac7"))
        return frida_refuse(f, ".%s.head[%zu] frame operation has caller '%.*s'", bag, i,
                            (int)row->caller_static.len, (const char *)row->caller_static.at);
    if (row->state_before_u32 != f->run2.leave)
        return frida_refuse(f,
                            ".%s.head[%zu].state_before_u32=%" PRId64
                            " does not continue prior RNG state %" PRIu32,
                            bag, i, row->state_before_u32, f->run2.leave);
    uint32_t after = frida_lcg(f->run2.leave, 1);
    if (row->state_after_u32 != after)
        return frida_refuse(
            f, ".%s.head[%zu].state_after_u32=%" PRId64 " does not match CRT transition %" PRIu32,
            bag, i, row->state_after_u32, after);
    if (row->value_15 != (after >> 16 & 0x7fff))
        return frida_refuse(f, ".%s.head[%zu].value_15=%" PRId64 " does not match CRT output %u",
                            bag, i, row->value_15, after >> 16 & 0x7fff);
    f->run2.leave = after;
    return RAS_OK;
}

/* caller_counts against the rows. */
static int check_callers(struct frida *f, const char *name, const struct frida_bag *bag,
                         struct ras_error *err)
{
    struct frida_tally rows = {0};
    int status = RAS_OK;
    for (size_t i = 0; status == RAS_OK && i < bag->head.count; i++)
        status = frida_tally_add(&rows, bag->head.at[i].caller_static, 1, NULL, err);
    size_t callers = rows.count;
    for (size_t i = 0; status == RAS_OK && i < bag->caller_counts.count; i++) {
        const struct ras_cdt_timer *c = &bag->caller_counts.at[i];
        frida_number found = 0;
        status = frida_tally_add(&rows, c->key, 0, &found, err);
        if (status == RAS_OK && (rows.count > callers || found != frida_number_of(c->value)))
            status = frida_refuse(
                f, ".%s.caller_counts['%.*s']=%s does not match %s captured rows", name,
                (int)(c->key.len < 64 ? c->key.len : 64), (const char *)c->key.at,
                frida_digits(frida_number_of(c->value)).text, frida_digits(found).text);
    }
    if (status == RAS_OK && bag->caller_counts.count != callers)
        status = frida_refuse(f, ".%s.caller_counts has %zu callers, the captured rows have %zu",
                              name, bag->caller_counts.count, callers);
    frida_tally_free(&rows);
    return status;
}

/* An advance of frames owns exactly that many draws. */
static int check_owners(struct frida *f, const struct prelude *ops, const char *name,
                        const struct frida_bag *bag)
{
    size_t row = 0;
    for (size_t i = 0; i < ops->count; i++) {
        size_t owned = row;
        while (row < bag->head.count && bag->head.at[row].replay_operation_index == (int64_t)i)
            row++;
        owned = row - owned;
        if (advances(&ops->at[i]) && ops->at[i].frames != (int64_t)owned)
            return frida_refuse(f,
                                ".%s frame operation %zu records %" PRId64
                                " frame(s), but %zu RNG row(s) reference it",
                                name, i, ops->at[i].frames, owned);
    }
    return RAS_OK;
}

static int check_bag(struct frida *f, const struct prelude *ops, const char *name,
                     const struct frida_bag *bag, struct ras_error *err)
{
    if (bag->dropped || bag->calls != (int64_t)bag->head.count)
        return frida_refuse(f,
                            ".%s must contain every outside RNG row (calls=%" PRId64
                            " dropped=%" PRId64 " head=%zu)",
                            name, bag->calls, bag->dropped, bag->head.count);
    int status = RAS_OK;
    for (size_t i = 0; status == RAS_OK && i < bag->head.count; i++)
        status = check_head(f, ops, name, i, &bag->head.at[i]);
    if (status == RAS_OK)
        status = check_callers(f, name, bag, err);
    if (status == RAS_OK)
        status = check_owners(f, ops, name, bag);
    return status == RAS_OK ? frida_evidence_bag(&f->run2.evidence, bag, err) : status;
}

/* ---- ticks ------------------------------------------------------------------------------ */

struct pair {
    const char *name;
    int64_t here, there;
};

static int check_ids(struct frida *f, const char *row, const struct pair *ids, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (ids[i].here != ids[i].there)
            return frida_refuse(f, " %s %s=%" PRId64 " does not match %" PRId64 " of the run", row,
                                ids[i].name, ids[i].here, ids[i].there);
    return RAS_OK;
}

/* Members of timing rows that the rules of a trace leave open. */
static int check_timing2(struct frida *f, const struct frida_tick2 *row)
{
    const struct ras_cdt_timing_sample_row *t = row->channels.timing_samples.at;
    for (size_t i = 0; i < row->channels.timing_samples.count; i++) {
        if (!t[i].write_kind.len)
            return frida_refuse(f, ".channels.timing_samples[%zu].write_kind must be non-empty", i);
        if (ras_cdt_has(&t[i].node, RAS_CDT_TIMING_GAMEPLAY_FRAME) &&
            t[i].gameplay_frame != row->tick_index)
            return frida_refuse(f,
                                ".channels.timing_samples[%zu].gameplay_frame=%" PRId64
                                " does not match tick.tick_index %" PRId64,
                                i, t[i].gameplay_frame, row->tick_index);
        if (cdt_text_is(t[i].phase, "gpur_enter") &&
            !cdt_text_is(t[i].mode_fn, "gameplay_update_and_render"))
            return frida_refuse(f, ".channels.timing_samples.gpur_enter.mode_fn must be "
                                   "'gameplay_update_and_render'");
    }
    return RAS_OK;
}

/* Counts of the checkpoint against the events that the hooks have seen. */
static int check_events(struct frida *f, const struct frida_tick2 *row)
{
    enum { HITS, OWN_HITS, PICKUPS, COUNTS };
    static const char *const names[COUNTS] = {"projectile_find_hit",
                                              "projectile_find_owner_collision", "bonus_apply"};
    const struct ras_cdt_replay_event_summary *e = &row->channels.checkpoint.events;
    int64_t counts[COUNTS];
    for (unsigned k = 0; k < COUNTS; k++) {
        size_t i = 0, n = row->evidence.event_counts.count;
        while (i < n && !cdt_text_is(row->evidence.event_counts.at[i].key, names[k]))
            i++;
        if (i == n)
            return frida_refuse(f, ".channels missing required event counts ['%s']", names[k]);
        counts[k] = row->evidence.event_counts.at[i].value.value;
        if (counts[k] < 0)
            return frida_refuse(f, ".channels event counts must be non-negative");
    }
    if (counts[OWN_HITS] > counts[HITS])
        return frida_refuse(f,
                            ".channels projectile owner-collision count %" PRId64
                            " exceeds raw hit count %" PRId64,
                            counts[OWN_HITS], counts[HITS]);
    if (e->hit_count != counts[HITS] - counts[OWN_HITS])
        return frida_refuse(f,
                            ".channels.checkpoint.events.hit_count=%" PRId64
                            " does not match canonical count %" PRId64,
                            e->hit_count, counts[HITS] - counts[OWN_HITS]);
    if (e->pickup_count != counts[PICKUPS])
        return frida_refuse(f,
                            ".channels.checkpoint.events.pickup_count=%" PRId64
                            " does not match canonical count %" PRId64,
                            e->pickup_count, counts[PICKUPS]);
    return RAS_OK;
}

/* The chain of states from the last row to the end of the tick. The transitions inside of it are
 * rules of the trace. */
static int check_draws(struct frida *f, const struct frida_tick2 *row, struct ras_error *err)
{
    const struct ras_cdt_replay_step_snapshot *step = &row->channels.replay_step;
    const struct ras_cdt_rng_stream_row *rows = row->channels.rng_stream.at;
    const struct prelude ops = {step->prelude.at, step->prelude.count};
    size_t count = row->channels.rng_stream.count;
    if (row->rng_calls != (int64_t)count)
        return frida_refuse(f, ".rng_calls=%" PRId64 " does not match rng_stream length %zu",
                            row->rng_calls, count);
    int status = check_bag(f, &ops, "rng_outside_before", &row->rng_outside_before, err);
    if (status < 0)
        return status;
    if (row->rng_state_enter_u32 != f->run2.leave)
        return frida_refuse(f,
                            ".rng_outside_before ends at RNG state %" PRIu32 ", expected %" PRId64,
                            f->run2.leave, row->rng_state_enter_u32);
    for (size_t i = 0; i < count; i++)
        if (!ras_cdt_has(&rows[i].node, RAS_CDT_RNG_CALLER) || !is_u32(rows[i].caller))
            return frida_refuse(f, ".channels.rng_stream[%zu].caller must be a uint32", i);
    if (count && rows[0].state_before_u32 != row->rng_state_enter_u32)
        return frida_refuse(f,
                            ".channels.rng_stream[0].state_before_u32=%" PRId64
                            " does not continue prior RNG state %" PRId64,
                            rows[0].state_before_u32, row->rng_state_enter_u32);
    int64_t last = count ? rows[count - 1].state_after_u32 : row->rng_state_enter_u32;
    if (last != row->rng_state_leave_u32 || !is_u32(last))
        return frida_refuse(
            f, ".channels.rng_stream ends at RNG state %" PRId64 ", expected leave state %" PRId64,
            last, row->rng_state_leave_u32);
    f->run2.leave = (uint32_t)last;
    return RAS_OK;
}

int frida_check_tick2(struct frida *f, const struct frida_tick2 *row, struct ras_error *err)
{
    const struct frida_run_start2 *start = &f->run2.start;
    const struct pair ids[] = {
        {"run_id", row->run_id, start->run_id},
        {"tick_index", row->tick_index, (int64_t)f->run2.ticks},
        {"global_tick_index", row->global_tick_index,
         start->global_tick_index + (int64_t)f->run2.ticks},
        {"mode_id", row->mode_id, start->mode_id},
        {"quest_stage_major", row->quest_stage_major, start->quest_stage_major},
        {"quest_stage_minor", row->quest_stage_minor, start->quest_stage_minor}};
    if (!f->run2.open)
        return frida_refuse(f, " tick outside run");
    int status = check_ids(f, "tick", ids, sizeof ids / sizeof *ids);
    if (status == RAS_OK && row->channels.replay_step.commands.count)
        return frida_refuse(
            f, ".channels.replay_step.commands must be empty for supported classic modes");
    if (status == RAS_OK)
        status = check_timing2(f, row);
    if (status == RAS_OK)
        status = check_events(f, row);
    return status == RAS_OK ? check_draws(f, row, err) : status;
}

/* ---- run_end ---------------------------------------------------------------------------- */

static int check_trailing(struct frida *f, const struct frida_run_end2 *row)
{
    for (size_t i = 0; i < row->trailing_prelude.count; i++) {
        const struct ras_cdt_replay_operation *o = &row->trailing_prelude.at[i];
        if (advances(o) && o->frames <= 0)
            return frida_refuse(f, ".trailing_prelude[%zu].frames must be positive", i);
        if (advances(o))
            continue;
        if (o->player_index < 0 || o->player_index >= f->run2.start.player_count)
            return frida_refuse(
                f, ".trailing_prelude[%zu].player_index=%" PRId64 " is outside 0..%" PRId64, i,
                o->player_index, f->run2.start.player_count - 1);
        if (cdt_text_is(o->type, "perk_pick") && (o->choice_index < 0 || o->choice_index >= 7))
            return frida_refuse(f, ".trailing_prelude[%zu].choice_index must be in 0..6", i);
    }
    return RAS_OK;
}

int frida_check_run_end2(struct frida *f, const struct frida_run_end2 *row, struct ras_error *err)
{
    static const char *const reasons[] = {"mode_or_stage_change", "quest_attempt", "run_end",
                                          "shutdown", NULL};
    const struct frida_run_start2 *start = &f->run2.start;
    const struct pair ids[] = {
        {"run_id", row->run_id, start->run_id},
        {"mode_id", row->mode_id, start->mode_id},
        {"quest_stage_major", row->quest_stage_major, start->quest_stage_major},
        {"quest_stage_minor", row->quest_stage_minor, start->quest_stage_minor},
        {"ticks_written", row->ticks_written, (int64_t)f->run2.ticks}};
    const struct prelude ops = {row->trailing_prelude.at, row->trailing_prelude.count};
    int64_t last = start->global_tick_index + (int64_t)f->run2.ticks - 1;
    if (!f->run2.open)
        return frida_refuse(f, " run_end without active run");
    if (!frida_is_one(row->reason, reasons))
        return frida_refuse(f, ".reason must be one of ['mode_or_stage_change', 'quest_attempt', "
                               "'run_end', 'shutdown']");
    int status = check_ids(f, "run_end", ids, sizeof ids / sizeof *ids);
    if (status < 0)
        return status;
    if (f->run2.ticks && row->global_tick_index != last)
        return frida_refuse(
            f, " run_end.global_tick_index=%" PRId64 " does not match last tick %" PRId64,
            row->global_tick_index, last);
    status = check_trailing(f, row);
    if (status == RAS_OK)
        status = check_bag(f, &ops, "rng_outside_tail", &row->rng_outside_tail, err);
    return status;
}
