/* bus_error.c - programs that go on when a mapped file is truncated. */
#include "cli/bus_error.h"
#include "cli/command.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

/* Pages of a mapped file that another process truncated raise SIGBUS. */
static void replace_page(int signal, siginfo_t *info, void *context)
{
    static volatile sig_atomic_t said;
    static const char line[] = "rastrum: a file was truncated while it was being read\n";
    (void)signal, (void)context;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    void *at = (void *)((uintptr_t)info->si_addr & ~(page - 1));
    if (!said)
        (void)!write(STDERR_FILENO, line, sizeof line - 1);
    said = 1;
    if (info->si_code != BUS_ADRERR ||
        mmap(at, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
        _exit(EXIT_TROUBLE);
}

void survive_bus_errors(void)
{
    struct sigaction bus = {.sa_sigaction = replace_page, .sa_flags = SA_SIGINFO};
    sigaction(SIGBUS, &bus, NULL);
}
