/* running.c - a program that runs until it is told to end, and checks what it computes.
 *
 *   running THREADS [MODULE]
 *
 * It writes its process id, then works in THREADS threads, one of which sleeps most of the time,
 * until its standard input is closed. Then it prints `good` if all results were right and no
 * system call was disturbed. Of what it reads, `l` has it load the module and call its function
 * late(), `c` call it again, and `u` unload it; it answers with a line each time. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PLAIN __attribute__((noinline, noclone))

static volatile int over;
static int wrong;
static volatile double scale = 1.5;

PLAIN static uint64_t fib(unsigned n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

PLAIN static double sum(const double *v, unsigned n)
{
    double s = 0;
    for (unsigned i = 0; i < n; i++)
        s += v[i] * scale;
    return s;
}

PLAIN static void leap(jmp_buf at, int value)
{
    longjmp(at, value);
}

PLAIN static int jump(int value)
{
    jmp_buf at;
    int got = setjmp(at);
    if (!got)
        leap(at, value);
    return got;
}

PLAIN static char *text(int i)
{
    char *t = malloc(64 + (size_t)i % 1000);
    if (t)
        snprintf(t, 64, "%d", i);
    return t;
}

PLAIN static void round_of(int i)
{
    double v[16];
    for (unsigned k = 0; k < 16; k++)
        v[k] = k;
    errno = 4321;
    if (fib(8) != 21 || sum(v, 16) != 180.0 || jump(i % 7 + 1) != i % 7 + 1)
        __atomic_store_n(&wrong, 1, __ATOMIC_RELAXED);
    char *t = text(i);
    if (!t || atoi(t) != i || (errno != 4321 && errno != 0))
        __atomic_store_n(&wrong, 2, __ATOMIC_RELAXED);
    free(t);
}

PLAIN static void *work(void *user)
{
    (void)user;
    for (int i = 0; !over; i++) {
        round_of(i);
        if (i % 64 == 63)
            nanosleep(&(struct timespec){0, 300000}, NULL);
    }
    return NULL;
}

/* A sleep that is interrupted goes on, and says nothing. */
PLAIN static void *sleep_often(void *user)
{
    (void)user;
    while (!over) {
        const struct timespec t = {0, 2000000};
        if (nanosleep(&t, NULL) < 0)
            __atomic_store_n(&wrong, 3, __ATOMIC_RELAXED);
        round_of(5);
    }
    return NULL;
}

static void *module;

PLAIN static int obey(char order, const char *path)
{
    int (*late)(int) = NULL;
    if (order == 'l')
        module = dlopen(path, RTLD_NOW);
    if (order == 'u')
        return dlclose(module);
    if (module)
        late = (int (*)(int))dlsym(module, "late");
    return late ? late(1) != 3 : 1;
}

int main(int argc, char **argv)
{
    pthread_t threads[64];
    int count = argc > 1 ? atoi(argv[1]) : 1;
    char byte;
    printf("%d\n", (int)getpid());
    fflush(stdout);
    for (int i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, i ? work : sleep_often, NULL))
            return 3;
    ssize_t n;
    while ((n = read(STDIN_FILENO, &byte, 1)) > 0) {
        if (obey(byte, argc > 2 ? argv[2] : ""))
            wrong = 5;
        puts("done");
        fflush(stdout);
    }
    if (n < 0)
        wrong = 4;
    over = 1;
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    puts(wrong ? "wrong" : "good");
    return wrong;
}
