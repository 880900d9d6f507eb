/* atf_session.h - the threads of a session and their files. */
#ifndef ATF_SESSION_H
#define ATF_SESSION_H

#include "base/id_table.h"
#include "core/source.h"
#include "formats/atf/atf_file.h"
#include "formats/atf/atf_manifest.h"

/* One of the two files of a thread. */
struct atf_thread_file {
    int64_t part;        /* -1: there is no such file */
    bool loaded;         /* status and error are valid for `generation` */
    int status;          /* RAS_OK: can be read */
    uint64_t generation; /* of the source, when it was loaded */
    struct ras_error error;
};

/* The timestamps of an index, seen in one pass and remembered. */
struct atf_times {
    uint64_t seen; /* events read so far */
    uint64_t min, max, last;
    uint64_t back; /* index_seq of the first step back; RAS_NONE: sorted */
};

/* The result of walking the details once. */
struct atf_walk {
    bool done;
    uint64_t generation; /* of the source, at that time */
    uint64_t count;
    uint64_t end;  /* after the last complete one */
    uint64_t last; /* timestamp of the last */
    bool back;     /* one steps back in time */
};

struct atf_thread {
    char *dir; /* of its files, below the source */
    size_t dir_len;
    size_t process;
    bool numbered; /* the directory is called thread_N */
    uint32_t thread_id, stream;
    struct atf_thread_file index_file, detail_file;
    int64_t ring_part; /* lane.ring of a durable recording; -1: none */
    struct ras_atf_index_file index;
    struct ras_atf_detail_file detail;
    struct atf_times times;
    struct atf_walk walk;
    /* Where each detail begins, for access by detail_seq; built when first needed. */
    uint64_t *detail_at;
    size_t detail_count, detail_room;
    uint64_t detail_end; /* where that walk stopped; 0: not begun */
    uint64_t detail_generation;
};

/* The directory above the thread folders: one traced process. */
struct atf_process {
    char *dir;
    size_t dir_len;
    const char *name;              /* its last component */
    size_t thread_from, thread_to; /* its threads are among these */
    int64_t manifest_part;
    uint64_t manifest_edition; /* the one that was parsed */
    int manifest_status;
    struct ras_error manifest_error;
    struct atf_manifest manifest;
};

/* A drop that a manifest counts, and the index of the thread that it is reported with. */
struct atf_owned_drop {
    size_t thread, drop;
};

struct ras_atf_session {
    struct source *source;
    struct ras_limits limits;
    struct source_pin pin; /* for reading events one by one */
    struct atf_thread *threads;
    size_t thread_count, thread_room;
    struct id_table ids; /* process and thread_id: the first thread that has them */
    struct atf_process *processes;
    size_t process_count, process_room;
    struct id_table by_dir;       /* hash of a directory: its process */
    size_t part_count;            /* of the source, when it was last searched */
    bool has_rings;               /* a thread has a lane.ring */
    bool drops_known;             /* valid for these threads and manifests */
    struct atf_owned_drop *drops; /* by thread */
    size_t drop_count, drop_room;
    bool nomem; /* memory was short for a file: some of it is unknown */
};

/* for (FROM_THREAD(session, process, i)): those of the process, and perhaps some of others. */
#define FROM_THREAD(s, process, i)                                                                 \
    size_t i = (s)->processes[process].thread_from;                                                \
    i < (s)->processes[process].thread_to;                                                         \
    i++

/* Whether a file manifest.json is that of a session without threads which is not being written. */
bool atf_is_session_of_none(struct source *, size_t part);
/* Find the threads of a source and parse their index files. RAS_ECUT when none of them has a
 * complete header yet. */
int atf_session_init(struct ras_atf_session *, struct source *, const struct ras_limits *,
                     struct ras_error *);
void atf_session_free(struct ras_atf_session *);
/* Threads that have appeared since are added after the others. */
int atf_session_refresh(struct ras_atf_session *, struct ras_error *);

/* The thread of a process with this number; NULL: it has no file. */
struct atf_thread *atf_thread_find(const struct ras_atf_session *, size_t process, uint32_t id);

/* Load and parse a file, again when the source has changed. True: can be read. */
bool atf_index_ready(struct ras_atf_session *, struct atf_thread *);
bool atf_detail_ready(struct ras_atf_session *, struct atf_thread *);

/* Path of its creators, from its manifest; NULL: not known. */
const char *atf_thread_path(const struct ras_atf_session *, const struct atf_thread *);
/* The process that recorded the events of ras_event() in a part. */
size_t atf_session_carrier(struct ras_atf_session *, size_t part);
/* How many events of ras_event() the recorder stored in a part; RAS_NONE: not known. */
uint64_t atf_session_carried(struct ras_atf_session *, size_t part);
/* How many of them a process stored although no part has them; 0: none that is known. */
uint64_t atf_session_events_lost(struct ras_atf_session *, size_t process);
/* Its name given by the program or the system; NULL: not known. */
const char *atf_thread_name(const struct ras_atf_session *, const struct atf_thread *);

/* The events of an index that is ready: all are decompressed. Where that shows damage there are
 * fewer than before: read t->index.count after this. */
const uint8_t *atf_events(struct ras_atf_session *, struct atf_thread *);
/* The same, but only those from `from` to `to` can be read, as long as the pin is theirs. NULL:
 * they are damaged, and the index has fewer events now. */
const uint8_t *atf_some_events(struct ras_atf_session *, struct atf_thread *, uint64_t from,
                               uint64_t to, struct source_pin *);
/* How many events after `from` to read at once: all, unless they are decompressed for it. */
uint64_t atf_window(const struct ras_atf_session *, const struct atf_thread *, uint64_t from,
                    uint64_t to);

/* Read timestamps not seen so far. The index must be ready. */
const struct atf_times *atf_times(struct ras_atf_session *, struct atf_thread *);
/* The first event at or after `time_ns` of a sorted index; its count when none is. */
uint64_t atf_time_place(struct ras_atf_session *, struct atf_thread *, uint64_t time_ns);
/* The positions of `count` events, fewer than 2^32, by time; free() them. NULL: no memory. */
uint32_t *atf_order(const uint8_t *events, uint64_t count);
/* Count the details, remembering the result only. The file must be ready. */
const struct atf_walk *atf_detail_walk(struct ras_atf_session *, struct atf_thread *);
/* The detail that an event links to, by its detail_seq. Links mostly ascend, so the next one is
 * a short walk from the last, which the hint remembers; a zeroed hint is empty. False: it is
 * missing. */
struct atf_hint {
    uint64_t seq, at;
};
bool atf_detail_near(struct ras_atf_session *, size_t thread, struct atf_hint *,
                     uint32_t detail_seq, struct ras_atf_detail_event *);
/* Walk the details and remember where each begins. The file must be ready. */
int atf_detail_table(struct ras_atf_session *, struct atf_thread *, struct ras_error *);

/* atf_segment.c: what a lane had counted before its segment; zeros if it began there. */
struct atf_base {
    uint64_t events, details, stream_events, details_dropped;
    uint64_t dropped[ATF_REASONS_MOST], events_dropped[ATF_REASONS_MOST];
};
/* False: it says nothing of it. */
bool atf_lane_base(struct ras_atf_session *, const struct atf_thread *, struct atf_base *);
/* A file in a directory of the session; "": the top one. */
bool atf_beside(struct ras_atf_session *, const char *dir, size_t dir_len, const char *file,
                struct ras_bytes *);
/* Whether a thread without a lane has none because that goes on in the next segment, or has not
 * come here yet. */
bool atf_lane_is_elsewhere(struct ras_atf_session *, struct atf_thread *);
bool atf_lane_has_not_come(struct ras_atf_session *, struct atf_thread *);

/* A lane whose offsets all lie in its file. Its numbers are those of this segment. */
struct atf_ring {
    struct ras_bytes file;
    struct atf_base base;
    uint32_t thread_id;
    uint64_t head, tail, events_at, capacity;
    uint64_t detail_head, detail_tail, detail_wrap, detail_at, detail_size;
};
/* False: an offset or a number is wrong. `file` and `base` are set by the caller. */
bool atf_ring_open(struct atf_ring *);
/* A number of the lane, at the offset in a field of its header; 0 and not *good: outside the
 * file. */
uint64_t atf_ring_number(struct ras_bytes lane, unsigned field, bool *good);

/* Whether a thread's index was closed by its recorder. */
bool atf_index_sealed(struct ras_atf_session *, struct atf_thread *);

/* The state of a lane compared with the thread's files. */
enum atf_ring_state {
    RING_NONE,    /* the recording is not a durable one, or the index is closed */
    RING_WRITTEN, /* all its events are in the file */
    RING_HOLDS,
    RING_APART,   /* events between the file and the lane are in neither */
    RING_BROKEN,  /* its header is wrong */
    RING_MISSING, /* other threads of the session have one */
};
struct atf_pending {
    enum atf_ring_state state;
    uint64_t events; /* RING_HOLDS, RING_APART: events that are not in the file */
    uint64_t tail;   /* number of the first event in the lane */
    uint64_t bytes;  /* of events of ras_event() */
};
struct atf_pending atf_pending(struct ras_atf_session *, struct atf_thread *);
#endif
