/* names.c - modules and functions, numbered as they are told of. */
#include "base/memory.h"
#include "codec/fnv1a.h"
#include "record/recorder.h"

#include <stdlib.h>
#include <string.h>

static uint32_t *slot_of(const struct module *m, const char *name)
{
    size_t i = fnv1a_bytes(FNV1A_START, name, strlen(name)) & (m->slot_count - 1);
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

/* A name behind the others; its index, 0: memory is short. */
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
    struct ras_lane *was = lane_hush();
    lock_take(&recorder.names.lock);
    uint32_t id = find_module(&recorder.names, path);
    lock_give(&recorder.names.lock);
    lane_unhush(was);
    return id;
}

uint64_t ras_record_function(uint32_t module, const char *name)
{
    struct names *n = &recorder.names;
    struct ras_lane *was = lane_hush();
    lock_take(&n->lock);
    bool known = module && module <= n->count;
    uint32_t index = known ? find_function(n, &n->modules[module - 1], name) : 0;
    lock_give(&n->lock);
    lane_unhush(was);
    return index ? (uint64_t)module << 32 | index : 0;
}
