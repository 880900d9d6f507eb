/* murk_play.c - executes a replay again: every frame's commands go into a world, whose hash must
 * match the recorded one. */
#include "base/memory.h"
#include "core/format.h"
#include "core/world_engine.h"
#include "formats/murk/murk_driver.h"
#include <rastrum/replay.h>

#include <stdio.h>
#include <stdlib.h>

struct murk_player {
    struct ras_trace *trace;
    const struct ras_world_type *type;
    void *world;
    struct ras_cursor *cursor;
    const struct ras_record *record; /* of the frame */
    struct ras_murk_frame frame;
    uint64_t frame_index;
    uint64_t hash; /* after the last step */
    struct ras_step step;
    struct ras_world_command *commands;
    struct ras_receipt *receipts;
    size_t command_room, receipt_room;
};

static void add(const struct murk_player *p, uint32_t field, const struct ras_world_field *f,
                uint64_t at, uint32_t other, struct ras_replay *out)
{
    if (out->differences++ >= RAS_REPLAY_DIFFERENCES)
        return;
    struct ras_field_difference *d = &out->differing[out->differences - 1];
    *d = (struct ras_field_difference){.field = field,
                                       .cell = at / f->components,
                                       .component = (uint32_t)(at % f->components),
                                       .replayed = f->values[at],
                                       .other = other};
    snprintf(d->name, sizeof d->name, "%s", f->name);
    if (p->type->coord)
        d->axes = p->type->coord(p->world, d->cell, d->coord);
}

/* Reports where the fields of two worlds differ. */
static void murk_play_differences(const struct murk_player *p, const struct murk_player *other,
                                  struct ras_replay *out)
{
    uint32_t count = p->type->shape(p->world).field_count;
    uint32_t theirs = other->type->shape(other->world).field_count;
    for (uint32_t i = 0; i < count && i < theirs; i++) {
        struct ras_world_field a = p->type->field(p->world, i);
        struct ras_world_field b = other->type->field(other->world, i);
        for (uint64_t k = 0; k < a.count && k < b.count; k++)
            if (a.values[k] != b.values[k])
                add(p, i, &a, k, b.values[k], out);
    }
}

/* ---- order of arrival ----------------------------------------------------------------- */

/* Arrival numbers decide only between commands with equal keys: priority, source and sequence; a
 * sequence without a source is not part of the key. */
struct key {
    uint64_t source, source_seq, arrival;
    uint32_t index;
    uint8_t priority;
};

static int compare_u64(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int by_play_order(const struct key *x, const struct key *y)
{
    int order = compare_u64(x->priority, y->priority);
    order = order ? order : compare_u64(x->source, y->source);
    return order ? order : compare_u64(x->source_seq, y->source_seq);
}

static int by_key_then_file(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    int order = by_play_order(x, y);
    return order ? order : compare_u64(x->index, y->index);
}

static bool ascends(const struct ras_step *s)
{
    for (uint32_t i = 1; i < s->command_count; i++)
        if (s->commands[i - 1].wire.arrival_seq > s->commands[i].wire.arrival_seq)
            return false;
    return true;
}

/* Whether the recorded arrival numbers would have given the commands another order. */
static bool murk_play_reordered(const struct ras_step *s)
{
    struct key *keys = ascends(s) ? NULL : calloc(s->command_count, sizeof *keys);
    bool found = false;
    if (!keys) /* the usual case; without memory nothing is noted */
        return false;
    for (uint32_t i = 0; i < s->command_count; i++) {
        const struct ras_murk_command *c = &s->commands[i].wire;
        bool has_seq = c->has_source_id && c->has_source_seq;
        keys[i] = (struct key){.source = c->has_source_id ? c->source_id : UINT64_MAX,
                               .source_seq = has_seq ? c->source_seq : UINT64_MAX,
                               .arrival = c->arrival_seq,
                               .index = i,
                               .priority = c->priority_class};
    }
    qsort(keys, s->command_count, sizeof *keys, by_key_then_file);
    for (uint32_t i = 1; i < s->command_count && !found; i++)
        found = !by_play_order(&keys[i - 1], &keys[i]) && keys[i - 1].arrival > keys[i].arrival;
    free(keys);
    return found;
}

struct play {
    const struct ras_replay_options *options;
    struct ras_replay *out;
    struct murk_player main, against;
    bool has_before;
    uint64_t tick_before;
    uint64_t seed, config_hash;
    uint64_t first; /* tick id of the first frame */
    uint64_t start; /* the world's tick before the first frame */
};

/* The subject of a verdict. */
static void judge(struct play *p, enum ras_replay_verdict verdict)
{
    const struct murk_player *m = &p->main;
    struct ras_replay *out = p->out;
    out->verdict = verdict;
    out->frame_index = m->frame_index;
    out->offset = m->record ? m->record->offset : 0;
    out->tick_id = m->frame.tick_id;
}

/* ---- frames -------------------------------------------------------------------------- */

/* RAS_OK with the next frame, or RAS_END. */
static int take_frame(struct murk_player *m, struct ras_error *err)
{
    struct ras_murk_fault fault;
    int status = walk_next(m->trace, m->cursor, &m->record, err);
    if (status != RAS_OK)
        return status;
    struct ras_bytes bytes = {m->record->raw, m->record->raw_len};
    return ras_murk_frame_get(bytes, &m->frame, &fault)
               ? RAS_OK
               : fail(err, RAS_EFORMAT, m->record->offset, "the frame changed while it was read");
}

/* Decodes the commands of a frame; RAS_EFORMAT: one cannot be decoded. */
static int type_commands(const struct ras_murk_frame *f, struct ras_world_command *to,
                         uint32_t *bad, struct ras_murk_fault *fault)
{
    struct ras_bytes rest = f->commands;
    for (uint32_t i = 0; i < f->command_count; i++) {
        struct ras_world_command *c = &to[i];
        *bad = i;
        if (!ras_murk_command_get(rest, &c->wire, fault) ||
            !ras_murk_payload_get(c->wire.payload_type, c->wire.payload, &c->typed, fault))
            return RAS_EFORMAT;
        rest.at += c->wire.size;
        rest.len -= (size_t)c->wire.size;
    }
    return RAS_OK;
}

static int take_commands(struct play *p, struct murk_player *m, struct ras_error *err)
{
    struct ras_murk_fault fault;
    char text[160];
    uint32_t bad = 0, count = m->frame.command_count;
    if (!array_grow(&m->commands, &m->command_room, count + 1u, sizeof *m->commands) ||
        !array_grow(&m->receipts, &m->receipt_room, count + 1u, sizeof *m->receipts))
        return fail_memory(err);
    if (type_commands(&m->frame, m->commands, &bad, &fault) < 0) {
        if (m == &p->against)
            return fail(err, RAS_EFORMAT, RAS_NONE,
                        "the recording to compare with: tick %" PRIu64 ": command %u: %s",
                        m->frame.tick_id, bad, ras_murk_text(&fault, text, sizeof text));
        judge(p, RAS_REPLAY_PAYLOAD);
        snprintf(p->out->why, sizeof p->out->why, "command %u: %s", bad,
                 ras_murk_text(&fault, text, sizeof text));
        return RAS_END;
    }
    m->step.commands = m->commands;
    m->step.command_count = count;
    m->step.receipts = m->receipts;
    m->step.recorded_order = p->options->recorded_order;
    return RAS_OK;
}

static int step(struct play *p, struct murk_player *m, struct ras_error *err)
{
    int status = take_commands(p, m, err);
    if (status == RAS_OK)
        status = p->options->worlds->step(m->type, m->world, &m->step, err);
    if (status == RAS_OK)
        m->hash = p->options->worlds->hash(m->type, m->world);
    return status;
}

/* ---- verdicts ------------------------------------------------------------------------ */

/* The commands outlive the frame: they are decoded again from a copy of its bytes. */
static int keep_step(struct play *p, struct ras_error *err)
{
    const struct murk_player *m = &p->main;
    struct ras_replay *out = p->out;
    uint32_t count = m->step.command_count, bad;
    struct ras_murk_frame frame;
    struct ras_murk_fault fault;
    size_t commands = count * sizeof *m->commands, receipts = count * sizeof *m->receipts;
    uint8_t *memory = malloc(commands + receipts + m->record->raw_len + 1);
    if (!memory)
        return fail_memory(err);
    uint8_t *raw = memory + commands + receipts;
    memcpy(raw, m->record->raw, m->record->raw_len);
    out->memory = memory;
    out->step = m->step;
    out->step.commands = (const void *)memory;
    out->step.receipts = (void *)(memory + commands);
    if (receipts)
        memcpy(memory + commands, m->receipts, receipts);
    struct ras_bytes bytes = {raw, m->record->raw_len};
    if (!ras_murk_frame_get(bytes, &frame, &fault) ||
        type_commands(&frame, (void *)memory, &bad, &fault) < 0)
        return fail(err, RAS_EFORMAT, m->record->offset, "the frame changed while it was read");
    return RAS_OK;
}

static int first_mismatch(struct play *p, struct ras_error *err)
{
    struct ras_replay *out = p->out;
    judge(p, RAS_REPLAY_MISMATCH);
    out->recorded = p->main.frame.snapshot_hash;
    out->replayed = p->main.hash;
    out->has_agreed = p->has_before;
    out->last_agreed = p->tick_before;
    if (p->options->against && p->against.record)
        murk_play_differences(&p->main, &p->against, out);
    return keep_step(p, err);
}

/* The replay begins at another tick than the world, so no frame is executed. */
static void judge_start(struct play *p, uint64_t tick)
{
    judge(p, RAS_REPLAY_START);
    snprintf(p->out->why, sizeof p->out->why,
             "begins at tick %" PRIu64 ", the world at tick %" PRIu64, tick, p->start + 1);
}

/* Tick ids ascend by one; after a gap the state is unknown. */
static bool follows(struct play *p)
{
    uint64_t tick = p->main.frame.tick_id;
    if (!p->has_before)
        p->first = tick;
    if (p->options->lenient_ticks || tick == (p->has_before ? p->tick_before : p->start) + 1)
        return true;
    if (!p->has_before) {
        judge_start(p, tick);
        return false;
    }
    if (p->out->verdict == RAS_REPLAY_OK)
        judge(p, RAS_REPLAY_TICKS);
    snprintf(p->out->why, sizeof p->out->why, "tick %" PRIu64 " follows tick %" PRIu64, tick,
             p->tick_before);
    return false;
}

/* ---- the whole replay ----------------------------------------------------------------- */

enum { PROGRESS_TICKS = 256 }; /* between two reports */

static int one_frame(struct play *p, struct ras_error *err)
{
    struct murk_player *m = &p->main;
    struct ras_replay *out = p->out;
    int status = take_frame(m, err);
    if (status != RAS_OK)
        return status;
    if ((p->options->has_until && m->frame.tick_id > p->options->until) || !follows(p))
        return RAS_END;
    status = step(p, m, err);
    if (status != RAS_OK)
        return status;
    if (p->against.cursor && take_frame(&p->against, err) == RAS_OK) {
        status = step(p, &p->against, err);
        out->against_ticks++;
    }
    if (status < 0)
        return status;
    out->ticks++;
    out->commands += m->step.command_count;
    out->rolled_back += m->step.result != RAS_STEP_OK;
    out->reordered |= murk_play_reordered(&m->step);
    out->drift = m->frame.tick_id - m->step.tick;
    bool same = m->hash == m->frame.snapshot_hash;
    if (!same && !out->mismatches++)
        status = first_mismatch(p, err);
    const struct ras_replay_tick report = {
        m->frame_index, m->record->offset, m->frame.tick_id, m->frame.snapshot_hash,
        m->hash,        &m->step,          m->type,          m->world,
        p->seed,        p->config_hash};
    if (status == RAS_OK && p->options->tick && !p->options->tick(p->options->user, &report))
        return RAS_END;
    if (status == RAS_OK && p->options->progress && out->ticks % PROGRESS_TICKS == 0 &&
        !p->options->progress(p->options->user, m->record->offset,
                              source_bytes(m->trace->source, 0).len))
        return fail_canceled(err);
    m->frame_index++;
    p->has_before = true;
    p->tick_before = m->frame.tick_id;
    return status == RAS_OK && !same && !p->options->keep_going ? RAS_END : status;
}

/* Compares the header with the world. */
static void check_header(struct play *p, const struct ras_murk_header *h)
{
    struct ras_replay *out = p->out;
    struct ras_world_shape s = p->main.type->shape(p->main.world);
    uint64_t hash = p->options->worlds->config_hash(h->seed, &s, h->space_descriptor);
    p->seed = h->seed;
    p->config_hash = p->options->recipe
                         ? p->options->worlds->config_hash(h->seed, &s, *p->options->recipe)
                         : hash;
    out->config_unknown = !h->config_hash;
    if (h->field_count != s.field_count || h->cell_count != s.cell_count) {
        judge(p, RAS_REPLAY_HEADER);
        snprintf(out->why, sizeof out->why,
                 "the header has %u fields of %" PRIu64 " cells, the world %u of %" PRIu64,
                 h->field_count, h->cell_count, s.field_count, s.cell_count);
    } else if (h->config_hash && h->config_hash != hash && !p->options->recipe &&
               !p->options->world) {
        judge(p, RAS_REPLAY_HEADER);
        snprintf(out->why, sizeof out->why,
                 "config_hash recorded=0x%016" PRIx64 " computed=0x%016" PRIx64, h->config_hash,
                 hash);
    }
}

/* Fields can only be compared if both worlds have the same ones. */
static int check_against(const struct play *p, struct ras_error *err)
{
    struct ras_world_shape a = p->main.type->shape(p->main.world);
    struct ras_world_shape b = p->against.type->shape(p->against.world);
    if (p->main.type == p->against.type && a.field_count == b.field_count &&
        a.cell_count == b.cell_count)
        return RAS_OK;
    return fail(err, RAS_EUSAGE, RAS_NONE,
                "the recording to compare with is of another world: %s, %u fields of %" PRIu64
                " cells, not %s, %u of %" PRIu64,
                p->against.type->name, b.field_count, b.cell_count, p->main.type->name,
                a.field_count, a.cell_count);
}

/* A state belongs to one recipe and one seed: in another world it cannot match. */
static int restore(struct murk_player *m, const struct ras_replay_options *options,
                   const struct ras_murk_header *h, struct ras_bytes recipe, uint64_t *start,
                   struct ras_error *err)
{
    struct ras_world_state about;
    struct ras_world_shape shape = m->type->shape(m->world);
    uint64_t config = options->worlds->config_hash(h->seed, &shape, recipe);
    int status = options->worlds->restore(m->type, m->world, options->state, &about, err);
    if (status < 0)
        return status;
    if (about.seed != h->seed)
        status = fail(err, RAS_EUSAGE, RAS_NONE,
                      "state: seed %" PRIu64 ", the replay has seed %" PRIu64, about.seed, h->seed);
    else if (about.config_hash != config)
        status = fail(err, RAS_EUSAGE, RAS_NONE,
                      "state: configuration 0x%016" PRIx64
                      ", the replay has configuration 0x%016" PRIx64,
                      about.config_hash, config);
    *start = about.tick_id;
    return fail_about(status, RAS_ABOUT_STATE, err);
}

static int make_player(struct murk_player *m, struct ras_trace *t,
                       const struct ras_replay_options *options, struct ras_murk_header *h,
                       uint64_t *start, struct ras_error *err)
{
    static const struct ras_pick frames = {.type = "frame"};
    const struct ras_scan scan = {.picks = &frames, .pick_count = 1, .headers_only = true};
    struct ras_murk_fault fault;
    m->trace = t;
    if (!ras_murk_header_get(source_bytes(t->source, 0), h, &fault))
        return fail(err, RAS_EFORMAT, 0, "the header changed while it was read");
    struct ras_bytes recipe = options->recipe ? *options->recipe : h->space_descriptor;
    m->type = options->world;
    int status = m->type ? RAS_OK : options->worlds->type_of(&m->type, recipe, err);
    if (status == RAS_OK)
        status = options->worlds->create(m->type, &m->world, recipe, h->seed, err);
    if (status == RAS_OK && options->state.len)
        status = restore(m, options, h, recipe, start, err);
    if (status == RAS_OK)
        status = ras_cursor_open(&m->cursor, t, &scan, err);
    return status;
}

static void free_player(struct murk_player *m)
{
    if (m->type)
        m->type->destroy(m->world);
    ras_cursor_close(m->cursor);
    free(m->commands);
    free(m->receipts);
}

int murk_play(struct ras_trace *t, const struct ras_replay_options *options, struct ras_replay *out,
              struct ras_error *err)
{
    struct play p = {.options = options, .out = out};
    struct ras_murk_header header;
    int status = RAS_OK;
    if (options->against)
        status = make_player(&p.against, options->against, options, &header, &p.start, err);
    if (status == RAS_OK)
        status = make_player(&p.main, t, options, &header, &p.start, err);
    if (status == RAS_OK && options->against)
        status = check_against(&p, err);
    if (status == RAS_OK)
        check_header(&p, &header);
    while (status == RAS_OK && out->verdict != RAS_REPLAY_HEADER)
        status = one_frame(&p, err);
    /* In lenient mode an unknown start may still match; that it does not proves nothing. */
    if (status >= 0 && out->verdict == RAS_REPLAY_MISMATCH && p.first != p.start + 1)
        judge_start(&p, p.first);
    free_player(&p.main);
    free_player(&p.against);
    return status < 0 ? status : RAS_OK;
}
