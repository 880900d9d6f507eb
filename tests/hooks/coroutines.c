/* coroutines.c - two stacks that take turns within one thread, in the middle of their calls. */
#include <stdlib.h>
#include <ucontext.h>

#define PLAIN __attribute__((noinline))

enum { TURNS = 200 };

static ucontext_t home, away[2];
static int turns[2];

PLAIN static void yield(int who)
{
    turns[who]++;
    swapcontext(&away[who], &home);
}

PLAIN static int deeper(int who, int depth)
{
    yield(who);
    int got = depth ? deeper(who, depth - 1) : 0;
    yield(who);
    return got + 1;
}

PLAIN static void body(int who)
{
    while (turns[who] < TURNS)
        deeper(who, 3 + who);
    for (;;)
        yield(who);
}

PLAIN static void resume(int who)
{
    swapcontext(&home, &away[who]);
}

int main(void)
{
    for (int i = 0; i < 2; i++) {
        getcontext(&away[i]);
        away[i].uc_stack.ss_sp = malloc(1 << 18);
        away[i].uc_stack.ss_size = 1 << 18;
        away[i].uc_link = &home;
        makecontext(&away[i], (void (*)(void))body, 1, i);
    }
    for (int i = 0; i < 2 * TURNS; i++)
        resume(i % 2);
    return turns[0] == TURNS && turns[1] == TURNS ? 0 : 1;
}
