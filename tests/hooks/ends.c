/* ends.c - every way out of a program, after 1000 calls; main is left open. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PLAIN __attribute__((noinline))

static volatile int sink;

PLAIN static int step(int x)
{
    sink = x;
    return x;
}

int main(int argc, char **argv)
{
    const struct rlimit no_core = {0, 0};
    const char *how = argc > 1 ? argv[1] : "return";
    setrlimit(RLIMIT_CORE, &no_core);
    for (int i = 0; i < 1000; i++)
        step(i);
    if (!strcmp(how, "exit"))
        exit(3);
    if (!strcmp(how, "_exit"))
        _exit(4);
    if (!strcmp(how, "quick_exit"))
        quick_exit(5);
    if (!strcmp(how, "abort"))
        abort();
    if (!strcmp(how, "segv"))
        *(volatile int *)8 = 1;
    if (!strcmp(how, "int"))
        raise(SIGINT);
    if (!strcmp(how, "exec"))
        execlp("true", "true", (char *)0);
    if (!strcmp(how, "kill"))
        kill(getpid(), SIGKILL);
    if (!strcmp(how, "late"))
        while (access(argv[2], F_OK) < 0)
            usleep(10000);
    if (!strcmp(how, "wait") && write(STDOUT_FILENO, "waiting\n", 8) == 8)
        for (;;)
            pause();
    return 6;
}
