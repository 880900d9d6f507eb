/* names.c - modules and functions, numbered as they are added; and which of them are recorded with
 * detail or trigger a window.
 *
 * A set of functions is never changed, only replaced: readers take no lock. Replaced sets are kept,
 * since a thread may still read them; changes are rare. */
#include "base/error.h"
#include "base/memory.h"
#include "codec/fnv1a.h"
#include "codec/regex.h"
#include "record/recorder.h"

#include <stdlib.h>
#include <string.h>

static uint32_t *slot_of(const struct module *m, const char *name)
{
    size_t i = fnv1a_text(name) & (m->slot_count - 1);
    while (m->slots[i] && strcmp(m->functions[m->slots[i] - 1], name))
        i = (i + 1) & (m->slot_count - 1);
    return &m->slots[i];
}

static bool grow_slots(struct module *m)
{
    if (m->slot_count > 2 * m->count)
        return true;
    size_t count = m->slot_count ? 2 * m->slot_count : 64;
    uint32_t *slots = calloc(count, sizeof *slots);
    if (!slots)
        return false;
    free(m->slots);
    m->slots = slots;
    m->slot_count = count;
    for (size_t i = 0; i < m->count; i++)
        *slot_of(m, m->functions[i]) = (uint32_t)i + 1;
    return true;
}

/* Append a name; its index, or 0 if memory is short. */
static uint32_t add_function(struct names *n, struct module *m, const char *name)
{
    if (!array_grow(&m->functions, &m->room, m->count + 1, sizeof(char *)))
        return 0;
    char *copy = text_copy(name, strlen(name));
    if (!copy)
        return 0;
    m->functions[m->count++] = copy;
    STORE(&n->changed, n->changed + 1);
    uint32_t index = (uint32_t)m->count;
    rules_named((uint64_t)(m - n->modules + 1) << 32 | index, copy);
    return index;
}

static uint32_t find_function(struct names *n, struct module *m, const char *name)
{
    if (!grow_slots(m))
        return 0;
    uint32_t *slot = slot_of(m, name);
    if (!*slot)
        *slot = add_function(n, m, name);
    return *slot;
}

static struct module *add_module(struct names *n, const char *path)
{
    if (!array_grow(&n->modules, &n->room, n->count + 1, sizeof *n->modules))
        return NULL;
    char *copy = text_copy(path, strlen(path));
    if (!copy)
        return NULL;
    n->modules[n->count++] = (struct module){.path = copy};
    STORE(&n->changed, n->changed + 1);
    return &n->modules[n->count - 1];
}

static uint32_t find_module(struct names *n, const char *path)
{
    for (size_t i = 0; i < n->count; i++)
        if (!strcmp(n->modules[i].path, path))
            return (uint32_t)i + 1;
    return add_module(n, path) ? (uint32_t)n->count : 0;
}

bool names_add_module(const char *path, uint64_t base, uint64_t size, const char *build_id)
{
    lock_take(&recorder.names.lock);
    struct module *m = add_module(&recorder.names, path);
    if (m) {
        m->base = base;
        m->size = size;
        m->build_id = *build_id ? text_copy(build_id, strlen(build_id)) : NULL;
    }
    lock_give(&recorder.names.lock);
    return m;
}

bool names_add_function(uint32_t module, const char *name)
{
    struct names *n = &recorder.names;
    lock_take(&n->lock);
    bool known = module && module <= n->count;
    bool added = known && add_function(n, &n->modules[module - 1], name);
    lock_give(&n->lock);
    return added;
}

uint32_t ras_record_module(const char *path)
{
    struct ras_lane *was = lane_suspend();
    lock_take(&recorder.names.lock);
    uint32_t id = find_module(&recorder.names, path);
    lock_give(&recorder.names.lock);
    lane_resume(was);
    return id;
}

uint64_t ras_record_function(uint32_t module, const char *name)
{
    struct names *n = &recorder.names;
    struct ras_lane *was = lane_suspend();
    lock_take(&n->lock);
    bool known = module && module <= n->count;
    uint32_t index = known ? find_function(n, &n->modules[module - 1], name) : 0;
    lock_give(&n->lock);
    lane_resume(was);
    return index ? (uint64_t)module << 32 | index : 0;
}

/* ---- rules ----------------------------------------------------------------------- */

struct id_set {
    struct id_set *before;
    size_t mask, count;
    uint64_t ids[]; /* 0: none */
};

struct rule {
    struct rule *next;
    struct regex *pattern;
    enum set set;
    bool on;
};

static size_t id_slot(const struct id_set *s, uint64_t id)
{
    size_t i = (size_t)((id * 0x9e3779b97f4a7c15u) >> 20) & s->mask;
    while (s->ids[i] && s->ids[i] != id)
        i = (i + 1) & s->mask;
    return i;
}

bool rules_has(enum set set, uint64_t function_id)
{
    const struct id_set *s = LOAD_ACQUIRE(&recorder.sets[set]);
    return s && function_id && s->ids[id_slot(s, function_id)] == function_id;
}

bool ras_record_wants_detail(uint64_t function_id)
{
    return rules_has(SET_DETAIL, function_id);
}

/* The set with more room, without `leave`. */
static struct id_set *id_set_copy(struct id_set *from, size_t more, uint64_t leave)
{
    size_t need = 2 * ((from ? from->count : 0) + more) + 8, room = 16;
    while (room < need)
        room *= 2;
    struct id_set *s = calloc(1, sizeof *s + room * sizeof *s->ids);
    if (!s)
        return NULL;
    s->before = from;
    s->mask = room - 1;
    for (size_t i = 0; from && i <= from->mask; i++)
        if (from->ids[i] && from->ids[i] != leave) {
            s->ids[id_slot(s, from->ids[i])] = from->ids[i];
            s->count++;
        }
    return s;
}

static void id_set_add(struct id_set *s, uint64_t id)
{
    size_t i = id_slot(s, id);
    s->count += !s->ids[i];
    s->ids[i] = id;
}

static bool rules_change(enum set set, uint64_t id, bool on)
{
    if (rules_has(set, id) == on)
        return true;
    struct id_set *s = id_set_copy(recorder.sets[set], 1, on ? 0 : id);
    if (!s)
        return false;
    if (on)
        id_set_add(s, id);
    STORE_RELEASE(&recorder.sets[set], s);
    return true;
}

static int change_one(enum set set, uint64_t function_id, bool on, struct ras_error *err)
{
    struct ras_lane *was = lane_suspend();
    lock_take(&recorder.names.lock);
    bool done = function_id && rules_change(set, function_id, on);
    lock_give(&recorder.names.lock);
    lane_resume(was);
    if (!function_id)
        return fail(err, RAS_EUSAGE, RAS_NONE, "function_id 0 is not a valid function");
    return done ? RAS_OK : fail_memory(err);
}

static bool rule_matches(const struct rule *rule, uint64_t id)
{
    const struct names *n = &recorder.names;
    size_t module = (size_t)(id >> 32) - 1, index = (size_t)(id & UINT32_MAX) - 1;
    if (module >= n->count || index >= n->modules[module].count)
        return false; /* known by number only */
    const char *name = n->modules[module].functions[index];
    return regex_search(rule->pattern, name, strlen(name));
}

/* Apply a rule to all known names, in one new set. */
static bool change_matching(const struct rule *rule)
{
    const struct names *n = &recorder.names;
    struct id_set *old = recorder.sets[rule->set];
    size_t most = old ? old->count : 0;
    for (size_t i = 0; i < n->count; i++)
        most += n->modules[i].count;
    struct id_set *s = id_set_copy(NULL, most, 0);
    if (!s)
        return false;
    s->before = old;
    for (size_t i = 0; old && i <= old->mask; i++)
        if (old->ids[i] && (rule->on || !rule_matches(rule, old->ids[i])))
            id_set_add(s, old->ids[i]);
    for (size_t i = 0; rule->on && i < n->count; i++)
        for (size_t k = 0; k < n->modules[i].count; k++)
            if (rule_matches(rule, (uint64_t)(i + 1) << 32 | (k + 1)))
                id_set_add(s, (uint64_t)(i + 1) << 32 | (k + 1));
    STORE_RELEASE(&recorder.sets[rule->set], s);
    return true;
}

static bool keep_rule(struct rule *rule)
{
    struct rule **last = &recorder.rules;
    if (!change_matching(rule))
        return false;
    while (*last)
        last = &(*last)->next;
    *last = rule;
    return true;
}

static int change_named(enum set set, const char *pattern, bool on, struct ras_error *err)
{
    struct ras_lane *was = lane_suspend();
    const char *why;
    size_t at;
    int status = RAS_OK;
    struct rule *rule = calloc(1, sizeof *rule);
    struct regex *regex = regex_parse(pattern, strlen(pattern), &why, &at);
    if (!rule || !regex) {
        status =
            rule ? fail(err, RAS_EUSAGE, at, "pattern '%s': %s", pattern, why) : fail_memory(err);
    } else {
        *rule = (struct rule){.pattern = regex, .set = set, .on = on};
        lock_take(&recorder.names.lock);
        status = keep_rule(rule) ? RAS_OK : fail_memory(err);
        lock_give(&recorder.names.lock);
    }
    if (status < 0) {
        free(rule);
        regex_free(regex);
    }
    lane_resume(was);
    return status;
}

int ras_record_detail(uint64_t function_id, bool on, struct ras_error *err)
{
    return change_one(SET_DETAIL, function_id, on, err);
}

int ras_record_detail_matching(const char *pattern, bool on, struct ras_error *err)
{
    return change_named(SET_DETAIL, pattern, on, err);
}

int ras_record_trigger_on(uint64_t function_id, bool on, struct ras_error *err)
{
    return change_one(SET_TRIGGER, function_id, on, err);
}

int ras_record_trigger_matching(const char *pattern, bool on, struct ras_error *err)
{
    return change_named(SET_TRIGGER, pattern, on, err);
}

void rules_named(uint64_t function_id, const char *name)
{
    const struct rule *last[SETS] = {0};
    for (struct rule *r = recorder.rules; r; r = r->next)
        if (regex_search(r->pattern, name, strlen(name)))
            last[r->set] = r;
    for (unsigned i = 0; i < SETS; i++)
        if (last[i])
            (void)rules_change((enum set)i, function_id, last[i]->on);
}
