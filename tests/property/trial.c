/* trial.c - one trial: its name, its time limit, its memory, its failures. */
#include "trial.h"

#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif
#if SANITIZED
#include <sanitizer/asan_interface.h>
#endif

/* Of processor time, so that a busy machine does not matter. */
enum { TRIAL_SECONDS = 2, WAITED_SECONDS = 60, SHOWN_MAX = 10 };

static char name[256];
static const void *kept;
static size_t kept_size;
static unsigned long tried, failed, shown;
static bool wrong;

bool sanitized(void)
{
    return SANITIZED;
}

void hide(const void *at, size_t size)
{
#if SANITIZED
    ASAN_POISON_MEMORY_REGION(at, size);
#else
    (void)at;
    (void)size;
#endif
}

void show(const void *at, size_t size)
{
#if SANITIZED
    ASAN_UNPOISON_MEMORY_REGION(at, size);
#else
    (void)at;
    (void)size;
#endif
}

/* Keep the bytes of the trial in a file for a person to inspect. */
static void keep_bytes(void)
{
    char path[64];
    if (!kept)
        return;
    snprintf(path, sizeof path, "property-failed-%ld-%lu.bin", (long)getpid(), shown);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (fd < 0)
        return;
    show(kept, kept_size);
    if (write(fd, kept, kept_size) == (ssize_t)kept_size)
        printf("    its bytes: %s\n", path);
    close(fd);
}

/* The process is about to end: print the name of the trial. */
static void last_words(const char *what)
{
    printf("%s: %s\n", name, what);
    keep_bytes();
    printf("%lu passed, %lu failed\n", tried - failed - 1, failed + 1);
    fflush(stdout);
}

static void on_signal(int signal_number)
{
    bool late = signal_number == SIGALRM || signal_number == SIGPROF;
    last_words(late ? "does not end" : strsignal(signal_number));
    _exit(1);
}

#if SANITIZED
void __asan_on_error(void);
void __asan_on_error(void)
{
    last_words("a sanitizer objects");
}
#endif

static void begin(void)
{
    static bool begun;
    if (begun)
        return;
    begun = true;
    signal(SIGALRM, on_signal);
    signal(SIGPROF, on_signal);
    if (SANITIZED)
        return;
    signal(SIGSEGV, on_signal);
    signal(SIGBUS, on_signal);
    signal(SIGFPE, on_signal);
    signal(SIGABRT, on_signal);
}

void trial(const void *bytes, size_t size, const char *fmt, ...)
{
    begin();
    va_list args;
    va_start(args, fmt);
    vsnprintf(name, sizeof name, fmt, args);
    va_end(args);
    kept = bytes;
    kept_size = size;
    tried++;
    wrong = false;
    struct itimerval limit = {.it_value.tv_sec = SANITIZED ? 10 * TRIAL_SECONDS : TRIAL_SECONDS};
    setitimer(ITIMER_PROF, &limit, NULL);
    limit.it_value.tv_sec = WAITED_SECONDS;
    setitimer(ITIMER_REAL, &limit, NULL);
}

void complain(const char *fmt, ...)
{
    failed += !wrong;
    wrong = true;
    if (shown++ >= SHOWN_MAX)
        return;
    va_list args;
    va_start(args, fmt);
    printf("%s: ", name);
    vprintf(fmt, args);
    putchar('\n');
    va_end(args);
    keep_bytes();
}

int trials_close(void)
{
    struct itimerval none = {0};
    setitimer(ITIMER_REAL, &none, NULL);
    setitimer(ITIMER_PROF, &none, NULL);
    if (shown > SHOWN_MAX)
        printf("and %lu more\n", shown - SHOWN_MAX);
    printf("%lu passed, %lu failed\n", tried - failed, failed);
    return failed || !tried;
}
