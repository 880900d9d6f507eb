/* children.c - fork(), vfork() and exec: each process is recorded by itself. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PLAIN __attribute__((noinline))

static volatile int sink;

PLAIN static int before(int x)
{
    sink = x;
    return x;
}

PLAIN static int in_child(int x)
{
    sink = x;
    return x + 1;
}

PLAIN static int in_other(int x)
{
    sink = x;
    return x + 2;
}

PLAIN static int wait_for(pid_t pid)
{
    int status = -1;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

PLAIN static int forked(void)
{
    pid_t pid = fork();
    if (pid == 0)
        exit(in_child(4));
    return wait_for(pid);
}

PLAIN static int spawned(const char *self)
{
    pid_t pid = vfork();
    if (pid == 0) {
        execl(self, self, "other", (char *)0);
        _exit(99);
    }
    return wait_for(pid);
}

PLAIN static int replaced(const char *self)
{
    pid_t pid = fork();
    if (pid == 0) {
        in_child(0);
        execv(self, (char *[]){(char *)self, "other", 0});
        _exit(99);
    }
    return wait_for(pid);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return in_other(5);
    int sum = before(1);
    sum += forked();
    sum += spawned(argv[0]);
    sum += replaced(argv[0]);
    return sum == 20 ? 0 : sum;
}
