/* source.h - the addressable bytes of a trace: one or more parts.
 *
 * A part is a file, memory, a spooled pipe, or what a gzip or zstd wrapping
 * inflates to. Parts of a directory are found by name and loaded when asked. */
#ifndef CORE_SOURCE_H
#define CORE_SOURCE_H

#include <rastrum/rastrum.h>

struct source;

/* How a part is wrapped, and whether the wrapping itself is whole. */
struct wrapping {
    const char *name;          /* "gzip", "zstd", or NULL */
    enum ras_ending_kind kind; /* RAS_COMPLETE, RAS_CUT, RAS_DAMAGED */
    uint64_t offset;           /* stored byte at which it breaks off */
    const char *why;
    uint64_t members;
};

size_t source_count(const struct source *);
bool source_is_dir(const struct source *);
/* Path below the directory, "" for a lone file. */
const char *source_name(const struct source *, size_t part);
/* Index of the part of that name, or -1. */
int64_t source_find(const struct source *, const char *name);
/* Stored bytes, before inflating, without loading it. */
uint64_t source_stored(const struct source *, size_t part);
/* Load a part if need be. */
int source_load(struct source *, size_t part, struct ras_error *);
/* The bytes of a loaded part; they move when the source grows. */
struct ras_bytes source_bytes(const struct source *, size_t part);
/* How a loaded part is wrapped. */
const struct wrapping *source_wrapping(const struct source *, size_t part);
/* More bytes may come. */
bool source_growing(const struct source *);
#endif
