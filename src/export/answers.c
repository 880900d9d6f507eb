/* answers.c - results of the verbs as JSON documents. */
#include "base/struct_size.h"
#include "codec/json_write.h"
#include "core/sink.h"
#include "export/exporter.h"
#include "ops/repair/plan.h"
#include <rastrum/rundir.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* End a document with a newline and write it. */
static int finish(struct json *j, struct ras_sink *sink, struct ras_error *err)
{
    json_end_line_quick(j);
    return sink_write_out(sink, j->out, err);
}

/* ---- formats ---------------------------------------------------------------- */

static void put_list(struct json *j, const char *key, const char *const *items)
{
    json_array(j, key);
    for (size_t i = 0; items[i]; i++)
        json_text(j, NULL, items[i]);
    json_close(j);
}

static void put_abilities(struct json *j, unsigned can)
{
    static const char *const names[] = {"read", "stream", "seek", "write", "repair", "replay"};
    json_array(j, "can");
    for (unsigned i = 0; i < 6; i++)
        if (can >> i & 1)
            json_text(j, NULL, names[i]);
    json_close(j);
}

int ras_formats_json(struct ras_sink *sink, struct ras_error *err)
{
    struct out out = {0};
    struct json j = json_start(&out, 0);
    const struct ras_format_about *f;
    json_array(&j, NULL);
    for (size_t i = 0; (f = ras_format_at(i)); i++) {
        json_line_between(&j, 1);
        json_object(&j, NULL);
        json_text(&j, "name", f->name);
        json_text(&j, "title", f->title);
        put_list(&j, "dialects", f->dialects);
        put_list(&j, "extensions", f->extensions);
        put_abilities(&j, f->can);
        json_close(&j);
    }
    return finish(&j, sink, err);
}

/* ---- info --------------------------------------------------------------------- */

static void put_counts(struct json *j, const struct ras_info *info)
{
    json_object(j, "records");
    json_uint(j, "total", info->records);
    json_object(j, "by_type");
    for (size_t i = 0; i < info->type_count; i++) {
        json_key_name(j, info->types[i].name);
        json_uint(j, NULL, info->types[i].records);
    }
    json_close(j);
    json_close(j);
}

static void put_axis(struct json *j, const char *key, bool there, uint64_t first, uint64_t last)
{
    if (!there)
        return;
    json_object(j, key);
    json_uint(j, "first", first);
    json_uint(j, "last", last);
    json_close(j);
}

static void put_axes(struct json *j, const struct ras_info *info)
{
    json_object(j, "axes");
    put_axis(j, "time_ns", info->has_time, info->time_first, info->time_last);
    put_axis(j, "tick", info->has_tick, info->tick_first, info->tick_last);
    json_close(j);
}

static void put_streams(struct json *j, const struct ras_info *info)
{
    json_array(j, "streams");
    for (size_t i = 0; i < info->stream_count; i++) {
        json_object(j, NULL);
        json_uint(j, "id", info->streams[i].id);
        json_text(j, "name", info->streams[i].name);
        json_uint(j, "records", info->streams[i].records);
        json_close(j);
    }
    json_close(j);
}

static void put_producer(struct json *j, const struct ras_trace *t)
{
    size_t n;
    const struct ras_fact *facts = ras_facts(t, &n);
    json_object(j, "producer");
    for (size_t i = 0; i < n; i++)
        json_cell(j, facts[i].key, &facts[i].value, facts[i].flags);
    json_close(j);
}

static void put_notes(struct json *j, const struct ras_info *info)
{
    size_t n;
    const char *const *notes = ras_notes(info->trace, &n);
    json_array(j, "notes");
    if (!info->records)
        json_text(j, NULL, "this trace holds no records");
    for (size_t i = 0; i < n; i++)
        json_text(j, NULL, notes[i]);
    json_close(j);
}

static void put_ending(struct json *j, const char *key, const struct ras_trace *t,
                       const struct ras_ending *e)
{
    json_object(j, key);
    json_text(j, "state", ras_ending_name(e->kind));
    json_uint(j, "offset", e->offset);
    json_text(j, "why", e->why);
    if (*ras_part_name(t, e->part))
        json_text(j, "part", ras_part_name(t, e->part));
    json_close(j);
}

static void put_carried(struct json *j, const struct ras_info *info)
{
    json_array(j, "beside");
    for (size_t i = 0; i < info->carried_count; i++) {
        const struct ras_carried *c = &info->carried[i];
        json_object(j, NULL);
        json_text(j, "name", c->name);
        json_text(j, "format", c->format);
        json_uint(j, "records", c->records);
        json_object(j, "ending");
        json_text(j, "state", c->format || c->empty ? ras_ending_name(c->ending.kind) : "damaged");
        json_uint(j, "offset", c->ending.offset);
        json_text(j, "why", c->why);
        json_close(j);
        json_close(j);
    }
    json_close(j);
}

/* The first members of a document about one trace. */
static void put_trace(struct json *j, const char *path, const struct ras_trace *t)
{
    json_object(j, NULL);
    json_text(j, "path", path);
    json_text(j, "format", ras_format_of(t)->name);
}

int ras_info_json(struct ras_sink *sink, const char *path, const struct ras_info *info,
                  struct ras_error *err)
{
    struct out out = {0};
    struct json j = json_start(&out, 0);
    const struct ras_trace *t = info->trace;
    put_trace(&j, path, t);
    json_text(&j, "dialect", ras_dialect(t));
    json_uint(&j, "version", ras_format_version(t));
    json_uint(&j, "size_bytes", ras_size(t));
    if (ras_wrapping(t))
        json_text(&j, "wrapping", ras_wrapping(t));
    json_line(&j, 1);
    put_ending(&j, "ending", t, &info->ending);
    json_line(&j, 1);
    put_counts(&j, info);
    json_line(&j, 1);
    put_axes(&j, info);
    json_line(&j, 1);
    put_streams(&j, info);
    json_line(&j, 1);
    if (info->carried_count) {
        put_carried(&j, info);
        json_line(&j, 1);
    }
    put_producer(&j, t);
    json_line(&j, 1);
    put_notes(&j, info);
    return finish(&j, sink, err);
}

/* ---- du and verify -------------------------------------------------------------- */

int ras_du_json(struct ras_sink *sink, const char *path, const struct ras_trace *t,
                const struct ras_du *du, struct ras_error *err)
{
    struct out out = {0};
    struct json j = json_start(&out, 0);
    put_trace(&j, path, t);
    json_uint(&j, "size_bytes", ras_size(t));
    json_array(&j, "parts");
    for (size_t i = 0; i < du->part_count; i++) {
        const struct ras_usage *u = &du->parts[i];
        json_line(&j, 1);
        json_object(&j, NULL);
        json_text(&j, "kind", u->kind);
        json_name(&j, "name", u->name);
        json_uint(&j, "records", u->records);
        json_uint(&j, "bytes", u->bytes);
        json_uint(&j, "raw_bytes", u->raw_bytes);
        json_close(&j);
    }
    return finish(&j, sink, err);
}

static void put_rules(struct json *j, const char *format)
{
    const struct ras_rule *rule;
    for (size_t i = 0; (rule = ras_rule_at(format, i)); i++) {
        json_line_between(j, 1);
        json_object(j, NULL);
        json_text(j, "rule", rule->id);
        json_text(j, "severity", ras_severity_name(rule->severity));
        json_text(j, "strict", ras_severity_name(rule->strict));
        json_bool(j, "deep", rule->deep);
        json_text(j, "about", rule->about);
        json_close(j);
    }
}

int ras_rules_json(struct ras_sink *sink, struct ras_error *err)
{
    struct out out = {0};
    struct json j = json_start(&out, 0);
    const struct ras_format_about *f;
    json_array(&j, NULL);
    put_rules(&j, "trace");
    put_rules(&j, "run");
    for (size_t i = 0; (f = ras_format_at(i)); i++)
        put_rules(&j, f->name);
    return finish(&j, sink, err);
}

/* JavaScript has 53 bits. */
static const char *number_text(uint64_t number, char room[24])
{
    snprintf(room, 24, "%" PRIu64, number);
    return room;
}

static void put_finding(struct json *j, const struct ras_finding *f, const char *part,
                        const uint64_t *seq)
{
    char room[24];
    json_line(j, 1);
    json_object(j, NULL);
    json_text(j, "rule", f->rule->id);
    json_text(j, "severity", ras_severity_name(f->severity));
    json_text(j, "part", part);
    json_uint(j, "offset", f->offset);
    json_uint(j, "length", f->length);
    json_text(j, "text", f->text);
    if (seq && *seq != RAS_NONE)
        json_text(j, "seq", number_text(*seq, room));
    json_close(j);
}

static void put_verdict(struct json *j, const char *path, const char *format,
                        const struct ras_report *r, bool strict)
{
    json_object(j, NULL);
    json_text(j, "path", path);
    json_text(j, "format", format);
    json_bool(j, "ok", !r->by_severity[RAS_ERROR]);
    json_bool(j, "strict", strict);
    json_array(j, "findings");
}

int json_report(struct ras_sink *sink, const char *path, const struct ras_trace *t,
                const struct ras_report *r, bool strict, const uint64_t *seqs,
                struct ras_error *err)
{
    struct out out = {0};
    struct json j = json_start(&out, 0);
    put_verdict(&j, path, ras_format_of(t)->name, r, strict);
    for (size_t i = 0; i < r->finding_count; i++)
        put_finding(&j, &r->findings[i], ras_part_name(t, r->findings[i].part),
                    seqs ? &seqs[i] : NULL);
    json_close(&j);
    if (r->unlisted)
        json_uint(&j, "unlisted", r->unlisted);
    return finish(&j, sink, err);
}

int ras_report_json(struct ras_sink *sink, const char *path, const struct ras_trace *t,
                    const struct ras_report *r, bool strict, struct ras_error *err)
{
    return json_report(sink, path, t, r, strict, NULL, err);
}

void ras_json_rundir_report(struct ras_json *to, const struct ras_rundir *run,
                            const struct ras_report *r, bool strict)
{
    struct json *j = json_of(to);
    if (!j)
        return;
    put_verdict(j, run->path, "run", r, strict);
    for (size_t i = 0; i < r->finding_count; i++)
        put_finding(j, &r->findings[i], ras_rundir_part(run, r->findings[i].part), NULL);
    json_close(j);
}

/* ---- repair ------------------------------------------------------------------------ */

static void put_records(struct json *j, const char *key, const struct ras_count *counts,
                        size_t count)
{
    json_object(j, key);
    for (size_t i = 0; i < count; i++)
        json_uint(j, counts[i].name, counts[i].records);
    json_close(j);
}

static void put_lines(struct json *j, const char *key, char *const *lines, size_t count)
{
    json_array(j, key);
    for (size_t i = 0; i < count; i++)
        json_text(j, NULL, lines[i]);
    json_close(j);
}

int ras_repair_json(struct ras_sink *sink, const char *path, const struct ras_trace *t,
                    const struct ras_repair *r, struct ras_error *err)
{
    struct out out = {0};
    struct json j = json_start(&out, 0);
    put_trace(&j, path, t);
    put_ending(&j, "before", t, &r->before);
    put_ending(&j, "after", t, &r->after);
    put_records(&j, "recovered", r->recovered, r->recovered_count);
    json_object(&j, "lost");
    json_uint(&j, "bytes", r->plan.lost_bytes);
    json_uint_or_null(&j, "records", r->plan.lost_records);
    json_close(&j);
    put_records(&j, "missing", r->missing, r->missing_count);
    json_uint(&j, "errors_left", r->left->by_severity[RAS_ERROR]);
    json_text(&j, "status", ras_repair_outcome_name(ras_repair_outcome(r)));
    put_lines(&j, "notes", r->plan.notes, r->plan.note_count);
    plan_put(&j, "plan", &r->plan);
    return finish(&j, sink, err);
}

/* ---- rewrite ----------------------------------------------------------------------- */

static uint64_t count_of(const struct ras_count *counts, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(counts[i].name, name))
            return counts[i].records;
    return 0;
}

static uint64_t kept_of(const struct ras_rewritten *r, const char *name)
{
    return count_of(r->kept, r->kept_count, name) +
           count_of(r->companions, r->companion_count, name);
}

static uint64_t total_of(struct ras_info *const *totals, size_t count, const char *name)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < totals[i]->type_count; k++)
            if (!strcmp(totals[i]->types[k].name, name))
                sum += totals[i]->types[k].records;
    return sum;
}

static bool told_before(struct ras_info *const *totals, size_t source, const char *name)
{
    return source && total_of(totals, source, name);
}

/* Records that the sources have and the new trace does not, by type; types that are not delivered
 * by default as reported. */
static void put_dropped(struct json *j, struct ras_info *const *totals, size_t count,
                        const struct ras_rewritten *r)
{
    json_object(j, "dropped");
    for (size_t i = 0; totals && i < count; i++)
        for (size_t k = 0; k < totals[i]->type_count; k++) {
            const char *name = totals[i]->types[k].name;
            uint64_t total = total_of(totals, count, name), kept = kept_of(r, name);
            if (!told_before(totals, i, name) && total > kept)
                json_uint(j, name, total - kept);
        }
    for (size_t i = 0; i < r->dropped_count; i++)
        if (!totals || !total_of(totals, count, r->dropped[i].name))
            json_uint(j, r->dropped[i].name, r->dropped[i].records);
    json_close(j);
}

/* Traces of other formats that were copied along. */
static void put_written_carried(struct json *j, const struct ras_rewritten *r)
{
    json_array(j, "beside");
    for (size_t i = 0; i < r->carried_count; i++) {
        json_object(j, NULL);
        json_text(j, "name", r->carried[i].name);
        json_text(j, "format", r->carried[i].format);
        json_uint(j, "records", r->carried[i].records);
        json_close(j);
    }
    json_close(j);
}

int ras_rewritten_json(struct ras_sink *sink, const char *const *paths,
                       struct ras_trace *const *traces, size_t count,
                       struct ras_info *const *totals, const struct ras_rewritten *r,
                       struct ras_error *err)
{
    struct out out = {0};
    struct json j = json_start(&out, 0);
    json_object(&j, NULL);
    json_array(&j, "paths");
    for (size_t i = 0; i < count; i++)
        json_text(&j, NULL, paths[i]);
    json_close(&j);
    if (traces)
        json_text(&j, "format", ras_format_of(traces[0])->name);
    json_text(&j, "target", r->target);
    put_records(&j, "kept", r->kept, r->kept_count);
    if (r->companion_count)
        put_records(&j, "companions", r->companions, r->companion_count);
    if (r->carried_count)
        put_written_carried(&j, r);
    if (r->lost_records)
        json_uint(&j, "lost_records", r->lost_records);
    if (r->made_up_bytes)
        json_uint(&j, "made_up_bytes", r->made_up_bytes);
    put_dropped(&j, totals, count, r);
    put_lines(&j, "notes", r->notes, r->note_count);
    if (traces)
        put_ending(&j, "ending", traces[r->ending_source], &r->ending);
    return finish(&j, sink, err);
}

/* ---- reduce ------------------------------------------------------------------------ */

static void put_size(struct json *j, const char *key, uint64_t records, uint64_t bytes)
{
    json_object(j, key);
    json_uint(j, "records", records);
    json_uint(j, "bytes", bytes);
}

int ras_reduced_json(struct ras_sink *sink, const char *path, const struct ras_trace *trace,
                     const struct ras_reduced *r, struct ras_error *err)
{
    struct ras_reduced own;
    r = OPTIONS(&own, r, err);
    if (!r)
        return RAS_EUSAGE;
    struct out out = {0};
    struct json j = json_start(&out, 0);
    put_trace(&j, path, trace);
    json_text(&j, "out", r->out);
    json_text(&j, "status", r->status);
    put_size(&j, "from", r->records_from, r->bytes_from);
    json_close(&j);
    put_size(&j, "to", r->records_to, r->bytes_to);
    put_records(&j, "by_type", r->kept->kept, r->kept->kept_count);
    json_close(&j);
    json_object(&j, "tests");
    json_uint(&j, "run", r->tests);
    json_uint(&j, "failed", r->failed);
    json_uint(&j, "timed_out", r->timed_out);
    json_uint(&j, "resumed", r->resumed);
    return finish(&j, sink, err);
}

/* A table with a line for each of its rows. */
static void put_table(struct json *j, const struct ras_value *table)
{
    const struct ras_value *rows = ras_value_member(table, "rows"), *end = ras_value_next(rows);
    const struct ras_value *left_out = ras_value_member(table, "left_out");
    const struct ras_value *skipped = ras_value_member(table, "skipped");
    json_object(j, NULL);
    json_cell(j, "columns", ras_value_member(table, "columns"), 0);
    json_line(j, 2);
    json_cell(j, "coverage", ras_value_member(table, "coverage"), 0);
    if (left_out)
        json_cell(j, "left_out", left_out, 0);
    if (skipped)
        json_cell(j, "skipped", skipped, 0);
    json_line(j, 2);
    json_array(j, "rows");
    for (const struct ras_value *row = rows + 1; row < end; row = ras_value_next(row)) {
        json_line(j, 3);
        json_cell(j, NULL, row, 0);
    }
    json_close(j);
    json_close(j);
}

int ras_stats_json(struct ras_sink *sink, const char *path, const struct ras_trace *t,
                   const struct ras_stats *stats, struct ras_error *err)
{
    struct out out = {0};
    struct json j = json_start(&out, 0);
    const struct ras_value *tables = stats->tables, *end = ras_value_next(tables);
    json_object(&j, NULL);
    json_text(&j, "path", path);
    json_text(&j, "format", ras_format_of(t)->name);
    json_object(&j, "tables");
    for (const struct ras_value *name = tables + 1; name < end; name = ras_value_next(name + 1)) {
        json_line(&j, 1);
        json_key_text(&j, name->at, name->count);
        put_table(&j, name + 1);
    }
    json_close(&j);
    json_close(&j);
    json_newline(&j);
    return sink_write_out(sink, &out, err);
}
