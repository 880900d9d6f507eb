/* struct_size.c - option structs of callers that were compiled against this version of the library
 * or another. */
#include "base/struct_size.h"
#include "base/error.h"

#include <string.h>

const void *options_take(void *copy, size_t size, size_t first, const void *given,
                         struct ras_error *err)
{
    size_t own = 0;
    memset(copy, 0, size);
    if (!given)
        return copy;
    memcpy(&own, given, sizeof own);
    if (!own)
        own = first;
    for (size_t i = size; i < own; i++)
        if (((const uint8_t *)given)[i]) {
            fail(err, RAS_EUSAGE, RAS_NONE,
                 "options of %zu bytes, of which this version of librastrum (%s) knows %zu", own,
                 RASTRUM_VERSION, size);
            return NULL;
        }
    memcpy(copy, given, own < size ? own : size);
    return copy;
}
