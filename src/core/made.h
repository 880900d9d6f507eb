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

/* The list that an export leaves in a directory: {"export_version","to","files":[{"name",
 * "size_bytes"}]}. It is hidden, because readers of some formats take every other file for data. */
#define MADE_EXPORT ".rastrum-export.json"

/* Traces and runs replace each other, and exports other exports. */
enum made_kind { MADE_TRACES, MADE_EXPORTS };

/* The bits of enum ras_sink_flags that callers give. RAS_EUSAGE: others are among them. */
int made_flags(unsigned flags, bool *replace, struct ras_error *);

/* Everything below a directory, hidden files included, each of which was proven to be ours. */
struct made;
/* RAS_EUSAGE, naming the first file that is not proven: nothing may be removed then. */
int made_open(struct made **, const char *path, enum made_kind, struct ras_error *);
/* Remove what was proven, in the directory of now this name. What came meanwhile stays and is
 * RAS_EIO. */
int made_remove(const struct made *, const char *path, struct ras_error *);
void made_free(struct made *);
#endif
