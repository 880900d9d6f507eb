/* verify.c - the rules of a format, and those common to all, as findings. */
#include "base/memory.h"
#include "base/struct_size.h"
#include "core/registry.h"
#include "core/format.h"
#include "ops/rundir/rundir_axes.h"
#include "ops/verify/report.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const severity_names[] = {
    [RAS_NOTE] = "note", [RAS_WARNING] = "warning", [RAS_ERROR] = "error"};

const char *ras_severity_name(enum ras_severity severity)
{
    return severity_names[severity];
}

bool report_wants(const struct report *r, const struct ras_rule *rule)
{
    return r->deep || !rule->deep;
}

/* The place of a new finding; NULL: drop it. When the list is full it replaces the last of the
 * least severe ones, if that is less severe: an error must not be hidden by notes. */
static struct ras_finding *place_for(struct report *r, enum ras_severity severity)
{
    struct ras_report *out = &r->out;
    if (out->finding_count < r->limit) {
        if (array_grow(&out->findings, &r->room, out->finding_count + 1, sizeof *out->findings))
            return &out->findings[out->finding_count++];
        r->nomem = true;
        return NULL;
    }
    out->unlisted++;
    enum ras_severity least = r->listed[RAS_NOTE] ? RAS_NOTE : RAS_WARNING;
    if (severity <= least || !r->listed[least])
        return NULL;
    struct ras_finding *f = &out->findings[out->finding_count - 1];
    while (f->severity != least)
        f--;
    r->listed[least]--;
    free((void *)(uintptr_t)f->text);
    return f;
}

void report_add(struct report *r, const struct ras_rule *rule, uint32_t part, uint64_t offset,
                uint64_t length, const char *fmt, ...)
{
    if (!report_wants(r, rule))
        return;
    struct ras_report *out = &r->out;
    enum ras_severity severity = r->strict ? rule->strict : rule->severity;
    out->by_severity[severity]++;
    struct ras_finding *f = place_for(r, severity);
    if (!f)
        return;
    char text[400];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    *f = (struct ras_finding){rule, severity, part, offset, length, text_copy(text, strlen(text))};
    r->listed[severity]++;
    r->nomem |= !f->text;
}

#define COMMON_RULES(RULE)                                                                         \
    RULE(CARRIED_BAD, "trace.carried.unreadable", ERROR, ERROR, false,                             \
         "a trace of another format inside the trace can be read")                                 \
    RULE(CARRIED_SHORT, "trace.carried.count", ERROR, ERROR, false,                                \
         "it has as many records as the recorder counted")                                         \
    RULE(PART_DENIED, "trace.part.denied", ERROR, ERROR, false,                                    \
         "every directory of the trace can be read")                                               \
    RULE(ENDS_CUT, "trace.ending.cut", ERROR, ERROR, false, "the last record is whole")            \
    RULE(ENDS_DAMAGED, "trace.ending.damaged", ERROR, ERROR, false,                                \
         "every record can be followed to the end")                                                \
    RULE(WRAP_OPEN, "trace.wrapping.open", WARNING, ERROR, false,                                  \
         "the last frame of a zstd wrapping was closed")                                           \
    RULE(WRAP_CUT, "trace.wrapping.cut", ERROR, ERROR, false, "a gzip or zstd wrapping is whole")  \
    RULE(WRAP_DAMAGED, "trace.wrapping.damaged", ERROR, ERROR, false,                              \
         "a gzip or zstd wrapping can be followed to its end")                                     \
    RULE(WRAP_TRAILING, "trace.wrapping.trailing", WARNING, ERROR, false,                          \
         "nothing follows the last compressed member")
enum { COMMON_RULES(RULE_NUMBER) };

static const struct ras_rule common_rules[] = {COMMON_RULES(RULE_ROW) RULES_END};

const struct ras_rule *ras_rule_at(const char *format, size_t i)
{
    const struct ras_rule *rules = common_rules;
    if (!strcmp(format, "run")) {
        rules = rundir_rules;
    } else if (strcmp(format, "trace") != 0) {
        const struct ras_format *f = registry_find(format);
        rules = f ? f->rules : NULL;
    }
    for (size_t n = 0; rules && rules[n].id; n++)
        if (n == i)
            return &rules[n];
    return NULL;
}

static void check_denied(const struct ras_trace *t, struct report *report)
{
    const char *denied = source_unlisted(t->source);
    if (denied)
        report_add(report, &common_rules[PART_DENIED], 0, 0, 0, "%s: permission denied; skipped",
                   denied);
}

static void check_wrapping(const struct ras_trace *t, struct report *report)
{
    for (size_t i = 0; i < source_count(t->source); i++) {
        const struct wrapping *w = source_wrapping(t->source, i);
        if (!w->name || (w->kind == RAS_COMPLETE && !w->trailing))
            continue;
        int rule = w->trailing               ? WRAP_TRAILING
                   : w->kind == RAS_UNSEALED ? WRAP_OPEN
                   : w->kind == RAS_CUT      ? WRAP_CUT
                                             : WRAP_DAMAGED;
        uint64_t stored = source_stored(t->source, i);
        report_add(report, &common_rules[rule], (uint32_t)i, w->offset, stored - w->offset,
                   "%s: %s at stored byte %" PRIu64 " of %" PRIu64, w->name, w->why, w->offset,
                   stored);
    }
}

/* A bad ending loses data, and that is an error whether or not the format has a rule for it. Where
 * it has one, and reported it, the trace need not be walked again. */
static int check_ending(struct ras_trace *t, struct report *report, struct ras_error *err)
{
    const struct ras_scan scan = {.headers_only = true};
    const struct ras_record *r;
    struct ras_cursor *c;
    if (report->out.by_severity[RAS_ERROR] || t->format->check_ends)
        return RAS_OK;
    int status = ras_cursor_open(&c, t, &scan, err);
    if (status < 0)
        return status;
    while ((status = walk_next(t, c, &r, err)) == RAS_OK)
        ;
    ras_cursor_close(c);
    struct ras_ending e = ras_ending(t);
    if (status >= 0 && e.kind > RAS_UNSEALED)
        report_add(report, &common_rules[e.kind == RAS_CUT ? ENDS_CUT : ENDS_DAMAGED], e.part,
                   e.offset, source_size(t->source, e.part) - e.offset, "%s", e.why);
    return status < 0 ? status : RAS_OK;
}

/* A trace inside the trace is checked by the rules of its own format. */
static int check_carried(struct ras_trace *of, size_t part, const struct ras_verify_options *how,
                         struct report *report, struct ras_error *err)
{
    struct ras_trace *t = NULL;
    struct ras_report *r = NULL;
    struct ras_info *info = NULL;
    struct ras_error why = {0};
    uint64_t promised = carried_promised(of, part);
    int status = carried_open(&t, of, part, &why);
    if (status == RAS_OK)
        status = ras_verify(&r, t, how, &why);
    if (status == RAS_OK && promised != RAS_NONE)
        status = ras_info(&info, t, NULL, NULL, &why);
    if (status < 0 && status != RAS_EMEMORY)
        report_add(report, &common_rules[CARRIED_BAD], (uint32_t)part,
                   why.offset == RAS_NONE ? 0 : why.offset, 0, "%s", why.text);
    for (size_t i = 0; r && i < r->finding_count; i++)
        report_add(report, r->findings[i].rule, (uint32_t)part, r->findings[i].offset,
                   r->findings[i].length, "%s", r->findings[i].text);
    uint64_t records = info ? info->records : 0;
    if ((info || status == RAS_END) && promised != RAS_NONE && records < promised)
        report_add(report, &common_rules[CARRIED_SHORT], (uint32_t)part, 0, 0,
                   "holds %" PRIu64 " of the %" PRIu64 " records that its recorder stored", records,
                   promised);
    ras_info_free(info);
    ras_report_free(r);
    ras_close(t);
    return status == RAS_EMEMORY ? fail_memory(err) : RAS_OK;
}

static int by_place(const void *a, const void *b)
{
    const struct ras_finding *x = a, *y = b;
    if (x->part != y->part)
        return x->part < y->part ? -1 : 1;
    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    int rule = strcmp(x->rule->id, y->rule->id);
    return rule ? rule : strcmp(x->text, y->text);
}

static void free_findings(struct ras_report *r)
{
    for (size_t i = 0; i < r->finding_count; i++)
        free((void *)(uintptr_t)r->findings[i].text);
    free(r->findings);
}

int ras_verify(struct ras_report **out, struct ras_trace *t,
               const struct ras_verify_options *options, struct ras_error *err)
{
    *out = NULL;
    struct ras_verify_options own;
    options = OPTIONS(&own, options, err);
    if (!options)
        return RAS_EUSAGE;
    int status = source_whole(t->source, err);
    if (status < 0)
        return status;
    struct report report = {.strict = options->strict,
                            .deep = options->deep,
                            .progress = options->progress,
                            .user = options->user,
                            .total = source_size_before(t->source, source_count(t->source)),
                            .limit = t->limits.findings};
    trace_report_driver(t, "verify", "check", t->format->check != NULL);
    check_denied(t, &report);
    status = t->format->check ? t->format->check(t, &report, err) : RAS_OK;
    check_wrapping(t, &report); /* a part with an index is decompressed when it is checked */
    if (report.canceled)
        status = fail_canceled(err);
    if (status >= 0)
        status = check_ending(t, &report, err);
    for (size_t i = carried_next(t, 0); status >= 0 && i != SIZE_MAX; i = carried_next(t, i + 1))
        status = check_carried(
            t, i, &(struct ras_verify_options){.strict = report.strict, .deep = report.deep},
            &report, err);
    if (status >= 0 && report.nomem)
        status = fail_memory(err);
    struct ras_report *r = status < 0 ? NULL : malloc(sizeof *r);
    if (!r) {
        free_findings(&report.out);
        return status < 0 ? status : fail_memory(err);
    }
    *r = report.out;
    if (r->finding_count)
        qsort(r->findings, r->finding_count, sizeof *r->findings, by_place);
    *out = r;
    return RAS_OK;
}

void ras_report_free(struct ras_report *r)
{
    if (!r)
        return;
    free_findings(r);
    free(r);
}
