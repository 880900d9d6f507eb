/* cdt_build.c - builds a trace from values: ticks, then the rows of their channels.
 *
 * META is the first chunk and holds the range of ticks, so rows are encoded and kept until the last
 * tick is known. */
#include "base/error.h"
#include "base/memory.h"
#include "core/row.h"
#include "formats/cdt/cdt_model.h"
#include "formats/cdt/cdt_put.h"
#include "formats/cdt/cdt_rewrite.h"
#include "formats/cdt/cdt_values.h"

#include <stdio.h>
#include <string.h>

/* ---- structs from values, by the tables that decode them --------------------------------- */

struct getter {
    struct arena *arena;
    bool sparse;         /* no member is required */
    const char *why;     /* the error; NULL: out of memory */
    const char *unknown; /* or the name of a key that is not a member of `of` */
    const struct cdt_struct *of;
    char path[120]; /* where the error is, from the record down */
};

struct list {
    void *at;
    size_t count;
};

static bool map_to_struct(struct getter *g, const struct cdt_struct *s,
                          const struct ras_value *cell, const struct ras_value *end, uint8_t *out);

static bool value_refuse(struct getter *g, const char *why)
{
    g->why = why;
    g->path[0] = 0;
    return false;
}

/* Paths grow at the front while the recursion unwinds. */
static bool value_inside(struct getter *g, const char *name)
{
    char tail[sizeof g->path];
    memcpy(tail, g->path, sizeof tail);
    snprintf(g->path, sizeof g->path, "%s%s%.80s", name, *tail ? "." : "", tail);
    return false;
}

static bool value_no_memory(struct getter *g)
{
    return value_refuse(g, NULL);
}

/* ---- values ------------------------------------------------------------------------ */

static bool value_to_int(struct getter *g, const struct ras_value *cell, struct ras_cdt_int *out)
{
    *out = (struct ras_cdt_int){cell->i, cell->kind == RAS_UINT && cell->u > INT64_MAX};
    return cell->kind == RAS_UINT || cell->kind == RAS_INT ||
           value_refuse(g, "is not a whole number");
}

static bool value_to_text(struct getter *g, const struct ras_value *cell, struct ras_bytes *out)
{
    struct ras_bytes text;
    if (!cell_text(cell, &text))
        return value_refuse(g, "is not a text");
    uint8_t *copy = arena_take(g->arena, text.len + 1);
    if (!copy)
        return value_no_memory(g);
    memcpy(copy, text.at, text.len);
    *out = (struct ras_bytes){copy, text.len};
    return true;
}

/* Counts the elements of a list or the pairs of a map and allocates room for them. */
static bool value_to_list(struct getter *g, const struct ras_value *cell, enum ras_kind kind,
                          size_t size, struct list *out)
{
    if (cell->kind != kind)
        return value_refuse(g, kind == RAS_MAP ? "is not a map" : "is not a list");
    out->count = 0;
    for (const struct ras_value *c = cell + 1; c < ras_value_next(cell); c = ras_value_next(c))
        out->count++;
    out->count /= kind == RAS_MAP ? 2 : 1;
    out->at = out->count ? arena_take(g->arena, (uint64_t)out->count * size) : NULL;
    return out->at || !out->count || value_no_memory(g);
}

/* The type of an operation says what else it has. */
static const struct cdt_struct *variant_of(struct getter *g, const struct cdt_struct *of,
                                           const struct ras_value *map)
{
    const struct ras_value *type = map_find(map, "type");
    struct ras_cdt_replay_operation operation = {0};
    if (!type || !cell_text(type, &operation.type))
        return NULL;
    const struct cdt_struct *s = cdt_variant(of, &operation);
    return s == of ? (value_refuse(g, "has an operation of unknown type"), NULL) : s;
}

static bool value_to_structs(struct getter *g, const struct ras_value *cell,
                             const struct cdt_struct *of, struct list *out)
{
    if (!value_to_list(g, cell, RAS_LIST, of->size, out))
        return false;
    uint8_t *item = out->at;
    for (const struct ras_value *c = cell + 1; c < ras_value_next(cell); c = ras_value_next(c)) {
        if (c->kind != RAS_MAP)
            return value_refuse(g, "has an element that is not a map");
        const struct cdt_struct *s = of->variants ? variant_of(g, of, c) : of;
        if (!s)
            return value_refuse(g, "has an element without a known type");
        memset(item, 0, of->variants ? of->size : 0);
        if (!map_to_struct(g, s, c + 1, ras_value_next(c), item))
            return false;
        item += of->size;
    }
    return true;
}

static bool value_to_strs(struct getter *g, const struct ras_value *cell, struct list *out)
{
    if (!value_to_list(g, cell, RAS_LIST, sizeof(struct ras_bytes), out))
        return false;
    struct ras_bytes *item = out->at;
    for (const struct ras_value *c = cell + 1; c < ras_value_next(cell); c = ras_value_next(c))
        if (!value_to_text(g, c, item++))
            return false;
    return true;
}

/* Lists of lists, `depth` of them above the lists of ints. */
static bool value_to_ints(struct getter *g, const struct ras_value *cell, unsigned depth,
                          struct list *out)
{
    size_t size = depth ? sizeof(struct list) : sizeof(struct ras_cdt_int);
    if (!value_to_list(g, cell, RAS_LIST, size, out))
        return false;
    uint8_t *item = out->at;
    for (const struct ras_value *c = cell + 1; c < ras_value_next(cell); c = ras_value_next(c)) {
        if (depth ? !value_to_ints(g, c, depth - 1, (struct list *)(void *)item)
                  : !value_to_int(g, c, (struct ras_cdt_int *)(void *)item))
            return false;
        item += size;
    }
    return true;
}

static bool value_to_timers(struct getter *g, const struct ras_value *cell, struct list *out)
{
    if (!value_to_list(g, cell, RAS_MAP, sizeof(struct ras_cdt_timer), out))
        return false;
    struct ras_cdt_timer *item = out->at;
    for (const struct ras_value *c = cell + 1; c < ras_value_next(cell);
         c = ras_value_next(c + 1), item++)
        if (!value_to_text(g, c, &item->key) || !value_to_int(g, c + 1, &item->value))
            return false;
    return true;
}

static bool value_to_fixed(struct getter *g, const struct ras_value *cell,
                           const struct cdt_field *f, struct ras_cdt_int *out)
{
    struct list list;
    if (!value_to_ints(g, cell, 0, &list))
        return false;
    if (list.count != f->fixed)
        return value_refuse(g, "has the wrong number of elements");
    memcpy(out, list.at, list.count * sizeof *out); /* count is never 0 */
    return true;
}

/* ---- members ------------------------------------------------------------------------- */

static bool value_to_number(struct getter *g, const struct ras_value *cell, uint8_t *out,
                            bool *wide)
{
    struct ras_cdt_int number;
    if (!value_to_int(g, cell, &number))
        return false;
    memcpy(out, &number.value, sizeof number.value);
    *wide = number.wide;
    return true;
}

static bool value_to_member(struct getter *g, const struct ras_value *cell,
                            const struct cdt_field *f, uint8_t *out, bool *wide)
{
    struct list *list = (struct list *)(void *)out;
    switch (f->type) {
    case CDT_INT:
    case CDT_WEAPON:
    case CDT_RANGE:
        return value_to_number(g, cell, out, wide);
    case CDT_FLOAT:
    case CDT_REAL:
        return cell_f64(cell, (double *)(void *)out) || value_refuse(g, "is not a number");
    case CDT_BOOL:
        return cell_bool(cell, (bool *)out) || value_refuse(g, "is neither true nor false");
    case CDT_STR:
    case CDT_CHAR:
        return value_to_text(g, cell, (struct ras_bytes *)(void *)out);
    case CDT_BIN:
        return cell_bytes(cell, g->arena, (struct ras_bytes *)(void *)out) ||
               value_refuse(g, "is not a text of hexadecimal digits");
    case CDT_STRUCT:
        if (cell->kind != RAS_MAP)
            return value_refuse(g, "is not a map");
        return map_to_struct(g, f->of, cell + 1, ras_value_next(cell), out);
    case CDT_LIST:
    case CDT_UNION:
        return value_to_structs(g, cell, f->of, list);
    case CDT_STRS:
        return value_to_strs(g, cell, list);
    case CDT_INTS:
    case CDT_COUNTS:
        return value_to_ints(g, cell, f->type == CDT_INTS ? 0 : 2, list);
    case CDT_TIMERS:
        return value_to_timers(g, cell, list);
    default:
        return value_to_fixed(g, cell, f, (struct ras_cdt_int *)(void *)out);
    }
}

static unsigned find_field(const struct cdt_struct *s, const struct ras_value *name)
{
    unsigned i = 0;
    while (i < s->count && strcmp(s->fields[i].name, name->at) != 0)
        i++;
    return i;
}

/* Lists, timers and structs may be omitted. */
static bool may_miss(const struct cdt_field *f)
{
    return f->need != CDT_REQUIRED || f->type == CDT_UNION || f->type == CDT_LIST ||
           f->type == CDT_TIMERS || f->type == CDT_STRUCT;
}

static bool map_to_struct(struct getter *g, const struct cdt_struct *s,
                          const struct ras_value *cell, const struct ras_value *end, uint8_t *out)
{
    struct ras_cdt_node node = {0};
    uint32_t seen = 0;
    for (; cell < end; cell = ras_value_next(cell + 1)) {
        unsigned i = find_field(s, cell);
        bool wide = false;
        if (i == s->count) {
            g->unknown = cell->at;
            g->of = s;
            return value_refuse(g, NULL);
        }
        if (cell[1].kind == RAS_NULL)
            continue;
        if (!value_to_member(g, cell + 1, &s->fields[i], out + s->fields[i].offset, &wide))
            return value_inside(g, s->fields[i].name);
        seen |= 1u << i;
        node.present |= 1u << cdt_bit(&s->fields[i], i);
        node.wide |= (uint32_t)wide << cdt_bit(&s->fields[i], i);
    }
    for (unsigned i = 0; i < s->count; i++) {
        const struct cdt_field *f = &s->fields[i];
        if (seen >> i & 1)
            continue;
        if (!g->sparse && !may_miss(f)) {
            value_refuse(g, "is missing");
            return value_inside(g, f->name);
        }
        cdt_member_default(f, out + f->offset);
    }
    if (!s->plain)
        *(struct ras_cdt_node *)(void *)out = node;
    return true;
}

static int value_unknown(const struct getter *g, const struct json_row *row, struct ras_error *err)
{
    struct ras_near near;
    ras_near_start(&near, g->unknown);
    for (unsigned i = 0; i < g->of->count; i++)
        ras_near_add(&near, g->of->fields[i].name);
    return row_unknown(row, g->path, g->unknown, &near, err);
}

/* Fills the struct at `out` from these cells (name, value, name, value...). Texts are copied into
 * the arena, lists are allocated from it. Members that are not named get their default, or are
 * empty or zero; with `sparse` this applies to required members too. Returns RAS_EFORMAT and
 * reports line and member if a member is unknown, missing or of the wrong type. */
static int cdt_struct_from(const struct cdt_struct *s, const struct json_row *row, bool sparse,
                           struct arena *arena, void *out, struct ras_error *err)
{
    struct getter g = {.arena = arena, .sparse = sparse};
    row_take_all(row); /* unknown members are refused below */
    if (map_to_struct(&g, s, row->cells, row->cells + row->cell_count, out))
        return RAS_OK;
    if (g.unknown)
        return value_unknown(&g, row, err);
    return g.why ? row_fail(row, g.path, err, "%s", g.why) : fail_memory(err);
}

/* ---- the trace --------------------------------------------------------------------------- */

/* The encoded size of a tick. */
struct made {
    size_t size;
    int64_t tick_index;
};

/* The rows of one type that the current tick has so far. */
struct stack {
    uint8_t *at;
    size_t count, room; /* elements */
};

struct maker {
    const struct cdt_model *model;
    struct arena arena; /* META's texts */
    struct ras_cdt_trace_meta meta;
    bool ranged; /* META's tick_range was given */
    struct out rows;
    struct made *ticks;
    size_t tick_count, tick_room;

    bool open;                       /* a tick has begun and is not finished */
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

/* The header line: META. */
static void build_header(struct ras_trace *t, struct document *d)
{
    const struct cdt_trace *cdt = t->priv;
    if (!cdt->no_meta && cdt->meta.typed)
        cdt_doc_members(d, cdt->meta.model->meta, &cdt->meta.meta, false);
}

/* The structs of the schema that the header line states. */
static int choose_model(struct build *b, const struct json_row *row, struct ras_error *err)
{
    struct maker *m = b->priv;
    const struct ras_value *stated = row ? row_find(row, "trace_schema_version") : NULL;
    int64_t schema = stated ? stated->i : RAS_CDT_SCHEMA_VERSION;
    m->model = cdt_model_of(RAS_CDT_FORMAT_VERSION, schema);
    if (!m->model)
        m->model = cdt_model_of(RAS_CDT_FORMAT_VERSION_2, schema);
    if (!m->model)
        return fail(err, RAS_EVERSION, RAS_NONE,
                    "unsupported trace schema version: %" PRId64 " (supported: 12, 19, 20, 21)",
                    schema);
    if (m->model->container == 2 && !strcmp(b->target, "zig"))
        return fail(err, RAS_EUNSUPPORTED, RAS_NONE,
                    "schema version %" PRId64 " is written in the style of python only", schema);
    return RAS_OK;
}

/* Fields that the header line leaves out get their required value. */
static int build_begin(struct build *b, const struct json_row *row, struct ras_error *err)
{
    struct maker *m = b->priv;
    const struct json_row none = {.type = "header", .arena = &m->arena};
    int status = choose_model(b, row, err);
    if (status == RAS_OK)
        status = cdt_struct_from(m->model->meta, row ? row : &none, true, &m->arena, &m->meta, err);
    if (status < 0)
        return status;
    if (!row)
        build_note(b, "there is no header line: META has only the producer and the ticks");
    struct ras_bytes *impl = &m->meta.producer.impl;
    if (!impl->len)
        *impl = (struct ras_bytes){(const uint8_t *)impl_of(b->target), strlen(impl_of(b->target))};
    if (!m->meta.trace_format_version)
        m->meta.trace_format_version = m->model->container;
    if (!m->meta.trace_schema_version)
        m->meta.trace_schema_version = m->model->schema;
    m->ranged = row && row_find(row, "tick_range");
    return RAS_OK;
}

/* ---- ticks ------------------------------------------------------------------------------ */

/* Attaches the collected rows to the lists of the current tick. */
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
        build_note(b, "style zig cannot store hits, tutorial and typo: they are left out");
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
    if (m->model->container == 2 && !m->has[CDT_ROW_STEP])
        return fail(err, RAS_EFORMAT, RAS_NONE, "tick %" PRId64 " has no replay_step",
                    m->tick.tick_index);
    if (!m->has[CDT_ROW_CHECKPOINT] || !m->has[CDT_ROW_SIM_STATE])
        return fail(err, RAS_EFORMAT, RAS_NONE, "tick %" PRId64 " has no %s", m->tick.tick_index,
                    m->has[CDT_ROW_CHECKPOINT] ? "sim_state" : "checkpoint");
    join_rows(m);
    note_losses(b, &m->tick.channels.checkpoint);
    if (!cdt_encode(m->model->rows[CDT_ROW_TICK], &m->tick, cdt_style_of(b->target), &m->rows,
                    &problem)) {
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
    status = cdt_struct_from(m->model->rows[CDT_ROW_TICK], row, false, &m->texts, &m->tick, err);
    m->open = status == RAS_OK;
    if (m->open && m->tick.node.wide & 1)
        status = row_fail(row, "tick_index", err, "is more than %" PRId64, INT64_MAX);
    return status;
}

/* A struct or a row of the current tick. Its lists are rows of their own, unless they were given
 * inside it: then they are already set. */
static int build_put_row(struct maker *m, unsigned i, const struct json_row *row,
                         struct ras_error *err)
{
    const struct cdt_row *kind = &cdt_rows[i];
    const struct cdt_struct *of = m->model->rows[i];
    struct stack *stack = &m->stacks[i];
    if (!m->open)
        return fail(err, RAS_EFORMAT, RAS_NONE, "line %" PRIu64 ": a %s before any tick", row->line,
                    row->type);
    if (!kind->list && m->has[i])
        return fail(err, RAS_EFORMAT, RAS_NONE, "line %" PRIu64 ": a second %s in tick %" PRId64,
                    row->line, row->type, m->tick.tick_index);
    m->has[i] = true;
    if (!kind->list)
        return cdt_struct_from(of, row, false, &m->texts, (uint8_t *)&m->tick + kind->offset, err);
    if (!array_grow(&stack->at, &stack->room, stack->count + 1, of->size))
        return fail_memory(err);
    uint8_t *item = stack->at + stack->count++ * of->size;
    return cdt_struct_from(of, row, false, &m->texts, item, err);
}

static int build_put(struct build *b, const struct json_row *row, struct ras_error *err)
{
    const unsigned rows = ((const struct maker *)b->priv)->model->row_count;
    unsigned i = 0;
    while (i < rows && strcmp(cdt_rows[i].name, row->type) != 0)
        i++;
    if (i == rows)
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
    const struct ras_cdt_writer_options options = {.style = cdt_style_of(b->target)};
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
                                   "bonus", "rng", "timing", "replay_step", "input", NULL},
    .size = sizeof(struct maker),
    .begin = build_begin,
    .put = build_put,
    .end = build_end,
    .stop = build_stop,
};
