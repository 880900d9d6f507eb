/* atf_manifest.c - manifest.json: threads, symbols, modules, timing anchors, drops.
 *
 * Unknown keys are skipped, and a known key of an unexpected type counts as unknown but is
 * reported: a manifest is additional information, never a reason to refuse the events. Only text
 * that is not JSON is refused. */
#include "base/error.h"
#include "base/memory.h"
#include "codec/json_read.h"
#include "formats/atf/atf_manifest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- lookup -------------------------------------------------------------------------- */

const struct ras_atf_symbol *atf_manifest_symbol(const struct atf_manifest *m, uint64_t function_id)
{
    uint32_t i = id_table_find(&m->by_function, function_id);
    return i == ID_TABLE_NONE ? NULL : &m->symbols[i];
}

const struct ras_atf_module *atf_manifest_module(const struct atf_manifest *m, uint32_t module_id)
{
    uint32_t i = id_table_find(&m->by_module, module_id);
    return i == ID_TABLE_NONE ? NULL : &m->modules[i];
}

const struct ras_atf_listed *atf_manifest_thread(const struct atf_manifest *m, uint32_t thread_id)
{
    uint32_t i = id_table_find(&m->by_thread, thread_id);
    return i == ID_TABLE_NONE ? NULL : &m->threads[i];
}

bool atf_manifest_repaired(const struct atf_manifest *m, uint32_t thread_id)
{
    return id_table_find(&m->by_repaired, thread_id) != ID_TABLE_NONE;
}

/* Of two entries with one id the first counts. */
static bool add_id(struct id_table *table, uint64_t id, size_t index)
{
    return id_table_find(table, id) != ID_TABLE_NONE ||
           (index < UINT32_MAX && id_table_add(table, id, (uint32_t)index));
}

bool atf_manifest_index(struct atf_manifest *m)
{
    bool ok = !m->out.symbol_count || id_table_room(&m->by_function, m->out.symbol_count);
    for (size_t i = 0; ok && i < m->out.symbol_count; i++)
        ok = add_id(&m->by_function, m->symbols[i].function_id, i);
    for (size_t i = 0; ok && i < m->out.module_count; i++)
        ok = add_id(&m->by_module, m->modules[i].module_id, i);
    for (size_t i = 0; ok && i < m->out.thread_count; i++)
        ok = add_id(&m->by_thread, m->threads[i].id, i);
    for (size_t i = 0; ok && i < m->out.repaired_count; i++)
        ok = add_id(&m->by_repaired, m->repaired[i], i);
    return ok;
}

bool atf_manifest_media(const struct atf_manifest *m, double seconds, uint64_t *time_ns)
{
    size_t count = m->out.anchor_count;
    if (!count || !isfinite(seconds))
        return false;
    size_t i = 0; /* the last anchor at or before, or the first */
    while (i + 1 < count && m->anchors[i + 1].media_seconds <= seconds)
        i++;
    const struct ras_atf_anchor *from = &m->anchors[i];
    double passed = seconds - from->media_seconds, ns = passed * 1e9;
    if (passed > 0 && i + 1 < count) {
        const struct ras_atf_anchor *to = from + 1;
        double host = to->host_time_ns >= from->host_time_ns
                          ? (double)(to->host_time_ns - from->host_time_ns)
                          : -(double)(from->host_time_ns - to->host_time_ns);
        ns = host * (passed / (to->media_seconds - from->media_seconds));
    }
    if (!(ns > -9e18 && ns < 9e18))
        return false;
    int64_t delta = (int64_t)(ns < 0 ? ns - 0.5 : ns + 0.5);
    if (delta < 0 ? (uint64_t)-delta > from->host_time_ns
                  : (uint64_t)delta > UINT64_MAX - from->host_time_ns)
        return false;
    *time_ns = from->host_time_ns + (uint64_t)delta;
    return true;
}

/* ---- parsing ------------------------------------------------------------------------- */

struct parse {
    struct json_read in;
    struct atf_manifest *m;
    bool nomem;
};

/* Reads the value of one key into the thing that is being filled; values that it does not take
 * are skipped. */
typedef void member(struct parse *, const struct json_token *key, const struct json_token *value,
                    void *thing);

static void note_mismatch(struct parse *p, const struct json_token *key, const char *wanted)
{
    if (p->m->mismatch[0])
        return; /* the first one is reported */
    p->m->mismatch_at = (uint64_t)(key->span.at - p->in.start);
    snprintf(p->m->mismatch, sizeof p->m->mismatch, "\"%.*s\" is not %s",
             key->span.len < 32 ? (int)key->span.len : 32, (const char *)key->span.at, wanted);
}

/* A string in texts, with a NUL after it. The quotes around it in the manifest guarantee that
 * all of them fit into as many bytes as the manifest has. */
const char *atf_manifest_keep_text(struct atf_manifest *m, const struct json_token *value)
{
    size_t len = 0;
    char *at = m->texts + m->text_len;
    if (value->kind != JSON_STRING || value->span.len >= m->text_room - m->text_len ||
        !json_bytes_of(value, at, &len))
        return NULL;
    at[len] = 0;
    m->text_len += len + 1;
    return at;
}

static const char *text(struct parse *p, const struct json_token *key,
                        const struct json_token *value, uint32_t *len)
{
    const char *end, *at = atf_manifest_keep_text(p->m, value);
    if (value->kind != JSON_STRING)
        note_mismatch(p, key, "a string");
    else if (!at && value->span.len < p->m->text_room - p->m->text_len)
        note_mismatch(p, key, "text: it has half of a surrogate pair"); /* only it is lost */
    end = p->m->texts + p->m->text_len;
    if (at && len)
        *len = (uint32_t)(end - at) - 1;
    return at;
}

static bool digits_of(const char *at, size_t len, unsigned base, uint64_t *out)
{
    uint64_t n = 0;
    for (size_t i = 0; i < len; i++) {
        unsigned c = (unsigned char)at[i], lower = c | 0x20;
        unsigned digit = c >= '0' && c <= '9'           ? c - '0'
                         : lower >= 'a' && lower <= 'f' ? lower - 'a' + 10
                                                        : 16;
        if (digit >= base || n > (UINT64_MAX - digit) / base)
            return false;
        n = n * base + digit;
    }
    *out = n;
    return len;
}

/* Numbers, or "0x..." or decimal strings, which readers of the public project accept too. */
bool atf_manifest_number(const struct json_token *value, uint64_t *out)
{
    char digits[24];
    size_t len = 0;
    if (json_u64_of(value, out))
        return true;
    if (value->kind != JSON_STRING || value->span.len > sizeof digits ||
        !json_bytes_of(value, digits, &len))
        return false;
    bool hex = len > 2 && digits[0] == '0' && (digits[1] | 0x20) == 'x';
    return hex ? digits_of(digits + 2, len - 2, 16, out) : digits_of(digits, len, 10, out);
}

static bool number(struct parse *p, const struct json_token *key, const struct json_token *value,
                   uint64_t *out)
{
    if (atf_manifest_number(value, out))
        return true;
    note_mismatch(p, key, "a number");
    return false;
}

static bool number32(struct parse *p, const struct json_token *key, const struct json_token *value,
                     uint32_t *out)
{
    uint64_t n;
    if (!number(p, key, value, &n))
        return false;
    if (n > UINT32_MAX) {
        note_mismatch(p, key, "a number of 32 bits");
        return false;
    }
    *out = (uint32_t)n;
    return true;
}

/* ---- objects and arrays ----------------------------------------------------- */

/* The members of an object whose opening brace was read. False: not JSON. */
static bool object(struct parse *p, member *take, void *thing)
{
    struct json_token key, value;
    while (json_read_next(&p->in, &key) == JSON_KEY) {
        if (json_read_next(&p->in, &value) == JSON_BAD)
            return false;
        unsigned depth = p->in.depth;
        bool holds = value.kind == JSON_OBJECT || value.kind == JSON_ARRAY;
        take(p, &key, &value, thing);
        /* A container that was not read is still open. */
        if (holds && p->in.depth == depth && !json_read_skip(&p->in, &value))
            return false;
        if (p->in.fault != JSON_FINE || p->nomem)
            return false;
    }
    return key.kind == JSON_OBJECT_END;
}

/* Every object of an array, each read into `thing` and handed to `add`. */
static void each(struct parse *p, const struct json_token *key, const struct json_token *array,
                 member *take, void *thing, size_t size,
                 void (*add)(struct parse *, const void *thing, uint64_t at, uint32_t length))
{
    struct json_token item;
    if (array->kind != JSON_ARRAY) {
        note_mismatch(p, key, "an array");
        return;
    }
    while (json_read_next(&p->in, &item) != JSON_ARRAY_END) {
        if (item.kind == JSON_BAD)
            return;
        size_t at = json_read_offset(&p->in) - 1;
        if (item.kind != JSON_OBJECT) {
            note_mismatch(p, key, "an array of objects");
            if (!json_read_skip(&p->in, &item))
                return;
            continue;
        }
        memset(thing, 0, size);
        if (!object(p, take, thing))
            return;
        size_t length = json_read_offset(&p->in) - at;
        add(p, thing, at, length < UINT32_MAX ? (uint32_t)length : UINT32_MAX);
    }
}

/* ---- threads ---------------------------------------------------------------- */

struct listed {
    struct ras_atf_listed out;
    bool has_id;
};

static void read_thread_member(struct parse *p, const struct json_token *key,
                               const struct json_token *value, void *thing)
{
    struct listed *t = thing;
    if (JSON_IS(key, "id"))
        t->has_id = number32(p, key, value, &t->out.id);
    else if (JSON_IS(key, "has_detail") && value->kind == JSON_BOOL)
        t->out.has_detail = value->truth;
    else if (JSON_IS(key, "path"))
        t->out.path = text(p, key, value, NULL);
    else if (JSON_IS(key, "has_detail"))
        note_mismatch(p, key, "true or false");
}

static void read_thread_id(struct parse *p, const void *thing, uint64_t at, uint32_t length)
{
    (void)at;
    (void)length;
    const struct listed *t = thing;
    if (t->has_id)
        ATF_APPEND(p->m, threads, thread, t->out, p->nomem);
}

/* ---- modules ---------------------------------------------------------------- */

struct module {
    struct ras_atf_module out;
    bool has_id;
};

static void read_module_member(struct parse *p, const struct json_token *key,
                               const struct json_token *value, void *thing)
{
    struct module *t = thing;
    if (JSON_IS(key, "module_id"))
        t->has_id = number32(p, key, value, &t->out.module_id);
    else if (JSON_IS(key, "path"))
        t->out.path = text(p, key, value, NULL);
    else if (JSON_IS(key, "uuid"))
        t->out.uuid = text(p, key, value, NULL);
    else if (JSON_IS(key, "base_address"))
        t->out.has_address = number(p, key, value, &t->out.base_address);
    else if (JSON_IS(key, "size"))
        t->out.has_size = number(p, key, value, &t->out.size);
}

static void add_module(struct parse *p, const void *thing, uint64_t at, uint32_t length)
{
    const struct module *t = thing;
    struct ras_atf_module out = t->out;
    out.path = out.path ? out.path : "";
    out.uuid = out.uuid ? out.uuid : "";
    out.offset = at;
    out.length = length;
    if (t->has_id)
        ATF_APPEND(p->m, modules, module, out, p->nomem);
}

/* ---- symbols ---------------------------------------------------------------- */

struct symbol {
    struct ras_atf_symbol out;
    bool has_id, has_module, has_index;
};

static void take_symbol(struct parse *p, const struct json_token *key,
                        const struct json_token *value, void *thing)
{
    struct symbol *t = thing;
    if (JSON_IS(key, "function_id"))
        t->has_id = number(p, key, value, &t->out.function_id);
    else if (JSON_IS(key, "module_id"))
        t->has_module = number32(p, key, value, &t->out.module_id);
    else if (JSON_IS(key, "symbol_index"))
        t->has_index = number32(p, key, value, &t->out.symbol_index);
    else if (JSON_IS(key, "name"))
        t->out.name = text(p, key, value, &t->out.name_len);
}

/* A function id is (moduleId << 32) | symbolIndex, so one gives the other. */
static void add_symbol(struct parse *p, const void *thing, uint64_t at, uint32_t length)
{
    const struct symbol *t = thing;
    struct ras_atf_symbol out = t->out;
    if (!out.name || !(t->has_id || (t->has_module && t->has_index)))
        return;
    if (!t->has_id)
        out.function_id = (uint64_t)out.module_id << 32 | out.symbol_index;
    if (!t->has_module)
        out.module_id = (uint32_t)(out.function_id >> 32);
    if (!t->has_index)
        out.symbol_index = (uint32_t)out.function_id;
    out.offset = at;
    out.length = length;
    ATF_APPEND(p->m, symbols, symbol, out, p->nomem);
}

/* ---- timing anchors ------------------------------------------------------------ */

struct anchor {
    struct ras_atf_anchor out;
    bool has_host, has_media;
    double value, timescale; /* of a media time in two numbers */
};

static void take_media(struct parse *p, const struct json_token *key,
                       const struct json_token *value, void *thing)
{
    (void)p;
    struct anchor *t = thing;
    if (JSON_IS(key, "value"))
        (void)json_f64_of(value, &t->value);
    else if (JSON_IS(key, "timescale"))
        (void)json_f64_of(value, &t->timescale);
}

/* spec "Media Stream Correlation": TimingAnchor {hostTimeNs, mediaTime}, the latter
 * a CMTime: seconds, or {value, timescale}. The names with underscores are those of
 * the rest of the manifest. */
static void take_anchor(struct parse *p, const struct json_token *key,
                        const struct json_token *value, void *thing)
{
    struct anchor *t = thing;
    if (JSON_IS(key, "hostTimeNs") || JSON_IS(key, "host_time_ns") || JSON_IS(key, "trace_ns")) {
        t->has_host = number(p, key, value, &t->out.host_time_ns);
    } else if (JSON_IS(key, "mediaTime") || JSON_IS(key, "media_time") ||
               JSON_IS(key, "media_seconds")) {
        if (value->kind == JSON_OBJECT) {
            t->value = t->timescale = 0;
            t->has_media = object(p, take_media, t) && t->timescale > 0;
            t->out.media_seconds = t->has_media ? t->value / t->timescale : 0;
        } else {
            t->has_media = json_f64_of(value, &t->out.media_seconds);
        }
        if (!t->has_media)
            note_mismatch(p, key, "a time in seconds or {value, timescale}");
    }
}

static void add_anchor(struct parse *p, const void *thing, uint64_t at, uint32_t length)
{
    (void)at;
    (void)length;
    const struct anchor *t = thing;
    if (t->has_host && t->has_media)
        ATF_APPEND(p->m, anchors, anchor, t->out, p->nomem);
}

static int by_media(const void *a, const void *b)
{
    const struct ras_atf_anchor *x = a, *y = b;
    return x->media_seconds < y->media_seconds ? -1 : x->media_seconds > y->media_seconds;
}

/* ---- drops ---------------------------------------------------------------------- */

struct drop {
    struct ras_atf_drop out;
    bool has_events;
};

static void take_drop(struct parse *p, const struct json_token *key, const struct json_token *value,
                      void *thing)
{
    struct drop *t = thing;
    if (JSON_IS(key, "thread_id"))
        (void)number32(p, key, value, &t->out.thread_id);
    else if (JSON_IS(key, "events"))
        t->has_events = number(p, key, value, &t->out.events);
    else if (JSON_IS(key, "reason"))
        t->out.reason = text(p, key, value, NULL);
}

static void read_drop_member(struct parse *p, const void *thing, uint64_t at, uint32_t length)
{
    (void)at;
    (void)length;
    const struct drop *t = thing;
    struct ras_atf_drop out = t->out;
    out.reason = out.reason ? out.reason : "";
    if (t->has_events)
        ATF_APPEND(p->m, drops, drop, out, p->nomem);
}

/* Threads whose files repair has closed: an array of numbers. */
static void take_repaired(struct parse *p, const struct json_token *key,
                          const struct json_token *array)
{
    struct json_token item;
    uint32_t id;
    if (array->kind != JSON_ARRAY) {
        note_mismatch(p, key, "an array");
        return;
    }
    while (json_read_next(&p->in, &item) != JSON_ARRAY_END) {
        if (item.kind == JSON_BAD || !json_read_skip(&p->in, &item))
            return;
        if (number32(p, key, &item, &id))
            ATF_APPEND(p->m, repaired, repaired, id, p->nomem);
    }
}

/* ---- the whole ------------------------------------------------------------------ */

/* Unknown members are kept for code that writes the manifest again. */
static void take_other(struct parse *p, const struct json_token *key,
                       const struct json_token *value)
{
    struct atf_manifest *m = p->m;
    const uint8_t *at = key->span.at - 1, *inside = p->in.at;
    if (!json_read_skip(&p->in, value))
        return;
    if (JSON_IS(key, "recorder") && value->kind == JSON_OBJECT)
        atf_manifest_recorder(m, (struct ras_bytes){inside - 1, (size_t)(p->in.at - inside) + 1},
                              p->in.start);
    if (JSON_IS(key, "windows") && value->kind == JSON_ARRAY)
        atf_manifest_windows(m, (struct ras_bytes){inside - 1, (size_t)(p->in.at - inside) + 1});
    if (JSON_IS(key, "sources") && value->kind == JSON_ARRAY)
        p->nomem |= !atf_manifest_sources(
            m, (struct ras_bytes){inside - 1, (size_t)(p->in.at - inside) + 1});
    if (!array_grow(&m->others, &m->other_room, m->other_count + 1, sizeof *m->others)) {
        p->nomem = true;
        return;
    }
    m->others[m->other_count++] = (struct atf_member){.at = (size_t)(at - p->in.start),
                                                      .key_len = key->span.len + 2,
                                                      .len = (size_t)(p->in.at - at)};
}

static void take_top(struct parse *p, const struct json_token *key, const struct json_token *value,
                     void *thing)
{
    struct ras_atf_manifest *out = thing;
    struct listed listed;
    struct module module;
    struct symbol symbol;
    struct anchor anchor;
    struct drop drop;
    if (JSON_IS(key, "threads"))
        each(p, key, value, read_thread_member, &listed, sizeof listed, read_thread_id);
    else if (JSON_IS(key, "modules"))
        each(p, key, value, read_module_member, &module, sizeof module, add_module);
    else if (JSON_IS(key, "symbols"))
        each(p, key, value, take_symbol, &symbol, sizeof symbol, add_symbol);
    else if (JSON_IS(key, "timing_anchors") || JSON_IS(key, "timingAnchors"))
        each(p, key, value, take_anchor, &anchor, sizeof anchor, add_anchor);
    else if (JSON_IS(key, "drops"))
        each(p, key, value, take_drop, &drop, sizeof drop, read_drop_member);
    else if (JSON_IS(key, "repaired"))
        take_repaired(p, key, value);
    else if (JSON_IS(key, "format_version"))
        out->format_version = text(p, key, value, NULL);
    else if (JSON_IS(key, "clock_type"))
        out->has_clock = number32(p, key, value, &out->clock_type);
    else if (JSON_IS(key, "time_start_ns"))
        out->has_times |= number(p, key, value, &out->time_start_ns);
    else if (JSON_IS(key, "time_end_ns"))
        out->has_times |= number(p, key, value, &out->time_end_ns);
    else
        take_other(p, key, value);
}

static int parse_all(struct parse *p, struct ras_error *err)
{
    struct ras_atf_manifest *out = &p->m->out;
    struct json_token token;
    if (json_read_next(&p->in, &token) != JSON_OBJECT && token.kind != JSON_BAD)
        return fail(err, RAS_EFORMAT, 0, "the manifest is not a JSON object");
    bool whole = token.kind == JSON_OBJECT && object(p, take_top, out) &&
                 json_read_next(&p->in, &token) == JSON_END;
    if (p->nomem)
        return fail_memory(err);
    if (!whole)
        return fail(err, p->in.fault == JSON_SHORT ? RAS_ECUT : RAS_EFORMAT, p->in.fault_at,
                    "not JSON at byte %zu: %s", p->in.fault_at, p->in.why);
    if (!atf_manifest_index(p->m))
        return fail_memory(err);
    atf_manifest_thread_names(p->m);
    p->m->recorder = (struct ras_bytes){0};
    return RAS_OK;
}

/* Let `out` point to the parsed arrays. */
static void set_pointers(struct atf_manifest *m)
{
    if (m->out.anchor_count)
        qsort(m->anchors, m->out.anchor_count, sizeof *m->anchors, by_media);
    m->out.threads = m->threads;
    m->out.modules = m->modules;
    m->out.symbols = m->symbols;
    m->out.anchors = m->anchors;
    m->out.drops = m->drops;
    m->out.repaired = m->repaired;
    m->out.format_version = m->out.format_version ? m->out.format_version : "";
}

/* Parse as much as possible. */
static int read_all(struct atf_manifest *m, struct ras_bytes json, uint64_t limit,
                    struct ras_error *err)
{
    *m = (struct atf_manifest){.out.format_version = ""};
    if (json.len > limit)
        return fail(err, RAS_ELIMIT, 0, "manifest of %zu bytes exceeds the limit of %" PRIu64,
                    json.len, limit);
    if (!json.len)
        return fail(err, RAS_ECUT, 0, "the manifest is empty");
    m->text_room = json.len + 1;
    m->texts = malloc(m->text_room);
    if (!m->texts)
        return fail_memory(err);
    struct parse p = {.in = json_read_bytes(json), .m = m};
    return parse_all(&p, err);
}

int atf_manifest_parse(struct atf_manifest *m, struct ras_bytes json, uint64_t limit,
                       struct ras_error *err)
{
    int status = read_all(m, json, limit, err);
    if (status < 0) {
        atf_manifest_free(m);
        return status;
    }
    set_pointers(m);
    m->out.present = true;
    return RAS_OK;
}

bool atf_manifest_salvage(struct atf_manifest *m, struct ras_bytes json, uint64_t limit)
{
    if (read_all(m, json, limit, NULL) == RAS_EMEMORY)
        return false;
    set_pointers(m);
    return true;
}

void atf_manifest_free(struct atf_manifest *m)
{
    free(m->threads);
    free(m->modules);
    free(m->symbols);
    free(m->anchors);
    free(m->drops);
    free(m->others);
    free(m->repaired);
    free(m->sources);
    free(m->maps);
    free(m->texts);
    id_table_free(&m->by_function);
    id_table_free(&m->by_module);
    id_table_free(&m->by_thread);
    id_table_free(&m->by_repaired);
    *m = (struct atf_manifest){.out.format_version = ""};
}
