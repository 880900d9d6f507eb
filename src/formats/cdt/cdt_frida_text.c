/* cdt_frida_text.c - numbers beyond 64 bits as text, for messages and files. */
#include "formats/cdt/cdt_frida_run.h"

struct frida_digits frida_digits(frida_number value)
{
    struct frida_digits d = {{0}};
    char *at = d.text + sizeof d.text - 1;
    bool negative = value < 0;
    do {
        int digit = (int)(value % 10);
        *--at = (char)('0' + (digit < 0 ? -digit : digit));
        value /= 10;
    } while (value);
    if (negative)
        *--at = '-';
    memmove(d.text, at, strlen(at) + 1);
    return d;
}
