/* crd_replay.c - a replay as records: run, result, then each tick with its inputs and commands.
 *
 * Members that the layout does not have, and all members of versions whose layout is not known, are
 * delivered as MessagePack of any shape: `member`, and an `item` for each element of an array. */
#include "codec/sha256.h"
#include "core/msgpack_cells.h"
#include "formats/crd/crd_driver.h"

enum { RUN = RAS_SCHEMA_GAP + 1, RESULT, COMMAND, TICK, INPUT, MEMBER, ITEM };

enum { INPUT_COUNT, COMMAND_COUNT, TICK_FIELDS };
static const struct ras_field tick_fields[TICK_FIELDS] = {
    [INPUT_COUNT] = {"input_count", RAS_UINT, 32, 0},
    [COMMAND_COUNT] = {"command_count", RAS_UINT, 32, 0},
};
static const struct ras_schema tick_schema = {"tick", tick_fields, TICK_FIELDS, 0};

enum { PLAYER, AXES, FLAGS = AXES + CRD_AXES, INPUT_FIELDS };
static const struct ras_field input_fields[INPUT_FIELDS] = {
    [PLAYER] = {"player_index", RAS_UINT, 32, 0}, [AXES] = {"move_x", RAS_F64, 64, RAS_NULLABLE},
    {"move_y", RAS_F64, 64, RAS_NULLABLE},        {"aim_x", RAS_F64, 64, RAS_NULLABLE},
    {"aim_y", RAS_F64, 64, RAS_NULLABLE},         [FLAGS] = {"flags", RAS_INT, 64, RAS_NULLABLE},
};
static const struct ras_schema input_schema = {"input", input_fields, INPUT_FIELDS, RAS_CHILD};

enum { VALUE, ITEM_COUNT, MEMBER_FIELDS };
static const struct ras_field member_fields[MEMBER_FIELDS] = {
    [VALUE] = {"value", RAS_MAP, 0, 0}, /* of one key: the member's */
    [ITEM_COUNT] = {"item_count", RAS_UINT, 32, RAS_NULLABLE},
};
static const struct ras_schema member_schema = {"member", member_fields, MEMBER_FIELDS, 0};

enum { INDEX, ELEMENT, ITEM_FIELDS };
static const struct ras_field item_fields[ITEM_FIELDS] = {
    [INDEX] = {"index", RAS_UINT, 32, 0}, [ELEMENT] = {"element", RAS_LIST, 0, 0}, /* of one value
                                                                                    */
};
static const struct ras_schema item_schema = {"item", item_fields, ITEM_FIELDS, RAS_CHILD};

/* ---- open --------------------------------------------------------------- */

static bool fact_of(struct ras_trace *t, const char *key, struct ras_bytes map, const char *name)
{
    struct ras_bytes value = crd_find(map, name), text;
    struct msgpack in = msgpack_bytes(value);
    int64_t number;
    if (crd_int(value, &number))
        return fact_int(t, key, number);
    return !value.len || !msgpack_str(&in, &text) || fact_str(t, key, text.at, text.len);
}

static bool fact_quest(struct ras_trace *t, struct ras_bytes level)
{
    int64_t major, minor;
    char text[48];
    if (!crd_int(crd_find(level, "major"), &major) || !crd_int(crd_find(level, "minor"), &minor))
        return true;
    snprintf(text, sizeof text, "%" PRId64 ".%" PRId64, major, minor);
    return fact_str(t, "quest_level", text, strlen(text));
}

/* The SHA-256 of the content identifies the run. */
static bool fact_content(struct ras_trace *t, struct ras_bytes all)
{
    uint8_t digest[SHA256_SIZE];
    char hex[2 * SHA256_SIZE + 1];
    struct msgpack in = msgpack_bytes(all);
    if (source_growing(t->source) || all.len > CRD_CONTENT_MOST || !msgpack_skip(&in) ||
        msgpack_left(&in))
        return true;
    struct sha256 sha = sha256_start();
    sha256_add(&sha, all.at, all.len);
    sha256_end(&sha, digest);
    for (size_t i = 0; i < SHA256_SIZE; i++)
        snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    return fact_str(t, "content_sha256", hex, 2 * SHA256_SIZE);
}

static bool replay_facts(struct ras_trace *t, struct ras_bytes all)
{
    static const char *const of_run[] = {"game_mode_id", "seed", "player_count", NULL};
    static const char *const of_result[] = {"outcome", "elapsed_ms", "kills", NULL};
    struct ras_bytes run = crd_find(all, "run"), result = crd_find(all, "result");
    bool ok = fact_of(t, "game_version", all, "game_version");
    for (size_t i = 0; ok && of_run[i]; i++)
        ok = fact_of(t, of_run[i], run, of_run[i]);
    ok = ok && fact_quest(t, crd_find(run, "quest_level"));
    for (size_t i = 0; ok && of_result[i]; i++)
        ok = fact_of(t, of_result[i], result, of_result[i]);
    return ok && fact_content(t, all);
}

static bool add_schemas(struct ras_trace *t, struct crd *crd)
{
    const struct crd_layout *layout = crd->layout ? crd->layout : crd_layout_of(CRD_VERSION);
    crd_schema_fill(crd, &crd->schemas[0], layout->run, 0);
    crd_schema_fill(crd, &crd->schemas[1], layout->result, 0);
    crd_schema_fill(crd, &crd->schemas[2], &crd_command, RAS_CHILD);
    for (size_t i = 0; i < 3; i++)
        if (schema_add(t, &crd->schemas[i].schema) < 0)
            return false;
    return schema_add(t, &tick_schema) == TICK && schema_add(t, &input_schema) == INPUT &&
           schema_add(t, &member_schema) == MEMBER && schema_add(t, &item_schema) == ITEM;
}

int crd_replay_open(struct ras_trace *t, struct ras_error *err)
{
    struct crd *crd = t->priv;
    struct ras_bytes all = source_arrived(t->source, 0);
    struct msgpack in = msgpack_bytes(all);
    uint64_t pairs, version;
    bool there = msgpack_map(&in, &pairs) && MSGPACK_KEY(&in, "format_version");
    const uint8_t *value = in.at;
    if (!there || !msgpack_u64(&in, &version))
        return in.fault == MSGPACK_SHORT || in.at == in.end
                   ? fail(err, RAS_ECUT, all.len, "ends before its format_version")
                   : fail(err, RAS_EFORMAT, (uint64_t)(value - all.at),
                          "format_version is not a number");
    t->dialect = "replay";
    t->version = version;
    t->body = 0;
    crd->layout = crd_layout_of(version);
    if (!crd->layout)
        note_add(t,
                 "format version %" PRIu64 ": its layout is not known; members are shown untyped",
                 version);
    return add_schemas(t, crd) && replay_facts(t, all) ? RAS_OK : fail_memory(err);
}

/* ---- rows of a tick --------------------------------------------------------------- */

static void fill_record(struct ras_cursor *c, const struct crd_cursor *s, uint32_t schema,
                        const uint8_t *start, const uint8_t *end)
{
    bool ticks = schema == TICK || schema == INPUT || schema == COMMAND;
    bool child = schema == INPUT || schema == COMMAND || schema == ITEM;
    c->record = (struct ras_record){.tick = ticks ? s->item : 0,
                                    .flags = ticks ? RAS_HAS_TICK : 0,
                                    .parent = child ? s->parent : RAS_NONE,
                                    .offset = (uint64_t)(start - c->base),
                                    .schema = (uint16_t)schema,
                                    .raw = start,
                                    .raw_len = (uint32_t)(end - start)};
}

/* [move_x, move_y, aim_x, aim_y, flags] */
static bool put_input(struct ras_cursor *c, const struct view *view, uint32_t row,
                      struct ras_bytes bytes)
{
    struct msgpack in = msgpack_bytes(bytes);
    struct cells *to = &c->values;
    uint64_t count = 0;
    if (!cells_room(to, INPUT_FIELDS))
        return false;
    if (view_has(view, PLAYER))
        value_uint(to, PLAYER, 32, row);
    if (msgpack_peek(&in) != MSGPACK_ARRAY || !msgpack_array(&in, &count))
        count = 0;
    for (unsigned i = AXES; i < INPUT_FIELDS; i++) {
        const uint8_t *start = in.at;
        bool there = i - AXES < count && msgpack_skip(&in);
        struct ras_bytes value = {start, there ? (size_t)(in.at - start) : 0};
        double real;
        int64_t number;
        uint64_t bits;
        if (!view_has(view, i))
            continue;
        if (i < FLAGS && crd_real(value, &real)) {
            memcpy(&bits, &real, sizeof bits);
            value_put(to, RAS_F64, 64, i, 0, bits);
        } else if (i == FLAGS && crd_int(value, &number)) {
            value_put(to, RAS_INT, 64, i, 0, (uint64_t)number);
        } else {
            value_null(to, i);
        }
    }
    return true;
}

/* The head of the array of commands, which follows the inputs; it was found there before. */
static void pass_head(struct ras_cursor *c)
{
    struct msgpack in = msgpack_bytes((struct ras_bytes){c->in.at, (size_t)in_left(&c->in)});
    uint64_t count;
    (void)msgpack_array(&in, &count);
    c->in.at = in.at;
}

static enum step next_row(struct ras_cursor *c, struct crd_cursor *s)
{
    const uint8_t *start = c->in.at;
    struct msgpack in = msgpack_bytes((struct ras_bytes){start, (size_t)in_left(&c->in)});
    if (!msgpack_skip(&in)) /* checked with its tick: the file shrank or changed */
        return damaged(c, cursor_offset(c), "the tick changed while it was read");
    bool input = s->inputs;
    struct ras_bytes bytes = {start, (size_t)(in.at - start)};
    fill_record(c, s, input ? INPUT : COMMAND, start, in.at);
    c->in.at = in.at;
    const struct view *view = cursor_view(c, c->record.schema);
    bool ok = !view->values || (input ? put_input(c, view, s->row, bytes)
                                      : crd_values_put(&c->values, view, &crd_command, bytes));
    s->row++;
    if (input && !--s->inputs)
        pass_head(c);
    else if (!input)
        s->commands--;
    if (!s->inputs && !s->commands)
        s->item++;
    return ok ? STEP_RECORD : STEP_NOMEM;
}

/* ---- elements of an array --------------------------------------------------------------- */

/* [[input, ...], [command, ...]]; where the first input is. */
static bool split_tick(struct ras_bytes bytes, uint64_t *inputs, uint64_t *commands,
                       const uint8_t **first)
{
    struct msgpack in = msgpack_bytes(bytes);
    uint64_t count;
    if (msgpack_peek(&in) != MSGPACK_ARRAY || !msgpack_array(&in, &count) || count != 2 ||
        msgpack_peek(&in) != MSGPACK_ARRAY || !msgpack_array(&in, inputs))
        return false;
    *first = in.at;
    for (uint64_t i = 0; i < *inputs; i++)
        if (!msgpack_skip(&in))
            return false;
    return msgpack_peek(&in) == MSGPACK_ARRAY && msgpack_array(&in, commands);
}

static enum step next_tick(struct ras_cursor *c, struct crd_cursor *s, struct ras_bytes bytes)
{
    uint64_t inputs, commands;
    const uint8_t *first;
    if (!split_tick(bytes, &inputs, &commands, &first)) {
        uint64_t offset = cursor_offset(c);
        c->in.at += bytes.len;
        return gap_record(c, offset, bytes.len, 1, "tick %" PRIu32 " is not [inputs, commands]",
                          s->item++);
    }
    bool skip = !c->plain && !cursor_view(c, INPUT)->wanted && !cursor_view(c, COMMAND)->wanted;
    fill_record(c, s, TICK, bytes.at, bytes.at + bytes.len);
    c->unshown = skip ? inputs + commands : 0;
    c->in.at = skip ? bytes.at + bytes.len : first;
    s->parent = c->seq;
    s->inputs = skip ? 0 : (uint32_t)inputs;
    s->commands = skip ? 0 : (uint32_t)commands;
    s->row = 0;
    if (!skip && !inputs)
        pass_head(c);
    if (!s->inputs && !s->commands)
        s->item++;
    const struct view *view = cursor_view(c, TICK);
    if (!view->values)
        return STEP_RECORD;
    if (!cells_room(&c->values, TICK_FIELDS))
        return STEP_NOMEM;
    if (view_has(view, INPUT_COUNT))
        value_uint(&c->values, INPUT_COUNT, 32, inputs);
    if (view_has(view, COMMAND_COUNT))
        value_uint(&c->values, COMMAND_COUNT, 32, commands);
    return STEP_RECORD;
}

static enum step next_item(struct ras_cursor *c, struct crd_cursor *s, struct ras_bytes bytes)
{
    struct msgpack in = msgpack_bytes(bytes);
    fill_record(c, s, ITEM, bytes.at, bytes.at + bytes.len);
    c->in.at += bytes.len;
    uint32_t index = s->item++;
    const struct view *view = cursor_view(c, ITEM);
    if (!view->values)
        return STEP_RECORD;
    if (!cells_room(&c->values, 2))
        return STEP_NOMEM;
    if (view_has(view, INDEX))
        value_uint(&c->values, INDEX, 32, index);
    if (!view_has(view, ELEMENT))
        return STEP_RECORD;
    size_t open = c->values.count;
    value_put(&c->values, RAS_LIST, 0, ELEMENT, 0, 0);
    if (!cells_msgpack(&c->values, ELEMENT, &in, c->trace->limits.depth))
        return STEP_NOMEM;
    value_close(&c->values, open);
    return STEP_RECORD;
}

static enum step too_large(struct ras_cursor *c, const char *what, uint64_t size)
{
    return damaged(c, cursor_offset(c), "%s of %" PRIu64 " bytes exceeds the limit of %" PRIu64,
                   what, size, c->trace->limits.record_bytes);
}

static enum step next_element(struct ras_cursor *c, struct crd_cursor *s)
{
    const struct crd *crd = c->trace->priv;
    struct msgpack in = msgpack_bytes((struct ras_bytes){c->in.at, (size_t)in_left(&c->in)});
    const uint8_t *start = in.at;
    if (!msgpack_skip(&in))
        return crd_stop(c, &in, cursor_offset(c), "an element of an array");
    struct ras_bytes bytes = {start, (size_t)(in.at - start)};
    if (bytes.len > c->trace->limits.record_bytes || bytes.len > UINT32_MAX)
        return too_large(c, "an element", bytes.len);
    s->items--;
    return crd->layout ? next_tick(c, s, bytes) : next_item(c, s, bytes);
}

/* ---- members of the map --------------------------------------------------------------- */

/* The head of an array or a map, whose count may be of more items than there are bytes yet. */
static bool take_head(struct in *in, uint8_t fixed, uint8_t wide, uint32_t *count)
{
    uint8_t head = in_u8(in);
    if ((head & 0xf0) == fixed) {
        *count = head & 15;
        return true;
    }
    unsigned bytes = head == wide ? 2 : 4;
    if (head != wide && head != wide + 1)
        return false;
    const uint8_t *at = in_take(in, bytes);
    *count = 0;
    for (unsigned i = 0; at && i < bytes; i++)
        *count = *count << 8 | at[i];
    return true;
}

enum { FIXED_ARRAY = 0x90, WIDE_ARRAY = 0xdc, FIXED_MAP = 0x80, WIDE_MAP = 0xde };

/* A member without a layout; `items`: it is an array, whose elements are records of their own. */
static enum step put_member(struct ras_cursor *c, struct crd_cursor *s, const uint8_t *start,
                            struct ras_bytes key, struct ras_bytes value, bool items)
{
    struct msgpack name = msgpack_bytes(key), in = msgpack_bytes(value);
    fill_record(c, s, MEMBER, start, value.at + value.len);
    s->parent = c->seq;
    const struct view *view = cursor_view(c, MEMBER);
    if (!view->values)
        return STEP_RECORD;
    if (!cells_room(&c->values, 4))
        return STEP_NOMEM;
    size_t open = c->values.count;
    if (view_has(view, VALUE)) {
        value_put(&c->values, RAS_MAP, 0, VALUE, 0, 0);
        if (!cells_msgpack(&c->values, VALUE, &name, c->trace->limits.depth))
            return STEP_NOMEM;
        if (!cells_room(&c->values, 2))
            return STEP_NOMEM;
        if (items)
            value_null(&c->values, VALUE);
        else if (!cells_msgpack(&c->values, VALUE, &in, c->trace->limits.depth))
            return STEP_NOMEM;
        value_close(&c->values, open);
    }
    if (!cells_room(&c->values, 1))
        return STEP_NOMEM;
    if (view_has(view, ITEM_COUNT))
        value_put(&c->values, items ? RAS_UINT : RAS_NULL, 32, ITEM_COUNT, 0, s->items);
    return STEP_RECORD;
}

/* `run` or `result`. */
static enum step put_struct(struct ras_cursor *c, const struct crd_cursor *s, uint32_t schema,
                            const struct crd_map *map, struct ras_bytes value)
{
    fill_record(c, s, schema, value.at, value.at + value.len);
    const struct view *view = cursor_view(c, schema);
    return !view->values || crd_values_put(&c->values, view, map, value) ? STEP_RECORD : STEP_NOMEM;
}

/* A member that is an array: its elements follow. */
static enum step enter_array(struct ras_cursor *c, struct crd_cursor *s, const uint8_t *start,
                             struct ras_bytes key)
{
    const struct crd *crd = c->trace->priv;
    const uint8_t *head = c->in.at;
    if (!take_head(&c->in, FIXED_ARRAY, WIDE_ARRAY, &s->items) || c->in.cut)
        return cut(c, "ends inside the head of an array");
    s->item = 0;
    s->pairs--;
    if (crd->layout)
        return STEP_END; /* go on with its first element */
    return put_member(c, s, start, key, (struct ras_bytes){head, (size_t)(c->in.at - head)}, true);
}

/* Facts of the trace, and not records. */
static bool is_fact(struct ras_bytes key)
{
    struct msgpack in = msgpack_bytes(key);
    return MSGPACK_KEY(&in, "format_version") || MSGPACK_KEY(&in, "game_version");
}

static bool key_is(struct ras_bytes key, const char *name)
{
    struct msgpack in = msgpack_bytes(key);
    return msgpack_key_is(&in, name, strlen(name));
}

/* One member; STEP_END: go on, there was nothing to show. */
static enum step next_member(struct ras_cursor *c, struct crd_cursor *s)
{
    const struct crd_layout *layout = ((const struct crd *)c->trace->priv)->layout;
    uint64_t offset = cursor_offset(c);
    struct msgpack in = msgpack_bytes((struct ras_bytes){c->in.at, (size_t)in_left(&c->in)});
    const uint8_t *start = in.at;
    if (!msgpack_skip(&in))
        return crd_stop(c, &in, offset, "a key");
    struct ras_bytes key = {start, (size_t)(in.at - start)};
    bool array = msgpack_peek(&in) == MSGPACK_ARRAY;
    if (array && (!layout || key_is(key, "ticks"))) {
        c->in.at = in.at;
        return enter_array(c, s, start, key);
    }
    const uint8_t *at = in.at;
    if (!msgpack_skip(&in))
        return crd_stop(c, &in, offset, "a member");
    struct ras_bytes value = {at, (size_t)(in.at - at)};
    if (value.len > c->trace->limits.record_bytes || value.len > UINT32_MAX - key.len)
        return too_large(c, "a member", value.len);
    c->in.at = in.at;
    s->pairs--;
    if (is_fact(key))
        return STEP_END;
    if (layout && key_is(key, "run"))
        return put_struct(c, s, RUN, layout->run, value);
    if (layout && key_is(key, "result"))
        return put_struct(c, s, RESULT, layout->result, value);
    return put_member(c, s, start, key, value, false);
}

static enum step end_of_map(struct ras_cursor *c)
{
    c->sealed = true;
    if (in_left(&c->in))
        return damaged(c, cursor_offset(c), "%" PRIu64 " bytes follow the replay", in_left(&c->in));
    return STEP_END;
}

enum step crd_replay_next(struct ras_cursor *c)
{
    struct crd_cursor *kept = c->priv, s = *kept;
    enum step step = STEP_END;
    if (!s.begun && !take_head(&c->in, FIXED_MAP, WIDE_MAP, &s.pairs))
        return damaged(c, 0, "the content is not a map");
    if (c->in.cut)
        return cut(c, "ends inside its first bytes");
    s.begun = true;
    if (s.inputs || s.commands) {
        step = next_row(c, &s);
    } else {
        while (step == STEP_END && (s.items || s.pairs))
            step = s.items ? next_element(c, &s) : next_member(c, &s);
        if (step == STEP_END)
            step = end_of_map(c);
    }
    if (step == STEP_RECORD)
        *kept = s; /* a step without a record has no effect */
    return step;
}
