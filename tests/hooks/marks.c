/* marks.c - marks its ticks, as librastrum-pens does, and is killed where it is told to. */
#include <dlfcn.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>

enum { TICK = 1, SETTLED };

static volatile uint64_t steps;

/* Long enough to be patched where it is the last function. */
__attribute__((noinline)) static void step(void)
{
    steps = steps + 1;
}

int main(int argc, char **argv)
{
    bool (*mark)(uint32_t, uint64_t, bool);
    *(void **)&mark = dlsym(RTLD_DEFAULT, "rastrum_mark");
    if (!mark)
        return 3;
    for (uint64_t i = 0; i < 3; i++) {
        mark(TICK, i < 2 ? i + 1 : 700, i == 2);
        step();
        mark(SETTLED, 0, false);
        mark(9, 0, false);
        mark(0, 0, false);
    }
    if (argc > 1)
        raise(argv[1][0] == 'k' ? SIGKILL : SIGSEGV);
    return 0;
}
