/* grid.c - the fields of a grid world: made, staged, published. */
#include "base/error.h"
#include "base/memory.h"
#include "world/float_bits.h"
#include "world/grid.h"
#include "world/worlds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- ingress ----------------------------------------------------------------------------- */

/* The commands of a tick: which are accepted, which have expired, and in what order. An accepted
 * command gets the next arrival number, whatever was recorded. They are executed by (priority,
 * source, sequence, arrival), an absent source or sequence being the largest number; a sequence
 * without a source counts for nothing. */

void receipt_add(struct ras_step *s, uint32_t index, bool accepted, enum ras_receipt_reason reason,
                 uint64_t tick)
{
    s->receipts[s->receipt_count++] =
        (struct ras_receipt){.command_index = index,
                             .accepted = accepted,
                             .reason = (uint8_t)reason,
                             .applied_tick = reason == RAS_RECEIPT_APPLIED ? tick : RAS_NONE};
}

static int by_order(const void *a, const void *b)
{
    const struct arrival *x = a, *y = b;
    if (x->priority != y->priority)
        return x->priority < y->priority ? -1 : 1;
    if (x->source != y->source)
        return x->source < y->source ? -1 : 1;
    if (x->source_seq != y->source_seq)
        return x->source_seq < y->source_seq ? -1 : 1;
    if (x->arrival != y->arrival)
        return x->arrival < y->arrival ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static void enqueue(struct ingress *in, const struct ras_step *s, uint32_t index)
{
    const struct ras_murk_command *c = &s->commands[index].wire;
    bool has_seq = c->has_source_id && c->has_source_seq;
    uint64_t arrival = in->arrivals++;
    in->queue[in->count++] =
        (struct arrival){.priority = c->priority_class,
                         .source = c->has_source_id ? c->source_id : UINT64_MAX,
                         .source_seq = has_seq ? c->source_seq : UINT64_MAX,
                         .arrival = s->recorded_order ? c->arrival_seq : arrival,
                         .index = index};
}

/* Expired commands leave the queue in its order. */
static void drop_stale(struct ingress *in, struct ras_step *s, uint64_t tick)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < in->count; i++) {
        const struct arrival *a = &in->queue[i];
        if (s->commands[a->index].wire.expires_after_tick < tick)
            receipt_add(s, a->index, true, RAS_RECEIPT_STALE, 0);
        else
            in->queue[kept++] = *a;
    }
    in->count = kept;
}

int ingress_take(struct ingress *in, struct ras_step *s, uint64_t tick, struct ras_error *err)
{
    uint32_t let_in = s->command_count < in->room ? s->command_count : (uint32_t)in->room;
    in->count = 0;
    if (let_in && !array_grow(&in->queue, &in->queue_room, let_in, sizeof *in->queue))
        return fail_memory(err);
    for (uint32_t i = 0; i < let_in; i++)
        enqueue(in, s, i);
    for (uint32_t i = let_in; i < s->command_count; i++)
        receipt_add(s, i, false, RAS_RECEIPT_QUEUE_FULL, 0);
    drop_stale(in, s, tick);
    if (in->count)
        qsort(in->queue, in->count, sizeof *in->queue, by_order);
    return RAS_OK;
}

/* Ticks are disabled: all are refused. */
static void ingress_refuse(struct ras_step *s)
{
    for (uint32_t i = 0; i < s->command_count; i++)
        receipt_add(s, i, false, RAS_RECEIPT_TICK_DISABLED, 0);
}

void ingress_free(struct ingress *in)
{
    free(in->queue);
    *in = (struct ingress){0};
}

const char *ras_receipt_reason_name(enum ras_receipt_reason reason)
{
    static const char *const texts[RAS_RECEIPT_REASONS] = {
        [RAS_RECEIPT_QUEUE_FULL] = "QueueFull",
        [RAS_RECEIPT_STALE] = "Stale",
        [RAS_RECEIPT_TICK_ROLLBACK] = "TickRollback",
        [RAS_RECEIPT_TICK_DISABLED] = "TickDisabled",
        [RAS_RECEIPT_SHUTTING_DOWN] = "ShuttingDown",
        [RAS_RECEIPT_UNSUPPORTED] = "UnsupportedCommand",
        [RAS_RECEIPT_NOT_APPLIED] = "NotApplied",
        [RAS_RECEIPT_UNKNOWN_ENTITY] = "UnknownEntity",
        [RAS_RECEIPT_ENTITY_CAPACITY] = "EntityCapacityFull",
    };
    return reason < RAS_RECEIPT_REASONS ? texts[reason] : NULL;
}

#define NEIGHBOURS_MOST (UINT64_C(2) * RAS_WORLD_BYTES_MAX)

/* The longest step for which a propagator is stable, as the engine states it. */
static double step_most(const struct recipe *r, const struct recipe_prop *p)
{
    uint32_t degree = space_degree(&r->space);
    switch (p->kind) {
    case PROP_DIFFUSE:
    case PROP_SCALARDIFF:
        return 1 / (p->factor * (degree > 12 ? degree : 12));
    case PROP_REFDIFFUSION:
        return 1 / (p->factor * degree);
    case PROP_WAVE:
        return 1 / (p->factor * sqrt(degree));
    default:
        return INFINITY;
    }
}

/* Diffusion is unstable when a step is too long for it. */
static int judge_steps(const struct grid *g, struct ras_error *err)
{
    double dt = double_of(g->recipe.dt_bits);
    for (size_t i = 0; i < g->recipe.prop_count; i++) {
        const struct recipe_prop *p = &g->recipe.props[i];
        double most = step_most(&g->recipe, p);
        if (isinf(most) && most > 0)
            continue;
        if (!(p->factor >= 0))
            return fail(err, RAS_EFORMAT, RAS_NONE,
                        "recipe line %u: %s: a factor of %g, at least 0", p->line,
                        prop_name(p->kind), p->factor);
        if (dt > most)
            return fail(err, RAS_EFORMAT, RAS_NONE,
                        "recipe line %u: %s: a step of %g s is too long for a factor of %g, at "
                        "most %g s",
                        p->line, prop_name(p->kind), dt, p->factor, most);
    }
    return RAS_OK;
}

/* Most worlds do not need the table of neighbours. */
static bool spreads(const struct recipe *r)
{
    for (size_t i = 0; i < r->prop_count; i++)
        if (prop_spreads(r->props[i].kind))
            return true;
    return false;
}

/* The table of neighbours may be larger than the fields. */
static int judge_neighbours(const struct grid *g, struct ras_error *err)
{
    uint64_t size = neighbours_size(&g->recipe.space);
    if (!spreads(&g->recipe) || size <= NEIGHBOURS_MOST)
        return RAS_OK;
    return fail(err, RAS_ELIMIT, RAS_NONE,
                "recipe: neighbours of %" PRIu64 " cells in %" PRIu64 " bytes, at most %" PRIu64,
                g->recipe.space.cells, size, NEIGHBOURS_MOST);
}

static bool queues(const struct recipe *r)
{
    for (size_t i = 0; i < r->prop_count; i++)
        if (r->props[i].kind == PROP_MORPH)
            return true;
    return false;
}

static bool make_fields(struct grid *g)
{
    const struct recipe *r = &g->recipe;
    g->fields = calloc(r->field_count, sizeof *g->fields);
    g->calls = calloc(r->prop_count, sizeof *g->calls);
    g->queue = queues(r) ? calloc(r->space.cells, sizeof *g->queue) : NULL;
    if (!g->fields || !g->calls || (queues(r) && !g->queue))
        return false;
    for (size_t i = 0; i < r->field_count; i++) {
        struct grid_field *f = &g->fields[i];
        f->count = r->fields[i].components * r->space.cells;
        f->published = calloc(f->count, sizeof *f->published);
        f->staged = calloc(f->count, sizeof *f->staged);
        if (!f->published || !f->staged)
            return false;
    }
    return true;
}

static int grid_make(struct grid *g, struct ras_bytes text, bool full, struct ras_error *err)
{
    int status = recipe_read(&g->recipe, text, full, err);
    if (status < 0)
        return status;
    status = judge_neighbours(g, err);
    if (status < 0)
        return status;
    if (!make_fields(g) || (spreads(&g->recipe) && !neighbours_make(&g->near, &g->recipe.space)))
        return fail_memory(err);
    return judge_steps(g, err);
}

static void grid_free(struct grid *g)
{
    for (size_t i = 0; g->fields && i < g->recipe.field_count; i++) {
        free(g->fields[i].published);
        free(g->fields[i].staged);
    }
    free(g->fields);
    free(g->calls);
    free(g->queue);
    neighbours_free(&g->near);
    recipe_free(&g->recipe);
    *g = (struct grid){0};
}

/* Staging for a new tick: fields of a tick are zero, others are as published. */
static void grid_stage(struct grid *g)
{
    for (size_t i = 0; i < g->recipe.field_count; i++) {
        struct grid_field *f = &g->fields[i];
        f->fresh = false;
        if (g->recipe.fields[i].kind == FIELD_PERTICK)
            memset(f->staged, 0, f->count * sizeof *f->staged);
        else
            memcpy(f->staged, f->published, f->count * sizeof *f->staged);
    }
}

static void grid_publish(struct grid *g)
{
    for (size_t i = 0; i < g->recipe.field_count; i++) {
        uint32_t *was = g->fields[i].published;
        g->fields[i].published = g->fields[i].staged;
        g->fields[i].staged = was;
    }
}

struct ras_world_field grid_field(const struct grid *g, uint32_t index)
{
    const struct recipe_field *named = &g->recipe.fields[index];
    return (struct ras_world_field){named->name, g->fields[index].published, g->fields[index].count,
                                    named->components};
}

static struct ras_world_shape grid_shape(const struct grid *g)
{
    return (struct ras_world_shape){g->recipe.dt_bits, (uint32_t)g->recipe.field_count,
                                    g->recipe.space.cells};
}

struct grid_field *grid_writable(struct grid *g, uint32_t id)
{
    return id < g->recipe.field_count && g->recipe.fields[id].kind != FIELD_STATIC ? &g->fields[id]
                                                                                   : NULL;
}

/* ---- grid world -------------------------------------------------------------------------- */

/* How a world of grid fields goes from tick to tick. Fields are staged, commands applied,
 * propagators run, and only then is the tick published. One that fails leaves no trace; the third
 * failure in a row ends the ticking. */

enum { FAILURES = 3 };

int grid_world_make(struct grid_world *w, struct ras_bytes recipe, uint64_t seed, bool full,
                    struct ras_error *err)
{
    int status = grid_make(&w->grid, recipe, full, err);
    w->ingress.room = w->grid.recipe.queue;
    w->seed = seed;
    return status;
}

void grid_world_free(struct grid_world *w)
{
    grid_free(&w->grid);
    ingress_free(&w->ingress);
}

static void apply_all(struct grid_world *w, const struct grid_rules *rules, struct ras_step *s)
{
    for (uint32_t i = 0; i < w->ingress.count; i++) {
        uint32_t index = w->ingress.queue[i].index;
        enum ras_receipt_reason reason = rules->apply(w, &s->commands[index], index);
        receipt_add(s, index, reason == RAS_RECEIPT_APPLIED, reason, w->tick + 1);
    }
    if (rules->applied)
        rules->applied(w);
}

static void roll_back(struct grid_world *w, const struct grid_rules *rules,
                      const struct recipe_prop *failed, struct ras_step *s)
{
    for (uint32_t i = 0; i < s->receipt_count; i++)
        if (s->receipts[i].reason == RAS_RECEIPT_APPLIED) {
            s->receipts[i].reason = RAS_RECEIPT_TICK_ROLLBACK;
            s->receipts[i].applied_tick = RAS_NONE;
        }
    if (rules->restore)
        rules->restore(w);
    w->disabled = ++w->failures >= FAILURES;
    s->result = RAS_STEP_ROLLED_BACK;
    snprintf(s->why, sizeof s->why,
             "propagator '%s' failed: execution failed: deliberate failure after %" PRIu64
             " successful calls",
             prop_name(failed->kind), failed->number);
}

int grid_world_step(struct grid_world *w, const struct grid_rules *rules, struct ras_step *s,
                    struct ras_error *err)
{
    struct grid_user user = rules->user;
    user.world = w;
    user.tick = w->tick + 1;
    s->receipt_count = 0;
    s->result = RAS_STEP_OK;
    s->why[0] = 0;
    s->tick = w->tick;
    if (w->disabled) {
        ingress_refuse(s);
        s->result = RAS_STEP_DISABLED;
        snprintf(s->why, sizeof s->why, "ticking disabled after consecutive rollbacks");
        return RAS_OK;
    }
    int status = ingress_take(&w->ingress, s, w->tick + 1, err);
    if (status < 0)
        return status;
    if (rules->save && !rules->save(w))
        return fail_memory(err);
    grid_stage(&w->grid);
    apply_all(w, rules, s);
    const struct recipe_prop *failed = grid_propagate(&w->grid, &user);
    if (failed) {
        roll_back(w, rules, failed, s);
        return RAS_OK;
    }
    grid_publish(&w->grid);
    w->failures = 0;
    s->tick = ++w->tick;
    return RAS_OK;
}

bool grid_world_keep(struct grid_world *w, struct ras_world_keeper *k)
{
    uint32_t failures = w->failures;
    uint8_t disabled = w->disabled;
    struct grid *g = &w->grid;
    bool ok = k->numbers(k, &w->tick, 8, 1) && k->numbers(k, &w->ingress.arrivals, 8, 1) &&
              k->numbers(k, &failures, 4, 1) && k->numbers(k, &disabled, 1, 1) &&
              k->numbers(k, g->calls, 8, g->recipe.prop_count);
    w->failures = failures;
    w->disabled = disabled;
    for (size_t i = 0; ok && i < g->recipe.field_count; i++)
        ok = k->numbers(k, g->fields[i].published, 4, g->fields[i].count);
    return ok;
}

struct ras_world_shape grid_world_shape(const void *world)
{
    const struct grid_world *w = world;
    return grid_shape(&w->grid);
}

struct ras_world_field grid_world_field(const void *world, uint32_t index)
{
    const struct grid_world *w = world;
    return grid_field(&w->grid, index);
}

uint32_t grid_world_coord(const void *world, uint64_t cell, int32_t *coord)
{
    const struct grid_world *w = world;
    return space_coord(&w->grid.recipe.space, cell, coord);
}
