/* cdt_frida_evidence.c - draws that no hook has seen, reported in a file next to the trace of a
 * run.
 *
 * The generator is the MSVC LCG of period 2^32: the states at which ticks and draws begin and end
 * show how many draws lie between them. Nothing here refuses a capture. */
#include "base/error.h"
#include "base/memory.h"
#include "codec/fnv1a.h"
#include "codec/json_write.h"
#include "formats/cdt/cdt_frida_run.h"

#include <stdlib.h>

enum { LCG_FACTOR = 214013, LCG_TERM = 2531011, FAR_BITS = 16 };

/* ---- distances ------------------------------------------------------------------------ */

/* Steps from a to b, if below 2^16. A step of 2^i leaves the low i bits unchanged and flips the
 * next one, so the distance is found bit by bit. */
static bool lcg_distance(uint32_t a, uint32_t b, uint32_t *distance)
{
    uint32_t factor = LCG_FACTOR, term = LCG_TERM;
    *distance = 0;
    for (unsigned i = 0; i < FAR_BITS; i++) {
        if ((a ^ b) >> i & 1) {
            a = a * factor + term;
            *distance |= UINT32_C(1) << i;
        }
        term *= factor + 1;
        factor *= factor;
    }
    return a == b;
}

/* The same for states as they are written, which may exceed 32 bits: equal ones are 0 steps apart,
 * and the first step brings any of them into range. */
static bool distance(frida_number from, frida_number to, uint32_t *steps)
{
    *steps = 0;
    if (from == to)
        return true;
    if (to < 0 || to > UINT32_MAX)
        return false;
    if (from >= 0 && from <= UINT32_MAX)
        return lcg_distance((uint32_t)from, (uint32_t)to, steps);
    bool near = lcg_distance((uint32_t)from * LCG_FACTOR + LCG_TERM, (uint32_t)to, steps);
    return near && ++*steps < 1u << FAR_BITS;
}

uint32_t frida_lcg(uint32_t state, uint64_t steps)
{
    uint32_t factor = LCG_FACTOR, term = LCG_TERM;
    for (; steps; steps >>= 1) {
        if (steps & 1)
            state = state * factor + term;
        term *= factor + 1;
        factor *= factor;
    }
    return state;
}

/* ---- tallies -------------------------------------------------------------------------- */

enum { NAMES_MOST = 64 << 20 }; /* of one run; there are a few dozen callers */

static bool table_grow(struct frida_tally *t)
{
    size_t size = t->table_size ? 2 * t->table_size : 64;
    uint32_t *table = calloc(size, sizeof *table);
    if (!table)
        return false;
    for (size_t i = 0; i < t->count; i++) {
        size_t slot = fnv1a_bytes(FNV1A_START, t->at[i].name.at, t->at[i].name.len) & (size - 1);
        while (table[slot])
            slot = (slot + 1) & (size - 1);
        table[slot] = (uint32_t)i + 1;
    }
    free(t->table);
    t->table = table;
    t->table_size = size;
    return true;
}

static struct frida_count *tally_find(const struct frida_tally *t, struct ras_bytes name,
                                      size_t *slot)
{
    *slot = fnv1a_bytes(FNV1A_START, name.at, name.len) & (t->table_size - 1);
    for (; t->table[*slot]; *slot = (*slot + 1) & (t->table_size - 1)) {
        struct frida_count *c = &t->at[t->table[*slot] - 1];
        if (c->name.len == name.len && !memcmp(c->name.at, name.at, name.len))
            return c;
    }
    return NULL;
}

int frida_tally_add(struct frida_tally *t, struct ras_bytes name, frida_number count,
                    frida_number *total, struct ras_error *err)
{
    size_t slot;
    if (2 * t->count >= t->table_size && !table_grow(t))
        return fail_memory(err);
    struct frida_count *c = tally_find(t, name, &slot);
    if (total)
        *total = c ? c->count + count : count;
    if (c) {
        c->count += count;
        return RAS_OK;
    }
    t->names.limit = NAMES_MOST;
    if (t->names.total > NAMES_MOST / 2 && (uint64_t)(t->names.end - t->names.at) < name.len)
        return fail(err, RAS_ELIMIT, RAS_NONE,
                    "names of callers beyond %d bytes, the most of a run", NAMES_MOST / 2);
    uint8_t *copy = arena_take(&t->names, name.len);
    if (!copy || !array_grow(&t->at, &t->room, t->count + 1, sizeof *t->at))
        return fail_memory(err);
    if (name.len)
        memcpy(copy, name.at, name.len);
    t->at[t->count] = (struct frida_count){{copy, name.len}, count, t->count};
    t->table[slot] = (uint32_t)++t->count;
    return RAS_OK;
}

void frida_tally_free(struct frida_tally *t)
{
    free(t->at);
    free(t->table);
    arena_free(&t->names);
    *t = (struct frida_tally){0};
}

/* ---- a run ------------------------------------------------------------------------------ */

int frida_evidence_bag(struct frida_evidence *e, const struct frida_bag *bag, struct ras_error *err)
{
    int status = RAS_OK;
    e->calls += frida_wide(&bag->node, 0, bag->calls);
    e->dropped += frida_wide(&bag->node, 1, bag->dropped);
    for (size_t i = 0; status == RAS_OK && i < bag->caller_counts.count; i++)
        status = frida_tally_add(&e->callers, bag->caller_counts.at[i].key,
                                 frida_number_of(bag->caller_counts.at[i].value), NULL, err);
    return status;
}

/* One interval within a tick: unseen draws are attributed to the draw after them. */
static int leg(struct frida_evidence *e, frida_number from, frida_number to,
               const struct ras_cdt_rng_stream_row *row, struct ras_error *err)
{
    char who[16] = "tick_tail";
    uint32_t steps;
    if (!distance(from, to, &steps)) {
        e->unresolved++;
        return RAS_OK;
    }
    if (!steps)
        return RAS_OK;
    if (row && ras_cdt_has(&row->node, RAS_CDT_RNG_CALLER))
        snprintf(who, sizeof who, "0x%08" PRIx32, (uint32_t)row->caller);
    else if (row)
        snprintf(who, sizeof who, "unknown");
    e->in_tick += steps;
    return frida_tally_add(&e->near, (struct ras_bytes){(const uint8_t *)who, strlen(who)}, steps,
                           NULL, err);
}

/* What happened since the previous tick, or since the setup. */
static void enter(struct frida_evidence *e, frida_number seed, frida_number state,
                  frida_number calls)
{
    uint32_t steps;
    if (!e->any) {
        e->setup_known = distance(seed, state, &e->setup);
        e->any = true;
    } else if (!distance(e->leave, state, &steps) || steps < calls) {
        e->unresolved++;
    } else {
        e->boundary += steps - calls;
    }
}

int frida_evidence_tick(struct frida_evidence *e, frida_number seed, const struct frida_tick *tick,
                        const struct ras_cdt_rng_stream_row *rows, struct ras_error *err)
{
    enum { BEFORE = 2, AFTER = 3 };
    const struct frida_bag *bag = &tick->rng_outside_before;
    frida_number at = frida_wide(&tick->node, FRIDA_TICK_ENTER, tick->rng_state_enter_u32);
    int status = frida_evidence_bag(e, bag, err);
    enter(e, seed, at, frida_wide(&bag->node, 0, bag->calls));
    for (size_t i = 0; status == RAS_OK && i < tick->channels.rng_stream.count; i++) {
        const struct ras_cdt_node *node = &rows[i].node;
        status = leg(e, at, frida_wide(node, BEFORE, rows[i].state_before_u32), &rows[i], err);
        at = frida_wide(node, AFTER, rows[i].state_after_u32);
    }
    e->leave = frida_wide(&tick->node, FRIDA_TICK_LEAVE, tick->rng_state_leave_u32);
    return status == RAS_OK ? leg(e, at, e->leave, NULL, err) : status;
}

void frida_evidence_free(struct frida_evidence *e)
{
    frida_tally_free(&e->callers);
    frida_tally_free(&e->near);
    *e = (struct frida_evidence){0};
}

/* ---- the side file ------------------------------------------------------------------------ */

static int by_caller_count(const void *left, const void *right)
{
    const struct frida_count *a = left, *b = right;
    if (a->count != b->count)
        return a->count < b->count ? 1 : -1;
    return a->place < b->place ? -1 : 1;
}

static void put_number(struct json *j, const char *key, frida_number value)
{
    const struct frida_digits digits = frida_digits(value);
    json_raw(j, key, digits.text, strlen(digits.text));
}

/* Sorts the most frequent first. */
static void put_tally(struct json *j, const char *key, const struct frida_tally *t)
{
    struct frida_count *sorted = t->count ? malloc(t->count * sizeof *sorted) : NULL;
    json_object(j, key);
    if (t->count && !sorted)
        j->out->failed = true;
    if (sorted) {
        memcpy(sorted, t->at, t->count * sizeof *sorted);
        qsort(sorted, t->count, sizeof *sorted, by_caller_count);
    }
    for (size_t i = 0; sorted && i < t->count; i++) {
        json_key_text(j, sorted[i].name.at, sorted[i].name.len);
        put_number(j, NULL, sorted[i].count);
    }
    json_close(j);
    free(sorted);
}

/* The layout of json.dumps(indent=2). */
void frida_evidence_put(const struct frida_evidence *e, const struct frida_run_start *start,
                        struct out *out)
{
    enum { RUN_ID = 1, MODE_ID = 2 };
    struct json j = json_start(out, RAS_JSON_LINES | RAS_JSON_ASCII);
    json_object(&j, NULL);
    put_number(&j, "run_id", frida_wide(&start->node, RUN_ID, start->run_id));
    put_number(&j, "mode_id", frida_wide(&start->node, MODE_ID, start->mode_id));
    put_number(&j, "replay_seed", start->rng_state_at_run_setup);
    if (e->setup_known)
        put_number(&j, "setup_draw_distance", e->setup);
    else
        json_null(&j, "setup_draw_distance");
    put_number(&j, "outside_calls", e->calls);
    put_number(&j, "outside_dropped", e->dropped);
    put_tally(&j, "outside_caller_counts", &e->callers);
    put_number(&j, "unhooked_in_tick", e->in_tick);
    put_number(&j, "unhooked_boundary", e->boundary);
    put_number(&j, "unhooked_unresolved", (frida_number)e->unresolved);
    put_tally(&j, "unhooked_gap_neighbors", &e->near);
    json_close(&j);
    json_newline(&j);
}

void frida_evidence_put2(const struct frida_evidence *e, const struct frida_run_start2 *start,
                         struct out *out)
{
    struct json j = json_start(out, RAS_JSON_LINES | RAS_JSON_ASCII);
    json_object(&j, NULL);
    put_number(&j, "run_id", start->run_id);
    put_number(&j, "mode_id", start->mode_id);
    put_number(&j, "replay_seed", start->rng_state_before_bootstrap);
    put_number(&j, "bootstrap_state_before", start->rng_state_before_bootstrap);
    put_number(&j, "bootstrap_state_after", start->rng_state_after_bootstrap);
    put_number(&j, "bootstrap_calls", start->rng_bootstrap_calls);
    put_number(&j, "outside_calls", e->calls);
    put_number(&j, "outside_dropped", e->dropped);
    put_tally(&j, "outside_caller_counts", &e->callers);
    json_close(&j);
    json_newline(&j);
}
