/* cdt_rewrite.c - copies ticks of one or more traces into a new one.
 *
 * A chunk whose records are all selected is copied as stored. Of other chunks, rows that are
 * selected completely are copied unchanged into a new chunk; a tick is encoded again only if some
 * of its records are dropped or the style changes. A first pass counts, because META contains the
 * number of ticks and whole chunks must be known. */
#include "formats/cdt/cdt_rewrite.h"
#include "base/memory.h"

/* ---- META of a slice, of joined traces, of another style --------------------------------- */

enum ras_cdt_style cdt_style_of(const char *dialect)
{
    return !strcmp(dialect, "zig") ? RAS_CDT_ZIG : RAS_CDT_PYTHON;
}

static const struct cdt_trace *source_at(const struct rewrite *rw, size_t i)
{
    return rw->sources[rw->order[i]]->priv;
}

/* ---- one run ------------------------------------------------------------------------- */

static const struct cdt_model *target_model(const struct rewrite *rw)
{
    return source_at(rw, 0)->meta.model;
}

/* Container 2 has one style, whatever its dialect. */
static enum ras_cdt_style target_style(const struct rewrite *rw)
{
    return target_model(rw)->container == 2 ? RAS_CDT_PYTHON : cdt_style_of(rw->target);
}

/* Encodes META without the fields in which two pieces of one run may differ. */
static bool put_comparable_meta(const struct cdt_meta *meta, struct out *out)
{
    struct ras_cdt_trace_meta run = meta->meta;
    struct cdt_problem problem;
    run.created_utc = (struct ras_bytes){0};
    run.tick_range = (struct ras_cdt_trace_tick_range){0};
    return cdt_encode(meta->model->meta, &run, RAS_CDT_PYTHON, out, &problem);
}

static int same_run(const struct rewrite *rw, size_t i, struct ras_error *err)
{
    const struct cdt_meta *a = &source_at(rw, 0)->meta, *b = &source_at(rw, i)->meta;
    struct out x = {0}, y = {0};
    if (a->model->container != b->model->container)
        return fail(err, RAS_EUSAGE, 0,
                    "trace %zu has container %" PRIu32 ", trace %zu container %" PRIu32,
                    rw->order[0] + 1, a->model->container, rw->order[i] + 1, b->model->container);
    if (a->typed != b->typed || a->meta.trace_schema_version != b->meta.trace_schema_version)
        return fail(err, RAS_EUSAGE, RAS_CDT_HEADER_SIZE,
                    "trace %zu has schema version %" PRId64 ", trace %zu %" PRId64,
                    rw->order[0] + 1, a->meta.trace_schema_version, rw->order[i] + 1,
                    b->meta.trace_schema_version);
    if (!a->complete || !b->complete)
        return RAS_OK;
    int status =
        put_comparable_meta(a, &x) && put_comparable_meta(b, &y) ? RAS_OK : fail_memory(err);
    if (status == RAS_OK && (x.len != y.len || memcmp(x.at, y.at, x.len) != 0))
        status = fail(err, RAS_EUSAGE, RAS_CDT_HEADER_SIZE,
                      "producer, source or status in META of trace %zu and trace %zu differ: they "
                      "are not of the same run",
                      rw->order[0] + 1, rw->order[i] + 1);
    out_free(&x);
    out_free(&y);
    return status;
}

/* Whether the sources can be joined: same schema, same run. */
static int cdt_rewrite_check(const struct rewrite *rw, struct ras_error *err)
{
    const struct ras_trace *first = rw->sources[rw->order[0]];
    if (!strcmp(rw->target, "frida") && strcmp(first->dialect, "frida") != 0)
        return fail(err, RAS_EUSAGE, RAS_NONE,
                    "a %s trace cannot be converted to dialect frida, which is written like python",
                    first->dialect);
    if (target_model(rw)->container == 2 && strcmp(rw->target, first->dialect) != 0)
        return fail(err, RAS_EUNSUPPORTED, RAS_NONE,
                    "a %s trace of container 2 cannot be converted to dialect %s: its rows are "
                    "copied as they are stored",
                    first->dialect, rw->target);
    int status = RAS_OK;
    for (size_t i = 1; status == RAS_OK && i < rw->count; i++)
        status = same_run(rw, i, err);
    for (size_t i = 0; status == RAS_OK && i < rw->count; i++)
        if (!source_at(rw, i)->meta.typed &&
            cdt_style_in(rw->sources[rw->order[i]]) != target_style(rw))
            status = fail(err, RAS_EUNSUPPORTED, RAS_CDT_HEADER_SIZE,
                          "ticks of schema version %" PRId64
                          " cannot be converted to %s: their structs are not known",
                          source_at(rw, i)->meta.meta.trace_schema_version, rw->target);
    return status;
}

/* ---- the new META ---------------------------------------------------------------------- */

/* A dialect is recognised by its producer's name, so another style needs another name. */
static void name_producer(struct rewrite *rw, struct ras_cdt_trace_meta *meta)
{
    struct ras_bytes *impl = &meta->producer.impl;
    bool zig = target_style(rw) == RAS_CDT_ZIG;
    const char *name = zig ? "zig" : "python";
    if (target_model(rw)->container == 2)
        return;
    if (zig ? !cdt_text_is(*impl, "python") && !cdt_text_is(*impl, "frida_original")
            : !cdt_text_is(*impl, "zig"))
        return;
    rewrite_note(rw, "producer.impl changes to %s, it was %.*s", name, (int)impl->len,
                 (const char *)impl->at);
    *impl = (struct ras_bytes){(const uint8_t *)name, strlen(name)};
}

/* Members of META that are set but do not exist in zig. */
static unsigned beyond_zig(const struct ras_cdt_trace_meta *meta)
{
    const struct ras_cdt_trace_source *s = &meta->source;
    const struct ras_cdt_game_status_data *g = &meta->status;
    unsigned count = ras_cdt_has(&s->node, RAS_CDT_SOURCE_KIND);
    for (unsigned m = RAS_CDT_SOURCE_RUN_ID; m <= RAS_CDT_SOURCE_RUN_START_SEED_SOURCE; m++)
        count += ras_cdt_has(&s->node, m);
    if (!ras_cdt_has(&meta->node, RAS_CDT_META_STATUS))
        return count;
    const int64_t numbers[] = {g->mode_play_survival, g->mode_play_rush, g->mode_play_typo,
                               g->mode_play_other, g->game_sequence_id};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        count += numbers[i] != 0;
    bool plays = false, tail = g->unknown_tail.len != 16;
    for (size_t i = 0; i < RAS_CDT_QUEST_COUNT; i++)
        plays |= g->quest_play_counts[i].value != 0;
    for (size_t i = 0; i < g->unknown_tail.len; i++)
        tail |= g->unknown_tail.at[i] != 0;
    return count + plays + tail;
}

static bool same_range(const struct ras_cdt_trace_tick_range *range, const struct cdt_bounds *rows)
{
    return range->start_tick == rows->first && range->end_tick == rows->last &&
           (uint64_t)range->tick_count == rows->rows;
}

static int rewrite_meta(struct rewrite *rw, const struct cdt_bounds *rows, struct out *out,
                        struct ras_error *err)
{
    const struct cdt_trace *cdt = source_at(rw, 0);
    enum ras_cdt_style style = target_style(rw);
    if (cdt->no_meta) {
        struct ras_cdt_trace_meta plain = cdt_meta_plain(target_model(rw), cdt->meta.typed, style,
                                                         rows->first, rows->last, rows->rows);
        rewrite_note(rw, "META cannot be used: the new one has only the producer and the ticks");
        return cdt_struct_seal(out, RAS_CDT_META, &plain, target_model(rw), style, err);
    }
    struct ras_cdt_trace_meta meta = cdt->meta.meta;
    meta.tick_range = (struct ras_cdt_trace_tick_range){
        .start_tick = rows->first, .end_tick = rows->last, .tick_count = (int64_t)rows->rows};
    name_producer(rw, &meta);
    unsigned lost = style == RAS_CDT_ZIG ? beyond_zig(&meta) : 0;
    if (lost)
        rewrite_note(rw, "%s of META cannot be stored in style zig and are left out",
                     ras_counted(lost, "member").text);
    return cdt_struct_seal(out, RAS_CDT_META, &meta, target_model(rw), style, err);
}

/* Appends the header and META of the new trace, which has these rows. */
static int cdt_rewrite_head(struct rewrite *rw, const struct cdt_bounds *rows, struct out *out,
                            struct ras_error *err)
{
    const struct ras_trace *first = rw->sources[rw->order[0]];
    const struct cdt_trace *cdt = first->priv;
    const struct cdt_meta *m = &cdt->meta;
    bool kept = !cdt->no_meta && cdt_style_in(first) == target_style(rw) &&
                (!m->typed || same_range(&m->meta.tick_range, rows));
    struct ras_bytes file = source_bytes(first->source, 0);
    out_bytes(out, file.at, kept ? (size_t)first->body : RAS_CDT_HEADER_SIZE);
    if (out->failed)
        return fail_memory(err);
    return kept ? RAS_OK : rewrite_meta(rw, rows, out, err);
}

/* ---- rows -------------------------------------------------------------------------------- */

/* A chunk of a source, and how many of its records are selected; or all chunks up to `end` with all
 * of their records. */
struct piece {
    size_t source;
    uint64_t at, records;
    uint64_t end; /* 0: a single chunk */
};

/* The selected elements of one list of a tick; they are adjacent. */
struct mark {
    size_t first, count;
};

struct copier {
    enum ras_cdt_style style;
    struct cdt_bounds rows; /* from the first pass */
    bool any;               /* a record was selected */
    uint64_t tick_seq;      /* of the tick of the last record */
    struct piece *pieces;
    size_t piece_count, piece_room;

    struct ras_cdt_writer *writer;
    size_t piece;    /* the current one */
    uint64_t taken;  /* of its records */
    bool whole;      /* it was copied as stored */
    size_t tick;     /* index of the current tick in its block */
    bool open;       /* it is to be written */
    uint64_t marked; /* its selected records */
    struct mark marks[CDT_ROWS];

    uint64_t along[CDT_ROWS]; /* kept, but hidden or not requested */
    /* Records and keys that style zig cannot express, or that no struct has. */
    uint64_t hits, tutorials, typos, unknown;
};

static bool is_typed(const struct taken *t)
{
    return ((const struct cdt_trace *)t->cursor->trace->priv)->meta.typed;
}

/* The reader of container 2 refuses a trace whose ticks do not follow each other. */
static bool is_unbroken(const struct ras_trace *t)
{
    return cdt_model_in(t)->container == RAS_CDT_FORMAT_VERSION_2;
}

/* Whether a record is copied: where ticks must follow each other, those in range are, with none of
 * their rows if no type of these was requested. */
static bool stays(const struct taken *t)
{
    return t->wanted ||
           (t->in_range && t->record->parent == RAS_NONE && is_unbroken(t->cursor->trace));
}

/* Offset of a record in its payload. */
static uint32_t place_of(const struct taken *t)
{
    const struct cdt_cursor *p = t->cursor->priv;
    return (uint32_t)(t->record->raw - p->block.loaded.payload.at);
}

/* Finds the tick of a record in the cursor's block; the tick is not before `from`. */
static size_t find_tick(const struct taken *t, size_t from)
{
    const struct cdt_cursor *p = t->cursor->priv;
    const struct ras_cdt_tick_record *ticks = p->block.block.ticks.at;
    uint32_t place = place_of(t);
    while (ticks[from].node.at + ticks[from].node.length <= place)
        from++;
    return from;
}

/* The tick_index of a record's tick, which becomes the current tick. */
static int64_t tick_index_of(struct copier *k, const struct taken *t)
{
    const struct cdt_cursor *p = t->cursor->priv;
    if (!is_typed(t))
        return t->record->flags & RAS_HAS_TICK ? (int64_t)t->record->tick : 0;
    k->tick = find_tick(t, k->tick);
    return p->block.block.ticks.at[k->tick].tick_index;
}

static uint64_t records_of(const struct taken *t, const struct ras_cdt_tick_record *tick)
{
    uint64_t sum = 0;
    size_t count;
    for (unsigned row = 0; row < cdt_model_in(t->cursor->trace)->row_count; row++) {
        cdt_row_first(&cdt_rows[row], tick, &count);
        sum += count;
    }
    return sum;
}

/* ---- whole chunks ------------------------------------------------------------------------ */

static uint64_t chunk_records(const struct taken *t)
{
    const struct cdt_cursor *p = t->cursor->priv;
    uint64_t sum = 0;
    for (uint64_t i = 0; i < p->tick_count; i++)
        sum += records_of(t, &p->block.block.ticks.at[i]);
    return sum;
}

/* Whether this record is the first of its chunk and all records of the chunk are selected. */
static bool takes_chunk(const struct rewrite *rw, const struct taken *t)
{
    const struct ras_rewrite_options *o = rw->options;
    const struct cdt_cursor *p = t->cursor->priv;
    if (o->type_count || o->axis == RAS_AXIS_TIME || !is_typed(t) ||
        t->record->parent != RAS_NONE || place_of(t) != p->block.block.ticks.at[0].node.at)
        return false;
    for (uint64_t i = 0; o->axis == RAS_AXIS_TICK && i < p->tick_count; i++) {
        int64_t tick = p->block.block.ticks.at[i].tick_index;
        if (tick < 0 || (uint64_t)tick < o->from || ((uint64_t)tick >= o->to && o->to != RAS_NONE))
            return false;
    }
    uint64_t ahead = rewrite_ahead(rw, t);
    return ahead && ahead >= chunk_records(t) - 1;
}

/* Leaves the chunk after its first record. */
static void pass_chunk(const struct taken *t)
{
    struct cdt_cursor *p = t->cursor->priv;
    p->loaded = false;
    t->cursor->in.at = t->cursor->base + p->chunk_end;
    t->cursor->seq += chunk_records(t) - 1;
}

static bool same_style(const struct copier *k, const struct taken *t)
{
    return cdt_style_in(t->cursor->trace) == k->style;
}

/* Whether a block has one row for each of its ticks: then the following ones probably do, too. */
static bool has_each_tick(const struct taken *t)
{
    const struct cdt_cursor *p = t->cursor->priv;
    const struct ras_cdt_tick_record *ticks = p->block.block.ticks.at;
    return ticks[p->tick_count - 1].tick_index - ticks[0].tick_index == (int64_t)p->tick_count - 1;
}

/* After a chunk that is selected completely: skips the following ones that are, by their
 * headers. */
static int skim(const struct rewrite *rw, const struct taken *t, struct ras_error *err)
{
    struct copier *k = rw->priv;
    struct ras_cursor *c = t->cursor;
    const struct cdt_cursor *p = c->priv;
    if (rw->careful || rewrite_ahead(rw, t) != UINT64_MAX || !same_style(k, t) || !has_each_tick(t))
        return RAS_OK;
    struct ras_bytes file = source_bytes(c->trace->source, 0);
    uint64_t end = cdt_skim(file, p->chunk_end, rw->options, &k->rows);
    if (end == p->chunk_end)
        return RAS_OK;
    if (!array_grow(&k->pieces, &k->piece_room, k->piece_count + 1, sizeof *k->pieces))
        return fail_memory(err);
    k->pieces[k->piece_count++] = (struct piece){t->source, p->chunk_end, 0, end};
    c->in.at = c->base + end;
    return RAS_OK;
}

/* ---- the first pass --------------------------------------------------------------------- */

static int rewrite_begin(struct rewrite *rw, struct ras_error *err)
{
    struct copier *k = rw->priv;
    k->style = target_style(rw);
    k->tick_seq = RAS_NONE;
    int status = rw->count > 1 ? rewrite_adjoin(rw, err) : RAS_OK;
    return status == RAS_OK ? cdt_rewrite_check(rw, err) : status;
}

static int need(struct rewrite *rw, const struct taken *t, struct ras_error *err)
{
    struct copier *k = rw->priv;
    const struct ras_record *r = t->record;
    if (!stays(t))
        return RAS_OK;
    k->any |= t->wanted;
    struct piece *piece = k->piece_count ? &k->pieces[k->piece_count - 1] : NULL;
    bool other = !piece || piece->source != t->source;
    if (other || piece->at != r->offset) {
        if (!array_grow(&k->pieces, &k->piece_room, k->piece_count + 1, sizeof *k->pieces))
            return fail_memory(err);
        piece = &k->pieces[k->piece_count++];
        *piece = (struct piece){t->source, r->offset, 0, 0};
        k->tick = 0;
    }
    if (takes_chunk(rw, t)) {
        const struct cdt_cursor *p = t->cursor->priv;
        const struct ras_cdt_tick_record *ticks = p->block.block.ticks.at;
        for (uint64_t i = 0; i < p->tick_count; i++)
            cdt_bounds_add(&k->rows, ticks[i].tick_index, ticks[i].tick_index, 1);
        piece->records += chunk_records(t);
        k->tick_seq = RAS_NONE;
        pass_chunk(t);
        return skim(rw, t, err);
    }
    piece->records++;
    uint64_t seq = r->parent == RAS_NONE ? r->seq : r->parent;
    if (other || seq != k->tick_seq) {
        int64_t index = tick_index_of(k, t);
        cdt_bounds_add(&k->rows, index, index, 1);
    }
    k->tick_seq = seq;
    return RAS_OK;
}

static int between(struct rewrite *rw, struct ras_error *err)
{
    struct copier *k = rw->priv;
    /* Chunks end where those of the source ended. */
    const struct ras_cdt_writer_options options = {
        .style = k->style, .chunk_ticks = UINT32_MAX, .chunk_bytes = UINT32_MAX};
    struct out head = {0};
    if (!k->any) /* readers refuse a trace without ticks */
        return RAS_END;
    if (is_unbroken(rw->sources[rw->order[0]]) &&
        (uint64_t)k->rows.last - (uint64_t)k->rows.first + 1 != k->rows.rows)
        rewrite_note(rw,
                     "not each of the ticks %" PRId64 " to %" PRId64
                     " is there once: the reference reader refuses such a trace",
                     k->rows.first, k->rows.last);
    int status = cdt_rewrite_head(rw, &k->rows, &head, err);
    if (status == RAS_OK)
        status = cdt_writer_begin(&k->writer, rw->sink, (struct ras_bytes){head.at, head.len},
                                  target_model(rw), &options, err);
    out_free(&head);
    return status;
}

/* ---- a tick -------------------------------------------------------------------------------- */

static int put_raw(struct copier *k, struct ras_bytes row, int64_t tick_index,
                   struct ras_error *err)
{
    struct out *rows = cdt_writer_rows(k->writer);
    size_t before = rows->len;
    out_bytes(rows, row.at, row.len);
    if (rows->failed)
        return fail_memory(err);
    return cdt_writer_take(k->writer, before, tick_index, err);
}

static void count_losses(struct copier *k, const struct ras_cdt_replay_checkpoint *point)
{
    k->hits += point->events.hit_head.count;
    k->tutorials += ras_cdt_has(&point->node, RAS_CDT_CHECKPOINT_TUTORIAL);
    k->typos += ras_cdt_has(&point->node, RAS_CDT_CHECKPOINT_TYPO);
}

/* spec "Channel contract": every tick has a gpur_enter sample, so it is included, and so are those
 * between it and the selected ones. */
static void mark_timing(struct mark *m, const struct ras_cdt_tick_record *tick)
{
    static const char enter[] = "gpur_enter";
    size_t i = 0, end = m->first + m->count;
    const struct ras_cdt_timing_sample_row *rows = tick->channels.timing_samples.at;
    while (i < tick->channels.timing_samples.count &&
           (rows[i].phase.len != strlen(enter) || memcmp(rows[i].phase.at, enter, strlen(enter))))
        i++;
    if (i == tick->channels.timing_samples.count)
        return;
    if (!m->count)
        *m = (struct mark){i, 1};
    else if (i < m->first)
        *m = (struct mark){i, end - i};
    else if (i >= end)
        m->count = i + 1 - m->first;
}

/* Container 2 has a row for each player in three lists of every tick: they stay. */
static bool is_per_player(unsigned row)
{
    return row == CDT_ROW_PLAYER || row == CDT_ROW_SIM_PLAYER || row == CDT_ROW_INPUT;
}

/* Container 2 numbers the draws of a tick from 1: those before the selected ones are included. */
static void mark_draws(struct copier *k)
{
    struct mark *m = &k->marks[CDT_ROW_RNG];
    k->along[CDT_ROW_RNG] += m->first;
    *m = (struct mark){0, m->first + m->count};
}

/* The tick with only the selected elements in its lists. */
static int put_anew(struct copier *k, const struct ras_cdt_tick_record *from, struct ras_error *err)
{
    struct ras_cdt_tick_record tick = *from;
    struct list {
        const uint8_t *at;
        size_t count;
    };
    size_t timings = k->marks[CDT_ROW_TIMING].count;
    mark_timing(&k->marks[CDT_ROW_TIMING], from);
    k->along[CDT_ROW_TIMING] += k->marks[CDT_ROW_TIMING].count - timings;
    const struct cdt_model *model = cdt_writer_model(k->writer);
    if (model->container == RAS_CDT_FORMAT_VERSION_2)
        mark_draws(k);
    for (unsigned row = 0; row < model->row_count; row++) {
        struct list *list = (struct list *)(void *)((uint8_t *)&tick + cdt_rows[row].offset);
        if (!cdt_rows[row].list) {
            k->along[row] += !k->marks[row].count;
            continue;
        }
        if (model->container == 2 && is_per_player(row)) {
            k->along[row] += list->count - k->marks[row].count;
            continue;
        }
        if (k->marks[row].count)
            list->at += k->marks[row].first * model->rows[row]->size;
        list->count = k->marks[row].count;
    }
    if (k->style == RAS_CDT_ZIG)
        count_losses(k, &tick.channels.checkpoint);
    return ras_cdt_writer_tick(k->writer, &tick, err);
}

/* All selected records of the current tick are known. */
static int rewrite_put_tick(struct copier *k, const struct taken *t, struct ras_error *err)
{
    const struct cdt_cursor *p = t->cursor->priv;
    const struct ras_cdt_tick_record *tick = &p->block.block.ticks.at[k->tick];
    struct ras_bytes row = {p->block.loaded.payload.at + tick->node.at, tick->node.length};
    int status = same_style(k, t) && k->marked == records_of(t, tick)
                     ? put_raw(k, row, tick->tick_index, err)
                     : put_anew(k, tick, err);
    memset(k->marks, 0, sizeof k->marks);
    k->marked = 0;
    k->open = false;
    return status;
}

static void mark(struct copier *k, const struct taken *t)
{
    const struct cdt_cursor *p = t->cursor->priv;
    unsigned row = t->record->schema - RAS_SCHEMA_GAP - 1;
    struct mark *m = &k->marks[row];
    size_t count, i = m->first;
    const uint8_t *at = cdt_row_first(&cdt_rows[row], &p->block.block.ticks.at[k->tick], &count);
    uint32_t place = place_of(t), size = cdt_model_in(t->cursor->trace)->rows[row]->size;
    while (!m->count && ((const struct ras_cdt_node *)(const void *)(at + i * size))->at != place)
        i++;
    m->first = i;
    m->count++;
    k->marked++;
}

/* ---- a chunk --------------------------------------------------------------------------------- */

/* Unknown keys are lost if a row is encoded again; zig's two hashes are not counted as lost. */
static uint64_t unknown_in(const struct taken *t)
{
    const struct cdt_cursor *p = t->cursor->priv;
    uint64_t known = 2 * p->tick_count, ignored = p->block.problem.ignored;
    if (cdt_style_in(t->cursor->trace) != RAS_CDT_ZIG)
        return ignored;
    return ignored > known ? ignored - known : 0;
}

/* Before the first record of a chunk: copies it as stored if it is selected completely. */
static int enter_chunk(struct copier *k, const struct taken *t, struct ras_error *err)
{
    const struct cdt_cursor *p = t->cursor->priv;
    const struct ras_cdt_chunk *chunk = &p->block.loaded.chunk;
    const struct ras_cdt_tick_record *ticks = p->block.block.ticks.at;
    uint64_t records = is_typed(t) ? 0 : p->tick_count;
    k->tick = 0;
    for (uint64_t i = 0; is_typed(t) && i < p->tick_count; i++)
        records += records_of(t, &ticks[i]);
    k->whole = same_style(k, t) && records == k->pieces[k->piece].records;
    if (!same_style(k, t))
        k->unknown += unknown_in(t);
    if (!k->whole)
        return RAS_OK;
    struct ras_bytes file = source_bytes(t->cursor->trace->source, 0);
    struct ras_bytes stored = {file.at + p->chunk_at, (size_t)(p->chunk_end - p->chunk_at)};
    int64_t first = is_typed(t) ? ticks[0].tick_index : chunk->start_tick;
    int64_t last = is_typed(t) ? ticks[p->tick_count - 1].tick_index : chunk->end_tick;
    return cdt_writer_chunk(k->writer, chunk, stored, first, last, p->tick_count, err);
}

static int take_record(struct copier *k, const struct taken *t, struct ras_error *err)
{
    if (!is_typed(t))
        return put_raw(k, (struct ras_bytes){t->record->raw, t->record->raw_len},
                       tick_index_of(k, t), err);
    size_t tick = find_tick(t, k->tick);
    int status = k->open && tick != k->tick ? rewrite_put_tick(k, t, err) : RAS_OK;
    k->tick = tick;
    k->open = true;
    if (t->wanted)
        mark(k, t);
    return status;
}

/* Copies the chunks that were skipped after the last one, if any. */
static int take_stretch(struct rewrite *rw, const struct taken *t, struct ras_error *err)
{
    struct copier *k = rw->priv;
    struct ras_cursor *c = t->cursor;
    const struct piece *piece = &k->pieces[k->piece];
    if (k->piece == k->piece_count || !piece->end)
        return RAS_OK;
    struct cdt_sweep sweep = {.file = source_bytes(c->trace->source, 0),
                              .model = cdt_model_in(c->trace),
                              .limit = c->trace->limits.chunk_bytes,
                              .writer = k->writer,
                              .options = rw->options};
    int status = cdt_sweep(&sweep, piece->at, piece->end, err);
    rw->again = status == RAS_END;
    for (unsigned row = 0; row < CDT_ROWS; row++) {
        k->along[row] += sweep.rows[row];
        c->seq += sweep.rows[row];
    }
    c->in.at = c->base + piece->end;
    k->piece++;
    return status;
}

/* A chunk that was copied as stored: counts its records, of which one was delivered. */
static int take_chunk(struct rewrite *rw, const struct taken *t, struct ras_error *err)
{
    struct copier *k = rw->priv;
    const struct cdt_cursor *p = t->cursor->priv;
    for (uint64_t i = 0; i < p->tick_count; i++)
        for (unsigned row = 0; row < cdt_model_in(t->cursor->trace)->row_count; row++) {
            size_t count;
            cdt_row_first(&cdt_rows[row], &p->block.block.ticks.at[i], &count);
            k->along[row] += count;
        }
    k->along[CDT_ROW_TICK]--;
    k->piece++;
    pass_chunk(t);
    return take_stretch(rw, t, err);
}

static int rewrite_take(struct rewrite *rw, const struct taken *t, struct ras_error *err)
{
    struct copier *k = rw->priv;
    int status = RAS_OK;
    if (!stays(t))
        return RAS_OK;
    if (!k->taken)
        status = enter_chunk(k, t, err);
    if (status == RAS_OK && k->whole && !k->taken && takes_chunk(rw, t))
        return take_chunk(rw, t, err);
    if (status == RAS_OK && !k->whole)
        status = take_record(k, t, err);
    if (status < 0 || ++k->taken < k->pieces[k->piece].records)
        return status;
    /* The block leaves the cursor's memory with the next record. */
    if (k->open)
        status = rewrite_put_tick(k, t, err);
    k->taken = 0;
    k->piece++;
    return status < 0 ? status : cdt_writer_end_chunk(k->writer, err);
}

static int rewrite_end(struct rewrite *rw, struct ras_error *err)
{
    struct copier *k = rw->priv;
    if (k->hits || k->tutorials || k->typos)
        rewrite_note(rw,
                     "style zig cannot store hits, tutorial and typo: %" PRIu64 ", %" PRIu64
                     " and %" PRIu64 " are left out",
                     k->hits, k->tutorials, k->typos);
    rewrite_lost(rw, cdt_rows[CDT_ROW_HIT].name, k->hits);
    for (unsigned row = 0; row < CDT_ROWS; row++)
        if (k->along[row])
            rewrite_kept(rw, cdt_rows[row].name, k->along[row]);
    if (k->unknown)
        rewrite_note(rw, "left out: %s", ras_counted(k->unknown, "unknown key").text);
    int status = ras_cdt_writer_close(k->writer, err);
    k->writer = NULL;
    return status;
}

static void rewrite_stop(struct rewrite *rw)
{
    struct copier *k = rw->priv;
    ras_cdt_writer_drop(k->writer);
    free(k->pieces);
}

const struct rewrite_ops cdt_rewrite = {
    .targets = (const char *const[]){"python", "zig", "frida", NULL},
    .size = sizeof(struct copier),
    .unbroken = is_unbroken,
    .begin = rewrite_begin,
    .need = need,
    .between = between,
    .take = rewrite_take,
    .end = rewrite_end,
    .stop = rewrite_stop,
};
