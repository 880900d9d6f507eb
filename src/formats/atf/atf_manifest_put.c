/* atf_manifest_put.c - writes manifest.json, in the order and layout of the public tracer's. */
#include "base/error.h"
#include "codec/json_write.h"
#include "codec/utf8.h"
#include "core/sink.h"
#include "formats/atf/atf_write.h"

#include <math.h>

/* JSON is UTF-8; names are what the system has. Bytes that are not text become U+FFFD: a name is
 * for reading, ids identify things. */
void atf_manifest_text(struct json *j, const char *key, const char *text, size_t len)
{
    struct out clean = {0};
    utf8_put(&clean, text, len);
    json_string(j, key, clean.at, clean.len);
    j->out->failed |= clean.failed;
    out_free(&clean);
}

static void put_string(struct json *j, const char *key, const char *text)
{
    atf_manifest_text(j, key, text ? text : "", text ? strlen(text) : 0);
}

/* The indent of members of the object, and of the items of its arrays. */
enum { MEMBER = 2, ITEM = 4 };

struct json atf_members_start(struct out *out)
{
    return json_start_inside(out, RAS_JSON_SPACED, out->len);
}

void atf_member_line(struct json *j)
{
    json_line_between(j, MEMBER);
}

void atf_member(struct json *j, const uint8_t *text, size_t len)
{
    atf_member_line(j);
    json_members(j, text, len);
}

static void open_list(struct json *j, const char *key)
{
    json_line(j, MEMBER);
    json_array(j, key);
}

static void close_list(struct json *j)
{
    if (j->after == JSON_AFTER_ITEM)
        json_line(j, MEMBER);
    json_close(j);
}

static void open_item(struct json *j)
{
    json_line(j, ITEM);
    json_object(j, NULL);
}

static void put_number(struct json *j, const char *key, uint64_t value)
{
    json_line(j, MEMBER);
    json_uint(j, key, value);
}

static void put_threads(struct json *j, const struct ras_atf_manifest *m)
{
    open_list(j, "threads");
    for (size_t i = 0; i < m->thread_count; i++) {
        open_item(j);
        json_uint(j, "id", m->threads[i].id);
        json_bool(j, "has_detail", m->threads[i].has_detail);
        if (m->threads[i].path)
            put_string(j, "path", m->threads[i].path);
        json_close(j);
    }
    close_list(j);
}

static void put_modules(struct json *j, const struct ras_atf_manifest *m)
{
    open_list(j, "modules");
    for (size_t i = 0; i < m->module_count; i++) {
        const struct ras_atf_module *module = &m->modules[i];
        open_item(j);
        json_uint(j, "module_id", module->module_id);
        put_string(j, "path", module->path);
        if (module->has_address)
            json_hex(j, "base_address", module->base_address, 1);
        if (module->has_size)
            json_uint(j, "size", module->size);
        if (module->uuid && *module->uuid)
            put_string(j, "uuid", module->uuid);
        json_close(j);
    }
    close_list(j);
}

static void put_symbols(struct json *j, const struct ras_atf_manifest *m)
{
    open_list(j, "symbols");
    for (size_t i = 0; i < m->symbol_count; i++) {
        const struct ras_atf_symbol *symbol = &m->symbols[i];
        open_item(j);
        json_hex(j, "function_id", symbol->function_id, 16);
        json_uint(j, "module_id", symbol->module_id);
        json_uint(j, "symbol_index", symbol->symbol_index);
        atf_manifest_text(j, "name", symbol->name, symbol->name_len);
        json_close(j);
    }
    close_list(j);
}

/* spec "Media Stream Correlation": TimingAnchor {hostTimeNs, mediaTime}. */
static void put_anchors(struct json *j, const struct ras_atf_manifest *m)
{
    open_list(j, "timing_anchors");
    for (size_t i = 0; i < m->anchor_count; i++) {
        open_item(j);
        json_uint(j, "hostTimeNs", m->anchors[i].host_time_ns);
        json_f64(j, "mediaTime", m->anchors[i].media_seconds);
        json_close(j);
    }
    close_list(j);
}

static void put_drops(struct json *j, const struct ras_atf_manifest *m)
{
    open_list(j, "drops");
    for (size_t i = 0; i < m->drop_count; i++) {
        const struct ras_atf_drop *drop = &m->drops[i];
        open_item(j);
        json_uint(j, "thread_id", drop->thread_id);
        put_string(j, "reason", drop->reason);
        json_uint(j, "events", drop->events);
        json_close(j);
    }
    close_list(j);
}

static void put_repaired(struct json *j, const struct ras_atf_manifest *m)
{
    open_list(j, "repaired");
    for (size_t i = 0; i < m->repaired_count; i++)
        json_uint(j, NULL, m->repaired[i]);
    json_close(j);
}

static void put_manifest(struct json *j, const struct ras_atf_manifest *m,
                         const struct atf_manifest_more *more)
{
    bool named = m->module_count || m->symbol_count;
    const char *version = m->format_version && *m->format_version ? m->format_version
                          : named                                 ? "2.1"
                                                                  : "2.0";
    json_object(j, NULL);
    put_threads(j, m);
    if (!more->no_times) {
        put_number(j, "time_start_ns", m->time_start_ns);
        put_number(j, "time_end_ns", m->time_end_ns);
    }
    put_number(j, "clock_type", m->clock_type);
    if (named) {
        put_modules(j, m);
        put_symbols(j, m);
    }
    if (m->anchor_count)
        put_anchors(j, m);
    if (m->drop_count)
        put_drops(j, m);
    if (m->repaired_count)
        put_repaired(j, m);
    json_line(j, MEMBER);
    json_members(j, more->members.at, more->members.len);
    json_line(j, MEMBER);
    put_string(j, "format_version", version);
    json_line(j, 0);
    json_close(j);
    json_newline(j);
}

int atf_manifest_write(const struct ras_atf_manifest *m, const struct atf_manifest_more *more,
                       struct ras_sink *sink, struct ras_error *err)
{
    for (size_t i = 0; i < m->anchor_count; i++)
        if (!isfinite(m->anchors[i].media_seconds))
            return fail(err, RAS_EUSAGE, RAS_NONE, "media_seconds of anchor %zu is not a number",
                        i);
    struct out out = {0};
    struct json j = json_start(&out, RAS_JSON_SPACED);
    uint64_t end = ras_sink_size(sink);
    put_manifest(&j, m, more);
    int status = sink_write_out(sink, &out, err);
    if (status < 0)
        (void)!ras_sink_rewind(sink, end, NULL);
    return status;
}

int ras_atf_manifest_put(const struct ras_atf_manifest *m, struct ras_sink *sink,
                         struct ras_error *err)
{
    static const struct atf_manifest_more none;
    return atf_manifest_write(m, &none, sink, err);
}
