/* atf_ticks.c - the calls that mark the ticks of a run: `tick` and `settled` of the module
 * `rastrum`, each with its return right after it.
 *
 * The n-th mark is that of the n-th tick, unless it has a detail of eight bytes: its number. */
#include "formats/atf/atf_driver.h"

struct scan {
    struct ras_atf_session *session;
    size_t thread;
    struct tick_index *index;
    uint64_t tick, settled; /* function ids */
    uint64_t next;          /* tick of the next mark */
    struct atf_hint hint;
    uint64_t done, total; /* bytes of the threads before, and of all files */
};

static uint64_t function_of(const struct atf_process *process, const char *name)
{
    const struct ras_atf_manifest *m = &process->manifest.out;
    for (size_t i = 0; i < m->symbol_count; i++) {
        const struct ras_atf_symbol *s = &m->symbols[i];
        const struct ras_atf_module *module = NULL;
        if (!strcmp(s->name, name))
            module = atf_manifest_module(&process->manifest, s->module_id);
        if (module && !strcmp(module->path, "rastrum"))
            return s->function_id;
    }
    return RAS_NONE;
}

/* The number in a detail. */
static bool number_of(struct scan *s, uint32_t detail_seq, uint64_t *tick)
{
    struct ras_atf_detail_event detail;
    if (detail_seq == RAS_ATF_NO_DETAIL ||
        !atf_detail_near(s->session, s->thread, &s->hint, detail_seq, &detail) ||
        detail.payload.len != sizeof *tick)
        return false;
    *tick = load_u64(detail.payload.at);
    return true;
}

static void scan_thread(struct scan *s, struct atf_thread *t)
{
    char tick[TICK_NAME], settled[TICK_NAME];
    const uint8_t *p = atf_events(s->session, t);
    uint64_t open = RAS_NONE;
    snprintf(tick, sizeof tick, "atf.%" PRIu32 ".tick", t->stream);
    snprintf(settled, sizeof settled, "atf.%" PRIu32 ".settled", t->stream);
    for (uint64_t i = 0; i < t->index.count; i++, p += RAS_ATF_INDEX_EVENT_SIZE) {
        uint64_t function = load_u64(p + EVENT_FUNCTION_ID);
        if (s->index->passes &&
            !passes_at(s->index->passes, s->done + i * RAS_ATF_INDEX_EVENT_SIZE, s->total))
            return;
        if ((function != s->tick && function != s->settled) ||
            load_u32(p + EVENT_KIND) != RAS_ATF_CALL)
            continue;
        if (function == s->tick) {
            if (open != RAS_NONE) /* the one before never settled */
                tick_index_add(s->index, settled, open, RAS_NONE);
            (void)!number_of(s, load_u32(p + EVENT_DETAIL_SEQ), &s->next);
            open = s->next++;
            tick_index_add(s->index, tick, open, i);
        } else if (open != RAS_NONE) {
            tick_index_add(s->index, settled, open, i);
            open = RAS_NONE;
        }
    }
    if (open != RAS_NONE)
        tick_index_add(s->index, settled, open, RAS_NONE);
}

static int scan_ticks(struct ras_trace *trace, struct tick_index *index, uint64_t first,
                      struct ras_error *err)
{
    struct ras_atf_session *session = &((struct atf *)trace->priv)->session;
    size_t known = SIZE_MAX; /* process of these functions */
    struct scan s = {.session = session, .index = index};
    s.total = source_size_before(session->source, source_count(session->source));
    for (size_t i = 0; i < session->thread_count; i++) {
        struct atf_thread *t = &session->threads[i];
        if (t->process != known) {
            known = t->process;
            s.tick = function_of(&session->processes[known], "tick");
            s.settled = function_of(&session->processes[known], "settled");
        }
        s.thread = i;
        s.next = first;
        s.hint = (struct atf_hint){0};
        if (s.tick != RAS_NONE && atf_index_ready(session, t))
            scan_thread(&s, t);
        s.done += t->index.count * RAS_ATF_INDEX_EVENT_SIZE;
    }
    if (index->passes && index->passes->canceled)
        return fail_canceled(err);
    return session->nomem ? fail_memory(err) : RAS_OK;
}

/* The index_seq of an event, of that by which a span is placed, and of that with a detail. */
static uint64_t atf_number(const struct ras_trace *trace, const struct ras_record *r)
{
    const struct ras_atf_session *session = &((const struct atf *)trace->priv)->session;
    bool event = r->schema == ATF_EVENT || r->schema == ATF_SPAN;
    if (!event && (!(r->flags & RAS_HAS_TIME) || r->raw_len < RECORD_PAYLOAD))
        return RAS_NONE;
    if (!event)
        return load_u32(r->raw + RECORD_INDEX_SEQ);
    for (size_t i = 0; i < session->thread_count; i++) {
        const struct atf_thread *t = &session->threads[i];
        if (t->index_file.part == r->part && r->offset >= t->index.at)
            return (r->offset - t->index.at) / RAS_ATF_INDEX_EVENT_SIZE;
    }
    return RAS_NONE;
}

const struct tick_ops atf_ticks = {.scan = scan_ticks, .number = atf_number};
