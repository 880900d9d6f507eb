/* cdt_entity.c - one entity in all ticks of a trace, or compared between two traces. */
#include "codec/json_python.h"
#include "formats/cdt/cdt_query.h"

struct sought {
    int64_t uid;
    const char *pool; /* "creature"; NULL: any */
    bool compat;
    uint64_t pools[CDT_POOLS]; /* samples of each */
    const struct cdt_model *model;
    struct document *doc;
    size_t found;
    int64_t first, last; /* ticks */
};

static void put_samples(struct sought *s, const struct ras_cdt_tick_record *t)
{
    for (int i = 0; i < CDT_POOLS; i++) {
        const struct cdt_struct *of = cdt_pool_of(s->model, i);
        struct cdt_list rows = cdt_pool_rows(&cdt_pools[i], &t->channels.entity_samples);
        if (s->pool && strcmp(s->pool, cdt_pools[i].type) != 0)
            continue;
        for (size_t k = 0; k < rows.count; k++) {
            struct ras_cdt_int uid = cdt_uid_of(rows.at + k * of->size);
            if (uid.value != s->uid || uid.wide)
                continue;
            size_t map = document_open(s->doc, RAS_MAP);
            cdt_doc_members(s->doc, of, rows.at + k * of->size, false);
            document_name(s->doc, "tick_index");
            cdt_doc_tick(s->doc, t);
            document_close(s->doc, map);
            s->pools[i]++;
            s->first = s->found++ ? s->first : t->tick_index;
            s->last = t->tick_index;
        }
    }
}

/* How many samples of it each pool has: a uid is the number of a slot in a pool. */
static void put_entity_pools(struct document *d, const uint64_t *pools)
{
    size_t map = document_put_open(d, "pools", RAS_MAP);
    for (int i = 0; i < CDT_POOLS; i++)
        if (pools[i])
            document_put_uint(d, cdt_pools[i].type, pools[i]);
    document_close(d, map);
}

static int not_found(const struct sought *s, struct ras_error *err)
{
    if (s->compat)
        return fail(err, RAS_EREFUSED, RAS_NONE,
                    "entity uid %" PRId64 " not found in requested range", s->uid);
    return fail(err, RAS_ENOTHING, RAS_NONE, "no %s has the uid %" PRId64 " in these ticks",
                s->pool ? s->pool : "entity", s->uid);
}

/* The members before the samples are only known after them: they are added first and filled in at
 * the end. */
static int walk_entity(struct cdt_walk *w, struct sought *s, struct ras_error *err)
{
    struct document *d = s->doc;
    const struct ras_cdt_tick_record *row;
    int status;
    size_t map = document_open(d, RAS_MAP);
    document_put_int(d, "entity_uid", s->uid);
    document_name(d, "pool_kind");
    size_t kind = d->cells.count;
    document_null(d);
    document_put_int(d, "spawn_tick", 0);
    document_put_int(d, "despawn_tick", 0);
    size_t list = document_put_open(d, "samples", RAS_LIST);
    while ((status = cdt_walk_next(w, &row, err)) == RAS_OK && !d->cells.nomem)
        put_samples(s, row);
    document_close(d, list);
    if (!s->compat)
        put_entity_pools(d, s->pools);
    document_close(d, map);
    if (status < 0 || d->cells.nomem)
        return status < 0 ? status : fail_memory(err);
    if (!s->found)
        return not_found(s, err);
    d->cells.items[kind] = *map_find(&d->cells.items[list + 1], "pool_kind");
    d->cells.items[kind + 2].i = s->first;
    d->cells.items[kind + 4].i = s->last;
    return RAS_OK;
}

static int refuse_text(struct ras_error *err, const char *before, struct ras_bytes text,
                       const char *suffix)
{
    struct out shown = {0};
    python_repr_text(&shown, text.at, text.len);
    int width = shown.failed ? 0 : shown.len < 160 ? (int)shown.len : 160;
    (void)fail(err, RAS_EREFUSED, RAS_NONE, "%s%.*s%s", before, width,
               shown.at ? (const char *)shown.at : "", suffix);
    out_free(&shown);
    return RAS_EREFUSED;
}

/* One end of a range, parsed like int(); blank means none. */
static int read_end(struct ras_bytes text, bool *given, int64_t *value, struct ras_error *err)
{
    const uint8_t *at = text.at, *end = at + text.len;
    while (end > at && query_space(end[-1]))
        end--;
    while (end > at && query_space(*at))
        at++;
    *given = end > at;
    bool minus = *given && *at == '-', good = true;
    at += *given && (*at == '-' || *at == '+');
    *value = 0;
    good = !*given || at < end;
    for (; at < end && good; at++)
        good = *at >= '0' && *at <= '9' && !__builtin_mul_overflow(*value, 10, value) &&
               !__builtin_sub_overflow(*value, *at - '0', value);
    if (!minus && good)
        good = !__builtin_sub_overflow(0, *value, value);
    return good ? RAS_OK : refuse_text(err, "invalid literal for int() with base 10: ", text, "");
}

/* A..B, A.., ..B, N; blank means all. */
static int parse_range(const char *text, struct cdt_window *w, struct ras_error *err)
{
    const char *dots = text ? strstr(text, "..") : NULL;
    if (!text)
        return RAS_OK;
    struct ras_bytes all = {(const uint8_t *)text, strlen(text)}, head = all;
    head.len = dots ? (size_t)(dots - text) : all.len;
    int status = read_end(head, &w->has_first, &w->first, err);
    if (status == RAS_OK && dots)
        status = read_end((struct ras_bytes){all.at + head.len + 2, all.len - head.len - 2},
                          &w->has_last, &w->last, err);
    if (status < 0)
        return status;
    if (!dots) {
        w->has_last = w->has_first;
        w->last = w->first;
    }
    return w->has_first && w->has_last && w->first > w->last
               ? refuse_text(err, "invalid tick range ", all, ": start > end")
               : RAS_OK;
}

static int inspect_entity(struct ras_trace *t, const struct ras_inspect_options *options,
                          struct document *d, struct ras_error *err)
{
    static const struct cdt_wants wants = {.entities = CDT_WANT_ALL};
    struct cdt_projection p;
    struct cdt_side side;
    struct cdt_walk walk = {.side = &side};
    struct sought sought = {.uid = options->number,
                            .pool = options->group,
                            .compat = options->compat,
                            .doc = d,
                            .model = cdt_model_in(t)};
    int status = parse_range(options->text, &walk.window, err);
    if (status < 0 && !options->compat)
        return fail(err, RAS_EUSAGE, RAS_NONE,
                    "not a range of ticks (A..B, A.., ..B or N): '%.100s'", options->text);
    if (status < 0)
        return status;
    cdt_project(&p, cdt_model_in(t), &wants);
    const struct cdt_window window = walk.window;
    const struct sought first = sought;
    status = cdt_side_open_ranged(&side, t, &p.block, options->compat, err);
    for (;;) {
        side.passes = (struct passes){.progress = options->progress, .user = options->user};
        if (status == RAS_OK)
            status = walk_entity(&walk, &sought, err);
        bool again = cdt_side_fails_ranged(&side, status);
        cdt_walk_close(&walk);
        cdt_side_close(&side);
        if (!again)
            return status;
        walk = (struct cdt_walk){.side = &side, .window = window};
        sought = first;
        document_cut(d, 0);
        status = cdt_side_open(&side, t, &p.block, options->compat, err);
    }
}

/* ---- two traces -------------------------------------------------------------- */

/* The samples of one side, in the order of their ticks. */
struct samples {
    struct document doc;
    const struct ras_value *at, *end; /* the next one, and the end */
    size_t count;
};

static int64_t sample_tick(const struct ras_value *sample)
{
    const struct ras_value *tick = map_find(sample, "tick_index");
    return tick ? tick->i : 0;
}

static int read_samples(struct samples *s, struct ras_trace *t,
                        const struct ras_inspect_options *options, struct ras_error *err)
{
    int status = inspect_entity(t, options, &s->doc, err);
    if (status == RAS_ENOTHING) { /* the other trace may have it */
        document_cut(&s->doc, 0);
        return RAS_OK;
    }
    if (status < 0)
        return status;
    const struct ras_value *list = map_find(s->doc.cells.items, "samples");
    s->at = list + 1;
    s->end = ras_value_next(list);
    for (const struct ras_value *v = s->at; v < s->end; v = ras_value_next(v))
        s->count++;
    return RAS_OK;
}

static void put_sample_pair(struct document *d, const struct ras_value *a,
                            const struct ras_value *b)
{
    size_t map = document_open(d, RAS_MAP);
    document_put_int(d, "tick_index", sample_tick(a ? a : b));
    if (!a || !b)
        document_put_name(d, "missing_in", a ? "actual" : "expected");
    size_t list = document_put_open(d, "mismatches", RAS_LIST), rows = 0;
    if (a && b)
        rows = fields_compare(d, NULL, NULL, "", a, b, 0);
    document_close(d, list);
    document_close(d, map);
    if (a && b && !rows)
        document_cut(d, map);
}

/* Pairs samples by tick: one entry for each tick where they differ or only one side has a
 * sample. */
static void put_sample_pairs(struct document *d, struct samples *s)
{
    while ((s[0].at < s[0].end || s[1].at < s[1].end) && !d->cells.nomem) {
        const struct ras_value *a = s[0].at < s[0].end ? s[0].at : NULL;
        const struct ras_value *b = s[1].at < s[1].end ? s[1].at : NULL;
        bool first = a && (!b || sample_tick(a) <= sample_tick(b));
        bool second = b && (!a || sample_tick(b) <= sample_tick(a));
        put_sample_pair(d, first ? a : NULL, second ? b : NULL);
        s[0].at = first ? ras_value_next(a) : s[0].at;
        s[1].at = second ? ras_value_next(b) : s[1].at;
    }
}

/* The number of samples in each pool, for both sides. */
static void put_both_pools(struct document *d, const struct samples *s)
{
    size_t map = document_put_open(d, "pools", RAS_MAP);
    for (int i = 0; i < 2; i++) {
        const struct ras_value *pools = s[i].count ? map_find(s[i].doc.cells.items, "pools") : NULL;
        document_name(d, i ? "actual" : "expected");
        if (pools)
            document_copy(d, pools);
        else
            document_close(d, document_open(d, RAS_MAP));
    }
    document_close(d, map);
}

/* {"entity_uid", "pools": {"expected": {"creature": n}, "actual": {...}}, "ticks": [...]} */
static int inspect_both(struct ras_trace *const *traces, const struct ras_inspect_options *options,
                        struct document *d, struct ras_error *err)
{
    struct samples s[2] = {0};
    struct passes passes = {.progress = options->progress, .user = options->user};
    struct ras_inspect_options how = *options;
    int status = RAS_OK;
    how.progress = passes_inner;
    how.user = &passes;
    passes.all = ras_size(traces[0]) + ras_size(traces[1]);
    for (int i = 0; i < 2 && status == RAS_OK; i++) {
        status = read_samples(&s[i], traces[i], &how, err);
        passes_next(&passes, ras_size(traces[i]));
    }
    if (status == RAS_OK && !s[0].count && !s[1].count)
        status = not_found(&(struct sought){.uid = options->number, .pool = options->group}, err);
    if (status == RAS_OK) {
        size_t map = document_open(d, RAS_MAP);
        document_put_int(d, "entity_uid", options->number);
        put_both_pools(d, s);
        size_t list = document_put_open(d, "ticks", RAS_LIST);
        put_sample_pairs(d, s);
        document_close(d, list);
        document_close(d, map);
    }
    document_free(&s[0].doc);
    document_free(&s[1].doc);
    return status;
}

int cdt_entity(struct ras_trace *t, struct ras_trace *other,
               const struct ras_inspect_options *options, struct document *d, struct ras_error *err)
{
    struct ras_trace *const traces[] = {t, other};
    return other ? inspect_both(traces, options, d, err) : inspect_entity(t, options, d, err);
}
