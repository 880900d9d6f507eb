/* relay.c - blocks of bytes that another thread writes, in the order they were given. */
#include "core/relay.h"
#include "base/thread.h"

#include <stdlib.h>

enum { BLOCKS = 4 };

struct relay {
    relay_write *write;
    void *user;
    struct out blocks[BLOCKS]; /* those waiting are the other thread's, the rest the giver's */
    size_t next;               /* that is given */
    struct os_thread thread;
    struct os_mutex lock; /* guards what is below */
    struct os_condition changed;
    size_t waiting; /* the last ones before `next` */
    bool stop;
    struct ras_error failure;
};

/* One block more is done with. */
static void finish(struct relay *r, const struct ras_error *failure)
{
    mutex_lock(&r->lock);
    if (failure->status && !r->failure.status)
        r->failure = *failure;
    r->waiting--;
    condition_notify_all(&r->changed);
    mutex_unlock(&r->lock);
}

static void *write_all(void *user)
{
    struct relay *r = user;
    for (size_t i = 0;; i = (i + 1) % BLOCKS) {
        struct ras_error failure = {0};
        mutex_lock(&r->lock);
        while (!r->waiting && !r->stop)
            condition_wait(&r->changed, &r->lock);
        bool stop = r->stop, failed = r->failure.status;
        mutex_unlock(&r->lock);
        if (stop)
            return NULL;
        if (!failed && r->write(r->user, r->blocks[i].at, r->blocks[i].len, &failure) == RAS_OK)
            failure.status = RAS_OK;
        r->blocks[i].len = 0;
        finish(r, &failure);
    }
}

struct relay *relay_open(relay_write *write, void *user)
{
    struct relay *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->write = write;
    r->user = user;
    if (!mutex_init(&r->lock)) {
        free(r);
        return NULL;
    }
    if (!condition_init(&r->changed)) {
        mutex_free(&r->lock);
        free(r);
        return NULL;
    }
    if (thread_start(&r->thread, write_all, r))
        return r;
    condition_free(&r->changed);
    mutex_free(&r->lock);
    free(r);
    return NULL;
}

/* Until no more than `most` blocks wait, or one failed. */
static int wait_for(struct relay *r, size_t most, struct ras_error *err)
{
    mutex_lock(&r->lock);
    while (r->waiting > most)
        condition_wait(&r->changed, &r->lock);
    int status = r->failure.status;
    if (status && err)
        *err = r->failure;
    mutex_unlock(&r->lock);
    return status;
}

int relay_give(struct relay *r, struct out *block, struct ras_error *err)
{
    int status = wait_for(r, BLOCKS - 1, err);
    if (status < 0)
        return status;
    struct out empty = r->blocks[r->next];
    r->blocks[r->next] = *block;
    *block = empty;
    r->next = (r->next + 1) % BLOCKS;
    mutex_lock(&r->lock);
    r->waiting++;
    condition_notify_all(&r->changed);
    mutex_unlock(&r->lock);
    return RAS_OK;
}

int relay_wait(struct relay *r, struct ras_error *err)
{
    return wait_for(r, 0, err);
}

void relay_close(struct relay *r)
{
    if (!r)
        return;
    mutex_lock(&r->lock);
    r->stop = true;
    condition_notify_all(&r->changed);
    mutex_unlock(&r->lock);
    thread_join(&r->thread);
    condition_free(&r->changed);
    mutex_free(&r->lock);
    for (size_t i = 0; i < BLOCKS; i++)
        out_free(&r->blocks[i]);
    free(r);
}
