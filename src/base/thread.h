/* thread.h - threads, a mutex and a condition: those of POSIX, where there are threads.
 *
 * In WebAssembly there are none: thread_start() fails, and the caller does the work itself. A mutex
 * does nothing there, and condition_wait() is never called: no other thread could notify. */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <stdbool.h>

#ifdef __wasm__

struct os_thread {
    char none;
};
struct os_mutex {
    char none;
};
struct os_condition {
    char none;
};

static inline bool thread_start(struct os_thread *t, void *(*run)(void *), void *user)
{
    (void)t, (void)run, (void)user;
    return false;
}

static inline void thread_join(struct os_thread *t)
{
    (void)t;
}

static inline bool mutex_init(struct os_mutex *m)
{
    m->none = 0;
    return true;
}

static inline void mutex_free(struct os_mutex *m)
{
    (void)m;
}

static inline void mutex_lock(struct os_mutex *m)
{
    (void)m;
}

static inline void mutex_unlock(struct os_mutex *m)
{
    (void)m;
}

static inline bool condition_init(struct os_condition *c)
{
    c->none = 0;
    return true;
}

static inline void condition_free(struct os_condition *c)
{
    (void)c;
}

static inline void condition_wait(struct os_condition *c, struct os_mutex *m)
{
    (void)c, (void)m;
}

static inline void condition_wait_ms(struct os_condition *c, struct os_mutex *m, unsigned ms)
{
    (void)c, (void)m, (void)ms;
}

static inline void condition_notify_all(struct os_condition *c)
{
    (void)c;
}

#else
#include <pthread.h>
#include <time.h>

struct os_thread {
    pthread_t id;
};
struct os_mutex {
    pthread_mutex_t os;
};
struct os_condition {
    pthread_cond_t os;
};

/* False: a thread cannot be started. */
static inline bool thread_start(struct os_thread *t, void *(*run)(void *), void *user)
{
    return pthread_create(&t->id, NULL, run, user) == 0;
}

static inline void thread_join(struct os_thread *t)
{
    pthread_join(t->id, NULL);
}

/* False: out of memory. */
static inline bool mutex_init(struct os_mutex *m)
{
    return pthread_mutex_init(&m->os, NULL) == 0;
}

static inline void mutex_free(struct os_mutex *m)
{
    pthread_mutex_destroy(&m->os);
}

static inline void mutex_lock(struct os_mutex *m)
{
    pthread_mutex_lock(&m->os);
}

static inline void mutex_unlock(struct os_mutex *m)
{
    pthread_mutex_unlock(&m->os);
}

/* False: out of memory. */
static inline bool condition_init(struct os_condition *c)
{
    return pthread_cond_init(&c->os, NULL) == 0;
}

static inline void condition_free(struct os_condition *c)
{
    pthread_cond_destroy(&c->os);
}

static inline void condition_wait(struct os_condition *c, struct os_mutex *m)
{
    pthread_cond_wait(&c->os, &m->os);
}

/* For at most so long, below a second. */
static inline void condition_wait_ms(struct os_condition *c, struct os_mutex *m, unsigned ms)
{
    struct timespec until;
    (void)!clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += (long)ms * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    (void)!pthread_cond_timedwait(&c->os, &m->os, &until);
}

static inline void condition_notify_all(struct os_condition *c)
{
    pthread_cond_broadcast(&c->os);
}

#endif
#endif
