/* tally.c - how often things occur, in total and in each tick or frame. */
#include "ops/stats/tally.h"
#include "base/memory.h"

#include <stdlib.h>

static struct tally_row *row_of(struct tally *t, uint64_t id, const char *name)
{
    uint32_t found = id_table_find(&t->ids, id);
    if (found == ID_TABLE_NONE && t->count >= TALLY_MOST) {
        id = TALLY_OTHERS;
        name = "others";
        found = id_table_find(&t->ids, id);
    }
    if (found != ID_TABLE_NONE)
        return &t->rows[found];
    if (!array_grow(&t->rows, &t->room, t->count + 1, sizeof *t->rows) ||
        !id_table_add(&t->ids, id, (uint32_t)t->count))
        return NULL;
    t->rows[t->count] = (struct tally_row){.id = id, .name = name};
    return &t->rows[t->count++];
}

void tally_add(struct stats *s, struct tally *t, uint64_t id, const char *name, uint64_t bytes,
               uint64_t at)
{
    struct tally_row *row = row_of(t, id, name);
    if (!row) {
        s->doc.cells.nomem = true;
        return;
    }
    row->first = row->count ? row->first : at;
    row->last = at;
    row->count++;
    row->bytes += bytes;
    row->in_unit++;
}

void tally_unit_end(struct stats *s, struct tally *t)
{
    for (size_t i = 0; i < t->count; i++) {
        struct tally_row *row = &t->rows[i];
        if (!row->in_unit)
            continue;
        stats_add(s, &row->per_unit, row->in_unit);
        row->units++;
        row->in_unit = 0;
    }
}

void tally_unit_none(struct tally *t)
{
    for (size_t i = 0; i < t->count; i++)
        t->rows[i].in_unit = 0;
}

bool tally_lists(struct stats *s, void *rows, size_t *room, size_t count, size_t size)
{
    if (count >= UNITS_LISTED)
        return false;
    bool grown = array_grow(rows, room, count + 1, size);
    s->doc.cells.nomem |= !grown;
    return grown;
}

void tally_free(struct tally *t)
{
    for (size_t i = 0; i < t->count; i++)
        quantiles_free(&t->rows[i].per_unit);
    free(t->rows);
    id_table_free(&t->ids);
}

void tally_put_share(struct stats *s, void *tally_row, void *user)
{
    const struct tally_row *row = tally_row;
    document_f64(&s->doc, 100.0 * (double)row->count / (double)*(const uint64_t *)user);
}

void tally_put_per_unit(struct stats *s, void *tally_row, void *user)
{
    struct tally_row *row = tally_row;
    (void)user;
    static const unsigned shares[] = {500, 950, 990, 1000};
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        if (row->per_unit.count)
            document_uint(&s->doc, quantiles_at(&row->per_unit, shares[i]));
        else
            document_null(&s->doc);
}

void tally_put_spread(struct stats *s, const char *name, struct quantiles *q)
{
    size_t row = stats_row(s);
    document_name(&s->doc, name);
    stats_put_quantiles(s, q);
    stats_row_end(s, row);
}
