/* cdt_differ2.c - what the comparison of container 2 adds: replay_step, random draws whose callers
 * are judged apart, the identity of two traces, and the first difference of each channel. */
#include "codec/json_python.h"
#include "formats/cdt/cdt_compare.h"

#include <stdlib.h>

/* ---- identity ---------------------------------------------------------------------------- */

/* The members of a source by which two traces are of the same run, and whether they must be
 * there. */
#define SOURCE(member, bit, text, must)                                                            \
    {                                                                                              \
#member, offsetof(struct ras_cdt_trace_source, member), RAS_CDT_SOURCE_##bit, text, must   \
    }
static const struct {
    const char *name;
    size_t offset;
    unsigned bit;
    bool text, must;
} identity[] = {
    SOURCE(replay_sha256, REPLAY_SHA256, true, true),
    SOURCE(tick_rate, TICK_RATE, false, true),
    SOURCE(seed, SEED, false, true),
    SOURCE(mode_id, MODE_ID, false, true),
    SOURCE(player_count, PLAYER_COUNT, false, true),
    SOURCE(quest_level, QUEST_LEVEL, true, false),
    SOURCE(quest_stage_major, QUEST_STAGE_MAJOR, false, false),
    SOURCE(quest_stage_minor, QUEST_STAGE_MINOR, false, false),
};
enum { IDENTITY = sizeof identity / sizeof *identity };

/* A member as Python prints it. */
static void put_repr(struct out *out, const struct ras_cdt_trace_source *s, unsigned i)
{
    const uint8_t *at = (const uint8_t *)s + identity[i].offset;
    if (!ras_cdt_has(&s->node, identity[i].bit))
        out_text(out, "None");
    else if (identity[i].text)
        python_repr_text(out, ((const struct ras_bytes *)(const void *)at)->at,
                         ((const struct ras_bytes *)(const void *)at)->len);
    else
        out_format(out, "%" PRId64, *(const int64_t *)(const void *)at);
}

static bool lacks(const struct ras_cdt_trace_source *s, unsigned i)
{
    const struct ras_bytes *text =
        (const struct ras_bytes *)(const void *)((const uint8_t *)s + identity[i].offset);
    return identity[i].must &&
           (!ras_cdt_has(&s->node, identity[i].bit) || (identity[i].text && !text->len));
}

/* The text of what the sources lack, or in what they differ; empty: they are the same. `whole`: the
 * schema is known, so that nothing may be absent; else only what both have is compared. */
static void put_identity(struct out *out, const struct ras_cdt_trace_source *const sides[2],
                         bool whole)
{
    for (int side = 0; whole && side < 2 && !out->len; side++)
        for (unsigned i = 0; i < IDENTITY; i++)
            if (lacks(sides[side], i))
                out_format(out, "%s%s%s",
                           out->len ? ", "
                           : side   ? "actual"
                                    : "expected",
                           out->len ? "" : " trace is missing comparison identity fields: ",
                           identity[i].name);
    if (out->len)
        return;
    for (unsigned i = 0; i < IDENTITY; i++) {
        struct out text[2] = {0};
        if (!whole && (lacks(sides[0], i) || lacks(sides[1], i)))
            continue;
        put_repr(&text[0], sides[0], i);
        put_repr(&text[1], sides[1], i);
        if (text[0].len != text[1].len || memcmp(text[0].at, text[1].at, text[0].len) != 0)
            out_format(out, "%s%s: expected=%.*s actual=%.*s",
                       out->len ? "; " : "trace comparison identity mismatch: ", identity[i].name,
                       (int)text[0].len, (const char *)text[0].at, (int)text[1].len,
                       (const char *)text[1].at);
        out_free(&text[0]);
        out_free(&text[1]);
    }
}

static int same_schema(const struct cdt_meta *a, const struct cdt_meta *b, struct ras_error *err)
{
    int64_t x = a->typed ? a->model->schema : a->meta.trace_schema_version;
    int64_t y = b->typed ? b->model->schema : b->meta.trace_schema_version;
    return x == y ? RAS_OK
                  : fail(err, RAS_EVERSION, RAS_NONE,
                         "different schemas: version %" PRId64 " and %" PRId64, x, y);
}

int cdt_same_identity(struct ras_trace *const traces[2], bool compat, struct ras_error *err)
{
    const struct cdt_meta *a = &((const struct cdt_trace *)traces[0]->priv)->meta;
    const struct cdt_meta *b = &((const struct cdt_trace *)traces[1]->priv)->meta;
    const struct ras_cdt_trace_source *const sides[2] = {&a->meta.source, &b->meta.source};
    struct out text = {0};
    int status = RAS_OK;
    if (a->model->container != b->model->container)
        return fail(err, RAS_EVERSION, RAS_NONE,
                    "different containers: version %" PRIu32 " and %" PRIu32, a->model->container,
                    b->model->container);
    const bool typed = a->typed && b->typed;
    if (a->model->container != 2 || !typed || !a->complete || !b->complete)
        status = same_schema(a, b, err);
    if (status < 0 || a->model->container != 2 || (typed && !(a->complete && b->complete)))
        return status;
    put_identity(&text, sides, typed);
    if (text.failed)
        status = fail_memory(err);
    else if (text.len)
        status = fail(err, compat ? RAS_EREFUSED : RAS_EVERSION, RAS_NONE, "%.*s", (int)text.len,
                      (const char *)text.at);
    out_free(&text);
    return status == RAS_OK ? same_schema(a, b, err) : status;
}

/* ---- random draws ------------------------------------------------------------------------ */

static bool same_draw(const struct ras_cdt_rng_stream_row *a,
                      const struct ras_cdt_rng_stream_row *b)
{
    return a->tick_call_index == b->tick_call_index && a->value_15 == b->value_15 &&
           a->state_before_u32 == b->state_before_u32 && a->state_after_u32 == b->state_after_u32;
}

static bool same_caller(const struct ras_cdt_rng_stream_row *a,
                        const struct ras_cdt_rng_stream_row *b)
{
    bool has = ras_cdt_has(&a->node, RAS_CDT_RNG_CALLER);
    return has == ras_cdt_has(&b->node, RAS_CDT_RNG_CALLER) && (!has || a->caller == b->caller);
}

/* Rows that are the same from the first on. */
static size_t same_rows(const struct ras_cdt_replay_tick_channels *a,
                        const struct ras_cdt_replay_tick_channels *b,
                        bool (*same)(const struct ras_cdt_rng_stream_row *,
                                     const struct ras_cdt_rng_stream_row *))
{
    size_t n = 0;
    while (n < a->rng_stream.count && n < b->rng_stream.count &&
           same(&a->rng_stream.at[n], &b->rng_stream.at[n]))
        n++;
    return n;
}

enum cdt_draws cdt_differ_draws(struct cdt_diff *c, const struct ras_cdt_tick_record *a,
                                const struct ras_cdt_tick_record *b, struct document *d)
{
    const struct ras_cdt_replay_tick_channels *x = &a->channels, *y = &b->channels;
    size_t n = x->rng_stream.count, m = y->rng_stream.count;
    size_t draws = same_rows(x, y, same_draw), callers = same_rows(x, y, same_caller);
    bool behaves = draws == n && n == m, agrees = behaves && callers == n;
    if (agrees || compare_ignores(c->options, "rng_stream"))
        return CDT_DRAWS_SAME;
    size_t first = behaves ? callers : draws, map = document_open(d, RAS_MAP);
    document_put_bool(d, "behavior_ok", behaves);
    document_put_bool(d, "caller_attribution_ok", agrees);
    document_put_name(d, "classification", behaves ? "caller_attribution_only" : "rng_behavior");
    document_put_uint(d, "behavior_prefix_match_len", draws);
    document_put_uint(d, "caller_prefix_match_len", callers);
    document_put_uint(d, "expected_calls", n);
    document_put_uint(d, "actual_calls", m);
    document_put_uint(d, "missing_tail", n > m ? n - m : 0);
    document_put_uint(d, "extra_tail", m > n ? m - n : 0);
    if (first < n)
        cdt_doc_draw(d, c->model, "expected_first_mismatch", &x->rng_stream.at[first]);
    if (first < m)
        cdt_doc_draw(d, c->model, "actual_first_mismatch", &y->rng_stream.at[first]);
    document_close(d, map);
    if (behaves)
        return CDT_DRAWS_CALLERS;
    c->amount += (n > m ? n : m) - draws;
    return CDT_DRAWS_DIFFER;
}

bool cdt_differ_rng_2(struct cdt_diff *c, const struct ras_cdt_tick_record *a,
                      const struct ras_cdt_tick_record *b)
{
    size_t before = c->doc->cells.count;
    enum cdt_draws draws = cdt_differ_draws(c, a, b, c->doc);
    if (draws == CDT_DRAWS_CALLERS && c->firsts)
        cdt_firsts_diagnose(c->firsts, a->tick_index,
                            c->doc->cells.nomem ? NULL : &c->doc->cells.items[before]);
    if (draws == CDT_DRAWS_CALLERS)
        document_cut(c->doc, before);
    return draws == CDT_DRAWS_DIFFER;
}

/* ---- the first difference of each channel ------------------------------------------------ */

struct first {
    const char *channel, *kind; /* static, or in the traces' tables */
    bool found;
    int64_t tick;
    struct document detail;
};

/* In the order of their names, as reports have them. */
enum { FIRSTS = 7, MISSING = 5 };
struct cdt_firsts {
    struct first channels[FIRSTS];
    struct first diagnostic;
    bool with_channels;
    bool nomem;
};

struct cdt_firsts *cdt_firsts_new(bool with_channels)
{
    static const char *const names[FIRSTS] = {"checkpoint",    "entity_samples", "replay_step",
                                              "rng_stream",    "sim_state",      "tick",
                                              "timing_samples"};
    struct cdt_firsts *f = calloc(1, sizeof *f);
    for (int i = 0; f && i < FIRSTS; i++)
        f->channels[i].channel = names[i];
    if (f) {
        f->diagnostic.channel = "rng_stream";
        f->with_channels = with_channels;
    }
    return f;
}

void cdt_firsts_free(struct cdt_firsts *f)
{
    for (int i = 0; f && i < FIRSTS; i++)
        document_free(&f->channels[i].detail);
    if (f)
        document_free(&f->diagnostic.detail);
    free(f);
}

static void take_first(struct cdt_firsts *f, struct first *first, const char *kind, int64_t tick,
                       const struct ras_value *detail)
{
    if (first->found)
        return;
    first->found = true;
    first->kind = kind;
    first->tick = tick;
    document_copy(&first->detail, detail);
    f->nomem |= first->detail.cells.nomem;
}

void cdt_firsts_missing(struct cdt_firsts *f, int64_t tick)
{
    if (f->with_channels)
        take_first(f, &f->channels[MISSING], "missing_tick", tick, NULL);
}

void cdt_firsts_diagnose(struct cdt_firsts *f, int64_t tick, const struct ras_value *detail)
{
    take_first(f, &f->diagnostic, "rng_caller_attribution_mismatch", tick, detail);
}

void cdt_firsts_add(struct cdt_firsts *f, const char *channel, const char *kind, int64_t tick,
                    const struct ras_value *detail)
{
    for (int i = 0; i < FIRSTS && f->with_channels; i++)
        if (!strcmp(f->channels[i].channel, channel))
            take_first(f, &f->channels[i], kind, tick, detail);
}

static void put_first(struct document *d, const struct first *first)
{
    if (!first->found)
        return;
    size_t map = document_put_open(d, first->channel, RAS_MAP);
    document_put_name(d, "kind", first->kind);
    document_put_int(d, "tick_index", first->tick);
    document_name(d, "detail");
    document_copy(d, first->detail.cells.items);
    document_close(d, map);
}

void cdt_firsts_put(const struct cdt_firsts *f, struct compare *c)
{
    struct document *d = &c->doc;
    d->cells.nomem |= f->nomem;
    if (f->with_channels) {
        c->channels_at = document_open(d, RAS_MAP);
        for (int i = 0; i < FIRSTS; i++)
            put_first(d, &f->channels[i]);
        document_close(d, c->channels_at);
    } else if (!f->diagnostic.found) {
        return;
    }
    c->diagnostics_at = document_open(d, RAS_MAP);
    put_first(d, &f->diagnostic);
    document_close(d, c->diagnostics_at);
}
