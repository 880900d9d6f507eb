/* forked.c - a child that computes, and a parent that waits for it. */
#include "take.h"
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    int ends[2], value = 0, status;
    if (pipe(ends) < 0)
        return 1;
    pid_t pid = fork();
    if (pid == 0) {
        value = take(77);
        (void)!write(ends[1], &value, sizeof value);
        _exit(3);
    }
    (void)!read(ends[0], &value, sizeof value);
    waitpid(pid, &status, 0);
    printf("%d %d\n", take((unsigned)value), WEXITSTATUS(status));
}
