/* cdt_query.c - the ticks or entities of a trace for which a condition holds. */
#include "formats/cdt/cdt_query.h"
#include "codec/json_python.h"

/* ---- two values compared: as numbers, by value, or by their text ------------------------- */

static bool is_number_value(const struct ras_value *v)
{
    return v->kind == RAS_BOOL || v->kind == RAS_UINT || v->kind == RAS_INT || v->kind == RAS_F64;
}

static double number_of(const struct ras_value *v)
{
    return v->kind == RAS_F64 ? v->f64 : v->kind == RAS_INT ? (double)v->i : (double)v->u;
}

static bool as_number(const struct ras_value *v, double *number)
{
    if (v->kind == RAS_STR)
        return python_float((struct ras_bytes){v->at, v->count}, number);
    if (!is_number_value(v))
        return false;
    *number = number_of(v);
    return true;
}

/* An int and a float are equal if the float has exactly that value. */
static bool exactly(const struct ras_value *i, double f)
{
    if (i->kind == RAS_INT)
        return f >= -0x1p63 && f < 0x1p63 && (double)(int64_t)f == f && (int64_t)f == i->i;
    return f >= 0 && f < 0x1p64 && (double)(uint64_t)f == f && (uint64_t)f == i->u;
}

static bool numbers_equal(const struct ras_value *a, const struct ras_value *b)
{
    if (a->kind == RAS_F64 && b->kind == RAS_F64)
        return a->f64 == b->f64;
    if (a->kind == RAS_F64)
        return exactly(b, a->f64);
    if (b->kind == RAS_F64)
        return exactly(a, b->f64);
    bool negative = (a->kind == RAS_INT && a->i < 0) || (b->kind == RAS_INT && b->i < 0);
    return a->u == b->u && (!negative || a->kind == b->kind);
}

static bool equal(const struct ras_value *a, const struct ras_value *b);

static bool lists_equal(const struct ras_value *a, const struct ras_value *b)
{
    const struct ras_value *x = a + 1, *y = b + 1;
    const struct ras_value *x_end = ras_value_next(a), *y_end = ras_value_next(b);
    for (; x < x_end && y < y_end; x = ras_value_next(x), y = ras_value_next(y))
        if (!equal(x, y))
            return false;
    return x == x_end && y == y_end;
}

/* Whether every key of `a` is in `b` with the same value; the last of equal keys counts. */
static bool within(const struct ras_value *a, const struct ras_value *b)
{
    const struct ras_value *a_end = ras_value_next(a), *b_end = ras_value_next(b);
    for (const struct ras_value *x = a + 1; x < a_end; x = ras_value_next(x + 1)) {
        const struct ras_value *found = NULL;
        for (const struct ras_value *y = b + 1; y < b_end; y = ras_value_next(y + 1))
            if (equal(x, y))
                found = y + 1;
        if (!found || !equal(x + 1, found))
            return false;
    }
    return true;
}

static bool equal(const struct ras_value *a, const struct ras_value *b)
{
    if (is_number_value(a) && is_number_value(b))
        return numbers_equal(a, b);
    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case RAS_STR:
    case RAS_BLOB:
        return a->count == b->count && (!a->count || !memcmp(a->at, b->at, a->count));
    case RAS_LIST:
        return lists_equal(a, b);
    case RAS_MAP:
        return within(a, b) && within(b, a);
    default:
        return true;
    }
}

static bool ordered(enum query_op op, int order)
{
    return op == QUERY_GE   ? order >= 0
           : op == QUERY_LE ? order <= 0
           : op == QUERY_GT ? order > 0
                            : order < 0;
}

static void put_text_of(struct out *out, const struct ras_value *v)
{
    if (v->kind == RAS_BLOB)
        out_bytes(out, v->at, v->count);
    else
        python_str(out, v);
}

static bool by_text(enum query_op op, const struct ras_value *a, const struct ras_value *b)
{
    struct out x = {0}, y = {0};
    put_text_of(&x, a);
    put_text_of(&y, b);
    size_t least = x.len < y.len ? x.len : y.len;
    int order = least ? memcmp(x.at, y.at, least) : 0;
    if (!order)
        order = x.len < y.len ? -1 : x.len > y.len;
    bool holds = !x.failed && !y.failed && ordered(op, order);
    out_free(&x);
    out_free(&y);
    return holds;
}

bool query_holds(enum query_op op, const struct ras_value *left, const struct ras_value *right)
{
    double a, b;
    if (!as_number(left, &a) || !as_number(right, &b)) {
        if (op == QUERY_EQ || op == QUERY_NE)
            return equal(left, right) == (op == QUERY_EQ);
        return by_text(op, left, right);
    }
    switch (op) {
    case QUERY_EQ:
        return a == b;
    case QUERY_NE:
        return a != b;
    case QUERY_GE:
        return a >= b;
    case QUERY_LE:
        return a <= b;
    case QUERY_GT:
        return a > b;
    default:
        return a < b;
    }
}

enum { ROWS_KEPT = 256 };

/* The state of an operand during the walk. */
struct side_of_it {
    const struct cdt_model *model;
    const struct operand *operand;
    struct ras_bytes first, rest; /* its path: up to the first dot, and after it */
    bool deeper;                  /* the path has a dot */
    int members[CDT_POOLS];       /* for rows of that pool, the index of member `first`; -1: none */
    struct document value, before; /* value now, and at the previous tick */
    struct ras_value scalar;       /* or now, if it is a single cell */
    bool is_scalar, has_before;
};

struct query_state {
    const struct cdt_model *model;
    struct query query;
    struct side_of_it sides[2];
    struct document *doc;
    struct document values; /* values of the operands in each row that is kept */
    bool compat;
    uint64_t limit, matches;
    uint64_t kept;
};

static bool name_is(struct ras_bytes text, const char *name)
{
    return text.len == strlen(name) && !memcmp(text.at, name, text.len);
}

/* Splits off the first name of a path. False: there is no dot. */
static bool split_path(struct ras_bytes path, struct ras_bytes *first, struct ras_bytes *rest)
{
    const uint8_t *dot = path.len ? memchr(path.at, '.', path.len) : NULL;
    *first = (struct ras_bytes){path.at, dot ? (size_t)(dot - path.at) : path.len};
    *rest = dot ? (struct ras_bytes){dot + 1, path.len - first->len - 1} : (struct ras_bytes){0};
    return dot;
}

static int member_named(const struct cdt_struct *s, struct ras_bytes name)
{
    for (unsigned i = 0; i < s->count; i++)
        if (name_is(name, s->fields[i].name))
            return (int)i;
    return -1;
}

/* ---- following a path -------------------------------------------------------- */

static void follow(struct document *d, const struct cdt_struct *s, const void *at,
                   struct ras_bytes path);

/* The last of equal keys. */
static void follow_timer(struct document *d, const struct cdt_list *list, struct ras_bytes path)
{
    const struct ras_cdt_timer *timers = (const struct ras_cdt_timer *)(const void *)list->at;
    struct ras_bytes key, rest;
    bool deeper = split_path(path, &key, &rest);
    for (size_t i = list->count; i-- > 0 && !deeper;) {
        if (timers[i].key.len != key.len || (key.len && memcmp(timers[i].key.at, key.at, key.len)))
            continue;
        if (timers[i].value.wide)
            document_uint(d, (uint64_t)timers[i].value.value);
        else
            document_int(d, timers[i].value.value);
        return;
    }
    document_null(d);
}

/* Follows the rest of the path into a member: only maps have names. */
static void follow_member(struct document *d, const struct cdt_struct *s, const void *at,
                          unsigned index, bool deeper, struct ras_bytes rest)
{
    const struct cdt_field *f = &s->fields[index];
    const struct ras_cdt_node *node = s->plain ? NULL : at;
    const void *member = (const uint8_t *)at + f->offset;
    bool nil = cdt_may_be_nil(f->need) && node && !ras_cdt_has(node, cdt_bit(f, index));
    if (!deeper)
        cdt_doc_member(d, f, member, node, index, false);
    else if (f->type == CDT_STRUCT && !nil)
        follow(d, f->of, member, rest);
    else if (f->type == CDT_TIMERS)
        follow_timer(d, member, rest);
    else
        document_null(d);
}

static void follow(struct document *d, const struct cdt_struct *s, const void *at,
                   struct ras_bytes path)
{
    struct ras_bytes first, rest;
    bool deeper = split_path(path, &first, &rest);
    int member = member_named(s, first);
    if (member < 0)
        document_null(d);
    else
        follow_member(d, s, at, (unsigned)member, deeper, rest);
}

/* Members of a tick's summary that no struct has: taken from the summary itself. */
static void follow_summary(struct document *d, const struct ras_cdt_tick_record *t,
                           const struct side_of_it *side)
{
    struct document all = {0};
    char name[64];
    cdt_doc_summary(&all, side->model, t);
    d->cells.nomem |= all.cells.nomem;
    const struct ras_value *at = all.cells.nomem ? NULL : all.cells.items;
    struct ras_bytes rest = side->operand->path, first;
    for (bool more = true; more && at;) {
        more = split_path(rest, &first, &rest);
        snprintf(name, sizeof name, "%.*s", (int)(first.len < 63 ? first.len : 63),
                 (const char *)first.at);
        at = at->kind == RAS_MAP && strlen(name) == first.len ? map_find(at, name) : NULL;
    }
    document_copy(d, at);
    document_free(&all);
}

static void follow_tick(struct document *d, const struct ras_cdt_tick_record *t,
                        const struct side_of_it *side)
{
    const struct cdt_struct *tick = side->model->rows[CDT_ROW_TICK];
    int member = member_named(tick, side->first);
    bool own = member >= 0 && !name_is(side->first, "channels");
    if (own)
        follow_member(d, tick, t, (unsigned)member, side->deeper, side->rest);
    else if (name_is(side->first, "checkpoint") && side->deeper)
        follow(d, side->model->rows[CDT_ROW_CHECKPOINT], &t->channels.checkpoint, side->rest);
    else
        follow_summary(d, t, side);
}

/* ---- rows -------------------------------------------------------------------- */

static void query_start(struct document *d)
{
    document_cut(d, 0);
    arena_reset(&d->texts);
}

static const struct ras_value *value_now(struct query_state *a, struct side_of_it *side)
{
    static const struct ras_value none = {.kind = RAS_NULL};
    const struct operand *o = side->operand;
    if (o->kind == OPERAND_LITERAL)
        return o->literal.cells.items;
    if (o->kind == OPERAND_PREV)
        return side->has_before && !side->before.cells.nomem ? side->before.cells.items : &none;
    if (side->is_scalar)
        return &side->scalar;
    a->doc->cells.nomem |= side->value.cells.nomem;
    return side->value.cells.nomem ? &none : side->value.cells.items;
}

static bool query_keeps(struct query_state *a)
{
    const struct ras_value *left = value_now(a, &a->sides[0]);
    const struct ras_value *right = value_now(a, &a->sides[1]);
    if (!query_holds(a->query.op, left, right))
        return false;
    a->matches++;
    if (a->kept >= a->limit)
        return false;
    if (!a->compat) {
        size_t list = document_open(&a->values, RAS_LIST);
        if (a->sides[0].operand->kind != OPERAND_LITERAL)
            document_copy(&a->values, left);
        if (a->sides[1].operand->kind != OPERAND_LITERAL)
            document_copy(&a->values, right);
        document_close(&a->values, list);
    }
    return true;
}

static void ask_tick(struct query_state *a, const struct ras_cdt_tick_record *t)
{
    for (int i = 0; i < 2; i++)
        if (a->sides[i].operand->kind == OPERAND_FIELD) {
            query_start(&a->sides[i].value);
            follow_tick(&a->sides[i].value, t, &a->sides[i]);
        }
    if (query_keeps(a)) {
        cdt_doc_summary(a->doc, a->model, t);
        a->kept++;
    }
    for (int i = 0; i < 2; i++)
        if (a->sides[i].operand->kind == OPERAND_PREV) {
            query_start(&a->sides[i].before);
            follow_tick(&a->sides[i].before, t, &a->sides[i]);
            a->sides[i].has_before = true;
            a->doc->cells.nomem |= a->sides[i].before.cells.nomem;
        }
}

/* The usual operand is one number of a row, and there are very many rows: no document is built for
 * it. False: it is something else. */
static bool take_scalar(struct ras_value *out, const struct cdt_struct *s, unsigned index,
                        const uint8_t *row)
{
    const struct cdt_field *f = &s->fields[index];
    const struct ras_cdt_node *node = (const struct ras_cdt_node *)(const void *)row;
    *out = (struct ras_value){.kind = RAS_NULL};
    if (cdt_may_be_nil(f->need) && !ras_cdt_has(node, cdt_bit(f, index)))
        return true;
    switch (f->type) {
    case CDT_INT:
        out->kind = node->wide >> cdt_bit(f, index) & 1 ? RAS_UINT : RAS_INT;
        memcpy(&out->i, row + f->offset, sizeof out->i);
        return true;
    case CDT_FLOAT:
    case CDT_REAL:
        out->kind = RAS_F64;
        memcpy(&out->f64, row + f->offset, sizeof out->f64);
        return true;
    case CDT_BOOL:
        out->kind = RAS_BOOL;
        out->u = row[f->offset];
        return true;
    default:
        return false;
    }
}

static void see_entity(struct side_of_it *side, const struct ras_cdt_tick_record *t, int pool,
                       const void *row)
{
    struct document *d = &side->value;
    int member = side->members[pool];
    side->is_scalar =
        member >= 0 && !side->deeper &&
        take_scalar(&side->scalar, cdt_pool_of(side->model, pool), (unsigned)member, row);
    if (side->is_scalar)
        return;
    query_start(d);
    if (member >= 0)
        follow_member(d, cdt_pool_of(side->model, pool), row, (unsigned)member, side->deeper,
                      side->rest);
    else if (name_is(side->first, "tick_index") && !side->deeper)
        cdt_doc_tick(d, t);
    else
        document_null(d);
}

static void ask_entities(struct query_state *a, const struct ras_cdt_tick_record *t)
{
    for (int i = 0; i < CDT_POOLS; i++) {
        const struct cdt_struct *of = cdt_pool_of(a->model, i);
        struct cdt_list rows = cdt_pool_rows(&cdt_pools[i], &t->channels.entity_samples);
        for (size_t k = 0; k < rows.count; k++) {
            const void *row = rows.at + k * of->size;
            for (int s = 0; s < 2; s++)
                if (a->sides[s].operand->kind == OPERAND_FIELD)
                    see_entity(&a->sides[s], t, i, row);
            if (!query_keeps(a))
                continue;
            size_t map = document_open(a->doc, RAS_MAP);
            document_name(a->doc, "tick_index");
            cdt_doc_tick(a->doc, t);
            cdt_doc_members(a->doc, of, row, false);
            document_close(a->doc, map);
            a->kept++;
        }
    }
}

/* ---- the walk ---------------------------------------------------------------- */

static void make_ready(struct query_state *a)
{
    for (int i = 0; i < 2; i++) {
        struct side_of_it *side = &a->sides[i];
        side->model = a->model;
        side->operand = &a->query.operands[i];
        side->deeper = split_path(side->operand->path, &side->first, &side->rest);
        for (int k = 0; k < CDT_POOLS; k++)
            side->members[k] = member_named(cdt_pool_of(a->model, k), side->first);
    }
}

static int query_walk(struct query_state *a, struct cdt_side *side, struct ras_error *err)
{
    struct cdt_walk w = {.side = side};
    const struct ras_cdt_tick_record *t;
    int status;
    while ((status = cdt_walk_next(&w, &t, err)) == RAS_OK && !a->doc->cells.nomem) {
        if (a->query.entities)
            ask_entities(a, t);
        else
            ask_tick(a, t);
    }
    cdt_walk_close(&w);
    return status < 0 ? status : RAS_OK;
}

/* Adds the fields as written and their values in each row: not part of the reference's answer, used
 * for text output. */
static void query_put_values(struct query_state *a)
{
    struct document *d = a->doc;
    size_t list = document_put_open(d, "operands", RAS_LIST);
    for (int i = 0; i < 2; i++)
        if (a->query.operands[i].kind != OPERAND_LITERAL)
            document_text(d, a->query.operands[i].text.at, a->query.operands[i].text.len);
    document_close(d, list);
    list = document_put_open(d, "values", RAS_LIST);
    const struct cells *cells = &a->values.cells;
    const struct ras_value *v = cells->items, *end = cells->count ? v + cells->count : v;
    for (; v < end && !cells->nomem; v = ras_value_next(v))
        document_copy(d, v);
    d->cells.nomem |= a->values.cells.nomem;
    document_close(d, list);
}

static int answer(struct query_state *a, struct cdt_side *side, const char *text,
                  struct ras_error *err)
{
    struct document *d = a->doc;
    size_t map = document_open(d, RAS_MAP);
    document_put_name(d, "scope", a->query.entities ? "entities" : "ticks");
    document_put_text(d, "expression", text);
    document_put_uint(d, "limit", a->limit);
    document_name(d, "match_count");
    size_t count = d->cells.count;
    document_uint(d, 0);
    document_put_bool(d, "truncated", false);
    size_t rows = document_put_open(d, "rows", RAS_LIST);
    int status = query_walk(a, side, err);
    document_close(d, rows);
    if (!a->compat)
        query_put_values(a);
    document_close(d, map);
    document_set_uint(d, count, a->matches);
    document_set_uint(d, count + 2, a->matches > a->kept);
    return status;
}

/* ---- names ------------------------------------------------------------------- */

static bool has_word(struct ras_bytes text, const char *word)
{
    const size_t len = strlen(word);
    for (size_t i = 0; i + len <= text.len; i++)
        if (!memcmp(text.at + i, word, len))
            return true;
    return false;
}

/* The reference tool treats anything that is not a literal as a field, which then is None. */
static int check_operand(struct ras_trace *t, const struct query *q, const struct operand *o,
                         struct ras_error *err)
{
    static const char *const more[] = {" and ", " or ", "&&", "||", "==", "!=", "<", ">"};
    struct known_paths k = {0};
    char path[200], near[120];
    if (o->kind == OPERAND_LITERAL)
        return RAS_OK;
    snprintf(path, sizeof path, "%.*s", o->path.len < 199 ? (int)o->path.len : 199,
             (const char *)o->path.at);
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        if (has_word(o->path, more[i]))
            return fail(err, RAS_EUSAGE, RAS_NONE,
                        "a query has one condition, and '%.80s' is not an operand", path);
    cdt_paths(t, q->entities ? RAS_PATHS_ENTITIES : RAS_PATHS_TICKS, &k);
    bool known = strlen(path) == o->path.len && !strpbrk(path, "*[") && paths_know(&k, path);
    int status = k.nomem ? fail_memory(err) : RAS_OK;
    if (!known && status == RAS_OK)
        status =
            fail(err, RAS_ENAME, RAS_NONE, "no %s has a field '%.60s' (a text needs quotes)%s",
                 q->entities ? "entity" : "tick", path, paths_near(&k, path, near, sizeof near));
    paths_free(&k);
    return status;
}

static int check_names(struct ras_trace *t, const struct query *q, struct ras_error *err)
{
    int status = check_operand(t, q, &q->operands[0], err);
    return status < 0 ? status : check_operand(t, q, &q->operands[1], err);
}

static uint64_t rows_kept(const struct ras_inspect_options *options)
{
    if (options->no_rows)
        return 0;
    return options->limit ? options->limit : ROWS_KEPT;
}

int cdt_query(struct ras_trace *t, struct ras_trace *other,
              const struct ras_inspect_options *options, struct document *d, struct ras_error *err)
{
    static const struct cdt_wants wants[] = {
        {CDT_WANT_ALL, CDT_WANT_NOTHING, CDT_WANT_COUNT, CDT_WANT_COUNT, CDT_WANT_COUNT},
        {.entities = CDT_WANT_ALL},
    };
    struct query_state a = {
        .model = cdt_model_in(t), .doc = d, .compat = options->compat, .limit = rows_kept(options)};
    struct cdt_projection p;
    struct cdt_side side = {0};
    (void)other;
    int status = query_parse(&a.query, options->text, err);
    if (status == RAS_OK && !options->compat)
        status = check_names(t, &a.query, err);
    if (status == RAS_OK) {
        make_ready(&a);
        cdt_project(&p, a.model, &wants[a.query.entities]);
        status = cdt_side_open(&side, t, &p.block, options->compat, err);
        side.passes = (struct passes){.progress = options->progress, .user = options->user};
    }
    if (status == RAS_OK)
        status = answer(&a, &side, options->text, err);
    cdt_side_close(&side);
    query_free(&a.query);
    document_free(&a.values);
    for (int i = 0; i < 2; i++) {
        document_free(&a.sides[i].value);
        document_free(&a.sides[i].before);
    }
    return status;
}
