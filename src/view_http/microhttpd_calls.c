/* microhttpd_calls.c - find libmicrohttpd and its functions. */
#include "view_http/microhttpd_calls.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define LIBRARY "libmicrohttpd.so.12"

struct microhttpd_calls mhd;

static const struct {
    const char *name;
    size_t offset;
} mhd_wanted[] = {
#define MICROHTTPD_ROW(name) {"MHD_" #name, offsetof(struct microhttpd_calls, name)},
    MICROHTTPD_CALLS(MICROHTTPD_ROW)
#undef MICROHTTPD_ROW
};

bool microhttpd_load(char *why, size_t room)
{
    void *library = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL);
    if (!library) {
        snprintf(why, room, "%s cannot be loaded: install it (Debian's package libmicrohttpd12)",
                 LIBRARY);
        return false;
    }
    for (size_t i = 0; i < sizeof mhd_wanted / sizeof *mhd_wanted; i++) {
        void *found = dlsym(library, mhd_wanted[i].name);
        if (!found) {
            snprintf(why, room, "%s has no function %s: version 0.9.75 or later is needed", LIBRARY,
                     mhd_wanted[i].name);
            return false;
        }
        memcpy((char *)&mhd + mhd_wanted[i].offset, &found, sizeof found);
    }
    return true;
}
