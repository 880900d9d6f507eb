/* tick_index.c - columns of marks: read from a file, collected from traces, searched, written. */
#include "core/tick_index.h"
#include "base/error.h"
#include "base/in.h"
#include "base/memory.h"
#include "base/out.h"
#include "core/format.h"
#include "core/passes.h"

#include <stdlib.h>

static const char magic[8] = "RASTICK1";
enum { WORD = 8, PAIR = 2 * WORD, HEAD = sizeof magic + 4 + 4 + WORD };

/* ---- columns --------------------------------------------------------------------------- */

uint64_t tick_column_tick(const struct tick_column *c, uint64_t i)
{
    return load_u64(c->ticks + i * c->stride);
}

uint64_t tick_column_value(const struct tick_column *c, uint64_t i)
{
    return load_u64(c->values + i * c->stride);
}

/* The first of ascending words that is not below the one sought. */
static uint64_t first_from(const struct tick_column *c, const uint8_t *words, uint64_t sought)
{
    uint64_t low = 0, high = c->count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (load_u64(words + middle * c->stride) < sought)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint64_t tick_column_from(const struct tick_column *c, uint64_t value)
{
    return first_from(c, c->values, value);
}

uint64_t tick_column_since(const struct tick_column *c, uint64_t tick)
{
    uint64_t first = c->count ? tick_column_tick(c, 0) : 0;
    if (c->count && tick >= first && tick - first < c->count &&
        tick_column_tick(c, tick - first) == tick)
        return tick - first; /* none is missing */
    return first_from(c, c->ticks, tick);
}

const struct tick_column *tick_index_find(const struct tick_index *index, const char *name)
{
    for (size_t i = 0; i < index->count; i++)
        if (!strcmp(index->columns[i].name, name))
            return &index->columns[i];
    return NULL;
}

const struct tick_column *tick_index_stream(const struct tick_index *index, enum tick_kind kind,
                                            uint32_t stream)
{
    for (size_t i = 0; i < index->count; i++)
        if (index->columns[i].kind == kind && index->columns[i].stream == stream)
            return &index->columns[i];
    return NULL;
}

/* What a name says: FORMAT.event, FORMAT.N.settled. */
static void learn_name(struct tick_column *c)
{
    static const struct {
        const char *word;
        enum tick_kind kind;
    } words[] = {{".tick", TICK_FIRST}, {".settled", TICK_SETTLED}, {".head", TICK_HEAD}};
    const char *dot = strchr(c->name, '.');
    if (dot && !strcmp(dot, ".event"))
        c->kind = TICK_LAST;
    if (!dot || dot[1] < '0' || dot[1] > '9')
        return;
    char *end;
    c->stream = (uint32_t)strtoul(dot + 1, &end, 10);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(end, words[i].word))
            c->kind = words[i].kind;
}

static struct tick_column *column_new(struct tick_index *index, const char *name, size_t len)
{
    char *copy = arena_take(&index->names, len + 1);
    if (!copy ||
        !array_grow(&index->columns, &index->room, index->count + 1, sizeof *index->columns)) {
        index->nomem = true;
        return NULL;
    }
    memcpy(copy, name, len);
    copy[len] = 0;
    struct tick_column *c = &index->columns[index->count++];
    *c = (struct tick_column){.name = copy};
    learn_name(c);
    return c;
}

/* Whether a mark may follow those that are there. */
static bool is_next(const struct tick_column *c, uint64_t tick, uint64_t value)
{
    if (!c->count)
        return true;
    uint64_t last = tick_column_value(c, c->count - 1);
    return tick > tick_column_tick(c, c->count - 1) && (c->kind == TICK_SETTLED || value >= last);
}

/* Pairs of its own, as many as come. */
static bool column_add(struct tick_index *index, struct tick_column *c, uint64_t tick,
                       uint64_t value)
{
    if (!array_grow(&c->own, &c->room, (c->count + 1) * PAIR, 1)) {
        index->nomem = true;
        return false;
    }
    c->ticks = c->own;
    c->values = c->own + WORD;
    c->stride = PAIR;
    store_u64(store_u64(c->own + c->count * PAIR, tick), value);
    c->count++;
    return true;
}

void tick_index_add(struct tick_index *index, const char *name, uint64_t tick, uint64_t value)
{
    struct tick_column *c = (struct tick_column *)(uintptr_t)tick_index_find(index, name);
    if (!c)
        c = column_new(index, name, strlen(name));
    if (c && is_next(c, tick, value))
        (void)column_add(index, c, tick, value);
    else
        index->descending++;
}

void tick_index_free(struct tick_index *index)
{
    for (size_t i = 0; i < index->count; i++)
        free(index->columns[i].own);
    free(index->columns);
    arena_free(&index->names);
    *index = (struct tick_index){0};
}

/* ---- files ------------------------------------------------------------------------------- */

/* A segment, and the columns of the index that its own are. */
struct segment {
    const uint8_t *rows;
    uint64_t count, first;
    size_t columns, tick; /* which of them has the ticks */
    size_t at[TICK_COLUMNS];
};

static int read_segment_head(struct tick_index *index, struct in *in, struct segment *s,
                             struct ras_error *err)
{
    const uint8_t *begin = in->at, *text = in_take(in, sizeof magic);
    uint32_t size = in_u32(in);
    s->columns = in_u32(in);
    s->first = in_u64(in);
    s->tick = SIZE_MAX;
    if (in->cut || memcmp(text, magic, sizeof magic) != 0)
        return fail(err, RAS_EFORMAT, RAS_NONE, "it does not begin with a whole head");
    if (!s->columns || s->columns > TICK_COLUMNS)
        return fail(err, RAS_EFORMAT, RAS_NONE, "%zu columns, there may be 1 to %d", s->columns,
                    TICK_COLUMNS);
    for (size_t i = 0; i < s->columns; i++) {
        struct ras_bytes name = in_span(in, in_u16(in));
        if (in->cut || !name.len || name.len >= TICK_NAME || memchr(name.at, 0, name.len))
            return fail(err, RAS_EFORMAT, RAS_NONE, "column %zu has no valid name", i);
        char words[TICK_NAME] = "";
        memcpy(words, name.at, name.len);
        if (!strcmp(words, "tick"))
            s->tick = i;
        const struct tick_column *known = tick_index_find(index, words);
        if (!known && !(known = column_new(index, words, name.len)))
            return fail_memory(err);
        s->at[i] = (size_t)(known - index->columns);
        for (size_t k = 0; k < i; k++)
            if (s->at[k] == s->at[i])
                return fail(err, RAS_EFORMAT, RAS_NONE, "two columns '%s'", words);
    }
    if (s->tick == SIZE_MAX || (uint64_t)(in->at - begin) != size)
        return fail(err, RAS_EFORMAT, RAS_NONE, "a head of %td bytes, it says %" PRIu32,
                    in->at - begin, size);
    return RAS_OK;
}

/* A row that cannot follow the one before. */
static int check_row(const struct tick_index *index, const struct segment *s, const uint8_t *row,
                     struct ras_error *err)
{
    uint64_t tick = load_u64(row + s->tick * WORD);
    for (size_t i = 0; i < s->columns; i++) {
        const struct tick_column *c = &index->columns[s->at[i]];
        uint64_t value = load_u64(row + i * WORD);
        if (!is_next(c, tick, value) || (value == RAS_NONE && c->kind != TICK_SETTLED))
            return fail(err, RAS_EFORMAT, RAS_NONE, "the %s of tick %" PRIu64 " steps back",
                        c->name, tick);
    }
    return RAS_OK;
}

/* The rows up to the next head. Those of the first segment stay in the file. */
static int read_rows(struct tick_index *index, struct in *in, struct segment *s, bool alone,
                     struct ras_error *err)
{
    size_t size = s->columns * WORD;
    int status = RAS_OK;
    s->rows = in->at;
    for (size_t i = 0; alone && i < s->columns; i++) {
        struct tick_column *c = &index->columns[s->at[i]];
        c->ticks = s->rows + s->tick * WORD;
        c->values = s->rows + i * WORD;
        c->stride = size;
    }
    while (status == RAS_OK && in_left(in)) {
        if (in_left(in) >= sizeof magic && !memcmp(in->at, magic, sizeof magic))
            break;
        const uint8_t *row = in_take(in, size);
        if (!row)
            return fail(err, RAS_EFORMAT, RAS_NONE, "it ends inside the row of a tick");
        status = check_row(index, s, row, err);
        for (size_t i = 0; status == RAS_OK && i < s->columns; i++) {
            struct tick_column *c = &index->columns[s->at[i]];
            if (alone)
                c->count++;
            else if (!column_add(index, c, load_u64(row + s->tick * WORD),
                                 load_u64(row + i * WORD)))
                status = fail_memory(err);
        }
        s->count++;
    }
    return status;
}

/* Columns that lie in the file are copied before more is added to them. */
static int take_over(struct tick_index *index, struct ras_error *err)
{
    for (size_t i = 0; i < index->count; i++) {
        struct tick_column *c = &index->columns[i], from = *c;
        if (from.own || !from.count)
            continue;
        c->count = 0;
        for (uint64_t k = 0; k < from.count; k++)
            if (!column_add(index, c, tick_column_tick(&from, k), tick_column_value(&from, k)))
                return fail_memory(err);
    }
    return RAS_OK;
}

static int read_all(struct tick_index *index, struct in *in, uint64_t rows, struct ras_error *err)
{
    uint64_t count = 0;
    int status = RAS_OK;
    do {
        struct segment s = {0};
        bool alone = count == 0 && !index->count;
        if (!alone)
            status = take_over(index, err);
        if (status == RAS_OK)
            status = read_segment_head(index, in, &s, err);
        if (status == RAS_OK && s.first != count)
            status = fail(err, RAS_EFORMAT, RAS_NONE,
                          "rows from %" PRIu64 " on follow %" PRIu64 " rows", s.first, count);
        if (status == RAS_OK)
            status = read_rows(index, in, &s, alone, err);
        count += s.count;
    } while (status == RAS_OK && in_left(in));
    if (status == RAS_OK && rows != RAS_NONE && count != rows)
        status = fail(err, RAS_EFORMAT, RAS_NONE, "%" PRIu64 " rows, the run has %" PRIu64 " ticks",
                      count, rows);
    return status;
}

int tick_index_read(struct tick_index *index, struct ras_bytes file, uint64_t rows,
                    struct ras_error *err)
{
    struct in in = in_bytes(file);
    *index = (struct tick_index){0};
    if (!file.len && (!rows || rows == RAS_NONE))
        return RAS_OK; /* there was no tick */
    int status = read_all(index, &in, rows, err);
    if (status < 0)
        tick_index_free(index);
    return status;
}

/* ---- writing ------------------------------------------------------------------------------ */

void tick_rows_put(struct tick_rows *t, const char *name, uint64_t value)
{
    if (t->count == TICK_COLUMNS)
        return;
    char *known = t->names[t->count];
    if (t->count >= t->known || strcmp(known, name) != 0) {
        snprintf(known, TICK_NAME, "%s", name);
        t->renamed = true;
    }
    t->values[t->count++] = value;
}

static int write_head(struct tick_rows *t, struct ras_error *err)
{
    uint8_t head[HEAD + TICK_COLUMNS * (2 + TICK_NAME)], *at = head + HEAD;
    for (unsigned i = 0; i < t->count; i++) {
        size_t len = strlen(t->names[i]);
        at = store_u16(at, (uint16_t)len);
        memcpy(at, t->names[i], len);
        at += len;
    }
    memcpy(head, magic, sizeof magic);
    store_u64(store_u32(store_u32(head + sizeof magic, (uint32_t)(at - head)), t->count), t->rows);
    return ras_sink_write(t->sink, head, (size_t)(at - head), err);
}

int tick_rows_end(struct tick_rows *t, struct ras_error *err)
{
    uint8_t row[TICK_COLUMNS * WORD], *at = row;
    int status = RAS_OK;
    if (t->renamed || t->count != t->known)
        status = write_head(t, err);
    for (unsigned i = 0; i < t->count; i++)
        at = store_u64(at, t->values[i]);
    if (status == RAS_OK)
        status = ras_sink_write(t->sink, row, (size_t)(at - row), err);
    t->known = t->count;
    t->renamed = false;
    t->count = 0;
    t->rows++;
    return status;
}

/* ---- marks in traces ------------------------------------------------------------------------- */

/* Traces whose records have ticks, or frames that count them. */
static int scan_records(struct tick_index *index, struct ras_trace *trace, uint64_t first,
                        struct ras_error *err)
{
    const struct tick_ops *ops = trace->format->ticks;
    const struct ras_pick pick = {.type = ops->type};
    const struct ras_scan scan = {.picks = &pick, .pick_count = 1, .headers_only = true};
    const struct ras_record *r;
    struct ras_cursor *c;
    uint64_t row = 0;
    struct passes nobody = {0};
    struct passes *passes = index->passes ? index->passes : &nobody;
    int status = ras_cursor_open(&c, trace, &scan, err);
    while (status == RAS_OK && (status = passes_walk(passes, trace, c, &r, err)) == RAS_OK) {
        if (!(r->flags & RAS_HAS_TICK))
            continue;
        uint64_t tick = ops->value == TICK_BY_FRAME ? first + r->tick : r->tick;
        uint64_t value = ops->value == TICK_BY_OFFSET ? r->offset
                         : ops->value == TICK_BY_ROW  ? row
                                                      : r->tick;
        tick_index_add(index, ops->column, tick, value);
        row++;
    }
    ras_cursor_close(c);
    return status < 0 ? status : RAS_OK;
}

int tick_index_scan(struct tick_index *index, struct ras_trace *trace, uint64_t first,
                    struct ras_error *err)
{
    const struct tick_ops *ops = trace->format->ticks;
    if (!ops)
        return RAS_OK;
    int status =
        ops->scan ? ops->scan(trace, index, first, err) : scan_records(index, trace, first, err);
    return status == RAS_OK && index->nomem ? fail_memory(err) : status;
}
