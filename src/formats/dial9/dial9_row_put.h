/* dial9_row_put.h - polls, segments and spans as the cells of records on request. */
#ifndef DIAL9_ROW_PUT_H
#define DIAL9_ROW_PUT_H

#include "formats/dial9/dial9_stats.h"

/* More than any of them has, without what is inside attributes. */
enum { ROW_FIELDS_MOST = 48 };

/* One field after the other, those that the view wants. */
struct row_put {
    struct ras_cursor *c;
    const struct view *view;
    unsigned field;
};

static inline void dial9_row_number(struct row_put *p, bool there, unsigned bits, uint64_t u)
{
    unsigned field = p->field++;
    if (view_has(p->view, field))
        value_put(&p->c->values, there ? RAS_UINT : RAS_NULL, there ? bits : 0, field, 0,
                  there ? u : 0);
}

static inline void dial9_row_time(struct row_put *p, uint64_t u)
{
    dial9_row_number(p, u != RAS_NONE, 64, u);
}

static inline void dial9_row_word(struct row_put *p, const char *word)
{
    unsigned field = p->field++;
    if (view_has(p->view, field))
        value_text(&p->c->values, field, word);
}

static inline void dial9_row_interned(struct row_put *p, const struct dial9_stats *d, uint32_t text)
{
    unsigned field = p->field++;
    if (!view_has(p->view, field))
        return;
    if (text < d->texts.count)
        value_span(&p->c->values, RAS_STR, field, d->texts.entries[text].at,
                   d->texts.entries[text].len);
    else
        value_null(&p->c->values, field);
}

/* Empty ones are null. */
static inline void dial9_row_bytes(struct row_put *p, struct ras_bytes text)
{
    unsigned field = p->field++;
    if (view_has(p->view, field))
        value_span(&p->c->values, text.len ? RAS_STR : RAS_NULL, field, text.at, text.len);
}

static inline void dial9_row_bool(struct row_put *p, bool value)
{
    unsigned field = p->field++;
    if (view_has(p->view, field))
        value_put(&p->c->values, RAS_BOOL, 8, field, 0, value);
}

/* dial9_derived.c: the batch that holds an offset. */
uint32_t dial9_batch_at(const struct dial9 *, uint64_t offset);

/* dial9_span_rows.c */
void dial9_put_segment_row(struct row_put *, struct dial9_stats *, const struct derived_row *);
void dial9_put_span_row(struct row_put *, struct dial9_stats *, const struct derived_row *);
#endif
