/* cdt_generic.c - ticks of schema versions other than 12, as msgpack values.
 *
 * The container is the same, the structs are unknown. A tick is delivered with the members that
 * every version so far has; its other members are a map. */
#include "core/msgpack_cells.h"
#include "formats/cdt/cdt_driver.h"

enum { TICK_INDEX, ELAPSED_MS, DT_MS_I32, MODE_ID, CHANNELS, OTHERS, FIELDS };

static const struct ras_field fields[FIELDS] = {
    [TICK_INDEX] = {"tick_index", RAS_INT, 64, RAS_NULLABLE | RAS_REPEATS},
    [ELAPSED_MS] = {"elapsed_ms", RAS_INT, 64, RAS_NULLABLE},
    [DT_MS_I32] = {"dt_ms_i32", RAS_INT, 64, RAS_NULLABLE},
    [MODE_ID] = {"mode_id", RAS_INT, 64, RAS_NULLABLE},
    [CHANNELS] = {"channels", RAS_MAP, 0, RAS_NULLABLE},
    [OTHERS] = {"others", RAS_MAP, 0, RAS_NULLABLE},
};

const struct ras_schema cdt_generic_schema = {"tick", fields, FIELDS, 0};

bool cdt_generic_load(struct cdt_cursor *p, struct ras_bytes payload, const char **why)
{
    struct msgpack in = msgpack_bytes(payload);
    uint64_t count, ticks;
    bool found = false;
    *why = "the payload is not a map with an array 'ticks'";
    if (!msgpack_map(&in, &count))
        return false;
    while (count-- && in.fault == MSGPACK_FINE) {
        bool here = MSGPACK_KEY(&in, "ticks");
        if (!here && !msgpack_skip(&in))
            break;
        const uint8_t *start = in.at;
        if (here && msgpack_array(&in, &ticks)) {
            start = in.at;
            for (uint64_t i = 0; i < ticks && msgpack_peek(&in) == MSGPACK_MAP; i++)
                msgpack_skip(&in);
            p->ticks = (struct ras_bytes){start, (size_t)(in.at - start)};
            p->tick_count = ticks;
            p->generic_index = p->generic_at = 0;
            found = true;
        } else if (!msgpack_skip(&in)) {
            break;
        }
    }
    if (in.fault != MSGPACK_FINE)
        *why = in.why;
    return found && in.fault == MSGPACK_FINE && !msgpack_left(&in);
}

/* ---- values ------------------------------------------------------------- */

/* Where each of the known members is in a tick; the last entry is for all others. */
struct members {
    struct ras_bytes at[OTHERS];
    uint64_t others;
};

static unsigned member_of(struct msgpack *in)
{
    for (unsigned i = 0; i < OTHERS; i++)
        if (msgpack_key_is(in, fields[i].name, strlen(fields[i].name)))
            return i;
    msgpack_skip(in);
    return OTHERS;
}

static struct members split(struct ras_bytes tick)
{
    struct members m = {0};
    struct msgpack in = msgpack_bytes(tick);
    uint64_t count = 0;
    (void)msgpack_map(&in, &count);
    while (count--) {
        unsigned i = member_of(&in);
        const uint8_t *start = in.at;
        msgpack_skip(&in);
        if (i < OTHERS)
            m.at[i] = (struct ras_bytes){start, (size_t)(in.at - start)};
        else
            m.others++;
    }
    return m;
}

static bool put_others(struct ras_cursor *c, struct ras_bytes tick, uint64_t others)
{
    struct msgpack in = msgpack_bytes(tick);
    uint64_t count = 0;
    if (!cells_room(&c->values, 1))
        return false;
    if (!others) {
        value_null(&c->values, OTHERS);
        return true;
    }
    size_t cell = c->values.count;
    value_put(&c->values, RAS_MAP, 0, OTHERS, 0, 0);
    (void)msgpack_map(&in, &count);
    while (count--) {
        struct msgpack key = in;
        bool ok = true;
        if (member_of(&in) < OTHERS)
            msgpack_skip(&in);
        else
            ok = cells_msgpack(&c->values, OTHERS, &key, c->trace->limits.depth) &&
                 cells_msgpack(&c->values, OTHERS, &in, c->trace->limits.depth);
        if (!ok)
            return false;
    }
    value_close(&c->values, cell);
    return true;
}

static bool put_generic_values(struct ras_cursor *c, const struct view *view, struct ras_bytes tick,
                               const struct members *m)
{
    for (unsigned i = 0; i < OTHERS; i++) {
        struct msgpack in = msgpack_bytes(m->at[i]);
        if (!view_has(view, i))
            continue;
        if (!cells_room(&c->values, 1))
            return false;
        if (!m->at[i].at)
            value_null(&c->values, i);
        else if (!cells_msgpack(&c->values, i, &in, c->trace->limits.depth))
            return false;
    }
    return !view_has(view, OTHERS) || put_others(c, tick, m->others);
}

static bool member_int(const struct members *m, unsigned i, uint64_t *value)
{
    struct msgpack in = msgpack_bytes(m->at[i]);
    return m->at[i].at && msgpack_u64(&in, value);
}

/* The tick at the cursor's place. Ticks are found by skipping from one to the next. */
static struct ras_bytes tick_here(struct cdt_cursor *p)
{
    if (p->place.tick < p->generic_index)
        p->generic_index = p->generic_at = 0;
    struct msgpack in = msgpack_bytes(p->ticks);
    in.at += p->generic_at;
    for (; p->generic_index < p->place.tick; p->generic_index++)
        msgpack_skip(&in);
    const uint8_t *start = in.at;
    p->generic_at = msgpack_offset(&in);
    msgpack_skip(&in);
    return (struct ras_bytes){start, (size_t)(in.at - start)};
}

enum step cdt_generic_tick(struct ras_cursor *c)
{
    struct cdt_cursor *p = c->priv;
    struct ras_bytes raw = tick_here(p);
    struct members m = split(raw);
    uint64_t tick = 0, elapsed_ms = 0;
    bool has_tick = member_int(&m, TICK_INDEX, &tick);
    bool has_time = member_int(&m, ELAPSED_MS, &elapsed_ms) && elapsed_ms <= UINT64_MAX / 1000000;
    c->record = (struct ras_record){
        .tick = tick,
        .time_ns = has_time ? elapsed_ms * 1000000 : 0,
        .flags = (uint16_t)((has_tick ? RAS_HAS_TICK : 0) | (has_time ? RAS_HAS_TIME : 0)),
        .parent = RAS_NONE,
        .offset = p->chunk_at,
        .schema = RAS_SCHEMA_GAP + 1,
        .raw = raw.at,
        .raw_len = (uint32_t)raw.len};
    const struct view *view = cursor_view(c, c->record.schema);
    if (view->values && !put_generic_values(c, view, raw, &m))
        return STEP_NOMEM;
    if (++p->place.tick == p->tick_count) {
        p->loaded = false;
        c->in.at = c->base + p->chunk_end;
    }
    return STEP_RECORD;
}
