/* part.h - one part of a source: loading, growing, decompressing. */
#ifndef CORE_PART_H
#define CORE_PART_H

#include "base/spool.h"
#include "codec/inflate.h"
#include "core/pages.h"
#include "core/source.h"
#include "core/unpacked.h"
#include "remote/remote.h"

/* Files from this size on are mapped, smaller ones read: see
 * docs/decisions/0001-map-from-one-megabyte.md. */
#define PART_MAP_SIZE ((uint64_t)1 << 20)

struct part {
    char *name;
    int fd;               /* open file + 1; 0: none */
    uint64_t stored;      /* bytes on disk, or so far from the pipe */
    struct ras_bytes raw; /* as stored */
    size_t mapped;        /* length of the mapping of raw; 0: not mapped */
    bool borrowed;        /* raw belongs to the caller */
    struct spool spool;   /* what came through a pipe, or was read */
    bool loaded;
    bool by_name;     /* whatever file bears its name, also another than was opened */
    uint64_t edition; /* counts up whenever another file was opened */
    bool foreign;     /* lies in the directory, but is not part of the trace */
    bool carried;     /* the same, but goes along where all of it is copied */
    struct wrapping wrap;
    struct inflate *inflate;
    uint64_t inflated_from; /* stored bytes given to the inflater */
    bool closed;            /* no more stored bytes will come */
    bool pending;           /* wrapped: some of the stored bytes are not inflated yet */
    struct spool view;      /* inflated bytes, when wrapped */
    uint8_t *held;          /* inflated too, of a frame that may turn out to be damaged */
    size_t held_count, held_room;
    bool eager;                /* `view` has them at once: somebody waits for every byte */
    bool joined;               /* `view` has the bytes of all segments, see join.h */
    bool by_frames;            /* decompress frames when they are needed, if there is an index */
    struct unpacked *unpacked; /* instead of inflate and view */
    struct remote *remote;     /* on a server: the spool has its first bytes; NULL: a file */
    struct pages *pages;       /* of it, instead of the spool */
    char damage[192];          /* of the wrapping, with how much is lost */
    char broken_off[80];       /* why fewer bytes came than the server announced; empty: all did */
    uint64_t window;           /* how many bytes the next request for more brings */
};

/* Take the bytes of an open file of `size`; mapped when large or `live`. */
int part_load_file(struct part *, uint64_t size, bool live, struct ras_error *);
/* Take the bytes of the i-th file of a directory. */
struct directory;
int part_load_listed(struct part *, const struct directory *, size_t i, bool live,
                     struct ras_error *);
/* Take the first bytes of a URL. */
int part_load_url(struct part *, const char *url, const struct ras_options *, struct ras_error *);
/* Fetch the next bytes of it, each time more of them. */
int part_fetch(struct part *, const struct ras_limits *, struct ras_error *);
/* From now on its bytes are fetched where they are needed, not in order. */
int part_spread(struct part *, struct ras_error *);
/* Some are on the server yet, and come in order. */
bool part_is_arriving(const struct part *);
/* The file has grown to `size`. */
int part_grow_file(struct part *, uint64_t size, struct ras_error *);
/* raw has grown, or `closed`: detect wrapping, inflate a first step of what is new. */
int part_unwrap(struct part *, bool closed, const struct ras_limits *, struct ras_error *);
/* Note what is known of the frames of the wrapping. */
void part_note_frames(struct part *);
/* Inflate one step more of what is pending. */
int part_inflate(struct part *, const struct ras_limits *, struct ras_error *);
/* Let go of the bytes and the file; the name stays. */
void part_unload(struct part *);
struct ras_bytes part_bytes(const struct part *);
void part_free(struct part *);
/* Report how it was loaded. */
void part_report(const struct part *, const struct ras_debug *);
#endif
