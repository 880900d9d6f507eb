/* atf_recorder.c - the manifest's member "recorder": how the program ended, which events were
 * counted but not stored. */
#include "base/memory.h"
#include "codec/json_read.h"
#include "formats/atf/atf_driver.h"
#include "formats/atf/atf_manifest.h"

#include <stdlib.h>
#include <string.h>

/* ---- parsing ------------------------------------------------------------------------- */

/* A short string, truncated where it does not fit. */
static void take_word(const struct json_token *value, char *to, size_t room)
{
    char text[256];
    size_t len = 0;
    if (value->kind != JSON_STRING || value->span.len >= sizeof text ||
        !json_bytes_of(value, text, &len))
        return;
    len = len < room ? len : room - 1;
    memcpy(to, text, len);
    to[len] = 0;
}

/* Where it happened: the other half of "crash". */
static void take_fault(struct atf_manifest *m, const struct json_token *key,
                       const struct json_token *value)
{
    struct ras_atf_fault *f = &m->fault;
    uint64_t number;
    int64_t code;
    bool is_number = atf_manifest_number(value, &number);
    if (JSON_IS(key, "code") && json_i64_of(value, &code) && code >= INT32_MIN &&
        code <= INT32_MAX) {
        f->has_code = true;
        f->code = (int32_t)code;
    } else if (JSON_IS(key, "address") && is_number) {
        f->has_address = true;
        f->address = number;
    } else if (JSON_IS(key, "pc") && is_number) {
        f->pc = number;
    } else if (JSON_IS(key, "sp") && is_number) {
        f->sp = number;
    } else if (JSON_IS(key, "line") && is_number && number <= UINT32_MAX) {
        f->line = (uint32_t)number;
    } else if (JSON_IS(key, "function")) {
        f->function = atf_manifest_keep_text(m, value);
    } else if (JSON_IS(key, "file")) {
        f->file = atf_manifest_keep_text(m, value);
    } else if (JSON_IS(key, "function_id") && is_number) {
        f->function_id = number;
    } else if (JSON_IS(key, "caller")) {
        f->caller = atf_manifest_keep_text(m, value);
    } else if (JSON_IS(key, "caller_file")) {
        f->caller_file = atf_manifest_keep_text(m, value);
    } else if (JSON_IS(key, "caller_line") && is_number && number <= UINT32_MAX) {
        f->caller_line = (uint32_t)number;
    }
}

/* The first of them is that of the innermost call. */
static bool take_returns(struct json_read *in, struct atf_manifest *m)
{
    struct json_token value;
    uint64_t number;
    while (json_read_next(in, &value) != JSON_ARRAY_END) {
        if (!m->fault.returns && atf_manifest_number(&value, &number))
            m->fault.returns = number;
        if (!json_read_skip(in, &value))
            return false;
    }
    return true;
}

static void take_crash(struct json_read *in, struct atf_manifest *m)
{
    struct ras_atf_crash *crash = &m->out.crash;
    struct json_token key, value;
    uint64_t number;
    while (json_read_next(in, &key) == JSON_KEY) {
        json_read_next(in, &value);
        bool is_number = json_u64_of(&value, &number);
        if (JSON_IS(&key, "returns") && value.kind == JSON_ARRAY) {
            if (!take_returns(in, m))
                return;
            continue;
        }
        if (JSON_IS(&key, "name"))
            take_word(&value, crash->name, sizeof crash->name);
        else if (is_number && JSON_IS(&key, "signal") && number && number <= UINT16_MAX)
            crash->signal = (uint32_t)number;
        else if (is_number && JSON_IS(&key, "time_ns"))
            crash->time_ns = number;
        else if (is_number && JSON_IS(&key, "thread_id") && number < UINT32_MAX) {
            crash->has_thread = true;
            crash->thread_id = (uint32_t)number;
        } else {
            take_fault(m, &key, &value);
        }
        if (!json_read_skip(in, &value))
            return;
    }
}

static void take_exit(struct json_read *in, struct ras_atf_exit *how)
{
    struct json_token key, value;
    uint64_t number;
    while (json_read_next(in, &key) == JSON_KEY) {
        json_read_next(in, &value);
        bool is_number = json_u64_of(&value, &number) && number <= UINT16_MAX;
        if (JSON_IS(&key, "name"))
            take_word(&value, how->name, sizeof how->name);
        else if (is_number && JSON_IS(&key, "signal"))
            how->signal = (uint32_t)number;
        else if (is_number && JSON_IS(&key, "status"))
            how->status = (uint32_t)number;
        else if (JSON_IS(&key, "core"))
            how->status = value.kind == JSON_BOOL && value.truth;
        if (!json_read_skip(in, &value))
            return;
    }
    how->known = true;
}

/* ["0x7f00", "0x7fff", "stack"] */
static bool take_map(struct atf_manifest *m, struct json_read *in)
{
    struct json_token value;
    struct atf_map map = {0};
    char text[256];
    for (unsigned i = 0; json_read_next(in, &value) != JSON_ARRAY_END; i++) {
        text[0] = 0;
        take_word(&value, text, sizeof text);
        size_t len = strlen(text), most = sizeof map.what - 1;
        if (i < 2)
            *(i ? &map.to : &map.from) = strtoull(text, NULL, 16);
        else
            memcpy(map.what, text + (len > most ? len - most : 0), (len < most ? len : most) + 1);
        if (!json_read_skip(in, &value))
            return false;
    }
    if (map.to > map.from && m->map_count < ATF_MAPS_MOST &&
        array_grow(&m->maps, &m->map_room, m->map_count + 1, sizeof *m->maps))
        m->maps[m->map_count++] = map;
    return true;
}

static bool take_maps(struct atf_manifest *m, struct json_read *in)
{
    struct json_token value;
    m->map_count = 0;
    while (json_read_next(in, &value) != JSON_ARRAY_END)
        if (value.kind == JSON_ARRAY ? !take_map(m, in) : !json_read_skip(in, &value))
            return false;
    return true;
}

/* Those of ras_event() are counted apart, as "stray_events_REASON". */
static bool is_stray_count(const struct json_token *key)
{
    static const char calls[] = "stray_", events[] = "stray_events_";
    struct ras_bytes name = key->span;
    return name.len >= sizeof calls - 1 && !memcmp(name.at, calls, sizeof calls - 1) &&
           (name.len < sizeof events - 1 || memcmp(name.at, events, sizeof events - 1) != 0);
}

void atf_manifest_recorder(struct atf_manifest *m, struct ras_bytes recorder,
                           const uint8_t *manifest)
{
    uint64_t number;
    struct json_read in = json_read_bytes(recorder);
    struct json_token key, value;
    m->recorder = recorder;
    m->out.unfinished = m->out.killed = false;
    m->out.crash = (struct ras_atf_crash){0};
    m->fault = (struct ras_atf_fault){0};
    m->out.exit = (struct ras_atf_exit){0};
    m->crash_at = 0;
    m->strays = 0;
    if (json_read_next(&in, &key) != JSON_OBJECT)
        return;
    while (json_read_next(&in, &key) == JSON_KEY) {
        json_read_next(&in, &value);
        if (JSON_IS(&key, "complete"))
            m->out.unfinished = value.kind == JSON_BOOL && !value.truth;
        else if (JSON_IS(&key, "killed"))
            m->out.killed = value.kind == JSON_BOOL && value.truth;
        else if (is_stray_count(&key) && json_u64_of(&value, &number))
            m->strays += number <= UINT64_MAX - m->strays ? number : 0;
        else if (JSON_IS(&key, "exit") && value.kind == JSON_OBJECT) {
            take_exit(&in, &m->out.exit);
            continue;
        } else if (JSON_IS(&key, "crash") && value.kind == JSON_OBJECT) {
            m->crash_at = (size_t)(in.at - manifest);
            take_crash(&in, m);
            continue;
        } else if (JSON_IS(&key, "maps") && value.kind == JSON_ARRAY) {
            if (!take_maps(m, &in))
                return;
            continue;
        }
        if (!json_read_skip(&in, &value))
            return;
    }
}

/* ---- windows ------------------------------------------------------------------------------ */

/* A window that goes back as far as possible begins at 0, and is not shorter than requested. */
static bool take_window(struct atf_manifest *m, struct json_read *in)
{
    struct json_token key, value;
    uint64_t number, start = 0, whole = 0;
    while (json_read_next(in, &key) == JSON_KEY) {
        json_read_next(in, &value);
        bool is_number = json_u64_of(&value, &number);
        if (is_number && JSON_IS(&key, "startNs"))
            start = number;
        if (is_number && JSON_IS(&key, "wholeFromNs"))
            whole = number;
        if (!json_read_skip(in, &value))
            return false;
    }
    if (start && whole > start && whole - start > m->out.window_lacks_ns) {
        m->out.window_lacks_ns = whole - start;
        m->out.window_whole_ns = whole;
    }
    return true;
}

void atf_manifest_windows(struct atf_manifest *m, struct ras_bytes windows)
{
    struct json_read in = json_read_bytes(windows);
    struct json_token value;
    m->out.window_whole_ns = m->out.window_lacks_ns = 0;
    if (json_read_next(&in, &value) != JSON_ARRAY)
        return;
    while (json_read_next(&in, &value) != JSON_ARRAY_END)
        if (value.kind == JSON_OBJECT ? !take_window(m, &in) : !json_read_skip(&in, &value))
            return;
}

/* ---- threads ------------------------------------------------------------------------------ */

/* Of two names of a thread the first counts. All strings of a manifest fit into its texts. */
static void name_thread(struct atf_manifest *m, uint64_t id, const struct json_token *name)
{
    size_t len = 0;
    const struct ras_atf_listed *listed =
        id <= UINT32_MAX ? atf_manifest_thread(m, (uint32_t)id) : NULL;
    char *at = m->texts + m->text_len;
    if (!listed || listed->name || name->kind != JSON_STRING ||
        name->span.len >= m->text_room - m->text_len || !json_bytes_of(name, at, &len) || !len)
        return;
    at[len] = 0;
    m->text_len += len + 1;
    m->threads[listed - m->threads].name = at;
}

static bool read_recorder_thread(struct atf_manifest *m, struct json_read *in)
{
    struct json_token key, value, name = {.kind = JSON_NULL};
    uint64_t id = UINT64_MAX, events;
    while (json_read_next(in, &key) == JSON_KEY) {
        json_read_next(in, &value);
        if (JSON_IS(&key, "id") && !json_u64_of(&value, &id))
            id = UINT64_MAX;
        if (JSON_IS(&key, "name"))
            name = value;
        if (JSON_IS(&key, "events") && json_u64_of(&value, &events))
            m->events = (m->events == RAS_NONE ? 0 : m->events) + events;
        if (!json_read_skip(in, &value))
            return false;
    }
    name_thread(m, id, &name);
    return true;
}

void atf_manifest_thread_names(struct atf_manifest *m)
{
    struct json_read in = json_read_bytes(m->recorder);
    struct json_token key, value;
    uint64_t all = RAS_NONE; /* the sum over all threads */
    m->out.threads = m->threads;
    m->events = RAS_NONE;
    if (!m->recorder.len || json_read_next(&in, &key) != JSON_OBJECT)
        return;
    while (json_read_next(&in, &key) == JSON_KEY) {
        json_read_next(&in, &value);
        if (JSON_IS(&key, "events") && !json_u64_of(&value, &all))
            all = RAS_NONE;
        if (!JSON_IS(&key, "threads") || value.kind != JSON_ARRAY) {
            if (!json_read_skip(&in, &value))
                return;
            continue;
        }
        while (json_read_next(&in, &value) != JSON_ARRAY_END)
            if (value.kind == JSON_OBJECT ? !read_recorder_thread(m, &in)
                                          : !json_read_skip(&in, &value))
                return;
    }
    if (all != RAS_NONE)
        m->events = all;
}

/* ---- drops --------------------------------------------------------------------------- */

/* The manifest counts drops by thread_id. Those of a thread without files are reported with the
 * first thread of their process; so is the unknown number of drops of a recorder that was
 * killed. */

/* A thread by its id in the manifest. */
struct named {
    size_t process, thread;
    uint32_t id;
};

static int named_order(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return x->thread < y->thread ? -1 : x->thread > y->thread;
}

static int by_thread(const void *a, const void *b)
{
    const struct atf_owned_drop *x = a, *y = b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return x->drop < y->drop ? -1 : x->drop > y->drop;
}

static size_t first_of(const struct ras_atf_session *s, size_t process)
{
    const struct atf_process *p = &s->processes[process];
    return p->thread_to ? p->thread_from : SIZE_MAX;
}

/* The first thread of that id, or of its process; SIZE_MAX: the process has none. */
static size_t owner_of(const struct ras_atf_session *s, const struct named *names, size_t process,
                       uint32_t id)
{
    const struct named want = {process, 0, id};
    size_t low = 0, high = s->thread_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (named_order(&names[middle], &want) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < s->thread_count && names[low].process == process && names[low].id == id)
        return names[low].thread;
    return first_of(s, process);
}

static bool drop_add(struct ras_atf_session *s, size_t thread, size_t drop)
{
    size_t room = s->drop_room;
    if (thread == SIZE_MAX)
        return true;
    if (!array_grow(&s->drops, &room, s->drop_count + 1, sizeof *s->drops))
        return false;
    s->drop_room = room;
    s->drops[s->drop_count++] = (struct atf_owned_drop){thread, drop};
    return true;
}

static bool gather_thread_drops(struct ras_atf_session *s, const struct named *names)
{
    bool good = true;
    s->drop_count = 0;
    for (size_t i = 0; good && i < s->process_count; i++) {
        const struct ras_atf_manifest *m = &s->processes[i].manifest.out;
        for (size_t k = 0; good && m->present && k < m->drop_count; k++)
            good = drop_add(s, owner_of(s, names, i, m->drops[k].thread_id), k);
        if (good && m->present && m->unfinished)
            good = drop_add(s, first_of(s, i), SIZE_MAX);
    }
    if (!good)
        return false;
    if (s->drop_count)
        qsort(s->drops, s->drop_count, sizeof *s->drops, by_thread);
    return true;
}

/* Gathered once for the known threads and manifests. */
static void find_drops(struct ras_atf_session *s)
{
    if (s->drops_known)
        return;
    s->drops_known = true;
    s->drop_count = 0;
    bool any = false;
    for (size_t i = 0; i < s->process_count; i++)
        any |= s->processes[i].manifest.out.drop_count || s->processes[i].manifest.out.unfinished;
    struct named *names = any ? calloc(s->thread_count + 1, sizeof *names) : NULL;
    for (size_t i = 0; names && i < s->thread_count; i++)
        names[i] = (struct named){s->threads[i].process, i, s->threads[i].thread_id};
    if (names)
        qsort(names, s->thread_count, sizeof *names, named_order);
    if (any && (!names || !gather_thread_drops(s, names)))
        s->nomem = true;
    free(names);
}

uint64_t atf_drop_count(struct ras_atf_session *s, size_t thread)
{
    const struct ras_atf_drop *drop;
    uint64_t count = 0;
    while (atf_drop_at(s, thread, count, &drop))
        count++;
    return count;
}

bool atf_drop_at(struct ras_atf_session *s, size_t thread, uint64_t i,
                 const struct ras_atf_drop **drop)
{
    find_drops(s);
    size_t low = 0, high = s->drop_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (s->drops[middle].thread < thread)
            low = middle + 1;
        else
            high = middle;
    }
    if (i >= s->drop_count - low || s->drops[low + i].thread != thread)
        return false;
    static const struct ras_atf_drop unknown = {.events = RAS_NONE, .reason = ""};
    const struct atf_process *p = &s->processes[s->threads[thread].process];
    size_t which = s->drops[low + i].drop;
    *drop = which == SIZE_MAX ? &unknown : &p->manifest.out.drops[which];
    return true;
}

/* ---- how the program ended ----------------------------------------------------------- */

/* The calls that are open at the end follow from the records: from the last event backwards,
 * each one at a smaller depth than all events after it is an open call, or the end of one. */

enum {
    EVENTS_BACK = 1 << 18,
    CALLS_SHOWN = 32
}; /* every verb opens the trace, so this is limited */

struct open_calls {
    uint64_t functions[CALLS_SHOWN]; /* the innermost first */
    size_t count;
    bool more; /* there are, or may be, more calls around them */
};

static void find_calls(struct ras_atf_session *s, struct atf_thread *t, struct open_calls *found)
{
    uint64_t count = t->index.count, from = count > EVENTS_BACK ? count - EVENTS_BACK - 1 : 0;
    const uint8_t *events = count ? atf_some_events(s, t, 0, 1, NULL) : NULL;
    uint32_t least = UINT32_MAX;
    uint64_t left = EVENTS_BACK, outermost = events ? atf_event(events).call_depth : 0;
    if (!events || !(events = atf_some_events(s, t, from, count, &s->pin)))
        return;
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

/* "; address 0x18, at list.c:40 in sum" */
static void describe_fault(const struct ras_atf_fault *f, struct out *text)
{
    const char *slash = f->file ? strrchr(f->file, '/') : NULL, *put = "; ";
    if (f->has_address) {
        out_format(text, "%saddress 0x%" PRIx64, put, f->address);
        put = ", ";
    }
    if (f->file && f->line) {
        out_format(text, "%sat %s:%" PRIu32, put, slash ? slash + 1 : f->file, f->line);
        put = " ";
    }
    if (f->function)
        out_format(text, "%sin %s", put, f->function);
    slash = f->caller_file ? strrchr(f->caller_file, '/') : NULL;
    if (f->caller_file && f->caller_line)
        out_format(text, ", called at %s:%" PRIu32, slash ? slash + 1 : f->caller_file,
                   f->caller_line);
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
            break;
        }
    describe_fault(&m->fault, text);
}

bool atf_describe_ends(struct ras_trace *t)
{
    enum { ENDS_MOST = 16 };
    struct ras_atf_session *s = &((struct atf *)t->priv)->session;
    bool good = true;
    for (size_t i = 0, reported = 0; good && i < s->process_count && reported < ENDS_MOST; i++) {
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
        reported++;
        good = !text.failed && fact_str(t, "ended_by", text.at, text.len);
        out_free(&text);
    }
    return good;
}
