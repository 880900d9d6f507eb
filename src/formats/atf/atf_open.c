/* atf_open.c - opens a session as a trace: dialect, schemas, facts, notes. */
#include "formats/atf/atf_driver.h"

static struct ras_atf_session *trace_session(const struct ras_trace *t)
{
    return &((struct atf *)t->priv)->session;
}

enum atf_cpu atf_cpu_of(struct ras_atf_session *s, struct atf_thread *t)
{
    unsigned arch = 0;
    if (atf_index_ready(s, t))
        arch = t->index.header.arch;
    else if (atf_detail_ready(s, t))
        arch = t->detail.header.arch;
    return arch == RAS_ATF_X86_64 ? CPU_X86_64 : CPU_OTHER;
}

/* ---- dialect ------------------------------------------------------------ */

/* The clock of Apple's systems on another system: the public tracer writes it everywhere. */
static bool has_foreign_clock(struct ras_atf_session *s, struct atf_thread *t)
{
    const struct ras_atf_index_header *h = &t->index.header;
    return atf_index_ready(s, t) && h->clock_type == RAS_ATF_MACH_CONTINUOUS &&
           h->os >= RAS_ATF_ANDROID && h->os != RAS_ATF_MACOS && ras_atf_os_name(h->os);
}

/* The public tracer is recognised by its payloads: the first detail of the session decides, and
 * without details the clock. */
static bool session_is_production(struct ras_atf_session *s)
{
    for (size_t i = 0; i < s->thread_count; i++) {
        struct atf_thread *t = &s->threads[i];
        if (!atf_detail_ready(s, t))
            continue;
        struct ras_atf_detail_event event;
        struct ras_atf_payload payload;
        uint64_t at = t->detail.at;
        struct ras_bytes bytes = source_bytes(s->source, (size_t)t->detail_file.part);
        if (ras_atf_detail_step(&t->detail, bytes, &at, &event) == RAS_OK)
            return ras_atf_payload_get(&event, RAS_ATF_OPAQUE, &payload) == RAS_ATF_PRODUCTION;
    }
    return s->thread_count && has_foreign_clock(s, &s->threads[0]);
}

static void set_dialect(struct ras_trace *t)
{
    struct atf *atf = t->priv;
    if (t->dialect_requested)
        t->dialect = !strcmp(t->dialect_requested, "spec") ? "spec" : "production";
    else
        t->dialect = session_is_production(&atf->session) ? "production" : "spec";
    /* In the published text there is only one form of payload. */
    if (t->dialect_requested && !strcmp(t->dialect_requested, "spec"))
        atf->form = RAS_ATF_SPEC;
}

/* ---- facts and notes ---------------------------------------------------- */

static bool add_code_fact(struct ras_trace *t, const char *key, const char *name, unsigned number)
{
    return name ? fact_str(t, key, name, strlen(name)) : fact_uint(t, key, number, 0);
}

static bool add_facts(struct ras_trace *t)
{
    struct ras_atf_session *s = trace_session(t);
    bool ok = fact_uint(t, "threads", s->thread_count, 0);
    for (size_t i = 0; i < s->thread_count; i++) {
        struct atf_thread *thread = &s->threads[i];
        if (!atf_index_ready(s, thread))
            continue;
        const struct ras_atf_index_header *h = &thread->index.header;
        ok = ok && add_code_fact(t, "arch", ras_atf_arch_name(h->arch), h->arch) &&
             add_code_fact(t, "os", ras_atf_os_name(h->os), h->os) &&
             add_code_fact(t, "clock_type", ras_atf_clock_name(h->clock_type), h->clock_type);
        break;
    }
    const struct ras_atf_manifest *m = ras_atf_manifest(s, 0);
    if (m->present)
        ok = ok && fact_str(t, "format_version", m->format_version, strlen(m->format_version)) &&
             fact_uint(t, "modules", m->module_count, 0) &&
             fact_uint(t, "symbols", m->symbol_count, 0) &&
             fact_uint(t, "timing_anchors", m->anchor_count, 0);
    return ok && atf_describe_ends(t);
}

static void note_file(struct ras_trace *t, const struct atf_thread_file *file)
{
    if (file->part >= 0 && file->loaded && file->status < 0)
        note_add(t, "%s cannot be read: %s", source_name(t->source, (size_t)file->part),
                 file->error.text);
}

static void note_process(struct ras_trace *t, size_t process)
{
    enum { NOTES_MAX = 16 };
    struct ras_atf_session *s = trace_session(t);
    const struct atf_process *p = &s->processes[process];
    const struct ras_atf_manifest *m = &p->manifest.out;
    const char *slash = p->dir_len ? "/" : "";
    if (p->manifest_part < 0) {
        if (source_is_dir(t->source))
            note_add(t, "no %s%smanifest.json: threads were found by their directories", p->dir,
                     slash);
    } else if (p->manifest_status < 0) {
        note_add(t, "%s%smanifest.json is not used: %s", p->dir, slash, p->manifest_error.text);
        missing_note(t, (uint32_t)p->manifest_part, p->manifest_error.offset,
                     "the names it has are not used: %s", p->manifest_error.text);
    }
    uint64_t lost = atf_session_events_lost(s, process);
    if (lost)
        missing_note(t, (uint32_t)p->manifest_part, 0, ATF_EVENTS_LOST, lost);
    if (m->window_lacks_ns)
        missing_note(t, (uint32_t)p->manifest_part, 0, ATF_WINDOW_CUT, m->window_whole_ns,
                     (double)m->window_lacks_ns / 1e9);
    /* Without a thread there is no gap that could say so. */
    for (size_t i = 0; p->thread_from == p->thread_to && i < m->drop_count && i < NOTES_MAX; i++)
        note_add(t, "%s%smanifest.json counts %" PRIu64 " events that are not here: %s", p->dir,
                 slash, m->drops[i].events, m->drops[i].reason);
    size_t missing = 0;
    for (size_t i = 0; i < m->thread_count && missing < NOTES_MAX; i++) {
        const char *lacks =
            atf_listed_lacks(&m->threads[i], atf_thread_find(s, process, m->threads[i].id));
        if (!lacks)
            continue;
        missing++;
        note_add(t, "%s%smanifest.json lists thread %u, which has no %s", p->dir, slash,
                 m->threads[i].id, lacks);
        missing_note(t, (uint32_t)p->manifest_part, 0, "lists thread %u, which has no %s",
                     m->threads[i].id, lacks);
    }
}

void atf_describe_thread(struct ras_trace *t, const struct atf_thread *thread)
{
    const struct ras_atf_session *s = trace_session(t);
    const struct atf_process *p = &s->processes[thread->process];
    const struct ras_atf_listed *listed = atf_manifest_thread(&p->manifest, thread->thread_id);
    bool named = listed && listed->name;
    char name[300], own[80] = "";
    if (named)
        snprintf(own, sizeof own, " (%.64s)", listed->name);
    if (s->process_count > 1)
        snprintf(name, sizeof name, "thread %u%s of %s", thread->thread_id, own,
                 *p->name ? p->name : "this directory");
    else
        snprintf(name, sizeof name, "thread %u%s", thread->thread_id, own);
    (void)stream_add(t, thread->stream, name); /* a name is not worth failing for */
    note_file(t, &thread->index_file);
    note_file(t, &thread->detail_file);
}

static bool add_schemas(struct ras_trace *t)
{
    struct atf *atf = t->priv;
    struct ras_atf_session *s = &atf->session;
    bool ok = schema_add(t, &atf_event_schema) == ATF_EVENT &&
              schema_add(t, &atf_span_schema) == ATF_SPAN &&
              schema_add(t, &atf_thread_schema) == ATF_THREAD &&
              schema_add(t, &atf_function_schema) == ATF_FUNCTION &&
              schema_add(t, &atf_module_schema) == ATF_MODULE;
    for (size_t i = 0; ok && i < s->thread_count; i++) {
        struct atf_thread *thread = &s->threads[i];
        enum atf_cpu cpu = atf_cpu_of(s, thread);
        bool readable = atf_index_ready(s, thread) || atf_detail_ready(s, thread);
        if (atf->detail[cpu] || !readable)
            continue;
        int64_t id = schema_add(t, &atf_detail_schemas[cpu]);
        ok = id > 0;
        atf->detail[cpu] = (uint32_t)id;
    }
    return ok;
}

int atf_open(struct ras_trace *t, struct ras_error *err)
{
    struct atf *atf = t->priv;
    struct ras_atf_session *s = &atf->session;
    int status = atf_session_init(s, t->source, &t->limits, err);
    if (status < 0)
        return status;
    t->version = RAS_ATF_VERSION;
    set_dialect(t);
    if (!add_schemas(t) || !add_facts(t))
        return fail_memory(err);
    for (size_t i = 0; i < s->process_count; i++)
        note_process(t, i);
    for (size_t i = 0; i < s->thread_count; i++)
        atf_describe_thread(t, &s->threads[i]);
    return s->nomem ? fail_memory(err) : RAS_OK;
}

void atf_close(struct ras_trace *t)
{
    atf_session_free(trace_session(t));
}

int atf_media_time(const struct ras_trace *t, double seconds, uint64_t *time_ns,
                   struct ras_error *err)
{
    const struct ras_atf_session *s = trace_session(t);
    for (size_t i = 0; i < s->process_count; i++)
        if (s->processes[i].manifest.out.anchor_count) {
            if (atf_manifest_media(&s->processes[i].manifest, seconds, time_ns))
                return RAS_OK;
            return fail(err, RAS_EUSAGE, RAS_NONE,
                        "%g seconds of the media are outside the time of the trace", seconds);
        }
    return fail(err, RAS_EUNSUPPORTED, RAS_NONE, "the manifest has no timing_anchors");
}
