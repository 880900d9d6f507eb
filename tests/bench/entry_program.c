/* entry_program.c - a small interpreter, whose functions call each other as those of interpreters
 * do: deeply, through pointers, and in tail position. It is recorded by two recorders, to compare
 * what they cost; prints a sum. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define PLAIN __attribute__((noinline))

enum { ROUNDS = 60000, WORDS = 24 };

struct machine {
    uint64_t stack[64];
    unsigned top;
    uint64_t sum;
    double share;
};

PLAIN static void push(struct machine *m, uint64_t value)
{
    m->stack[m->top++ & 63] = value;
}

PLAIN static uint64_t pop(struct machine *m)
{
    return m->stack[--m->top & 63];
}

/* A jump in place of a call, with what is in vector registers. */
PLAIN static void settle(struct machine *m, double share)
{
    m->share = m->share * 0.5 + share;
}

PLAIN static void add(struct machine *m, unsigned word)
{
    push(m, pop(m) + pop(m) + word);
    settle(m, (double)word);
}

PLAIN static void number(struct machine *m, unsigned word)
{
    push(m, word * UINT64_C(2654435761));
}

PLAIN static void forward(struct machine *m, unsigned word)
{
    number(m, word ^ 5);
}

PLAIN static uint64_t depth(struct machine *m, unsigned n)
{
    return n ? depth(m, n - 1) + (m->sum & 1) : m->top;
}

PLAIN static void dig(struct machine *m, unsigned word)
{
    m->sum += depth(m, word % 7);
}

PLAIN static void step(struct machine *m, unsigned word)
{
    static void (*const steps[])(struct machine *, unsigned) = {number, forward, add, dig};
    steps[word & 3](m, word);
}

PLAIN static void run(struct machine *m, const uint8_t *words)
{
    m->top = 8;
    for (unsigned i = 0; i < WORDS; i++)
        step(m, words[i]);
    m->sum += pop(m);
}

int main(void)
{
    static struct machine m;
    uint8_t words[WORDS];
    uint64_t seed = 1;
    for (unsigned i = 0; i < WORDS; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
        words[i] = (uint8_t)(seed >> 40);
    }
    for (unsigned i = 0; i < ROUNDS; i++)
        run(&m, words);
    printf("%llu\n", (unsigned long long)m.sum);
    return 0;
}
