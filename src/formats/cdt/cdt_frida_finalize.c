/* cdt_frida_finalize.c - converts a Frida raw capture to traces, row by row; stops at the first
 * problem. */
#include "base/error.h"
#include "base/memory.h"
#include "base/struct_size.h"
#include "codec/json_python.h"
#include "codec/json_write.h"
#include "core/sink.h"
#include "formats/cdt/cdt_frida_run.h"

#include <stdlib.h>

struct frida_digits frida_digits(frida_number value)
{
    struct frida_digits d = {{0}};
    char *at = d.text + sizeof d.text - 1;
    bool negative = value < 0;
    do {
        int digit = (int)(value % 10);
        *--at = (char)('0' + (digit < 0 ? -digit : digit));
        value /= 10;
    } while (value);
    if (negative)
        *--at = '-';
    memmove(d.text, at, strlen(at) + 1);
    return d;
}

/* ---- rows ------------------------------------------------------------------------------- */

static bool keep(struct frida *f, struct ras_bytes *to, struct ras_bytes text)
{
    uint8_t *copy = arena_take(&f->kept, text.len + 1);
    if (!copy)
        return false;
    memcpy(copy, text.at, text.len);
    *to = (struct ras_bytes){copy, text.len};
    return true;
}

static int begin_session(struct frida *f, const struct frida_session_start *row,
                         struct ras_error *err)
{
    enum { MODULE_HASH = 2 };
    const struct frida_fingerprint *print = &row->session_fingerprint;
    struct frida_session *s = &f->session;
    int status = f->form == 2 ? frida_check_session2(f, row) : frida_check_session(f, row);
    if (status < 0)
        return status;
    s->version = row->capture_format_version;
    f->result->capture_format_version = s->version;
    s->started = keep(f, &s->session_id, row->session_id) && keep(f, &s->platform, row->platform) &&
                 keep(f, &s->arch, row->arch) && keep(f, &s->script_version, row->script_version);
    if (s->started && f->form == 2)
        s->started = keep(f, &s->frida_version, row->frida_version) &&
                     keep(f, &s->ptrs_hash, print->ptrs_hash) &&
                     (!ras_cdt_has(&print->node, MODULE_HASH) ||
                      keep(f, &s->module_hash, print->module_hash));
    return s->started ? RAS_OK : fail_memory(err);
}

static bool salvages(const struct frida *f)
{
    return f->options && f->options->salvage;
}

/* A run ends, by its run_end or with the capture. The reference fails in both cases. */
static int end_run(struct frida *f, struct ras_error *err)
{
    enum { MODE_ID = 2 };
    const struct frida_run_start *start = &f->run.start;
    frida_number mode = frida_wide(&start->node, MODE_ID, start->mode_id);
    if (!f->run.ticks && salvages(f)) {
        f->result->empty_runs++;
        frida_run_drop(&f->run);
        return RAS_OK;
    }
    if (!f->run.ticks)
        return frida_refuse(f, " run %s has no tick: trace must contain at least one tick",
                            frida_digits(frida_wide(&start->node, 1, start->run_id)).text);
    int status = frida_run_finish(f, err);
    if (status == RAS_OK && (mode < 0 || (mode > 4 && mode != 8)))
        return frida_refuse(f, " mode_id %s is not a valid GameMode; the trace is written",
                            frida_digits(mode).text);
    return status;
}

static int take_run_end(struct frida *f, const struct frida_run_end *row, struct ras_error *err)
{
    int status = frida_check_run_end(f, row);
    if (status == RAS_OK)
        status = frida_evidence_bag(&f->run.evidence, &row->rng_outside_tail, err);
    return status == RAS_OK ? end_run(f, err) : status;
}

/* `global` is the number of the member that numbers the tick. */
static int take_error(struct frida *f, const struct frida_error *row, const char *whose,
                      unsigned global)
{
    struct out text = {0};
    python_repr_text(&text, row->error.at, row->error.len);
    if (ras_cdt_has(&row->node, global))
        out_format(&text, " %s=%s", f->form == 2 ? "global_tick_index" : "tick_index_global",
                   frida_digits(frida_wide(&row->node, global, row->tick_index_global)).text);
    out_byte(&text, 0);
    int status =
        text.failed ? RAS_EMEMORY : frida_refuse(f, " %s error=%s", whose, (const char *)text.at);
    out_free(&text);
    return status;
}

enum { ERROR_TICK = 3, RUN_ERROR_TICK = 6 };

/* ---- rows of form 2 ---------------------------------------------------------------------- */

static int end_run2(struct frida *f, struct ras_error *err)
{
    if (f->run2.ticks)
        return frida_run2_finish(f, err);
    if (!salvages(f))
        return frida_refuse(f, " run_end cannot close an empty run");
    f->result->empty_runs++;
    frida_run2_drop(&f->run2);
    return RAS_OK;
}

static int take_row2(struct frida *f, const struct frida_row *row, struct ras_error *err)
{
    int status;
    switch (row->event) {
    case FRIDA_RUN_START:
        status = frida_check_run_start2(f, &row->run_start2, err);
        return status == RAS_OK ? frida_run2_begin(f, &row->run_start2, err) : status;
    case FRIDA_TICK:
        status = frida_check_tick2(f, &row->tick2, err);
        if (status == RAS_OK && !f->run2.model)
            f->run2.model = f->model;
        return status == RAS_OK ? frida_run2_tick(f, &row->tick2, err) : status;
    case FRIDA_RUN_END:
        status = frida_check_run_end2(f, &row->run_end2, err);
        return status == RAS_OK ? end_run2(f, err) : status;
    case FRIDA_ERROR:
        return take_error(f, &row->error, "capture", ERROR_TICK);
    default:
        return take_error(f, &row->error, "run", RUN_ERROR_TICK);
    }
}

/* ---- rows of either form ------------------------------------------------------------------ */

static int take_row(struct frida *f, struct frida_row *row, struct ras_error *err)
{
    int status = RAS_OK;
    if (row->event != FRIDA_SESSION_START && !f->session.started)
        return frida_refuse(f, " must start with session_start");
    if (row->event == FRIDA_SESSION_START)
        return begin_session(f, &row->session_start, err);
    if (f->form == 2)
        return take_row2(f, row, err);
    switch (row->event) {
    case FRIDA_RUN_START:
        status = frida_check_run_start(f, &row->run_start);
        return status == RAS_OK ? frida_run_begin(f, &row->run_start, err) : status;
    case FRIDA_TICK:
        status = frida_check_tick(f, &row->tick);
        return status == RAS_OK ? frida_run_tick(f, &row->tick, err) : status;
    case FRIDA_RUN_END:
        return take_run_end(f, &row->run_end, err);
    case FRIDA_ERROR:
        return take_error(f, &row->error, "capture", ERROR_TICK);
    case FRIDA_SESSION_END:
        status = frida_check_session_end(f, &row->session_end);
        f->session.ended |= status == RAS_OK;
        return status;
    default: /* run_error */
        return RAS_OK;
    }
}

/* RAS_END: the capture ends before this line. */
static int refuse_line(struct frida *f, struct ras_bytes line, const struct cdt_problem *problem,
                       struct ras_error *err)
{
    bool broken = problem->status == RAS_ECUT && !f->lines.ended;
    if (broken && salvages(f)) {
        f->result->cut_bytes = line.len;
        return RAS_END;
    }
    bool path = problem->path[0];
    if (problem->status == RAS_EMEMORY)
        return fail_memory(err);
    return frida_refuse(f, " invalid capture row: %s%s%s%s", problem->what, path ? " - at `" : "",
                        problem->path, path ? "`" : "");
}

/* Whether checkpoints have rng_callers_crc32 makes the difference between schemas 20 and 19: the
 * first tick of a run decides it for the run. */
static bool decode_tick(struct frida *f, struct ras_bytes line, struct frida_row *row,
                        struct cdt_problem *problem)
{
    static const char without[] = "Object missing required field `rng_callers_crc32`";
    f->model = f->run2.model ? f->run2.model : &cdt_model_20;
    bool good = frida_decode(line, f->model, &f->row, row, problem);
    if (good || f->run2.model || strcmp(problem->what, without) != 0)
        return good;
    f->model = &cdt_model_19;
    arena_reset(&f->row);
    return frida_decode(line, f->model, &f->row, row, problem);
}

/* The form of rows is that of the version which the first row states. */
static int take_line(struct frida *f, struct ras_bytes line, struct frida_row *row,
                     struct ras_error *err)
{
    struct ras_cdt_int version;
    struct cdt_problem problem;
    f->line = line;
    if (!f->session.started && frida_version_of(line, &f->row, &version)) {
        frida_number v = frida_number_of(version);
        if (!(v >= 13 && v <= 15) && v != 28 && v != 29)
            return frida_refuse_version(f, version);
        f->form = v >= 28 ? 2 : 1;
    }
    bool good = f->form == 2 ? decode_tick(f, line, row, &problem)
                             : frida_decode(line, NULL, &f->row, row, &problem);
    return good ? take_row(f, row, err) : refuse_line(f, line, &problem, err);
}

/* ---- the capture --------------------------------------------------------------------------- */

static int take_lines(struct frida *f, struct ras_error *err)
{
    struct frida_row *row = malloc(sizeof *row);
    const struct ras_cdt_finalize_options *o = f->options;
    struct ras_bytes line;
    int status = row ? RAS_OK : fail_memory(err);
    uint64_t reported = 0;
    while (status == RAS_OK && (status = frida_lines_next(&f->lines, &line, err)) == RAS_OK) {
        arena_reset(&f->row);
        status = take_line(f, line, row, err);
        if (status == RAS_OK && o && o->progress && f->lines.taken != reported &&
            !o->progress(o->user, f->lines.taken, f->lines.size))
            status = fail_canceled(err);
        reported = f->lines.taken;
    }
    free(row);
    return status == RAS_END ? RAS_OK : status;
}

/* Nothing is published before the end of the capture. */
static int finish_form2(struct frida *f, struct ras_error *err)
{
    int status = RAS_OK;
    if (f->run2.open && !salvages(f))
        return frida_refuse_file(f, " ended with active run %s after %llu ticks",
                                 frida_digits(f->run2.start.run_id).text,
                                 (unsigned long long)f->run2.ticks);
    if (f->run2.open) {
        f->result->open_runs = f->run2.ticks > 0;
        status = end_run2(f, err);
    }
    if (status == RAS_OK && !f->result->run_count)
        return frida_refuse_file(f, " had no finalized runs");
    return status == RAS_OK ? frida_publish(f, err) : status;
}

static int finalize_finish(struct frida *f, struct ras_error *err)
{
    if (!f->session.started)
        return frida_refuse_file(f, " missing session_start");
    if (f->form == 2)
        return finish_form2(f, err);
    int status = f->run.open ? end_run(f, err) : RAS_OK;
    if (status < 0 || f->result->run_count)
        return status;
    return frida_refuse_file(f,
                             f->session.ended ? " had no finalized runs" : " missing session_end");
}

static void close_all(struct frida *f)
{
    frida_run_drop(&f->run);
    frida_run2_drop(&f->run2);
    frida_unstage(f);
    frida_tally_free(&f->run_ids);
    frida_lines_close(&f->lines);
    arena_free(&f->row);
    arena_free(&f->kept);
    free(f->labels);
}

static void drop_runs(struct ras_cdt_finalized *r)
{
    for (size_t i = 0; i < r->run_count; i++) {
        free(r->runs[i].trace);
        free(r->runs[i].evidence);
        free(r->runs[i].replay);
        free(r->runs[i].sidecar);
    }
    r->run_count = 0;
}

/* A refusal is part of the result; any other failure is an error. */
static int finalize(struct ras_cdt_finalized **out, struct frida *f, struct ras_error *err)
{
    enum { ROW_MOST = 1 << 30 };
    *out = NULL;
    f->run.chunks.fd = -1;
    f->run2.chunks.fd = f->run2.steps.fd = f->run2.proofs.fd = -1;
    f->next_global = -1;
    f->row.limit = ROW_MOST;
    f->result = calloc(1, sizeof *f->result);
    int status = f->result ? take_lines(f, err) : fail_memory(err);
    if (status == RAS_OK)
        status = finalize_finish(f, err);
    if (status == RAS_EMEMORY && err && err->status != RAS_EMEMORY)
        fail_memory(err);
    if (status == RAS_EFORMAT && f->result->refusal)
        status = RAS_OK;
    if (f->result && f->form == 2 && (status < 0 || f->result->refusal))
        drop_runs(f->result); /* none of them is published */
    if (f->result) {
        f->result->ticks = f->ticks;
        f->result->lines = f->lines.number;
    }
    close_all(f);
    if (status < 0) {
        ras_cdt_finalized_free(f->result);
        return status;
    }
    *out = f->result;
    return RAS_OK;
}

/* The folder of a path, "" for the current one; NULL: out of memory. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return text_copy(path, slash ? (size_t)(slash + 1 - path) : 0);
}

int ras_cdt_finalize(struct ras_cdt_finalized **out, const char *path,
                     const struct ras_cdt_finalize_options *options, struct ras_error *err)
{
    *out = NULL;
    struct ras_cdt_finalize_options own;
    options = OPTIONS(&own, options, err);
    if (!options)
        return RAS_EUSAGE;
    struct frida f = {.path = path, .options = options};
    char *folder = options->out ? text_copy(options->out, strlen(options->out)) : folder_of(path);
    if (!folder)
        return fail_memory(err);
    f.folder = folder;
    int status = frida_lines_open(&f.lines, path, err);
    if (status == RAS_OK)
        status = finalize(out, &f, err);
    else
        frida_lines_close(&f.lines);
    free(folder);
    return status;
}

int ras_cdt_finalize_memory(struct ras_cdt_finalized **out, struct ras_bytes capture,
                            const char *name, struct ras_folder *to,
                            const struct ras_cdt_finalize_options *options, struct ras_error *err)
{
    *out = NULL;
    struct ras_cdt_finalize_options own;
    options = OPTIONS(&own, options, err);
    if (!options)
        return RAS_EUSAGE;
    struct frida f = {.path = name, .to = to, .options = options};
    frida_lines_memory(&f.lines, capture);
    return finalize(out, &f, err);
}

void ras_cdt_finalized_free(struct ras_cdt_finalized *r)
{
    if (!r)
        return;
    drop_runs(r);
    free(r->runs);
    free(r->refusal);
    free(r);
}

/* ---- the result as JSON ------------------------------------------------------------------ */

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
    json_text(j, "replay", run->replay);
    json_text(j, "evidence", run->sidecar);
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
    json_uint(&j, "open_runs", r->open_runs);
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
