/* rules.c - which functions are recorded with detail or pull a trigger, by id or by name.
 *
 * The set that is asked is never changed, only replaced: who asks takes no lock. Sets that
 * were replaced stay, since nobody knows who still reads them; changes are rare. */
#include "base/error.h"
#include "codec/regex.h"
#include "record/recorder.h"

#include <stdlib.h>
#include <string.h>

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

static size_t place_of(const struct id_set *s, uint64_t id)
{
    size_t i = (size_t)((id * 0x9e3779b97f4a7c15u) >> 20) & s->mask;
    while (s->ids[i] && s->ids[i] != id)
        i = (i + 1) & s->mask;
    return i;
}

bool rules_has(enum set set, uint64_t function_id)
{
    const struct id_set *s = LOAD_ACQUIRE(&recorder.sets[set]);
    return s && function_id && s->ids[place_of(s, function_id)] == function_id;
}

bool ras_record_wants_detail(uint64_t function_id)
{
    return rules_has(SET_DETAIL, function_id);
}

/* The set with more room, without `leave`. */
static struct id_set *copy(struct id_set *from, size_t more, uint64_t leave)
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
            s->ids[place_of(s, from->ids[i])] = from->ids[i];
            s->count++;
        }
    return s;
}

static void add(struct id_set *s, uint64_t id)
{
    size_t i = place_of(s, id);
    s->count += !s->ids[i];
    s->ids[i] = id;
}

static bool change(enum set set, uint64_t id, bool on)
{
    if (rules_has(set, id) == on)
        return true;
    struct id_set *s = copy(recorder.sets[set], 1, on ? 0 : id);
    if (!s)
        return false;
    if (on)
        add(s, id);
    STORE_RELEASE(&recorder.sets[set], s);
    return true;
}

static int change_one(enum set set, uint64_t function_id, bool on, struct ras_error *err)
{
    struct ras_lane *was = lane_hush();
    lock_take(&recorder.names.lock);
    bool done = function_id && change(set, function_id, on);
    lock_give(&recorder.names.lock);
    lane_unhush(was);
    if (!function_id)
        return fail(err, RAS_EUSAGE, RAS_NONE, "function_id 0 is no function's");
    return done ? RAS_OK : fail_memory(err);
}

static bool matches(const struct rule *rule, uint64_t id)
{
    const struct names *n = &recorder.names;
    size_t module = (size_t)(id >> 32) - 1, index = (size_t)(id & UINT32_MAX) - 1;
    if (module >= n->count || index >= n->modules[module].count)
        return false; /* told of by number only */
    const char *name = n->modules[module].functions[index];
    return regex_search(rule->pattern, name, strlen(name));
}

/* Every name known, in one new set. */
static bool change_matching(const struct rule *rule)
{
    const struct names *n = &recorder.names;
    struct id_set *old = recorder.sets[rule->set];
    size_t most = old ? old->count : 0;
    for (size_t i = 0; i < n->count; i++)
        most += n->modules[i].count;
    struct id_set *s = copy(NULL, most, 0);
    if (!s)
        return false;
    s->before = old;
    for (size_t i = 0; old && i <= old->mask; i++)
        if (old->ids[i] && (rule->on || !matches(rule, old->ids[i])))
            add(s, old->ids[i]);
    for (size_t i = 0; rule->on && i < n->count; i++)
        for (size_t k = 0; k < n->modules[i].count; k++)
            if (matches(rule, (uint64_t)(i + 1) << 32 | (k + 1)))
                add(s, (uint64_t)(i + 1) << 32 | (k + 1));
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
    struct ras_lane *was = lane_hush();
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
    lane_unhush(was);
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
            (void)change((enum set)i, function_id, last[i]->on);
}
