/* flight.h - a flight recorder: lanes keep the last events, triggers have windows stored. */
#ifndef RECORD_FLIGHT_H
#define RECORD_FLIGHT_H

#include <rastrum/record.h>

/* Memory for what a flight recorder takes out of its rings before a window wants it: queues of
 * bytes in chunks of one size, which all queues share. Only the drain uses it. */
enum { HISTORY_CHUNK = (256 << 10) + 4096, HISTORY_HEAD = 64 };

struct history_chunk {
    struct history_chunk *next;
    size_t from, to; /* the bytes that are in use, counted from the chunk's beginning */
};

struct history {
    struct history_chunk *first, *last;
};

/* The chunks of all queues. */
struct history_pool {
    struct history_chunk *spare;
    uint64_t bytes; /* in queues */
};

/* Triggers that wait for the drain; and events of the thread that crashed that are stored even if
 * they are older than the window. */
enum { TRIGGERS_WAITING = 16, CRASH_EVENTS = 256 };

struct trigger {
    uint64_t time_ns, function_id;
    uint32_t kind; /* enum ras_record_trigger */
    uint32_t ready;
};

/* A stretch of time that is stored. */
struct window {
    uint64_t from_ns, until_ns;
    uint64_t whole_ns; /* from here on no thread's events had to make room before it was opened */
    struct trigger by; /* the first that opened it */
};

struct flight {
    struct trigger waiting[TRIGGERS_WAITING]; /* pulled, not yet seen by the drain */
    uint32_t trigger_count;
    uint64_t late_ns; /* of the last trigger that found no room to wait in; 0: none */
    uint64_t due_ns;  /* of a trigger by time; 0: none */
    bool open;
    uint64_t gone_ns;   /* of the newest event that was given up before a window wanted it */
    uint64_t stored_ns; /* of the newest event that was stored */
    uint64_t pass_ns;   /* when the drain's last pass began */
    struct history_pool pool;
    /* Lanes of threads that have ended, oldest first: a window may still reach back to them. */
    struct lane *ended, *ended_last;
    uint64_t ended_bytes;
    struct window window;
    struct window *windows; /* those before */
    size_t count, room;
};

struct lane;
/* Any thread, any signal handler: events around this moment are wanted. */
void flight_trigger(enum ras_record_trigger kind, uint64_t time_ns, uint64_t function_id);
/* The drain, at the beginning and the end of a pass. */
void flight_take_triggers(uint64_t now_ns);
void flight_end_pass(uint64_t now_ns);
/* The recording is over: what a crash has pulled, and every trigger that is still in a lane. */
void flight_finish_triggers(uint64_t now_ns);
void flight_finish_windows(uint64_t now_ns);
/* What the lane has: look for triggers in it, store what lies in the window, give up what
 * is too old. `last`: give up all that is left. True when there was anything new. */
bool flight_drain(struct lane *, bool last);
/* Forget what its history holds. */
void flight_clear(struct lane *);
/* Look for triggers in what is new. */
void flight_search(struct lane *);
/* Forget what the last recording left. */
void flight_reset(void);
/* The lane of a thread that has ended is kept; lanes that no window can reach back to, or that
 * there is no room for, are closed. */
void flight_keep(struct lane *);
void flight_retire(uint64_t now_ns);
void flight_forget_ended(void);
#endif
