/* main.c - the command rastrum. */
#include <rastrum/rastrum.h>

int main(void)
{
    return ras_format_at(0) ? 0 : 2;
}
