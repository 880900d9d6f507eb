/* words.c - a hash table by contents, with blocks that are freed and used again. */
#include "take.h"
#include <stdlib.h>
#include <string.h>

struct word {
    struct word *next;
    char text[24];
    int count;
};
static struct word *table[31];

static unsigned hash(const char *s)
{
    unsigned h = 5381;
    for (; *s; s++)
        h = h * 33 + (unsigned char)*s;
    return h;
}

static void count(const char *text)
{
    struct word **at = &table[hash(text) % 31];
    while (*at && strcmp((*at)->text, text))
        at = &(*at)->next;
    if (!*at) {
        *at = calloc(1, sizeof **at);
        snprintf((*at)->text, sizeof(*at)->text, "%s", text);
    }
    (*at)->count++;
}

int main(void)
{
    for (int i = 0; i < 300; i++) {
        char text[24];
        snprintf(text, sizeof text, "w%d", i * i % 47);
        count(text);
    }
    for (int i = 0; i < 31; i++)
        for (struct word *w = table[i], *next; w; w = next) {
            next = w->next;
            printf("%s=%d ", w->text, take((unsigned)w->count));
            free(w);
        }
    puts("");
}
