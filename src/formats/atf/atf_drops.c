/* atf_drops.c - events that the recorder counted and could not store, thread by thread.
 *
 * The manifest counts them by thread_id. Those of a thread without files are told with the
 * first thread of their process. So is, of a recorder that was killed, that nobody knows how many
 * more there are. */
#include "base/memory.h"
#include "formats/atf/atf_driver.h"

#include <stdlib.h>

/* A thread by what the manifest calls it. */
struct named {
    size_t process, thread;
    uint32_t id;
};

static int named_order(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return x->thread < y->thread ? -1 : x->thread > y->thread;
}

static int by_thread(const void *a, const void *b)
{
    const struct atf_owned_drop *x = a, *y = b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return x->drop < y->drop ? -1 : x->drop > y->drop;
}

static size_t first_of(const struct ras_atf_session *s, size_t process)
{
    const struct atf_process *p = &s->processes[process];
    return p->thread_to ? p->thread_from : SIZE_MAX;
}

/* The first thread of that id, or of its process; SIZE_MAX: the process has none. */
static size_t owner_of(const struct ras_atf_session *s, const struct named *names, size_t process,
                       uint32_t id)
{
    const struct named want = {process, 0, id};
    size_t low = 0, high = s->thread_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (named_order(&names[middle], &want) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < s->thread_count && names[low].process == process && names[low].id == id)
        return names[low].thread;
    return first_of(s, process);
}

static bool drop_add(struct ras_atf_session *s, size_t thread, size_t drop)
{
    size_t room = s->drop_room;
    if (thread == SIZE_MAX)
        return true;
    if (!array_grow(&s->drops, &room, s->drop_count + 1, sizeof *s->drops))
        return false;
    s->drop_room = room;
    s->drops[s->drop_count++] = (struct atf_owned_drop){thread, drop};
    return true;
}

static bool gather_thread_drops(struct ras_atf_session *s, const struct named *names)
{
    bool good = true;
    s->drop_count = 0;
    for (size_t i = 0; good && i < s->process_count; i++) {
        const struct ras_atf_manifest *m = &s->processes[i].manifest.out;
        for (size_t k = 0; good && m->present && k < m->drop_count; k++)
            good = drop_add(s, owner_of(s, names, i, m->drops[k].thread_id), k);
        if (good && m->present && m->unfinished)
            good = drop_add(s, first_of(s, i), SIZE_MAX);
    }
    if (!good)
        return false;
    if (s->drop_count)
        qsort(s->drops, s->drop_count, sizeof *s->drops, by_thread);
    return true;
}

/* Found once for the threads and manifests that are known. */
static void find_drops(struct ras_atf_session *s)
{
    if (s->drops_known)
        return;
    s->drops_known = true;
    s->drop_count = 0;
    bool any = false;
    for (size_t i = 0; i < s->process_count; i++)
        any |= s->processes[i].manifest.out.drop_count || s->processes[i].manifest.out.unfinished;
    struct named *names = any ? calloc(s->thread_count + 1, sizeof *names) : NULL;
    for (size_t i = 0; names && i < s->thread_count; i++)
        names[i] = (struct named){s->threads[i].process, i, s->threads[i].thread_id};
    if (names)
        qsort(names, s->thread_count, sizeof *names, named_order);
    if (any && (!names || !gather_thread_drops(s, names)))
        s->nomem = true;
    free(names);
}

uint64_t atf_drop_count(struct ras_atf_session *s, size_t thread)
{
    const struct ras_atf_drop *drop;
    uint64_t count = 0;
    while (atf_drop_at(s, thread, count, &drop))
        count++;
    return count;
}

bool atf_drop_at(struct ras_atf_session *s, size_t thread, uint64_t i,
                 const struct ras_atf_drop **drop)
{
    find_drops(s);
    size_t low = 0, high = s->drop_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (s->drops[middle].thread < thread)
            low = middle + 1;
        else
            high = middle;
    }
    if (i >= s->drop_count - low || s->drops[low + i].thread != thread)
        return false;
    static const struct ras_atf_drop unknown = {.events = RAS_NONE, .reason = ""};
    const struct atf_process *p = &s->processes[s->threads[thread].process];
    size_t which = s->drops[low + i].drop;
    *drop = which == SIZE_MAX ? &unknown : &p->manifest.out.drops[which];
    return true;
}
