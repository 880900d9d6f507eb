/* cdt_side.c - a trace as the comparing verbs read it, checked by the rules of the reference
 * reader. */
#include "formats/cdt/cdt_side.h"
#include "formats/cdt/cdt_strict.h"
#include "base/memory.h"
#include "base/thread.h"

#include <stdlib.h>

/* ---- which channels to decode ------------------------------------------------------------ */

static void copy(struct cdt_struct *to, struct cdt_field *fields, const struct cdt_struct *from)
{
    *to = *from;
    memcpy(fields, from->fields, from->count * sizeof *fields);
    to->fields = fields;
}

static void narrow(struct cdt_field *f, enum cdt_want want)
{
    if (want != CDT_WANT_ALL)
        f->type = want == CDT_WANT_COUNT && f->type == CDT_LIST ? CDT_COUNTED : CDT_SKIPPED;
}

static enum cdt_want wanted(const struct cdt_wants *wants, const char *channel)
{
    const struct {
        const char *channel;
        enum cdt_want want;
    } all[] = {{"checkpoint", wants->checkpoint}, {"sim_state", wants->sim_state},
               {"rng_stream", wants->rng},        {"timing_samples", wants->timing},
               {"replay_step", wants->step},      {"entity_samples", wants->entities}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!strcmp(all[i].channel, channel))
            return all[i].want;
    return CDT_WANT_ALL;
}

void cdt_project(struct cdt_projection *p, const struct cdt_model *model,
                 const struct cdt_wants *wants)
{
    copy(&p->entities, p->entity_fields, model->entities);
    copy(&p->channels, p->channel_fields, model->channels);
    copy(&p->tick, p->tick_fields, model->rows[CDT_ROW_TICK]);
    copy(&p->block, p->block_fields, model->block);
    p->block_fields[2].of = &p->tick;
    p->tick_fields[4].of = &p->channels;
    for (unsigned i = 0; i < p->channels.count; i++) {
        struct cdt_field *f = &p->channel_fields[i];
        if (f->of != model->entities || wants->entities == CDT_WANT_NOTHING)
            narrow(f, wanted(wants, f->name));
        else
            f->of = &p->entities;
    }
    for (int i = 0; i < 4; i++)
        narrow(&p->entity_fields[i], wants->entities);
}

/* ---- the words of the reference reader ----------------------------------------- */

/* Translates our error text. Our texts are those of the reference with numbers after a colon, which
 * it does not print. */
static int reference_words(const struct ras_error *ours, struct ras_error *err)
{
    static const char *const exact[] = {"unsupported trace", "zstd",        "expected",
                                        "missing required",  "unknown key", "array of",
                                        "a chunk of"};
    int length = (int)strcspn(ours->text, ":");
    if (ours->status == RAS_EMEMORY)
        return fail(err, ours->status, ours->offset, "%s", ours->text);
    if (!strncmp(ours->text, "not a TICK", 10))
        return fail(err, RAS_EREFUSED, ours->offset, "trace index points at non-tick chunk");
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++)
        if (!strncmp(ours->text, exact[i], strlen(exact[i])))
            return fail(err, RAS_EREFUSED, ours->offset, "%s", ours->text);
    return fail(err, RAS_EREFUSED, ours->offset, "%.*s", length, ours->text);
}

/* Four bytes as Python prints them. */
static int unknown_kind(const struct ras_cdt_chunk *chunk, uint64_t offset, struct ras_error *err)
{
    char text[20];
    return fail(err, RAS_EREFUSED, offset, "unknown chunk kind: b'%s'",
                cdt_kind_python(chunk, text));
}

static int refuse_chunk(const struct cdt_side *s, uint64_t offset, const struct ras_error *ours,
                        struct ras_error *err)
{
    struct ras_cdt_chunk chunk;
    if (ras_cdt_chunk_get(s->file, offset, &chunk, NULL) == RAS_OK && chunk.kind == RAS_CDT_UNKNOWN)
        return unknown_kind(&chunk, offset, err);
    return reference_words(ours, err);
}

/* ---- opening ----------------------------------------------------------------- */

static int side_check_meta(const struct cdt_side *s, struct ras_error *err)
{
    const struct cdt_trace *cdt = s->trace->priv;
    if (cdt->no_meta) {
        struct ras_error ours = {.status = RAS_EFORMAT, .offset = RAS_CDT_HEADER_SIZE};
        snprintf(ours.text, sizeof ours.text, "%s", cdt->why_meta);
        return refuse_chunk(s, RAS_CDT_HEADER_SIZE, &ours, err);
    }
    if (!cdt->meta.typed)
        return fail(err, RAS_EREFUSED, RAS_CDT_HEADER_SIZE,
                    "unsupported trace schema version: %" PRId64 " (supported: %s)",
                    cdt->meta.meta.trace_schema_version, cdt_schemas_text(s->trace->version));
    return RAS_OK;
}

static int add_span(struct cdt_side *s, int64_t first, int64_t last, uint64_t offset,
                    struct ras_error *err)
{
    if (!array_grow(&s->spans, &s->room, s->count + 1, sizeof *s->spans))
        return fail_memory(err);
    s->spans[s->count++] = (struct cdt_span){first, last, offset};
    return RAS_OK;
}

static void note_ending(struct cdt_side *s, enum ras_ending_kind kind, uint64_t offset,
                        const char *why)
{
    struct ras_trace *t = s->trace;
    snprintf(t->ending_why, sizeof t->ending_why, "%.*s", (int)sizeof t->ending_why - 1, why);
    t->ending = (struct ras_ending){kind, 0, offset, s->file.len, t->ending_why};
    s->lost = kind > RAS_UNSEALED;
}

static int index_blocks(struct cdt_side *s, const struct ras_cdt_trace_footer *f,
                        struct ras_error *err)
{
    for (size_t i = 0; i < f->tick_blocks.count; i++) {
        const struct ras_cdt_tick_block_index_entry *e = &f->tick_blocks.at[i];
        int status = add_span(s, e->start_tick, e->end_tick, (uint64_t)e->file_offset, err);
        if (status < 0)
            return status;
    }
    note_ending(s, RAS_COMPLETE, s->file.len, "");
    return RAS_OK;
}

/* Whether every entry of the index leads to a block. */
static bool index_leads(const struct cdt_side *s, const struct ras_cdt_trace_footer *f)
{
    struct ras_cdt_chunk chunk;
    for (size_t i = 0; i < f->tick_blocks.count; i++)
        if (ras_cdt_chunk_get(s->file, (uint64_t)f->tick_blocks.at[i].file_offset, &chunk, NULL) <
                0 ||
            chunk.kind != RAS_CDT_TICK)
            return false;
    return true;
}

/* Without an index: reads chunk by chunk to the footer, the end, or the first bytes that are not a
 * chunk. */
static int walk_blocks(struct cdt_side *s, struct ras_error *err)
{
    const struct cdt_trace *cdt = s->trace->priv;
    uint64_t at = s->trace->body;
    struct ras_cdt_chunk chunk;
    struct ras_error ours;
    for (; at < s->file.len; at += cdt_chunk_size(&chunk)) {
        if (ras_cdt_chunk_get(s->file, at, &chunk, &ours) < 0)
            break;
        if (chunk.kind == RAS_CDT_FOTR && s->file.len - at >= cdt_chunk_size(&chunk))
            break;
        if (chunk.kind == RAS_CDT_UNKNOWN) {
            note_ending(s, RAS_DAMAGED, at, "unknown chunk kind");
            return RAS_OK;
        }
        if (s->file.len - at < cdt_chunk_size(&chunk)) {
            fail(&ours, RAS_ECUT, at,
                 "truncated chunk payload: %" PRIu32 " bytes, %" PRIu64 " left",
                 chunk.compressed_len, s->file.len - at - RAS_CDT_CHUNK_HEADER_SIZE);
            break;
        }
        int status = chunk.kind == RAS_CDT_TICK
                         ? add_span(s, chunk.start_tick, chunk.end_tick, at, err)
                         : RAS_OK;
        if (status < 0)
            return status;
    }
    bool whole =
        at >= s->file.len || cdt_kind_starts(s->file.at + at, s->file.len - at) == RAS_CDT_FOTR;
    if (whole)
        s->ticks_end = at;
    note_ending(s,
                !whole             ? RAS_CUT
                : cdt->unsealed[0] ? RAS_UNSEALED
                                   : RAS_COMPLETE,
                at < s->file.len ? at : s->file.len, whole ? cdt->unsealed : ours.text);
    return RAS_OK;
}

/* The index is trusted only if it agrees with the chunks' headers. */
void cdt_side_order(struct cdt_side *s)
{
    const struct cdt_footer *footer = cdt_footer_now(s->trace);
    const struct ras_cdt_trace_footer *f = footer ? &footer->footer : NULL;
    uint64_t rows = 0;
    struct ras_cdt_chunk chunk;
    s->ordered = s->exact = true;
    for (size_t i = 0; i < s->count; i++) {
        const struct cdt_span *b = &s->spans[i];
        s->ordered &= b->first <= b->last && (!i || b->first > s->spans[i - 1].last);
        s->exact &= s->ordered && ras_cdt_chunk_get(s->file, b->offset, &chunk, NULL) == RAS_OK &&
                    chunk.kind == RAS_CDT_TICK && chunk.start_tick == b->first &&
                    chunk.end_tick == b->last && s->file.len - b->offset >= cdt_chunk_size(&chunk);
        rows += (uint64_t)b->last - (uint64_t)b->first + 1;
    }
    s->exact &= f && rows == (uint64_t)f->tick_count;
}

static void note_damage(struct cdt_side *s, uint64_t at, const char *why)
{
    note_ending(s, RAS_DAMAGED, at, why);
    s->lost = false; /* nothing is missing after the last block */
}

void cdt_side_damaged(struct cdt_side *s, size_t span, const char *why)
{
    s->damaged = true;
    s->damaged_span = span;
    note_damage(s, s->spans[span].offset, why);
}

/* Notes bytes after the first trailer, where a trace must end. */
static void note_trailing(struct cdt_side *s, uint64_t footer)
{
    char why[80];
    uint64_t other, at;
    struct ras_cdt_chunk chunk;
    if (ras_cdt_chunk_get(s->file, footer, &chunk, NULL) < 0)
        return;
    at = footer + cdt_chunk_size(&chunk) + RAS_CDT_TRAILER_SIZE;
    struct ras_bytes first = {s->file.at, (size_t)at};
    if (at >= s->file.len || ras_cdt_trailer_get(first, &other, NULL) < 0)
        return;
    snprintf(why, sizeof why, "%" PRIu64 " bytes after the trailer", s->file.len - at);
    note_damage(s, at, why);
}

/* Checks for bytes between the blocks, which the index skips but a reader meets, and notes the
 * ending. */
static void check_gaps(struct cdt_side *s)
{
    char why[120], kind[32];
    struct ras_cdt_chunk chunk;
    struct ras_error ours;
    uint64_t at = s->trace->body, footer = s->ticks_end;
    if (footer == RAS_NONE)
        return;
    note_trailing(s, footer);
    for (; at < footer; at += cdt_chunk_size(&chunk)) {
        if (ras_cdt_chunk_get(s->file, at, &chunk, &ours) < 0)
            snprintf(why, sizeof why, "%.100s", ours.text);
        else if (chunk.kind != RAS_CDT_TICK)
            snprintf(why, sizeof why, "a chunk of kind %s between ticks and footer",
                     cdt_kind_show(&chunk, kind, sizeof kind));
        else if (footer - at < cdt_chunk_size(&chunk))
            snprintf(why, sizeof why,
                     "a chunk of %" PRIu64 " bytes, the footer comes after %" PRIu64,
                     cdt_chunk_size(&chunk), footer - at);
        else
            continue;
        note_damage(s, at, why);
        return;
    }
}

/* The reference reader needs the footer and its index; chunks provide the same information. */
static int find_blocks(struct cdt_side *s, bool compat, struct ras_error *err)
{
    struct cdt_trace *cdt = s->trace->priv;
    uint64_t offset;
    const struct cdt_footer *footer = cdt_footer_now(s->trace);
    s->sealed = ras_cdt_trailer_get(s->file, &offset, NULL) == RAS_OK;
    if (cdt->nomem)
        return fail_memory(err);
    bool leads = footer && (s->ranged || index_leads(s, &footer->footer));
    if (!compat && !leads) {
        s->sealed = false;
        int status = walk_blocks(s, err);
        if (footer && s->trace->ending.kind == RAS_COMPLETE)
            note_ending(s, RAS_UNSEALED, footer->offset,
                        "the index has an entry that does not point at a block of ticks");
        return status;
    }
    if (s->sealed)
        s->ticks_end = offset;
    if (s->sealed && !footer) {
        struct ras_error ours = {.status = RAS_EFORMAT, .offset = offset};
        snprintf(ours.text, sizeof ours.text, "%s", cdt->unsealed);
        return refuse_chunk(s, offset, &ours, err);
    }
    return footer ? index_blocks(s, &footer->footer, err) : walk_blocks(s, err);
}

static int side_open(struct cdt_side *s, struct ras_trace *t, const struct cdt_struct *as,
                     bool compat, bool ranged, struct ras_error *err)
{
    struct cdt_trace *cdt = t->priv;
    *s = (struct cdt_side){.trace = t,
                           .model = cdt->meta.model,
                           .as = as,
                           .limit = t->limits.chunk_bytes,
                           .ticks_end = RAS_NONE};
    /* A pipe is read to its end first: the index is there. */
    while (source_growing(t->source)) {
        int status = ras_wait(t, -1, err);
        if (status < 0)
            return status;
        if (status == RAS_END)
            break;
        if (status == RAS_WAIT && !source_interrupted(t->source)) /* only its owner can fill it */
            return fail(err, RAS_EUSAGE, RAS_NONE,
                        "the memory is not complete: call ras_trace_grow() first");
    }
    s->ranged = ranged && !compat && cdt_spread_index(t);
    s->file = s->ranged ? source_arrived(t->source, 0) : source_bytes(t->source, 0);
    s->meta = &cdt->meta.meta;
    struct cdt_text text;
    s->strict = compat && s->model->container == 2;
    if (s->strict && !cdt_container_holds(t, false, &text))
        return text.nomem ? fail_memory(err) : fail(err, RAS_EREFUSED, RAS_NONE, "%s", text.text);
    int status = side_check_meta(s, err);
    if (status == RAS_OK)
        status = find_blocks(s, compat, err);
    if (status == RAS_OK && !compat && !s->ranged)
        check_gaps(s);
    return status;
}

int cdt_side_open(struct cdt_side *s, struct ras_trace *t, const struct cdt_struct *as, bool compat,
                  struct ras_error *err)
{
    return side_open(s, t, as, compat, false, err);
}

int cdt_side_open_ranged(struct cdt_side *s, struct ras_trace *t, const struct cdt_struct *as,
                         bool compat, struct ras_error *err)
{
    return side_open(s, t, as, compat, true, err);
}

bool cdt_side_fails_ranged(const struct cdt_side *s, int status)
{
    return s->ranged && (status == RAS_EFORMAT || status == RAS_ECUT || status == RAS_EREFUSED ||
                         status == RAS_ENOTHING);
}

void cdt_side_close(struct cdt_side *s)
{
    free(s->spans);
    s->spans = NULL;
}

/* ---- reading ----------------------------------------------------------------- */

/* Where the chunk at `offset` ends; RAS_NONE: it is none, or cannot be fetched. */
static uint64_t chunk_end(const struct cdt_side *s, uint64_t offset)
{
    struct ras_cdt_chunk chunk;
    return source_need(s->trace->source, 0, offset, offset + RAS_CDT_CHUNK_HEADER_SIZE, NULL,
                       NULL) == RAS_OK &&
                   ras_cdt_chunk_get(s->file, offset, &chunk, NULL) == RAS_OK
               ? offset + cdt_chunk_size(&chunk)
               : RAS_NONE;
}

/* Fetches a block, and finds out whether the index lacks one before or after it. */
static int reach_block(const struct cdt_side *s, size_t span, struct ras_error *err)
{
    uint64_t offset = s->spans[span].offset;
    uint64_t next = span + 1 < s->count ? s->spans[span + 1].offset : s->ticks_end;
    uint64_t before = span ? chunk_end(s, s->spans[span - 1].offset) : s->trace->body;
    if (!cdt_reach_chunk(s->trace, offset))
        return source_fault(s->trace->source, err);
    if (before == offset && chunk_end(s, offset) == next)
        return RAS_OK;
    return fail(err, RAS_EFORMAT, offset, "the blocks before and after do not join");
}

int cdt_side_try(const struct cdt_side *s, size_t span, struct cdt_memory *memory,
                 struct cdt_block *block, struct ras_error *err)
{
    int status = s->ranged ? reach_block(s, span, err) : (int)RAS_OK;
    if (status < 0)
        return status;
    return cdt_block_load(memory, s->file, s->spans[span].offset, s->limit, s->as, block, err);
}

static const struct ras_cdt_tick_block_index_entry *entry_of(const struct cdt_side *s, size_t span)
{
    return &cdt_footer_now(s->trace)->footer.tick_blocks.at[span];
}

int cdt_side_rules(const struct cdt_side *s, size_t span, const struct cdt_block *block,
                   struct ras_error *err)
{
    struct cdt_text text;
    if (cdt_entry_holds(s->trace, entry_of(s, span), block, RAS_OK, NULL, "tick_block", &text) &&
        cdt_block_holds(s->trace, entry_of(s, span), &block->block, &text))
        return RAS_OK;
    return fail(err, RAS_EREFUSED, s->spans[span].offset, "%s", text.text);
}

/* Reads a block again that does not decode, for the words of the reference reader. */
static int refuse_block(const struct cdt_side *s, size_t span, struct ras_error *err)
{
    struct cdt_memory memory = {0};
    struct cdt_block block;
    struct ras_error ours;
    struct cdt_text text = {""};
    int status = cdt_block_load(&memory, s->file, s->spans[span].offset, s->limit, s->model->block,
                                &block, &ours);
    (void)cdt_entry_holds(s->trace, entry_of(s, span), &block, status, &ours, "tick_block", &text);
    cdt_memory_free(&memory);
    return fail(err, RAS_EREFUSED, s->spans[span].offset, "%s", text.text);
}

int cdt_side_explain(struct cdt_side *s, size_t span, int status, const struct ras_error *ours,
                     struct ras_error *err)
{
    uint64_t offset = s->spans[span].offset;
    if (s->strict && status != RAS_EMEMORY)
        return refuse_block(s, span, err);
    if (s->sealed || status == RAS_EMEMORY)
        return refuse_chunk(s, offset, ours, err);
    s->count = span;
    note_ending(s, RAS_DAMAGED, offset, ours->text);
    return RAS_END;
}

int cdt_side_load(struct cdt_side *s, size_t span, struct cdt_memory *memory,
                  struct cdt_block *block, struct ras_error *err)
{
    struct ras_error ours;
    int status = cdt_side_try(s, span, memory, block, &ours);
    if (s->ranged && status < 0 && status != RAS_EMEMORY) {
        if (err)
            *err = ours;
        return status;
    }
    if (status == RAS_OK && s->strict && s->as == s->model->block)
        return cdt_side_rules(s, span, block, err);
    return status == RAS_OK ? RAS_OK : cdt_side_explain(s, span, status, &ours, err);
}

int cdt_side_tick(struct cdt_side *s, int64_t tick, struct cdt_memory *memory,
                  struct cdt_block *block, const struct ras_cdt_tick_record **row,
                  struct ras_error *err)
{
    *row = NULL;
    for (size_t i = 0; i < s->count; i++) {
        if (tick < s->spans[i].first || tick > s->spans[i].last)
            continue;
        int status = cdt_side_load(s, i, memory, block, err);
        if (status != RAS_OK)
            return status < 0 ? status : RAS_OK;
        for (size_t k = 0; k < block->block.ticks.count && !*row; k++)
            if (block->block.ticks.at[k].tick_index == tick)
                *row = &block->block.ticks.at[k];
        return RAS_OK;
    }
    return RAS_OK;
}

int cdt_walk_next(struct cdt_walk *w, const struct ras_cdt_tick_record **row, struct ras_error *err)
{
    for (;;) {
        while (w->loaded && w->row < w->block.block.ticks.count) {
            *row = &w->block.block.ticks.at[w->row++];
            if (window_holds(&w->window, (*row)->tick_index))
                return RAS_OK;
        }
        if (w->loaded)
            w->span++;
        w->loaded = false;
        while (w->span < w->side->count && !window_meets(&w->window, &w->side->spans[w->span]))
            w->span++;
        if (w->span >= w->side->count)
            return RAS_END;
        if (!passes_at(&w->side->passes, w->side->spans[w->span].offset, w->side->file.len))
            return fail_canceled(err);
        int status = cdt_side_load(w->side, w->span, &w->memory, &w->block, err);
        if (status != RAS_OK)
            return status;
        w->loaded = true;
        w->row = 0;
    }
}

void cdt_walk_close(struct cdt_walk *w)
{
    cdt_memory_free(&w->memory);
}

/* ---- blocks decoded ahead by a thread ---------------------------------------------------- */

enum { SLOTS = 3 }; /* one is in use, one is ready, one is being decoded */

/* Size of a file that takes longer to decode than a thread to start. */
enum { WORTH_A_THREAD = 1 << 18 };

struct slot {
    struct cdt_memory memory;
    struct cdt_block block;
    struct ras_error err;
    int status;
};

struct cdt_ahead {
    const struct cdt_side *side;
    const size_t *spans;
    size_t count;
    struct slot slots[SLOTS];
    bool threaded;
    struct os_thread thread;
    struct os_mutex lock; /* guards the members below and the ownership of slots */
    struct os_condition changed;
    size_t made;   /* blocks decoded so far */
    size_t taken;  /* how many of them were handed out */
    bool released; /* the last one handed out was released */
    bool stop;
};

static void ahead_decode(struct cdt_ahead *a, size_t i)
{
    struct slot *s = &a->slots[i % SLOTS];
    s->status = cdt_side_try(a->side, a->spans[i], &s->memory, &s->block, &s->err);
}

/* A slot is free after its block was handed out and released. */
static bool has_room(const struct cdt_ahead *a)
{
    size_t held = a->made - a->taken + (a->taken && !a->released);
    return held < SLOTS;
}

static void *decode_all(void *user)
{
    struct cdt_ahead *a = user;
    for (size_t i = 0; i < a->count; i++) {
        mutex_lock(&a->lock);
        while (!has_room(a) && !a->stop)
            condition_wait(&a->changed, &a->lock);
        bool stop = a->stop;
        mutex_unlock(&a->lock);
        if (stop)
            return NULL;
        ahead_decode(a, i);
        mutex_lock(&a->lock);
        a->made++;
        condition_notify_all(&a->changed);
        mutex_unlock(&a->lock);
    }
    return NULL;
}

int cdt_ahead_open(struct cdt_ahead **out, const struct cdt_side *side, const size_t *spans,
                   size_t count, struct ras_error *err)
{
    struct cdt_ahead *a = *out = calloc(1, sizeof *a);
    if (!a)
        return fail_memory(err);
    a->side = side;
    a->spans = spans;
    a->count = count;
    if (!mutex_init(&a->lock)) {
        free(a);
        *out = NULL;
        return fail_memory(err);
    }
    if (!condition_init(&a->changed)) {
        mutex_free(&a->lock);
        free(a);
        *out = NULL;
        return fail_memory(err);
    }
    bool worth = count && side->file.len >= WORTH_A_THREAD;
    a->threaded = worth && thread_start(&a->thread, decode_all, a);
    return RAS_OK;
}

/* Waits until the next block is decoded, or decodes it here. */
static void ahead_wait(struct cdt_ahead *a)
{
    if (!a->threaded) {
        ahead_decode(a, a->taken);
        a->made++;
        return;
    }
    mutex_lock(&a->lock);
    a->released = true;
    condition_notify_all(&a->changed);
    while (a->made == a->taken)
        condition_wait(&a->changed, &a->lock);
    mutex_unlock(&a->lock);
}

int cdt_ahead_next(struct cdt_ahead *a, const struct cdt_block **block, size_t *span,
                   struct ras_error *err)
{
    if (a->taken == a->count)
        return RAS_END;
    ahead_wait(a);
    *span = a->spans[a->taken];
    struct slot *s = &a->slots[a->taken % SLOTS];
    mutex_lock(&a->lock);
    a->taken++;
    a->released = false;
    mutex_unlock(&a->lock);
    *block = &s->block;
    if (s->status < 0 && err)
        *err = s->err;
    return s->status;
}

void cdt_ahead_close(struct cdt_ahead *a)
{
    if (!a)
        return;
    if (a->threaded) {
        mutex_lock(&a->lock);
        a->stop = true;
        condition_notify_all(&a->changed);
        mutex_unlock(&a->lock);
        thread_join(&a->thread);
    }
    condition_free(&a->changed);
    mutex_free(&a->lock);
    for (int i = 0; i < SLOTS; i++)
        cdt_memory_free(&a->slots[i].memory);
    free(a);
}
