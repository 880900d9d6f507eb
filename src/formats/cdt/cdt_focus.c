/* cdt_focus.c - one tick of two traces, all channels. */
#include "formats/cdt/cdt_compare.h"

struct focus {
    struct cdt_side sides[2];
    struct cdt_memory memory[2];
    struct cdt_block blocks[2];
    const struct ras_cdt_tick_record *rows[2];
    struct cdt_diff diff;
};

static void put_flag(struct document *d, const char *key, bool value)
{
    document_name(d, key);
    document_bool(d, value);
}

static void put_count(struct document *d, const char *key, size_t value)
{
    document_name(d, key);
    document_uint(d, value);
}

/* A member of the detail at `detail`, itself a map. */
static size_t member(const struct document *d, size_t detail, const char *key)
{
    if (d->cells.nomem)
        return 0;
    const struct ras_value *found = map_find(&d->cells.items[detail], key);
    return found ? (size_t)(found - d->cells.items) : 0;
}

/* "checkpoint_diff_count" and "checkpoint_diff": the detail without its count. */
static bool put_checkpoint(struct focus *f, struct document *d)
{
    static const char *const keys[] = {"payload", "pretty"};
    struct document scratch = {0};
    f->diff.doc = &scratch;
    bool differs = cdt_differ_checkpoint(&f->diff, f->rows[0], f->rows[1]);
    f->diff.doc = d;
    d->cells.nomem |= scratch.cells.nomem;
    document_name(d, "checkpoint_diff_count");
    if (!differs || d->cells.nomem) {
        document_uint(d, 0);
        document_name(d, "checkpoint_diff");
        document_null(d);
        document_free(&scratch);
        return differs;
    }
    document_copy(d, &scratch.cells.items[member(&scratch, 0, "diff_count")]);
    document_name(d, "checkpoint_diff");
    size_t map = document_open(d, RAS_MAP);
    for (int i = 0; i < 2; i++) {
        document_name(d, keys[i]);
        document_copy(d, &scratch.cells.items[member(&scratch, 0, keys[i])]);
    }
    document_close(d, map);
    document_free(&scratch);
    return true;
}

/* The detail with "ok" behind its members. */
static bool put_rng(struct focus *f, struct document *d)
{
    document_name(d, "rng_stream");
    size_t map = d->cells.count;
    bool differs = cdt_differ_rng(&f->diff, f->rows[0], f->rows[1]);
    if (!differs)
        map = document_open(d, RAS_MAP);
    put_flag(d, "ok", !differs);
    document_close(d, map);
    return differs;
}

static bool put_presence(struct focus *f, struct document *d)
{
    bool differs = false;
    document_name(d, "entity_presence");
    size_t all = document_open(d, RAS_MAP);
    for (int i = 0; i < CDT_POOLS; i++) {
        const struct cdt_pool *pool = &cdt_pools[i];
        for (int k = 0; k < 2; k++)
            cdt_find_uids(&f->diff, k, pool,
                          cdt_pool_rows(pool, &f->rows[k]->channels.entity_samples));
        const struct cdt_uids *u = f->diff.uids;
        document_name(d, pool->name);
        size_t map = document_open(d, RAS_MAP);
        put_count(d, "expected_count", u[0].count);
        put_count(d, "candidate_count", u[1].count);
        document_name(d, "missing_uids");
        size_t missing = d->cells.count;
        cdt_doc_missing_uids(d, &u[0], &u[1]);
        document_name(d, "extra_uids");
        size_t extra = d->cells.count;
        cdt_doc_missing_uids(d, &u[1], &u[0]);
        document_close(d, map);
        differs |=
            !d->cells.nomem && (d->cells.items[missing].count || d->cells.items[extra].count);
    }
    document_close(d, all);
    return differs;
}

/* {"ok", "detail"}, with the counts of rows between them for timing samples. */
static bool put_channel(struct focus *f, struct document *d, const char *name, bool counted,
                        bool (*differ)(struct cdt_diff *, const struct ras_cdt_tick_record *,
                                       const struct ras_cdt_tick_record *))
{
    document_name(d, name);
    size_t map = document_open(d, RAS_MAP);
    document_name(d, "ok");
    size_t ok = d->cells.count;
    document_bool(d, true);
    if (counted) {
        put_count(d, "expected_count", f->rows[0]->channels.timing_samples.count);
        put_count(d, "candidate_count", f->rows[1]->channels.timing_samples.count);
    }
    document_name(d, "detail");
    bool differs = differ(&f->diff, f->rows[0], f->rows[1]);
    if (differs)
        document_set_uint(d, ok, false);
    else
        document_null(d);
    document_close(d, map);
    return differs;
}

static void put_all(struct focus *f, int64_t tick, struct document *d)
{
    bool differs = false;
    size_t map = document_open(d, RAS_MAP);
    document_name(d, "tick_index");
    document_int(d, tick);
    document_name(d, "diverged");
    size_t diverged = d->cells.count;
    document_bool(d, false);
    differs |= put_checkpoint(f, d);
    differs |= put_rng(f, d);
    differs |= put_presence(f, d);
    differs |= put_channel(f, d, "entity_samples", false, cdt_differ_entities);
    differs |= put_channel(f, d, "sim_state", false, cdt_differ_sim);
    differs |= put_channel(f, d, "timing_samples", true, cdt_differ_timing);
    document_set_uint(d, diverged, differs);
    document_close(d, map);
}

static int missing(const struct focus *f, int64_t tick, bool compat, struct ras_error *err)
{
    if (compat)
        return fail(err, RAS_EREFUSED, RAS_NONE, "tick %" PRId64 " missing in one of the traces",
                    tick);
    return fail(err, RAS_ENOTHING, RAS_NONE, "tick %" PRId64 " is in %s", tick,
                f->rows[0]   ? "expected alone"
                : f->rows[1] ? "actual alone"
                             : "neither of them");
}

static int focus_find(struct focus *f, struct ras_trace *const *traces,
                      const struct ras_inspect_options *look, struct ras_error *err)
{
    for (int i = 0; i < 2; i++) {
        int status = cdt_side_open(&f->sides[i], traces[i], &cdt_tick_block, look->compat, err);
        if (status < 0)
            return status;
        if (!look->compat)
            cdt_side_check_gaps(&f->sides[i]);
    }
    for (int i = 0; i < 2; i++) {
        int status = cdt_side_tick(&f->sides[i], look->number, &f->memory[i], &f->blocks[i],
                                   &f->rows[i], err);
        if (status < 0)
            return status;
    }
    return f->rows[0] && f->rows[1] ? RAS_OK : missing(f, look->number, look->compat, err);
}

int cdt_focus(struct ras_trace *t, struct ras_trace *other, const struct ras_inspect_options *look,
              struct document *d, struct ras_error *err)
{
    struct focus f = {0};
    struct ras_trace *const traces[] = {t, other};
    int status = focus_find(&f, traces, look, err);
    if (status == RAS_OK) {
        f.diff = (struct cdt_diff){.doc = d, .masked = cdt_masks(&f.sides[0], &f.sides[1])};
        put_all(&f, look->number, d);
    }
    cdt_diff_free(&f.diff);
    for (int i = 0; i < 2; i++) {
        cdt_side_close(&f.sides[i]);
        cdt_memory_free(&f.memory[i]);
    }
    return status;
}
