/* cdt_build.c - a trace out of values: ticks, then the rows of their channels.
 *
 * META stands in front and tells the ticks, so the rows are encoded and kept until the
 * last one is known. */
#include "base/memory.h"
#include "formats/cdt/cdt_cells.h"
#include "formats/cdt/cdt_rewrite.h"
#include "formats/cdt/cdt_tell.h"
#include "formats/cdt/cdt_write.h"

/* What a tick was encoded to. */
struct made {
    size_t size;
    int64_t tick_index;
};

/* The rows of one type that the tick under way has so far. */
struct stack {
    uint8_t *at;
    size_t count, room; /* elements */
};

struct maker {
    struct arena arena; /* META's texts */
    struct ras_cdt_trace_meta meta;
    bool ranged; /* META's tick_range was given */
    struct out rows;
    struct made *ticks;
    size_t tick_count, tick_room;

    bool open;                       /* a tick is under way */
    bool has[CDT_ROWS];              /* which of its structs were given */
    struct arena texts;              /* its texts and nested lists */
    struct ras_cdt_tick_record tick; /* its structs, without the rows */
    struct stack stacks[CDT_ROWS];   /* the rows */
};

/* ---- META ----------------------------------------------------------------------------- */

static const char *impl_of(const char *target)
{
    return !strcmp(target, "frida") ? "frida_original" : target;
}

/* What the header line does not say is what it must be. */
static void build_header(struct ras_trace *t, struct document *d)
{
    const struct cdt_trace *cdt = t->priv;
    if (!cdt->no_meta && cdt->meta.typed)
        cdt_doc_members(d, &cdt_trace_meta, &cdt->meta.meta, false);
}

static int build_begin(struct build *b, const struct json_row *row, struct ras_error *err)
{
    struct maker *m = b->priv;
    const struct json_row none = {.type = "header", .arena = &m->arena};
    int status =
        cdt_struct_from(&cdt_trace_meta, row ? row : &none, true, &m->arena, &m->meta, err);
    if (status < 0)
        return status;
    if (!row)
        build_note(b, "there is no header line: META has the producer and the ticks, no more");
    struct ras_bytes *impl = &m->meta.producer.impl;
    if (!impl->len)
        *impl = (struct ras_bytes){(const uint8_t *)impl_of(b->target), strlen(impl_of(b->target))};
    if (!m->meta.trace_format_version)
        m->meta.trace_format_version = RAS_CDT_FORMAT_VERSION;
    if (!m->meta.trace_schema_version)
        m->meta.trace_schema_version = RAS_CDT_SCHEMA_VERSION;
    m->ranged = row && row_find(row, "tick_range");
    return RAS_OK;
}

/* ---- ticks ------------------------------------------------------------------------------ */

/* The rows of the tick under way go where its lists are. */
static void join_rows(struct maker *m)
{
    struct list {
        const uint8_t *at;
        size_t count;
    };
    for (unsigned i = 0; i < CDT_ROWS; i++) {
        struct list *list = (struct list *)(void *)((uint8_t *)&m->tick + cdt_rows[i].offset);
        if (cdt_rows[i].list && m->stacks[i].count)
            *list = (struct list){m->stacks[i].at, m->stacks[i].count};
    }
}

static void note_losses(struct build *b, const struct ras_cdt_replay_checkpoint *point)
{
    if (cdt_style_of(b->target) == RAS_CDT_ZIG &&
        (point->events.hit_head.count || ras_cdt_has(&point->node, RAS_CDT_CHECKPOINT_TUTORIAL) ||
         ras_cdt_has(&point->node, RAS_CDT_CHECKPOINT_TYPO)))
        build_note(b, "style zig has no place for hits, tutorial and typo: they are left out");
    if (cdt_style_of(b->target) == RAS_CDT_ZIG)
        build_dropped(b, cdt_rows[CDT_ROW_HIT].name, point->events.hit_head.count);
}

static int finish_tick(struct build *b, struct ras_error *err)
{
    struct maker *m = b->priv;
    struct cdt_problem problem;
    size_t before = m->rows.len;
    if (!m->open)
        return RAS_OK;
    m->open = false;
    if (!m->has[CDT_ROW_CHECKPOINT] || !m->has[CDT_ROW_SIM_STATE])
        return fail(err, RAS_EFORMAT, RAS_NONE, "tick %" PRId64 " has no %s", m->tick.tick_index,
                    m->has[CDT_ROW_CHECKPOINT] ? "sim_state" : "checkpoint");
    join_rows(m);
    note_losses(b, &m->tick.channels.checkpoint);
    if (!cdt_encode(&cdt_tick_record, &m->tick, cdt_style_of(b->target), &m->rows, &problem)) {
        struct ras_error inner;
        int status = cdt_refuse(&problem, RAS_NONE, &inner);
        return fail(err, status, RAS_NONE, "tick %" PRId64 ": %.180s", m->tick.tick_index,
                    inner.text);
    }
    if (!array_grow(&m->ticks, &m->tick_room, m->tick_count + 1, sizeof *m->ticks))
        return fail_memory(err);
    m->ticks[m->tick_count++] = (struct made){m->rows.len - before, m->tick.tick_index};
    return RAS_OK;
}

static int start_tick(struct build *b, const struct json_row *row, struct ras_error *err)
{
    struct maker *m = b->priv;
    int status = finish_tick(b, err);
    if (status < 0)
        return status;
    arena_reset(&m->texts);
    memset(m->has, 0, sizeof m->has);
    for (unsigned i = 0; i < CDT_ROWS; i++)
        m->stacks[i].count = 0;
    status = cdt_struct_from(&cdt_tick_record, row, false, &m->texts, &m->tick, err);
    m->open = status == RAS_OK;
    if (m->open && m->tick.node.wide & 1)
        status = row_fail(row, "tick_index", err, "is more than %" PRId64, INT64_MAX);
    return status;
}

/* A struct or a row of the tick under way. Its lists are rows of their own, or were named
 * inside it: then they are there already. */
static int build_put_row(struct maker *m, unsigned i, const struct json_row *row,
                         struct ras_error *err)
{
    const struct cdt_row *kind = &cdt_rows[i];
    struct stack *stack = &m->stacks[i];
    if (!m->open)
        return fail(err, RAS_EFORMAT, RAS_NONE, "line %" PRIu64 ": a %s before any tick", row->line,
                    row->type);
    if (!kind->list && m->has[i])
        return fail(err, RAS_EFORMAT, RAS_NONE, "line %" PRIu64 ": a second %s in tick %" PRId64,
                    row->line, row->type, m->tick.tick_index);
    m->has[i] = true;
    if (!kind->list)
        return cdt_struct_from(kind->of, row, false, &m->texts, (uint8_t *)&m->tick + kind->offset,
                               err);
    if (!array_grow(&stack->at, &stack->room, stack->count + 1, kind->of->size))
        return fail_memory(err);
    uint8_t *item = stack->at + stack->count++ * kind->of->size;
    return cdt_struct_from(kind->of, row, false, &m->texts, item, err);
}

static int build_put(struct build *b, const struct json_row *row, struct ras_error *err)
{
    unsigned i = 0;
    while (i < CDT_ROWS && strcmp(cdt_rows[i].name, row->type) != 0)
        i++;
    if (i == CDT_ROWS)
        return fail(err, RAS_EFORMAT, RAS_NONE,
                    "line %" PRIu64 ": a CDT trace has no records of type %s", row->line,
                    row->type);
    return i == CDT_ROW_TICK ? start_tick(b, row, err) : build_put_row(b->priv, i, row, err);
}

/* ---- the trace ---------------------------------------------------------------------------- */

static int write_ticks(struct maker *m, struct ras_cdt_writer *writer, struct ras_error *err)
{
    const uint8_t *at = m->rows.at;
    int status = RAS_OK;
    for (size_t i = 0; status == RAS_OK && i < m->tick_count; i++) {
        struct out *rows = cdt_writer_rows(writer);
        size_t before = rows->len;
        out_bytes(rows, at, m->ticks[i].size);
        at += m->ticks[i].size;
        status = rows->failed ? fail_memory(err)
                              : cdt_writer_take(writer, before, m->ticks[i].tick_index, err);
    }
    return status;
}

static int build_end(struct build *b, struct ras_error *err)
{
    struct maker *m = b->priv;
    struct ras_cdt_writer *writer;
    const struct ras_cdt_write_options options = {.style = cdt_style_of(b->target)};
    int status = finish_tick(b, err);
    if (status == RAS_OK && !m->tick_count)
        status = fail(err, RAS_EFORMAT, RAS_NONE, "trace must contain at least one tick");
    if (status < 0)
        return status;
    if (!m->ranged)
        m->meta.tick_range =
            (struct ras_cdt_trace_tick_range){.start_tick = m->ticks[0].tick_index,
                                              .end_tick = m->ticks[m->tick_count - 1].tick_index,
                                              .tick_count = (int64_t)m->tick_count};
    status = ras_cdt_writer_open(&writer, b->sink, &m->meta, &options, err);
    if (status < 0)
        return status;
    status = write_ticks(m, writer, err);
    if (status == RAS_OK)
        return ras_cdt_writer_close(writer, err);
    ras_cdt_writer_drop(writer);
    return status;
}

static void build_stop(struct build *b)
{
    struct maker *m = b->priv;
    for (unsigned i = 0; i < CDT_ROWS; i++)
        free(m->stacks[i].at);
    arena_free(&m->texts);
    arena_free(&m->arena);
    out_free(&m->rows);
    free(m->ticks);
}

const struct build_ops cdt_build = {
    .header = build_header,
    .targets = (const char *const[]){"python", "zig", "frida", NULL},
    .types = (const char *const[]){"tick", "checkpoint", "player", "death", "hit", "sim_state",
                                   "sim_player", "creature", "projectile", "secondary_projectile",
                                   "bonus", "rng", "timing", NULL},
    .size = sizeof(struct maker),
    .begin = build_begin,
    .put = build_put,
    .end = build_end,
    .stop = build_stop,
};
