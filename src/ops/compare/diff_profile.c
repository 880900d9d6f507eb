/* diff_profile.c - the statistics of two traces side by side: what increased, what decreased. */
#include "base/error.h"
#include "base/sort.h"
#include "ops/compare/diff.h"
#include "ops/compare/profile_pair.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TABLES_MOST = 16, FIGURES_MOST = 8, KEYS_MOST = 8, NAME_ROOM = 40 };

/* ---- cells --------------------------------------------------------------------------------- */

static void put_number(struct document *doc, const struct ras_value *v)
{
    double number;
    if (profile_number(v, &number))
        document_copy(doc, v);
    else
        document_null(doc);
}

/* In tenths; null where there was nothing before. */
static void put_percent(struct document *doc, const struct ras_value *a, const struct ras_value *b)
{
    double before = 0, change = 0;
    bool known = profile_number(a, &before) && profile_change(a, b, &change);
    double tenths = known && before > 0 ? 1000.0 * change / before : 0;
    if (known && before > 0 && fabs(tenths) < 1e15)
        document_f64(doc, (double)(int64_t)(tenths + (tenths < 0 ? -0.5 : 0.5)) / 10);
    else
        document_null(doc);
}

/* ---- rows ---------------------------------------------------------------------------------- */

/* Rows by how much their first figure changes, then by what they are. */
struct movers {
    const struct profile_pairs *p;
    size_t figure;
};

static double moved(const struct movers *m, const struct profile_pair *pair)
{
    double change = 0;
    if (m->figure != SIZE_MAX)
        (void)profile_change(profile_cell(m->p, pair, 0, m->figure),
                             profile_cell(m->p, pair, 1, m->figure), &change);
    return fabs(change);
}

static int by_change(const void *a, const void *b, void *movers)
{
    double x = moved(movers, a), y = moved(movers, b);
    return (x < y) - (x > y); /* pairs are in the order of their keys */
}

/* Whether a row is one of those that the profile is about. */
static bool is_about(const struct profile_pairs *p, const struct compare_profile *of,
                     const struct profile_pair *pair)
{
    size_t column = of->only[0] ? profile_column(p, of->only[0]) : SIZE_MAX;
    if (column == SIZE_MAX)
        return true;
    const struct ras_value *v = profile_cell(p, pair, 0, column);
    v = v ? v : profile_cell(p, pair, 1, column);
    return v && v->kind == RAS_STR && v->count == strlen(of->only[1]) &&
           !memcmp(v->at, of->only[1], v->count);
}

static void put_pair(struct compare *c, const struct profile_pairs *p,
                     const struct compare_profile *of, const struct profile_pair *pair)
{
    size_t row = document_open(&c->doc, RAS_LIST);
    for (unsigned i = 0; of->keys[i]; i++) {
        size_t column = profile_column(p, of->keys[i]);
        const struct ras_value *v =
            column == SIZE_MAX ? NULL : profile_cell(p, pair, !pair->row[0], column);
        document_copy(&c->doc, v);
    }
    for (unsigned i = 0; of->figures[i]; i++) {
        size_t column = profile_column(p, of->figures[i]);
        const struct ras_value *a = NULL, *b = NULL;
        if (column != SIZE_MAX) {
            a = profile_cell(p, pair, 0, column);
            b = profile_cell(p, pair, 1, column);
        }
        put_number(&c->doc, a);
        put_number(&c->doc, b);
        profile_put_change(&c->doc, a, b);
        if (!strstr(of->figures[i], "_percent"))
            put_percent(&c->doc, a, b);
    }
    document_close(&c->doc, row);
}

/* "total_ns" is total_ns, total_actual_ns, total_change_ns, total_percent, as of functions. Of a
 * share in percent there is no change in percent. */
static void name_columns(const struct compare_profile *of, char names[][NAME_ROOM],
                         const char **columns)
{
    static const char *const ends[] = {"", "_actual", "_change", "_percent"};
    unsigned n = 0, named = 0;
    for (unsigned i = 0; of->keys[i] && i < KEYS_MOST; i++)
        columns[n++] = of->keys[i];
    for (unsigned i = 0; of->figures[i] && i < FIGURES_MOST; i++) {
        const char *figure = of->figures[i], *unit = strstr(figure, "_ns");
        const char *share = strstr(figure, "_percent");
        unit = unit ? unit : share;
        int stem = unit ? (int)(unit - figure) : (int)strlen(figure);
        for (unsigned k = 0; k < (share ? 3 : 4); k++, n++, named++) {
            snprintf(names[named], NAME_ROOM, "%.*s%s%s", stem, figure, ends[k],
                     unit && k < 3 ? unit : "");
            columns[n] = names[named];
        }
    }
    columns[n] = NULL;
}

static int put_profile(struct compare *c, const struct compare_profile *of,
                       const struct ras_value *a, const struct ras_value *b, struct ras_error *err)
{
    char names[4 * FIGURES_MOST][NAME_ROOM];
    const char *columns[KEYS_MOST + 4 * FIGURES_MOST + 1];
    struct profile_pairs p;
    size_t put = 0;
    int status = profile_pairs_make(&p, a, b, of->keys, err);
    if (status == RAS_OK) {
        struct movers movers = {&p, profile_column(&p, of->figures[0])};
        if (p.count)
            sort_with(p.pairs, p.count, sizeof *p.pairs, by_change, &movers);
        name_columns(of, names, columns);
        compare_table(c, of->table, columns);
        for (size_t i = 0; i < p.count && (!of->most || put < of->most); i++)
            if (is_about(&p, of, &p.pairs[i])) {
                put_pair(c, &p, of, &p.pairs[i]);
                put++;
            }
        compare_table_end(c);
    }
    profile_pairs_free(&p);
    return status;
}

int diff_profile(struct compare *c, const struct compare_profile *profiles, struct ras_error *err)
{
    const char *names[TABLES_MOST];
    struct ras_stats *stats[2] = {NULL, NULL};
    size_t count = 0;
    int status = RAS_OK;
    for (; profiles[count].table && count < TABLES_MOST; count++)
        names[count] = profiles[count].table;
    const struct ras_stats_options how = {.tables = names, .table_count = count};
    for (int i = 0; i < 2 && status == RAS_OK; i++)
        status = ras_stats(&stats[i], c->side[i], &how, err);
    for (size_t i = 0; i < count && status == RAS_OK; i++)
        status = put_profile(c, &profiles[i], ras_value_member(stats[0]->tables, names[i]),
                             ras_value_member(stats[1]->tables, names[i]), err);
    ras_stats_free(stats[0]);
    ras_stats_free(stats[1]);
    return status;
}
