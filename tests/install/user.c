/* user.c - the smallest program that uses the library, in C and in C++. */
#include <rastrum/rastrum.h>
#include <string.h>

int main(void)
{
    struct ras_trace *trace;
    struct ras_error err;
    int status = ras_open_memory(&trace, "no trace", 8, NULL, &err);
    return !(status < 0 && err.status == status && strlen(err.text) > 0 &&
             strlen(ras_version()) > 0);
}
