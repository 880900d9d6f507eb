/* local_hour.c - the hour where we are. */
#include "take.h"
#include <time.h>

int main(void)
{
    time_t now = time(NULL);
    struct tm t;
    localtime_r(&now, &t);
    printf("%d %d\n", t.tm_hour, take((unsigned)(t.tm_hour * 60 + t.tm_min)));
}
