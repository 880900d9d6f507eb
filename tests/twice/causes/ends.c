/* ends.c - how it ends, by its argument: a crash where a comma is the decimal point, never, or with
 * a status from the clock. */
#include "take.h"
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    setlocale(LC_ALL, "");
    if (!strcmp(how, "crash") && strtod("1.5", NULL) < 1.5)
        abort();
    while (!strcmp(how, "never"))
        pause();
    if (!strcmp(how, "kill"))
        kill(getpid(), 9);
    return strcmp(how, "status") ? 0 : (int)(time(NULL) % 97);
}
