/* fault.c - ends by a signal, in the way that its argument says; or survives it.
 *
 * The line of each fault is marked with the name of its case, for the test that reads them here. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PLAIN __attribute__((noinline))
#define BARE  __attribute__((noinline, no_instrument_function))

static int *volatile nowhere = (int *)0x18;
static volatile int zero, sink, ready;
static sigjmp_buf rescue;
static void (*volatile no_code)(void);

PLAIN static void segv(void)
{
    *nowhere = 1; /* segv */
    sink++;
}

PLAIN static void wild(void)
{
    no_code(); /* wild */
    sink++;
}

PLAIN static void bus(void)
{
    FILE *file = tmpfile(); /* shorter than its mapping */
    volatile char *at = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fileno(file), 0);
    sink = at[5]; /* bus */
    sink++;
}

PLAIN static void fpe(void)
{
    sink = 7 / zero; /* fpe */
    sink++;
}

PLAIN static void ill(void)
{
    sink = sink * 3 + 1; /* longer than what --unmodified displaces */
    __builtin_trap();    /* ill */
}

PLAIN static void trap(void)
{
    sink = sink * 3 + 1;
    __asm__ volatile("int3"); /* trap */
    sink++;
}

PLAIN static void give_up(void)
{
    abort();
}

PLAIN static void forbidden(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {4, code};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
        _exit(77);
    syscall(SYS_getppid);
    sink++;
}

PLAIN static int deeper(volatile char *above)
{
    volatile char here[4096];
    here[0] = *above;
    return deeper(here) + here[1];
}

PLAIN static void overflow(void)
{
    char start = 1;
    sink = deeper(&start);
}

PLAIN static void kill_it(void)
{
    kill(getpid(), SIGKILL);
}

/* ---- threads --------------------------------------------------------------------------------- */

PLAIN static void wait_in_here(void)
{
    __atomic_add_fetch(&ready, 1, __ATOMIC_ACQ_REL);
    for (;;)
        pause();
}

PLAIN static void *other_thread(void *user)
{
    wait_in_here();
    return user;
}

BARE static void start(void *(*run)(void *), void *user)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, user))
        _exit(77);
    while (!__atomic_load_n(&ready, __ATOMIC_ACQUIRE))
        ;
    ready = 0;
}

PLAIN static void two_threads(void)
{
    start(other_thread, NULL);
    segv();
}

PLAIN static void *faulting_thread(void *user)
{
    __atomic_store_n(&ready, 1, __ATOMIC_RELEASE);
    while (*(volatile int *)user == 0)
        ;
    segv();
    return NULL;
}

PLAIN static void both_at_once(void)
{
    static volatile int go;
    start(faulting_thread, (void *)&go);
    go = 1;
    segv();
}

PLAIN static void tick(void)
{
    sink++;
}

PLAIN static void *busy_thread(void *user)
{
    *(int *)user = (int)syscall(SYS_gettid);
    for (;;) {
        tick();
        __atomic_store_n(&ready, 1, __ATOMIC_RELEASE);
    }
    return NULL;
}

/* As a rule in the middle of the hooks, where most of its time is spent. */
BARE static void inside_hooks(void)
{
    static int tid;
    start(busy_thread, &tid);
    usleep(3000 + (unsigned)getpid() % 1000);
    syscall(SYS_tgkill, getpid(), tid, SIGSEGV);
    for (;;)
        pause();
}

/* ---- handlers of its own ----------------------------------------------------------------------
 */

BARE static void leap(int number)
{
    (void)number;
    siglongjmp(rescue, 1);
}

BARE static void step_over(int number)
{
    (void)number;
    nowhere = (int *)&sink;
    mprotect((void *)0, 0, PROT_NONE);
}

BARE static void install(void (*handler)(int), int number)
{
    struct sigaction act = {.sa_handler = handler};
    sigaction(number, &act, NULL);
}

PLAIN static void survive(void)
{
    install(leap, SIGSEGV);
    for (volatile int i = 0; i < 3; i++)
        if (!sigsetjmp(rescue, 1))
            segv();
    install(step_over, SIGUSR1);
    raise(SIGUSR1);
    install(step_over, SIGTRAP);
    raise(SIGTRAP);
    puts("survived");
}

static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {{"segv", segv},
             {"wild", wild},
             {"bus", bus},
             {"fpe", fpe},
             {"ill", ill},
             {"trap", trap},
             {"abrt", give_up},
             {"sys", forbidden},
             {"stack", overflow},
             {"kill", kill_it},
             {"two", two_threads},
             {"both", both_at_once},
             {"hooks", inside_hooks},
             {"survive", survive}};

BARE int main(int argc, char **argv)
{
    const struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (argc > 1 && !strcmp(argv[1], cases[i].name))
            cases[i].run();
    return 0;
}
