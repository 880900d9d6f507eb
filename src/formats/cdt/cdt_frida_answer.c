/* cdt_frida_answer.c - what finalizing made of a capture, as a JSON document. */
#include "base/error.h"
#include "codec/json_write.h"
#include "formats/cdt/cdt_frida_run.h"

static void put_key(struct out *out, const char *key)
{
    out_format(out, ",\"%s\":", key);
}

static void put_text(struct out *out, const char *key, const char *text)
{
    put_key(out, key);
    json_string(out, text, strlen(text));
}

static void put_int(struct out *out, const char *key, struct ras_cdt_int n)
{
    put_key(out, key);
    out_text(out, frida_digits(frida_number_of(n)).text);
}

static void put_run(struct out *out, const struct ras_cdt_finalized_run *run)
{
    out_text(out, "{\"trace\":");
    json_string(out, run->trace, strlen(run->trace));
    put_text(out, "rng_evidence", run->evidence);
    put_int(out, "run_id", run->run_id);
    put_int(out, "mode_id", run->mode_id);
    put_int(out, "quest_stage_major", run->quest_stage_major);
    put_int(out, "quest_stage_minor", run->quest_stage_minor);
    if (run->has_global) {
        put_int(out, "global_tick_first", run->global_tick_first);
        put_int(out, "global_tick_last", run->global_tick_last);
    } else {
        out_text(out, ",\"global_tick_first\":null,\"global_tick_last\":null");
    }
    put_key(out, "ticks");
    out_u64(out, run->ticks);
    out_byte(out, '}');
}

int ras_cdt_finalized_json(struct ras_sink *sink, const char *path,
                           const struct ras_cdt_finalized *r, struct ras_error *err)
{
    struct out out = {0};
    out_text(&out, "{\"path\":");
    json_string(&out, path, strlen(path));
    out_format(&out, ",\"capture_format_version\":");
    if (r->capture_format_version)
        out_i64(&out, r->capture_format_version);
    else
        out_text(&out, "null");
    out_format(&out,
               ",\"ok\":%s,\"lines\":%" PRIu64 ",\"ticks\":%" PRIu64 ",\"cut_bytes\":%" PRIu64
               ",\"empty_runs\":%" PRIu64 ",\"traces\":[",
               r->refusal ? "false" : "true", r->lines, r->ticks, r->cut_bytes, r->empty_runs);
    for (size_t i = 0; i < r->run_count; i++) {
        if (i)
            out_byte(&out, ',');
        put_run(&out, &r->runs[i]);
    }
    out_text(&out, "],\"refusal\":");
    if (r->refusal)
        json_string(&out, r->refusal, strlen(r->refusal));
    else
        out_text(&out, "null");
    out_text(&out, ",\"line\":");
    if (r->line)
        out_u64(&out, r->line);
    else
        out_text(&out, "null");
    out_text(&out, "}\n");
    int status = out.failed ? fail_memory(err) : ras_sink_write(sink, out.at, out.len, err);
    out_free(&out);
    return status;
}
