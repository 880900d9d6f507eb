/* letters.c - words in the order of letters, numbers with separators, or the name of a month. */
#include "take.h"
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int order(const void *a, const void *b)
{
    return strcoll(*(char *const *)a, *(char *const *)b);
}

int main(int argc, char **argv)
{
    const char *words[] = {"apple", "Banana", "cherry", "Date"};
    const struct tm may = {.tm_year = 100, .tm_mon = 4, .tm_mday = 3};
    char text[64] = "";
    setlocale(LC_ALL, "");
    qsort(words, 4, sizeof *words, order);
    if (argc > 1 && !strcmp(argv[1], "month"))
        strftime(text, sizeof text, "%B", &may);
    else if (argc > 1)
        snprintf(text, sizeof text, "%'d", 1234567);
    else
        snprintf(text, sizeof text, "%s %s", words[0], words[1]);
    printf("%s %d\n", text, take((unsigned)strlen(text)));
}
