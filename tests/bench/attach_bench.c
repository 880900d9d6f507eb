/* attach_bench.c - how long a running program is stopped by `record --attach`: the longest of many
 * times, of a program with several threads that compute. */
#include "bench.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TIMES = 40 };

/* Milliseconds; below 0: it was not attached. */
static double stopped_for(struct bench *b, pid_t pid)
{
    static const char word[] = "stopped for ";
    char command[8192], line[4096];
    double ms = -1;
    snprintf(command, sizeof command,
             "'%s' record --attach %d --duration 20ms --force -o '%s/attached' 2>&1",
             bench_program(b), (int)pid, bench_folder(b));
    FILE *said = popen(command, "r");
    while (said && fgets(line, sizeof line, said)) {
        const char *at = strstr(line, word);
        double found;
        if (at && sscanf(at + strlen(word), "%lf ms", &found) == 1 && found > ms)
            ms = found;
    }
    return said && pclose(said) == 0 ? ms : -1;
}

/* The program computes until it is killed. */
static pid_t start_program(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        execl(ATTACH_PROGRAM, ATTACH_PROGRAM, (char *)0);
        _exit(127);
    }
    return pid;
}

void attach_bench(struct bench *b)
{
    double worst = 0;
    pid_t pid = start_program();
    usleep(200000);
    for (unsigned i = 0; pid > 0 && i < TIMES && worst >= 0; i++) {
        double ms = stopped_for(b, pid);
        worst = ms < 0 || ms > worst ? ms : worst;
    }
    if (pid > 0) {
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
    if (pid > 0 && worst >= 0)
        bench_report(b, "attach.stop", worst, 0);
    else
        bench_skip(b, "attach.stop", "no program can be attached to here");
}
