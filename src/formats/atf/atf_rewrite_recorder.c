/* atf_rewrite_recorder.c - what a new manifest says of the recorder.
 *
 * Of all that was recorded it is said as it was. A part of it has its own counts: what was
 * produced and dropped is known of the whole recording only. Events of ras_event() do not tell
 * their threads: where some of them stay behind, they are counted together. */
#include "formats/atf/atf_rewrite.h"
#include "codec/json_read.h"
#include "formats/atf/atf_write.h"

/* What is to be said. */
struct saying {
    struct rewrite *rw;
    size_t first, last; /* processes */
    bool events_stay;   /* those of each thread are still right */
    uint64_t events;    /* of all threads */
    size_t holders;     /* threads that have any */
    bool unfinished, killed;
    struct json *j;
};

/* ---- what was said ---------------------------------------------------------------------- */

/* The object that a member is; nothing where it is something else. */
static struct ras_bytes object_of(struct ras_bytes member, size_t key_len)
{
    size_t at = key_len;
    while (at < member.len && memchr(" \t\r\n:", member.at[at], 5))
        at++;
    if (at == member.len || member.at[at] != '{')
        return (struct ras_bytes){0};
    return (struct ras_bytes){member.at + at, member.len - at};
}

bool atf_copy_is_recorder(struct ras_bytes member)
{
    static const char key[] = "\"recorder\"";
    size_t len = sizeof key - 1;
    return member.len > len && !memcmp(member.at, key, len) && object_of(member, len).len;
}

static struct ras_bytes recorder_of(const struct rewrite *rw, const struct atf_process_copy *p)
{
    const struct atf_manifest *m = atf_copy_manifest(rw, p);
    for (size_t i = 0; i < m->other_count; i++) {
        struct ras_bytes member = {atf_copy_manifest_text(rw, p).at + m->others[i].at,
                                   m->others[i].len};
        if (atf_copy_is_recorder(member))
            return object_of(member, m->others[i].key_len);
    }
    return (struct ras_bytes){0};
}

/* The next member of an object with its value, as both are written; false: there is none. */
static bool next_member(struct json_read *in, struct json_token *key, struct json_token *value,
                        struct ras_bytes *text)
{
    if (json_read_next(in, key) != JSON_KEY)
        return false;
    json_read_next(in, value);
    struct ras_bytes all = json_read_value(in, value);
    const uint8_t *from = key->span.at - 1;
    *text = (struct ras_bytes){from, (size_t)(all.at + all.len - from)};
    return all.len;
}

/* The reader stands in the list of threads of a recorder; false: it has none. */
static bool enter_threads(struct json_read *in, struct ras_bytes recorder)
{
    struct json_token key, value;
    *in = json_read_bytes(recorder);
    if (!recorder.len || json_read_next(in, &key) != JSON_OBJECT)
        return false;
    while (json_read_next(in, &key) == JSON_KEY) {
        json_read_next(in, &value);
        if (JSON_IS(&key, "threads") && value.kind == JSON_ARRAY)
            return true;
        if (!json_read_skip(in, &value))
            return false;
    }
    return false;
}

static size_t count_holders(struct ras_bytes recorder)
{
    struct json_read in;
    struct json_token key, value;
    struct ras_bytes text;
    size_t holders = 0;
    uint64_t events;
    if (!enter_threads(&in, recorder))
        return 0;
    while (json_read_next(&in, &value) == JSON_OBJECT)
        while (next_member(&in, &key, &value, &text))
            holders += JSON_IS(&key, "events") && json_u64_of(&value, &events) && events;
    return holders;
}

/* ---- threads ------------------------------------------------------------------------------ */

/* Counts of calls and details, of the whole recording. */
static bool is_count(const struct json_token *key)
{
    return JSON_IS(key, "produced") || JSON_IS(key, "stored") || JSON_IS(key, "dropped") ||
           JSON_IS(key, "details") || JSON_IS(key, "details_dropped") ||
           JSON_IS(key, "events_dropped");
}

/* How much of a thread was copied. */
static void put_copied(const struct saying *s, const struct atf_process_copy *p, uint64_t id)
{
    const struct atf_rewrite *k = s->rw->priv;
    const struct ras_atf_session *session =
        &((struct atf *)s->rw->sources[p->source]->priv)->session;
    const struct atf_thread *t =
        id <= UINT32_MAX ? atf_thread_find(session, p->process, (uint32_t)id) : NULL;
    const struct atf_copy *c = t ? &k->copies[p->copies + (size_t)(t - session->threads)] : NULL;
    if (!c || !c->written)
        return;
    json_uint(s->j, "stored", c->event_count);
    if (c->details.total)
        json_uint(s->j, "details", c->details.total);
}

static void put_copied_thread(const struct saying *s, const struct atf_process_copy *p,
                              struct json_read *in)
{
    struct json_token key, value;
    struct ras_bytes text;
    uint64_t id = UINT64_MAX, events = 0;
    bool any = false;
    while (next_member(in, &key, &value, &text)) {
        bool is_events = JSON_IS(&key, "events");
        if (is_events && !json_u64_of(&value, &events))
            events = 0;
        if (JSON_IS(&key, "id") && !json_u64_of(&value, &id))
            id = UINT64_MAX;
        if ((!s->rw->whole && is_count(&key)) || (!s->events_stay && is_events))
            continue;
        json_members(s->j, text.at, text.len);
        any = true;
    }
    if (!s->rw->whole && any)
        put_copied(s, p, id);
    if (!s->events_stay && any && events && s->holders == 1)
        json_uint(s->j, "events", s->events);
}

static void put_copied_threads(const struct saying *s)
{
    const struct atf_rewrite *k = s->rw->priv;
    json_array(s->j, "threads");
    for (size_t i = s->first; i < s->last; i++) {
        const struct atf_process_copy *p = &k->processes[i];
        struct json_read in;
        struct json_token value;
        if (!enter_threads(&in, recorder_of(s->rw, p)))
            continue;
        while (json_read_next(&in, &value) == JSON_OBJECT) {
            json_line(s->j, 4);
            json_object(s->j, NULL);
            put_copied_thread(s, p, &in);
            json_close(s->j);
        }
    }
    json_close(s->j);
}

/* ---- the whole ---------------------------------------------------------------------------- */

/* What was dropped without a thread goes with the whole time. */
static bool is_stray(const struct json_token *key)
{
    static const char stray[] = "stray_";
    return key->span.len >= sizeof stray - 1 && !memcmp(key->span.at, stray, sizeof stray - 1);
}

static void put_members(const struct saying *s, struct ras_bytes recorder)
{
    struct json_read in = json_read_bytes(recorder);
    struct json_token key, value;
    struct ras_bytes text;
    bool timed = s->rw->asked->axis != RAS_AXIS_NONE, threads = false;
    json_read_next(&in, &key);
    while (next_member(&in, &key, &value, &text)) {
        if (JSON_IS(&key, "killed") || (timed && is_stray(&key)) ||
            (!s->events_stay && JSON_IS(&key, "events")) || (threads && JSON_IS(&key, "threads")))
            continue;
        if (JSON_IS(&key, "threads") && value.kind == JSON_ARRAY) {
            put_copied_threads(s);
            threads = true;
        } else if (JSON_IS(&key, "complete") && value.kind == JSON_BOOL) {
            json_bool(s->j, "complete", !s->unfinished);
        } else {
            json_members(s->j, text.at, text.len);
        }
    }
}

/* Only threads are taken from the others; what else they say may be something else. */
static void note_others(const struct saying *s)
{
    const struct atf_rewrite *k = s->rw->priv;
    for (size_t i = s->first + 1; i < s->last; i++)
        if (recorder_of(s->rw, &k->processes[i]).len)
            rewrite_note(s->rw,
                         "of the recorder of trace %zu its threads are kept; what else its "
                         "manifest says of it is left out",
                         k->processes[i].source + 1);
}

void atf_copy_recorder(struct rewrite *rw, size_t first, size_t last, struct json *j)
{
    const struct atf_rewrite *k = rw->priv;
    struct saying s = {.rw = rw, .first = first, .last = last, .j = j};
    struct ras_bytes recorder = recorder_of(rw, &k->processes[first]);
    uint64_t promised = 0;
    bool looked = false;
    for (size_t i = first; i < last; i++) {
        const struct atf_process_copy *p = &k->processes[i];
        const struct atf_manifest *m = atf_copy_manifest(rw, p);
        promised += m->events == RAS_NONE ? 0 : m->events;
        looked |= p->looked;
        s.events += p->carried;
        s.holders += count_holders(recorder_of(rw, p));
        s.unfinished |= m->out.unfinished;
        s.killed |= m->out.killed;
    }
    s.events_stay = s.events == promised || (rw->whole && !looked);
    atf_member_line(j);
    if (rw->whole && s.events_stay && last - first == 1) {
        json_raw(j, "recorder", recorder.at, recorder.len);
        return;
    }
    json_object(j, "recorder");
    put_members(&s, recorder);
    if (s.killed)
        json_bool(j, "killed", true);
    if (!s.events_stay && s.holders != 1)
        json_uint(j, "events", s.events);
    json_close(j);
    note_others(&s);
}
