/* thread_test.c - threads run what they are given, a mutex keeps them apart, a condition wakes. */
#include "base/thread.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { THREADS = 4, ROUNDS = 2000 };

struct shared {
    struct os_mutex lock;
    struct os_condition changed;
    unsigned count;
    bool begin;
};

static void shared_open(struct shared *s)
{
    *s = (struct shared){.count = 0};
    assert_true(mutex_init(&s->lock));
    assert_true(condition_init(&s->changed));
}

static void shared_close(struct shared *s)
{
    condition_free(&s->changed);
    mutex_free(&s->lock);
}

static void *count_up(void *user)
{
    struct shared *s = user;
    mutex_lock(&s->lock);
    while (!s->begin)
        condition_wait(&s->changed, &s->lock);
    mutex_unlock(&s->lock);
    for (int i = 0; i < ROUNDS; i++) {
        mutex_lock(&s->lock);
        s->count++;
        mutex_unlock(&s->lock);
    }
    return NULL;
}

static void threads_wait_for_a_condition_one_by_one(void **state)
{
    struct shared s;
    struct os_thread threads[THREADS];
    (void)state;
    shared_open(&s);
    for (int i = 0; i < THREADS; i++)
        assert_true(thread_start(&threads[i], count_up, &s));
    mutex_lock(&s.lock);
    assert_int_equal(s.count, 0);
    s.begin = true;
    condition_notify_all(&s.changed);
    mutex_unlock(&s.lock);
    for (int i = 0; i < THREADS; i++)
        thread_join(&threads[i]);
    assert_int_equal(s.count, THREADS * ROUNDS);
    shared_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_wait_for_a_condition_one_by_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
