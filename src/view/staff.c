/* staff.c - routes of two sides: the verdict, the staff, evidence of a place, the report. All are
 * jobs: they compare whole traces. */
#include "view/report_page.h"
#include "view/route.h"
#include "view/staff_geometry.h"

#include <stdlib.h>
#include <string.h>

enum { PLACES_SHOWN = 12, ROWS_SHOWN = 96, WINDOW_LIMIT = 4096 };

static struct ras_compare_options job_options(const struct request *r)
{
    return (struct ras_compare_options){.progress = r->progress, .user = r->user};
}

/* Write a document with two sides: the comparison is made, then freed. */
static int compare_sides(struct request *r, struct comparison **c)
{
    const struct ras_compare_options how = job_options(r);
    return comparison_new(c, r->shown, &how, &r->err);
}

/* ---- the verdict ------------------------------------------------------------------------- */

static void put_line(struct json *j, const struct comparison_line *l)
{
    json_object(j, NULL);
    json_text(j, "pen", l->format);
    json_text(j, "name", l->name);
    json_text(j, "maker", l->maker);
    json_text(j, "counts", l->counts);
    json_uint_or_null(j, "first", l->first);
    json_bool(j, "diverged", l->diverged);
    json_bool(j, "about", l->about);
    json_uint(j, "checked", l->checked);
    json_text(j, "failed", l->failed);
    json_array(j, "sides");
    for (int side = 0; side < 2; side++) {
        json_object(j, NULL);
        json_text(j, "file", l->file[side]);
        json_text(j, "missing", l->missing[side]);
        json_text(j, "ending", l->missing[side] ? NULL : ras_ending_name(l->ending[side].kind));
        json_text(j, "why", l->missing[side] ? NULL : l->ending[side].why);
        json_uint_or_null(j, "last", l->last[side]);
        json_close(j);
    }
    json_close(j);
    json_close(j);
}

static void put_rows_of_settings(struct json *j, const struct ras_value *rows)
{
    json_array(j, "settings");
    for (const struct ras_value *row = rows ? rows + 1 : NULL; row && row < ras_value_next(rows);
         row = ras_value_next(row))
        json_cell(j, NULL, row, 0);
    json_close(j);
}

static void put_comparison(struct json *j, const struct comparison *c, const char *later)
{
    json_text(j, "kind", c->run[0] ? "runs" : "traces");
    json_text(j, "word", c->word);
    json_array(j, "names");
    json_text(j, NULL, c->name[0]);
    json_text(j, NULL, c->name[1]);
    json_close(j);
    json_array(j, "title");
    for (int i = 0; i < 3; i++)
        json_text(j, NULL, c->title[i]);
    json_close(j);
    json_text(j, "cause", c->cause);
    json_text(j, "later", later);
    json_bool(j, "diverged", c->diverged);
    json_bool(j, "unison", c->unison);
    json_bool(j, "lost", c->lost);
    json_bool(j, "exact", c->exact);
    json_uint_or_null(j, "first", c->first);
    json_uint_or_null(j, "from", c->from <= c->to ? c->from : RAS_NONE);
    json_uint_or_null(j, "to", c->from <= c->to ? c->to : RAS_NONE);
    json_array(j, "ranges");
    for (int side = 0; side < 2; side++) {
        json_array(j, NULL);
        json_uint_or_null(j, NULL, c->range[side][0]);
        json_uint_or_null(j, NULL, c->range[side][1]);
        json_close(j);
    }
    json_close(j);
    json_uint(j, "checked", c->checked);
    json_uint(j, "compared", c->compared);
    json_uint(j, "stream", c->stream);
    put_rows_of_settings(j, c->settings);
    json_array(j, "lines");
    for (size_t i = 0; i < c->line_count; i++)
        put_line(j, &c->lines[i]);
    json_close(j);
}

static int answer_compare(struct request *r)
{
    const struct ras_compare_options how = job_options(r);
    struct comparison *c;
    struct ras_staff *counts = NULL;
    uint64_t window[2];
    int status = compare_sides(r, &c);
    if (status < 0)
        return status;
    if (c->diverged && c->first != RAS_NONE && c->from <= c->to) {
        comparison_window(c, c->first, WINDOW_TICKS, window);
        status = comparison_count(c, window[0], window[1], &how, &counts, &r->err);
    }
    if (status == RAS_OK) {
        struct json j = request_json(r);
        put_comparison(&j, c, counts ? comparison_later(c, counts) : "");
        status = request_end(r, &j);
    }
    ras_staff_free(counts);
    comparison_free(c);
    return status;
}

/* ---- the staff --------------------------------------------------------------------------- */

static void put_counts(struct json *j, const struct ras_staff_line *l, size_t count)
{
    json_object(j, l->format);
    json_text(j, "counts", l->counts);
    json_bool(j, "about", l->about);
    json_text(j, "error", l->err.status < 0 ? l->err.text : NULL);
    json_array(j, "n");
    for (size_t i = 0; i < count; i++) {
        json_array(j, NULL);
        json_uint_or_null(j, NULL, l->n[0][i]);
        json_uint_or_null(j, NULL, l->n[1][i]);
        json_close(j);
    }
    json_close(j);
    json_array(j, "d");
    for (size_t i = 0; i < count; i++)
        json_uint_or_null(j, NULL, l->d[i]);
    json_close(j);
    json_close(j);
}

/* A window, of any sides that are of one kind; nothing else is compared. */
static int count_window(struct request *r, struct ras_staff **s)
{
    const struct ras_compare_options how = job_options(r);
    const struct side *a = &r->shown->sides[0], *b = &r->shown->sides[1];
    uint64_t from = r->args[0].value, to = r->args[1].value;
    if (to < from || to - from >= WINDOW_LIMIT)
        return fail(&r->err, RAS_EUSAGE, RAS_NONE, "a window has 1 to %d places",
                    (int)WINDOW_LIMIT);
    if (!a->run != !b->run)
        return fail(&r->err, RAS_EUSAGE, RAS_NONE, "a run and a trace cannot be compared");
    return a->run ? ras_rundiff_window(s, a->run, b->run, from, to, &how, &r->err)
                  : ras_diff_window(s, a->trace, b->trace, (uint32_t)r->args[2].value, from, to,
                                    &how, &r->err);
}

static int answer_staff(struct request *r)
{
    struct ras_staff *s;
    int status = count_window(r, &s);
    if (status < 0)
        return status;
    struct json j = request_json(r);
    json_uint(&j, "from", s->first);
    json_uint(&j, "to", s->last);
    json_object(&j, "pens");
    for (size_t i = 0; i < s->line_count; i++)
        put_counts(&j, &s->lines[i], (size_t)(s->last - s->first) + 1);
    json_close(&j);
    ras_staff_free(s);
    return request_end(r, &j);
}

/* ---- evidence ---------------------------------------------------------------------------- */

static void put_seqs(struct json *j, const struct evidence_place *e)
{
    json_array(j, "seq");
    for (int side = 0; side < 2; side++)
        json_u64_text(j, NULL, e->seq[side]);
    json_close(j);
    json_array(j, "stream");
    for (int side = 0; side < 2; side++)
        json_uint(j, NULL, e->stream[side]);
    json_close(j);
}

static void put_place(struct json *j, const struct evidence_place *e)
{
    size_t shown = e->row_count < ROWS_SHOWN ? e->row_count : ROWS_SHOWN;
    json_object(j, NULL);
    json_text(j, "where", e->where);
    json_text(j, "kind", e->kind);
    json_text(j, "context", e->context);
    put_seqs(j, e);
    json_array(j, "rows");
    for (size_t i = 0; i < shown; i++) {
        const struct evidence_row *row = &e->rows[i];
        json_object(j, NULL);
        json_text(j, "label", row->label);
        json_text(j, "expected", row->expected);
        json_text(j, "actual", row->actual);
        json_bool(j, "differs", row->differs);
        json_close(j);
    }
    json_close(j);
    json_uint(j, "left", e->row_count - shown + e->left);
    json_close(j);
}

/* The places of a line there, or where it diverges first; `at` is null where there are none. */
static bool put_places(struct json *j, struct comparison *c, const struct comparison_line *l,
                       const struct ras_diff *here, uint64_t place)
{
    const struct ras_diff *d = here;
    size_t count = 0, shown = 0;
    for (int later = 0; later < 2 && !count; later++) {
        if (later && (!l->diverged || l->first == RAS_NONE || l->first <= place))
            break;
        d = later ? l->here : here;
        place = later ? l->first : place;
        for (size_t i = 0; d && i < d->divergence_count; i++)
            count += comparison_is_at(c, &d->divergences[i], place);
    }
    json_uint_or_null(j, "at", count ? place : RAS_NONE);
    json_uint(j, "count", count);
    json_array(j, "places");
    for (size_t i = 0; count && i < d->divergence_count && shown < PLACES_SHOWN; i++) {
        struct evidence_place e;
        if (!comparison_is_at(c, &d->divergences[i], place))
            continue;
        if (!evidence_of(&e, &c->texts, &d->divergences[i], c->word))
            return false;
        put_place(j, &e);
        evidence_free(&e);
        shown++;
    }
    json_close(j);
    return true;
}

static int put_evidence(struct request *r, struct comparison *c, const struct evidence *at)
{
    struct json j = request_json(r);
    json_uint(&j, "tick", r->args[0].value);
    json_array(&j, "lines");
    for (size_t i = 0; i < c->line_count; i++) {
        const struct comparison_line *l = &c->lines[i];
        json_object(&j, NULL);
        json_text(&j, "pen", l->format);
        json_uint_or_null(&j, "first", l->first);
        json_text(&j, "failed", l->failed);
        if (!put_places(&j, c, l, at->lines[i], r->args[0].value))
            return fail_memory(&r->err);
        json_close(&j);
    }
    json_close(&j);
    return request_end(r, &j);
}

static int answer_evidence(struct request *r)
{
    const struct ras_compare_options how = job_options(r);
    struct comparison *c;
    struct evidence at;
    int status = compare_sides(r, &c);
    if (status < 0)
        return status;
    status = comparison_at(c, r->args[0].value, &how, &at, &r->err);
    if (status == RAS_OK) {
        status = put_evidence(r, c, &at);
        comparison_at_free(&at);
    }
    comparison_free(c);
    return status;
}

/* ---- the report -------------------------------------------------------------------------- */

static int answer_report(struct request *r)
{
    const struct ras_html_report_options how = {.gpu = r->options->gpu,
                                                .has_tick = r->args[0].given,
                                                .tick = r->args[0].value,
                                                .progress = r->progress,
                                                .user = r->user};
    struct ras_html_report found;
    if (!r->shown->side_count)
        return fail(&r->err, RAS_ENOTHING, RAS_NONE, "there is nothing to report on");
    int status = report_put(r->out, r->shown, &how, &found, &r->err);
    r->type = "text/html";
    r->file_name = "report.html";
    return status;
}

const struct route staff_routes[] = {
    {.path = "compare", .job = true, .is_long = true, .pair = true, .answer = answer_compare},
    {.path = "staff",
     .job = true,
     .pair = true,
     .args = {{"from", ARG_NUMBER},
              {"to", ARG_NUMBER},
              {"stream", ARG_NUMBER, .optional = true, .most = UINT32_MAX}},
     .answer = answer_staff},
    {.path = "evidence",
     .job = true,
     .pair = true,
     .args = {{"tick", ARG_NUMBER}},
     .answer = answer_evidence},
    {.path = "report",
     .job = true,
     .is_long = true,
     .args = {{"tick", ARG_NUMBER, .optional = true}},
     .answer = answer_report},
    {0},
};
