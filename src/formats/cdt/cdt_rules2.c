/* cdt_rules2.c - what must hold in META and in a tick of container 2, in the order and the words of
 * its reference reader. */
#include "codec/crc32.h"
#include "formats/cdt/cdt_strict.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

/* ---- META -------------------------------------------------------------------------------- */

static bool is_digest(struct ras_bytes text, bool given)
{
    bool good = given && text.len == 64;
    for (size_t i = 0; good && i < text.len; i++) {
        uint8_t c = text.at[i];
        good = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    }
    return good;
}

static bool level_number(const uint8_t *at, size_t length, int64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < length; i++) {
        if (at[i] < '0' || at[i] > '9' || *value > INT32_MAX)
            return false;
        *value = 10 * *value + (at[i] - '0');
    }
    return length;
}

static bool quest_rules(const struct ras_cdt_trace_source *s, struct cdt_text *t)
{
    bool major = ras_cdt_has(&s->node, RAS_CDT_SOURCE_QUEST_STAGE_MAJOR);
    bool minor = ras_cdt_has(&s->node, RAS_CDT_SOURCE_QUEST_STAGE_MINOR);
    int64_t first, second;
    if (!ras_cdt_has(&s->node, RAS_CDT_SOURCE_QUEST_LEVEL)) {
        if (major || minor)
            return cdt_breaks(t, "trace source quest stage fields require quest_level");
        return s->mode_id != 3 || cdt_breaks(t, "quest trace source requires quest_level");
    }
    if (s->mode_id != 3)
        return cdt_breaks(t, "non-quest trace source must not set quest_level");
    const uint8_t *dot =
        s->quest_level.len ? memchr(s->quest_level.at, '.', s->quest_level.len) : NULL;
    size_t before = dot ? (size_t)(dot - s->quest_level.at) : 0;
    if (!dot || !level_number(s->quest_level.at, before, &first) ||
        !level_number(dot + 1, s->quest_level.len - before - 1, &second))
        return cdt_breaks(t, "trace source.quest_level must use M.m form");
    return (major && minor && s->quest_stage_major == first && s->quest_stage_minor == second) ||
           cdt_breaks(t, "trace source quest stage fields must match quest_level");
}

static bool source_rules(const struct ras_cdt_trace_source *s, struct cdt_text *t)
{
    const struct ras_cdt_node *n = &s->node;
    if (!ras_cdt_has(n, RAS_CDT_SOURCE_KIND) ||
        (!cdt_text_is(s->kind, "capture") && !cdt_text_is(s->kind, "replay")))
        return cdt_breaks(t, "trace source.kind must be 'capture' or 'replay'");
    if (!is_digest(s->sha256, ras_cdt_has(n, RAS_CDT_SOURCE_SHA256)))
        return cdt_breaks(t, "trace source.sha256 must be a sha256 hex digest");
    if (!is_digest(s->replay_sha256, ras_cdt_has(n, RAS_CDT_SOURCE_REPLAY_SHA256)))
        return cdt_breaks(t, "trace source.replay_sha256 must be a sha256 hex digest");
    if (!ras_cdt_has(n, RAS_CDT_SOURCE_TICK_RATE) || s->tick_rate <= 0)
        return cdt_breaks(t, "trace source.tick_rate must be positive");
    if (!ras_cdt_has(n, RAS_CDT_SOURCE_PLAYER_COUNT) || s->player_count <= 0)
        return cdt_breaks(t, "trace source.player_count must be positive");
    if (!ras_cdt_has(n, RAS_CDT_SOURCE_SEED) || s->seed < 0 || s->seed > UINT32_MAX)
        return cdt_breaks(t, "trace source.seed must be a uint32");
    if (!ras_cdt_has(n, RAS_CDT_SOURCE_MODE_ID) || s->mode_id < 0)
        return cdt_breaks(t, "trace source.mode_id must be non-negative");
    return quest_rules(s, t);
}

bool cdt_meta_rules(const struct cdt_meta *m, struct cdt_text *t)
{
    const struct ras_cdt_trace_meta *meta = &m->meta;
    const struct {
        const char *name;
        const struct ras_bytes *text;
    } producer[] = {{"impl", &meta->producer.impl},
                    {"impl_version", &meta->producer.impl_version},
                    {"platform", &meta->producer.platform},
                    {"arch", &meta->producer.arch}};
    if (meta->trace_format_version != m->model->container)
        return cdt_breaks(
            t, "unsupported trace format version in metadata: %" PRId64 " (expected: %" PRIu32 ")",
            meta->trace_format_version, m->model->container);
    if (!m->typed) /* which schema a reader expects is its own; 20 is that of the stored one */
        return cdt_breaks(
            t, "unsupported trace schema version in metadata: %" PRId64 " (expected: %" PRId64 ")",
            meta->trace_schema_version, cdt_model_20.schema);
    if (!meta->created_utc.len)
        return cdt_breaks(t, "trace created_utc must be non-empty");
    for (size_t i = 0; i < sizeof producer / sizeof *producer; i++)
        if (!producer[i].text->len)
            return cdt_breaks(t, "trace producer.%s must be non-empty", producer[i].name);
    return source_rules(&meta->source, t);
}

/* ---- a tick ------------------------------------------------------------------------------ */

struct subject {
    const struct cdt_model *model;
    const struct ras_cdt_tick_record *tick;
    const struct ras_cdt_trace_source *source;
    size_t players;
    struct cdt_text *text;
};

/* Texts about a tick begin with its number. */
#define BREAKS(s, ...)                                                                             \
    (cdt_breaks((s)->text, "tick %" PRId64 ": ", (s)->tick->tick_index), rest((s), __VA_ARGS__))

__attribute__((format(printf, 2, 3))) static bool rest(const struct subject *s, const char *fmt,
                                                       ...)
{
    size_t before = strlen(s->text->text);
    va_list args;
    va_start(args, fmt);
    vsnprintf(s->text->text + before, sizeof s->text->text - before, fmt, args);
    va_end(args);
    return false;
}

static bool is_f32(double v)
{
    return (double)(float)v == v;
}

static bool record_rules(const struct subject *s)
{
    const struct ras_cdt_tick_record *t = s->tick;
    const struct {
        const char *name;
        int64_t value;
    } numbers[] = {
        {"elapsed_ms", t->elapsed_ms}, {"dt_ms_i32", t->dt_ms_i32}, {"mode_id", t->mode_id}};
    if (t->tick_index < 0)
        return cdt_breaks(s->text, "tick_index must be >= 0, got %" PRId64, t->tick_index);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].value < 0)
            return BREAKS(s, "%s must be >= 0", numbers[i].name);
    return true;
}

/* The bits of an input: which it may have, and which need another. */
static const char *flags_fault(int64_t value)
{
    enum { KNOWN = 0xfffff, KEYS = 8, KEY_VALUES = 0xf0, MODE = 0x100, AIM = 0x1000 };
    unsigned v = (unsigned)value, mode = v >> 9 & 7, aim = v >> 13 & 7;
    if (value < 0 || value > UINT32_MAX || value & ~(int64_t)KNOWN)
        return "contain unsupported bits";
    if (!(v & KEYS) && v & KEY_VALUES)
        return "set movement-key values without MOVE_KEYS_PRESENT";
    if (!(v & MODE) && mode)
        return "set a movement mode without MOVE_MODE_PRESENT";
    if (v & MODE && mode > 5)
        return "contain an invalid movement mode";
    if (!(v & AIM) && aim)
        return "set an aim scheme without AIM_SCHEME_PRESENT";
    return v & AIM && aim == 6 ? "contain an invalid aim scheme" : NULL;
}

static bool input_rules(const struct subject *s, size_t i)
{
    const struct ras_cdt_replay_input_sample *in = &s->tick->channels.replay_step.inputs.at[i];
    const struct {
        const char *name;
        double value;
    } axes[] = {
        {"move_x", in->move_x}, {"move_y", in->move_y}, {"aim_x", in->aim_x}, {"aim_y", in->aim_y}};
    for (size_t k = 0; k < sizeof axes / sizeof *axes; k++) {
        if (!isfinite(axes[k].value))
            return BREAKS(s, "replay_step.inputs[%zu].%s must be finite", i, axes[k].name);
        if (!is_f32(axes[k].value))
            return BREAKS(s, "replay_step.inputs[%zu].%s must be canonical f32", i, axes[k].name);
    }
    const char *fault = flags_fault(in->flags);
    return !fault || BREAKS(s, "replay_step.inputs[%zu].flags %s", i, fault);
}

static bool operation_rules(const struct subject *s, const char *part, size_t i,
                            const struct ras_cdt_replay_operation *o)
{
    if (cdt_text_is(o->type, "game_frame_rng_advance"))
        return o->frames > 0 || BREAKS(s, "replay_step.%s[%zu].frames must be > 0", part, i);
    if (o->player_index < 0 || (uint64_t)o->player_index >= s->players)
        return BREAKS(s, "replay_step.%s[%zu].player_index=%" PRId64 " is out of range", part, i,
                      o->player_index);
    if (cdt_text_is(o->type, "perk_pick") && (o->choice_index < 0 || o->choice_index >= 7))
        return BREAKS(s, "replay_step.%s[%zu].choice_index must be in 0..6", part, i);
    bool typo = o->type.len > 5 && !memcmp(o->type.at, "typo_", 5);
    return !typo || s->tick->mode_id == 4 ||
           BREAKS(s, "replay_step.commands[%zu] Typ-o command requires Typ-o mode", i);
}

static bool step_rules(const struct subject *s)
{
    const struct ras_cdt_replay_step_snapshot *step = &s->tick->channels.replay_step;
    const struct {
        const char *name;
        const struct ras_cdt_replay_operation *at;
        size_t count;
    } parts[] = {{"prelude", step->prelude.at, step->prelude.count},
                 {"postlude", step->postlude.at, step->postlude.count},
                 {"commands", step->commands.at, step->commands.count}};
    if (!isfinite(step->dt) || step->dt < 0)
        return BREAKS(s, "replay_step.dt must be finite and >= 0");
    if (!is_f32(step->dt))
        return BREAKS(s, "replay_step.dt must be canonical f32");
    if (!s->players)
        return BREAKS(s, "replay_step.inputs must be non-empty");
    for (size_t i = 0; i < s->players; i++)
        if (!input_rules(s, i))
            return false;
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++)
        for (size_t i = 0; i < parts[p].count; i++)
            if (!operation_rules(s, parts[p].name, i, &parts[p].at[i]))
                return false;
    return true;
}

static const char *python_bool(bool value)
{
    return value ? "True" : "False";
}

/* Details of events belong into the evidence file. */
static bool event_rules(const struct subject *s)
{
    const struct ras_cdt_replay_checkpoint *c = &s->tick->channels.checkpoint;
    if (c->deaths.count)
        return BREAKS(s, "checkpoint.deaths must be empty; detailed rows belong in evidence");
    if (c->events.sfx_head.count)
        return BREAKS(s,
                      "checkpoint.events.sfx_head must be empty; detailed rows belong in evidence");
    if (c->events.sfx_count)
        return BREAKS(s,
                      "checkpoint.events.sfx_count must be zero; audio details belong in evidence");
    return !c->events.hit_head.count ||
           BREAKS(s, "checkpoint.events.hit_head must be empty; detailed rows belong in evidence");
}

static bool checkpoint_rules(const struct subject *s)
{
    const struct ras_cdt_tick_record *t = s->tick;
    const struct ras_cdt_replay_checkpoint *c = &t->channels.checkpoint;
    const struct ras_cdt_snapshot_gameplay *g = &t->channels.sim_state.gameplay;
    if (c->tick_index != t->tick_index)
        return BREAKS(s, "checkpoint.tick_index=%" PRId64 " does not match tick_index",
                      c->tick_index);
    if (c->elapsed_ms != t->elapsed_ms)
        return BREAKS(s, "checkpoint.elapsed_ms=%" PRId64 " does not match elapsed_ms=%" PRId64,
                      c->elapsed_ms, t->elapsed_ms);
    if (c->players.count != s->players)
        return BREAKS(s, "checkpoint.players has %zu rows, replay_step.inputs has %zu",
                      c->players.count, s->players);
    if (c->perk_pending != c->perk.pending_count || c->perk_pending != g->perk_pending_count)
        return BREAKS(
            s, "perk pending mismatch: checkpoint=%" PRId64 " perk=%" PRId64 " sim_state=%" PRId64,
            c->perk_pending, c->perk.pending_count, g->perk_pending_count);
    if (c->perk.choices_dirty != g->perk_choices_dirty)
        return BREAKS(s, "perk choices_dirty mismatch: checkpoint=%s sim_state=%s",
                      python_bool(c->perk.choices_dirty), python_bool(g->perk_choices_dirty));
    return event_rules(s);
}

static bool sim_rules(const struct subject *s)
{
    const struct ras_cdt_tick_record *t = s->tick;
    const struct ras_cdt_sim_state_snapshot *sim = &t->channels.sim_state;
    const struct ras_cdt_snapshot_gameplay *g = &sim->gameplay;
    if (sim->players.count != s->players)
        return BREAKS(s, "sim_state.players has %zu rows, replay_step.inputs has %zu",
                      sim->players.count, s->players);
    for (size_t i = 0; i < s->players; i++)
        if (sim->players.at[i].index != (int64_t)i)
            return BREAKS(s, "sim_state.players indices must be contiguous slots 0..%zu",
                          s->players - 1);
    if (g->mode_id != t->mode_id)
        return BREAKS(s, "sim_state.gameplay.mode_id=%" PRId64 " does not match mode_id=%" PRId64,
                      g->mode_id, t->mode_id);
    if (t->mode_id != 3)
        return (!g->quest_stage_major && !g->quest_stage_minor) ||
               BREAKS(s, "non-Quest canonical quest stage must be 0.0");
    return !s->source ||
           (g->quest_stage_major == s->source->quest_stage_major &&
            g->quest_stage_minor == s->source->quest_stage_minor) ||
           BREAKS(s, "canonical quest stage must match trace source");
}

static bool origin_rules(const struct subject *s)
{
    if (!s->source)
        return true;
    if (s->source->mode_id != s->tick->mode_id)
        return BREAKS(s, "mode_id=%" PRId64 " does not match trace source.mode_id=%" PRId64,
                      s->tick->mode_id, s->source->mode_id);
    return s->source->player_count == (int64_t)s->players ||
           BREAKS(s, "player count %zu does not match trace source.player_count=%" PRId64,
                  s->players, s->source->player_count);
}

static bool timing_rules(const struct subject *s)
{
    const struct ras_cdt_tick_record *t = s->tick;
    const struct ras_cdt_timing_sample_row *enter = NULL, *rows = t->channels.timing_samples.at;
    size_t count = t->channels.timing_samples.count, entered = 0;
    if (!count)
        return BREAKS(s, "timing_samples must be non-empty");
    for (size_t i = 0; i < count; i++) {
        if (rows[i].tick_index != t->tick_index)
            return BREAKS(s, "timing_samples[%zu].tick_index=%" PRId64 " does not match tick_index",
                          i, rows[i].tick_index);
        if (!rows[i].phase.len)
            return BREAKS(s, "timing_samples[%zu].phase must be non-empty", i);
        if (!cdt_text_is(rows[i].phase, "gpur_enter"))
            continue;
        enter = &rows[i];
        entered++;
    }
    if (entered != 1)
        return BREAKS(s, "timing_samples must contain exactly one gpur_enter row");
    if (!ras_cdt_has(&enter->node, RAS_CDT_TIMING_FRAME_DT_F32) ||
        enter->frame_dt_f32 != t->channels.replay_step.dt)
        return BREAKS(s, "gpur_enter.frame_dt_f32 must match replay_step.dt");
    return (ras_cdt_has(&enter->node, RAS_CDT_TIMING_FRAME_DT_MS_I32) &&
            enter->frame_dt_ms_i32 == t->dt_ms_i32) ||
           BREAKS(s, "gpur_enter.frame_dt_ms_i32 must match dt_ms_i32");
}

static bool rng_rules(const struct subject *s)
{
    const struct ras_cdt_rng_stream_row *rows = s->tick->channels.rng_stream.at;
    for (size_t i = 0; i < s->tick->channels.rng_stream.count; i++) {
        int64_t before = rows[i].state_before_u32, after = rows[i].state_after_u32;
        if (rows[i].tick_call_index != (int64_t)i + 1)
            return BREAKS(s, "rng_stream[%zu].tick_call_index=%" PRId64 " must equal %zu", i,
                          rows[i].tick_call_index, i + 1);
        if (before < 0 || before > UINT32_MAX || after < 0 || after > UINT32_MAX)
            return BREAKS(s, "rng_stream[%zu] states must be uint32", i);
        if (after != (uint32_t)before * 214013u + 2531011u)
            return BREAKS(s, "rng_stream[%zu] has an invalid CRT state transition", i);
        if (rows[i].value_15 != (after >> 16 & 0x7fff))
            return BREAKS(s, "rng_stream[%zu] value_15 does not match state_after_u32", i);
        if (i && before != rows[i - 1].state_after_u32)
            return BREAKS(s,
                          "rng_stream[%zu].state_before_u32=%" PRId64
                          " does not continue prior state %" PRId64,
                          i, before, rows[i - 1].state_after_u32);
    }
    return true;
}

/* ---- entities ---------------------------------------------------------------------------- */

/* The members that rows of all four pools start with. */
struct entity {
    struct ras_cdt_node node;
    int64_t uid, generation;
    struct ras_bytes pool_kind;
    int64_t index;
    bool active;
};
#define BEGINS(pool)                                                                               \
    _Static_assert(offsetof(struct ras_cdt_##pool##_entity_sample, active) ==                      \
                       offsetof(struct entity, active),                                            \
                   "rows of every pool start with the same members")
BEGINS(creature);
BEGINS(projectile);
BEGINS(secondary_projectile);
BEGINS(bonus);

static const char *const pool_names[] = {"creatures", "projectiles", "secondary_projectiles",
                                         "bonuses"};

static const struct entity *entity_at(const struct subject *s, unsigned pool, size_t i,
                                      size_t *count)
{
    const uint8_t *at = cdt_row_first(&cdt_rows[CDT_ROW_CREATURE + pool], s->tick, count);
    size_t size = s->model->rows[CDT_ROW_CREATURE + pool]->size;
    return (const struct entity *)(const void *)(at ? at + i * size : NULL);
}

/* The uid that pool, generation and slot give; -1: they are out of range. */
static int64_t identity(unsigned pool, const struct entity *e)
{
    if (e->index < 0 || e->index >= 1000000 || e->generation < 0 || e->generation >= 1000)
        return -1;
    return (pool + 1) * INT64_C(1000000000) + e->generation * INT64_C(1000000) + e->index;
}

/* Whether a uid is among the first rows of a pool; beyond PAIRS_MOST it is not searched for. */
static bool has_uid(const struct subject *s, unsigned pool, size_t rows, int64_t uid)
{
    enum { PAIRS_MOST = 4096 };
    size_t count;
    (void)entity_at(s, pool, 0, &count);
    for (size_t i = 0; i < rows && i < count && i < PAIRS_MOST; i++)
        if (entity_at(s, pool, i, &count)->uid == uid)
            return true;
    return false;
}

static bool uid_rules(const struct subject *s, unsigned pool, size_t count)
{
    size_t rows;
    for (size_t i = 1; i < count; i++)
        if (has_uid(s, pool, i, entity_at(s, pool, i, &rows)->uid))
            return BREAKS(s, "entity_samples.%s contains duplicate uids", pool_names[pool]);
    for (size_t i = 0; i < count; i++)
        for (unsigned other = 0; other < pool; other++) {
            int64_t uid = entity_at(s, pool, i, &rows)->uid;
            if (has_uid(s, other, SIZE_MAX, uid))
                return BREAKS(s, "entity_samples contains cross-pool duplicate uids: [%" PRId64 "]",
                              uid);
        }
    return true;
}

static bool entity_rules(const struct subject *s, unsigned pool, size_t i, const struct entity *e)
{
    const char *kind = cdt_rows[CDT_ROW_CREATURE + pool].name;
    int64_t uid = identity(pool, e);
    if (!cdt_text_is(e->pool_kind, kind))
        return BREAKS(s, "entity_samples.%s[%zu].pool_kind='%.*s' must be '%s'", pool_names[pool],
                      i, (int)(e->pool_kind.len < 64 ? e->pool_kind.len : 64),
                      (const char *)e->pool_kind.at, kind);
    if (!e->active)
        return BREAKS(s, "entity_samples.%s[%zu] must be active", pool_names[pool], i);
    if (uid < 0)
        return BREAKS(s, "entity_samples.%s[%zu] has invalid identity", pool_names[pool], i);
    return e->uid == uid ||
           BREAKS(s,
                  "entity_samples.%s[%zu].uid=%" PRId64 " does not match encoded identity %" PRId64,
                  pool_names[pool], i, e->uid, uid);
}

/* Uids that ascend and are the identities of their rows are not repeated. */
static bool pools_plain(const struct subject *s)
{
    size_t count = 0;
    for (unsigned pool = 0; pool < 4; pool++) {
        int64_t last = -1;
        (void)entity_at(s, pool, 0, &count);
        for (size_t i = 0; i < count; i++) {
            const struct entity *e = entity_at(s, pool, i, &count);
            if (e->uid <= last || e->uid != identity(pool, e) || !e->active ||
                !cdt_text_is(e->pool_kind, cdt_rows[CDT_ROW_CREATURE + pool].name))
                return false;
            last = e->uid;
        }
    }
    return true;
}

static bool pool_rules(const struct subject *s)
{
    size_t count = 0;
    if (pools_plain(s))
        return true;
    for (unsigned pool = 0; pool < 4; pool++) {
        (void)entity_at(s, pool, 0, &count);
        if (!uid_rules(s, pool, count))
            return false;
        for (size_t i = 0; i < count; i++)
            if (!entity_rules(s, pool, i, entity_at(s, pool, i, &count)))
                return false;
    }
    return true;
}

/* ---- floats ------------------------------------------------------------------------------ */

struct list {
    const uint8_t *at;
    size_t count;
};

static const char *float_fault(double v)
{
    if (!isfinite(v))
        return "must be finite";
    if (!isfinite((float)v))
        return "is outside the f32 range";
    return is_f32(v) ? NULL : "must be canonical f32";
}

static bool floats_hold(const struct cdt_struct *of, const uint8_t *at, struct cdt_problem *p);

static bool member_floats(const struct cdt_field *f, const uint8_t *at, struct cdt_problem *p)
{
    const struct list *list = (const struct list *)(const void *)at;
    if (f->type == CDT_STRUCT)
        return floats_hold(f->of, at, p);
    if (f->type == CDT_REAL) {
        const char *fault = float_fault(*(const double *)(const void *)at);
        snprintf(p->what, sizeof p->what, "%s", fault ? fault : "");
        return !fault;
    }
    for (size_t i = 0; f->type == CDT_LIST && i < list->count; i++)
        if (!floats_hold(f->of, list->at + i * f->of->size, p)) {
            cdt_problem_inside(p, "[%zu]", i);
            return false;
        }
    return true;
}

static bool floats_hold(const struct cdt_struct *of, const uint8_t *at, struct cdt_problem *p)
{
    const struct ras_cdt_node *node = (const struct ras_cdt_node *)(const void *)at;
    for (unsigned i = 0; i < of->count; i++) {
        const struct cdt_field *f = &of->fields[i];
        if (cdt_may_be_nil(f->need) && !ras_cdt_has(node, cdt_bit(f, i)))
            continue;
        if (!member_floats(f, at + f->offset, p)) {
            cdt_problem_inside(p, ".%s", f->name);
            return false;
        }
    }
    return true;
}

static bool float_rules(const struct subject *s)
{
    struct cdt_problem problem = {0};
    if (floats_hold(s->model->channels, (const uint8_t *)&s->tick->channels, &problem))
        return true;
    return cdt_breaks(s->text, "tick[%" PRId64 "].channels%s %s", s->tick->tick_index, problem.path,
                      problem.what);
}

enum cdt_topic cdt_tick_rules(const struct cdt_model *model, const struct ras_cdt_tick_record *tick,
                              const struct ras_cdt_trace_source *source, struct cdt_text *text)
{
    static const struct {
        bool (*rules)(const struct subject *);
        enum cdt_topic topic;
    } all[] = {{record_rules, CDT_ABOUT_TICK},
               {step_rules, CDT_ABOUT_STEP},
               {checkpoint_rules, CDT_ABOUT_CHECKPOINT},
               {sim_rules, CDT_ABOUT_SIM},
               {origin_rules, CDT_ABOUT_SOURCE},
               {timing_rules, CDT_ABOUT_TIMING},
               {rng_rules, CDT_ABOUT_RNG},
               {pool_rules, CDT_ABOUT_ENTITIES},
               {float_rules, CDT_ABOUT_FLOATS}};
    const struct subject s = {model, tick, source, tick->channels.replay_step.inputs.count, text};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!all[i].rules(&s))
            return all[i].topic;
    return CDT_OK;
}

uint32_t cdt_callers_crc(const struct ras_cdt_tick_record *tick)
{
    uint32_t crc = 0;
    for (size_t i = 0; i < tick->channels.rng_stream.count; i++) {
        const struct ras_cdt_rng_stream_row *r = &tick->channels.rng_stream.at[i];
        uint32_t caller =
            ras_cdt_has(&r->node, RAS_CDT_RNG_CALLER) ? (uint32_t)r->caller : UINT32_MAX;
        uint8_t bytes[4] = {(uint8_t)caller, (uint8_t)(caller >> 8), (uint8_t)(caller >> 16),
                            (uint8_t)(caller >> 24)};
        crc = crc32_update(crc, bytes, sizeof bytes);
    }
    return crc;
}
