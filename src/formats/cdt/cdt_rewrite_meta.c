/* cdt_rewrite_meta.c - the META of a slice, of joined traces, of another style. */
#include "formats/cdt/cdt_rewrite.h"

enum ras_cdt_style cdt_style_of(const char *dialect)
{
    return !strcmp(dialect, "zig") ? RAS_CDT_ZIG : RAS_CDT_PYTHON;
}

static const struct cdt_trace *source_at(const struct rewrite *rw, size_t i)
{
    return rw->sources[rw->order[i]]->priv;
}

/* ---- one run ------------------------------------------------------------------------- */

/* META without what two pieces of one run may differ in, as bytes. */
static bool put_comparable_meta(const struct ras_cdt_trace_meta *meta, struct out *out)
{
    struct ras_cdt_trace_meta run = *meta;
    struct cdt_problem problem;
    run.created_utc = (struct ras_bytes){0};
    run.tick_range = (struct ras_cdt_trace_tick_range){0};
    return cdt_encode(&cdt_trace_meta, &run, RAS_CDT_PYTHON, out, &problem);
}

static int same_run(const struct rewrite *rw, size_t i, struct ras_error *err)
{
    const struct cdt_meta *a = &source_at(rw, 0)->meta, *b = &source_at(rw, i)->meta;
    struct out x = {0}, y = {0};
    if (a->typed != b->typed || a->meta.trace_schema_version != b->meta.trace_schema_version)
        return fail(err, RAS_EUSAGE, RAS_CDT_HEADER_SIZE,
                    "trace %zu has schema version %" PRId64 ", trace %zu %" PRId64,
                    rw->order[0] + 1, a->meta.trace_schema_version, rw->order[i] + 1,
                    b->meta.trace_schema_version);
    if (!a->complete || !b->complete)
        return RAS_OK;
    int status = put_comparable_meta(&a->meta, &x) && put_comparable_meta(&b->meta, &y)
                     ? RAS_OK
                     : fail_memory(err);
    if (status == RAS_OK && (x.len != y.len || memcmp(x.at, y.at, x.len) != 0))
        status = fail(err, RAS_EUSAGE, RAS_CDT_HEADER_SIZE,
                      "producer, source or status in META of trace %zu and trace %zu differ: they "
                      "are not of one run",
                      rw->order[0] + 1, rw->order[i] + 1);
    out_free(&x);
    out_free(&y);
    return status;
}

int cdt_rewrite_check(const struct rewrite *rw, struct ras_error *err)
{
    const struct ras_trace *first = rw->sources[rw->order[0]];
    if (!strcmp(rw->target, "frida") && strcmp(first->dialect, "frida") != 0)
        return fail(err, RAS_EUSAGE, RAS_NONE,
                    "a %s trace does not become one of frida, which is written as python is",
                    first->dialect);
    int status = RAS_OK;
    for (size_t i = 1; status == RAS_OK && i < rw->count; i++)
        status = same_run(rw, i, err);
    for (size_t i = 0; status == RAS_OK && i < rw->count; i++)
        if (!source_at(rw, i)->meta.typed &&
            cdt_style_of(rw->sources[rw->order[i]]->dialect) != cdt_style_of(rw->target))
            status = fail(err, RAS_EUNSUPPORTED, RAS_CDT_HEADER_SIZE,
                          "ticks of schema version %" PRId64
                          " are not known so well that they could be written as %s",
                          source_at(rw, i)->meta.meta.trace_schema_version, rw->target);
    return status;
}

/* ---- the new META ---------------------------------------------------------------------- */

/* A dialect is told by its producer's name, so another style needs another name. */
static void name_producer(struct rewrite *rw, struct ras_cdt_trace_meta *meta)
{
    struct ras_bytes *impl = &meta->producer.impl;
    bool zig = cdt_style_of(rw->target) == RAS_CDT_ZIG;
    const char *name = zig ? "zig" : "python";
    if (zig ? !cdt_text_is(*impl, "python") && !cdt_text_is(*impl, "frida_original")
            : !cdt_text_is(*impl, "zig"))
        return;
    rewrite_note(rw, "producer.impl is %s now, and was %.*s", name, (int)impl->len,
                 (const char *)impl->at);
    *impl = (struct ras_bytes){(const uint8_t *)name, strlen(name)};
}

/* Members of META that zig does not have and that say something. */
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
    enum ras_cdt_style style = cdt_style_of(rw->target);
    if (cdt->no_meta) {
        struct ras_cdt_trace_meta plain =
            cdt_meta_plain(style, rows->first, rows->last, rows->rows);
        rewrite_note(rw, "META cannot be used: the new one has the ticks and no more");
        return cdt_struct_seal(out, RAS_CDT_META, &plain, style, err);
    }
    struct ras_cdt_trace_meta meta = cdt->meta.meta;
    meta.tick_range = (struct ras_cdt_trace_tick_range){
        .start_tick = rows->first, .end_tick = rows->last, .tick_count = (int64_t)rows->rows};
    name_producer(rw, &meta);
    unsigned lost = style == RAS_CDT_ZIG ? beyond_zig(&meta) : 0;
    if (lost)
        rewrite_note(rw, "%s of META have no place in style zig and are left out",
                     ras_counted(lost, "member").text);
    return cdt_struct_seal(out, RAS_CDT_META, &meta, style, err);
}

int cdt_rewrite_head(struct rewrite *rw, const struct cdt_bounds *rows, struct out *out,
                     struct ras_error *err)
{
    const struct ras_trace *first = rw->sources[rw->order[0]];
    const struct cdt_trace *cdt = first->priv;
    const struct cdt_meta *m = &cdt->meta;
    bool kept = !cdt->no_meta && cdt_style_of(first->dialect) == cdt_style_of(rw->target) &&
                (!m->typed || same_range(&m->meta.tick_range, rows));
    struct ras_bytes file = source_bytes(first->source, 0);
    out_bytes(out, file.at, kept ? (size_t)first->body : RAS_CDT_HEADER_SIZE);
    if (out->failed)
        return fail_memory(err);
    return kept ? RAS_OK : rewrite_meta(rw, rows, out, err);
}
