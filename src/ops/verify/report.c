/* report.c - findings of a verification, kept as data. */
#include "ops/verify/report.h"
#include "base/memory.h"

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

/* Where a finding goes, NULL: nowhere. When the list is full it takes the place of the
 * last one that weighs least, if that weighs less: what makes a trace invalid must not
 * be hidden by what is merely worth a note. */
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
