/* relay.c - blocks of bytes that another thread writes, in the order they were given. */
#include "core/relay.h"

#include <pthread.h>
#include <stdlib.h>

enum { BLOCKS = 4 };

struct relay {
    relay_write *write;
    void *user;
    struct out blocks[BLOCKS]; /* those waiting are the other thread's, the rest the giver's */
    size_t next;               /* that is given */
    pthread_t thread;
    pthread_mutex_t lock; /* guards what is below */
    pthread_cond_t changed;
    size_t waiting; /* the last ones before `next` */
    bool stop;
    struct ras_error failure;
};

/* One block more is done with. */
static void finish(struct relay *r, const struct ras_error *failure)
{
    pthread_mutex_lock(&r->lock);
    if (failure->status && !r->failure.status)
        r->failure = *failure;
    r->waiting--;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->lock);
}

static void *write_all(void *user)
{
    struct relay *r = user;
    for (size_t i = 0;; i = (i + 1) % BLOCKS) {
        struct ras_error failure = {0};
        pthread_mutex_lock(&r->lock);
        while (!r->waiting && !r->stop)
            pthread_cond_wait(&r->changed, &r->lock);
        bool stop = r->stop, failed = r->failure.status;
        pthread_mutex_unlock(&r->lock);
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
    if (pthread_mutex_init(&r->lock, NULL) != 0) {
        free(r);
        return NULL;
    }
    if (pthread_cond_init(&r->changed, NULL) != 0) {
        pthread_mutex_destroy(&r->lock);
        free(r);
        return NULL;
    }
    if (pthread_create(&r->thread, NULL, write_all, r) == 0)
        return r;
    pthread_cond_destroy(&r->changed);
    pthread_mutex_destroy(&r->lock);
    free(r);
    return NULL;
}

/* Until no more than `most` blocks wait, or one failed. */
static int wait_for(struct relay *r, size_t most, struct ras_error *err)
{
    pthread_mutex_lock(&r->lock);
    while (r->waiting > most)
        pthread_cond_wait(&r->changed, &r->lock);
    int status = r->failure.status;
    if (status && err)
        *err = r->failure;
    pthread_mutex_unlock(&r->lock);
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
    pthread_mutex_lock(&r->lock);
    r->waiting++;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->lock);
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
    pthread_mutex_lock(&r->lock);
    r->stop = true;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->lock);
    pthread_join(r->thread, NULL);
    pthread_cond_destroy(&r->changed);
    pthread_mutex_destroy(&r->lock);
    for (size_t i = 0; i < BLOCKS; i++)
        out_free(&r->blocks[i]);
    free(r);
}
