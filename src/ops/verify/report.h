/* report.h - findings of a verification, kept as data. */
#ifndef OPS_VERIFY_REPORT_H
#define OPS_VERIFY_REPORT_H

#include <rastrum/rastrum.h>

struct report {
    bool strict, deep;
    ras_progress *progress;
    void *user;
    uint64_t total, reported;
    struct ras_report out;
    size_t room;
    uint32_t limit;
    uint32_t listed[3]; /* of out.findings, by severity */
    bool nomem, canceled;
};

/* Add a finding of `rule` (a row of the format's table). Its severity follows
 * from report->strict; deep rules are dropped unless report->deep. */
void report_add(struct report *, const struct ras_rule *rule, uint32_t part, uint64_t offset,
                uint64_t length, const char *fmt, ...) __attribute__((format(printf, 6, 7)));
/* Call the caller's progress callback with the bytes checked so far; cheap enough for every
 * record. False: the check is canceled and returns at once, what it returns does not matter. */
static inline bool report_progress(struct report *r, uint64_t done)
{
    if (r->canceled || done - r->reported < (uint64_t)1 << 20)
        return !r->canceled;
    r->reported = done;
    if (r->progress && !r->progress(r->user, done, r->total))
        r->canceled = true;
    return !r->canceled;
}
/* A format lists its rules once, in a macro: RULE(number, id, severity, strict, deep, about). */
#define RULE_NUMBER(number, id, severity, strict, deep, about) number,
#define RULE_ROW(number, id, severity, strict, deep, about)                                        \
    [number] = {id, RAS_##severity, RAS_##strict, deep, about},
#define RULES_END                                                                                  \
    {                                                                                              \
        0                                                                                          \
    }

/* Whether the rule is checked at all: saves the work of deep rules. */
bool report_wants(const struct report *, const struct ras_rule *rule);
#endif
