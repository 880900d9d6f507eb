/* beside_program.c - functions that know how often they were called, for recorders to be compared
 * with: deep recursion, long jumps, stacks of coroutines, tail calls, threads, signal handlers.
 *
 *   beside_program calls | recursion | leaps | callbacks | threads | signals | coroutines
 *
 * Built with -DCOUNTED it prints `NAME CALLS` of each that was; without, it is recorded, since
 * counters would be in the first instructions of its functions, which recorders replace. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define PLAIN __attribute__((noinline, noclone))

#define FUNCTIONS(X)                                                                               \
    X(leaf)                                                                                        \
    X(deep)                                                                                        \
    X(leap)                                                                                        \
    X(catch_leap)                                                                                  \
    X(tail)                                                                                        \
    X(tail_end)                                                                                    \
    X(shared)                                                                                      \
    X(in_thread)                                                                                   \
    X(handler)                                                                                     \
    X(co_step)                                                                                     \
    X(co_body)                                                                                     \
    X(even)                                                                                        \
    X(odd)                                                                                         \
    X(by_pointer)                                                                                  \
    X(compare)

#define COUNTER(name) static uint64_t calls_of_##name;
FUNCTIONS(COUNTER)
#ifdef COUNTED
#define COUNT(name) __atomic_fetch_add(&calls_of_##name, 1, __ATOMIC_RELAXED)
#else
#define COUNT(name) ((void)0)
#endif

static volatile uint64_t sink;

PLAIN static void leaf(uint64_t x)
{
    COUNT(leaf);
    sink += x;
}

/* Deeper than the 1,024 calls that some recorders keep. */
PLAIN static uint64_t deep(unsigned n)
{
    COUNT(deep);
    uint64_t below = n ? deep(n - 1) : sink & 1;
    __asm__ volatile("" : "+r"(below)); /* so that it is not made a loop */
    return below + 1;
}

static jmp_buf place;

PLAIN static void leap(unsigned n)
{
    COUNT(leap);
    if (!n)
        longjmp(place, 1);
    leap(n - 1);
    sink++;
}

PLAIN static void catch_leap(unsigned n)
{
    COUNT(catch_leap);
    if (!setjmp(place))
        leap(n);
    leaf(n);
}

PLAIN static uint64_t tail_end(uint64_t x)
{
    COUNT(tail_end);
    return x + sink;
}

PLAIN static uint64_t tail(uint64_t x)
{
    COUNT(tail);
    return tail_end(x + 1);
}

PLAIN static void shared(uint64_t x)
{
    COUNT(shared);
    __atomic_fetch_add((uint64_t *)&sink, x, __ATOMIC_RELAXED);
}

PLAIN static void *in_thread(void *rounds)
{
    COUNT(in_thread);
    for (uintptr_t i = 0; i < (uintptr_t)rounds; i++)
        shared(i);
    return NULL;
}

PLAIN static void handler(int number)
{
    COUNT(handler);
    leaf((uint64_t)number);
}

static ucontext_t outside, inside;

PLAIN static void co_step(unsigned n)
{
    COUNT(co_step);
    leaf(n);
    swapcontext(&inside, &outside);
}

PLAIN static void co_body(void)
{
    COUNT(co_body);
    for (unsigned i = 0;; i++)
        co_step(i);
}

PLAIN static int odd(unsigned n);

PLAIN static int even(unsigned n)
{
    COUNT(even);
    return n ? odd(n - 1) + (int)(sink & 1) : 1;
}

PLAIN static int odd(unsigned n)
{
    COUNT(odd);
    return n ? even(n - 1) + (int)(sink & 1) : 0;
}

PLAIN static uint64_t by_pointer(uint64_t (*f)(uint64_t), uint64_t x)
{
    COUNT(by_pointer);
    return f(x) + 1;
}

PLAIN static int compare(const void *a, const void *b)
{
    COUNT(compare);
    const uint32_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static void coroutine(unsigned rounds)
{
    static _Alignas(16) char stack[1 << 16];
    getcontext(&inside);
    inside.uc_stack.ss_sp = stack;
    inside.uc_stack.ss_size = sizeof stack;
    inside.uc_link = &outside;
    makecontext(&inside, co_body, 0);
    for (unsigned i = 0; i < rounds; i++)
        swapcontext(&outside, &inside);
}

static void calls(void)
{
    for (unsigned i = 0; i < 10000; i++)
        sink += by_pointer(tail, tail(i));
}

static void recursion(void)
{
    for (unsigned i = 0; i < 20; i++)
        sink += deep(5000);
    for (unsigned i = 0; i < 50; i++)
        sink += (unsigned)even(1500);
}

static void leaps(void)
{
    for (unsigned i = 0; i < 100; i++)
        catch_leap(i % 50);
}

static void callbacks(void)
{
    uint32_t numbers[512];
    for (unsigned i = 0; i < 512; i++)
        numbers[i] = i * 2654435761u;
    qsort(numbers, 512, sizeof *numbers, compare);
}

static void threads(void)
{
    pthread_t all[4];
    for (uintptr_t i = 0; i < 4; i++)
        if (pthread_create(&all[i], NULL, in_thread, (void *)(uintptr_t)5000))
            exit(2);
    for (unsigned i = 0; i < 4; i++)
        pthread_join(all[i], NULL);
}

static void signals(void)
{
    signal(SIGUSR1, handler);
    for (unsigned i = 0; i < 1000; i++)
        raise(SIGUSR1);
}

static void coroutines(void)
{
    coroutine(1000);
}

static const struct {
    const char *name;
    void (*run)(void);
} parts[] = {{"calls", calls},          {"recursion", recursion}, {"leaps", leaps},
             {"callbacks", callbacks},  {"threads", threads},     {"signals", signals},
             {"coroutines", coroutines}};

int main(int argc, char **argv)
{
    for (unsigned i = 0; argc > 1 && i < sizeof parts / sizeof *parts; i++)
        if (!strcmp(argv[1], parts[i].name))
            parts[i].run();
#define PRINT(name)                                                                                \
    if (calls_of_##name)                                                                           \
        printf(#name " %llu\n", (unsigned long long)calls_of_##name);
    FUNCTIONS(PRINT)
    return 0;
}
