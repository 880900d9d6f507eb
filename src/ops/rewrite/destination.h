/* destination.h - where a new trace goes: the caller's sink or folder, or one made here. */
#ifndef OPS_REWRITE_DESTINATION_H
#define OPS_REWRITE_DESTINATION_H

#include <rastrum/rastrum.h>

struct destination {
    struct ras_sink *sink;
    struct ras_folder *folder; /* one of the two, once it is open */
    bool made;                 /* here, so closed here */
};

/* Take what the caller gave, or make a file or directory at `path`. */
int destination_open(struct destination *, bool to_folder, struct ras_sink *, struct ras_folder *,
                     const char *path, bool replace, struct ras_error *);
/* Publish what was made if `status` is RAS_OK, else leave nothing of it; the status. */
int destination_close(struct destination *, int status, struct ras_error *);
#endif
