/* atf_mend_recorder.c - what a manifest says of its recorder, with the counts of one that was
 * killed.
 *
 * Members that say something else stay as they are written. */
#include "formats/atf/atf_mend.h"
#include "base/memory.h"
#include "codec/json_read.h"

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

static int compare_ids(const void *a, const void *b)
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

static bool is_counted(const struct json_token *key)
{
    static const char stray[] = "stray_";
    return JSON_IS(key, "complete") || JSON_IS(key, "threads") ||
           (key->span.len >= sizeof stray - 1 && !memcmp(key->span.at, stray, sizeof stray - 1));
}

/* What is not counted goes to `out`; false: no memory. */
static bool read_old(struct ras_bytes old, struct saids *list, struct out *out)
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
        if (!json_read_skip(&in, &value) || is_counted(&key))
            continue;
        out_bytes(out, from, (size_t)(in.at - from));
        out_text(out, ", ");
    }
    if (list->count)
        qsort(list->at, list->count, sizeof *list->at, compare_ids);
    return good;
}

/* ---- writing ------------------------------------------------------------------------------ */

static void put_strays(struct out *out, const char *what, const uint64_t *strays)
{
    for (unsigned i = 0; i < ATF_REASONS_MOST; i++)
        if (strays[i])
            out_format(out, ", \"%s_%s\": %" PRIu64, what, atf_reason(i), strays[i]);
}

static void put_pair(struct out *out, const char *what, uint64_t stored, uint64_t dropped)
{
    if (stored || dropped)
        out_format(out, ", \"%s\": %" PRIu64 ", \"%s_dropped\": %" PRIu64, what, stored, what,
                   dropped);
}

static void put_thread(struct out *out, const struct atf_thread *t, const struct atf_mended *mended,
                       const struct saids *list)
{
    const struct atf_counted *c = &mended->counted;
    const struct said want = {.id = t->thread_id};
    const struct said *said =
        list->count ? bsearch(&want, list->at, list->count, sizeof want, compare_ids) : NULL;
    uint64_t stored = mended->events + mended->more_events;
    out_format(out, "\n    {\"id\": %" PRIu32, t->thread_id);
    if (said && said->os_tid.len) {
        out_text(out, ", \"os_tid\": ");
        out_bytes(out, said->os_tid.at, said->os_tid.len);
    }
    if (said && said->name.len) {
        out_text(out, ", \"name\": ");
        out_bytes(out, said->name.at, said->name.len);
    }
    out_format(out, ", \"produced\": %" PRIu64 ", \"stored\": %" PRIu64 ", \"dropped\": %" PRIu64,
               c->produced, stored, c->produced - stored);
    put_pair(out, "details", mended->details, c->details_dropped);
    put_pair(out, "events", c->events, c->events_dropped);
    out_text(out, "}");
}

void atf_mend_recorder(struct atf_mender *m, size_t process, const struct atf_strays *strays,
                       struct ras_bytes old, struct out *out)
{
    struct saids list = {0};
    bool first = true;
    out_text(out, "  \"recorder\": {");
    if (old.len && !read_old(old, &list, out))
        m->plan->nomem = true;
    out_text(out, "\"complete\": true, \"killed\": true");
    put_strays(out, "stray", strays->calls);
    put_strays(out, "stray_events", strays->events);
    out_text(out, ", \"threads\": [");
    for (FROM_THREAD(m->session, process, i)) {
        if (m->session->threads[i].process != process)
            continue;
        out_text(out, first ? "" : ",");
        put_thread(out, &m->session->threads[i], &m->threads[i], &list);
        first = false;
    }
    out_text(out, "]},\n");
    free(list.at);
}
