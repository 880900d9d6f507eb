/* rules.c - calls every function of rules.S and prints what it returns. */
#include <stdio.h>

/* clang-format off */
#define EACH(F) \
    F(enter) F(hot) F(framed) F(leaf) F(leaf2) F(indirect) F(inside) F(loop) F(table) F(short) \
    F(next) F(jrcxz) F(counted) F(call_indirect) F(undecoded) F(before) F(moved) F(jump_if) \
    F(call) F(padded) F(tail)
/* clang-format on */

#define DECLARE(name) long rule_##name(long);
EACH(DECLARE)

#define ROW(name) {#name, rule_##name},
static const struct {
    const char *name;
    long (*call)(long);
} rows[] = {EACH(ROW)};

int main(void)
{
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        for (long n = 0; n < 9; n += 4)
            printf("%s(%ld) = %ld\n", rows[i].name, n, rows[i].call(n));
    return 3;
}
