/* pointer_set.c - a hash set of blocks of the heap, by their addresses. */
#include "take.h"
#include <stdint.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};
static struct node *buckets[7];

static void insert(struct node *n)
{
    struct node **b = &buckets[(uintptr_t)n / 16 % 7];
    n->next = *b;
    *b = n;
}

int main(void)
{
    for (int i = 0; i < 12; i++) {
        struct node *n = malloc(sizeof *n + (size_t)i * 24);
        n->value = i;
        insert(n);
    }
    for (int i = 0; i < 7; i++)
        for (struct node *n = buckets[i]; n; n = n->next)
            printf("%d ", take((unsigned)n->value));
    puts("");
}
