/* compare.c - the divergences of a comparison as they are reported; which options apply where. */
#include "base/memory.h"
#include "core/format.h"
#include "core/document.h"
#include "ops/compare/compare_driver.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

const struct ras_detail_member detail_row[] = {
    MEMBER_VALUE("path", TEXT, "which field"),
    MEMBER_VALUE("kind", TEXT,
                 "`value_mismatch`, `type_mismatch`, `length_mismatch`, `bits_mismatch`, "
                 "`bytes_mismatch`, `content_mismatch`, `missing_actual`, `missing_expected` or "
                 "`moved`"),
    MEMBER_VALUE("expected", ANY, "what the first side has there"),
    MEMBER_VALUE("actual", ANY, "what the second side has there"),
    {0},
};

const struct ras_detail_kind *detail_of(const struct ras_detail_kind *all, const char *kind)
{
    for (; all && all->kind; all++)
        if (!strcmp(all->kind, kind))
            return all;
    return NULL;
}

static void out_of_memory(struct compare *c)
{
    c->doc.cells.nomem = true;
}

bool compare_wants_detail(const struct compare *c)
{
    return !compare_counts(c) && c->out->divergence_count < c->side[0]->limits.findings;
}

/* The last divergence is complete: its other places and its amount were set after it. */
static void hand_out(struct compare *c)
{
    if (c->tally && c->amount)
        c->tally->add(c->tally->user, c->out->divergences, c->amount);
    c->amount = 0;
}

static bool goes_on(struct compare *c)
{
    if (c->out->divergence_count < COMPARE_DIVERGENCES_MOST)
        return c->options->keep_going || compare_counts(c);
    compare_note(c, "ended after %d divergences", COMPARE_DIVERGENCES_MOST);
    return false;
}

bool compare_diverged(struct compare *c, const char *kind, struct ras_value at, size_t detail)
{
    struct ras_diff *out = c->out;
    hand_out(c);
    c->amount = 1;
    size_t n = compare_counts(c) ? 0 : out->divergence_count;
    if (!array_grow(&out->divergences, &c->divergence_room, n + 1, sizeof *out->divergences) ||
        !array_grow(&c->details, &c->detail_room, n + 1, sizeof *c->details)) {
        out_of_memory(c);
        return false;
    }
    out->divergences[n] = (struct ras_divergence){.kind = kind,
                                                  .at = {{out->key, out->word, at}},
                                                  .at_count = 1,
                                                  .schema = detail_of(c->ops->details, kind),
                                                  .seq = {RAS_NONE, RAS_NONE}};
    c->details[n] = compare_wants_detail(c) ? detail : COMPARE_NO_DETAIL;
    out->divergence_count = n + 1;
    return goes_on(c);
}

int compare_rows_diverged(struct compare *c, const char *kind, struct ras_value at, size_t detail,
                          uint64_t rows)
{
    bool more = compare_diverged(c, kind, at, detail);
    compare_amount(c, rows);
    c->out->checked += more ? rows : 1;
    return more ? RAS_OK : RAS_END;
}

void compare_amount(struct compare *c, uint64_t amount)
{
    c->amount = amount ? amount : 1;
}

void compare_counted(struct compare *c)
{
    hand_out(c);
    c->out->divergence_count = 0;
}

void compare_forget(struct compare *c)
{
    c->amount = 0;
    c->out->divergence_count = 0;
    c->out->checked = 0;
    document_cut(&c->doc, 0);
    if (c->tally)
        c->tally->restart(c->tally->user);
}

struct document *compare_detail_open(struct compare *c, size_t *detail)
{
    struct document *d = compare_wants_detail(c) ? &c->doc : &c->scratch;
    if (d == &c->scratch) {
        document_cut(d, 0);
        arena_reset(&d->texts);
    }
    *detail = d->cells.count;
    return d;
}

size_t compare_detail_close(struct compare *c, struct document *d, size_t detail, bool differs)
{
    c->doc.cells.nomem |= d->cells.nomem;
    if (!differs)
        document_cut(d, detail);
    return d == &c->doc && differs ? detail : COMPARE_NO_DETAIL;
}

void compare_also(struct compare *c, const char *key, const char *word, struct ras_value at)
{
    size_t n = c->out->divergence_count;
    struct ras_divergence *d = n ? &c->out->divergences[n - 1] : NULL;
    if (d && d->at_count < RAS_PLACES)
        d->at[d->at_count++] = (struct ras_place){key, word, at};
}

void compare_where(struct compare *c, int side, uint32_t stream, uint64_t seq)
{
    size_t n = c->out->divergence_count;
    if (!n)
        return;
    c->out->divergences[n - 1].seq[side] = seq;
    c->out->divergences[n - 1].stream[side] = stream;
}

void compare_note(struct compare *c, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    bool added = lines_add(&c->out->notes, &c->out->note_count, &c->note_room, NULL, fmt, args);
    va_end(args);
    if (!added)
        out_of_memory(c);
}

void compare_table(struct compare *c, const char *name, const char *const *columns)
{
    struct document *d = &c->doc;
    if (c->table_at == SIZE_MAX)
        c->table_at = document_open(d, RAS_MAP);
    document_key(d, name);
    c->tables[0] = document_open(d, RAS_MAP);
    size_t list = document_put_open(d, "columns", RAS_LIST);
    for (size_t i = 0; columns[i]; i++)
        document_key(d, columns[i]);
    document_close(d, list);
    c->tables[1] = document_put_open(d, "rows", RAS_LIST);
}

void compare_table_end(struct compare *c)
{
    document_close(&c->doc, c->tables[1]);
    document_close(&c->doc, c->tables[0]);
    document_close(&c->doc, c->table_at);
}

void compare_place_next(struct compare_place *p, uint64_t number)
{
    bool back = p->begun && number < p->number;
    p->nth = p->begun && number == p->number ? p->nth + 1 : 0;
    p->round += back;
    p->number = number;
    p->begun = true;
}

int compare_place_order(const struct compare_place *a, const struct compare_place *b)
{
    const uint64_t x[] = {a->round, a->number, a->nth}, y[] = {b->round, b->number, b->nth};
    for (int i = 0; i < 3; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

bool compare_in_range(const struct ras_compare_options *o, uint64_t number)
{
    bool early = o->has_first && o->first > 0 && number < (uint64_t)o->first;
    bool late = o->has_last && (o->last < 0 || number > (uint64_t)o->last);
    return !early && !late;
}

int compare_ending(struct compare *c, int side, const struct ras_cursor *cursor,
                   struct ras_error *err)
{
    static const struct ras_scan scan = {.headers_only = true};
    const struct ras_record *r;
    struct ras_cursor *rest = NULL;
    struct ras_mark mark;
    int status = RAS_OK;
    if (ras_ending(c->side[side]).kind == RAS_OPEN_END) {
        ras_mark(cursor, &mark);
        status = ras_cursor_open(&rest, c->side[side], &scan, err);
        if (status == RAS_OK)
            status = ras_jump(rest, &mark, err);
        while (status == RAS_OK)
            status = ras_next(rest, &r, err);
        ras_cursor_close(rest);
    }
    c->out->endings[side] = ras_ending(c->side[side]);
    return status < 0 ? status : RAS_OK;
}

bool compare_wants(const struct ras_compare_options *options, const char *channel)
{
    for (size_t i = 0; i < options->channel_count; i++)
        if (!strcmp(options->channels[i], channel))
            return true;
    return !options->channel_count;
}

bool path_covers(const char *pattern, const char *path)
{
    bool inside = false; /* brackets */
    for (;; pattern++, path++) {
        if (*pattern == '*') {
            path += strcspn(path, inside ? "]" : ".[");
            pattern++;
        }
        if (!*pattern)
            return !*path || *path == '.' || *path == '[';
        if (*pattern != *path)
            return false;
        inside = *pattern == '[' || (inside && *pattern != ']');
    }
}

bool compare_ignores(const struct ras_compare_options *options, const char *path)
{
    for (size_t i = 0; options && i < options->ignored_count; i++)
        if (path_covers(options->ignored[i], path))
            return true;
    return false;
}

bool compare_near(const struct ras_compare_options *options, const char *path, double a, double b)
{
    for (size_t i = 0; options && i < options->tolerance_count; i++)
        if (path_covers(options->tolerances[i].path, path) &&
            fabs(a - b) <= options->tolerances[i].eps)
            return true;
    return false;
}
