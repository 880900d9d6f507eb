/* dial9_folded.c - stacks in the folded form: `main;poll;read`, from the outermost caller on.
 *
 * Names are written as the format's own tools write them: a semicolon is a colon, white space is
 * one blank, an empty name is (anon), an empty stack is (empty). Of an address the function comes
 * before what was inlined into it, as in trees. */
#include "base/memory.h"
#include "base/sort.h"
#include "formats/dial9/dial9_profile.h"

#include <stdlib.h>

/* Of one stack, and of one name in it; the rest is left out. */
enum { FOLDED_BYTES = 1 << 15, FOLDED_NAME = 4096 };

static void fold_name(struct out *out, const void *name, size_t len)
{
    const char *at = name;
    size_t before = out->len;
    bool blank = false;
    for (size_t i = 0; i < len && i < FOLDED_NAME; i++) {
        if (at[i] == ' ' || (at[i] >= '\t' && at[i] <= '\r')) {
            blank = true;
            continue;
        }
        if (blank && out->len > before)
            out_byte(out, ' ');
        blank = false;
        out_byte(out, (uint8_t)(at[i] == ';' ? ':' : at[i]));
    }
    if (out->len == before && !out->failed)
        out_text(out, "(anon)");
}

static void fold_symbol(const struct dial9_stats *d, const struct symbol *s, struct out *out)
{
    bool known = s->text < d->texts.count;
    fold_name(out, known ? d->texts.entries[s->text].at : NULL,
              known ? d->texts.entries[s->text].len : 0);
}

static void fold_address(const struct dial9_stats *d, uint64_t address, struct out *out)
{
    size_t symbol = dial9_symbols_at(d, address), first = symbol;
    for (; symbol < d->symbol_count && d->symbols[symbol].address == address; symbol++) {
        if (out->len)
            out_byte(out, ';');
        fold_symbol(d, &d->symbols[symbol], out);
    }
    if (symbol == first)
        out_format(out, "%s0x%" PRIx64, out->len ? ";" : "", address);
}

void dial9_fold(struct dial9_stats *d, uint32_t stack, struct out *out)
{
    out->len = 0;
    if (stack < d->stack_count) {
        const struct stack *s = &d->stacks[stack];
        for (uint64_t i = s->length; i-- && out->len < FOLDED_BYTES;)
            fold_address(d, d->addresses[s->first + i], out);
    }
    if (out->len >= FOLDED_BYTES)
        out->len = FOLDED_BYTES;
    else if (!out->len)
        out_text(out, "(empty)");
}

void dial9_put_folded(struct dial9_stats *d, uint32_t stack)
{
    struct out out = {0};
    dial9_fold(d, stack, &out);
    if (out.failed)
        stats_nomem(d);
    d->folded_bytes += out.len;
    if (out.failed || d->folded_bytes > d->trace->limits.pool_bytes / 4)
        document_null(&d->s->doc);
    else
        document_text(&d->s->doc, out.at, out.len);
    out_free(&out);
}

/* ---- the table -------------------------------------------------------------------------- */

/* Stacks of different addresses may have the same names: they have one text. */
struct folding {
    struct dial9_stats *d;
    struct intern texts;
    uint32_t *text_of; /* by stack, then that of NO_STACK; NO_TEXT: beyond the budget */
    uint64_t budget;   /* bytes of text that may still be kept, or put */
    uint64_t left_out; /* samples without a row */
};

static uint32_t fold_text(struct folding *f, const struct out *text)
{
    struct ras_bytes bytes = {text->at, text->len};
    uint64_t hash = intern_hash(bytes);
    uint32_t id;
    if (intern_find(&f->texts, hash, bytes, &id))
        return id;
    if (text->len > f->budget)
        return NO_TEXT;
    f->budget -= text->len;
    if (!intern_free_id(&f->texts, NO_TEXT - 1, &id) || !intern_add(&f->texts, hash, bytes, id)) {
        stats_nomem(f->d);
        return NO_TEXT;
    }
    return id;
}

/* The texts of all stacks that samples have. */
static bool fold_all(struct folding *f)
{
    struct dial9_stats *d = f->d;
    struct out text = {0};
    f->text_of = calloc(d->stack_count + 1, sizeof *f->text_of);
    for (size_t i = 0; f->text_of && i <= d->stack_count; i++) {
        bool sampled = i == d->stack_count || d->stacks[i].count[0] || d->stacks[i].count[1];
        f->text_of[i] = NO_TEXT;
        if (!sampled)
            continue;
        dial9_fold(d, (uint32_t)i, &text);
        if (!text.failed)
            f->text_of[i] = fold_text(f, &text);
    }
    bool ok = f->text_of && !text.failed;
    out_free(&text);
    return ok;
}

static uint32_t fold_number(const struct folding *f, uint32_t stack)
{
    return f->text_of[stack < f->d->stack_count ? stack : f->d->stack_count];
}

/* In each group, stacks with one text become one. */
static int by_fold(const void *a, const void *b)
{
    const struct group_stack *x = a, *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return (x->stack > y->stack) - (x->stack < y->stack);
}

static size_t fold_join(const struct folding *f, const struct stack_groups *g,
                        struct group_stack *rows)
{
    size_t kept = 0;
    for (size_t i = 0; i < g->stack_count; i++) {
        rows[i] = g->stacks[i];
        rows[i].stack = fold_number(f, g->stacks[i].stack);
    }
    if (g->stack_count)
        qsort(rows, g->stack_count, sizeof *rows, by_fold);
    for (size_t i = 0; i < g->stack_count; i++) {
        struct group_stack *last = kept ? &rows[kept - 1] : NULL;
        if (last && last->group == rows[i].group && last->stack == rows[i].stack) {
            last->count += rows[i].count;
            last->in_poll += rows[i].in_poll;
        } else {
            rows[kept++] = rows[i];
        }
    }
    return kept;
}

/* On the CPU first, then the most frequent, then by text. */
struct fold_order {
    const struct folding *f;
    const struct stack_groups *g;
};

static int by_samples(const void *a, const void *b, void *context)
{
    const struct fold_order *o = context;
    const struct group_stack *x = a, *y = b;
    bool x_off = o->g->groups[x->group].off, y_off = o->g->groups[y->group].off;
    if (x_off != y_off)
        return x_off - y_off;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    if (x->stack == y->stack || x->stack == NO_TEXT || y->stack == NO_TEXT)
        return x->group < y->group ? -1 : x->group > y->group;
    const struct intern_entry *p = &o->f->texts.entries[x->stack];
    const struct intern_entry *q = &o->f->texts.entries[y->stack];
    int order = memcmp(p->at, q->at, p->len < q->len ? p->len : q->len);
    return order ? order : (p->len > q->len) - (p->len < q->len);
}

static void put_folded_row(struct folding *f, enum stack_by by, const struct group_stack *s,
                           const struct stack_group *group)
{
    struct document *doc = &f->d->s->doc;
    const struct intern_entry *text = s->stack == NO_TEXT ? NULL : &f->texts.entries[s->stack];
    struct frame_text name;
    if (!text || text->len > f->budget) {
        f->left_out += s->count;
        return;
    }
    f->budget -= text->len;
    dial9_group_name(f->d, by, group, &name);
    size_t row = stats_row(f->d->s);
    document_name(doc, dial9_by_words[by]);
    dial9_stats_put_frame_text(f->d, &name);
    document_name(doc, group->off ? "off-CPU" : "on-CPU");
    document_uint(doc, s->count);
    document_f64(doc, 100 * (double)s->count / (double)f->d->samples[group->off]);
    document_uint(doc, s->in_poll);
    document_text(doc, text->at, text->len);
    stats_row_end(f->d->s, row);
}

static bool put_folded_by(struct folding *f, enum stack_by by)
{
    const struct stack_groups *g = f->d->groups[by];
    struct group_stack *rows = g ? calloc(g->stack_count + 1, sizeof *rows) : NULL;
    struct fold_order order = {f, g};
    if (!rows)
        return !g;
    size_t count = fold_join(f, g, rows);
    if (count)
        sort_with(rows, count, sizeof *rows, by_samples, &order);
    for (size_t i = 0; i < count; i++)
        put_folded_row(f, by, &rows[i], &g->groups[rows[i].group]);
    free(rows);
    return true;
}

void dial9_stack_leaf(struct dial9_stats *d, uint32_t stack, struct frame_text *name,
                      struct frame_text *place)
{
    struct frame_walk w = {.stack = stack};
    struct frame leaf;
    *name = *place = (struct frame_text){{0}, 0};
    if (dial9_frame_next(d, &w, &leaf)) {
        dial9_frame_name(d, &leaf, name);
        dial9_frame_place(d, &leaf, place);
    }
}

void dial9_end_without_samples(struct dial9_stats *d)
{
    stats_table_end(d->s, "no samples: the %s has no CpuSampleEvent",
                    d->s->options->axis ? "range" : "trace");
}

void dial9_stats_put_folded(struct dial9_stats *d)
{
    static const char *const columns[] = {"grouped_by",    "group_name", "source", "samples",
                                          "share_percent", "in_poll",    "stack",  NULL};
    struct folding f = {.d = d, .budget = d->trace->limits.pool_bytes / 4};
    char more[160] = "";
    bool wanted = stats_table(d->s, "folded", columns);
    bool ok = !wanted || fold_all(&f);
    for (int by = 0; ok && wanted && by < BY_COUNT; by++)
        ok = put_folded_by(&f, (enum stack_by)by);
    if (!ok)
        stats_nomem(d);
    if (f.left_out)
        snprintf(more, sizeof more, "; rows of %s are left out: beyond the limit of memory",
                 ras_counted(f.left_out, "sample").text);
    if (!d->samples[0] && !d->samples[1])
        dial9_end_without_samples(d);
    else
        stats_table_end(
            d->s,
            "all samples once for each `grouped_by`; shares are of all samples of a source; "
            "the span is the innermost one that is entered on the worker%s%s",
            d->stacks_dropped ? "; stacks beyond 4,194,304 addresses are (empty)" : "", more);
    intern_free(&f.texts);
    free(f.text_of);
}
