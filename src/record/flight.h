/* flight.h - a flight recorder: lanes keep the last events, triggers store windows of them. */
#ifndef RECORD_FLIGHT_H
#define RECORD_FLIGHT_H

#include <rastrum/record.h>

/* Memory for events that a flight recorder moves out of its rings before a window needs them:
 * queues of bytes in chunks of one size, which all queues share. Only the drain uses it. */
enum { HISTORY_CHUNK = (256 << 10) + 4096, HISTORY_HEAD = 64 };

struct history_chunk {
    struct history_chunk *next;
    size_t from, to; /* the bytes in use, as offsets in the chunk */
};

struct history {
    struct history_chunk *first, *last;
};

/* The chunks of all queues. */
struct history_pool {
    struct history_chunk *spare;
    uint64_t bytes; /* in queues */
};

/* Triggers that wait for the drain; and events of the crashed thread that are stored even if
 * they are older than the window. */
enum { TRIGGERS_WAITING = 16, CRASH_EVENTS = 256 };

struct trigger {
    uint64_t time_ns, function_id;
    uint32_t kind; /* enum ras_record_trigger */
    uint32_t ready;
};

/* A period of time that is stored. */
struct window {
    uint64_t from_ns, until_ns;
    uint64_t whole_ns; /* from here on no event was dropped before the window was opened */
    struct trigger by; /* the first that opened it */
};

struct flight {
    struct trigger waiting[TRIGGERS_WAITING]; /* not yet seen by the drain */
    uint32_t trigger_count;
    uint64_t late_ns; /* time of the last trigger for which there was no room; 0: none */
    uint64_t due_ns;  /* time of a timed trigger; 0: none */
    bool open;
    uint64_t gone_ns;   /* time of the newest event that was dropped before a window needed it */
    uint64_t stored_ns; /* time of the newest event that was stored */
    uint64_t pass_ns;   /* when the drain's last pass began */
    struct history_pool pool;
    /* Lanes of threads that have ended, oldest first: a window may still reach back to them. */
    struct lane *ended, *ended_last;
    uint64_t ended_bytes;
    struct window window;
    struct window *windows; /* the earlier ones */
    size_t count, room;
};

struct lane;
/* Any thread, any signal handler: store the events around this time. */
void flight_trigger(enum ras_record_trigger kind, uint64_t time_ns, uint64_t function_id);
/* The drain, at the beginning and the end of a pass. */
void flight_take_triggers(uint64_t now_ns);
void flight_end_pass(uint64_t now_ns);
/* The recording has ended: handle a crash, and every trigger that is still in a lane. */
void flight_finish_triggers(uint64_t now_ns);
void flight_finish_windows(uint64_t now_ns);
/* Search the lane for triggers, store the events of the window, drop what is too old. `last`:
 * drop all that is left. True: there were new events. */
bool flight_drain(struct lane *, bool last);
/* Clear its history. */
void flight_clear(struct lane *);
/* Search new events for triggers. */
void flight_search(struct lane *);
/* Forget the state of the last recording. */
void flight_reset(void);
/* The lane of a thread that has ended is kept; lanes that no window can reach back to, or that
 * there is no room for, are closed. */
void flight_keep(struct lane *);
void flight_retire(uint64_t now_ns);
void flight_forget_ended(void);
#endif
