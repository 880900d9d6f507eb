/* atf_check.c - the rules of a session: its manifest, and the rules that both files share. */
#include "formats/atf/atf_check.h"
#include "codec/crc32.h"

const struct ras_rule atf_rules[] = {ATF_RULES(RULE_ROW) RULES_END};

/* ---- both files -------------------------------------------------------------- */

void atf_check_zero(struct atf_checker *k, uint64_t at, uint64_t length, const char *what)
{
    for (uint64_t i = at; i < at + length; i++)
        if (k->bytes.at[i]) {
            FINDING(k, RESERVED_ZERO, at, length, "%s is not zero: byte %" PRIu64 " is 0x%02x",
                    what, i - at, k->bytes.at[i]);
            return;
        }
}

static void check_refused(struct atf_checker *k, const struct atf_thread_file *file)
{
    static const struct {
        uint64_t at;
        enum atf_rule rule;
    } rules[] = {
        {HEADER_MAGIC, HEADER_BAD_MAGIC},         {HEADER_ENDIAN, HEADER_BAD_ENDIAN},
        {HEADER_VERSION, HEADER_BAD_VERSION},     {INDEX_EVENT_SIZE, HEADER_BAD_EVENT_SIZE},
        {INDEX_EVENTS_OFFSET, HEADER_BAD_OFFSET}, {DETAIL_EVENTS_OFFSET, HEADER_BAD_OFFSET},
    };
    enum atf_rule rule = file->status == RAS_ECUT ? HEADER_CUT : HEADER_UNREADABLE;
    for (size_t i = 0; rule == HEADER_UNREADABLE && i < sizeof rules / sizeof *rules; i++)
        if (rules[i].at == file->error.offset)
            rule = rules[i].rule;
    FINDING(k, rule, file->error.offset == RAS_NONE ? 0 : file->error.offset, 0, "%s",
            file->error.text);
}

void atf_check_ending(struct atf_checker *k, bool detail)
{
    struct atf_gap gap;
    struct atf_verdict v = atf_file_verdict(k->session, k->thread, detail);
    uint64_t footer_at = detail ? k->thread->detail.footer_at : k->thread->index.footer_at;
    if (atf_file_gap(k->session, k->thread, detail, &gap))
        FINDING(k, detail ? DETAIL_LENGTH : FILE_GAP, gap.at, gap.length, "%s", gap.why);
    else if (v.kind == RAS_DAMAGED)
        FINDING(k, detail && v.offset < footer_at ? DETAIL_LENGTH : FILE_GAP, v.offset,
                k->bytes.len - v.offset, "%s", v.why);
    else if (v.kind == RAS_CUT)
        FINDING(k, FILE_CUT, v.offset, k->bytes.len - v.offset, "%s", v.why);
}

void atf_check_times(struct atf_checker *k, enum atf_rule rule, uint64_t at,
                     const uint64_t stated[2], const uint64_t found[2])
{
    static const char *const which[] = {"time_start_ns", "time_end_ns"};
    static const char *const event[] = {"first", "last"};
    for (unsigned i = 0; i < 2; i++)
        if (stated[i] != found[i])
            FINDING(k, rule, at + 8 * i, 8, "%s is %" PRIu64 ", the %s event has %" PRIu64,
                    which[i], stated[i], event[i], found[i]);
}

void atf_check_crc(struct atf_checker *k, uint64_t footer_at, uint32_t stated, uint64_t from,
                   uint64_t to)
{
    uint64_t at = footer_at + INDEX_FOOTER_CHECKSUM;
    if (!stated) {
        if (to > from)
            FINDING(k, FOOTER_NO_CHECKSUM, at, 4, "checksum is 0: not computed");
        return;
    }
    uint32_t found = crc32_update(0, k->bytes.at + from, (size_t)(to - from));
    if (found != stated)
        FINDING(k, FOOTER_CHECKSUM, at, 4,
                "checksum is 0x%08" PRIx32 ", the CRC-32 of %" PRIu64 " bytes is 0x%08" PRIx32,
                stated, to - from, found);
}
_Static_assert((int)INDEX_FOOTER_CHECKSUM == (int)DETAIL_FOOTER_CHECKSUM,
               "same offset in both footers");

/* Repair closes files that a crash left open. */
static bool is_repaired(const struct atf_checker *k)
{
    return atf_manifest_repaired(&k->session->processes[k->thread->process].manifest,
                                 k->thread->thread_id);
}

bool atf_file_sealed(struct atf_checker *k, bool detail)
{
    struct atf_thread *t = k->thread;
    if (is_repaired(k))
        return false;
    if (detail)
        return t->detail_file.part < 0
                   ? atf_file_sealed(k, false)
                   : atf_detail_ready(k->session, t) && t->detail.footer_at != RAS_NONE;
    return atf_index_ready(k->session, t) && t->index.footer_at != RAS_NONE;
}

/* ---- manifest ------------------------------------------------------------------ */

static void check_listed(struct atf_checker *k, size_t process, const struct atf_manifest *manifest)
{
    const struct ras_atf_manifest *m = &manifest->out;
    for (size_t i = 0; i < m->thread_count; i++) {
        const struct ras_atf_listed *l = &m->threads[i];
        const struct atf_thread *t = atf_thread_find(k->session, process, l->id);
        const char *lacks = atf_listed_lacks(l, t);
        if (lacks)
            FINDING(k, MANIFEST_THREAD, 0, 0, "thread %u is listed, but has no %s", l->id, lacks);
        else if (!l->has_detail && t->detail_file.part >= 0)
            FINDING(k, MANIFEST_DETAIL, 0, 0,
                    "has_detail of thread %u is false, detail.atf is there", l->id);
    }
    for (FROM_THREAD(k->session, process, i)) {
        const struct atf_thread *t = &k->session->threads[i];
        if (t->process == process && !atf_manifest_thread(manifest, t->thread_id))
            FINDING(k, MANIFEST_UNLISTED, 0, 0, "thread %u has files, but is not listed",
                    t->thread_id);
    }
}

static void check_times_and_clock(struct atf_checker *k, size_t process,
                                  const struct ras_atf_manifest *m)
{
    uint64_t first = RAS_NONE, last = 0;
    for (FROM_THREAD(k->session, process, i)) {
        struct atf_thread *t = &k->session->threads[i];
        if (t->process != process || !atf_index_ready(k->session, t))
            continue;
        if (m->has_clock && m->clock_type != t->index.header.clock_type)
            FINDING(k, MANIFEST_CLOCK, 0, 0, "clock_type is %u, that of thread %u is %u",
                    m->clock_type, t->thread_id, t->index.header.clock_type);
        if (!t->index.count)
            continue;
        const struct atf_times *times = atf_times(k->session, t);
        first = times->min < first ? times->min : first;
        last = times->max > last ? times->max : last;
    }
    if (m->has_times && first != RAS_NONE && (m->time_start_ns != first || m->time_end_ns != last))
        FINDING(k, MANIFEST_TIME, 0, 0,
                "times are %" PRIu64 " to %" PRIu64 ", those of the events %" PRIu64 " to %" PRIu64,
                m->time_start_ns, m->time_end_ns, first, last);
}

static void check_names(struct atf_checker *k, const struct atf_manifest *manifest)
{
    const struct ras_atf_manifest *m = &manifest->out;
    for (size_t i = 0; i < m->symbol_count; i++) {
        const struct ras_atf_symbol *s = &m->symbols[i];
        if (s->function_id != ((uint64_t)s->module_id << 32 | s->symbol_index))
            FINDING(k, MANIFEST_SYMBOL, s->offset, s->length,
                    "function_id is 0x%016" PRIx64 ", module_id %u and symbol_index %u",
                    s->function_id, s->module_id, s->symbol_index);
        if (atf_manifest_symbol(manifest, s->function_id) != s)
            FINDING(k, MANIFEST_DUPLICATE, s->offset, s->length,
                    "function_id 0x%016" PRIx64 " is listed before", s->function_id);
    }
    for (size_t i = 0; i < m->module_count; i++)
        if (atf_manifest_module(manifest, m->modules[i].module_id) != &m->modules[i])
            FINDING(k, MANIFEST_DUPLICATE, m->modules[i].offset, m->modules[i].length,
                    "module_id %u is listed before", m->modules[i].module_id);
}

/* A missing manifest is reported for the first file that exists; a process without threads has
 * one. */
static int64_t first_part(const struct atf_checker *k, size_t process)
{
    const struct atf_process *p = &k->session->processes[process];
    if (p->thread_to == p->thread_from)
        return p->manifest_part;
    const struct atf_thread *t = &k->session->threads[p->thread_from];
    return t->index_file.part >= 0 ? t->index_file.part : t->detail_file.part;
}

static void check_manifest(struct atf_checker *k, size_t process)
{
    const struct atf_process *p = &k->session->processes[process];
    const struct ras_atf_manifest *m = &p->manifest.out;
    if (p->manifest_part < 0) {
        k->part = (uint32_t)first_part(k, process);
        if (source_is_dir(k->session->source))
            FINDING(k, MANIFEST_MISSING, 0, 0, "no %s%smanifest.json", p->dir,
                    p->dir_len ? "/" : "");
        return;
    }
    k->part = (uint32_t)p->manifest_part;
    if (p->manifest_status < 0) {
        FINDING(k, MANIFEST_JSON,
                p->manifest_error.offset == RAS_NONE ? 0 : p->manifest_error.offset, 0, "%s",
                p->manifest_error.text);
        return;
    }
    if (m->unfinished)
        FINDING(k, MANIFEST_UNFINISHED, 0, 0, ATF_UNFINISHED);
    uint64_t lost = atf_session_events_lost(k->session, process);
    if (lost)
        FINDING(k, MANIFEST_EVENTS, 0, 0, ATF_EVENTS_LOST, lost);
    if (m->window_lacks_ns)
        FINDING(k, WINDOW_CUT, 0, 0, ATF_WINDOW_CUT, m->window_whole_ns,
                (double)m->window_lacks_ns / 1e9);
    if (p->manifest.mismatch[0])
        FINDING(k, MANIFEST_FIELD, p->manifest.mismatch_at, 0, "%s", p->manifest.mismatch);
    check_listed(k, process, &p->manifest);
    check_times_and_clock(k, process, m);
    check_names(k, &p->manifest);
}

/* ---- the whole ------------------------------------------------------------------- */

/* Both files of a thread, one at a time. */
static int check_thread_file(struct atf_checker *k, bool detail, struct ras_error *err)
{
    const struct atf_thread_file *file = detail ? &k->thread->detail_file : &k->thread->index_file;
    if (file->part < 0)
        return RAS_OK;
    k->part = (uint32_t)file->part;
    if (source_load(k->session->source, (size_t)file->part, NULL) == RAS_OK) /* all, or as far as */
        (void)source_bytes(k->session->source, (size_t)file->part);          /* it is not damaged */
    bool ready =
        detail ? atf_detail_ready(k->session, k->thread) : atf_index_ready(k->session, k->thread);
    k->bytes = source_bytes(k->session->source, (size_t)file->part);
    if (!ready) {
        check_refused(k, file);
        return RAS_OK;
    }
    int status = RAS_OK;
    if (detail)
        status = atf_check_details(k, err);
    else
        atf_check_index(k);
    k->done += k->bytes.len;
    return status;
}

/* A program that records only events of ras_event() has them in a file beside its threads. */
static bool carries_events(const struct ras_atf_session *s)
{
    for (size_t i = 0; i < source_count(s->source); i++)
        if (source_is_carried(s->source, i) && source_load(s->source, i, NULL) == RAS_OK &&
            source_bytes(s->source, i).len)
            return true;
    return false;
}

int atf_check(struct ras_trace *t, struct report *report, struct ras_error *err)
{
    struct ras_atf_session *s = &((struct atf *)t->priv)->session;
    struct atf_checker k = {.trace = t,
                            .session = s,
                            .report = report,
                            .production = !strcmp(t->dialect, "production")};
    uint64_t records = 0;
    for (size_t i = 0; i < s->process_count; i++)
        check_manifest(&k, i);
    for (size_t i = 0; i < s->thread_count; i++) {
        k.thread = &s->threads[i];
        int status = check_thread_file(&k, false, err);
        if (status == RAS_OK)
            status = check_thread_file(&k, true, err);
        if (status < 0)
            return status;
        if (s->nomem)
            return fail_memory(err);
        records += atf_file_records(s, k.thread, false) + atf_file_records(s, k.thread, true);
    }
    k.part = (uint32_t)first_part(&k, 0);
    if (!records && !carries_events(s))
        FINDING(&k, SESSION_EMPTY, 0, 0, "the session holds no events");
    return RAS_OK;
}
