/* twice_report.h - what `rastrum twice` has found, as text and as JSON. */
#ifndef CLI_TWICE_REPORT_H
#define CLI_TWICE_REPORT_H

#include "cli/session.h"
#include "twice/outcome.h"
#include "twice/search.h"

/* A run that differs from the pinned one. */
struct twice_evidence {
    uint32_t set; /* what was changed; 0: nothing */
    unsigned attempt;
    bool there, compared; /* its calls */
    bool bare;            /* it was not recorded */
    enum twice_difference how;
    struct outcome outcome;
    struct divergence divergence;
};

/* Everything that is reported. */
struct twice_result {
    const struct launch *launch;
    struct twice_found found;
    uint32_t varied, left_out;           /* conditions */
    const struct twice_evidence *pinned; /* a pinned run that differs; NULL: none does */
    const struct twice_evidence *each[TWICE_CAUSES_MOST]; /* of each cause */
    struct launched ending;                               /* of the first pinned run */
    char said[OUTCOME_LINE];                              /* the first line of its error output */
    const char *kept;             /* the directory of the recordings; NULL: they are removed */
    bool recorded;                /* calls or pens */
    const char *why_not_recorded; /* NULL: nothing to say */
    const char *unpinned;         /* what pins nothing in it; NULL: nothing is known */
    const char *incomplete;       /* why a recording is; NULL: none is */
};

/* "same", "differs", "uncontrolled"; "unknown": the search was stopped before it found anything. */
const char *twice_status(const struct twice_result *);
void twice_put_text(struct answer *, const struct twice_result *);
void twice_put_json(struct ras_json *, const struct twice_result *);
#endif
