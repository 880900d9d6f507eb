/* answers_reduce.c - what came of a reduction, as a JSON document. */
#include "base/error.h"
#include "codec/json_write.h"
#include <rastrum/rastrum.h>

#include <string.h>

static void put_text(struct out *out, const char *key, const char *text)
{
    out_text(out, key);
    json_string(out, text, strlen(text));
}

static void put_size(struct out *out, const char *key, uint64_t records, uint64_t bytes)
{
    out_text(out, key);
    out_text(out, "{\"records\":");
    out_u64(out, records);
    out_text(out, ",\"bytes\":");
    out_u64(out, bytes);
}

static void put_kept(struct out *out, const struct ras_rewritten *kept)
{
    out_text(out, ",\"by_type\":{");
    for (size_t i = 0; i < kept->kept_count; i++) {
        put_text(out, i ? "," : "", kept->kept[i].name);
        out_byte(out, ':');
        out_u64(out, kept->kept[i].records);
    }
    out_byte(out, '}');
}

int ras_json_reduced(struct ras_sink *sink, const char *path, const struct ras_trace *trace,
                     const struct ras_reduced *r, struct ras_error *err)
{
    struct out out = {0};
    put_text(&out, "{\"path\":", path);
    put_text(&out, ",\"format\":", ras_format_of(trace)->name);
    put_text(&out, ",\"out\":", r->out);
    put_text(&out, ",\"status\":", r->status);
    put_size(&out, ",\"from\":", r->records_from, r->bytes_from);
    put_size(&out, "},\"to\":", r->records_to, r->bytes_to);
    put_kept(&out, r->kept);
    out_text(&out, "},\"tests\":{\"run\":");
    out_u64(&out, r->tests);
    out_text(&out, ",\"failed\":");
    out_u64(&out, r->failed);
    out_text(&out, ",\"timed_out\":");
    out_u64(&out, r->timed_out);
    out_text(&out, ",\"resumed\":");
    out_u64(&out, r->resumed);
    out_text(&out, "}}\n");
    int status = out.failed ? fail_memory(err) : ras_sink_write(sink, out.at, out.len, err);
    out_free(&out);
    return status;
}
