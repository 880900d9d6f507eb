/* cdt_timeline.c - the state of a run as a timeline: counters of every tick, and deaths, hits and
 * bonuses that were picked up as instants. */
#include "formats/cdt/cdt_driver.h"
#include "ops/timeline/timeline_driver.h"

/* Records of these types are counted: all of them, or those whose field is true. */
static const struct counted {
    const char *type, *field, *name;
} counted[] = {
    {"creature", "active", "active creatures"},
    {"projectile", "active", "active projectiles"},
    {"secondary_projectile", "active", "active secondary projectiles"},
    {"bonus", "active", "active bonuses"},
    {"rng", NULL, "rng calls"},
};
/* Numbers of a record, each a counter. */
static const struct shown {
    const char *type, *field, *name;
} shown[] = {
    {"checkpoint", "creature_count", "creature_count"},
    {"checkpoint", "kills", "kills"},
    {"checkpoint", "score_xp", "score_xp"},
    {"tick", "dt_ms_i32", "dt_ms"},
};
enum {
    COUNTED = sizeof counted / sizeof *counted,
    SHOWN = sizeof shown / sizeof *shown,
    TRACK_EVENTS = 1,
    TRACK_TICKS,
    TRACK_COUNTED = 16,
    TRACK_SHOWN = 32,
    TRACK_HEALTH = 64,
};

struct cdt_timeline {
    uint64_t tick, time_ns;
    bool any;
    bool seen[COUNTED]; /* records of the type in this tick */
    uint64_t counts[COUNTED];
    unsigned players; /* of this tick, so far */
};

static uint32_t cdt_track(struct timeline *t, uint64_t id, enum timeline_kind kind,
                          const char *name)
{
    return timeline_track(t, &(struct timeline_place){.id = id,
                                                      .parent = TIMELINE_NONE,
                                                      .kind = kind,
                                                      .name = timeline_text(t, name, strlen(name)),
                                                      .number = RAS_NONE});
}

/* The tick is over: what was counted in it. A type that was seen before counts 0 from then on. */
static void put_counts(struct timeline *t, struct cdt_timeline *s)
{
    for (size_t i = 0; i < COUNTED; i++)
        if (s->any && s->seen[i]) {
            timeline_counter(t, cdt_track(t, TRACK_COUNTED + i, TIMELINE_COUNTER, counted[i].name),
                             s->time_ns, (int64_t)s->counts[i]);
            s->counts[i] = 0;
        }
}

static void put_counter_value(struct timeline *t, uint32_t track, uint64_t time_ns,
                              const struct ras_value *v)
{
    if (v && (v->kind == RAS_UINT || v->kind == RAS_INT))
        timeline_counter(t, track, time_ns, v->i);
    else if (v && v->kind == RAS_F64)
        timeline_counter_f64(t, track, time_ns, v->f64);
    else if (v && v->kind == RAS_F32)
        timeline_counter_f64(t, track, time_ns, (double)v->f32);
}

static void put_health(struct timeline *t, struct cdt_timeline *s, const struct ras_cursor *c)
{
    char name[40];
    snprintf(name, sizeof name, "health of player %u", s->players);
    put_counter_value(t, cdt_track(t, TRACK_HEALTH + s->players, TIMELINE_COUNTER, name),
                      s->time_ns, ras_value_of(c, "health"));
    s->players++;
}

static bool is_true(const struct ras_value *v)
{
    return v && v->kind == RAS_BOOL && v->u;
}

/* What happened in a tick. */
static void put_event(struct timeline *t, struct cdt_timeline *s, const struct ras_cursor *c,
                      const char *type)
{
    bool picked = !strcmp(type, "bonus") && is_true(ras_value_of(c, "picked"));
    if (!picked && strcmp(type, "death") != 0 && strcmp(type, "hit") != 0)
        return;
    /* One after the other: names and tracks are numbered in the order in which they come. */
    uint32_t category = timeline_word(t, "state");
    uint32_t name = timeline_word(t, picked ? "bonus picked" : type);
    uint32_t track = cdt_track(t, TRACK_EVENTS, TIMELINE_TRACK, "events");
    timeline_instant(t, track, s->time_ns, name, category);
    timeline_args(t, c, NULL);
}

/* A tick lasts until the next begins. */
static void put_tick(struct timeline *t, const struct cdt_timeline *s, const struct ras_record *r)
{
    uint32_t name = timeline_word(t, "tick");
    uint64_t next = r->tick < UINT64_MAX ? timeline_tick_ns(t, r->tick + 1) : s->time_ns;
    timeline_slice(t, cdt_track(t, TRACK_TICKS, TIMELINE_TRACK, "ticks"), s->time_ns,
                   next > s->time_ns ? next : s->time_ns, name, 0);
}

static void begin_tick(struct timeline *t, struct cdt_timeline *s, const struct ras_record *r)
{
    put_counts(t, s);
    s->any = true;
    s->tick = r->tick;
    s->players = 0;
    bool elapsed = timeline_is_even(t) && !timeline_has_rows(t) && r->flags & RAS_HAS_TIME;
    s->time_ns = elapsed ? r->time_ns : timeline_tick_ns(t, r->tick);
    if (timeline_has_rows(t))
        put_tick(t, s, r);
}

static int cdt_timeline_record(struct timeline *t, void *state, const struct ras_cursor *c,
                               const struct ras_record *r, struct ras_error *err)
{
    struct cdt_timeline *s = state;
    const char *type = ras_schema_of(c)->name;
    (void)err;
    if (!(r->flags & RAS_HAS_TICK)) {
        timeline_lost(t, "records without a tick", 1);
        return RAS_OK;
    }
    if (!s->any || r->tick != s->tick)
        begin_tick(t, s, r);
    for (size_t i = 0; i < SHOWN; i++)
        if (!strcmp(shown[i].type, type))
            put_counter_value(t, cdt_track(t, TRACK_SHOWN + i, TIMELINE_COUNTER, shown[i].name),
                              s->time_ns, ras_value_of(c, shown[i].field));
    for (size_t i = 0; i < COUNTED; i++)
        if (!strcmp(counted[i].type, type)) {
            s->seen[i] = true;
            s->counts[i] += !counted[i].field || is_true(ras_value_of(c, counted[i].field));
        }
    if (!strcmp(type, "player"))
        put_health(t, s, c);
    put_event(t, s, c, type);
    return RAS_OK;
}

static void cdt_timeline_stop(struct timeline *t, void *state)
{
    put_counts(t, state);
}

const struct timeline_ops cdt_timeline = {
    .group = "state (CDT)",
    .alone = ": ticks are drawn at their elapsed_ms, which is not measured",
    .state_size = sizeof(struct cdt_timeline),
    .fields = (const char *const[]){"active", "picked", "creature_count", "kills", "score_xp",
                                    "dt_ms_i32", "health", NULL},
    .record = cdt_timeline_record,
    .stop = cdt_timeline_stop,
};
