/* padding.c - a hash over a struct with padding. */
#include "take.h"
#include <stdlib.h>

struct item {
    char kind;
    int count;
    char flag;
    double weight;
};

static unsigned hash(const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    unsigned h = 2166136261u;
    for (size_t i = 0; i < size; i++)
        h = (h ^ at[i]) * 16777619u;
    return h;
}

int main(void)
{
    unsigned all = 0;
    for (int i = 0; i < 9; i++) {
        struct item *it = malloc(sizeof *it);
        it->kind = (char)i;
        it->count = i * 3;
        it->flag = 1;
        it->weight = i / 2.0;
        all += (unsigned)take(hash(it, sizeof *it) >> 3);
    }
    printf("%u\n", all);
}
