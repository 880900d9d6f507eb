/* script.h - what a thread plays, to compare it with what was recorded. */
#ifndef SCRIPT_H
#define SCRIPT_H

#include <rastrum/atf.h>
#include <rastrum/record.h>

/* Event i of script n has function_id n << 32 | i: all are different. */
struct script {
    uint64_t number, i, random;
    uint32_t depth;
};

struct played {
    uint64_t function_id;
    uint32_t kind, depth;
};

static inline struct script script_of(uint64_t number)
{
    return (struct script){.number = number, .random = number * 0x9e3779b97f4a7c15 + 1};
}

static inline uint64_t script_random(struct script *s)
{
    s->random ^= s->random << 13;
    s->random ^= s->random >> 7;
    return s->random ^= s->random << 17;
}

static inline struct played script_next(struct script *s)
{
    struct played p = {s->number << 32 | (s->i++ & UINT32_MAX), RAS_TRACE_CALL, 0};
    uint64_t r = script_random(s) % 16;
    if (s->depth && (r < 8 || s->depth > 40))
        p.kind = r == 0 ? RAS_TRACE_EXCEPTION : RAS_TRACE_RETURN;
    p.depth = p.kind == RAS_TRACE_CALL ? ++s->depth : s->depth--;
    return p;
}

static inline void play(const struct played *p)
{
    if (p->kind == RAS_TRACE_CALL)
        ras_trace_call(p->function_id);
    else if (p->kind == RAS_TRACE_RETURN)
        ras_trace_return(p->function_id);
    else
        ras_trace_exception(p->function_id);
}

/* What was recorded of a thread. */
struct heard {
    uint64_t events, scripts;
    bool whole; /* every script from its first event on, none missing between */
};

/* Compare a thread with the scripts it played, one after the other. With `holes`, events may be
 * missing but not altered. False, and a line is printed, if it differs. */
bool script_check(struct ras_atf_session *session, size_t thread, bool holes, struct heard *heard);
/* A directory to record into; remove_all() removes it. */
const char *scratch(void);
void remove_all(const char *dir);
/* The only line a failing test needs. */
bool complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
#endif
