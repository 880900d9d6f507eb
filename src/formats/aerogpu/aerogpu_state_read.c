/* aerogpu_state_read.c - the commands up to the end of a slice, forwards: which object an id means
 * at each of them, and which targets are set.
 *
 * What the next frame depends on is little: what ids mean, the content of resources, the states
 * that are set. Whenever the remembered commands have doubled they are judged as if anything could
 * follow, and those that are not kept are forgotten: memory does not grow with the trace. */
#include "base/memory.h"
#include "core/format.h"
#include "formats/aerogpu/aerogpu_state.h"

/* ---- forgetting commands ------------------------------------------------------------- */

/* Free the places of objects and targets that no step names; numbers do not change. */
static void free_places(struct finder *f)
{
    const struct aero_state *st = f->state;
    for (size_t i = 0; i < f->target_count; i++)
        f->targets[i].used = i == 0 || i == f->target_now; /* packets draw on the first */
    for (size_t i = 0; i < f->object_count; i++)
        f->objects[i].unused = i > CANVAS;
    for (size_t i = 0; i < st->count; i++) {
        f->targets[st->steps[i].targets].used = true;
        f->objects[st->steps[i].object].unused = false;
    }
    for (size_t i = 0; i < f->target_count; i++)
        for (uint32_t k = 0; f->targets[i].used && k < TARGETS; k++)
            f->objects[f->targets[i].objects[k]].unused = false;
    for (size_t i = 0; i < f->object_count; i++) /* a base is not a view: it has no base itself */
        if (!f->objects[i].unused)
            f->objects[f->objects[i].base].unused = false;
    f->object_free = f->target_free = 0;
}

/* Forget the object that an id meant before a step that makes it again, if it is unused. */
static void forget_previous(struct finder *f)
{
    struct aero_state *st = f->state;
    for (size_t i = 0; i < st->count; i++)
        if (f->objects[st->steps[i].previous].unused)
            st->steps[i].previous = NO_OBJECT;
}

/* Keep only the ids of objects that are used. */
static void map_again(struct finder *f)
{
    struct aero_map ids = {0};
    for (uint32_t i = CANVAS + 1; i < f->object_count; i++) {
        const struct object *o = &f->objects[i];
        if (!o->unused && aero_map_get(&f->ids, o->key) == i)
            f->nomem |= !aero_map_set(&ids, o->key, i);
    }
    aero_map_free(&f->ids);
    f->ids = ids;
}

static void forget_steps(struct aero_state *st)
{
    size_t steps = 0, records = 0;
    uint32_t last = UINT32_MAX;
    for (size_t i = 0; i < st->count; i++) {
        struct aero_step s = st->steps[i];
        if (!s.kept)
            continue;
        if (s.record != last)
            st->records[records++] = st->records[last = s.record];
        s.record = (uint32_t)records - 1;
        st->steps[steps++] = s;
    }
    st->count = steps;
    st->record_count = records;
}

/* Leave out steps that no later command can need, and the objects, targets and records that only
 * they use. */
static void state_thin(struct finder *f)
{
    aero_state_judge(f, true);
    f->open = false;
    if (f->nomem)
        return;
    forget_steps(f->state);
    free_places(f);
    forget_previous(f);
    map_again(f);
    f->thin_at = f->state->count > THIN_LEAST / 2 ? 2 * f->state->count : THIN_LEAST;
}

/* ---- reading ------------------------------------------------------------------------- */

static uint32_t new_object(struct finder *f, uint64_t key)
{
    size_t at = f->object_free;
    while (at < f->object_count && !f->objects[at].unused)
        at++;
    if (at >= UINT32_MAX || !array_grow(&f->objects, &f->object_room, at + 1, sizeof *f->objects)) {
        f->nomem = true;
        return NO_OBJECT;
    }
    f->object_free = at + 1;
    f->object_count = at < f->object_count ? f->object_count : at + 1;
    f->objects[at] = (struct object){.key = key, .base = (uint32_t)at};
    return (uint32_t)at;
}

static struct targets *new_targets(struct finder *f)
{
    size_t at = f->target_free;
    while (at < f->target_count && f->targets[at].used)
        at++;
    if (!array_grow(&f->targets, &f->target_room, at + 1, sizeof *f->targets)) {
        f->nomem = true;
        return NULL;
    }
    f->target_free = at + 1;
    f->target_count = at < f->target_count ? f->target_count : at + 1;
    f->target_now = (uint32_t)at;
    return &f->targets[at];
}

static bool note_made(void *user, const struct aero_touched *t)
{
    struct finder *f = user;
    struct aero_step *s = f->step;
    uint64_t key = key_of(s->packet, t->kind, t->id);
    if (!t->makes)
        return true;
    s->previous = (uint32_t)aero_map_get(&f->ids, key);
    s->object = new_object(f, key);
    return !f->nomem && aero_map_set(&f->ids, key, s->object);
}

static void note_destroyed(struct finder *f, uint8_t kind, struct ras_bytes command)
{
    uint64_t key = key_of(false, kind, word(command, 0));
    f->step->object = (uint32_t)aero_map_get(&f->ids, key);
    if (f->step->object && !aero_map_set(&f->ids, key, NO_OBJECT))
        f->nomem = true;
}

static void note_targets(struct finder *f, struct ras_bytes command)
{
    struct targets *t = new_targets(f);
    uint32_t count = word(command, 0), depth = word(command, 4);
    if (!t)
        return;
    *t = (struct targets){.colors = count < TARGETS - 1 ? count : TARGETS - 1, .used = true};
    for (uint32_t i = 0; i < t->colors; i++)
        t->objects[i] = find_object(f, false, AERO_RESOURCE, word(command, 8 + 4 * (uint64_t)i));
    t->objects[TARGETS - 1] = find_object(f, false, AERO_RESOURCE, depth);
    for (uint32_t i = 0; i < TARGETS; i++)
        t->objects[i] = f->objects[t->objects[i]].base;
    if (!t->colors && !depth) {
        t->colors = 1;
        t->objects[0] = CANVAS;
    }
}

/* Record the effect of a command on objects, targets and names of shared surfaces. */
static void note_command(struct finder *f, struct ras_bytes command)
{
    struct aero_step *s = f->step;
    if (!aero_touched_each(s->packet, command, note_made, f))
        f->nomem = true;
    if (s->packet || f->nomem)
        return;
    struct object *o = &f->objects[s->object];
    switch (s->opcode) {
    case CREATE_TEXTURE:
        o->format = word(command, 8);
        o->single = word(command, 20) == 1 && word(command, 24) == 1;
        break;
    case CREATE_VIEW:
        o->base = f->objects[find_object(f, false, AERO_RESOURCE, word(command, 4))].base;
        break;
    case EXPORT: {
        uint32_t shared = find_object(f, false, AERO_RESOURCE, word(command, 0));
        f->nomem |= !aero_map_set(&f->tokens, wide(command, 8), f->objects[shared].base);
        break;
    }
    case IMPORT:
        o->base = (uint32_t)aero_map_get(&f->tokens, wide(command, 8));
        break;
    case DESTROY_RESOURCE:
    case DESTROY_VIEW:
        note_destroyed(f, AERO_RESOURCE, command);
        break;
    case DESTROY_SHADER:
        note_destroyed(f, AERO_SHADER, command);
        break;
    case DESTROY_LAYOUT:
        note_destroyed(f, AERO_LAYOUT, command);
        break;
    case DESTROY_SAMPLER:
        note_destroyed(f, AERO_SAMPLER, command);
        break;
    case RENDER_TARGETS:
        note_targets(f, command);
        break;
    default:
        break;
    }
}

static int add_step(struct finder *f, uint64_t at, uint64_t size, uint32_t opcode, bool packet)
{
    struct aero_state *st = f->state;
    uint64_t limit = f->trace->limits.pool_bytes;
    if (st->count * sizeof *st->steps > limit)
        return fail(f->err, RAS_ELIMIT, st->records[st->record_count - 1].offset,
                    "more than %s before the slice; a bare slice needs none of them",
                    ras_counted(st->count, "command").text);
    if (!array_grow(&st->steps, &st->room, st->count + 1, sizeof *st->steps))
        return fail_memory(f->err);
    f->step = &st->steps[st->count++];
    *f->step = (struct aero_step){.record = (uint32_t)st->record_count - 1,
                                  .at = (uint32_t)at,
                                  .size = (uint32_t)size,
                                  .opcode = opcode,
                                  .packet = packet,
                                  .inside = st->records[st->record_count - 1].inside};
    note_command(f, command_of(f, f->step));
    f->step->targets = f->target_now;
    return f->nomem ? fail_memory(f->err) : RAS_OK;
}

static int add_stream(struct finder *f, struct ras_bytes bytes)
{
    struct ras_aero_stream stream;
    struct ras_aero_command command;
    uint64_t at = 0;
    int status = RAS_OK;
    if (ras_aero_stream_get(bytes, &stream, NULL) < 0)
        return RAS_OK; /* replay stops here */
    for (uint64_t from = 0; status == RAS_OK; from = at) {
        if (ras_aero_command_get(stream.commands, &at, &command, NULL) != RAS_OK)
            break;
        status = add_step(f, RAS_AERO_STREAM_HEADER_SIZE + from, at - from, command.opcode, false);
    }
    return status;
}

static int add_record(struct finder *f, const struct ras_cursor *cursor, const struct ras_record *r,
                      bool inside)
{
    struct aero_state *st = f->state;
    struct ras_bytes payload = {r->raw + RAS_AERO_RECORD_HEADER_SIZE,
                                r->raw_len - RAS_AERO_RECORD_HEADER_SIZE};
    struct aero_step_record record = {.offset = r->offset, .inside = inside, .stream = payload};
    struct ras_aero_packet packet;
    struct ras_aero_submission submission;
    if (!array_grow(&st->records, &st->record_room, st->record_count + 1, sizeof record))
        return fail_memory(f->err);
    if (r->schema == AERO_SUBMISSION_TYPE) {
        struct ras_aero_blob blob;
        record.submission = true;
        if (ras_aero_submission_get(payload, &submission, NULL) < 0 ||
            !aero_stream_before(f->trace, cursor->priv, source_bytes(f->trace->source, 0),
                                submission.cmd_stream_blob_id, r->offset, &blob, &f->nomem))
            return f->nomem ? fail_memory(f->err) : RAS_OK;
        record.stream = blob.data;
    }
    st->records[st->record_count++] = record;
    if (record.submission || ras_aero_is_stream(payload))
        return add_stream(f, record.stream);
    if (ras_aero_packet_get(payload, &packet, NULL) < 0)
        return RAS_OK;
    return add_step(f, 0, payload.len, packet.opcode, true);
}

static int state_read_all(struct finder *f, const struct ras_rewrite_options *options)
{
    static const struct ras_pick picks[] = {
        {.type = "packet"}, {.type = "submission"}, {.type = "gap"}};
    const struct ras_scan scan = {
        .picks = picks, .pick_count = sizeof picks / sizeof *picks, .headers_only = true};
    struct ras_cursor *cursor;
    const struct ras_record *r;
    bool begun = false;
    size_t before = 0; /* commands from before the slice */
    int status = ras_cursor_open(&cursor, f->trace, &scan, f->err);
    if (status < 0)
        return status;
    while ((status = walk_next(f->trace, cursor, &r, f->err)) == RAS_OK) {
        bool inside = rewrite_in_range(options, r);
        f->state->end = r->offset;
        if (begun && !inside && r->flags & RAS_HAS_TICK)
            break;
        if (begun && !inside) /* between frames: it is not in the slice either */
            continue;
        if (inside && !f->state->record_count && !f->state->gap)
            break; /* the slice begins with the trace */
        begun |= inside;
        if (inside && f->state->count - before > INSIDE_MOST) {
            f->open = true;
            break;
        }
        before = inside ? before : f->state->count;
        f->state->gap |= r->schema == RAS_SCHEMA_GAP && !inside;
        if (!inside && f->state->count >= f->thin_at)
            state_thin(f);
        if (r->schema != RAS_SCHEMA_GAP && (status = add_record(f, cursor, r, inside)) < 0)
            break;
    }
    ras_cursor_close(cursor);
    return status < 0 ? status : RAS_OK;
}

static int state_begin(struct finder *f)
{
    (void)new_object(f, 0); /* NO_OBJECT */
    (void)new_object(f, 0);
    struct targets *none = f->nomem ? NULL : new_targets(f);
    if (!none)
        return fail_memory(f->err);
    f->objects[CANVAS].single = true;
    *none = (struct targets){.colors = 1, .objects = {CANVAS}, .used = true};
    f->thin_at = THIN_LEAST;
    return RAS_OK;
}

int aero_state_read(struct finder *f, const struct ras_rewrite_options *options)
{
    int status = state_begin(f);
    return status == RAS_OK ? state_read_all(f, options) : status;
}
