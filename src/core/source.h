/* source.h - the addressable bytes of a trace: one or more parts.
 *
 * A part is a file, memory, a spooled pipe, or what a gzip or zstd wrapping
 * inflates to. Parts of a directory are found by name and loaded on demand. */
#ifndef CORE_SOURCE_H
#define CORE_SOURCE_H

#include "base/private_api.h"
#include "core/unpacked.h"

struct source;

/* How a part is wrapped, and whether the wrapping itself is whole. */
struct wrapping {
    const char *name;          /* "gzip", "zstd", or NULL */
    enum ras_ending_kind kind; /* RAS_UNSEALED: it ends between two blocks of a frame */
    bool trailing;             /* whole, but foreign bytes follow the last member */
    uint64_t offset;           /* stored byte at which it breaks off */
    const char *why;
    uint64_t members;
    uint64_t end;   /* stored byte after the last whole zstd frame; padding may follow */
    uint64_t whole; /* damaged: all bytes that there would be, by an index; 0: not known */
};

/* A segment of a recording: part 0 has the whole records of all of them, see segments.h. */
struct source_segment {
    const char *name; /* below the directory */
    size_t stem;      /* bytes of the name before its number */
    uint64_t number;
    bool first;            /* of a recording */
    uint64_t missing;      /* numbers between that of the segment before and its own */
    uint64_t offset, size; /* of its bytes in part 0 */
    uint64_t lost;         /* bytes after them that are not whole, and left out */
    uint64_t stored;       /* bytes of the file */
    const char *wrapping;  /* NULL: none */
    enum ras_ending_kind kind;
    char why[160]; /* unless it is complete */
};

/* ---- for core: opening and growing ------------------------------------ */

int source_open_path(struct source **, const char *path, const struct ras_options *,
                     const struct ras_limits *, struct ras_error *);
int source_open_fd(struct source **, int fd, const struct ras_options *, const struct ras_limits *,
                   struct ras_error *);
int source_open_memory(struct source **, const void *, size_t, const struct ras_options *,
                       const struct ras_limits *, struct ras_error *);
int source_open_parts(struct source **, const struct ras_part *, size_t, const struct ras_options *,
                      const struct ras_limits *, struct ras_error *);
void source_close(struct source *);
/* Memory: `size` bytes are there now, `more` may follow. */
int source_set_memory(struct source *, size_t size, bool more, struct ras_error *);
/* Wait for new bytes: RAS_OK, RAS_WAIT (none in time) or RAS_END (no more can come). */
int source_wait(struct source *, int timeout_ms, struct ras_error *);
/* The last wait ended because a signal came. */
bool source_interrupted(const struct source *);
/* Waiting can bring more bytes: not so for memory, which its owner fills. */
bool source_waits(const struct source *);
/* Counts up whenever bytes were added or moved; the counter stays where it is. */
const uint64_t *source_generation(const struct source *);
/* A file or directory that another process may still append to. */
bool source_can_grow(const struct source *);
/* A pipe still open, memory still filled: the bytes to come are not at hand. */
bool source_arriving(const struct source *);
/* Compressed bytes are at hand that are not inflated yet. */
bool source_pending(const struct source *);
/* Inflate some more of them: RAS_OK, or why that cannot be done, each time it is called. */
int source_inflate(struct source *, struct ras_error *);
/* N more (or fewer) readers hold pointers into the bytes, which must stay valid although others
 * inflate more: the cursors, each with its last record. */
void source_hold(struct source *, int more);
/* A reader is about to drop its pointers: if it was the only one, old places are given up. */
void source_let_go(struct source *);
/* Inflate the rest. Code that reads the bytes without a cursor calls this first. */
int source_whole(struct source *, struct ras_error *);
/* Load a part if need be, so far as source_arrived() shows it. */
int source_enter(struct source *, size_t part, struct ras_error *);

/* A plain file on a server is spread from now on, unless all of it has come: its driver calls
 * source_need() for all that it reads of source_arrived(). */
int source_spread(struct source *, struct ras_error *);
/* Why bytes could not be fetched, each time it is called; RAS_OK: nothing is wrong. */
int source_fault(const struct source *, struct ras_error *);

/* The segments in a directory become part 0, the only one; the source is not a directory any more.
 */
struct segment_ops;
int source_join(struct source *, const struct segment_ops *, struct ras_error *);

/* ---- for drivers ------------------------------------------------------- */

/* Of a joined source; NULL of any other. They stay until it grows. */
const struct source_segment *source_segments(const struct source *, size_t *count);

size_t source_count(const struct source *);
bool source_is_dir(const struct source *);
/* It is on a server, so that its name is no path. */
bool source_is_remote(const struct source *);
/* Its bytes are fetched where source_need() says, not in order. */
bool source_is_spread(const struct source *);
/* Where decisions are reported; NULL: nowhere. */
const struct ras_debug *source_debug(const struct source *);
/* A directory below that cannot be listed: permission denied. NULL: none. */
const char *source_unlisted(const struct source *);
/* Path below the directory, "" for a lone file. */
const char *source_name(const struct source *, size_t part);
/* The first part of that name. False: there is none. */
bool source_find(const struct source *, const char *name, size_t *part);
/* A file of a directory that is not part of the trace: its bytes do not count. */
void source_leave_out(struct source *, size_t part);
/* The same, but a copy of the whole takes it along. */
void source_carry(struct source *, size_t part);
bool source_is_carried(const struct source *, size_t part);
/* Left out, and not taken along either. */
bool source_is_foreign(const struct source *, size_t part);
/* Stored bytes, before inflating, without loading it; 0 when left out. */
uint64_t source_stored(const struct source *, size_t part);
/* Its bytes without wrapping, which is known once it is loaded; 0 when left out. */
uint64_t source_size(const struct source *, size_t part);
/* Of all parts before `part`; with source_count() of all. */
uint64_t source_size_before(const struct source *, size_t part);
/* Load a part if need be, all of it. */
int source_load(struct source *, size_t part, struct ras_error *);
/* Load a part again when another file takes its name while the source is followed;
 * source_edition() counts up each time. */
void source_by_name(struct source *, size_t part);
uint64_t source_edition(const struct source *, size_t part);
/* The bytes of a loaded part; they move when the source grows. A compressed part is inflated to
 * its end for it; where that fails source_whole() says why. */
PRIVATE_API struct ras_bytes source_bytes(const struct source *, size_t part);
/* How many they are, without decompressing or fetching them where that is known. */
uint64_t source_length(const struct source *, size_t part);
/* Random access to a compressed part of a directory that has an index, and to a spread one:
 * source_arrived() has the addresses of all its bytes, and only those that are needed are
 * decompressed or fetched. They stay as long as the pin, or without one as long as the source. Any
 * other part has all its bytes anyway. RAS_EFORMAT: the part is damaged, and is shorter now; the
 * generation counts up. A failure of a server is that of the step or open, whatever these return.
 */
struct source_pin {
    size_t part;
    struct unpacked_pin frames;
};
bool source_is_framed(const struct source *, size_t part);
int source_need(struct source *, size_t part, uint64_t from, uint64_t to, struct source_pin *,
                struct ras_error *) RAS_CHECKED;
void source_unpin(struct source *, struct source_pin *);
/* Leave damaged frames out of such a part, as unpacked_close_holes() does; the generation counts
 * up. RAS_END: it has no index, no damage, or a frame whose bytes are not units. */
int source_close_holes(struct source *, size_t part, uint64_t head, uint64_t unit,
                       struct unpacked_hole *, struct ras_error *);
/* The same, without those that are not inflated yet: for open, and for cursors, whose steps are
 * repeated when there are more. */
struct ras_bytes source_arrived(const struct source *, size_t part);
/* How a loaded part is wrapped. */
const struct wrapping *source_wrapping(const struct source *, size_t part);
/* More bytes are to come: a pipe still open, memory still filled, some not inflated yet. */
bool source_growing(const struct source *);
#endif
