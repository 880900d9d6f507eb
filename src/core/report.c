/* report.c - findings of a verification, kept as data. */
#include "core/report.h"
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

void report_add(struct report *r, const struct ras_rule *rule, uint32_t part, uint64_t offset,
                uint64_t length, const char *fmt, ...)
{
    if (!report_wants(r, rule))
        return;
    struct ras_report *out = &r->out;
    enum ras_severity severity = r->strict ? rule->strict : rule->severity;
    out->by_severity[severity]++;
    if (out->finding_count >= r->limit) {
        out->unlisted++;
        return;
    }
    char text[400];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    char *copy = text_copy(text, strlen(text));
    if (!copy ||
        !array_grow(&out->findings, &r->room, out->finding_count + 1, sizeof *out->findings)) {
        free(copy);
        r->nomem = true;
        return;
    }
    out->findings[out->finding_count++] =
        (struct ras_finding){rule, severity, part, offset, length, copy};
}
