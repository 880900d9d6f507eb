/* report_run.c - what else a report says of runs and traces: endings and findings, times, settings,
 * and the commands that show it again. */
#include "base/error.h"
#include "core/format.h"
#include "ops/compare/compare_driver.h"
#include "view/report_page.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { FINDINGS_MOST = 40, TIMES_MOST = 10, TABLE_ROWS = 8, SLOWEST = 8 };

/* ---- endings and findings ---------------------------------------------------------------- */

static void put_ending(struct report_page *p, const struct shown_source *s)
{
    struct ras_ending e = s->trace ? ras_ending(s->trace) : (struct ras_ending){0};
    if (!s->trace) {
        out_text(&p->out, "<td><span class=\"chip warn\">cannot be read</span> ");
        html_text(&p->out, s->err->text);
        out_text(&p->out, "</td>");
        return;
    }
    bool bad = e.kind >= RAS_CUT;
    out_format(&p->out, "<td><span class=\"chip %s\">%s</span>", bad ? "warn" : "ok",
               ras_ending_name(e.kind));
    if (bad)
        html_format(&p->out, " at byte %" PRIu64 " of %" PRIu64 ": %s", e.offset, e.size, e.why);
    out_text(&p->out, "</td>");
}

/* Findings of one trace or run; *left: how many more may be shown. */
static void put_findings(struct report_page *p, const struct ras_report *r, const char *where,
                         size_t *left)
{
    for (size_t i = 0; i < r->finding_count && *left; i++, --*left) {
        const struct ras_finding *f = &r->findings[i];
        out_text(&p->out, "<tr>");
        report_cell(p, "", ras_severity_name(f->severity));
        report_cell(p, "mono", f->rule->id);
        report_cell(p, "", where);
        report_cell(p, "", f->text);
        out_text(&p->out, "</tr>\n");
    }
}

/* A trace that cannot be verified is one of the endings. */
static int report_find(struct report_page *p, struct out *rows, uint64_t sums[3],
                       struct ras_error *err)
{
    const struct ras_verify_options how = {.progress = p->options->progress,
                                           .user = p->options->user};
    struct out page = p->out;
    size_t left = FINDINGS_MOST;
    int status = RAS_OK;
    p->out = *rows;
    for (unsigned i = 0; i < p->shown->source_count && status == RAS_OK; i++) {
        const struct shown_source *s = &p->shown->sources[i];
        struct ras_report *r;
        int done = s->trace ? ras_verify(&r, s->trace, &how, err) : RAS_END;
        if (done == RAS_EMEMORY || done == RAS_ECANCELED)
            status = done;
        if (done != RAS_OK)
            continue;
        const char *name = p->shown->sides[s->side].run
                               ? arena_format(&p->texts, "%s/%s", p->names[s->side], s->name)
                               : s->name;
        for (int k = 0; k < 3; k++)
            sums[k] += r->by_severity[k];
        put_findings(p, r, name, &left);
        ras_report_free(r);
    }
    for (unsigned side = 0; side < p->shown->side_count && status == RAS_OK; side++) {
        struct ras_report *r;
        if (!p->shown->sides[side].run ||
            ras_rundir_verify(&r, p->shown->sides[side].run, &how, err) != RAS_OK)
            continue;
        for (int k = 0; k < 3; k++)
            sums[k] += r->by_severity[k];
        put_findings(p, r, p->names[side], &left);
        ras_report_free(r);
    }
    *rows = p->out;
    p->out = page;
    return status;
}

/* Not every verb walks a trace to its end. */
static void know_ending(struct ras_trace *trace)
{
    const struct ras_scan scan = {.headers_only = true};
    const struct ras_record *r;
    struct ras_cursor *c;
    if (!trace || ras_ending(trace).kind != RAS_OPEN_END ||
        ras_cursor_open(&c, trace, &scan, NULL) < 0)
        return;
    while (ras_next(c, &r, NULL) == RAS_OK)
        ;
    ras_cursor_close(c);
}

int report_endings(struct report_page *p, struct ras_error *err)
{
    struct out rows = {0};
    uint64_t sums[3] = {0, 0, 0};
    int status = report_find(p, &rows, sums, err);
    for (unsigned i = 0; i < p->shown->source_count; i++)
        know_ending(p->shown->sources[i].trace);
    report_heading(p, "Endings and findings");
    out_text(&p->out,
             "<div class=\"panel\" tabindex=\"0\"><table><thead><tr><th>trace</th><th>format</th>"
             "<th class=\"num\">size</th><th>ending</th></tr></thead><tbody>");
    for (unsigned i = 0; i < p->shown->source_count; i++) {
        const struct shown_source *s = &p->shown->sources[i];
        out_text(&p->out, "<tr><td class=\"mono\">");
        html_text(&p->out, p->shown->sides[s->side].run ? p->names[s->side] : "");
        html_format(&p->out, "%s%s", p->shown->sides[s->side].run ? "/" : "", s->name);
        out_text(&p->out, "</td>");
        report_cell(p, "", s->trace ? ras_format_of(s->trace)->title : s->pen);
        report_cell(p, "num", s->trace ? report_bytes(&p->texts, ras_size(s->trace)) : "");
        put_ending(p, s);
        out_text(&p->out, "</tr>\n");
    }
    out_text(&p->out, "</tbody></table></div>\n");
    for (int s = RAS_ERROR; s >= RAS_NOTE; s--)
        out_format(&p->out, "%s%s", s == RAS_ERROR ? "<p>Verified: " : ", ",
                   ras_counted(sums[s], ras_severity_name((enum ras_severity)s)).text);
    out_text(&p->out, ".</p>\n");
    if (rows.len) {
        out_text(
            &p->out,
            "<div class=\"panel\" tabindex=\"0\"><table><thead><tr><th></th><th>rule</th><th>where"
            "</th><th>finding</th></tr></thead><tbody>");
        out_bytes(&p->out, rows.at, rows.len);
        out_text(&p->out, "</tbody></table></div>\n");
        uint64_t found = sums[RAS_ERROR] + sums[RAS_WARNING] + sums[RAS_NOTE];
        if (found > FINDINGS_MOST)
            out_format(&p->out, "<p class=\"dim\">and %s: rastrum verify prints all</p>\n",
                       ras_counted(found - FINDINGS_MOST, "more finding").text);
    }
    p->out.failed |= rows.failed;
    out_free(&rows);
    return status;
}

/* ---- times ------------------------------------------------------------------------------- */

static bool has_profile(const struct ras_trace *trace)
{
    const struct ras_format_option *o = trace->format->about.options;
    for (; o && o->name; o++)
        if (!strcmp(o->name, "profile") && ras_option_has_verb(o, "diff"))
            return true;
    return false;
}

/* Whether a row has a number that is not zero. */
static bool row_says(const struct ras_value *rows)
{
    double number;
    for (const struct ras_value *row = rows + 1; row < ras_value_next(rows);
         row = ras_value_next(row))
        for (const struct ras_value *v = row + 1; v < ras_value_next(row); v = ras_value_next(v))
            if (report_number(v, &number) && number > 0)
                return true;
    return false;
}

/* The first table of a profile that says something. */
static const struct ras_value *profile_table(const struct ras_diff *d, const char **name)
{
    const struct ras_value *all = d->tables;
    for (const struct ras_value *key = all ? all + 1 : NULL; key && key < ras_value_next(all);
         key = ras_value_next(key + 1)) {
        const struct ras_value *rows = ras_value_member(key + 1, "rows");
        *name = key->at;
        if (rows && rows->kind == RAS_LIST && rows->count && row_says(rows))
            return key + 1;
    }
    return NULL;
}

int report_times(struct report_page *p, struct ras_error *err)
{
    const struct comparison *c = p->comparison;
    static const struct ras_choice profile = {.name = "profile"};
    bool headed = false;
    for (size_t i = 0; i < c->line_count; i++) {
        const struct comparison_line *l = &c->lines[i];
        const struct shown_source *a = shown_pen(p->shown, 0, l->format);
        const struct shown_source *b = shown_pen(p->shown, 1, l->format);
        if (!a || !b || !has_profile(a->trace))
            continue;
        struct ras_compare_options how = p->how;
        struct ras_diff *d;
        const char *name;
        how.choices = &profile;
        how.choice_count = 1;
        int status = ras_diff(&d, a->trace, b->trace, &how, err);
        if (status == RAS_EMEMORY || status == RAS_ECANCELED)
            return status;
        const struct ras_value *table = status == RAS_OK ? profile_table(d, &name) : NULL;
        if (table && !headed)
            report_heading(p, "Where the time went");
        headed |= table != NULL;
        if (table) {
            html_format(&p->out, "%s: ", l->name);
            out_text(&p->out, "<span class=\"dim\">");
            html_format(&p->out,
                        "%s, by how much they differ; recorded times, not compared for "
                        "the verdict",
                        name);
            out_text(&p->out, "</span>");
            report_figures(p, table, TIMES_MOST, c->name);
        }
        if (status == RAS_OK)
            ras_diff_free(d);
    }
    return RAS_OK;
}

/* ---- settings ---------------------------------------------------------------------------- */

/* The scalars of a map of run.json, those of maps in it by their path. */
static void report_setting_rows(struct report_page *p, const struct ras_value *a,
                                const struct ras_value *b, const char *above)
{
    static const char *const left_out[] = {"axes", "pens", "order"};
    for (const struct ras_value *key = a + 1; key < ras_value_next(a);
         key = ras_value_next(key + 1)) {
        const struct ras_value *v = key + 1, *w = b ? ras_value_member(b, key->at) : NULL;
        const char *label = arena_format(&p->texts, "%s%s", above, (const char *)key->at);
        bool skip = false;
        for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
            skip |= !strcmp(key->at, left_out[i]);
        if (skip || v->kind == RAS_LIST)
            continue;
        if (v->kind == RAS_MAP) {
            report_setting_rows(p, v, w && w->kind == RAS_MAP ? w : NULL,
                                arena_format(&p->texts, "%s.", label));
            continue;
        }
        const char *x = evidence_text(&p->texts, label, v);
        const char *y = w ? evidence_text(&p->texts, label, w) : "";
        out_text(&p->out, "<tr>");
        report_cell(p, "dim", label);
        report_cell(p, "mono", x);
        if (p->comparison)
            report_cell(p, strcmp(x, y) != 0 ? "mono now" : "mono", y);
        out_text(&p->out, "</tr>\n");
    }
}

void report_settings(struct report_page *p)
{
    const struct ras_rundir *a = p->shown->sides[0].run, *b = p->shown->sides[1].run;
    if (!a || !a->json)
        return;
    report_heading(p, "Settings and versions");
    out_text(&p->out, "<div class=\"panel\" tabindex=\"0\"><table><thead><tr><th></th>");
    for (unsigned i = 0; i < p->shown->side_count; i++) {
        out_text(&p->out, "<th>");
        html_text(&p->out, p->names[i]);
        out_text(&p->out, "</th>");
    }
    out_text(&p->out, "</tr></thead><tbody>");
    report_setting_rows(p, a->json, b ? b->json : NULL, "");
    out_text(&p->out, "</tbody></table></div>\n");
}

/* ---- commands ---------------------------------------------------------------------------- */

/* A path as a shell takes it. */
static const char *quoted(struct report_page *p, const char *path)
{
    if (*path && !path[strspn(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                    "/._-+=:,@")])
        return path;
    const char *text = "'";
    for (const char *at = path; *at;) {
        size_t len = strcspn(at, "'");
        text = arena_format(&p->texts, "%s%.*s%s", text, (int)len, at, at[len] ? "'\\''" : "");
        at += len + (at[len] == '\'');
    }
    return arena_format(&p->texts, "%s'", text);
}

static void report_command(struct report_page *p, const char *command, const char *does)
{
    out_text(&p->out, "<li><code>");
    html_text(&p->out, command);
    out_text(&p->out, "</code> <span class=\"dim\">");
    html_text(&p->out, does);
    out_text(&p->out, "</span></li>\n");
}

void report_commands(struct report_page *p)
{
    const struct comparison *c = p->comparison;
    const char *a = quoted(p, p->paths[0]), *b = c ? quoted(p, p->paths[1]) : "";
    report_heading(p, "Do it again");
    out_text(&p->out, "<ul class=\"again\">");
    if (c) {
        report_command(p, arena_format(&p->texts, "rastrum diff %s %s", a, b),
                       "the first divergence");
        if (p->place != RAS_NONE && c->run[0])
            report_command(p,
                           arena_format(&p->texts,
                                        "rastrum diff --keep-going --tick-start %" PRIu64
                                        " --tick-end %" PRIu64 " %s %s",
                                        p->place, p->place, a, b),
                           "all of this tick");
        report_command(p, arena_format(&p->texts, "rastrum view %s %s", a, b),
                       "the same to walk through");
    } else {
        report_command(p, arena_format(&p->texts, "rastrum info %s", a), "what it is");
        report_command(p, arena_format(&p->texts, "rastrum stats %s", a), "all figures");
        report_command(p, arena_format(&p->texts, "rastrum view %s", a), "to walk through it");
    }
    out_text(&p->out, "</ul>\n");
}

/* ---- one run or trace -------------------------------------------------------------------- */

static int put_figures_of(struct report_page *p, const struct shown_source *s,
                          struct ras_error *err)
{
    const struct ras_stats_options how = {
        .limit = TABLE_ROWS, .progress = p->options->progress, .user = p->options->user};
    struct ras_stats *stats;
    size_t shown = 0;
    int status = ras_stats(&stats, s->trace, &how, err);
    if (status == RAS_EMEMORY || status == RAS_ECANCELED)
        return status;
    if (status < 0)
        return RAS_OK;
    const struct ras_value *all = stats->tables;
    out_text(&p->out, "<h2>");
    html_format(&p->out, "Figures of %s", s->name);
    out_text(&p->out, "</h2>\n");
    for (const struct ras_value *key = all + 1; key < ras_value_next(all);
         key = ras_value_next(key + 1)) {
        const struct ras_value *rows = ras_value_member(key + 1, "rows");
        const struct ras_value *about = ras_value_member(key + 1, "coverage");
        if (!rows || rows->kind != RAS_LIST || !rows->count)
            continue;
        out_text(&p->out, shown++ < 2 ? "<details open><summary>" : "<details><summary>");
        html_text(&p->out, key->at);
        if (about && about->kind == RAS_STR)
            html_format(&p->out, ": %s", evidence_text(&p->texts, "", about));
        out_text(&p->out, "</summary>");
        report_figures(p, key + 1, TABLE_ROWS, NULL);
        out_text(&p->out, "</details>\n");
    }
    ras_stats_free(stats);
    return RAS_OK;
}

/* A tick and how long it took. */
struct slow_tick {
    uint64_t tick, ns;
};

/* The ticks that took longest, where run.json has the beginning of every tick. */
static void put_slowest(struct report_page *p, const struct ras_rundir *run)
{
    const struct ras_value *axes = run->json ? ras_value_member(run->json, "axes") : NULL;
    const struct ras_value *time =
        axes && axes->kind == RAS_MAP ? ras_value_member(axes, "time_ns") : NULL;
    const struct ras_value *begin =
        time && time->kind == RAS_MAP ? ras_value_member(time, "begin") : NULL;
    const struct ras_value *first = begin ? ras_value_member(time, "first_tick") : NULL;
    const struct ras_value *every = begin ? ras_value_member(time, "every") : NULL;
    struct slow_tick most[SLOWEST] = {0};
    if (!begin || begin->kind != RAS_LIST || !first || first->kind != RAS_UINT || !every ||
        every->kind != RAS_UINT || every->u != 1)
        return;
    uint64_t tick = first->u;
    for (const struct ras_value *v = begin + 1, *next; v < ras_value_next(begin);
         v = next, tick++) {
        next = ras_value_next(v);
        if (next >= ras_value_next(begin) || v->kind != RAS_UINT || next->kind != RAS_UINT ||
            next->u < v->u)
            continue;
        struct slow_tick now = {tick, next->u - v->u};
        for (size_t i = 0; i < SLOWEST; i++)
            if (now.ns > most[i].ns) {
                struct slow_tick was = most[i];
                most[i] = now;
                now = was;
            }
    }
    if (!most[0].ns)
        return;
    report_heading(p, "Slowest ticks");
    out_text(&p->out,
             "<div class=\"panel\" tabindex=\"0\"><table><thead><tr><th class=\"num\">tick</th>"
             "<th class=\"num\">from its beginning to the next</th></tr></thead><tbody>");
    for (size_t i = 0; i < SLOWEST && most[i].ns; i++) {
        out_text(&p->out, "<tr>");
        report_cell(p, "num", arena_count(&p->texts, most[i].tick));
        report_cell(p, "num", report_ns(&p->texts, (double)most[i].ns));
        out_text(&p->out, "</tr>");
    }
    out_text(&p->out, "</tbody></table></div>\n");
}

static void report_facts(struct report_page *p, const struct shown_source *s)
{
    size_t count = 0;
    const struct ras_fact *facts = ras_facts(s->trace, &count);
    if (!count)
        return;
    out_text(&p->out, "<details><summary>What it says of itself</summary><dl>");
    for (size_t i = 0; i < count; i++) {
        out_text(&p->out, "<dt>");
        html_text(&p->out, facts[i].key);
        out_text(&p->out, "</dt><dd class=\"mono\">");
        html_text(&p->out, evidence_text(&p->texts, facts[i].key, &facts[i].value));
        out_text(&p->out, "</dd>");
    }
    out_text(&p->out, "</dl></details>\n");
}

/* "arena-1, 600 ticks, five traces"; what a trace is, by its format. */
static void put_what(struct report_page *p)
{
    const struct side *side = &p->shown->sides[0];
    const struct shown_source *s = p->shown->sources;
    unsigned whole = 0;
    for (unsigned i = 0; i < p->shown->source_count; i++)
        whole += s[i].trace && ras_ending(s[i].trace).kind < RAS_CUT;
    out_text(&p->out, "<h1>");
    html_text(&p->out, p->names[0]);
    out_text(&p->out, "</h1>\n<p class=\"lead\">");
    if (side->run)
        html_format(&p->out, "A run directory with %s, of which %u %s whole.",
                    ras_counted(p->shown->source_count, "trace").text, whole,
                    whole == 1 ? "is" : "are");
    else
        html_format(&p->out, "%s, %s.", ras_format_of(s->trace)->title,
                    report_bytes(&p->texts, ras_size(s->trace)));
    out_text(&p->out, "</p>\n");
}

static void put_lost(struct report_page *p)
{
    for (unsigned i = 0; i < p->shown->source_count; i++) {
        const struct shown_source *s = &p->shown->sources[i];
        struct ras_ending e = s->trace ? ras_ending(s->trace) : (struct ras_ending){0};
        if (s->trace && e.kind < RAS_CUT)
            continue;
        out_text(&p->out, "<p class=\"banner\">");
        if (s->trace)
            html_format(&p->out, "%s is %s at byte %" PRIu64 " of %" PRIu64 ": %s. ", s->name,
                        ras_ending_name(e.kind), e.offset, e.size, e.why);
        else
            html_format(&p->out, "%s cannot be read: %s. ", s->name, s->err->text);
        if (s->trace && s->path) {
            out_text(&p->out, "<code>");
            html_format(&p->out, "rastrum repair %s", quoted(p, s->path));
            out_text(&p->out, "</code>");
        }
        out_text(&p->out, "</p>\n");
    }
}

/* The endings are known once everything was read: figures first, into memory of their own. */
int report_single(struct report_page *p, struct ras_error *err)
{
    struct out page = p->out;
    int status = RAS_OK;
    p->out = (struct out){0};
    status = report_endings(p, err);
    if (status == RAS_OK)
        status = report_timeline(p, err);
    if (p->shown->sides[0].run)
        put_slowest(p, p->shown->sides[0].run);
    for (unsigned i = 0; i < p->shown->source_count && status == RAS_OK; i++)
        if (p->shown->sources[i].trace) {
            status = put_figures_of(p, &p->shown->sources[i], err);
            report_facts(p, &p->shown->sources[i]);
        }
    struct out rest = p->out;
    p->out = page;
    put_what(p);
    put_lost(p);
    out_bytes(&p->out, rest.at, rest.len);
    p->out.failed |= rest.failed;
    out_free(&rest);
    report_settings(p);
    report_commands(p);
    return status;
}
