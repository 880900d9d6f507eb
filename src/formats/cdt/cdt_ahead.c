/* cdt_ahead.c - blocks of a trace, decoded by a thread of their own before they are asked for. */
#include "formats/cdt/cdt_ahead.h"
#include "base/thread.h"

#include <stdlib.h>

enum { SLOTS = 3 }; /* one is read, one is ready, one is being decoded */

/* Bytes of a file that take longer to decode than a thread to start. */
enum { WORTH_A_THREAD = 1 << 18 };

struct slot {
    struct cdt_memory memory;
    struct cdt_block block;
    struct ras_error err;
    int status;
};

struct cdt_ahead {
    const struct cdt_side *side;
    const size_t *spans;
    size_t count;
    struct slot slots[SLOTS];
    bool threaded;
    struct os_thread thread;
    struct os_mutex lock; /* guards what is below, and tells whose a slot is */
    struct os_condition changed;
    size_t made;   /* blocks decoded so far */
    size_t taken;  /* of them, handed out */
    bool released; /* the last one handed out is done with */
    bool stop;
};

static void ahead_decode(struct cdt_ahead *a, size_t i)
{
    struct slot *s = &a->slots[i % SLOTS];
    s->status = cdt_side_try(a->side, a->spans[i], &s->memory, &s->block, &s->err);
}

/* A slot is free when what it held was handed out and is done with. */
static bool has_room(const struct cdt_ahead *a)
{
    size_t held = a->made - a->taken + (a->taken && !a->released);
    return held < SLOTS;
}

static void *decode_all(void *user)
{
    struct cdt_ahead *a = user;
    for (size_t i = 0; i < a->count; i++) {
        mutex_lock(&a->lock);
        while (!has_room(a) && !a->stop)
            condition_wait(&a->changed, &a->lock);
        bool stop = a->stop;
        mutex_unlock(&a->lock);
        if (stop)
            return NULL;
        ahead_decode(a, i);
        mutex_lock(&a->lock);
        a->made++;
        condition_notify_all(&a->changed);
        mutex_unlock(&a->lock);
    }
    return NULL;
}

int cdt_ahead_open(struct cdt_ahead **out, const struct cdt_side *side, const size_t *spans,
                   size_t count, struct ras_error *err)
{
    struct cdt_ahead *a = *out = calloc(1, sizeof *a);
    if (!a)
        return fail_memory(err);
    a->side = side;
    a->spans = spans;
    a->count = count;
    if (!mutex_init(&a->lock)) {
        free(a);
        *out = NULL;
        return fail_memory(err);
    }
    if (!condition_init(&a->changed)) {
        mutex_free(&a->lock);
        free(a);
        *out = NULL;
        return fail_memory(err);
    }
    bool worth = count && side->file.len >= WORTH_A_THREAD;
    a->threaded = worth && thread_start(&a->thread, decode_all, a);
    return RAS_OK;
}

/* Wait for the next one to be decoded, or decode it here. */
static void ahead_wait(struct cdt_ahead *a)
{
    if (!a->threaded) {
        ahead_decode(a, a->taken);
        a->made++;
        return;
    }
    mutex_lock(&a->lock);
    a->released = true;
    condition_notify_all(&a->changed);
    while (a->made == a->taken)
        condition_wait(&a->changed, &a->lock);
    mutex_unlock(&a->lock);
}

int cdt_ahead_next(struct cdt_ahead *a, const struct cdt_block **block, size_t *span,
                   struct ras_error *err)
{
    if (a->taken == a->count)
        return RAS_END;
    ahead_wait(a);
    *span = a->spans[a->taken];
    struct slot *s = &a->slots[a->taken % SLOTS];
    mutex_lock(&a->lock);
    a->taken++;
    a->released = false;
    mutex_unlock(&a->lock);
    *block = &s->block;
    if (s->status < 0 && err)
        *err = s->err;
    return s->status;
}

void cdt_ahead_close(struct cdt_ahead *a)
{
    if (!a)
        return;
    if (a->threaded) {
        mutex_lock(&a->lock);
        a->stop = true;
        condition_notify_all(&a->changed);
        mutex_unlock(&a->lock);
        thread_join(&a->thread);
    }
    condition_free(&a->changed);
    mutex_free(&a->lock);
    for (int i = 0; i < SLOTS; i++)
        cdt_memory_free(&a->slots[i].memory);
    free(a);
}
