/* findings.c - the route verify: what is wrong with a trace, and the record in which it is. */
#include "export/exporter.h"
#include "view/route.h"

#include <stdlib.h>

/* Findings, which are by part and offset, and their records. */
struct finding_places {
    const struct ras_report *report;
    uint64_t *seqs; /* of all findings; RAS_NONE: not found */
};

/* The first finding at or after an offset of a part. */
static size_t findings_from(const struct ras_report *r, uint32_t part, uint64_t offset)
{
    size_t low = 0, high = r->finding_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct ras_finding *f = &r->findings[middle];
        if (f->part < part || (f->part == part && f->offset < offset))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* How many bytes a record has; a gap says it itself. */
static uint64_t record_length(const struct ras_cursor *c, const struct ras_record *r)
{
    const struct ras_value *length = r->schema == RAS_SCHEMA_GAP ? ras_value_of(c, "length") : NULL;
    uint64_t bytes = length && length->kind == RAS_UINT ? length->u : r->raw_len;
    return bytes ? bytes : 1;
}

/* Findings inside of a record are its, unless an earlier one has them: what is nested follows the
 * record that it is in. */
static void findings_place(struct finding_places *p, const struct ras_cursor *c,
                           const struct ras_record *r)
{
    uint64_t length = record_length(c, r);
    for (size_t i = findings_from(p->report, r->part, r->offset); i < p->report->finding_count;
         i++) {
        const struct ras_finding *f = &p->report->findings[i];
        if (f->part != r->part || f->offset - r->offset >= length)
            return;
        if (p->seqs[i] == RAS_NONE)
            p->seqs[i] = r->seq;
    }
}

/* One walk for all of them; of a trace that cannot be walked to its end, as far as it goes. */
static int findings_walk(struct request *r, struct ras_trace *t, struct finding_places *p)
{
    static const char *const none[] = {NULL};
    const struct ras_pick picks[] = {{.type = "gap"}, {.fields = none}};
    const struct ras_scan scan = {.picks = picks, .pick_count = 2};
    const struct ras_record *record;
    struct ras_cursor *c;
    uint64_t count = 0, total;
    int status = ras_cursor_open(&c, t, &scan, &r->err);
    if (status < 0)
        return status == RAS_EMEMORY ? status : RAS_OK;
    while ((status = ras_next(c, &record, &r->err)) == RAS_OK) {
        findings_place(p, c, record);
        if (++count % 4096 == 0) {
            uint64_t passed = ras_cursor_progress(c, &total);
            if (!request_goes_on(r, passed, total)) {
                ras_cursor_close(c);
                return fail_canceled(&r->err);
            }
        }
    }
    ras_cursor_close(c);
    return status == RAS_EMEMORY ? status : RAS_OK;
}

static int answer_verify(struct request *r)
{
    const struct shown_source *s = request_source(r, 0);
    struct ras_verify_options how = {.progress = r->progress, .user = r->user};
    struct finding_places p = {0};
    struct ras_report *report;
    struct ras_sink *sink;
    int status = ras_verify(&report, s->trace, &how, &r->err);
    if (status < 0)
        return status;
    p.report = report;
    p.seqs = malloc((report->finding_count + 1) * sizeof *p.seqs);
    for (size_t i = 0; p.seqs && i < report->finding_count; i++)
        p.seqs[i] = RAS_NONE;
    status = !p.seqs                 ? fail_memory(&r->err)
             : report->finding_count ? findings_walk(r, s->trace, &p)
                                     : RAS_OK;
    if (status >= 0)
        status = request_sink(r, &sink);
    if (status >= 0)
        status = request_sink_end(
            r, sink, json_report(sink, s->name, s->trace, report, false, p.seqs, &r->err));
    free(p.seqs);
    ras_report_free(report);
    return status;
}

const struct route finding_routes[] = {
    {.path = "verify",
     .job = true,
     .is_long = true,
     .args = {{"src", ARG_SOURCE}},
     .answer = answer_verify},
    {0},
};
