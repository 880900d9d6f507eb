/* fail_if.c - conditions on the statistics of two traces: `TABLE.COLUMN OP [+-]N[%]`.
 *
 * A number without a sign and without % is compared with the value of the second trace, else with
 * the change from the first to the second: by as much, or by as many percent of the first. Each row
 * of the table is held to it, or with `TABLE[ROW].COLUMN` those that ROW names. A row, or a value,
 * that only one trace has is 0 in the other; what grows from 0 grows by more than any percentage.
 */
#include "base/error.h"
#include "ops/compare/diff.h"
#include "ops/compare/profile_pair.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CONDITIONS_MOST = 256, WORD_ROOM = 100, VIOLATIONS_SHOWN = 25, DIGITS_MOST = 30 };

enum relation { LESS, LESS_EQUAL, GREATER, GREATER_EQUAL, EQUAL, NOT_EQUAL };

/* Longer words first: "<=" is not "<". */
static const struct {
    const char *word;
    enum relation is;
} relations[] = {{"<=", LESS_EQUAL}, {">=", GREATER_EQUAL}, {"==", EQUAL},
                 {"!=", NOT_EQUAL},  {"<", LESS},           {">", GREATER}};

struct condition {
    const char *text;
    char table[WORD_ROOM], row[WORD_ROOM], column[WORD_ROOM];
    bool has_row, changes, percent;
    enum relation relation;
    double number;
};

/* ---- the text ------------------------------------------------------------------------------ */

static int malformed(const struct condition *c, const char *what, struct ras_error *err)
{
    return fail(err, RAS_EUSAGE, RAS_NONE,
                "'%.80s': %s; a condition is TABLE.COLUMN OP [+-]N[%%], as in"
                " 'polls_by_location.p99_ns > +10%%'",
                c->text, what);
}

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " ");
}

/* A word up to one of these; NULL: empty or too long. */
static const char *take_word(const char *at, const char *until, char *to)
{
    size_t len = strcspn(at, until);
    if (!len || len >= WORD_ROOM)
        return NULL;
    memcpy(to, at, len);
    to[len] = 0;
    return at + len;
}

static const char *take_number(struct condition *c, const char *at)
{
    char text[DIGITS_MOST + 2];
    c->changes = *at == '+' || *at == '-';
    size_t sign = c->changes, whole = strspn(at + sign, "0123456789"), len = sign + whole;
    if (whole && at[len] == '.') {
        size_t part = strspn(at + len + 1, "0123456789");
        if (!part)
            return NULL;
        len += 1 + part;
    }
    if (!whole || len > DIGITS_MOST)
        return NULL;
    memcpy(text, at, len);
    text[len] = 0;
    c->number = strtod(text, NULL);
    at += len;
    c->percent = *at == '%';
    c->changes |= c->percent;
    return at + c->percent;
}

static int parse(struct condition *c, const char *text, struct ras_error *err)
{
    *c = (struct condition){.text = text};
    const char *at = take_word(skip_blanks(text), ".[<>=! ", c->table);
    if (at && *at == '[') {
        c->has_row = true;
        at = take_word(at + 1, "]", c->row);
        at = at && *at == ']' ? at + 1 : NULL;
    }
    if (!at || *at != '.' || !(at = take_word(at + 1, "<>=! ", c->column)))
        return malformed(c, "no TABLE.COLUMN", err);
    at = skip_blanks(at);
    size_t i = 0, count = sizeof relations / sizeof *relations;
    while (i < count && strncmp(at, relations[i].word, strlen(relations[i].word)))
        i++;
    if (i == count)
        return malformed(c, "no operator: < <= > >= == !=", err);
    c->relation = relations[i].is;
    at = take_number(c, skip_blanks(at + strlen(relations[i].word)));
    if (!at)
        return malformed(c, "no number", err);
    return *skip_blanks(at) ? malformed(c, "something follows the number", err) : RAS_OK;
}

/* ---- values -------------------------------------------------------------------------------- */

static bool holds(enum relation relation, double x, double number)
{
    switch (relation) {
    case LESS:
        return x < number;
    case LESS_EQUAL:
        return x <= number;
    case GREATER:
        return x > number;
    case GREATER_EQUAL:
        return x >= number;
    case EQUAL:
        return x == number;
    default:
        return x != number;
    }
}

/* What the condition is about, of one row; false: it is not known. */
static bool measured(const struct condition *c, const struct ras_value *a,
                     const struct ras_value *b, double *x)
{
    double before = 0;
    if (!c->changes)
        return profile_number(b, x);
    bool known = profile_change(a, b, x);
    (void)profile_number(a, &before);
    if (c->percent && *x != 0)
        *x = before != 0 ? 100 * *x / fabs(before) : *x > 0 ? INFINITY : -INFINITY;
    return known;
}

static bool is_named(const struct profile_pairs *p, const struct profile_pair *pair,
                     const struct condition *c)
{
    char name[1000];
    return !c->has_row || !strcmp(profile_row_name(p, pair, name, sizeof name), c->row);
}

static void put_cell(struct document *doc, const char *key, const struct ras_value *v)
{
    document_key(doc, key);
    document_copy(doc, v);
}

static void put_violation(struct document *doc, const struct profile_pairs *p,
                          const struct profile_pair *pair, size_t column)
{
    char name[1000];
    double change = 0, before = 0;
    const struct ras_value *a = profile_cell(p, pair, 0, column);
    const struct ras_value *b = profile_cell(p, pair, 1, column);
    size_t map = document_open(doc, RAS_MAP);
    document_put_text(doc, "row", profile_row_name(p, pair, name, sizeof name));
    put_cell(doc, "expected", a);
    put_cell(doc, "actual", b);
    (void)profile_change(a, b, &change);
    document_key(doc, "change");
    profile_put_change(doc, a, b);
    document_key(doc, "percent");
    if (profile_number(a, &before) && before != 0)
        document_f64(doc, 100 * change / fabs(before));
    else
        document_null(doc);
    document_close(doc, map);
}

/* ---- conditions ----------------------------------------------------------------------------- */

/* The names of the columns, as far as there is room. */
static int unknown_column(const struct condition *c, const struct profile_pairs *p,
                          struct ras_error *err)
{
    char names[160] = "";
    size_t len = 0;
    for (size_t i = 0; i < p->column_count && len < sizeof names; i++)
        len += (size_t)snprintf(names + len, sizeof names - len, " %s", p->names[i]);
    fail(err, RAS_EUSAGE, RAS_NONE, "table '%.40s' has no column '%.40s'; there are:%s", c->table,
         c->column, names);
    return RAS_EUSAGE;
}

/* The names of the first rows, as far as there is room. */
static int unknown_row(const struct condition *c, const struct profile_pairs *p,
                       struct ras_error *err)
{
    char names[120] = "", one[60];
    size_t len = 0;
    for (size_t i = 0; i < p->count && len < sizeof names; i++)
        len += (size_t)snprintf(names + len, sizeof names - len, "%s'%.40s'", i ? ", " : "",
                                profile_row_name(p, &p->pairs[i], one, sizeof one));
    return fail(err, RAS_EUSAGE, RAS_NONE, "table '%.40s' has no row '%.40s' in either trace%s%s",
                c->table, c->row, p->count ? "; there are: " : ": it is empty", names);
}

static int condition_check_rows(struct compare *to, const struct condition *c,
                                const struct profile_pairs *p, size_t column, struct ras_error *err)
{
    struct document *doc = &to->doc;
    uint64_t rows = 0, named = 0, violated = 0;
    size_t map = document_open(doc, RAS_MAP);
    document_put_text(doc, "condition", c->text);
    size_t list = document_put_open(doc, "violations", RAS_LIST);
    for (size_t i = 0; i < p->count; i++) {
        const struct profile_pair *pair = &p->pairs[i];
        double x;
        if (!is_named(p, pair, c))
            continue;
        named++;
        if (!measured(c, profile_cell(p, pair, 0, column), profile_cell(p, pair, 1, column), &x))
            continue;
        rows++;
        if (!holds(c->relation, x, c->number))
            continue;
        if (violated++ < VIOLATIONS_SHOWN)
            put_violation(doc, p, pair, column);
    }
    document_close(doc, list);
    document_put_uint(doc, "rows", rows);
    document_put_uint(doc, "violation_count", violated);
    document_put_bool(doc, "violated", violated);
    document_close(doc, map);
    to->out->checked += rows;
    to->out->violated += violated != 0;
    return c->has_row && !named ? unknown_row(c, p, err) : RAS_OK;
}

static int check_condition(struct compare *to, const struct condition *c, struct ras_stats **stats,
                           struct ras_error *err)
{
    struct profile_pairs p;
    const struct ras_value *a = ras_value_member(stats[0]->tables, c->table);
    const struct ras_value *b = ras_value_member(stats[1]->tables, c->table);
    if (!a && !b) {
        fail(err, RAS_EUSAGE, RAS_NONE, "the statistics have no table '%.60s'", c->table);
        err->about = RAS_ABOUT_TABLE;
        return RAS_EUSAGE;
    }
    int status = profile_pairs_make(&p, a, b, NULL, err);
    size_t column = status == RAS_OK ? profile_column(&p, c->column) : SIZE_MAX;
    if (status == RAS_OK)
        status = column == SIZE_MAX ? unknown_column(c, &p, err)
                                    : condition_check_rows(to, c, &p, column, err);
    profile_pairs_free(&p);
    return status;
}

static int check_all(struct compare *c, const struct condition *conditions, struct ras_error *err)
{
    struct ras_stats *stats[2] = {NULL, NULL};
    const struct ras_stats_options how = {.progress = c->options->progress,
                                          .user = c->options->user};
    int status = RAS_OK;
    for (int i = 0; i < 2 && status == RAS_OK; i++) {
        status = ras_stats(&stats[i], c->side[i], &how, err);
        if (status == RAS_OK)
            c->out->endings[i] = stats[i]->ending;
    }
    size_t list = document_open(&c->doc, RAS_LIST);
    c->conditions_at = list;
    for (size_t i = 0; i < c->options->condition_count && status == RAS_OK; i++)
        status = check_condition(c, &conditions[i], stats, err);
    document_close(&c->doc, list);
    ras_stats_free(stats[0]);
    ras_stats_free(stats[1]);
    return status;
}

int diff_conditions(struct compare *c, struct ras_error *err)
{
    const struct ras_compare_options *o = c->options;
    if (o->condition_count > CONDITIONS_MOST)
        return fail(err, RAS_EUSAGE, RAS_NONE, "%zu conditions: %d are allowed", o->condition_count,
                    CONDITIONS_MOST);
    struct condition *all = calloc(o->condition_count + 1, sizeof *all);
    int status = all ? RAS_OK : fail_memory(err);
    for (size_t i = 0; i < o->condition_count && status == RAS_OK; i++)
        status = parse(&all[i], o->conditions[i], err);
    if (status == RAS_OK)
        status = check_all(c, all, err);
    free(all);
    return status;
}
