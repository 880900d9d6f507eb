/* dl.c - modules that come and go while the program runs. */
#include "hooks/hooks.h"

#include <dlfcn.h>

/* Another module may be loaded where this one was: its functions are others. */
HOOK int dlclose(void *handle)
{
    static int (*real)(void *);
    if (!real)
        hooks_next(&real, "dlclose", "libc.so.6");
    int status = real(handle);
    loaded_sweep();
    return status;
}
