/* atf_ended.c - how a program ended, and what its thread was doing then, as a fact of the trace.
 *
 * The calls that are open at the end are in the records: from the last event backwards, each one
 * that lies less deep than all behind it is a call that is open, or the end of one. */
#include "formats/atf/atf_driver.h"
#include "base/memory.h"

#include <stdlib.h>

enum { EVENTS_BACK = 1 << 18, CALLS_SHOWN = 32 }; /* every verb opens the trace */

struct open_calls {
    uint64_t functions[CALLS_SHOWN]; /* the innermost first */
    size_t count;
    bool more; /* there are, or may be, others around them */
};

static void find_calls(struct ras_atf_session *s, struct atf_thread *t, struct open_calls *found)
{
    const uint8_t *events = atf_events(s, t);
    uint32_t least = UINT32_MAX;
    uint64_t left = EVENTS_BACK, outermost = t->index.count ? atf_event(events).call_depth : 0;
    for (uint64_t i = t->index.count; i-- > 0 && least > outermost && !found->more; left--) {
        struct ras_atf_index_event e = atf_event(events + i * RAS_ATF_INDEX_EVENT_SIZE);
        bool call = e.event_kind == RAS_ATF_CALL;
        bool end = e.event_kind == RAS_ATF_RETURN || e.event_kind == RAS_ATF_EXCEPTION;
        found->more = !left || (call && found->count == CALLS_SHOWN);
        if (found->more || !(call || end) || e.call_depth >= least)
            continue;
        least = e.call_depth;
        if (call)
            found->functions[found->count++] = e.function_id;
    }
}

static void put_calls(struct ras_atf_session *s, struct atf_thread *t, struct out *text)
{
    struct open_calls found = {.count = 0};
    const struct atf_manifest *m = &s->processes[t->process].manifest;
    if (!atf_index_ready(s, t))
        return;
    find_calls(s, t, &found);
    for (size_t i = found.count; i-- > 0;) {
        const struct ras_atf_symbol *symbol = atf_manifest_symbol(m, found.functions[i]);
        bool first = i + 1 == found.count;
        out_text(text, !first ? " > " : found.more ? ": ... > " : ": ");
        if (symbol)
            out_bytes(text, symbol->name, symbol->name_len);
        else
            out_format(text, "0x%016" PRIx64, found.functions[i]);
    }
}

static void describe_crash(struct ras_atf_session *s, size_t process, struct out *text)
{
    const struct atf_manifest *m = &s->processes[process].manifest;
    const struct ras_atf_crash *crash = &m->out.crash;
    if (*crash->name)
        out_text(text, crash->name);
    else
        out_format(text, "signal %" PRIu32, crash->signal);
    if (crash->has_thread)
        out_format(text, " in thread %" PRIu32, crash->thread_id);
    if (s->process_count > 1)
        out_format(text, " of %s", s->processes[process].name);
    for (FROM_THREAD(s, process, i))
        if (crash->has_thread && s->threads[i].process == process &&
            s->threads[i].thread_id == crash->thread_id) {
            put_calls(s, &s->threads[i], text);
            return;
        }
}

bool atf_tell_ends(struct ras_trace *t)
{
    enum { ENDS_TOLD = 16 };
    struct ras_atf_session *s = &((struct atf *)t->priv)->session;
    bool good = true;
    for (size_t i = 0, told = 0; good && i < s->process_count && told < ENDS_TOLD; i++) {
        const struct ras_atf_manifest *m = &s->processes[i].manifest.out;
        struct out text = {0};
        if (m->crash.signal) {
            describe_crash(s, i, &text);
        } else if (m->killed || m->exit.signal) {
            if (*m->exit.name)
                out_text(&text, m->exit.name);
            else if (m->exit.signal)
                out_format(&text, "signal %" PRIu32, m->exit.signal);
            else
                out_text(&text, "a kill");
            if (s->process_count > 1)
                out_format(&text, " of %s", s->processes[i].name);
        } else {
            if (m->exit.known && s->process_count == 1)
                good = fact_uint(t, "exit_status", m->exit.status, 0);
            continue;
        }
        told++;
        good = !text.failed && fact_str(t, "ended_by", text.at, text.len);
        out_free(&text);
    }
    return good;
}
