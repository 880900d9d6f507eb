/* atf_repair_recorder.c - what a manifest says of its recorder, with the counts of one that was
 * killed.
 *
 * Members that say something else stay as they are written. */
#include "formats/atf/atf_repair.h"
#include "base/memory.h"
#include "codec/json_read.h"
#include "formats/atf/atf_write.h"

#include <stdlib.h>

/* What was said of a thread besides its counts, as it is written; empty: nothing. */
struct said {
    uint64_t id;
    struct ras_bytes os_tid, name;
};

struct saids {
    struct said *at;
    size_t count, room;
};

static int said_id_order(const void *a, const void *b)
{
    const struct said *x = a, *y = b;
    return x->id < y->id ? -1 : x->id > y->id;
}

static bool add_said(struct json_read *in, struct saids *list)
{
    struct said said = {0};
    struct json_token key, value;
    while (json_read_next(in, &key) == JSON_KEY) {
        json_read_next(in, &value);
        if (JSON_IS(&key, "id"))
            (void)json_u64_of(&value, &said.id);
        struct ras_bytes text = json_read_value(in, &value);
        if (JSON_IS(&key, "os_tid"))
            said.os_tid = text;
        else if (JSON_IS(&key, "name"))
            said.name = text;
    }
    if (!array_grow(&list->at, &list->room, list->count + 1, sizeof *list->at))
        return false;
    list->at[list->count++] = said;
    return true;
}

static bool is_counted_key(const struct json_token *key)
{
    static const char stray[] = "stray_";
    return JSON_IS(key, "complete") || JSON_IS(key, "threads") ||
           (key->span.len >= sizeof stray - 1 && !memcmp(key->span.at, stray, sizeof stray - 1));
}

/* What is not counted is written; false: no memory. */
static bool read_old(struct ras_bytes old, struct saids *list, struct json *j)
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
                good = add_said(&in, list);
            continue;
        }
        if (json_read_skip(&in, &value) && !is_counted_key(&key))
            json_members(j, from, (size_t)(in.at - from));
    }
    if (list->count)
        qsort(list->at, list->count, sizeof *list->at, said_id_order);
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
                                const struct atf_repaired *repaired, const struct saids *list)
{
    const struct atf_counted *c = &repaired->counted;
    const struct said want = {.id = t->thread_id};
    const struct said *said =
        list->count ? bsearch(&want, list->at, list->count, sizeof want, said_id_order) : NULL;
    uint64_t stored = repaired->events + repaired->more_events;
    json_line(j, 4);
    json_object(j, NULL);
    json_uint(j, "id", t->thread_id);
    if (said && said->os_tid.len)
        json_raw(j, "os_tid", said->os_tid.at, said->os_tid.len);
    if (said && said->name.len)
        json_raw(j, "name", said->name.at, said->name.len);
    json_uint(j, "produced", c->produced);
    json_uint(j, "stored", stored);
    json_uint(j, "dropped", c->produced - stored);
    put_pair(j, "details", repaired->details, c->details_dropped);
    put_pair(j, "events", c->events, c->events_dropped);
    json_close(j);
}

void atf_repair_recorder(struct atf_repairer *m, size_t process, const struct atf_strays *strays,
                         struct ras_bytes old, struct json *j)
{
    struct saids list = {0};
    atf_member_line(j);
    json_object(j, "recorder");
    if (old.len && !read_old(old, &list, j))
        m->plan->nomem = true;
    json_bool(j, "complete", true);
    json_bool(j, "killed", true);
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
