/* cmd_entity.c - one entity through the ticks of a trace, or beside that of another trace. */
#include "cli/detail_text.h"
#include "cli/looking.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct options {
    struct common common;
    const char *ticks, *pool, *json_out;
};

enum { LINES_MOST = 32, LINES_BOTH = 60, INDENT = 2 };

/* ---- which pool -------------------------------------------------------------------------- */

enum { POOLS_MOST = 8 };

struct pool_count {
    const struct ras_value *name;
    uint64_t samples[2];
};

static size_t count_pools(const struct ras_value *map, int side, struct pool_count *pools,
                          size_t count)
{
    for (const struct ras_value *key = map + 1; key < ras_value_next(map); key += 2) {
        size_t i = 0;
        while (i < count && strcmp(pools[i].name->at, key->at) != 0)
            i++;
        if (i == POOLS_MOST)
            continue;
        if (i == count)
            pools[count++] = (struct pool_count){.name = key};
        pools[i].samples[side] = key[1].u;
    }
    return count;
}

static size_t find_pools(const struct ras_value *v, struct pool_count *pools)
{
    const struct ras_value *of = member_of(v, "pools"), *both = member_of(of, "expected");
    if (!holds(both))
        return count_pools(of, 0, pools, 0);
    return count_pools(member_of(of, "actual"), 1, pools, count_pools(both, 0, pools, 0));
}

/* A uid is the number of a slot: a creature and a bonus may have the same one. */
static int check_pools(const struct looking *l, const struct ras_value *v)
{
    struct pool_count pools[POOLS_MOST];
    size_t count = find_pools(v, pools), len = 0;
    char text[200] = "";
    if (count < 2)
        return 0;
    for (size_t i = 0; i < count && len < sizeof text; i++)
        len += (size_t)snprintf(text + len, sizeof text - len, "%s%s %" PRIu64, i ? ", " : "",
                                (const char *)pools[i].name->at,
                                pools[i].samples[0] + pools[i].samples[1]);
    return trouble("%s: uid %s is in %zu pools (samples: %s): choose one with --pool",
                   shown_path(l->common->operands.items[0]), l->common->operands.items[l->operands],
                   count, text);
}

static void put_pool(struct answer *a, const struct ras_value *v, bool both)
{
    struct pool_count pools[POOLS_MOST];
    answer_format(a, "uid=");
    put_value(a, member_of(v, "entity_uid"));
    if (find_pools(v, pools) != 1)
        return;
    answer_format(a, " pool=");
    put_value(a, pools[0].name);
    answer_format(a, both ? " samples=%" PRIu64 " samples_actual=%" PRIu64 : " samples=%" PRIu64,
                  pools[0].samples[0], pools[0].samples[1]);
}

/* ---- one trace --------------------------------------------------------------------------- */

/* The first sample whole, of each other one what changed. */
static void entity_put_text(struct answer *a, const struct looking *l, const struct ras_value *v)
{
    const struct ras_value *samples = member_of(v, "samples"), *before = NULL;
    struct page p = {.a = a, .indent = INDENT, .lines = LINES_MOST};
    (void)l;
    put_pool(a, v, false);
    answer_format(a, " ticks=");
    put_value(a, member_of(v, "spawn_tick"));
    answer_format(a, "..");
    put_value(a, member_of(v, "despawn_tick"));
    answer_format(a, "\n");
    for (const struct ras_value *s = samples + 1; s < ras_value_next(samples);
         s = ras_value_next(s)) {
        if (line_begins(&p)) {
            answer_format(a, "tick ");
            put_value(a, member_of(s, "tick_index"));
            answer_format(a, ": ");
            put_flat(a, s, before, "tick_index");
            answer_format(a, "\n");
        }
        before = s;
    }
    put_left(&p);
}

/* ---- two of them ------------------------------------------------------------------------- */

static bool is_changed(const struct ras_value *v)
{
    return member_of(v, "ticks")->count != 0;
}

static void entity_put_tick(struct page *p, const struct ras_value *tick)
{
    const struct ras_value *missing = member_of(tick, "missing_in");
    if (!line_begins(p))
        return;
    answer_format(p->a, "tick ");
    put_value(p->a, member_of(tick, "tick_index"));
    if (missing->kind == RAS_STR) {
        answer_format(p->a, ": missing in ");
        put_value(p->a, missing);
    }
    answer_format(p->a, "\n");
    p->indent += INDENT;
    put_detail(p, member_of(tick, "mismatches"));
    p->indent -= INDENT;
}

static void put_both(struct answer *a, const struct looking *l, const struct ras_value *v)
{
    const struct ras_value *ticks = member_of(v, "ticks");
    struct page p = {.a = a, .indent = INDENT, .lines = LINES_BOTH};
    size_t count = 0;
    (void)l;
    for (const struct ras_value *t = ticks + 1; t < ras_value_next(ticks); t = ras_value_next(t))
        count++;
    put_result(a, count ? "diverged" : "ok");
    if (count) {
        answer_format(a, " tick=");
        put_value(a, member_of(ticks + 1, "tick_index"));
    }
    answer_format(a, " ");
    put_pool(a, v, true);
    answer_format(a, " ticks_changed=%zu\n", count);
    for (const struct ras_value *t = ticks + 1; t < ras_value_next(ticks); t = ras_value_next(t))
        entity_put_tick(&p, t);
    put_left(&p);
}

/* ---- the command ------------------------------------------------------------------------- */

/* TRACE UID, or UID A B: the uid is wherever a number is, and goes behind the traces. */
static int find_uid(struct list *operands, int64_t *uid)
{
    const char **items = operands->items;
    size_t last = operands->count - 1;
    if (integer_parse(items[last], uid))
        return 0;
    if (!integer_parse(items[0], uid))
        return trouble("'%s' is not a valid uid", items[last]);
    const char *text = items[0];
    for (size_t i = 0; i < last; i++)
        items[i] = items[i + 1];
    items[last] = text;
    return 0;
}

static int entity_run(void *options)
{
    struct options *o = options;
    const bool both = o->common.operands.count == 3;
    struct ras_inspect_options look = {RAS_INSPECT_ENTITY, .text = o->ticks, .pool = o->pool};
    const struct looking how = {.common = &o->common,
                                .verb = "entity",
                                .json_out = o->json_out,
                                .operands = both ? 2 : 1,
                                .more = 1,
                                .usage =
                                    "a trace and the uid of an entity, or a uid and two traces",
                                .instead = "rastrum cat",
                                .check = check_pools,
                                .is_no = both ? is_changed : NULL,
                                .put_text = both ? put_both : entity_put_text};
    int status = o->common.operands.count > 1 ? find_uid(&o->common.operands, &look.number) : 0;
    return status ? status : looking_run(&how, &look);
}

static const char *const pool_words[] = {"creature", "projectile", "secondary_projectile", "bonus",
                                         NULL};

static const struct option_row rows[] = {
    {"pool", 0, OPTION_TEXT, "NAME",
     "only samples of creature, projectile, secondary_projectile or bonus", pool_words,
     offsetof(struct options, pool)},
    {"ticks", 0, OPTION_TEXT, "A..B", "only these ticks, both included: A..B, A.., ..B, N", NULL,
     offsetof(struct options, ticks)},
    JSON_OUT_ROW(struct options),
    {0},
};

const struct command cmd_entity = {
    .name = "entity",
    .operands = "TRACE UID | UID EXPECTED ACTUAL",
    .about = "follow an entity of a CDT trace through its ticks, or compare it in two",
    .text =
        "Prints every sample with this uid: the first in full, then only the fields that\n"
        "changed. With two traces, prints the fields that differ, side by side, and exits 1 if\n"
        "any does. A uid is the number of a slot in a pool, so a creature and a bonus may have\n"
        "the same one: --pool selects. Text shows the first samples, --json all of them. Write\n"
        "a negative uid after --.\n",
    .examples = "rastrum entity run.cdt 3\n"
                "rastrum entity --pool creature --ticks 100..200 --json run.cdt 3\n"
                "rastrum entity 3 golden.cdt candidate.cdt\n",
    .exits = "0 found, and equal in two traces; 1 not found, or different; 2 error; 3 a\n"
             "trace is cut or damaged",
    .rows = rows,
    .size = sizeof(struct options),
    .format = "cdt",
    .reads = true,
    .run = entity_run,
};
