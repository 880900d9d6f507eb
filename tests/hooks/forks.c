/* forks.c - children that end while their parent is still in fork(), whose handler is recorded. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define PLAIN __attribute__((noinline))

static volatile sig_atomic_t noted;

PLAIN static void note(void)
{
    noted++;
}

PLAIN static void on_child(int number)
{
    (void)number;
    note();
}

PLAIN static void round_of(int i)
{
    pid_t pid = i % 2 ? vfork() : fork();
    if (pid == 0)
        _exit(0);
    while (waitpid(pid, NULL, 0) < 0) {
    }
}

int main(void)
{
    signal(SIGCHLD, on_child);
    for (int i = 0; i < 300; i++)
        round_of(i);
    return noted > 100 ? 0 : 1;
}
