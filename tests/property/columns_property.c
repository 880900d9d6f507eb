/* columns_property.c - the rows of every table are the records that a cursor delivers, field by
 * field; random columns, ranges, tests, shares and sizes of batches give the same rows. */
#include "base/out.h"
#include "codec/json_write.h"
#include "properties.h"
#include "trial.h"
#include <rastrum/columns.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCANS = 12, PREFIX_MOST = 1200 };

static uint64_t random_state = 0x9e3779b97f4a7c15;

static uint64_t random_below(uint64_t n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return n ? random_state % n : 0;
}

/* ---- a copy of rows ------------------------------------------------------------------------ */

/* A value of a column: numbers by their bits, everything else by its text. */
struct got {
    bool null;
    uint64_t u;
    double f;
    uint8_t *text;
    size_t len;
};
struct rows {
    struct got *at;
    size_t count, room, width;
    uint64_t unfit;
};

static void rows_free(struct rows *r)
{
    for (size_t i = 0; i < r->count * r->width; i++)
        free(r->at[i].text);
    free(r->at);
    *r = (struct rows){0};
}

static void set_text(struct got *g, const void *at, size_t len)
{
    g->text = malloc(len + 1);
    if (len)
        memcpy(g->text, at, len);
    g->text[len] = 0;
    g->len = len;
}

static bool is_valid(const struct ras_column *c, size_t row)
{
    return !c->valid || c->valid[row / 8] >> row % 8 & 1;
}

static uint64_t integer_at(const struct ras_column *c, enum ras_type type, size_t row)
{
    switch (type) {
    case RAS_T_BOOL:
    case RAS_T_U8:
        return ((const uint8_t *)c->values)[row];
    case RAS_T_U16:
        return ((const uint16_t *)c->values)[row];
    case RAS_T_U32:
        return ((const uint32_t *)c->values)[row];
    default:
        return ((const uint64_t *)c->values)[row];
    }
}

static void put_item_text(struct out *out, const struct ras_column *c, enum ras_type type,
                          size_t row)
{
    if (!is_valid(c, row))
        out_text(out, "null,");
    else if (type == RAS_T_TEXT) {
        uint32_t code = ((const uint32_t *)c->values)[row];
        json_put_string(out, c->names->at[code], c->names->len[code]);
        out_text(out, ",");
    } else if (type == RAS_T_I64)
        out_format(out, "%lld,", (long long)integer_at(c, type, row));
    else if (type == RAS_T_F64)
        out_format(out, "%a,", ((const double *)c->values)[row]);
    else
        out_format(out, "%llu,", (unsigned long long)integer_at(c, type, row));
}

static void take_value(struct got *g, const struct ras_column_about *a, const struct ras_column *c,
                       size_t row)
{
    struct out out = {0};
    *g = (struct got){.null = !is_valid(c, row)};
    if (g->null)
        return;
    switch (a->type) {
    case RAS_T_F32:
        g->f = (double)((const float *)c->values)[row];
        return;
    case RAS_T_F64:
        g->f = ((const double *)c->values)[row];
        return;
    case RAS_T_TEXT: {
        uint32_t code = ((const uint32_t *)c->values)[row];
        if (code >= c->names->count)
            complain("code %u of %u names", code, c->names->count);
        else
            set_text(g, c->names->at[code], c->names->len[code]);
        return;
    }
    case RAS_T_BLOB:
    case RAS_T_JSON:
        set_text(g, (const uint8_t *)c->values + c->offsets[row],
                 c->offsets[row + 1] - c->offsets[row]);
        return;
    case RAS_T_LIST:
        for (uint32_t i = c->offsets[row]; i < c->offsets[row + 1]; i++)
            put_item_text(&out, c->items, a->item, i);
        set_text(g, out.at, out.len);
        out_free(&out);
        return;
    default:
        g->u = integer_at(c, a->type, row);
    }
}

static void check_batch(const struct ras_batch *b, const struct ras_columns_scan *s, size_t most)
{
    if (b->rows > most)
        complain("%s: a batch of %zu rows, at most %zu", s->table, b->rows, most);
    if (!b->selected_count || b->selected_count > b->rows)
        complain("%s: %zu of %zu rows are selected", s->table, b->selected_count, b->rows);
    for (size_t i = 0; i < b->column_count; i++) {
        const struct ras_column *c = &b->columns[i];
        uint64_t nulls = 0;
        for (size_t k = 0; c->valid && k < b->rows; k++)
            nulls += !is_valid(c, k);
        if (nulls != c->nulls)
            complain("%s: %llu nulls, %llu said", s->table, (unsigned long long)nulls,
                     (unsigned long long)c->nulls);
        if (((uintptr_t)c->values | (uintptr_t)c->valid | (uintptr_t)c->offsets) % 64)
            complain("%s: column %zu is not aligned", s->table, i);
    }
}

/* Add the rows of a scan. */
static int read_rows(struct ras_tables *set, const struct ras_columns_scan *s, struct rows *out)
{
    const struct ras_table_about *t = ras_table_of(set, s->table);
    const struct ras_batch *b;
    struct ras_columns *c;
    struct ras_error err;
    size_t most = s->rows ? s->rows : 16384, now = most < 64 ? most : 64;
    int status = ras_columns_open(&c, set, s, &err);
    if (status < 0)
        return status;
    out->width = s->column_count;
    while ((status = ras_columns_next(c, &b, &err)) == RAS_OK) {
        check_batch(b, s, s->test_count ? most : now);
        now = 2 * now > most ? most : 2 * now;
        for (size_t i = 0; i < b->selected_count; i++) {
            size_t row = b->selected ? b->selected[i] : i;
            if (out->count == out->room) {
                out->room = out->room ? 2 * out->room : 64;
                out->at = realloc(out->at, out->room * (out->width + 1) * sizeof *out->at);
            }
            for (size_t k = 0; k < out->width; k++)
                take_value(&out->at[out->count * out->width + k], &t->columns[s->columns[k]],
                           &b->columns[k], row);
            out->count++;
        }
        for (size_t k = 0; k < b->column_count; k++)
            out->unfit +=
                b->columns[k].unfit + (b->columns[k].items ? b->columns[k].items->unfit : 0);
    }
    if (status < 0)
        complain("%s: %s", s->table, err.text);
    ras_columns_close(c);
    return status;
}

static bool same_value(const struct got *a, const struct got *b)
{
    if (a->null || b->null)
        return a->null == b->null;
    return a->u == b->u && !memcmp(&a->f, &b->f, sizeof a->f) && a->len == b->len &&
           (!a->len || !memcmp(a->text, b->text, a->len));
}

/* ---- rows against records -------------------------------------------------------------------- */

static bool is_integer(enum ras_type type)
{
    return type <= RAS_T_I64;
}

static bool is_list_same(const struct got *g, const struct ras_value *v, enum ras_type item)
{
    struct out out = {0};
    const struct ras_value *end = ras_value_next(v);
    for (const struct ras_value *i = v + 1; i < end; i = ras_value_next(i)) {
        if (i->kind == RAS_NULL)
            out_text(&out, "null");
        else if (i->kind == RAS_STR)
            json_put_string(&out, i->at, i->count);
        else if (item == RAS_T_F64)
            out_format(&out, "%a", i->kind == RAS_F32 ? (double)i->f32 : i->f64);
        else if (i->kind == RAS_INT)
            out_format(&out, "%lld", (long long)i->i);
        else
            out_format(&out, "%llu", (unsigned long long)i->u);
        out_text(&out, ",");
    }
    bool same = out.len == g->len && (!g->len || !memcmp(out.at, g->text, g->len));
    out_free(&out);
    return same;
}

static bool is_same(const struct got *g, const struct ras_column_about *a,
                    const struct ras_value *v)
{
    struct out out = {0};
    double f;
    if (!v || v->kind == RAS_NULL)
        return g->null;
    if (g->null)
        return false;
    switch (a->type) {
    case RAS_T_F32:
    case RAS_T_F64:
        f = v->kind == RAS_F64   ? v->f64
            : v->kind == RAS_F32 ? (double)v->f32
            : v->kind == RAS_INT ? (double)v->i
                                 : (double)v->u;
        return isnan(f) ? isnan(g->f) : !memcmp(&f, &g->f, sizeof f);
    case RAS_T_TEXT:
    case RAS_T_BLOB:
        return v->count == g->len && (!g->len || !memcmp(v->at, g->text, g->len));
    case RAS_T_JSON: {
        json_put_value(&out, v, a->flags, false);
        bool same = out.len == g->len && !memcmp(out.at, g->text, g->len);
        out_free(&out);
        return same;
    }
    case RAS_T_LIST:
        return v->kind == RAS_LIST && is_list_same(g, v, a->item);
    default:
        return is_integer(a->type) && v->u == g->u;
    }
}

/* The member of a map; NULL: none. */
static const struct ras_value *member(const struct ras_value *map, const char *name, size_t len)
{
    const struct ras_value *end = ras_value_next(map);
    if (map->kind != RAS_MAP)
        return NULL;
    for (const struct ras_value *k = map + 1; k < end; k = ras_value_next(k + 1))
        if (k->count == len && !memcmp(k->at, name, len))
            return k + 1;
    return NULL;
}

/* The value of a field of the record by its path, the n-th of that name. */
static const struct ras_value *value_of(const struct ras_cursor *c, const char *path, size_t nth)
{
    const struct ras_schema *s = ras_schema_of(c);
    for (unsigned i = 0; i < s->field_count; i++) {
        size_t len = strlen(s->fields[i].name);
        bool nests = s->fields[i].kind == RAS_MAP && s->fields[i].inner;
        if (strncmp(path, s->fields[i].name, len) || path[len] != (nests ? '.' : 0) || nth--)
            continue;
        const struct ras_value *v = ras_value_at(c, (int)i);
        for (path += len; v && *path == '.'; path += len) {
            path++;
            len = strcspn(path, ".");
            v = member(v, path, len);
        }
        return v;
    }
    return NULL;
}

/* Which of several columns of one field it is. */
static size_t twin_of(const struct ras_table_about *t, size_t column)
{
    size_t twins = 0;
    for (size_t i = 0; i < column; i++)
        twins += t->columns[i].field && !strcmp(t->columns[i].field, t->columns[column].field) &&
                 !strcmp(t->columns[i].note ? t->columns[i].note : "",
                         t->columns[column].note ? t->columns[column].note : "");
    return twins;
}

static size_t plain_name(char *to, size_t room, const char *name)
{
    size_t len = 0, nul = strlen(RAS_NAME_NUL);
    while (*name && len < room) {
        bool is_nul = !strncmp(name, RAS_NAME_NUL, nul);
        to[len++] = is_nul ? 0 : *name;
        name += is_nul ? nul : 1;
    }
    return len;
}

static bool is_head(const char *name, const struct ras_cursor *c, const struct ras_record *r,
                    struct ras_value *v)
{
    const struct {
        const char *name;
        bool there;
        uint64_t u;
    } heads[] = {
        {"seq", true, r->seq},
        {"time_ns", ras_has_time(c), r->time_ns},
        {"tick", (r->flags & RAS_HAS_TICK) != 0, r->tick},
        {"stream", true, r->stream},
        {"offset", true, r->offset},
        {"parent", r->parent != RAS_NONE, r->parent},
        {"part", true, r->part},
        {"size_bytes", true, r->raw_len},
    };
    *v = (struct ras_value){.kind = RAS_NULL};
    if (!strcmp(name, "raw") || !strcmp(name, "type")) {
        static char type[1 << 16]; /* a NUL of the trace is RAS_NAME_NUL in the schema's name */
        bool raw = *name == 'r';
        size_t len = raw ? 0 : plain_name(type, sizeof type, ras_schema_of(c)->name);
        v->kind = raw ? RAS_BLOB : RAS_STR;
        v->count = raw ? r->raw_len : (uint32_t)len;
        v->at = raw ? (const void *)r->raw : type;
        return true;
    }
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        if (!strcmp(name, heads[i].name)) {
            v->kind = heads[i].there ? RAS_UINT : RAS_NULL;
            v->u = heads[i].u;
            return true;
        }
    return false;
}

/* The word for a code. */
static const struct ras_value *word_of(const struct ras_cursor *c, const char *field,
                                       struct ras_value *word)
{
    const struct ras_value *v = value_of(c, field, 0);
    const char *text = v ? ras_schema_of(c)->fields[v->field].word(v->u) : NULL;
    *word = (struct ras_value){
        .kind = text ? RAS_STR : RAS_NULL, .count = text ? (uint32_t)strlen(text) : 0, .at = text};
    return word;
}

static void check_row(const struct ras_table_about *t, const struct got *row,
                      const struct ras_cursor *c, const struct ras_record *r)
{
    for (size_t i = 0; i < t->column_count; i++) {
        const struct ras_column_about *a = &t->columns[i];
        struct ras_value head;
        const struct ras_value *v = &head;
        bool aliased = a->flags & RAS_ALIAS; /* another name of a value, not the word for a code */
        if (a->field && i && a[-1].field == a->field && a->flags & RAS_HIDDEN && !aliased) {
            v = word_of(c, a->field, &head);
        } else if (a->field) {
            v = value_of(c, a->field, twin_of(t, i));
        } else if (!is_head(a->name, c, r, &head)) {
            continue;
        }
        if (!is_same(&row[i], a, v))
            complain("%s.%s: record %llu holds another value than its row", t->name, a->name,
                     (unsigned long long)r->seq);
    }
}

/* Whether the records of a schema are rows of the table: a type that the trace defines may have
 * the name of one that the format does. */
static bool is_of(const struct ras_trace *t, const struct ras_table_about *a, uint32_t schema)
{
    const struct ras_schema *s = ras_schema_at(t, schema);
    bool request = s->flags & RAS_ON_REQUEST, defines = ras_format_of(t)->defines_types;
    if (!a->type)
        return !request;
    bool theirs = defines && schema && !request;
    bool table_theirs = defines && a->kind == RAS_TABLE_RECORDS && strcmp(a->name, "gap") != 0;
    return !strcmp(s->name, a->type) && request == (a->kind == RAS_TABLE_ON_REQUEST) &&
           theirs == table_theirs;
}

static int open_reference(struct ras_cursor **c, struct ras_trace *t,
                          const struct ras_table_about *a)
{
    const struct ras_pick pick = {.type = a->type};
    const struct ras_scan scan = {.picks = &pick, .pick_count = a->kind == RAS_TABLE_ON_REQUEST};
    return ras_cursor_open(c, t, &scan, NULL);
}

static void check_records(struct ras_trace *t, const struct ras_table_about *a,
                          const struct rows *rows)
{
    const struct ras_record *r;
    struct ras_cursor *c;
    size_t at = 0;
    if (open_reference(&c, t, a) < 0)
        return;
    while (ras_next(c, &r, NULL) == RAS_OK) {
        if (!is_of(t, a, r->schema))
            continue;
        if (at < rows->count)
            check_row(a, &rows->at[at * rows->width], c, r);
        at++;
    }
    ras_cursor_close(c);
    if (at != rows->count)
        complain("%s: %zu rows of %zu records", a->name, rows->count, at);
    if (a->rows != RAS_NONE && a->rows != at)
        complain("%s: %llu rows were announced, there are %zu", a->name,
                 (unsigned long long)a->rows, at);
}

/* ---- random scans --------------------------------------------------------------------------- */

static int order_of(const struct ras_column_about *a, const struct got *x, const struct got *y)
{
    if (a->type == RAS_T_F32 || a->type == RAS_T_F64)
        return (x->f > y->f) - (x->f < y->f);
    if (is_integer(a->type))
        return ((int64_t)x->u > (int64_t)y->u) - ((int64_t)x->u < (int64_t)y->u);
    size_t least = x->len < y->len ? x->len : y->len;
    int order = least ? memcmp(x->text, y->text, least) : 0;
    return order ? order : (x->len > y->len) - (x->len < y->len);
}

struct condition {
    struct ras_test test;
    struct got value; /* of a row */
};

static bool holds(const struct condition *k, const struct ras_column_about *a, const struct got *g)
{
    unsigned op = k->test.op;
    if (op == RAS_TEST_IS_NULL || op == RAS_TEST_NOT_NULL)
        return g->null == (op == RAS_TEST_IS_NULL);
    bool number = a->type == RAS_T_F32 || a->type == RAS_T_F64;
    if (g->null || (number && (isnan(g->f) || isnan(k->value.f))))
        return false;
    int order = order_of(a, g, &k->value);
    const bool results[] = {[RAS_TEST_EQ] = order == 0,
                            [RAS_TEST_NE] = order != 0,
                            [RAS_TEST_LT] =
                                order<0, [RAS_TEST_LE] = order <= 0, [RAS_TEST_GT] = order> 0,
                            [RAS_TEST_GE] = order >= 0};
    return op == RAS_TEST_IN ? order == 0 : results[op];
}

static bool make_test(struct condition *k, const struct ras_table_about *t, const struct rows *all)
{
    size_t column = random_below(t->column_count);
    const struct ras_column_about *a = &t->columns[column];
    const struct got *g = &all->at[random_below(all->count) * all->width + column];
    unsigned op = (unsigned)random_below(RAS_TEST_IN + 1);
    if (g->null || a->type == RAS_T_LIST)
        op = random_below(2) ? RAS_TEST_IS_NULL : RAS_TEST_NOT_NULL;
    *k = (struct condition){.test = {.column = (uint16_t)column, .op = (uint8_t)op}, .value = *g};
    struct ras_value *v = &k->test.value;
    if (is_integer(a->type))
        *v = (struct ras_value){.kind = RAS_INT, .u = g->u};
    else if (a->type < RAS_T_TEXT)
        *v = (struct ras_value){.kind = RAS_F64, .f64 = g->f};
    else
        *v = (struct ras_value){.kind = RAS_STR, .count = (uint32_t)g->len, .at = g->text};
    if (op == RAS_TEST_IN) {
        k->test.in = v;
        k->test.in_count = 1;
    }
    return true;
}

static bool in_range(const struct ras_columns_scan *s, const struct ras_table_about *t,
                     const struct got *row)
{
    for (size_t i = 0; s->axis && i < t->column_count; i++)
        if (t->columns[i].axis == s->axis && !t->columns[i].field)
            return !row[i].null && row[i].u >= s->from && row[i].u < s->to;
    return true;
}

static void compare_scan(const struct ras_table_about *t, const struct rows *all,
                         const struct rows *some, const struct ras_columns_scan *s,
                         const struct condition *k)
{
    size_t at = 0;
    for (size_t i = 0; i < all->count; i++) {
        const struct got *row = &all->at[i * all->width];
        bool in = in_range(s, t, row);
        for (size_t n = 0; n < s->test_count; n++)
            in &= holds(&k[n], &t->columns[k[n].test.column], &row[k[n].test.column]);
        for (size_t n = 0; in && at < some->count && n < some->width; n++)
            if (!same_value(&row[s->columns[n]], &some->at[at * some->width + n]))
                complain("%s.%s: a scan of %zu columns with %zu tests gives another value", t->name,
                         t->columns[s->columns[n]].name, s->column_count, s->test_count);
        at += in;
    }
    if (at != some->count)
        complain("%s: a scan with %zu tests and axis %d has %zu rows, not %zu", t->name,
                 s->test_count, s->axis, some->count, at);
}

static void choose_range(struct ras_columns_scan *s, const struct ras_table_about *t,
                         const struct rows *all)
{
    size_t column = random_below(t->column_count < 4 ? t->column_count : 4);
    const struct got *a = &all->at[random_below(all->count) * all->width + column];
    const struct got *b = &all->at[random_below(all->count) * all->width + column];
    if (!t->columns[column].axis || t->columns[column].field || a->null || b->null)
        return;
    s->axis = t->columns[column].axis;
    s->from = a->u < b->u ? a->u : b->u;
    s->to = (a->u < b->u ? b->u : a->u) + 1;
    if (!s->to)
        s->axis = RAS_AXIS_NONE;
}

static void random_scan(struct ras_tables *set, const struct ras_table_about *t,
                        const struct rows *all)
{
    uint16_t columns[8];
    struct condition k[3];
    struct ras_test tests[3];
    struct rows some = {0};
    struct ras_columns_scan s = {.table = t->name, .columns = columns, .tests = tests};
    s.column_count = random_below(8);
    for (size_t i = 0; i < s.column_count; i++)
        columns[i] = (uint16_t)random_below(t->column_count);
    s.no_columns = !s.column_count;
    s.test_count = random_below(4);
    s.rows = random_below(3) ? 1 + random_below(100) : 0;
    for (size_t i = 0; i < s.test_count; i++) {
        (void)make_test(&k[i], t, all);
        tests[i] = k[i].test;
        if (tests[i].op == RAS_TEST_IN)
            tests[i].in = &k[i].test.value;
    }
    if (t->kind <= RAS_TABLE_ON_REQUEST && random_below(2))
        choose_range(&s, t, all);
    if (read_rows(set, &s, &some) == RAS_END)
        compare_scan(t, all, &some, &s, k);
    rows_free(&some);
}

/* The shares of a trace, one after the other, are the whole. */
static void check_shares(struct ras_trace *trace, struct ras_tables *set,
                         const struct ras_table_about *t, const struct ras_columns_scan *whole,
                         const struct rows *all)
{
    struct ras_mark marks[3];
    struct ras_error err;
    size_t count = 3;
    struct rows parts = {0};
    if (ras_split(trace, marks, &count, &err) < 0) {
        complain("split: %s", err.text);
        return;
    }
    for (size_t i = 0; i <= count; i++) {
        struct ras_columns_scan s = *whole;
        s.begin = i ? &marks[i - 1] : NULL;
        s.end = i < count ? &marks[i] : NULL;
        (void)!read_rows(set, &s, &parts);
    }
    if (parts.count != all->count)
        complain("%s: %zu shares have %zu rows, not %zu", t->name, count + 1, parts.count,
                 all->count);
    for (size_t i = 0; i < parts.count * parts.width && parts.count == all->count; i++)
        if (!same_value(&parts.at[i], &all->at[i])) {
            complain("%s.%s: a share gives another value", t->name,
                     t->columns[i % parts.width].name);
            break;
        }
    rows_free(&parts);
}

/* ---- traces ---------------------------------------------------------------------------------- */

static void check_table(struct ras_trace *trace, struct ras_tables *set,
                        const struct ras_table_about *t, unsigned scans)
{
    struct rows all = {0};
    uint16_t *columns = malloc((t->column_count + 1) * sizeof *columns);
    for (size_t i = 0; i < t->column_count; i++)
        columns[i] = (uint16_t)i;
    const struct ras_columns_scan s = {
        .table = t->name, .columns = columns, .column_count = t->column_count};
    if (read_rows(set, &s, &all) == RAS_END) {
        if (t->kind <= RAS_TABLE_ON_REQUEST && !all.unfit)
            check_records(trace, t, &all);
        for (unsigned i = 0; all.count && i < scans; i++)
            random_scan(set, t, &all);
        bool shared =
            t->kind == RAS_TABLE_RECORDS ||
            (t->kind == RAS_TABLE_CHILD && ras_table_of(set, t->parent)->kind == RAS_TABLE_RECORDS);
        if (scans && shared)
            check_shares(trace, set, t, &s, &all);
    }
    rows_free(&all);
    free(columns);
}

static void check_names(const struct ras_tables *set)
{
    const struct ras_table_about *t;
    for (size_t i = 0; (t = ras_table_at(set, i)); i++) {
        if (ras_table_of(set, t->name) != t)
            complain("%s: another table has the name", t->name);
        for (size_t k = 0; k < t->column_count; k++)
            for (size_t n = 0; t->column_count < 100 && n < k; n++)
                if (!strcmp(t->columns[n].name, t->columns[k].name))
                    complain("%s.%s is there twice", t->name, t->columns[k].name);
    }
}

static void check_tables(struct ras_trace *t, unsigned scans)
{
    const struct ras_tables_options options = {.stats = scans > 0};
    const struct ras_table_about *a;
    struct ras_tables *set;
    struct ras_error err;
    struct ras_ending before, after;
    struct walk w = {0};
    if (walk_all(&w, t, NULL) < 0) {
        walk_free(&w);
        return;
    }
    before = ras_ending(t);
    walk_free(&w);
    if (ras_tables_open(&set, t, &options, &err) < 0) {
        complain("no tables: %s", err.text);
        return;
    }
    check_names(set);
    for (size_t i = 0; (a = ras_table_at(set, i)); i++)
        check_table(t, set, a, scans);
    const struct ras_columns_scan s = {.table = "record", .no_columns = true};
    struct rows none = {0};
    (void)!read_rows(set, &s, &none);
    after = ras_ending(t);
    if (before.kind != after.kind || before.offset != after.offset)
        complain("it ends %s at %llu, not %s at %llu", ras_ending_name(after.kind),
                 (unsigned long long)after.offset, ras_ending_name(before.kind),
                 (unsigned long long)before.offset);
    rows_free(&none);
    ras_tables_close(set);
}

/* Every beginning of it, and some damage; reduced, about a tenth of both. */
static void check_parts_of(const struct golden *g, enum effort effort)
{
    for (size_t size = 0; size < g->size; size += effort == REDUCED ? 11 : 1) {
        uint8_t *copy = exact_copy(g->bytes, size);
        struct ras_trace *t;
        trial(copy, size, "%s, tables of its first %zu bytes", g->name, size);
        if (ras_open_memory(&t, copy, size, NULL, NULL) == RAS_OK) {
            check_tables(t, 0);
            ras_close(t);
        }
        free(copy);
    }
    for (unsigned i = 0; i < (effort == REDUCED ? 10 : 100); i++) {
        uint8_t *copy = exact_copy(g->bytes, g->size);
        struct ras_trace *t;
        copy[random_below(g->size)] ^= (uint8_t)(1 + random_below(255));
        trial(copy, g->size, "%s, tables with a byte changed", g->name);
        if (ras_open_memory(&t, copy, g->size, NULL, NULL) == RAS_OK) {
            check_tables(t, 0);
            ras_close(t);
        }
        free(copy);
    }
}

void columns_property(const struct goldens *g, enum effort effort)
{
    for (size_t i = 0; i < g->count; i++) {
        struct ras_trace *t;
        if (g->at[i].big && effort == REDUCED)
            continue;
        trial(g->at[i].bytes, g->at[i].size, "%s, its tables", g->at[i].name);
        if (golden_open(&g->at[i], &t, NULL) != RAS_OK)
            continue;
        check_tables(t, g->at[i].big ? 2 : effort == REDUCED ? 4 : SCANS);
        ras_close(t);
        if (!g->at[i].is_dir && !g->at[i].big && g->at[i].size < PREFIX_MOST)
            check_parts_of(&g->at[i], effort);
    }
}
