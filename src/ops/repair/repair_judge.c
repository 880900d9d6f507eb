/* repair_judge.c - how good a repaired trace is: its ending, its records, its faults. */
#include "base/memory.h"
#include "base/spool.h"
#include "ops/repair/repair.h"

#include <stdlib.h>
#include <string.h>

int repair_keep_ending(struct ras_ending *e, struct ras_error *err)
{
    char *why = text_copy(e->why, strlen(e->why));
    e->why = why;
    return why ? RAS_OK : fail_memory(err);
}

static int keep_counts(struct ras_repair *r, const struct ras_info *info, struct ras_error *err)
{
    r->recovered = calloc(info->type_count + 1, sizeof *r->recovered);
    if (!r->recovered)
        return fail_memory(err);
    for (size_t i = 0; i < info->type_count; i++) {
        const struct ras_count *from = &info->types[i];
        char *name = text_copy(from->name, strlen(from->name));
        if (!name)
            return fail_memory(err);
        r->recovered[r->recovered_count++] = (struct ras_count){name, from->id, from->records};
    }
    return RAS_OK;
}

static int keep_parts(struct ras_repair *r, const struct ras_trace *t, struct ras_error *err)
{
    r->left_parts = calloc(r->left->finding_count + 1, sizeof *r->left_parts);
    for (size_t i = 0; r->left_parts && i < r->left->finding_count; i++) {
        const char *name = ras_part_name(t, r->left->findings[i].part);
        r->left_parts[i] = text_copy(name, strlen(name));
        if (!r->left_parts[i])
            return fail_memory(err);
    }
    return r->left_parts ? RAS_OK : fail_memory(err);
}

/* How the repaired trace ends, what it holds, and what is still wrong with it. */
static int judge(struct ras_repair *r, struct ras_trace *t, struct ras_error *err)
{
    struct ras_info *info;
    int status = ras_info(&info, t, NULL, NULL, err);
    if (status < 0)
        return status;
    r->after = info->ending;
    status = repair_keep_ending(&r->after, err);
    if (status == RAS_OK)
        status = keep_counts(r, info, err);
    ras_info_free(info);
    if (status == RAS_OK)
        status = ras_verify(&r->left, t, NULL, err);
    return status == RAS_OK ? keep_parts(r, t, err) : status;
}

/* ---- what is missing ------------------------------------------------------------------- */

bool repair_counts_grow(struct repair_counts *c, uint32_t schema)
{
    size_t count = (size_t)schema + 1;
    if (!array_grow(&c->records, &c->room, count, sizeof *c->records))
        return false;
    memset(c->records + c->count, 0, (count - c->count) * sizeof *c->records);
    c->count = count;
    return true;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct ras_count *)a)->name, ((const struct ras_count *)b)->name);
}

/* Ascending by name, and types of one name are one type. */
static size_t sum_by_name(struct ras_count *counts, size_t count)
{
    size_t kept = 0;
    if (count)
        qsort(counts, count, sizeof *counts, by_name);
    for (size_t i = 0; i < count; i++)
        if (kept && !strcmp(counts[kept - 1].name, counts[i].name))
            counts[kept - 1].records += counts[i].records;
        else
            counts[kept++] = counts[i];
    return kept;
}

static int add_missing(struct ras_repair *r, const struct ras_count *before, uint64_t after,
                       struct ras_error *err)
{
    if (before->records <= after)
        return RAS_OK;
    char *name = text_copy(before->name, strlen(before->name));
    if (!name)
        return fail_memory(err);
    r->missing[r->missing_count++] = (struct ras_count){name, before->id, before->records - after};
    return RAS_OK;
}

int repair_count_missing(struct ras_repair *r, const struct ras_trace *t,
                         const struct repair_counts *c, struct ras_error *err)
{
    size_t before_count = 0, after_count = r->recovered_count, k = 0;
    struct ras_count *before = calloc(c->count + 1, sizeof *before);
    struct ras_count *after = calloc(after_count + 1, sizeof *after);
    r->missing = calloc(c->count + 1, sizeof *r->missing);
    int status = before && after && r->missing ? RAS_OK : fail_memory(err);
    /* A gap is not a record that could be lost. */
    for (uint32_t id = RAS_SCHEMA_GAP + 1; status == RAS_OK && id < c->count; id++)
        if (c->records[id])
            before[before_count++] = (struct ras_count){t->schemas[id]->name, id, c->records[id]};
    if (status == RAS_OK && after_count)
        memcpy(after, r->recovered, after_count * sizeof *after);
    before_count = sum_by_name(before, before_count);
    after_count = status == RAS_OK ? sum_by_name(after, after_count) : 0;
    uint64_t sum = 0;
    for (size_t i = 0; status == RAS_OK && i < before_count; i++) {
        while (k < after_count && strcmp(after[k].name, before[i].name) < 0)
            k++;
        bool same = k < after_count && !strcmp(after[k].name, before[i].name);
        status = add_missing(r, &before[i], same ? after[k].records : 0, err);
    }
    for (size_t i = 0; i < r->missing_count; i++)
        sum += r->missing[i].records;
    if (sum > r->plan.lost_records) /* RAS_NONE: how many is not known anyhow */
        r->plan.lost_records = sum;
    free(before);
    free(after);
    return status;
}

/* It could not be judged to the end: as before. */
static void forget(struct ras_repair *r)
{
    for (size_t i = 0; i < r->recovered_count; i++)
        free((void *)(uintptr_t)r->recovered[i].name);
    for (size_t i = 0; r->left_parts && i < r->left->finding_count; i++)
        free(r->left_parts[i]);
    free(r->left_parts);
    free(r->recovered);
    free((void *)(uintptr_t)r->after.why);
    ras_report_free(r->left);
    r->left_parts = NULL;
    r->recovered = NULL;
    r->recovered_count = 0;
    r->after = (struct ras_ending){0};
    r->left = NULL;
}

int repair_judge_path(struct ras_repair *r, const char *path, const struct ras_options *how,
                      struct ras_error *err)
{
    struct ras_trace *t;
    int status = ras_open(&t, path, how, err);
    if (status == RAS_OK)
        status = judge(r, t, err);
    ras_close(t);
    if (status < 0)
        forget(r);
    return status;
}

static int to_spool(void *user, const void *bytes, size_t n, struct ras_error *err)
{
    return spool_append(user, bytes, n, err);
}

struct copies {
    struct spool *spools;
    struct ras_part *parts;
    size_t count;
};

static int copy_part(struct copies *k, const struct plan_map *map, const struct source *s,
                     const char *name, struct ras_error *err)
{
    struct ras_bytes all = repair_part(s, name);
    struct spool *spool = &k->spools[k->count];
    int status = RAS_OK;
    if (plan_first(map, name) != PLAN_NONE) {
        status = plan_apply(map, name, all, to_spool, spool, err);
        all = (struct ras_bytes){spool->at, spool->len};
    }
    k->parts[k->count++] = (struct ras_part){name, all};
    return status;
}

int repair_judge_copy(struct ras_repair *r, const struct plan_map *map, const struct ras_trace *t,
                      const struct ras_options *how, struct ras_error *err)
{
    const struct source *s = t->source;
    size_t most = source_count(s) + r->plan.patch_count + 1;
    struct copies k = {calloc(most, sizeof *k.spools), calloc(most, sizeof *k.parts), 0};
    int status = k.spools && k.parts ? RAS_OK : fail_memory(err);
    for (size_t i = 0; status == RAS_OK && i < source_count(s); i++)
        status = copy_part(&k, map, s, source_name(s, i), err);
    for (size_t i = 0; status == RAS_OK && i < r->plan.patch_count; i++)
        if (repair_is_fresh(map, s, i))
            status = copy_part(&k, map, s, r->plan.patches[i].part, err);
    struct ras_trace *repaired = NULL;
    if (status == RAS_OK)
        status = source_is_dir(s) ? ras_open_parts(&repaired, k.parts, k.count, how, err)
                                  : ras_open_memory(&repaired, k.parts[0].bytes.at,
                                                    k.parts[0].bytes.len, how, err);
    if (status == RAS_OK)
        status = judge(r, repaired, err);
    ras_close(repaired);
    for (size_t i = 0; k.spools && i < k.count; i++)
        spool_free(&k.spools[i]);
    free(k.spools);
    free(k.parts);
    return status;
}
