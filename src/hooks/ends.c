/* ends.c - ways to end a program without running its exit handlers: seal the recording first. */
#include "hooks/hooks.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SEAL_MOST_NS UINT64_C(30000000000)

/* A child of vfork() runs in its parent's memory: its end does not end the recording. */
static bool is_recording(void)
{
    return LOAD_ACQUIRE(&hooks.state) == HOOKS_ON && ras_record_is_on() &&
           syscall(SYS_getpid) == hooks.pid;
}

static void seal_recording(void)
{
    if (is_recording())
        crash_seal(SEAL_MOST_NS);
}

HOOK void _exit(int status)
{
    seal_recording();
    for (;;)
        syscall(SYS_exit_group, status);
}

HOOK void _Exit(int status) __attribute__((noreturn, alias("_exit")));

static void at_exit(void *user)
{
    (void)user;
    if (thread_make() == &thread_none)
        crash_seal(SEAL_MOST_NS);
    else
        (void)!ras_record_stop(NULL);
}

int __cxa_atexit(void (*)(void *), void *, void *);

/* Handlers run in reverse order: those of the program before these. The handler of exit() was
 * registered before the dynamic linker's, which runs the destructors of all modules, and belongs
 * to no module, so that it runs after them. */
void ends_init(void)
{
    at_quick_exit(seal_recording);
    (void)!__cxa_atexit(at_exit, NULL, NULL);
}

/* ---- exec ------------------------------------------------------------------------------------ */

/* If exec() succeeds, this process cannot seal its files; `rastrum record` does that at the end. */
static void before_exec(void)
{
    int was = errno;
    if (is_recording())
        recorder_leave();
    errno = was;
}

/* exec() has failed: its result. */
static int after_exec(int result)
{
    int was = errno;
    if (is_recording())
        recorder_stay();
    errno = was;
    return result;
}

HOOK int execve(const char *path, char *const argv[], char *const envp[])
{
    before_exec();
    return after_exec((int)syscall(SYS_execve, path, argv, envp));
}

HOOK int execv(const char *path, char *const argv[])
{
    return execve(path, argv, environ);
}

HOOK int execvpe(const char *file, char *const argv[], char *const envp[])
{
    int (*real)(const char *, char *const[], char *const[]);
    hooks_next(&real, "execvpe");
    before_exec();
    return after_exec(real(file, argv, envp));
}

HOOK int execvp(const char *file, char *const argv[])
{
    int (*real)(const char *, char *const[]);
    hooks_next(&real, "execvp");
    before_exec();
    return after_exec(real(file, argv));
}

HOOK int fexecve(int fd, char *const argv[], char *const envp[])
{
    int (*real)(int, char *const[], char *const[]);
    hooks_next(&real, "fexecve");
    before_exec();
    return after_exec(real(fd, argv, envp));
}

/* Inside libc the parent exits without calling our _exit(). */
HOOK int daemon(int here, int keep)
{
    int (*real)(int, int);
    hooks_next(&real, "daemon");
    before_exec();
    return after_exec(real(here, keep));
}

/* The arguments as a vector; the kernel does not accept more. */
enum { WORDS_MOST = 4096 };

static bool gather(const char *first, va_list *more, char **argv)
{
    size_t count = 0;
    for (const char *word = first; word; word = va_arg(*more, const char *)) {
        if (count + 1 >= WORDS_MOST) {
            errno = E2BIG;
            return false;
        }
        argv[count++] = (char *)(uintptr_t)word;
    }
    argv[count] = NULL;
    return true;
}

HOOK int execl(const char *path, const char *word, ...)
{
    char *argv[WORDS_MOST];
    va_list more;
    va_start(more, word);
    bool good = gather(word, &more, argv);
    va_end(more);
    return good ? execve(path, argv, environ) : -1;
}

HOOK int execlp(const char *file, const char *word, ...)
{
    char *argv[WORDS_MOST];
    va_list more;
    va_start(more, word);
    bool good = gather(word, &more, argv);
    va_end(more);
    return good ? execvp(file, argv) : -1;
}

HOOK int execle(const char *path, const char *word, ...)
{
    char *argv[WORDS_MOST];
    va_list more;
    va_start(more, word);
    bool good = gather(word, &more, argv);
    char *const *envp = good ? va_arg(more, char *const *) : NULL;
    va_end(more);
    return good ? execve(path, argv, envp) : -1;
}
