/* cdt_frida_replay.c - the capture replay (.ccr, version 1) of a run: MessagePack in a zstd frame.
 *
 * Keys are in the order of the producer's structs, all present. What no row of a capture has is
 * what the producer writes for every capture: preserve_bugs is true, there are no words of Typ-o,
 * and the last of the other keys is false. */
#include "formats/cdt/cdt_frida_pack.h"
#include "formats/cdt/cdt_frida_run.h"
#include "formats/cdt/cdt_put.h"

enum { REPLAY_VERSION = 1, MODE_QUESTS = 3 };

/* ---- creature_pool --------------------------------------------------------------------- */

static void put_slot_point(struct out *out, const char *key, const struct frida_point *point)
{
    frida_put_key(out, key);
    frida_put_map(out, 2);
    frida_put_key(out, "x");
    frida_put_f64(out, point->x);
    frida_put_key(out, "y");
    frida_put_f64(out, point->y);
}

static void put_slot_real(struct out *out, const char *key, double value)
{
    frida_put_key(out, key);
    frida_put_f64(out, value);
}

static void put_slot(struct out *out, const struct frida_residue *s)
{
    enum { KEYS = 33 };
    frida_put_map(out, KEYS);
    frida_put_named(out, "index", s->index);
    frida_put_named(out, "phase_seed", s->phase_number);
    frida_put_named(out, "state_flag", s->state_flag);
    frida_put_named(out, "collision_flag", s->collision_flag);
    put_slot_real(out, "collision_timer", s->collision_timer);
    put_slot_real(out, "lifecycle_stage", s->lifecycle_stage);
    put_slot_point(out, "pos", &s->pos);
    put_slot_point(out, "vel", &s->vel);
    put_slot_real(out, "hp", s->hp);
    put_slot_real(out, "max_hp", s->max_hp);
    put_slot_real(out, "heading", s->heading);
    put_slot_real(out, "target_heading", s->target_heading);
    put_slot_real(out, "size", s->size);
    put_slot_real(out, "hit_flash_timer", s->hit_flash_timer);
    put_slot_real(out, "tint_r", s->tint.r);
    put_slot_real(out, "tint_g", s->tint.g);
    put_slot_real(out, "tint_b", s->tint.b);
    put_slot_real(out, "tint_a", s->tint.a);
    frida_put_named(out, "force_target", s->force_target);
    put_slot_point(out, "target", &s->target);
    put_slot_real(out, "contact_damage", s->contact_damage);
    put_slot_real(out, "move_speed", s->move_speed);
    put_slot_real(out, "attack_cooldown", s->attack_cooldown);
    put_slot_real(out, "reward_value", s->reward_value);
    frida_put_named(out, "type_id", s->type_id);
    frida_put_named(out, "target_player", s->target_player);
    frida_put_named(out, "link_index", s->link_index);
    put_slot_point(out, "target_offset", &s->target_offset);
    put_slot_real(out, "orbit_angle", s->orbit_angle);
    frida_put_named(out, "orbit_radius_u32", s->orbit_radius_u32);
    frida_put_named(out, "flags", s->flags);
    frida_put_named(out, "ai_mode", s->ai_mode);
    put_slot_real(out, "anim_phase", s->anim_phase);
}

void frida_replay_pool(struct out *out, const struct frida_residue *slots, size_t count)
{
    frida_put_array(out, count);
    for (size_t i = 0; i < count; i++)
        put_slot(out, &slots[i]);
}

/* ---- ticks ------------------------------------------------------------------------------ */

static bool put_operations(struct out *out, const char *key, const struct cdt_struct *of,
                           const struct ras_cdt_replay_operation *at, size_t count,
                           struct cdt_problem *problem)
{
    frida_put_key(out, key);
    frida_put_array(out, count);
    for (size_t i = 0; i < count; i++)
        if (!cdt_encode(cdt_variant(of, &at[i]), &at[i], RAS_CDT_PYTHON, out, problem))
            return false;
    return true;
}

bool frida_replay_tick(struct out *out, const struct cdt_model *model,
                       const struct ras_cdt_replay_step_snapshot *step, struct cdt_problem *problem)
{
    enum { KEYS = 4, INPUT = 5, PRELUDE = 2, POSTLUDE = 3 };
    const struct cdt_field *fields = model->rows[CDT_ROW_STEP]->fields;
    frida_put_map(out, KEYS);
    put_slot_real(out, "dt", step->dt);
    frida_put_key(out, "inputs");
    frida_put_array(out, step->inputs.count);
    for (size_t i = 0; i < step->inputs.count; i++) {
        const struct ras_cdt_replay_input_sample *in = &step->inputs.at[i];
        frida_put_array(out, INPUT);
        frida_put_f64(out, in->move_x);
        frida_put_f64(out, in->move_y);
        frida_put_f64(out, in->aim_x);
        frida_put_f64(out, in->aim_y);
        frida_put_int(out, in->flags);
    }
    return put_operations(out, "prelude", fields[PRELUDE].of, step->prelude.at, step->prelude.count,
                          problem) &&
           put_operations(out, "postlude", fields[POSTLUDE].of, step->postlude.at,
                          step->postlude.count, problem);
}

/* ---- what comes before the ticks ----------------------------------------------------------- */

static void put_run_status(struct out *out, const struct ras_cdt_game_status_data *s)
{
    frida_put_key(out, "status");
    frida_put_map(out, 3);
    frida_put_named(out, "quest_unlock_index", s->quest_unlock_index);
    frida_put_named(out, "quest_unlock_index_full", s->quest_unlock_index_full);
    frida_put_key(out, "weapon_usage_counts");
    frida_put_array(out, RAS_CDT_WEAPON_COUNT);
    for (size_t i = 0; i < RAS_CDT_WEAPON_COUNT; i++)
        frida_put_int(out, s->weapon_usage_counts[i].value);
}

/* As in replays of version 20 beside capture 28, and of version 27 beside capture 29. */
static void put_run(struct out *out, const struct frida *f)
{
    enum { KEYS = 13, WITH_DEMO = 28 };
    const struct frida_run_start2 *start = &f->run2.start;
    const struct frida_settings *settings = &start->settings;
    bool demo = f->session.version == WITH_DEMO;
    frida_put_map(out, KEYS);
    frida_put_named(out, "game_mode_id", start->mode_id);
    frida_put_named(out, "seed", start->rng_state_before_bootstrap);
    frida_put_key(out, "quest_level");
    if (start->mode_id == MODE_QUESTS) {
        frida_put_map(out, 2);
        frida_put_named(out, "major", start->quest_stage_major);
        frida_put_named(out, "minor", start->quest_stage_minor);
    } else {
        frida_put_nil(out);
    }
    frida_put_named(out, "player_count", start->player_count);
    frida_put_flag(out, "hardcore", settings->hardcore);
    frida_put_flag(out, "preserve_bugs", true);
    if (demo)
        frida_put_flag(out, "demo", false);
    frida_put_named(out, "quest_fail_retry_count", settings->quest_fail_retry_count);
    frida_put_named(out, "detail_preset", settings->detail_preset);
    frida_put_named(out, "violence_disabled", settings->violence_disabled);
    if (!demo)
        frida_put_flag(out, "friendly_fire", false);
    put_run_status(out, &f->run2.status);
    frida_put_key(out, "typo_dictionary_words");
    frida_put_array(out, 0);
    frida_put_key(out, "typo_highscore_names");
    frida_put_array(out, 0);
}

bool frida_replay_head(struct out *out, const struct frida *f, struct cdt_problem *problem)
{
    enum { KEYS = 7 };
    const struct frida_run2 *run = &f->run2;
    frida_put_map(out, KEYS);
    frida_put_named(out, "format_version", REPLAY_VERSION);
    frida_put_named(out, "capture_format_version", f->session.version);
    frida_put_named(out, "tick_rate", run->start.settings.tick_rate);
    frida_put_key(out, "run");
    put_run(out, f);
    frida_put_key(out, "status");
    if (!cdt_encode(cdt_meta_2.fields[RAS_CDT_META_STATUS].of, &run->status, RAS_CDT_PYTHON, out,
                    problem))
        return false;
    frida_put_key(out, "creature_pool");
    out_bytes(out, run->pool.at, run->pool.len);
    frida_put_key(out, "ticks");
    frida_put_array(out, run->ticks);
    return true;
}
