/* assets.c - find a file of the viewer by the path of a request. */
#include "view_http/assets.h"

#include <string.h>

const struct asset *asset_of(const char *path)
{
    if (*path != '/')
        return NULL;
    const char *name = path[1] ? path + 1 : "index.html";
    for (const struct asset *a = assets; a->name; a++)
        if (!strcmp(a->name, name))
            return a;
    return NULL;
}
