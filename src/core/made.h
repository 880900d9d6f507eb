/* made.h - what of the file system this program made itself, and may therefore replace. */
#ifndef CORE_MADE_H
#define CORE_MADE_H

#include <rastrum/rastrum.h>

/* A kind of file that a format's writers and recorders put into a directory. */
struct made_file {
    const char *name;   /* its last component */
    const char *begins; /* with this; NULL: anything */
    const char *holds;  /* this text within its first 4 KiB; NULL: anything */
};

/* Everything below a directory, hidden files included, each of which was proven to be ours. */
struct made;
/* RAS_EUSAGE, naming the first file that is not proven: nothing may be removed then. */
int made_open(struct made **, const char *path, struct ras_error *);
/* Remove what was proven, in the directory of now this name. What came meanwhile stays and is
 * RAS_EIO. */
int made_remove(const struct made *, const char *path, struct ras_error *);
void made_free(struct made *);
#endif
