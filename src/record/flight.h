/* flight.h - a flight recorder: lanes keep the last events, triggers have windows stored. */
#ifndef RECORD_FLIGHT_H
#define RECORD_FLIGHT_H

#include <rastrum/record.h>

enum { TRIGGERS_WAITING = 16 };

struct trigger {
    uint64_t time_ns, function_id;
    uint32_t kind; /* enum ras_record_trigger */
    uint32_t ready;
};

/* A stretch of time that is stored. */
struct window {
    uint64_t from_ns, until_ns;
    struct trigger by; /* the first that opened it */
};

struct flight {
    struct trigger waiting[TRIGGERS_WAITING]; /* pulled, not yet seen by the drain */
    uint32_t pulled;
    uint64_t due_ns; /* of a trigger by time; 0: none */
    bool open;
    struct window window;
    struct window *windows; /* those before */
    size_t count, room;
};

struct lane;
/* Any thread, any signal handler: events around this moment are wanted. */
void flight_pull(enum ras_record_trigger kind, uint64_t time_ns, uint64_t function_id);
/* The drain, at the beginning and the end of a pass. */
void flight_look(uint64_t now_ns);
void flight_settle(uint64_t now_ns);
/* What the lane has: look for triggers in it, store what lies in the window, give up what
 * is too old. `last`: give up all that is left. True when there was anything new. */
bool flight_drain(struct lane *, bool last);
#endif
