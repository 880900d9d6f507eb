/* cdt_frida_answer.c - what finalizing made of a capture, as a JSON document. */
#include "codec/json_write.h"
#include "core/sink.h"
#include "formats/cdt/cdt_frida_run.h"

static void answer_int(struct json *j, const char *key, struct ras_cdt_int n)
{
    const struct frida_digits digits = frida_digits(frida_number_of(n));
    json_raw(j, key, digits.text, strlen(digits.text));
}

static void answer_run(struct json *j, const struct ras_cdt_finalized_run *run)
{
    json_object(j, NULL);
    json_text(j, "trace", run->trace);
    json_text(j, "rng_evidence", run->evidence);
    answer_int(j, "run_id", run->run_id);
    answer_int(j, "mode_id", run->mode_id);
    answer_int(j, "quest_stage_major", run->quest_stage_major);
    answer_int(j, "quest_stage_minor", run->quest_stage_minor);
    if (run->has_global) {
        answer_int(j, "global_tick_first", run->global_tick_first);
        answer_int(j, "global_tick_last", run->global_tick_last);
    } else {
        json_null(j, "global_tick_first");
        json_null(j, "global_tick_last");
    }
    json_uint(j, "ticks", run->ticks);
    json_close(j);
}

int ras_cdt_finalized_json(struct ras_sink *sink, const char *path,
                           const struct ras_cdt_finalized *r, struct ras_error *err)
{
    struct out out = {0};
    struct json j = json_start(&out, 0);
    json_object(&j, NULL);
    json_text(&j, "path", path);
    if (r->capture_format_version)
        json_int(&j, "capture_format_version", r->capture_format_version);
    else
        json_null(&j, "capture_format_version");
    json_bool(&j, "ok", !r->refusal);
    json_uint(&j, "lines", r->lines);
    json_uint(&j, "ticks", r->ticks);
    json_uint(&j, "cut_bytes", r->cut_bytes);
    json_uint(&j, "empty_runs", r->empty_runs);
    json_array(&j, "traces");
    for (size_t i = 0; i < r->run_count; i++)
        answer_run(&j, &r->runs[i]);
    json_close(&j);
    json_text(&j, "refusal", r->refusal);
    json_uint_or_null(&j, "line", r->line ? r->line : RAS_NONE);
    json_close(&j);
    json_newline(&j);
    return sink_write_out(sink, &out, err);
}
