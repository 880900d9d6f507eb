/* atf_manifest_recorder.c - what a manifest says of its recorder: how the program ended, and the
 * names of its threads. Whatever is of another type than it should be is not said. */
#include "formats/atf/atf_manifest.h"
#include "codec/json_read.h"

#include <string.h>

/* A short string, cut where it does not fit. */
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

static void take_crash(struct json_read *in, struct ras_atf_crash *crash)
{
    struct json_token key, value;
    uint64_t number;
    while (json_read_next(in, &key) == JSON_KEY) {
        json_read_next(in, &value);
        bool is_number = json_u64_of(&value, &number);
        if (JSON_IS(&key, "name"))
            take_word(&value, crash->name, sizeof crash->name);
        else if (is_number && JSON_IS(&key, "signal") && number && number <= UINT16_MAX)
            crash->signal = (uint32_t)number;
        else if (is_number && JSON_IS(&key, "time_ns"))
            crash->time_ns = number;
        else if (is_number && JSON_IS(&key, "thread_id") && number < UINT32_MAX) {
            crash->has_thread = true;
            crash->thread_id = (uint32_t)number;
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
        if (!json_read_skip(in, &value))
            return;
    }
    how->known = true;
}

void atf_manifest_recorder(struct atf_manifest *m, struct ras_bytes recorder)
{
    struct json_read in = json_read_bytes(recorder);
    struct json_token key, value;
    m->recorder = recorder;
    m->out.unfinished = m->out.killed = false;
    m->out.crash = (struct ras_atf_crash){0};
    m->out.exit = (struct ras_atf_exit){0};
    if (json_read_next(&in, &key) != JSON_OBJECT)
        return;
    while (json_read_next(&in, &key) == JSON_KEY) {
        json_read_next(&in, &value);
        if (JSON_IS(&key, "complete"))
            m->out.unfinished = value.kind == JSON_BOOL && !value.truth;
        else if (JSON_IS(&key, "killed"))
            m->out.killed = value.kind == JSON_BOOL && value.truth;
        else if (JSON_IS(&key, "exit") && value.kind == JSON_OBJECT) {
            take_exit(&in, &m->out.exit);
            continue;
        } else if (JSON_IS(&key, "crash") && value.kind == JSON_OBJECT) {
            take_crash(&in, &m->out.crash);
            continue;
        }
        if (!json_read_skip(&in, &value))
            return;
    }
}

/* ---- windows ------------------------------------------------------------------------------ */

/* One that goes back as far as it can begins at 0, and lacks nothing that was asked for. */
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
    uint64_t all = RAS_NONE; /* said of all threads together */
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
