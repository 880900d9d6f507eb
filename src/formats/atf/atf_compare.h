/* atf_compare.h - compares two sessions call by call: declarations for its files. */
#ifndef ATF_COMPARE_H
#define ATF_COMPARE_H

#include "core/document.h"
#include "formats/atf/atf_driver.h"
#include "ops/compare/align_walk.h"
#include "ops/compare/place_walk.h"

/* A thread of one of the two sessions. */
struct call_side {
    struct ras_atf_session *session;
    size_t thread;
    struct atf_thread *t;
    const struct atf_process *process;
    const uint8_t *events;
    uint64_t all; /* number of its events */
    bool cut;     /* more may have followed: its index was cut or damaged, or its process killed */
    uint64_t count;              /* events up to the end of the span that is compared ... */
    bool lost;                   /* ... which is where the index was cut */
    uint64_t at;                 /* index_seq of the current event */
    struct atf_hint hint;        /* into its details */
    struct ras_atf_stack *stack; /* calls that are open ... */
    uint64_t stacked;            /* ... before this event */
};

/* Two functions, and whether they are the same. */
struct call_pair {
    uint64_t a, b;
    bool known, same;
};
enum { CALL_PAIRS = 1024 };

/* The key by which a thread is found in the other session. */
struct atf_pairing {
    size_t thread;
    const char *path; /* NULL: by its number */
    uint32_t id;
};

/* The current thread of a session, and the number of its process. */
struct thread_place {
    size_t next, thread, process;
};

/* The differences of two paired events. */
struct call_diff {
    struct ras_atf_index_event x, y;
    bool function, depth, kind, thread;
};

/* Blocks of the heap by number, in the order in which a side names them first: a hash table. */
struct atf_number {
    uint64_t word, number; /* 0: free */
};
struct atf_numbers {
    struct atf_number *rows;
    size_t count, room;
};

struct atf_compare {
    struct compare *c;
    struct call_side side[2];
    struct align_walk walk;
    uint64_t base[2];      /* index_seq of the first events that are being aligned */
    struct call_diff pair; /* the pair that was put last */
    struct cells cells;    /* of the record that is being put */
    bool names;            /* both manifests have symbols */
    bool no_details, no_depth, no_function; /* --ignore */
    bool normalise;                         /* addresses in details, by what they lead to */
    bool numbered;                          /* those of the heap by number */
    struct atf_numbers blocks[2];
    uint64_t passed, total; /* bytes, for progress */
    struct call_pair pairs[CALL_PAIRS];
    struct atf_pairing *pairing[2]; /* threads, in the order that both sides share */
    struct thread_place place[2];
    bool numbers; /* some are paired by number */
};

static inline struct ras_atf_index_event call_at(const struct call_side *s, uint64_t seq)
{
    return atf_event(s->events + seq * RAS_ATF_INDEX_EVENT_SIZE);
}

/* RETURN and EXCEPTION end a call; other kinds do not. */
static inline bool call_ends(const struct ras_atf_index_event *e)
{
    return e->event_kind == RAS_ATF_RETURN || e->event_kind == RAS_ATF_EXCEPTION;
}

/* Two events, without their times and details. */
bool atf_same_call(struct atf_compare *, uint64_t a, uint64_t b);
/* A number that calls which are the same have in common. */
uint32_t atf_call_key(const struct atf_compare *, int side, uint64_t seq);
bool atf_same_payload(struct atf_compare *, const struct ras_atf_detail_event *a,
                      const struct ras_atf_detail_event *b);
/* How many of the next events are the same, up to `count` of them. */
uint64_t atf_same_run(struct atf_compare *, uint64_t count);

/* atf_compare_calls.c: see struct align_walk_ops. Events count from the comparison's base. */
bool atf_calls_similar(void *user, size_t a, size_t b);
int atf_put_pair(void *user, size_t a, size_t b, struct document *, size_t *rows,
                 struct ras_error *);
int atf_report_pair(void *user, size_t a, size_t b, size_t detail);
int atf_report_one_sided(void *user, const struct align_hunk *, uint64_t room, struct ras_error *);
int atf_report_rest(void *user, int side, struct ras_error *);
/* A thread that one of the two sides lacks. */
int atf_report_thread(struct atf_compare *, int side, size_t thread);
/* Details of threads that have no index, same or different at `seq`. */
int atf_report_detail(struct atf_compare *, uint64_t seq, const struct ras_atf_detail_event *a,
                      const struct ras_atf_detail_event *b);

/* atf_places.c: an address as a place in a module or from the base of a stack, "heap" or, with
 * numbers, "heap#17", else the word itself. Returns its length. */
enum { ATF_PLACE_TEXT = 80 };
int atf_put_place(const struct atf_manifest *, struct atf_numbers *, uint64_t word,
                  char text[ATF_PLACE_TEXT]);
void atf_numbers_free(struct atf_numbers *);

/* atf_profile.c: counts and times of functions, as a table of the report. */
int atf_profile(struct compare *, struct ras_error *);
#endif
