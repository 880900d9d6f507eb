/* atf_repair_manifest.c - the manifest beside repaired threads.
 *
 * A manifest that can be read is only added to: threads that it does not list, and which threads
 * repair has closed; and it no longer promises details that are lost. A missing one is made from
 * the files, one that is not JSON from the files and from its readable part. */
#include "base/memory.h"
#include "codec/json_read.h"
#include "formats/atf/atf_repair.h"
#include "formats/atf/atf_session.h"
#include "formats/atf/atf_write.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- counts -------------------------------------------------------------------------- */

/* The manifest of a killed recorder is out of date. A durable recording has its counts in the
 * lanes, and those of removed lanes in a file beside the manifest. Without them the number of
 * missing events is unknown. */

/* Reads `count` numbers at the offset in a field of the header. */
static bool numbers_at(struct ras_bytes file, uint64_t at, uint64_t count, uint64_t *out)
{
    if (at > file.len || file.len - at < count * sizeof *out)
        return false;
    for (uint64_t i = 0; i < count; i++)
        out[i] = load_u64(file.at + at + i * sizeof *out);
    return true;
}

static uint64_t counted_reasons_sum(const uint64_t *reasons)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < ATF_REASONS_MOST; i++)
        sum += reasons[i];
    return sum;
}

/* What was counted in earlier segments is theirs. */
static uint64_t without(uint64_t count, uint64_t before)
{
    return count > before ? count - before : 0;
}

/* The drain counts some of the events that were published and not stored; a kill may have come
 * between the count and the write. */
void atf_repair_count_lane(const struct atf_ring *ring, struct atf_repaired *out)
{
    struct atf_counted *c = &out->counted;
    struct ras_bytes lane = ring->file;
    uint64_t lost[ATF_REASONS_MOST] = {0}, events_dropped[ATF_REASONS_MOST] = {0};
    uint64_t stored = out->events + out->more_events, head = ring->head;
    uint64_t reasons = atf_ring_counts(lane) ? load_u64(lane.at + RING_REASONS) : UINT64_MAX;
    bool good =
        reasons <= ATF_REASONS_MOST && stored <= head &&
        numbers_at(lane, load_u64(lane.at + RING_DROPPED_AT), reasons, c->dropped) &&
        numbers_at(lane, load_u64(lane.at + RING_LOST_AT), reasons, lost) &&
        numbers_at(lane, load_u64(lane.at + RING_STREAM_DROPPED_AT), reasons, events_dropped);
    if (!good)
        return;
    for (unsigned i = 0; i < ATF_REASONS_MOST; i++) {
        c->dropped[i] = without(c->dropped[i], ring->base.dropped[i]);
        events_dropped[i] = without(events_dropped[i], ring->base.events_dropped[i]);
    }
    c->events =
        without(atf_ring_number(lane, RING_STREAM_COUNT_AT, &good), ring->base.stream_events);
    c->details_dropped =
        without(atf_ring_number(lane, RING_DETAILS_DROPPED_AT, &good), ring->base.details_dropped);
    c->events_dropped = counted_reasons_sum(events_dropped);
    c->produced = head + counted_reasons_sum(c->dropped);
    c->left = head - stored;
    for (unsigned i = 0; i < ATF_REASONS_MOST; i++) {
        uint64_t taken = lost[i] < c->left ? lost[i] : c->left;
        c->dropped[i] += taken;
        c->left -= taken;
    }
    c->known = good;
}

/* ---- threads that had ended ----------------------------------------------------------- */

struct by_id {
    uint64_t id;
    size_t thread;
};

/* Of structures that begin with a uint64_t id. */
static int id_order(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* What these threads have counted minus their sealed files is lost. */
static void take_ended(const uint8_t *record, uint64_t reasons, struct atf_repaired *out)
{
    struct atf_counted *c = &out->counted;
    uint64_t stored = out->events + out->more_events;
    if (c->known)
        return; /* its lane has newer counts */
    c->produced = load_u64(record + ENDED_PRODUCED);
    c->events = load_u64(record + ENDED_EVENTS);
    c->events_dropped = load_u64(record + ENDED_EVENTS_DROPPED);
    c->details_dropped = load_u64(record + ENDED_DETAILS_DROPPED);
    for (uint64_t i = 0; i < reasons; i++)
        c->dropped[i] = load_u64(record + ENDED_DROPPED + i * sizeof(uint64_t));
    uint64_t accounted = stored + counted_reasons_sum(c->dropped);
    c->left = c->produced > accounted ? c->produced - accounted : 0;
    c->known = c->produced >= accounted;
}

static void take_all(struct atf_repairer *m, struct ras_bytes file, uint64_t reasons,
                     const struct by_id *ids, size_t count)
{
    size_t size = ENDED_DROPPED + (size_t)reasons * sizeof(uint64_t);
    for (uint64_t at = load_u64(file.at + COUNTS_RECORDS_AT);
         at <= file.len && file.len - at >= size; at += size) {
        const struct by_id want = {.id = load_u64(file.at + at + ENDED_THREAD_ID)};
        const struct by_id *found = bsearch(&want, ids, count, sizeof *ids, id_order);
        if (found)
            take_ended(file.at + at, reasons, &m->threads[found->thread]);
    }
}

/* A lane that was about to come from the last segment has counted nothing here. */
static bool process_is_counted(const struct atf_repairer *m, size_t process)
{
    for (FROM_THREAD(m->session, process, i)) {
        struct atf_counted *c = &m->threads[i].counted;
        if (m->session->threads[i].process != process)
            continue;
        c->known |= atf_lane_has_not_come(m->session, &m->session->threads[i]);
        if (!c->known)
            return false;
    }
    return true;
}

static void take_segment(struct ras_bytes file, struct atf_strays *strays)
{
    enum { DELETED, DELETED_EVENTS, HERE, TAKEN_OVER, NUMBERS };
    uint64_t n[NUMBERS] = {0};
    if (file.len < COUNTS_SEGMENT_END || load_u64(file.at + COUNTS_STRAY_AT) < COUNTS_SEGMENT_END)
        return;
    (void)numbers_at(file, load_u64(file.at + COUNTS_NUMBERS_AT), NUMBERS, n);
    strays->segment = load_u64(file.at + COUNTS_SEGMENT);
    if (!n[HERE] || n[TAKEN_OVER])
        return;
    strays->deleted = n[DELETED];
    strays->deleted_events = n[DELETED_EVENTS];
}

static bool repair_counts(struct atf_repairer *m, size_t process, struct atf_strays *strays)
{
    const struct ras_atf_session *s = m->session;
    const struct atf_process *p = &s->processes[process];
    struct ras_bytes file;
    size_t count = 0;
    if (!atf_repair_find(m, p->dir, p->dir_len, ATF_COUNTS_NAME, &file) ||
        file.len < COUNTS_HEADER_SIZE || memcmp(file.at, ATF_COUNTS_MAGIC, 8) != 0)
        return false;
    uint64_t reasons = load_u64(file.at + COUNTS_REASONS);
    uint64_t stray_at = load_u64(file.at + COUNTS_STRAY_AT);
    if (reasons > ATF_REASONS_MOST || !numbers_at(file, stray_at, reasons, strays->calls) ||
        !numbers_at(file, stray_at + reasons * sizeof(uint64_t), reasons, strays->events))
        return false;
    take_segment(file, strays);
    struct by_id *ids = calloc(p->thread_to - p->thread_from + 1, sizeof *ids);
    if (!ids) {
        m->plan->nomem = true;
        return false;
    }
    for (FROM_THREAD(s, process, i))
        if (s->threads[i].process == process)
            ids[count++] = (struct by_id){s->threads[i].thread_id, i};
    if (count)
        qsort(ids, count, sizeof *ids, id_order);
    take_all(m, file, reasons, ids, count);
    free(ids);
    return process_is_counted(m, process);
}

/* ---- the recorder's member ----------------------------------------------------------- */

/* The members of a thread other than its counts, as they are written; empty: none. */
struct kept_members {
    uint64_t id;
    struct ras_bytes os_tid, name;
};

struct kept_list {
    struct kept_members *at;
    size_t count, room;
};

static bool add_kept(struct json_read *in, struct kept_list *list)
{
    struct kept_members kept = {0};
    struct json_token key, value;
    while (json_read_next(in, &key) == JSON_KEY) {
        json_read_next(in, &value);
        if (JSON_IS(&key, "id"))
            (void)json_u64_of(&value, &kept.id);
        struct ras_bytes text = json_read_value(in, &value);
        if (JSON_IS(&key, "os_tid"))
            kept.os_tid = text;
        else if (JSON_IS(&key, "name"))
            kept.name = text;
    }
    if (!array_grow(&list->at, &list->room, list->count + 1, sizeof *list->at))
        return false;
    list->at[list->count++] = kept;
    return true;
}

static bool is_counted_key(const struct json_token *key)
{
    static const char stray[] = "stray_";
    return JSON_IS(key, "complete") || JSON_IS(key, "threads") || JSON_IS(key, "segment") ||
           JSON_IS(key, "deleted_segments") || JSON_IS(key, "deleted_events") ||
           (key->span.len >= sizeof stray - 1 && !memcmp(key->span.at, stray, sizeof stray - 1));
}

/* Writes the members that are not counts; false: no memory. */
static bool read_old(struct ras_bytes old, struct kept_list *list, struct json *j)
{
    struct json_read in = json_read_bytes(old);
    struct json_token key, value;
    bool good = true;
    if (json_read_next(&in, &key) != JSON_OBJECT)
        return true;
    while (good && json_read_next(&in, &key) == JSON_KEY) {
        const uint8_t *from = key.span.at - 1;
        json_read_next(&in, &value);
        if (JSON_IS(&key, "threads") && value.kind == JSON_ARRAY) {
            while (good && json_read_next(&in, &value) == JSON_OBJECT)
                good = add_kept(&in, list);
            continue;
        }
        if (json_read_skip(&in, &value) && !is_counted_key(&key))
            json_members(j, from, (size_t)(in.at - from));
    }
    if (list->count)
        qsort(list->at, list->count, sizeof *list->at, id_order);
    return good;
}

/* ---- writing ------------------------------------------------------------------------------ */

static void put_repaired_count(struct json *j, const char *what, const char *more, uint64_t count)
{
    char key[64];
    snprintf(key, sizeof key, "%s_%s", what, more);
    json_uint(j, key, count);
}

static void put_strays(struct json *j, const char *what, const uint64_t *strays)
{
    for (unsigned i = 0; i < ATF_REASONS_MOST; i++)
        if (strays[i])
            put_repaired_count(j, what, atf_reason(i), strays[i]);
}

static void put_pair(struct json *j, const char *what, uint64_t stored, uint64_t dropped)
{
    if (!stored && !dropped)
        return;
    json_uint(j, what, stored);
    put_repaired_count(j, what, "dropped", dropped);
}

static void put_repaired_thread(struct json *j, const struct atf_thread *t,
                                const struct atf_repaired *repaired, const struct kept_list *list)
{
    const struct atf_counted *c = &repaired->counted;
    const struct kept_members want = {.id = t->thread_id};
    const struct kept_members *kept =
        list->count ? bsearch(&want, list->at, list->count, sizeof want, id_order) : NULL;
    uint64_t stored = repaired->events + repaired->more_events;
    json_line(j, 4);
    json_object(j, NULL);
    json_uint(j, "id", t->thread_id);
    if (kept && kept->os_tid.len)
        json_raw(j, "os_tid", kept->os_tid.at, kept->os_tid.len);
    if (kept && kept->name.len)
        json_raw(j, "name", kept->name.at, kept->name.len);
    json_uint(j, "produced", c->produced);
    json_uint(j, "stored", stored);
    json_uint(j, "dropped", c->produced - stored);
    put_pair(j, "details", repaired->details, c->details_dropped);
    put_pair(j, "events", c->events, c->events_dropped);
    json_close(j);
}

/* The manifest's "recorder" with the counts; `old` is the former one, empty: there was none. */
static void repair_recorder(struct atf_repairer *m, size_t process, const struct atf_strays *strays,
                            struct ras_bytes old, struct json *j)
{
    struct kept_list list = {0};
    atf_member_line(j);
    json_object(j, "recorder");
    if (old.len && !read_old(old, &list, j))
        m->plan->nomem = true;
    json_bool(j, "complete", true);
    json_bool(j, "killed", true);
    if (strays->segment)
        json_uint(j, "segment", strays->segment);
    if (strays->deleted) {
        json_uint(j, "deleted_segments", strays->deleted);
        json_uint(j, "deleted_events", strays->deleted_events);
    }
    put_strays(j, "stray", strays->calls);
    put_strays(j, "stray_events", strays->events);
    json_array(j, "threads");
    for (FROM_THREAD(m->session, process, i))
        if (m->session->threads[i].process == process)
            put_repaired_thread(j, &m->session->threads[i], &m->threads[i], &list);
    json_close(j);
    json_close(j);
    free(list.at);
}

/* ---- the manifest -------------------------------------------------------------------- */

/* Links of a thread that was not closed may lead to missing records; the manifest says so, so
 * that this is not taken for damage later. */
static bool needs_listing(const struct atf_repairer *m, size_t process, size_t thread)
{
    const struct atf_repaired *t = &m->threads[thread];
    return m->session->threads[thread].process == process && t->patched && !m->drop &&
           (t->links_out || t->links_back);
}

/* Where an array of the top object ends, and whether it has items. */
struct place {
    size_t end;
    bool there, holds;
};

struct places {
    struct place threads, repaired, drops, top;
};

static bool find_array(struct json_read *in, const struct json_token *value, struct place *place)
{
    struct json_token item;
    if (value->kind != JSON_ARRAY)
        return true;
    *place = (struct place){.there = true};
    while (json_read_next(in, &item) != JSON_ARRAY_END) {
        if (item.kind == JSON_BAD || !json_read_skip(in, &item))
            return false;
        place->holds = true;
    }
    place->end = json_read_offset(in) - 1;
    return true;
}

static bool find_places(struct ras_bytes json, struct places *out)
{
    struct json_read in = json_read_bytes(json);
    struct json_token key, value;
    *out = (struct places){.top.there = true};
    if (json_read_next(&in, &key) != JSON_OBJECT)
        return false;
    while (json_read_next(&in, &key) == JSON_KEY) {
        if (json_read_next(&in, &value) == JSON_BAD)
            return false;
        struct place *array = JSON_IS(&key, "threads")    ? &out->threads
                              : JSON_IS(&key, "repaired") ? &out->repaired
                              : JSON_IS(&key, "drops")    ? &out->drops
                                                          : NULL;
        if (array) {
            if (!find_array(&in, &value, array))
                return false;
        } else if (!json_read_skip(&in, &value)) {
            return false;
        }
        out->top.holds = true;
    }
    out->top.end = json_read_offset(&in) - 1;
    return key.kind == JSON_OBJECT_END;
}

/* An array to add to, as text; where the manifest has none it becomes a new key. */
struct addition {
    struct out text;
    struct place *at;
    const char *key;
};

static struct json items_start(struct addition *a)
{
    return json_start_inside(&a->text, RAS_JSON_SPACED, a->at->holds);
}

static void add_threads(const struct atf_repairer *m, size_t process,
                        const struct atf_manifest *old, struct addition *a)
{
    struct json j = items_start(a);
    for (FROM_THREAD(m->session, process, i)) {
        const struct atf_thread *t = &m->session->threads[i];
        if (t->process != process || atf_manifest_thread(old, t->thread_id))
            continue;
        json_object(&j, NULL);
        json_uint(&j, "id", t->thread_id);
        json_bool(&j, "has_detail", t->detail_file.part >= 0 || m->threads[i].more_detail_count);
        json_close(&j);
    }
}

static void add_repaired(const struct atf_repairer *m, size_t process,
                         const struct atf_manifest *old, struct addition *a)
{
    struct json j = items_start(a);
    for (FROM_THREAD(m->session, process, i)) {
        const struct atf_thread *t = &m->session->threads[i];
        if (!needs_listing(m, process, i) || atf_manifest_repaired(old, t->thread_id))
            continue;
        json_uint(&j, NULL, t->thread_id);
    }
}

/* Events that could not be decompressed. */
static void add_damaged(const struct atf_repairer *m, size_t process, struct addition *a)
{
    struct json j = items_start(a);
    for (FROM_THREAD(m->session, process, i)) {
        const struct atf_thread *t = &m->session->threads[i];
        if (t->process != process || !m->threads[i].damaged)
            continue;
        json_object(&j, NULL);
        json_uint(&j, "thread_id", t->thread_id);
        json_text(&j, "reason", "damaged");
        json_uint(&j, "events", m->threads[i].damaged);
        json_close(&j);
    }
}

/* ---- missing details -------------------------------------------------------------------- */

static bool has_no_detail(const struct atf_repairer *m, size_t process, uint64_t id)
{
    const struct atf_thread *t =
        id <= UINT32_MAX ? atf_thread_find(m->session, process, (uint32_t)id) : NULL;
    return t && t->detail_file.part < 0 && !m->threads[t - m->session->threads].more_detail_count;
}

/* The reader is in a thread of the list. */
static void deny_detail(struct atf_repairer *m, size_t process, const char *part,
                        struct json_read *in)
{
    struct json_token key, value, has_detail = {.kind = JSON_NULL};
    uint64_t id = UINT64_MAX;
    while (json_read_next(in, &key) == JSON_KEY) {
        json_read_next(in, &value);
        if (JSON_IS(&key, "id") && !json_u64_of(&value, &id))
            id = UINT64_MAX;
        if (JSON_IS(&key, "has_detail"))
            has_detail = value;
        if (!json_read_skip(in, &value))
            return;
    }
    if (has_detail.kind == JSON_BOOL && has_detail.truth && has_no_detail(m, process, id))
        plan_patch(m->plan, part, (uint64_t)(has_detail.span.at - in->start), has_detail.span.len,
                   "false", 5);
}

static void deny_details(struct atf_repairer *m, size_t process, const char *part,
                         struct ras_bytes json)
{
    struct json_read in = json_read_bytes(json);
    struct json_token key, value;
    if (json_read_next(&in, &key) != JSON_OBJECT)
        return;
    while (json_read_next(&in, &key) == JSON_KEY) {
        json_read_next(&in, &value);
        if (JSON_IS(&key, "threads") && value.kind == JSON_ARRAY) {
            while (json_read_next(&in, &value) == JSON_OBJECT)
                deny_detail(m, process, part, &in);
            return;
        }
        if (!json_read_skip(&in, &value))
            return;
    }
}

/* ---- patches ---------------------------------------------------------------------------- */

enum { ADD_THREADS, ADD_REPAIRED, ADD_DROPS, ADDITIONS };

static int addition_order(const void *a, const void *b)
{
    const struct addition *x = *(const struct addition *const *)a;
    const struct addition *y = *(const struct addition *const *)b;
    uint64_t at = x->at->there ? x->at->end : UINT64_MAX;
    uint64_t other = y->at->there ? y->at->end : UINT64_MAX;
    return at < other ? -1 : at > other ? 1 : x < y ? -1 : x > y;
}

/* New keys go to the end of the object, together. Patches of a part ascend. */
static void put_additions(struct atf_repairer *m, size_t process, const char *part,
                          struct ras_bytes json, struct addition a[ADDITIONS], struct place *top)
{
    struct out fresh = {0};
    struct json j = json_start_inside(&fresh, RAS_JSON_SPACED, top->holds);
    struct addition *ordered[ADDITIONS] = {&a[ADD_THREADS], &a[ADD_REPAIRED], &a[ADD_DROPS]};
    qsort(ordered, ADDITIONS, sizeof *ordered, addition_order);
    for (unsigned n = 0; n < ADDITIONS; n++) {
        struct addition *add = ordered[n];
        m->plan->nomem |= add->text.failed;
        if (add == &a[ADD_THREADS])
            deny_details(m, process, part, json);
        if (!add->text.len)
            continue;
        if (add->at->there) {
            plan_patch(m->plan, part, add->at->end, 0, add->text.at, add->text.len);
            continue;
        }
        json_line(&j, 2);
        json_array(&j, add->key);
        json_members(&j, add->text.at, add->text.len);
        json_close(&j);
    }
    if (fresh.len)
        plan_patch(m->plan, part, top->end, 0, fresh.at, fresh.len);
    m->plan->nomem |= fresh.failed;
    out_free(&fresh);
}

static void add_to(struct atf_repairer *m, size_t process, struct ras_bytes json)
{
    const struct atf_process *p = &m->session->processes[process];
    struct places places;
    if (!find_places(json, &places))
        return; /* it was parsed before, so this cannot happen */
    struct addition a[ADDITIONS] = {[ADD_THREADS] = {.at = &places.threads, .key = "threads"},
                                    [ADD_REPAIRED] = {.at = &places.repaired, .key = "repaired"},
                                    [ADD_DROPS] = {.at = &places.drops, .key = "drops"}};
    add_threads(m, process, &p->manifest, &a[ADD_THREADS]);
    add_repaired(m, process, &p->manifest, &a[ADD_REPAIRED]);
    add_damaged(m, process, &a[ADD_DROPS]);
    put_additions(m, process, source_name(m->session->source, (size_t)p->manifest_part), json, a,
                  &places.top);
    for (unsigned i = 0; i < ADDITIONS; i++)
        out_free(&a[i].text);
}

/* ---- a new manifest ------------------------------------------------------------------ */

struct lists {
    struct ras_atf_listed *threads;
    uint32_t *repaired;
    struct ras_atf_drop *drops;
    size_t drop_count, drop_room;
};

static void fill(const struct atf_repairer *m, size_t process, const struct atf_manifest *old,
                 struct lists *lists, struct ras_atf_manifest *out)
{
    uint64_t first = UINT64_MAX, last = 0;
    out->threads = lists->threads;
    out->thread_count = 0;
    out->clock_type = 0;
    size_t count = out->repaired_count;
    for (size_t i = 0; i < count; i++)
        lists->repaired[i] = out->repaired[i];
    for (FROM_THREAD(m->session, process, i)) {
        const struct atf_thread *t = &m->session->threads[i];
        const struct atf_repaired *repaired = &m->threads[i];
        if (t->process != process)
            continue;
        const struct ras_atf_listed *listed = atf_manifest_thread(old, t->thread_id);
        lists->threads[out->thread_count++] = (struct ras_atf_listed){
            .id = t->thread_id,
            .has_detail = t->detail_file.part >= 0 || repaired->more_detail_count,
            .path = listed ? listed->path : NULL};
        if (needs_listing(m, process, i) && !atf_manifest_repaired(old, t->thread_id))
            lists->repaired[count++] = t->thread_id;
        out->clock_type = out->clock_type ? out->clock_type : repaired->clock_type;
        if (!repaired->events && !repaired->more_events)
            continue;
        first = repaired->time_min < first ? repaired->time_min : first;
        last = repaired->time_max > last ? repaired->time_max : last;
    }
    out->repaired = lists->repaired;
    out->repaired_count = count;
    out->time_start_ns = first <= last ? first : 0;
    out->time_end_ns = last;
}

/* Adds the counted drops of the threads; false: no memory. */
static bool add_counted_drop(struct lists *lists, uint32_t thread_id, uint64_t events,
                             const char *reason)
{
    if (!events)
        return true;
    if (!array_grow(&lists->drops, &lists->drop_room, lists->drop_count + 1, sizeof *lists->drops))
        return false;
    lists->drops[lists->drop_count++] = (struct ras_atf_drop){thread_id, events, reason};
    return true;
}

static bool fill_drops(const struct atf_repairer *m, size_t process,
                       const struct atf_strays *strays, struct lists *lists,
                       struct ras_atf_manifest *out)
{
    const struct atf_process *p = &m->session->processes[process];
    uint32_t first = p->thread_to > p->thread_from ? m->session->threads[p->thread_from].thread_id
                                                   : 0; /* whose gap is read */
    bool good = add_counted_drop(lists, first, strays->deleted_events, "deleted");
    for (FROM_THREAD(m->session, process, i)) {
        const struct atf_thread *t = &m->session->threads[i];
        const struct atf_counted *c = &m->threads[i].counted;
        if (t->process != process)
            continue;
        for (unsigned k = 0; good && k < ATF_REASONS_MOST; k++)
            good = add_counted_drop(lists, t->thread_id, c->dropped[k], atf_reason(k));
        good = good && add_counted_drop(lists, t->thread_id, c->left, "not_stored") &&
               add_counted_drop(lists, t->thread_id, m->threads[i].damaged, "damaged");
    }
    out->drops = lists->drops;
    out->drop_count = lists->drop_count;
    return good;
}

/* With `members`, which have the counts, the drops are those. */
static int make_manifest(struct atf_repairer *m, size_t process, const char *part, size_t size,
                         const struct atf_manifest *old, const struct out *members,
                         const struct atf_strays *strays, struct ras_error *err)
{
    struct ras_atf_manifest made = old->out;
    struct ras_sink *sink = NULL;
    struct atf_manifest_more more = {0};
    const struct atf_process *p = &m->session->processes[process];
    size_t room = p->thread_to - p->thread_from + old->out.repaired_count + 1;
    struct lists lists = {calloc(room, sizeof *lists.threads), calloc(room, sizeof(uint32_t)), NULL,
                          0, 0};
    int status = lists.threads && lists.repaired ? ras_sink_memory(&sink, err) : fail_memory(err);
    made.format_version = "";
    if (members)
        more.members = (struct ras_bytes){members->at, members->len};
    if (status == RAS_OK && members && !fill_drops(m, process, strays, &lists, &made))
        status = fail_memory(err);
    if (status == RAS_OK) {
        fill(m, process, old, &lists, &made);
        status = atf_manifest_write(&made, &more, sink, err);
    }
    if (status == RAS_OK) {
        struct ras_bytes bytes = ras_sink_bytes(sink);
        plan_patch(m->plan, part, 0, size, bytes.at, bytes.len);
    }
    ras_sink_drop(sink);
    free(lists.threads);
    free(lists.repaired);
    free(lists.drops);
    return status;
}

/* ---- a recorder that was killed ------------------------------------------------------- */

/* Its manifest is out of date: the latest counts are in the lanes. */
static int count_killed(struct atf_repairer *m, size_t process, const char *part,
                        struct ras_bytes json, const struct atf_strays *strays,
                        struct ras_error *err)
{
    static const struct atf_manifest none = {.out.format_version = ""};
    const struct atf_manifest *old = &m->session->processes[process].manifest;
    struct ras_bytes recorder = {0};
    struct out members = {0};
    struct json j = atf_members_start(&members);
    for (size_t i = 0; json.len && i < old->other_count; i++) {
        const struct atf_member *o = &old->others[i];
        const uint8_t *at = json.at + o->at;
        if (o->key_len == sizeof "\"recorder\"" - 1 && !memcmp(at, "\"recorder\"", o->key_len)) {
            const uint8_t *value = memchr(at + o->key_len, ':', o->len - o->key_len);
            recorder =
                value ? (struct ras_bytes){value + 1, (size_t)(at + o->len - value - 1)} : recorder;
            continue;
        }
        atf_member(&j, at, o->len);
    }
    repair_recorder(m, process, strays, recorder, &j);
    int status = members.failed ? fail_memory(err)
                                : make_manifest(m, process, part, json.len, json.len ? old : &none,
                                                &members, strays, err);
    out_free(&members);
    return status;
}

/* The unreadable part is lost. */
static int make_from_broken(struct atf_repairer *m, size_t process, struct ras_error *err)
{
    const struct atf_process *p = &m->session->processes[process];
    struct ras_bytes json = source_bytes(m->session->source, (size_t)p->manifest_part);
    const char *part = source_name(m->session->source, (size_t)p->manifest_part);
    struct atf_manifest old;
    bool read = atf_manifest_salvage(&old, json, m->session->limits.pool_bytes);
    int status = read && atf_manifest_index(&old)
                     ? make_manifest(m, process, part, json.len, &old, NULL, NULL, err)
                     : fail_memory(err);
    plan_note(m->plan, "%s was not JSON: rewritten with %zu modules and %zu symbols of it", part,
              old.out.module_count, old.out.symbol_count);
    plan_lose(m->plan, json.len, 0);
    atf_manifest_free(&old);
    return status;
}

/* A session has a manifest beside its thread_N; a folder with another name does not get one. */
static bool is_session(const struct atf_repairer *m, size_t process)
{
    for (FROM_THREAD(m->session, process, i))
        if (m->session->threads[i].process == process && m->session->threads[i].numbered)
            return true;
    return false;
}

/* A manifest that can be read. */
static int repair_readable(struct atf_repairer *m, size_t process, struct ras_error *err)
{
    const struct atf_process *p = &m->session->processes[process];
    struct ras_bytes json = source_bytes(m->session->source, (size_t)p->manifest_part);
    const char *part = source_name(m->session->source, (size_t)p->manifest_part);
    struct atf_strays strays = {0};
    if (p->manifest.out.unfinished && repair_counts(m, process, &strays))
        return count_killed(m, process, part, json, &strays, err);
    add_to(m, process, json);
    if (p->manifest.out.unfinished) {
        plan_note(
            m->plan,
            "%s: the recorder was killed: an unknown number of events were dropped or never stored",
            part);
        plan_lose(m->plan, 0, RAS_NONE);
    }
    return RAS_OK;
}

int atf_repair_manifest(struct atf_repairer *m, size_t process, struct ras_error *err)
{
    static const struct atf_manifest none = {.out.format_version = ""};
    const struct atf_process *p = &m->session->processes[process];
    struct atf_strays strays = {0};
    if (p->manifest_part >= 0)
        return p->manifest_status < 0 ? make_from_broken(m, process, err)
                                      : repair_readable(m, process, err);
    if (!is_session(m, process))
        return RAS_OK;
    size_t room = p->dir_len + sizeof "/manifest.json";
    char *part = malloc(room);
    if (!part)
        return fail_memory(err);
    snprintf(part, room, "%s%smanifest.json", p->dir, p->dir_len ? "/" : "");
    int status = repair_counts(m, process, &strays)
                     ? count_killed(m, process, part, (struct ras_bytes){0}, &strays, err)
                     : make_manifest(m, process, part, 0, &none, NULL, NULL, err);
    free(part);
    return status;
}
