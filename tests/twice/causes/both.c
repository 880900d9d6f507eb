/* both.c - differs only if the time zone and the decimal point do. */
#define _GNU_SOURCE
#include "take.h"
#include <locale.h>
#include <string.h>
#include <time.h>

int main(void)
{
    setlocale(LC_ALL, "");
    tzset();
    int both = strcmp(localeconv()->decimal_point, ".") && timezone;
    printf("%d\n", take((unsigned)both));
}
