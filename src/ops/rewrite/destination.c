/* destination.c - where a new trace goes: the caller's sink or folder, or one made here. */
#include "ops/rewrite/destination.h"
#include "base/error.h"

int destination_open(struct destination *d, bool to_folder, struct ras_sink *sink,
                     struct ras_folder *folder, const char *path, bool replace,
                     struct ras_error *err)
{
    *d = (struct destination){sink, folder, !sink && !folder};
    if (to_folder ? sink != NULL : folder != NULL)
        return fail(err, RAS_EUSAGE, RAS_NONE, "a %s cannot be written to a %s",
                    to_folder ? "directory" : "file", to_folder ? "stream" : "folder");
    if (!d->made)
        return RAS_OK;
    return to_folder ? ras_folder_open(&d->folder, path, replace, err)
                     : ras_sink_trace(&d->sink, path, replace, err);
}

int destination_close(struct destination *d, int status, struct ras_error *err)
{
    if (!d->made)
        return status;
    if (status == RAS_OK && d->folder)
        return ras_folder_close(d->folder, err);
    if (status == RAS_OK)
        return ras_sink_close(d->sink, err);
    ras_folder_drop(d->folder);
    ras_sink_drop(d->sink);
    return status;
}
