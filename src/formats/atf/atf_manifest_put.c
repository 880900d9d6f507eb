/* atf_manifest_put.c - manifest.json, in the order and manner of the public tracer's. */
#include "base/error.h"
#include "codec/json_write.h"
#include "codec/utf8.h"
#include "formats/atf/atf_write.h"

#include <math.h>

/* JSON is UTF-8; names are what the system has. What is no text becomes U+FFFD, for a
 * name is to be read: ids tell things apart. */
void atf_manifest_text(struct out *out, const char *text, size_t len)
{
    struct out clean = {0};
    struct utf8_fault bad;
    while (!utf8_check((const uint8_t *)text, len, &bad)) {
        out_bytes(&clean, text, bad.at);
        out_text(&clean, "\xef\xbf\xbd");
        text += bad.at + 1;
        len -= bad.at + 1;
    }
    out_bytes(&clean, text, len);
    json_put_string(out, clean.at, clean.len);
    out->failed |= clean.failed;
    out_free(&clean);
}

static void put_string(struct out *out, const char *text)
{
    atf_manifest_text(out, text ? text : "", text ? strlen(text) : 0);
}

/* Before each item of an array: what ends the one before, and the indent. */
static void next_item(struct out *out, size_t i)
{
    out_text(out, i ? ",\n    {" : "\n    {");
}

static void put_threads(struct out *out, const struct ras_atf_manifest *m)
{
    out_text(out, "  \"threads\": [");
    for (size_t i = 0; i < m->thread_count; i++) {
        next_item(out, i);
        out_format(out, "\"id\": %" PRIu32 ", \"has_detail\": %s", m->threads[i].id,
                   m->threads[i].has_detail ? "true" : "false");
        if (m->threads[i].path) {
            out_text(out, ", \"path\": ");
            put_string(out, m->threads[i].path);
        }
        out_text(out, "}");
    }
    out_text(out, m->thread_count ? "\n  ],\n" : "],\n");
}

static void put_modules(struct out *out, const struct ras_atf_manifest *m)
{
    out_text(out, "  \"modules\": [");
    for (size_t i = 0; i < m->module_count; i++) {
        const struct ras_atf_module *module = &m->modules[i];
        next_item(out, i);
        out_format(out, "\"module_id\": %" PRIu32 ", \"path\": ", module->module_id);
        put_string(out, module->path);
        if (module->has_address)
            out_format(out, ", \"base_address\": \"0x%" PRIx64 "\"", module->base_address);
        if (module->has_size)
            out_format(out, ", \"size\": %" PRIu64, module->size);
        if (module->uuid && *module->uuid) {
            out_text(out, ", \"uuid\": ");
            put_string(out, module->uuid);
        }
        out_text(out, "}");
    }
    out_text(out, m->module_count ? "\n  ],\n" : "],\n");
}

static void put_symbols(struct out *out, const struct ras_atf_manifest *m)
{
    out_text(out, "  \"symbols\": [");
    for (size_t i = 0; i < m->symbol_count; i++) {
        const struct ras_atf_symbol *symbol = &m->symbols[i];
        next_item(out, i);
        out_format(out,
                   "\"function_id\": \"0x%016" PRIx64 "\", \"module_id\": %" PRIu32
                   ", \"symbol_index\": %" PRIu32 ", \"name\": ",
                   symbol->function_id, symbol->module_id, symbol->symbol_index);
        atf_manifest_text(out, symbol->name, symbol->name_len);
        out_text(out, "}");
    }
    out_text(out, m->symbol_count ? "\n  ],\n" : "],\n");
}

/* spec "Media Stream Correlation": TimingAnchor {hostTimeNs, mediaTime}. */
static void put_anchors(struct out *out, const struct ras_atf_manifest *m)
{
    out_text(out, "  \"timing_anchors\": [");
    for (size_t i = 0; i < m->anchor_count; i++) {
        next_item(out, i);
        out_format(out, "\"hostTimeNs\": %" PRIu64 ", \"mediaTime\": ", m->anchors[i].host_time_ns);
        json_put_f64(out, m->anchors[i].media_seconds);
        out_text(out, "}");
    }
    out_text(out, "\n  ],\n");
}

static void put_drops(struct out *out, const struct ras_atf_manifest *m)
{
    out_text(out, "  \"drops\": [");
    for (size_t i = 0; i < m->drop_count; i++) {
        const struct ras_atf_drop *drop = &m->drops[i];
        next_item(out, i);
        out_format(out, "\"thread_id\": %" PRIu32 ", \"reason\": ", drop->thread_id);
        put_string(out, drop->reason);
        out_format(out, ", \"events\": %" PRIu64 "}", drop->events);
    }
    out_text(out, "\n  ],\n");
}

static void put_repaired(struct out *out, const struct ras_atf_manifest *m)
{
    out_text(out, "  \"repaired\": [");
    for (size_t i = 0; i < m->repaired_count; i++)
        out_format(out, "%s%" PRIu32, i ? ", " : "", m->repaired[i]);
    out_text(out, "],\n");
}

static void put_all(struct out *out, const struct ras_atf_manifest *m,
                    const struct atf_manifest_more *more)
{
    bool named = m->module_count || m->symbol_count;
    const char *version = m->format_version && *m->format_version ? m->format_version
                          : named                                 ? "2.1"
                                                                  : "2.0";
    out_text(out, "{\n");
    put_threads(out, m);
    if (!more->no_times)
        out_format(out, "  \"time_start_ns\": %" PRIu64 ",\n  \"time_end_ns\": %" PRIu64 ",\n",
                   m->time_start_ns, m->time_end_ns);
    out_format(out, "  \"clock_type\": %" PRIu32 ",\n", m->clock_type);
    if (named) {
        put_modules(out, m);
        put_symbols(out, m);
    }
    if (m->anchor_count)
        put_anchors(out, m);
    if (m->drop_count)
        put_drops(out, m);
    if (m->repaired_count)
        put_repaired(out, m);
    out_bytes(out, more->members.at, more->members.len);
    out_text(out, "  \"format_version\": ");
    put_string(out, version);
    out_text(out, "\n}\n");
}

int atf_manifest_write(const struct ras_atf_manifest *m, const struct atf_manifest_more *more,
                       struct ras_sink *sink, struct ras_error *err)
{
    for (size_t i = 0; i < m->anchor_count; i++)
        if (!isfinite(m->anchors[i].media_seconds))
            return fail(err, RAS_EUSAGE, RAS_NONE, "media_seconds of anchor %zu is no number", i);
    struct out out = {0};
    uint64_t end = ras_sink_size(sink);
    put_all(&out, m, more);
    int status = out.failed ? fail_memory(err) : ras_sink_write(sink, out.at, out.len, err);
    if (status < 0)
        (void)!ras_sink_rewind(sink, end, NULL);
    out_free(&out);
    return status;
}

int ras_atf_manifest_put(const struct ras_atf_manifest *m, struct ras_sink *sink,
                         struct ras_error *err)
{
    static const struct atf_manifest_more none;
    return atf_manifest_write(m, &none, sink, err);
}
