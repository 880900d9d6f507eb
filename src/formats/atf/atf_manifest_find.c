/* atf_manifest_find.c - look up what a manifest tells: names by id, times by media. */
#include "formats/atf/atf_manifest.h"

#include <math.h>
#include <stdlib.h>

static size_t slot_for(const struct atf_table *table, uint64_t key)
{
    return (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (table->size - 1);
}

static bool make_table(struct atf_table *table, size_t count)
{
    if (!count)
        return true;
    if (count > UINT32_MAX / 4)
        return false;
    for (table->size = 16; table->size < 2 * count;)
        table->size *= 2;
    table->slots = calloc(table->size, sizeof *table->slots);
    return table->slots;
}

const struct ras_atf_symbol *atf_manifest_symbol(const struct atf_manifest *m, uint64_t function_id)
{
    const struct atf_table *table = &m->by_function;
    if (!table->size)
        return NULL;
    for (size_t at = slot_for(table, function_id); table->slots[at];
         at = (at + 1) & (table->size - 1))
        if (m->symbols[table->slots[at] - 1].function_id == function_id)
            return &m->symbols[table->slots[at] - 1];
    return NULL;
}

const struct ras_atf_module *atf_manifest_module(const struct atf_manifest *m, uint32_t module_id)
{
    const struct atf_table *table = &m->by_module;
    if (!table->size)
        return NULL;
    for (size_t at = slot_for(table, module_id); table->slots[at];
         at = (at + 1) & (table->size - 1))
        if (m->modules[table->slots[at] - 1].module_id == module_id)
            return &m->modules[table->slots[at] - 1];
    return NULL;
}

const struct ras_atf_listed *atf_manifest_thread(const struct atf_manifest *m, uint32_t thread_id)
{
    const struct atf_table *table = &m->by_thread;
    if (!table->size)
        return NULL;
    for (size_t at = slot_for(table, thread_id); table->slots[at];
         at = (at + 1) & (table->size - 1))
        if (m->threads[table->slots[at] - 1].id == thread_id)
            return &m->threads[table->slots[at] - 1];
    return NULL;
}

bool atf_manifest_repaired(const struct atf_manifest *m, uint32_t thread_id)
{
    const struct atf_table *table = &m->by_repaired;
    if (!table->size)
        return false;
    for (size_t at = slot_for(table, thread_id); table->slots[at];
         at = (at + 1) & (table->size - 1))
        if (m->repaired[table->slots[at] - 1] == thread_id)
            return true;
    return false;
}

static void table_put(struct atf_table *table, uint64_t key, size_t index)
{
    size_t at = slot_for(table, key);
    while (table->slots[at])
        at = (at + 1) & (table->size - 1);
    table->slots[at] = (uint32_t)index + 1;
}

/* Of two with one id the first counts. */
bool atf_manifest_index(struct atf_manifest *m)
{
    if (!make_table(&m->by_function, m->out.symbol_count) ||
        !make_table(&m->by_module, m->out.module_count) ||
        !make_table(&m->by_thread, m->out.thread_count) ||
        !make_table(&m->by_repaired, m->out.repaired_count))
        return false;
    for (size_t i = 0; i < m->out.symbol_count; i++)
        if (!atf_manifest_symbol(m, m->symbols[i].function_id))
            table_put(&m->by_function, m->symbols[i].function_id, i);
    for (size_t i = 0; i < m->out.module_count; i++)
        if (!atf_manifest_module(m, m->modules[i].module_id))
            table_put(&m->by_module, m->modules[i].module_id, i);
    for (size_t i = 0; i < m->out.thread_count; i++)
        if (!atf_manifest_thread(m, m->threads[i].id))
            table_put(&m->by_thread, m->threads[i].id, i);
    for (size_t i = 0; i < m->out.repaired_count; i++)
        if (!atf_manifest_repaired(m, m->repaired[i]))
            table_put(&m->by_repaired, m->repaired[i], i);
    return true;
}

bool atf_manifest_media(const struct atf_manifest *m, double seconds, uint64_t *time_ns)
{
    size_t count = m->out.anchor_count;
    if (!count || !isfinite(seconds))
        return false;
    size_t i = 0; /* the last anchor at or before, or the first */
    while (i + 1 < count && m->anchors[i + 1].media_seconds <= seconds)
        i++;
    const struct ras_atf_anchor *from = &m->anchors[i];
    double passed = seconds - from->media_seconds, ns = passed * 1e9;
    if (passed > 0 && i + 1 < count) {
        const struct ras_atf_anchor *to = from + 1;
        double host = to->host_time_ns >= from->host_time_ns
                          ? (double)(to->host_time_ns - from->host_time_ns)
                          : -(double)(from->host_time_ns - to->host_time_ns);
        ns = host * (passed / (to->media_seconds - from->media_seconds));
    }
    if (!(ns > -9e18 && ns < 9e18))
        return false;
    int64_t delta = (int64_t)(ns < 0 ? ns - 0.5 : ns + 0.5);
    if (delta < 0 ? (uint64_t)-delta > from->host_time_ns
                  : (uint64_t)delta > UINT64_MAX - from->host_time_ns)
        return false;
    *time_ns = from->host_time_ns + (uint64_t)delta;
    return true;
}
