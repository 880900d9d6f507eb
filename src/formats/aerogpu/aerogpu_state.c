/* aerogpu_state.c - which commands from before a slice its frames depend on.
 *
 * All commands up to the end of the slice are read once, forwards, to know which object an id means
 * at each of them, and which targets are set. Then they are walked backwards: those of the slice
 * are kept; one from before it is kept if a command that is kept depends on its effect. A state
 * that is set again before anything is drawn, a picture that is cleared, an upload that another
 * covers, a frame that is only presented: all these are left out. When in doubt a command is kept,
 * so that the slice shows the same pictures as the whole trace. The same walk, as if any command
 * could follow, limits the commands that are remembered in a long trace. */
#include "formats/aerogpu/aerogpu_rewrite.h"
#include "formats/aerogpu/aerogpu_state.h"

#include <stdlib.h>

static bool content_needed(const struct finder *f, uint32_t object)
{
    const struct object *o = &f->objects[object];
    return o->content || (o->read && o->killed != f->epoch);
}

static void kill_content(struct finder *f, uint32_t object)
{
    f->objects[object].content = false;
    f->objects[object].killed = f->epoch;
}

static bool targets_needed(const struct finder *f, const struct aero_step *s)
{
    const struct targets *t = &f->targets[s->packet ? 0 : s->targets];
    for (uint32_t i = 0; i < TARGETS; i++)
        if (t->objects[i] && content_needed(f, t->objects[i]))
            return true;
    return false;
}

/* The content of targets that are drawn over or shown is needed. */
static void need_targets(struct finder *f, const struct aero_step *s)
{
    const struct targets *t = &f->targets[s->packet ? 0 : s->targets];
    for (uint32_t i = 0; i < TARGETS; i++)
        if (t->objects[i])
            f->objects[t->objects[i]].content = true;
}

/* Every object that a kept command names must exist; one that it binds may be read by any draw. */
static void need_object(struct finder *f, uint32_t object, bool reads)
{
    struct object *o = &f->objects[object], *base = &f->objects[o->base];
    if (!object)
        return;
    o->needed = base->needed = true;
    if (reads && !base->read) {
        base->read = true;
        f->changed = true;
    }
}

static bool need_named(void *user, const struct aero_touched *t)
{
    struct finder *f = user;
    const struct aero_step *s = f->step;
    bool writes = s->packet ? s->opcode == P_UPLOAD
                            : s->opcode == UPLOAD || s->opcode == DIRTY_RANGE ||
                                  s->opcode == COPY_BUFFER || s->opcode == COPY_TEXTURE ||
                                  s->opcode == CREATE_VIEW || s->opcode == RENDER_TARGETS;
    if (t->makes)
        return true;
    need_object(f, find_object(f, s->packet, t->kind, t->id), !writes);
    return true;
}

static void need_all(struct finder *f, struct ras_bytes command)
{
    const struct aero_step *s = f->step;
    (void)aero_touched_each(s->packet, command, need_named, f);
    if (!s->packet && s->opcode == BIND_SHADERS) /* also those of newer forms */
        for (uint32_t at = 0; at + RAS_AERO_COMMAND_HEADER_SIZE < s->size; at += 4)
            need_object(f, find_object(f, false, AERO_SHADER, word(command, at)), false);
    if (s->object)
        need_object(f, s->object, false);
}

/* The bytes of a payload that identify the state a command sets; the rest is its value. */
static uint64_t state_key(const struct aero_step *s, struct ras_bytes command)
{
    uint64_t hash = 0xcbf29ce484222325u ^ (s->packet ? 1u : 0u);
    uint32_t words[5] = {s->opcode}, count = 1;
    static const struct {
        uint16_t opcode;
        uint8_t words; /* from the first on; bit 7: the fourth one, too */
    } keys[] = {{0x203, 4}, {0x207, 4}, {0x208, 4}, {0x500, 2}, {0x510, 0x82}, {0x511, 3},
                {0x512, 1}, {0x522, 4}, {0x523, 4}, {0x524, 4}, {0x525, 4}};
    for (size_t i = 0; !s->packet && i < sizeof keys / sizeof *keys; i++) {
        if (keys[i].opcode != s->opcode)
            continue;
        for (uint32_t k = 0; k < (keys[i].words & 7u); k++)
            words[count++] = word(command, 4 * (uint64_t)k);
        if (keys[i].words & 0x80)
            words[count++] = word(command, 12);
    }
    for (uint32_t i = 0; i < count; i++)
        hash = (hash ^ words[i]) * 0x100000001b3u;
    return hash >> 1;
}

/* A command that sets a state is kept unless the state is set again before the next draw. */
static bool keep_setter(struct finder *f, const struct aero_step *s, struct ras_bytes command)
{
    uint64_t key = state_key(s, command);
    if (!s->inside && aero_map_get(&f->set, key) == f->epoch + 1)
        return false;
    f->nomem |= !aero_map_set(&f->set, key, f->epoch + 1);
    if (s->packet && s->opcode == P_SET_VERTEX_BUFFER) { /* needs a pipeline that is set */
        const struct aero_step pipeline = {.packet = true, .opcode = P_SET_PIPELINE};
        f->nomem |= !aero_map_set(&f->set, state_key(&pipeline, command), 0);
    }
    return true;
}

/* An upload is kept unless kept ones, with no draw between, cover it. */
static bool keep_upload(struct finder *f, struct aero_step *s, uint32_t object, uint64_t from,
                        uint64_t size)
{
    struct object *o = &f->objects[f->objects[object].base];
    if (!s->inside && !content_needed(f, f->objects[object].base))
        return false;
    uint64_t to = from > UINT64_MAX - size ? UINT64_MAX : from + size;
    bool covers = o->cover_epoch == f->epoch + 1;
    if (!s->inside && covers && from >= o->cover_from && to <= o->cover_to)
        return false;
    if (!covers || from > o->cover_to || to < o->cover_from) {
        if (!covers || to - from > o->cover_to - o->cover_from) {
            o->cover_from = from;
            o->cover_to = to;
        }
    } else {
        o->cover_from = from < o->cover_from ? from : o->cover_from;
        o->cover_to = to > o->cover_to ? to : o->cover_to;
    }
    o->cover_epoch = f->epoch + 1;
    return true;
}

/* Copies read part of what they write over: an older upload may show through. */
static bool keep_copy(struct finder *f, const struct aero_step *s, struct ras_bytes command)
{
    uint32_t to = f->objects[find_object(f, false, AERO_RESOURCE, word(command, 0))].base;
    uint32_t from = f->objects[find_object(f, false, AERO_RESOURCE, word(command, 4))].base;
    if (!s->inside && !content_needed(f, to))
        return false;
    f->objects[from].content = true;
    f->objects[from].cover_epoch = 0;
    return true;
}

static bool keep_clear(struct finder *f, const struct aero_step *s, struct ras_bytes command)
{
    const struct targets *t = &f->targets[s->packet ? 0 : s->targets];
    uint32_t flags = s->packet ? CLEAR_COLOR : word(command, 0);
    if (!s->inside && !targets_needed(f, s))
        return false;
    f->epoch += !s->packet; /* the current targets matter */
    for (uint32_t i = 0; flags & CLEAR_COLOR && i < t->colors; i++)
        if (f->objects[t->objects[i]].single)
            kill_content(f, t->objects[i]);
    const struct object *depth = &f->objects[t->objects[TARGETS - 1]];
    if (flags & CLEAR_DEPTH && (flags & CLEAR_STENCIL || depth->format == D32_FLOAT) &&
        depth->single)
        kill_content(f, t->objects[TARGETS - 1]);
    return true;
}

static bool keep_draw(struct finder *f, const struct aero_step *s)
{
    if (!s->inside && !targets_needed(f, s))
        return false;
    f->epoch++;
    need_targets(f, s);
    return true;
}

static bool keep_present(struct finder *f, const struct aero_step *s)
{
    if (s->inside)
        need_targets(f, s);
    return s->inside;
}

static bool keep_packet(struct finder *f, struct aero_step *s, struct ras_bytes command)
{
    switch (s->opcode) {
    case P_CREATE_BUFFER:
    case P_CREATE_SHADER:
    case P_CREATE_PIPELINE:
        return s->inside || f->objects[s->object].needed;
    case P_UPLOAD:
        return keep_upload(f, s, find_object(f, true, AERO_BUFFER, word(command, 0)),
                           word(command, 4), word(command, 8));
    case P_CLEAR:
        return keep_clear(f, s, command);
    case P_DRAW:
        return keep_draw(f, s);
    case P_PRESENT:
        return keep_present(f, s);
    default:
        return keep_setter(f, s, command);
    }
}

static bool is_setter(uint32_t opcode)
{
    static const uint16_t ranges[][2] = {{0x202, 0x203}, {0x206, 0x208}, {0x300, 0x302},
                                         {0x400, 0x402}, {0x500, 0x512}, {0x522, 0x525}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (opcode >= ranges[i][0] && opcode <= ranges[i][1])
            return true;
    return false;
}

static bool keep_command(struct finder *f, struct aero_step *s, struct ras_bytes command)
{
    switch (s->opcode) {
    case NOP:
    case DEBUG_MARKER:
    case FLUSH:
        return s->inside;
    case CREATE_BUFFER:
    case CREATE_TEXTURE:
    case CREATE_VIEW:
    case CREATE_SHADER:
    case CREATE_LAYOUT:
    case CREATE_SAMPLER:
    case DESTROY_RESOURCE:
    case DESTROY_VIEW:
    case DESTROY_SHADER:
    case DESTROY_LAYOUT:
    case DESTROY_SAMPLER:
        return s->inside || f->objects[s->object].needed;
    case UPLOAD:
        return keep_upload(f, s, find_object(f, false, AERO_RESOURCE, word(command, 0)),
                           wide(command, 8), wide(command, 16));
    case DIRTY_RANGE:
        return keep_upload(f, s, find_object(f, false, AERO_RESOURCE, word(command, 0)),
                           wide(command, 8), wide(command, 16));
    case COPY_BUFFER:
    case COPY_TEXTURE:
        return keep_copy(f, s, command);
    case CLEAR:
        return keep_clear(f, s, command);
    case DRAW:
    case DRAW_INDEXED:
        return keep_draw(f, s);
    case PRESENT:
    case PRESENT_EX:
        return keep_present(f, s);
    default:
        if (is_setter(s->opcode))
            return keep_setter(f, s, command);
        /* shared surfaces, DISPATCH and unknown commands: their effects have no bound */
        f->epoch++;
        return true;
    }
}

/* The ids as they were before the step. */
static void step_back(struct finder *f, const struct aero_step *s, bool destroys)
{
    if (s->object &&
        !aero_map_set(&f->ids, f->objects[s->object].key, destroys ? s->object : s->previous))
        f->nomem = true;
}

static bool is_destroyer(const struct aero_step *s)
{
    return !s->packet && (s->opcode == DESTROY_RESOURCE || s->opcode == DESTROY_VIEW ||
                          s->opcode == DESTROY_SHADER || s->opcode == DESTROY_LAYOUT ||
                          s->opcode == DESTROY_SAMPLER);
}

/* Objects that commands after the last one read may use: all that an id means, and the current
 * targets.
 */
static void need_reachable(struct finder *f)
{
    const struct targets *now = &f->targets[f->target_now];
    for (uint32_t i = CANVAS; i < f->object_count; i++)
        if (i == CANVAS ||
            (!f->objects[i].unused && aero_map_get(&f->ids, f->objects[i].key) == i)) {
            struct object *o = &f->objects[i], *base = &f->objects[o->base];
            o->needed = base->needed = o->content = base->content = true;
        }
    for (uint32_t i = 0; i < TARGETS; i++)
        if (now->objects[i])
            f->objects[now->objects[i]].content = true;
}

static void walk_back(struct finder *f)
{
    struct aero_state *st = f->state;
    f->changed = false;
    f->epoch++;
    for (size_t i = 0; i < f->object_count; i++)
        f->objects[i].content = false;
    if (f->open)
        need_reachable(f);
    for (size_t i = st->count; i-- > 0 && !f->nomem;) {
        struct aero_step *s = f->step = &st->steps[i];
        struct ras_bytes command = command_of(f, s);
        bool destroys = is_destroyer(s);
        step_back(f, s, destroys);
        s->kept = s->packet ? keep_packet(f, s, command) : keep_command(f, s, command);
        if (s->kept && !destroys)
            need_all(f, command);
        else if (s->kept && s->inside) /* an object that is destroyed must exist */
            need_object(f, s->object, false);
    }
    /* Forwards again, to where the next walk begins. */
    for (size_t i = 0; i < st->count && !f->nomem; i++) {
        const struct aero_step *s = &st->steps[i];
        bool destroys = is_destroyer(s);
        if (s->object &&
            !aero_map_set(&f->ids, f->objects[s->object].key, destroys ? NO_OBJECT : s->object))
            f->nomem = true;
    }
}

void aero_state_judge(struct finder *f, bool open)
{
    struct aero_state *st = f->state;
    f->open = open;
    for (size_t i = 0; i < f->object_count; i++)
        f->objects[i].needed = f->objects[i].read = false;
    /* An object that is found to be read makes older commands needed: repeat until there is no new
     * one. */
    do
        walk_back(f);
    while (f->changed && !f->nomem);
    for (size_t i = 0; i < st->count; i++) {
        struct aero_step *s = &st->steps[i];
        if (is_destroyer(s) && !s->inside)
            s->kept = f->objects[s->object].needed;
    }
}

int aero_state_find(struct aero_state *state, struct ras_trace *trace,
                    const struct ras_rewrite_options *options, struct ras_error *err)
{
    struct finder f = {.state = state, .trace = trace, .err = err};
    int status = aero_state_read(&f, options);
    if (status == RAS_OK)
        aero_state_judge(&f, f.open);
    if (status == RAS_OK && f.nomem)
        status = fail_memory(err);
    for (size_t i = 0; status == RAS_OK && i < state->count; i++) {
        const struct aero_step *s = &state->steps[i];
        bool draw =
            s->packet ? s->opcode == P_DRAW : s->opcode == DRAW || s->opcode == DRAW_INDEXED;
        state->kept += s->kept && !s->inside;
        state->draws += s->kept && !s->inside && draw;
    }
    aero_map_free(&f.ids);
    aero_map_free(&f.tokens);
    aero_map_free(&f.set);
    free(f.objects);
    free(f.targets);
    return status;
}

void aero_state_free(struct aero_state *state)
{
    free(state->steps);
    free(state->records);
    *state = (struct aero_state){0};
}

/* ---- writing the kept commands ------------------------------------------------------------ */

/* One record that is written. */
struct putting {
    struct rewrite *rw;
    const struct aero_step_record *record;
    struct ras_bytes payload; /* of the record in the source */
    struct ras_error *err;
    int status; /* after the first failure nothing is written */
};

static void count_kept(struct rewrite *rw, const char *type, uint64_t records)
{
    rewrite_kept(rw, type, records);
    rewrite_companion(rw, type, records);
}

static void state_put_bytes(struct putting *p, const void *bytes, size_t len)
{
    if (p->status == RAS_OK && len)
        p->status = aero_put_bytes(p->rw, bytes, len, p->err);
}

static void state_put_head(struct putting *p, uint8_t type, size_t len)
{
    uint8_t head[RAS_AERO_RECORD_HEADER_SIZE] = {type};
    if (p->status == RAS_OK && len > UINT32_MAX)
        p->status = fail(p->err, RAS_ELIMIT, RAS_NONE, "a record of %zu bytes, at most %" PRIu32,
                         len, UINT32_MAX);
    aero_word_put((uint32_t)len, head + 4);
    state_put_bytes(p, head, sizeof head);
}

/* The id of a new blob. */
static uint64_t state_put_blob(struct putting *p, uint32_t kind, struct ras_bytes data)
{
    struct aero_copier *k = p->rw->priv;
    uint8_t head[RAS_AERO_BLOB_HEADER_SIZE] = {0};
    if (p->status < 0)
        return 0;
    aero_id_put(++k->last_id, head);
    aero_word_put(kind, head + 8);
    state_put_head(p, RAS_AERO_BLOB, sizeof head + data.len);
    state_put_bytes(p, head, sizeof head);
    state_put_bytes(p, data.at, data.len);
    count_kept(p->rw, "blob", 1);
    return k->last_id;
}

/* Write the blobs that the record names again; `copy` of its payload gets their new ids. */
static void state_put_refs(struct putting *p, uint8_t type, uint8_t *copy)
{
    struct ras_trace *trace = p->rw->sources[p->rw->order[0]];
    struct aero_refs refs = aero_refs_of(type, p->payload);
    struct ras_aero_blob blob;
    bool nomem = false;
    uint64_t at;
    while (p->status == RAS_OK && aero_refs_next(&refs, &at)) {
        uint64_t old = aero_id_at(p->payload.at + at);
        if (!old || !aero_blob_before(trace, old, p->record->offset, &blob, NULL, &nomem))
            continue;
        if (type == RAS_AERO_SUBMISSION && blob.kind == RAS_AERO_CMD_STREAM)
            continue; /* the caller writes its remaining commands */
        aero_id_put(state_put_blob(p, blob.kind, blob.data), copy + at);
    }
    if (p->status == RAS_OK && nomem)
        p->status = fail_memory(p->err);
}

/* A copy of the payload; free() it. */
static uint8_t *copy_payload(struct putting *p)
{
    uint8_t *copy = malloc(p->payload.len + 1);
    if (copy)
        memcpy(copy, p->payload.at, p->payload.len);
    else
        p->status = fail_memory(p->err);
    return copy;
}

static void state_put_packet(struct putting *p)
{
    uint8_t *copy = copy_payload(p);
    state_put_refs(p, RAS_AERO_PACKET, copy);
    state_put_head(p, RAS_AERO_PACKET, p->payload.len);
    state_put_bytes(p, copy, p->payload.len);
    free(copy);
    count_kept(p->rw, "packet", 1);
    count_kept(p->rw, "command", 1);
}

/* Whether commands read the memory that a submission uploads. */
static bool uses_memory(const struct aero_state *state, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        const struct aero_step *s = &state->steps[i];
        if (s->kept &&
            (s->opcode == CREATE_BUFFER || s->opcode == CREATE_TEXTURE || s->opcode == DIRTY_RANGE))
            return true;
    }
    return false;
}

/* With its memory, or with nothing but its stream. */
static void state_put_submission(struct putting *p, struct ras_bytes stream, bool memory)
{
    struct ras_aero_submission s;
    uint8_t plain[RAS_AERO_SUBMISSION_SIZE];
    p->status = ras_aero_submission_get(p->payload, &s, p->err);
    uint8_t *copy = p->status == RAS_OK && memory ? copy_payload(p) : NULL;
    if (memory)
        state_put_refs(p, RAS_AERO_SUBMISSION, copy);
    uint64_t at, id = state_put_blob(p, RAS_AERO_CMD_STREAM, stream);
    if (p->status == RAS_OK && memory) {
        struct aero_refs refs = aero_refs_of(RAS_AERO_SUBMISSION, p->payload);
        if (aero_refs_next(&refs, &at)) /* the first one is the stream */
            aero_id_put(id, copy + at);
        state_put_head(p, RAS_AERO_SUBMISSION, p->payload.len);
        state_put_bytes(p, copy, p->payload.len);
    } else if (p->status == RAS_OK) {
        s.header_size = sizeof plain;
        s.cmd_stream_blob_id = id;
        s.alloc_table_blob_id = 0;
        s.memory_range_count = 0;
        ras_aero_submission_put(&s, plain);
        state_put_head(p, RAS_AERO_SUBMISSION, sizeof plain);
        state_put_bytes(p, plain, sizeof plain);
    }
    free(copy);
    count_kept(p->rw, "submission", 1);
}

/* The commands from `from` to `to` that are kept, as a stream of their own. */
static void state_put_stream(struct putting *p, const struct aero_state *state, size_t from,
                             size_t to)
{
    struct ras_bytes all = p->record->stream;
    struct ras_aero_stream header;
    struct out out = {0};
    uint8_t head[RAS_AERO_STREAM_HEADER_SIZE];
    uint64_t size = sizeof head, count = 0;
    p->status = ras_aero_stream_get(all, &header, p->err);
    if (p->status < 0)
        return;
    for (size_t i = from; i < to; i++) {
        size += state->steps[i].kept ? state->steps[i].size : 0;
        count += state->steps[i].kept;
    }
    header.size_bytes = (uint32_t)size;
    ras_aero_stream_put(&header, head);
    out_bytes(&out, head, sizeof head);
    for (size_t i = from; i < to; i++)
        if (state->steps[i].kept)
            out_bytes(&out, all.at + state->steps[i].at, state->steps[i].size);
    const struct ras_bytes stream = {out.at, out.len};
    if (out.failed) {
        p->status = fail_memory(p->err);
    } else if (p->record->submission) {
        state_put_submission(p, stream, uses_memory(state, from, to));
    } else {
        state_put_head(p, RAS_AERO_PACKET, stream.len);
        state_put_bytes(p, stream.at, stream.len);
        count_kept(p->rw, "packet", 1);
    }
    out_free(&out);
    count_kept(p->rw, "command", count);
}

int aero_state_put(struct rewrite *rw, const struct aero_state *state, struct ras_error *err)
{
    const uint8_t *base = aero_source(rw, rw->order[0]).at;
    struct putting p = {.rw = rw, .err = err};
    for (size_t i = 0, end; p.status == RAS_OK && i < state->count; i = end) {
        const struct aero_step *first = &state->steps[i];
        bool kept = false;
        for (end = i; end < state->count && state->steps[end].record == first->record; end++)
            kept |= state->steps[end].kept;
        if (!kept || first->inside)
            continue;
        p.record = &state->records[first->record];
        const uint8_t *raw = base + p.record->offset;
        p.payload = (struct ras_bytes){raw + RAS_AERO_RECORD_HEADER_SIZE, aero_len_at(raw)};
        if (first->packet)
            state_put_packet(&p);
        else
            state_put_stream(&p, state, i, end);
    }
    return p.status;
}
