/* atf_rewrite_manifest.c - the layout of threads in a new session, and its manifests. */
#include "base/memory.h"
#include "base/out.h"
#include "codec/json_read.h"
#include "formats/atf/atf_rewrite.h"
#include "formats/atf/atf_write.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- the member "recorder" ----------------------------------------------------------- */

/* A copy of the whole recording keeps the recorder's counts. A part of it has its own counts:
 * the events produced and dropped are known only for the whole recording. Events of ras_event()
 * do not name their threads: where some of them are not copied, they are counted together. */

/* State of writing the member. */
struct recorder_copy {
    struct rewrite *rw;
    size_t first, last; /* processes */
    bool events_stay;   /* the count of each thread is still right */
    uint64_t events;    /* of all threads */
    size_t holders;     /* threads that have any */
    bool unfinished, killed;
    struct json *j;
};

/* The object of a member; empty where it is something else. */
static struct ras_bytes object_of(struct ras_bytes member, size_t key_len)
{
    size_t at = key_len;
    while (at < member.len && memchr(" \t\r\n:", member.at[at], 5))
        at++;
    if (at == member.len || member.at[at] != '{')
        return (struct ras_bytes){0};
    return (struct ras_bytes){member.at + at, member.len - at};
}

static struct ras_bytes copy_manifest_text(const struct rewrite *rw,
                                           const struct atf_process_copy *p)
{
    const struct ras_atf_session *s = &((struct atf *)rw->sources[p->source]->priv)->session;
    return source_bytes(s->source, (size_t)s->processes[p->process].manifest_part);
}

static const struct atf_manifest *copy_manifest(const struct rewrite *rw,
                                                const struct atf_process_copy *p)
{
    struct ras_atf_session *s = &((struct atf *)rw->sources[p->source]->priv)->session;
    return &s->processes[p->process].manifest;
}

/* Writes the member "recorder" of the new manifest from those of the processes from `first` up
 * to `last`, which become one. */
static bool copy_is_recorder(struct ras_bytes member)
{
    static const char key[] = "\"recorder\"";
    size_t len = sizeof key - 1;
    return member.len > len && !memcmp(member.at, key, len) && object_of(member, len).len;
}

static struct ras_bytes recorder_of(const struct rewrite *rw, const struct atf_process_copy *p)
{
    const struct atf_manifest *m = copy_manifest(rw, p);
    for (size_t i = 0; i < m->other_count; i++) {
        struct ras_bytes member = {copy_manifest_text(rw, p).at + m->others[i].at,
                                   m->others[i].len};
        if (copy_is_recorder(member))
            return object_of(member, m->others[i].key_len);
    }
    return (struct ras_bytes){0};
}

/* The next member of an object with its value, both as written; false: there is none. */
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

/* Move the reader into the list of threads of a recorder; false: it has none. */
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

/* Counts of calls and details, for the whole recording. */
static bool is_count(const struct json_token *key)
{
    return JSON_IS(key, "produced") || JSON_IS(key, "stored") || JSON_IS(key, "dropped") ||
           JSON_IS(key, "details") || JSON_IS(key, "details_dropped") ||
           JSON_IS(key, "events_dropped");
}

/* Counts of what was copied of a thread. */
static void put_copied(const struct recorder_copy *s, const struct atf_process_copy *p, uint64_t id)
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

static void put_copied_thread(const struct recorder_copy *s, const struct atf_process_copy *p,
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

static void put_copied_threads(const struct recorder_copy *s)
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

/* Drops without a thread are kept with the whole time only. */
static bool is_stray(const struct json_token *key)
{
    static const char stray[] = "stray_";
    return key->span.len >= sizeof stray - 1 && !memcmp(key->span.at, stray, sizeof stray - 1);
}

static void put_members(const struct recorder_copy *s, struct ras_bytes recorder)
{
    struct json_read in = json_read_bytes(recorder);
    struct json_token key, value;
    struct ras_bytes text;
    bool timed = s->rw->options->axis != RAS_AXIS_NONE, threads = false;
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

/* Only threads are taken from the others; their other members may contradict. */
static void note_others(const struct recorder_copy *s)
{
    const struct atf_rewrite *k = s->rw->priv;
    for (size_t i = s->first + 1; i < s->last; i++)
        if (recorder_of(s->rw, &k->processes[i]).len)
            rewrite_note(s->rw,
                         "of the recorder of trace %zu only the threads are kept; its other "
                         "members are left out",
                         k->processes[i].source + 1);
}

static void copy_recorder(struct rewrite *rw, size_t first, size_t last, struct json *j)
{
    const struct atf_rewrite *k = rw->priv;
    struct recorder_copy s = {.rw = rw, .first = first, .last = last, .j = j};
    struct ras_bytes recorder = recorder_of(rw, &k->processes[first]);
    uint64_t promised = 0;
    bool events_file = false;
    for (size_t i = first; i < last; i++) {
        const struct atf_process_copy *p = &k->processes[i];
        const struct atf_manifest *m = copy_manifest(rw, p);
        promised += m->events == RAS_NONE ? 0 : m->events;
        events_file |= p->has_events_file;
        s.events += p->carried;
        s.holders += count_holders(recorder_of(rw, p));
        s.unfinished |= m->out.unfinished;
        s.killed |= m->out.killed;
    }
    s.events_stay = s.events == promised || (rw->whole && !events_file);
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

/* ---- threads and names --------------------------------------------------------------- */

/* Joined sessions become one process unless they conflict: threads that share a number,
 * functions that share an id but not a name, another clock. Otherwise each keeps a directory and
 * a manifest of its own, and records stay unchanged. */

static int function_id_order(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* -1: memory is short. */
static int threads_share_a_number(const struct rewrite *rw)
{
    const struct atf_rewrite *k = rw->priv;
    uint32_t *ids = calloc(k->copy_count + 1, sizeof *ids);
    int share = 0;
    if (!ids)
        return -1;
    for (size_t i = 0; i < k->copy_count; i++)
        ids[i] = atf_copy_thread(rw, &k->copies[i])->thread_id;
    qsort(ids, k->copy_count, sizeof *ids, function_id_order);
    for (size_t i = 1; i < k->copy_count; i++)
        share |= ids[i] == ids[i - 1];
    free(ids);
    return share;
}

static bool clocks_differ(const struct rewrite *rw)
{
    const struct atf_rewrite *k = rw->priv;
    unsigned clock = 0;
    for (size_t i = 0; i < k->copy_count; i++) {
        struct atf_thread *t = atf_copy_thread(rw, &k->copies[i]);
        if (!atf_index_ready(atf_copy_session(rw, &k->copies[i]), t))
            continue;
        if (clock && t->index.header.clock_type != clock)
            return true;
        clock = t->index.header.clock_type;
    }
    return false;
}

static bool names_conflict(const struct atf_manifest *a, const struct atf_manifest *b)
{
    for (size_t i = 0; i < b->out.symbol_count; i++) {
        const struct ras_atf_symbol *y = &b->symbols[i],
                                    *x = atf_manifest_symbol(a, y->function_id);
        if (x && (x->name_len != y->name_len || memcmp(x->name, y->name, x->name_len) != 0))
            return true;
    }
    for (size_t i = 0; i < b->out.module_count; i++) {
        const struct ras_atf_module *x = atf_manifest_module(a, b->modules[i].module_id);
        if (x && strcmp(x->path, b->modules[i].path) != 0)
            return true;
    }
    return false;
}

static bool any_names_conflict(const struct rewrite *rw)
{
    const struct atf_rewrite *k = rw->priv;
    for (size_t i = 0; i < k->process_count; i++)
        for (size_t j = i + 1; j < k->process_count; j++)
            if (names_conflict(copy_manifest(rw, &k->processes[i]),
                               copy_manifest(rw, &k->processes[j])))
                return true;
    return false;
}

int atf_copy_layout(struct rewrite *rw, struct ras_error *err)
{
    struct atf_rewrite *k = rw->priv;
    if (rw->count == 1)
        return RAS_OK;
    int share = threads_share_a_number(rw);
    if (share < 0)
        return fail_memory(err);
    k->flat =
        !share && k->process_count == rw->count && !clocks_differ(rw) && !any_names_conflict(rw);
    for (size_t i = 0; i < k->process_count; i++) {
        struct atf_process_copy *p = &k->processes[i];
        size_t room = strlen(p->dir) + 40;
        p->made = malloc(room);
        if (!p->made)
            return fail_memory(err);
        snprintf(p->made, room, "session_%zu%s%s", p->source + 1, *p->dir ? "/" : "", p->dir);
        p->dir = k->flat ? "" : p->made;
    }
    return RAS_OK;
}

/* ---- symbols and modules that are needed ------------------------------------------ */

void atf_copy_needs(struct rewrite *rw, const struct atf_copy *c, uint64_t function_id)
{
    struct atf_rewrite *k = rw->priv;
    struct atf_process_copy *p = &k->processes[c->process];
    uint64_t *seen = &p->seen[function_id % 256];
    if (rw->whole || (*seen == function_id && p->modules))
        return;
    const struct atf_manifest *m = copy_manifest(rw, p);
    if (!p->symbols)
        p->symbols = calloc(m->out.symbol_count + 1, 1);
    if (!p->modules)
        p->modules = calloc(m->out.module_count + 1, 1);
    if (!p->symbols || !p->modules) {
        rw->nomem = true;
        return;
    }
    *seen = function_id;
    const struct ras_atf_symbol *symbol = atf_manifest_symbol(m, function_id);
    const struct ras_atf_module *module = atf_manifest_module(m, (uint32_t)(function_id >> 32));
    if (symbol)
        p->symbols[symbol - m->symbols] = true;
    if (module)
        p->modules[module - m->modules] = true;
}

/* ---- manifests ------------------------------------------------------------------------ */

/* A manifest that is being gathered from one or more old ones. */
struct gathered {
    struct ras_atf_manifest out;
    struct ras_atf_listed *threads;
    struct ras_atf_module *modules;
    struct ras_atf_symbol *symbols;
    struct ras_atf_anchor *anchors;
    struct ras_atf_drop *drops;
    size_t thread_room, module_room, symbol_room, anchor_room, drop_room;
    struct out members; /* unknown members, as they are */
    bool nomem, numbered;
    bool recorder; /* among the members */
};

#define GATHER(g, list, one, item) ATF_APPEND(g, list, one, item, (g)->nomem)

/* Whether one of the manifests gathered before has it. */
static bool has_symbol(const struct rewrite *rw, size_t first, size_t process, uint64_t id)
{
    const struct atf_rewrite *k = rw->priv;
    for (size_t i = first; i < process; i++) {
        const struct atf_manifest *m = copy_manifest(rw, &k->processes[i]);
        const struct ras_atf_symbol *s = atf_manifest_symbol(m, id);
        const bool *needed = k->processes[i].symbols;
        if (s && (rw->whole || (needed && needed[s - m->symbols])))
            return true;
    }
    return false;
}

static bool has_module(const struct rewrite *rw, size_t first, size_t process, uint32_t id)
{
    const struct atf_rewrite *k = rw->priv;
    for (size_t i = first; i < process; i++) {
        const struct atf_manifest *m = copy_manifest(rw, &k->processes[i]);
        const struct ras_atf_module *s = atf_manifest_module(m, id);
        const bool *needed = k->processes[i].modules;
        if (s && (rw->whole || (needed && needed[s - m->modules])))
            return true;
    }
    return false;
}

static void gather_names(const struct rewrite *rw, size_t first, size_t process, struct gathered *g)
{
    const struct atf_rewrite *k = rw->priv;
    const struct atf_process_copy *p = &k->processes[process];
    const struct atf_manifest *m = copy_manifest(rw, p);
    for (size_t i = 0; i < m->out.module_count; i++)
        if ((rw->whole || (p->modules && p->modules[i])) &&
            !has_module(rw, first, process, m->modules[i].module_id))
            GATHER(g, modules, module, m->modules[i]);
    for (size_t i = 0; i < m->out.symbol_count; i++)
        if ((rw->whole || (p->symbols && p->symbols[i])) &&
            !has_symbol(rw, first, process, m->symbols[i].function_id))
            GATHER(g, symbols, symbol, m->symbols[i]);
    for (size_t i = 0; i < m->out.anchor_count; i++)
        GATHER(g, anchors, anchor, m->anchors[i]);
}

/* It is not known when events were dropped, so their number goes with the whole thread. */
static void gather_drops(const struct rewrite *rw, const struct atf_copy *c, struct gathered *g)
{
    const struct ras_atf_drop *drop;
    for (uint64_t i = 0; rw->options->axis == RAS_AXIS_NONE &&
                         atf_drop_at(atf_copy_session(rw, c), c->thread, i, &drop);
         i++)
        GATHER(g, drops, drop, *drop);
}

/* ---- unknown members ---------------------------------------------------------------- */

/* Of several manifests that become one, the first that has a member counts; a later one with
 * another value is noted. True: one has it. */
static bool has_member(struct rewrite *rw, size_t first, size_t process, struct ras_bytes member,
                       size_t key_len)
{
    const struct atf_rewrite *k = rw->priv;
    for (size_t i = first; i < process; i++) {
        const struct atf_manifest *m = copy_manifest(rw, &k->processes[i]);
        for (size_t n = 0; n < m->other_count; n++) {
            const uint8_t *at = copy_manifest_text(rw, &k->processes[i]).at + m->others[n].at;
            struct ras_bytes key = {at, m->others[n].key_len}, all = {at, m->others[n].len};
            if (!bytes_same(key, (struct ras_bytes){member.at, key_len}))
                continue;
            if (!bytes_same(all, member))
                rewrite_note(rw,
                             "%.*s in the manifest of trace %zu differs from that of trace %zu "
                             "and is left out",
                             key_len < 64 ? (int)key_len : 64, (const char *)member.at,
                             k->processes[process].source + 1, k->processes[i].source + 1);
            return true;
        }
    }
    return false;
}

/* Unknown members. Those of the recorders are merged into one. */
static void gather_members(struct rewrite *rw, size_t first, size_t process, size_t last,
                           struct gathered *g)
{
    const struct atf_rewrite *k = rw->priv;
    const struct atf_process_copy *p = &k->processes[process];
    const struct atf_manifest *m = copy_manifest(rw, p);
    struct json j = atf_members_start(&g->members);
    for (size_t i = 0; i < m->other_count; i++) {
        struct ras_bytes member = {copy_manifest_text(rw, p).at + m->others[i].at,
                                   m->others[i].len};
        if (copy_is_recorder(member)) {
            if (!g->recorder)
                copy_recorder(rw, process, last, &j);
            g->recorder = true;
            continue;
        }
        if (!has_member(rw, first, process, member, m->others[i].key_len))
            atf_member(&j, member.at, member.len);
    }
    g->nomem |= g->members.failed;
}

/* Threads of several traces have no common creator. */
static const char *copied_thread_path(const struct rewrite *rw, size_t process,
                                      const struct atf_thread *t)
{
    const struct atf_rewrite *k = rw->priv;
    const struct ras_atf_listed *listed =
        atf_manifest_thread(copy_manifest(rw, &k->processes[process]), t->thread_id);
    return rw->count == 1 && listed ? listed->path : NULL;
}

static void gather_threads(const struct rewrite *rw, size_t process, struct gathered *g)
{
    const struct atf_rewrite *k = rw->priv;
    for (size_t i = 0; i < k->copy_count; i++) {
        const struct atf_copy *c = &k->copies[i];
        const struct atf_thread *t = atf_copy_thread(rw, c);
        if (c->process != process || !c->written)
            continue;
        struct ras_atf_listed listed = {t->thread_id, c->has_detail,
                                        copied_thread_path(rw, process, t)};
        GATHER(g, threads, thread, listed);
        gather_drops(rw, c, g);
        g->numbered |= t->numbered || rw->count > 1;
        if (!c->event_count)
            continue;
        if (!g->out.has_times || c->time_min < g->out.time_start_ns)
            g->out.time_start_ns = c->time_min;
        if (!g->out.has_times || c->time_max > g->out.time_end_ns)
            g->out.time_end_ns = c->time_max;
        g->out.has_times = true;
    }
    if (!g->out.clock_type)
        g->out.clock_type = k->processes[process].clock_type;
}

static int rewrite_write_manifest(struct rewrite *rw, size_t first, size_t last,
                                  struct ras_error *err)
{
    const struct atf_rewrite *k = rw->priv;
    const char *dir = k->processes[first].dir;
    struct gathered g = {.out.format_version = ""};
    struct ras_sink *sink;
    char name[4096];
    int status = RAS_OK;
    for (size_t i = first; i < last; i++) {
        gather_threads(rw, i, &g);
        gather_names(rw, first, i, &g);
        gather_members(rw, first, i, last, &g);
    }
    g.out.threads = g.threads;
    g.out.modules = g.modules;
    g.out.symbols = g.symbols;
    g.out.anchors = g.anchors;
    g.out.drops = g.drops;
    snprintf(name, sizeof name, "%s%smanifest.json", dir, *dir ? "/" : "");
    if (g.nomem)
        status = fail_memory(err);
    else if (g.out.thread_count && g.numbered) {
        status = ras_folder_sink(rw->folder, name, &sink, err);
        const struct atf_manifest_more more = {.members = {g.members.at, g.members.len}};
        if (status == RAS_OK)
            status = atf_manifest_write(&g.out, &more, sink, err);
        if (g.out.drop_count)
            rewrite_kept(rw, "gap", g.out.drop_count);
    }
    free(g.threads);
    free(g.modules);
    free(g.symbols);
    free(g.anchors);
    free(g.drops);
    out_free(&g.members);
    return status;
}

/* In the order of their threads, so that a copy of a copy is identical. */
int atf_copy_manifests(struct rewrite *rw, struct ras_error *err)
{
    struct atf_rewrite *k = rw->priv;
    int status = RAS_OK;
    if (k->flat)
        return rewrite_write_manifest(rw, 0, k->process_count, err);
    for (size_t i = 0; status == RAS_OK && i < k->copy_count; i++) {
        size_t process = k->copies[i].process;
        if (!k->processes[process].done)
            status = rewrite_write_manifest(rw, process, process + 1, err);
        k->processes[process].done = true;
    }
    return status;
}
