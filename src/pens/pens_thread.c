/* pens_thread.c - the thread that takes notes from the ledger, and has them written. */
#include "base/os.h"
#include "pens/pens_state.h"

#define MS UINT64_C(1000000)

static uint64_t due_after(const struct ras_pens *p, uint64_t now)
{
    return now + p->flush_ms * MS;
}

static bool is_requested(struct ras_pens *p)
{
    mutex_lock(&p->ledger.lock);
    bool is = p->ledger.flush;
    mutex_unlock(&p->ledger.lock);
    return is;
}

static void flush_done(struct ras_pens *p)
{
    mutex_lock(&p->ledger.lock);
    p->ledger.flush = false;
    p->ledger.flushes++;
    condition_notify_all(&p->ledger.room);
    mutex_unlock(&p->ledger.lock);
}

static void thread_failed(struct ras_pens *p, int status, const struct ras_error *why)
{
    mutex_lock(&p->ledger.lock);
    if (p->status == RAS_OK || p->misused) {
        p->status = status;
        p->failure = *why;
        p->misused = false;
    }
    mutex_unlock(&p->ledger.lock);
    ledger_stop(&p->ledger);
}

/* Of a durable ledger: a tick has begun, so the files can have all before it. */
static int save(struct ras_pens *p, struct ras_error *err)
{
    struct stage_saved saved;
    int status = desk_flush(&p->desk, &saved, err);
    if (status == RAS_OK)
        ledger_save(&p->ledger, &saved);
    return status;
}

/* All notes that there are, or those until a flush is due: a program may be as fast as this. */
static int take_notes(struct ras_pens *p, uint64_t *due, struct ras_error *err)
{
    struct note n;
    int status = RAS_OK;
    bool over = false;
    while (status == RAS_OK && !over && ledger_next(&p->ledger, &n)) {
        bool tick = n.kind == NOTE_TICK;
        status = desk_note(&p->desk, &n, err);
        uint64_t now = tick ? os_boot_ns() : 0;
        over = !p->durable && now >= *due;
        if (status == RAS_OK && tick && p->durable && p->desk.ticks &&
            (now >= *due || ledger_is_short(&p->ledger) || is_requested(p))) {
            status = save(p, err);
            *due = due_after(p, now);
        }
        ledger_took(&p->ledger);
    }
    return status;
}

static bool is_over(struct ras_pens *p)
{
    mutex_lock(&p->ledger.lock);
    bool over = p->ledger.stopped && p->ledger.read == p->ledger.head;
    mutex_unlock(&p->ledger.lock);
    return over;
}

static int flush_if_due(struct ras_pens *p, uint64_t *due, struct ras_error *err)
{
    struct stage_saved saved;
    uint64_t now = os_boot_ns();
    bool requested = is_requested(p);
    if (now < *due && !requested)
        return RAS_OK;
    int status = desk_flush(&p->desk, &saved, err);
    *due = due_after(p, now);
    if (requested)
        flush_done(p);
    return status;
}

void *pens_run(void *pens)
{
    struct ras_pens *p = pens;
    uint64_t due = due_after(p, os_boot_ns());
    struct ras_error err = {0};
    int status = RAS_OK;
    while (status == RAS_OK && !is_over(p)) {
        status = take_notes(p, &due, &err);
        if (status == RAS_OK && ledger_is_short(&p->ledger))
            status = ledger_grow(&p->ledger, &err);
        if (status == RAS_OK)
            status = flush_if_due(p, &due, &err);
        uint64_t now = os_boot_ns(), left = due > now ? (due - now) / MS + 1 : 1;
        if (status == RAS_OK)
            ledger_wait(&p->ledger, left < 500 ? (unsigned)left : 500);
    }
    if (status < 0)
        thread_failed(p, status, &err);
    flush_done(p);
    return NULL;
}
