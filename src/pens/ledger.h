/* ledger.h - what a program hands over, until the pens' thread has written it.
 *
 * A ring of notes, in the order of the calls. The program's threads only copy into it; the pens'
 * thread takes notes out, and says when all that came before a place is in the files. A durable
 * ledger is a mapped file: what it holds outlives a killed process, and repair writes it.
 *
 * The file is one page, struct stage, and the ring. Numbers are those of the machine. */
#ifndef PENS_LEDGER_H
#define PENS_LEDGER_H

#include "base/thread.h"
#include <rastrum/pens.h>

enum note_kind {
    NOTE_PAD, /* up to the end of the ring */
    NOTE_TICK,
    NOTE_SETTLED,
    NOTE_END, /* of the last tick: no more follow */
    NOTE_INPUT,
    NOTE_COMMAND,
    NOTE_STATE,
    NOTE_BYTES,
    NOTE_INT,
    NOTE_REAL,
    NOTE_TEXT,
    NOTE_SNAPSHOT,
    NOTE_DRAW,
    NOTE_ENTITY,
    NOTE_PLAYER,
    NOTE_ROW,
    NOTE_EVENT_TYPE,
    NOTE_EVENT,
    NOTE_SPAN,
    NOTE_PIXELS,
    NOTE_COMMANDS,
    NOTE_KINDS,
};

/* ---- what notes hold: one of these, then bytes ----------------------------------------------- */

struct tick_note {
    uint64_t tick, time_ns;
};
struct input_note {
    uint32_t type;
};
struct command_note {
    uint8_t payload_type, priority_class, has_source_id, has_source_seq;
    uint64_t source_id, source_seq, expires_after_tick;
};
/* NOTE_STATE, NOTE_BYTES, NOTE_INT, NOTE_REAL, NOTE_TEXT: then the name, then bytes or text. */
struct state_note {
    uint64_t index, size; /* size: of the state, or of what follows the name */
    uint64_t word;        /* its hash, or a value's bits */
    uint32_t name_len;
};
struct draw_note {
    uint32_t thread, caller, value, before, after;
};
struct player_note {
    uint32_t index;
    double x, y, health;
    int64_t experience, level;
};
struct event_note {
    uint32_t type;
    uint32_t count; /* values, each a struct value_note and its bytes */
    uint64_t time_ns;
};
struct value_note {
    uint32_t type, len; /* len: bytes that follow, a multiple of 8 with padding */
    uint64_t word;
};
struct type_note {
    uint32_t type, count; /* fields: each a byte of type, then its name with its NUL */
    uint32_t has_timestamp;
};
struct span_note {
    uint64_t time_ns, duration_ns;
};
struct picture_note {
    uint32_t format, width, height;
};

struct note {
    enum note_kind kind;
    const uint8_t *at;
    size_t size;
};
/* A piece of a note; bytes may be NULL where len is 0. */
struct piece {
    const void *at;
    size_t len;
};

/* ---- the file of a durable ledger ------------------------------------------------------------ */

enum { STAGE_FILES = 4, STAGE_PAGE = 4096 };
#define STAGE_MAGIC UINT64_C(0x31534e4550534152) /* "RASPENS1" */

/* The files have all ticks up to `tick`, when they had these sizes; notes from `from` on are not
 * in them. */
struct stage_saved {
    uint64_t from, tick; /* RAS_NONE: none */
    uint64_t sizes[STAGE_FILES];
};
struct stage {
    uint64_t magic, ring_bytes;
    uint64_t head;    /* of all notes, published last */
    uint64_t current; /* which of `saved` holds: stored after it */
    struct stage_saved saved[2];
};
_Static_assert(sizeof(struct stage) <= STAGE_PAGE, "it is the first page");

/* ---- the ring -------------------------------------------------------------------------------- */

struct ledger {
    struct os_mutex lock;
    struct os_condition room, work; /* for the program, for the pens' thread */
    uint8_t *map;                   /* the page and the ring */
    uint64_t size;                  /* of the ring */
    uint64_t head, read, saved;
    uint64_t wanted; /* bytes that a thread of the program waits for */
    struct stage *stage;
    int dir, fd; /* of a durable one, else -1 */
    bool stopped;
    bool flush;  /* requested */
    bool asleep; /* the pens' thread waits for work */
    uint64_t flushes;
};

/* `dir`: of a durable one, an open directory; -1: in memory. */
int ledger_open(struct ledger *, int dir, struct ras_error *);
void ledger_free(struct ledger *);
/* Publish a note of several pieces. False: the ledger is stopped. */
bool ledger_put(struct ledger *, enum note_kind, const struct piece *, size_t count);

/* For the pens' thread. The next note, which stays until ledger_took(); false: there is none. */
bool ledger_next(struct ledger *, struct note *);
void ledger_took(struct ledger *);
/* Notes before `from` are not needed any more; of a durable ledger, since files have them. */
void ledger_save(struct ledger *, const struct stage_saved *);
/* Wait for a note, a request or a timeout. */
void ledger_wait(struct ledger *, unsigned ms);
/* Where a thread waits for room that saving cannot give: a larger ring. */
int ledger_grow(struct ledger *, struct ras_error *);
bool ledger_is_short(struct ledger *);
/* No more notes are taken: those that wait are woken. */
void ledger_stop(struct ledger *);

/* ---- reading a file ----------------------------------------------------------------------------
 */

/* The notes of a file that were not saved. The bytes stay the caller's. RAS_EFORMAT: it is not the
 * file of a ledger. */
struct ledger_scan {
    const uint8_t *ring;
    uint64_t size, at, head;
    struct stage_saved saved;
};
int ledger_scan(struct ledger_scan *, struct ras_bytes file, struct ras_error *);
/* False: there are no more, or what follows is not a note. */
bool ledger_scan_next(struct ledger_scan *, struct note *);
#endif
