/* answers.c - what the verbs found, as JSON documents. */
#include "base/error.h"
#include "codec/json_write.h"
#include "ops/repair/plan.h"
#include <rastrum/rundir.h>

#include <inttypes.h>
#include <string.h>

static void put_text(struct out *out, const char *text)
{
    json_string(out, text, strlen(text));
}

static void put_key(struct out *out, const char *key)
{
    put_text(out, key);
    out_byte(out, ':');
}

static int finish(struct out *out, struct ras_sink *sink, struct ras_error *err)
{
    out_byte(out, '\n');
    int status = out->failed ? fail_memory(err) : ras_sink_write(sink, out->at, out->len, err);
    out_free(out);
    return status;
}

/* ---- formats ---------------------------------------------------------------- */

static void put_list(struct out *out, const char *const *items)
{
    out_byte(out, '[');
    for (size_t i = 0; items[i]; i++) {
        if (i)
            out_byte(out, ',');
        put_text(out, items[i]);
    }
    out_byte(out, ']');
}

static void put_abilities(struct out *out, unsigned can)
{
    static const char *const names[] = {"read", "stream", "seek", "write", "repair", "replay"};
    const char *list[7];
    size_t n = 0;
    for (unsigned i = 0; i < 6; i++)
        if (can >> i & 1)
            list[n++] = names[i];
    list[n] = NULL;
    put_list(out, list);
}

int ras_json_formats(struct ras_sink *sink, struct ras_error *err)
{
    struct out out = {0};
    const struct ras_format_about *f;
    out_byte(&out, '[');
    for (size_t i = 0; (f = ras_format_at(i)); i++) {
        out_text(&out, i ? ",\n {" : "{");
        put_key(&out, "name");
        put_text(&out, f->name);
        out_text(&out, ",\"title\":");
        put_text(&out, f->title);
        out_text(&out, ",\"dialects\":");
        put_list(&out, f->dialects);
        out_text(&out, ",\"extensions\":");
        put_list(&out, f->extensions);
        out_text(&out, ",\"can\":");
        put_abilities(&out, f->can);
        out_byte(&out, '}');
    }
    out_byte(&out, ']');
    return finish(&out, sink, err);
}

/* ---- info --------------------------------------------------------------------- */

static void put_counts(struct out *out, const struct ras_info *info)
{
    out_format(out, "{\"total\":%" PRIu64 ",\"by_type\":{", info->records);
    for (size_t i = 0; i < info->type_count; i++) {
        if (i)
            out_byte(out, ',');
        json_name(out, info->types[i].name);
        out_byte(out, ':');
        out_u64(out, info->types[i].records);
    }
    out_text(out, "}}");
}

static void put_axes(struct out *out, const struct ras_info *info)
{
    out_byte(out, '{');
    if (info->has_time)
        out_format(out, "\"time_ns\":{\"first\":%" PRIu64 ",\"last\":%" PRIu64 "}",
                   info->time_first, info->time_last);
    if (info->has_tick)
        out_format(out, "%s\"tick\":{\"first\":%" PRIu64 ",\"last\":%" PRIu64 "}",
                   info->has_time ? "," : "", info->tick_first, info->tick_last);
    out_byte(out, '}');
}

static void put_streams(struct out *out, const struct ras_info *info)
{
    out_byte(out, '[');
    for (size_t i = 0; i < info->stream_count; i++) {
        out_format(out, "%s{\"id\":%" PRIu64 ",\"name\":", i ? "," : "", info->streams[i].id);
        put_text(out, info->streams[i].name);
        out_format(out, ",\"records\":%" PRIu64 "}", info->streams[i].records);
    }
    out_byte(out, ']');
}

static void put_producer(struct out *out, const struct ras_trace *t)
{
    size_t n;
    const struct ras_fact *facts = ras_facts(t, &n);
    out_byte(out, '{');
    for (size_t i = 0; i < n; i++) {
        if (i)
            out_byte(out, ',');
        put_key(out, facts[i].key);
        json_value(out, &facts[i].value, facts[i].flags, false);
    }
    out_byte(out, '}');
}

static void put_notes(struct out *out, const struct ras_info *info)
{
    size_t n;
    const char *const *notes = ras_notes(info->trace, &n);
    out_byte(out, '[');
    if (!info->records)
        put_text(out, "this trace holds no records");
    for (size_t i = 0; i < n; i++) {
        if (i || !info->records)
            out_byte(out, ',');
        put_text(out, notes[i]);
    }
    out_byte(out, ']');
}

static void put_ending(struct out *out, const struct ras_trace *t, const struct ras_ending *e)
{
    out_text(out, "{\"state\":");
    put_text(out, ras_ending_name(e->kind));
    out_format(out, ",\"offset\":%" PRIu64 ",\"why\":", e->offset);
    put_text(out, e->why);
    if (*ras_part_name(t, e->part)) {
        out_text(out, ",\"part\":");
        put_text(out, ras_part_name(t, e->part));
    }
    out_byte(out, '}');
}

static void put_carried(struct out *out, const struct ras_info *info)
{
    for (size_t i = 0; i < info->carried_count; i++) {
        const struct ras_carried *c = &info->carried[i];
        out_text(out, i ? ",{\"name\":" : "[{\"name\":");
        put_text(out, c->name);
        out_text(out, ",\"format\":");
        if (c->format)
            put_text(out, c->format);
        else
            out_text(out, "null");
        out_format(out, ",\"records\":%" PRIu64 ",\"ending\":{\"state\":", c->records);
        put_text(out, c->format || c->empty ? ras_ending_name(c->ending.kind) : "damaged");
        out_format(out, ",\"offset\":%" PRIu64 ",\"why\":", c->ending.offset);
        put_text(out, c->why);
        out_text(out, "}}");
    }
    out_byte(out, ']');
}

int ras_json_info(struct ras_sink *sink, const char *path, const struct ras_info *info,
                  struct ras_error *err)
{
    struct out out = {0};
    const struct ras_trace *t = info->trace;
    out_text(&out, "{\"path\":");
    put_text(&out, path);
    out_text(&out, ",\"format\":");
    put_text(&out, ras_format_of(t)->name);
    out_text(&out, ",\"dialect\":");
    put_text(&out, ras_dialect(t));
    out_format(&out, ",\"version\":%" PRIu64 ",\"size_bytes\":%" PRIu64, ras_format_version(t),
               ras_size(t));
    if (ras_wrapping(t)) {
        out_text(&out, ",\"wrapping\":");
        put_text(&out, ras_wrapping(t));
    }
    out_text(&out, ",\n \"ending\":");
    put_ending(&out, t, &info->ending);
    out_text(&out, ",\n \"records\":");
    put_counts(&out, info);
    out_text(&out, ",\n \"axes\":");
    put_axes(&out, info);
    out_text(&out, ",\n \"streams\":");
    put_streams(&out, info);
    if (info->carried_count) {
        out_text(&out, ",\n \"beside\":");
        put_carried(&out, info);
    }
    out_text(&out, ",\n \"producer\":");
    put_producer(&out, t);
    out_text(&out, ",\n \"notes\":");
    put_notes(&out, info);
    out_byte(&out, '}');
    return finish(&out, sink, err);
}

/* ---- du and verify -------------------------------------------------------------- */

int ras_json_du(struct ras_sink *sink, const char *path, const struct ras_trace *t,
                const struct ras_du *du, struct ras_error *err)
{
    struct out out = {0};
    out_text(&out, "{\"path\":");
    put_text(&out, path);
    out_text(&out, ",\"format\":");
    put_text(&out, ras_format_of(t)->name);
    out_format(&out, ",\"size_bytes\":%" PRIu64 ",\"parts\":[", ras_size(t));
    for (size_t i = 0; i < du->part_count; i++) {
        const struct ras_usage *u = &du->parts[i];
        out_text(&out, i ? ",\n {\"kind\":" : "\n {\"kind\":");
        put_text(&out, u->kind);
        out_text(&out, ",\"name\":");
        put_text(&out, u->name);
        out_format(&out,
                   ",\"records\":%" PRIu64 ",\"bytes\":%" PRIu64 ",\"raw_bytes\":%" PRIu64 "}",
                   u->records, u->bytes, u->raw_bytes);
    }
    out_text(&out, "]}");
    return finish(&out, sink, err);
}

static void put_rules(struct out *out, const char *format, bool *first)
{
    const struct ras_rule *rule;
    for (size_t i = 0; (rule = ras_rule_at(format, i)); i++) {
        out_text(out, *first ? "[{\"rule\":" : ",\n {\"rule\":");
        *first = false;
        put_text(out, rule->id);
        out_text(out, ",\"severity\":");
        put_text(out, ras_severity_name(rule->severity));
        out_text(out, ",\"strict\":");
        put_text(out, ras_severity_name(rule->strict));
        out_text(out, rule->deep ? ",\"deep\":true" : ",\"deep\":false");
        out_text(out, ",\"about\":");
        put_text(out, rule->about);
        out_byte(out, '}');
    }
}

int ras_json_rules(struct ras_sink *sink, struct ras_error *err)
{
    struct out out = {0};
    bool first = true;
    const struct ras_format_about *f;
    put_rules(&out, "trace", &first);
    put_rules(&out, "run", &first);
    for (size_t i = 0; (f = ras_format_at(i)); i++)
        put_rules(&out, f->name, &first);
    out_byte(&out, ']');
    return finish(&out, sink, err);
}

static void put_finding(struct out *out, const struct ras_finding *f, const char *part)
{
    put_key(out, "rule");
    put_text(out, f->rule->id);
    out_text(out, ",\"severity\":");
    put_text(out, ras_severity_name(f->severity));
    out_text(out, ",\"part\":");
    put_text(out, part);
    out_format(out, ",\"offset\":%" PRIu64 ",\"length\":%" PRIu64 ",\"text\":", f->offset,
               f->length);
    put_text(out, f->text);
    out_byte(out, '}');
}

static void put_verdict(struct out *out, const char *path, const char *format,
                        const struct ras_report *r, bool strict)
{
    out_text(out, "{\"path\":");
    put_text(out, path);
    out_text(out, ",\"format\":");
    put_text(out, format);
    out_format(out, ",\"ok\":%s,\"strict\":%s,\"findings\":[",
               r->by_severity[RAS_ERROR] ? "false" : "true", strict ? "true" : "false");
}

int ras_json_report(struct ras_sink *sink, const char *path, const struct ras_trace *t,
                    const struct ras_report *r, bool strict, struct ras_error *err)
{
    struct out out = {0};
    put_verdict(&out, path, ras_format_of(t)->name, r, strict);
    for (size_t i = 0; i < r->finding_count; i++) {
        out_text(&out, i ? ",\n {" : "\n {");
        put_finding(&out, &r->findings[i], ras_part_name(t, r->findings[i].part));
    }
    out_byte(&out, ']');
    if (r->unlisted)
        out_format(&out, ",\"unlisted\":%" PRIu64, r->unlisted);
    out_byte(&out, '}');
    return finish(&out, sink, err);
}

int ras_json_rundir_report(struct ras_sink *sink, const struct ras_rundir *run,
                           const struct ras_report *r, bool strict, struct ras_error *err)
{
    struct out out = {0};
    put_verdict(&out, run->path, "run", r, strict);
    for (size_t i = 0; i < r->finding_count; i++) {
        out_text(&out, i ? ",\n {" : "\n {");
        put_finding(&out, &r->findings[i], ras_rundir_part(run, r->findings[i].part));
    }
    out_text(&out, "],\n \"parts\":[");
    return finish(&out, sink, err);
}

/* ---- repair ------------------------------------------------------------------------ */

static void put_records(struct out *out, const struct ras_count *counts, size_t count)
{
    out_byte(out, '{');
    for (size_t i = 0; i < count; i++) {
        if (i)
            out_byte(out, ',');
        put_key(out, counts[i].name);
        out_u64(out, counts[i].records);
    }
    out_byte(out, '}');
}

static void put_lines(struct out *out, char *const *lines, size_t count)
{
    out_byte(out, '[');
    for (size_t i = 0; i < count; i++) {
        if (i)
            out_byte(out, ',');
        put_text(out, lines[i]);
    }
    out_byte(out, ']');
}

int ras_json_repair(struct ras_sink *sink, const char *path, const struct ras_trace *t,
                    const struct ras_repair *r, struct ras_error *err)
{
    struct out out = {0};
    out_text(&out, "{\"path\":");
    put_text(&out, path);
    out_text(&out, ",\"format\":");
    put_text(&out, ras_format_of(t)->name);
    out_text(&out, ",\"before\":");
    put_ending(&out, t, &r->before);
    out_text(&out, ",\"after\":");
    put_ending(&out, t, &r->after);
    out_text(&out, ",\"recovered\":");
    put_records(&out, r->recovered, r->recovered_count);
    out_format(&out, ",\"lost\":{\"bytes\":%" PRIu64 ",\"records\":", r->plan.lost_bytes);
    if (r->plan.lost_records == RAS_NONE)
        out_text(&out, "null");
    else
        out_u64(&out, r->plan.lost_records);
    out_text(&out, "},\"missing\":");
    put_records(&out, r->missing, r->missing_count);
    out_format(&out, ",\"errors_left\":%" PRIu64 ",\"status\":\"%s\",\"notes\":",
               r->left->by_severity[RAS_ERROR], ras_repair_outcome_name(ras_repair_outcome(r)));
    put_lines(&out, r->plan.notes, r->plan.note_count);
    out_text(&out, ",\"plan\":");
    plan_put(&out, &r->plan);
    out_byte(&out, '}');
    return finish(&out, sink, err);
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

static void put_count(struct out *out, size_t *n, const char *name, uint64_t records)
{
    if ((*n)++)
        out_byte(out, ',');
    put_key(out, name);
    out_u64(out, records);
}

/* What the sources have and the new trace has not, type by type; types that are not
 * delivered by default as they were told. */
static void put_dropped(struct out *out, struct ras_info *const *totals, size_t count,
                        const struct ras_rewritten *r)
{
    size_t n = 0;
    out_byte(out, '{');
    for (size_t i = 0; totals && i < count; i++)
        for (size_t k = 0; k < totals[i]->type_count; k++) {
            const char *name = totals[i]->types[k].name;
            uint64_t total = total_of(totals, count, name), kept = kept_of(r, name);
            if (!told_before(totals, i, name) && total > kept)
                put_count(out, &n, name, total - kept);
        }
    for (size_t i = 0; i < r->dropped_count; i++)
        if (!totals || !total_of(totals, count, r->dropped[i].name))
            put_count(out, &n, r->dropped[i].name, r->dropped[i].records);
    out_byte(out, '}');
}

/* Traces of other formats that went along. */
static void put_written_carried(struct out *out, const struct ras_rewritten *r)
{
    out_text(out, ",\"beside\":[");
    for (size_t i = 0; i < r->carried_count; i++) {
        out_text(out, i ? ",{\"name\":" : "{\"name\":");
        put_text(out, r->carried[i].name);
        out_text(out, ",\"format\":");
        put_text(out, r->carried[i].format);
        out_format(out, ",\"records\":%" PRIu64 "}", r->carried[i].records);
    }
    out_byte(out, ']');
}

int ras_json_rewritten(struct ras_sink *sink, const char *const *paths,
                       struct ras_trace *const *traces, size_t count,
                       struct ras_info *const *totals, const struct ras_rewritten *r,
                       struct ras_error *err)
{
    struct out out = {0};
    out_text(&out, "{\"paths\":[");
    for (size_t i = 0; i < count; i++) {
        if (i)
            out_byte(&out, ',');
        put_text(&out, paths[i]);
    }
    out_text(&out, "],");
    if (traces) {
        out_text(&out, "\"format\":");
        put_text(&out, ras_format_of(traces[0])->name);
        out_byte(&out, ',');
    }
    out_text(&out, "\"target\":");
    put_text(&out, r->target);
    out_text(&out, ",\"kept\":");
    put_records(&out, r->kept, r->kept_count);
    if (r->companion_count) {
        out_text(&out, ",\"companions\":");
        put_records(&out, r->companions, r->companion_count);
    }
    if (r->carried_count)
        put_written_carried(&out, r);
    if (r->lost_records)
        out_format(&out, ",\"lost_records\":%" PRIu64, r->lost_records);
    if (r->made_up_bytes)
        out_format(&out, ",\"made_up_bytes\":%" PRIu64, r->made_up_bytes);
    out_text(&out, ",\"dropped\":");
    put_dropped(&out, totals, count, r);
    out_text(&out, ",\"notes\":");
    put_lines(&out, r->notes, r->note_count);
    if (traces) {
        out_text(&out, ",\"ending\":");
        put_ending(&out, traces[r->ending_source], &r->ending);
    }
    out_byte(&out, '}');
    return finish(&out, sink, err);
}
