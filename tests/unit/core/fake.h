/* fake.h - a format for tests: four bytes a record, behind the real core.
 *
 * A record is {type, time, stream, value}. 'r' is a row, 'o' one of another schema
 * that is called row too, 's' a child of the last row, 'q' a type on request, 'g'
 * bytes not understood, 'd' a counted drop, 'u' an unsealed end, '.' the clean end,
 * '!' damage. Runs are equal shares of the bytes. */
#ifndef CORE_FAKE_H
#define CORE_FAKE_H

#include "core/format.h"
#include "core/marks.h"

#include <stdlib.h>
#include <string.h>

enum { FAKE_ROW = 1, FAKE_SUB, FAKE_EXTRA, FAKE_OTHER };

struct fake {
    size_t runs;
};

struct fake_cursor {
    uint64_t end; /* where the run ends; 0: with the bytes */
    uint64_t row; /* seq of the last row */
};

static const struct ras_field fake_fields[] = {{"value", RAS_UINT, 8, 0},
                                               {"twice", RAS_UINT, 16, 0}};
static const struct ras_field fake_other_fields[] = {{"half", RAS_UINT, 8, 0},
                                                     {"value", RAS_UINT, 8, 0}};
static const struct ras_field fake_gap_fields[] = {{"offset", RAS_UINT, 64, RAS_NULLABLE},
                                                   {"length", RAS_UINT, 64, 0},
                                                   {"why", RAS_STR, 0, 0},
                                                   {"lost", RAS_UINT, 64, RAS_NULLABLE}};
static const struct ras_schema fake_schemas[] = {
    {"gap", fake_gap_fields, 4, 0},     {"row", fake_fields, 2, 0},
    {"sub", fake_fields, 2, RAS_CHILD}, {"extra", fake_fields, 2, RAS_ON_REQUEST},
    {"row", fake_other_fields, 2, 0},
};

static enum step fake_put(struct ras_cursor *c, uint32_t schema, const uint8_t *p)
{
    struct fake_cursor *f = c->priv;
    c->record = (struct ras_record){.time_ns = p[1],
                                    .flags = RAS_HAS_TIME,
                                    .parent = schema == FAKE_SUB ? f->row : RAS_NONE,
                                    .offset = (uint64_t)(p - c->base),
                                    .part = (uint16_t)c->part,
                                    .raw = p,
                                    .raw_len = 4,
                                    .schema = (uint16_t)schema,
                                    .stream = p[2]};
    if (schema == FAKE_ROW)
        f->row = c->seq;
    const struct view *view = cursor_view(c, schema);
    if (!view->values)
        return STEP_RECORD;
    if (!cells_room(&c->values, 2))
        return STEP_NOMEM;
    bool other = schema == FAKE_OTHER;
    if (view_has(view, 0))
        value_uint(&c->values, 0, 8, other ? p[3] / 2u : p[3]);
    if (view_has(view, 1))
        value_uint(&c->values, 1, 16, other ? p[3] : 2u * p[3]);
    return STEP_RECORD;
}

static enum step fake_next(struct ras_cursor *c)
{
    const struct fake_cursor *f = c->priv;
    for (;;) {
        uint64_t at = cursor_offset(c);
        if (f->end ? at >= f->end : c->in.at == c->in.end)
            return STEP_END;
        const uint8_t *p = in_take(&c->in, 4);
        if (!p)
            return cut(c, "%" PRIu64 " of 4 bytes", in_left(&c->in));
        switch (p[0]) {
        case 'r':
            return fake_put(c, FAKE_ROW, p);
        case 'o':
            return fake_put(c, FAKE_OTHER, p);
        case 's':
            return fake_put(c, FAKE_SUB, p);
        case 'q':
            if (!cursor_view(c, FAKE_EXTRA)->wanted)
                continue;
            return fake_put(c, FAKE_EXTRA, p);
        case 'g':
            return gap_record(c, at, 4, p[3], "four bytes of nonsense");
        case 'd':
            return drop_record(c, p[3], "ring was full");
        case 'u':
            ending_note(c, RAS_UNSEALED, 0, at, "no footer");
            return STEP_END;
        case '.':
            c->in.at = p;
            return STEP_END;
        default:
            return damaged(c, at + 1, "type %u", p[0]);
        }
    }
}

static size_t fake_run_count(struct ras_trace *t)
{
    return ((const struct fake *)t->priv)->runs;
}

static void fake_run_enter(struct ras_cursor *c, size_t run)
{
    struct fake_cursor *f = c->priv;
    const struct fake *fake = c->trace->priv;
    uint64_t share = source_bytes(c->trace->source, 0).len / fake->runs;
    (void)cursor_enter(c, 0, share * run);
    f->end = share * (run + 1);
}

static void fake_save(const struct ras_cursor *c, struct ras_mark *mark)
{
    const struct fake_cursor *f = c->priv;
    mark->state[0] = f->end;
    mark->state[1] = f->row;
}

static void fake_load(struct ras_cursor *c, const struct ras_mark *mark)
{
    *(struct fake_cursor *)c->priv = (struct fake_cursor){mark->state[0], mark->state[1]};
}

static const char *const fake_words[] = {"plain", NULL};

static const struct ras_format fake_format = {
    .about = {.name = "fake", .title = "fake", .dialects = fake_words, .extensions = fake_words},
    .trace_size = sizeof(struct fake),
    .cursor_size = sizeof(struct fake_cursor),
    .next = fake_next,
    .save = fake_save,
    .load = fake_load,
    .run_count = fake_run_count,
    .run_enter = fake_run_enter,
};

/* A trace over `bytes`, as ras_open_memory makes one, in so many runs. */
static struct ras_trace *fake_open(const void *bytes, size_t size, size_t runs, bool live)
{
    struct ras_trace *t = calloc(1, sizeof *t);
    struct ras_options options = {.live = live};
    if (!t)
        abort();
    *t = (struct ras_trace){
        .format = &fake_format,
        .priv = calloc(1, sizeof(struct fake)),
        .dialect = "plain",
        .limits = {.schemas = 8, .findings = 8, .inflated_bytes = 1 << 20, .pool_bytes = 1 << 20},
        .marks = marks_new()};
    if (!t->priv || !t->marks ||
        source_open_memory(&t->source, bytes, size, &options, &t->limits, NULL) < 0)
        abort();
    ((struct fake *)t->priv)->runs = runs;
    for (int i = 0; i < 5; i++)
        if (schema_add(t, &fake_schemas[i]) != i)
            abort();
    t->ending.why = "";
    return t;
}

#define FAKE_OPEN(text, runs) fake_open(text, sizeof(text) - 1, runs, false)
#endif
