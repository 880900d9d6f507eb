/* twice_report.c - what `rastrum twice` has found, as text and as JSON. */
#include "cli/twice_report.h"
#include "cli/detail_text.h"

#include <inttypes.h>
#include <string.h>
#include <sys/wait.h>

enum { LABEL = 9, NAMES_ROOM = 400, PATH_MOST = 8 };

const char *twice_status(const struct twice_result *r)
{
    return r->found.uncontrolled  ? "uncontrolled"
           : r->found.cause_count ? "differs"
           : r->found.exhausted   ? "unknown"
                                  : "same";
}

/* The names of a set, with `between` between them. */
static const char *set_names(uint32_t set, const char *between, char text[NAMES_ROOM])
{
    size_t len = 0;
    text[0] = 0;
    for (unsigned i = 0; i < TWICE_CONDITIONS && len < NAMES_ROOM; i++)
        if (set & TWICE_BIT(i))
            len += (size_t)snprintf(text + len, NAMES_ROOM - len, "%s%s", len ? between : "",
                                    twice_condition_rows[i].name);
    return text;
}

static uint32_t causes_of(const struct twice_found *f)
{
    uint32_t set = 0;
    for (size_t i = 0; i < f->cause_count; i++)
        set |= f->causes[i].set;
    return set;
}

/* Of the conditions that were changed, those that make no difference. */
static uint32_t same_of(const struct twice_result *r)
{
    const uint32_t race = TWICE_BIT(TWICE_THREADS) | TWICE_BIT(TWICE_CPUS);
    if (r->found.exhausted || (r->found.uncontrolled && !r->found.cause_count))
        return 0;
    return (r->found.uncontrolled ? race : r->varied) & ~causes_of(&r->found);
}

/* ---- text --------------------------------------------------------------------------------- */

static void put_label(struct answer *a, const char *label)
{
    answer_format(a, "%-*s", LABEL - 1, label);
    answer_format(a, " ");
}

static void put_indent(struct answer *a)
{
    answer_format(a, "%*s", LABEL, "");
}

static const struct ras_value *member(const struct ras_value *map, const char *key)
{
    return map && map->kind == RAS_MAP ? ras_value_member(map, key) : NULL;
}

/* "main > roll > consume"; of a long one the inner calls. */
static void put_call_path(struct answer *a, const struct ras_value *path)
{
    size_t count = 0, i = 0;
    if (!path || path->kind != RAS_LIST)
        return;
    const struct ras_value *end = ras_value_next(path);
    for (const struct ras_value *name = path + 1; name < end; name = ras_value_next(name))
        count++;
    if (count > PATH_MOST)
        answer_format(a, "... > ");
    for (const struct ras_value *name = path + 1; name < end; name = ras_value_next(name), i++) {
        if (i + PATH_MOST < count)
            continue;
        put_scalar(a, name);
        answer_format(a, i + 1 < count ? " > " : ": ");
    }
}

static void put_call(struct answer *a, const struct ras_value *event)
{
    const struct ras_value *name = member(event, "function"), *kind = member(event, "event_kind");
    if (!name) {
        answer_format(a, "nothing");
        return;
    }
    put_scalar(a, name);
    if (kind && kind->kind == RAS_STR && kind->count && *(const char *)kind->at != 'C')
        answer_format(a, " returns");
}

/* Of details that differ the first member: "rdi: heap / 0x0000000000000000". */
static void put_argument(struct answer *a, const struct ras_value *rows)
{
    const struct ras_value *row = rows && rows->kind == RAS_LIST && rows->count ? rows + 1 : NULL;
    const struct ras_value *path = member(row, "path"), *x = member(row, "expected");
    const struct ras_value *y = member(row, "actual");
    if (!path || !x || !y)
        return;
    answer_format(a, ", ");
    put_scalar(a, path);
    answer_format(a, ": ");
    put_short(a, x);
    answer_format(a, " / ");
    put_short(a, y);
}

/* "main > roll > consume: take_even / take_odd", or what else differs there. */
static void put_what_differs(struct answer *a, const struct ras_divergence *v)
{
    const struct ras_value *x = member(v->detail, "expected"), *y = member(v->detail, "actual");
    put_call_path(a, member(v->detail, "path"));
    if (!member(x, "function") && !member(y, "function")) {
        answer_format(a, "%s", v->kind);
        put_argument(a, member(v->detail, "mismatches"));
        answer_format(a, "\n");
        return;
    }
    put_call(a, x);
    if (!strcmp(v->kind, "detail_mismatch")) {
        put_argument(a, member(v->detail, "mismatches"));
    } else {
        answer_format(a, " / ");
        put_call(a, y);
    }
    answer_format(a, " (%s)\n", v->kind);
}

/* "event 7 of thread 0: main > roll > consume: take_even / take_odd" */
static void put_calls(struct answer *a, const struct ras_divergence *v)
{
    put_places(a, v, "", NULL);
    answer_format(a, ": ");
    put_what_differs(a, v);
}

static void put_pens(struct answer *a, const struct ras_rundiff *d, bool *first)
{
    for (size_t i = 0; i < d->pen_count; i++) {
        const struct ras_rundiff_pen *p = &d->pens[i];
        if (!p->diff || !p->diff->divergence_count)
            continue;
        if (!*first)
            put_indent(a);
        *first = false;
        answer_format(a, "%s: ", p->format);
        if (p->tick == RAS_NONE) {
            put_calls(a, &p->diff->divergences[0]);
            continue;
        }
        answer_format(a, "%stick %" PRIu64 ": ", p->about ? "about " : "", p->tick);
        put_what_differs(a, &p->diff->divergences[0]);
    }
}

static void put_quoted(struct answer *a, const struct line_difference *d, unsigned side)
{
    if (d->none[side]) {
        answer_format(a, "nothing");
        return;
    }
    answer_format(a, "\"");
    answer_name(a, d->text[side]);
    answer_format(a, "\"");
}

static void put_output_lines(struct answer *a, const struct divergence *v, bool *first)
{
    static const char *const words[2] = {"output", "error output"};
    for (unsigned i = 0; i < 2; i++) {
        const struct line_difference *d = &v->texts[i];
        if (!d->differs)
            continue;
        if (!*first)
            put_indent(a);
        *first = false;
        answer_format(a, "%s line %" PRIu64 ": ", words[i], d->line);
        put_quoted(a, d, 0);
        answer_format(a, " / ");
        put_quoted(a, d, 1);
        answer_format(a, "\n");
    }
}

static const char *ended_text(const struct launched *how, char text[64])
{
    if (how->timed_out)
        snprintf(text, 64, "no end within --timeout");
    else if (how->too_much)
        snprintf(text, 64, "too much output");
    else if (how->too_recorded)
        snprintf(text, 64, "a recording above --max-recording");
    else if (WIFSIGNALED(how->ended))
        snprintf(text, 64, "signal %d", WTERMSIG(how->ended));
    else
        snprintf(text, 64, "status %d", WEXITSTATUS(how->ended));
    return text;
}

static void put_divergence(struct answer *a, const struct divergence *d)
{
    char x[64], y[64];
    bool first = true;
    if (d->calls) {
        put_calls(a, &d->calls->divergences[0]);
        first = false;
    }
    if (d->pens)
        put_pens(a, d->pens, &first);
    put_output_lines(a, d, &first);
    if (d->exit_differs) {
        if (!first)
            put_indent(a);
        first = false;
        answer_format(a, "exit %s / %s\n", ended_text(&d->how[0], x), ended_text(&d->how[1], y));
    }
    if (d->file_count) {
        if (!first)
            put_indent(a);
        first = false;
        answer_format(a, "file ");
        answer_name(a, d->file);
        answer_format(a, ": %s", d->file_what);
        if (d->file_count > 1)
            answer_format(a, ", and %zu more", d->file_count - 1);
        answer_format(a, "\n");
    }
    if (first)
        answer_format(a, "calls were recorded in only one of the runs\n");
}

static void put_advice(struct answer *a, const struct twice_result *r, const struct twice_cause *c)
{
    char names[NAMES_ROOM];
    const char *unsure = r->found.exhausted ? " (not confirmed: --max-runs was reached)"
                                            : " (not confirmed: later runs were the same)";
    put_indent(a);
    if (twice_set_size(c->set) == 1)
        answer_format(a, "differs only when %s",
                      twice_condition_rows[__builtin_ctz(c->set)].advice);
    else
        answer_format(a, "differs when %s are changed together", set_names(c->set, ", ", names));
    answer_format(a, "%s\n", c->confirmed ? "" : unsure);
}

/* What a user of the program does not see. */
static bool differs_in_calls(const struct twice_evidence *e)
{
    return e->how == TWICE_DIFFERS_IN_CALLS || e->how == TWICE_DIFFERS_IN_SHARES;
}

static void put_calls_only(struct answer *a, const struct twice_evidence *e)
{
    if (!e || !differs_in_calls(e))
        return;
    put_indent(a);
    answer_format(a, "only calls differ: output, exit status and files are the same "
                     "(--no-calls ignores calls)\n");
}

static void put_causes(struct answer *a, const struct twice_result *r)
{
    char names[NAMES_ROOM];
    for (size_t i = 0; i < r->found.cause_count; i++) {
        put_label(a, set_names(r->found.causes[i].set, "+", names));
        if (r->each[i])
            put_divergence(a, &r->each[i]->divergence);
        else
            answer_format(a, "differs\n");
        put_calls_only(a, r->each[i]);
        put_advice(a, r, &r->found.causes[i]);
    }
}

static void put_uncontrolled(struct answer *a, const struct twice_result *r)
{
    if (!r->found.uncontrolled)
        return;
    put_label(a, "pinned");
    if (r->pinned)
        put_divergence(a, &r->pinned->divergence);
    else
        answer_format(a, "a run differed once, and no condition explains it\n");
    put_calls_only(a, r->pinned);
    put_indent(a);
    answer_format(a, "runs in which all is pinned differ, so that no condition is blamed: ");
    if (!r->launch->conditions)
        answer_format(a,
                      "%s, and its clock, random numbers, threads and directories cannot be "
                      "pinned\n",
                      r->unpinned);
    else if (r->unpinned)
        answer_format(a, "%s\n", r->unpinned);
    else
        answer_format(
            a, "it depends on something that cannot be pinned, such as RDTSC, RDRAND, a "
               "race of threads or processes, /proc, the network, or files elsewhere that the "
               "run before left\n");
}

/* What stands on both sides of a stroke. */
static void put_legend(struct answer *a, const struct twice_result *r)
{
    if (!r->found.uncontrolled && !r->found.cause_count)
        return;
    put_label(a, "values");
    if (r->found.uncontrolled)
        answer_format(a, "of the first pinned run / of another run\n");
    else
        answer_format(a, "of the pinned run / of the run in which the condition is changed\n");
}

/* Each reason once, with the conditions that it is of. */
static void put_left_out(struct answer *a, const struct twice_result *r)
{
    char names[NAMES_ROOM];
    uint32_t rest = r->left_out;
    while (rest) {
        const char *why = launch_why_left_out(r->launch, (enum twice_condition)__builtin_ctz(rest));
        uint32_t set = 0;
        for (unsigned i = 0; i < TWICE_CONDITIONS; i++)
            if (rest & TWICE_BIT(i) &&
                !strcmp(why, launch_why_left_out(r->launch, (enum twice_condition)i)))
                set |= TWICE_BIT(i);
        answer_format(a, "left out %s: %s\n", set_names(set, ", ", names), why);
        rest &= ~set;
    }
    if (!r->recorded && r->why_not_recorded)
        answer_format(a, "left out calls: %s\n", r->why_not_recorded);
}

/* What fails in every run may never reach what makes it differ. */
static void put_exit(struct answer *a, const struct twice_result *r)
{
    char text[64];
    if (!r->ending.ended)
        return;
    put_label(a, "exit");
    answer_format(a, "%s of the pinned run", ended_text(&r->ending, text));
    if (*r->said) {
        answer_format(a, ": \"");
        answer_name(a, r->said);
        answer_format(a, "\"");
    }
    answer_format(a, "\n");
}

/* What shows the difference of two kept runs: their calls and pens, or else their output. */
static void put_kept_command(struct answer *a, const struct twice_result *r,
                             const struct twice_evidence *e, const char *other)
{
    const struct divergence *d = &e->divergence;
    const bool calls = r->recorded && ((d->calls && d->calls->divergence_count) ||
                                       (d->pens && d->pens->diverged) || d->calls_missing);
    const char *text = calls                 ? ""
                       : d->texts[0].differs ? "/stdout"
                       : d->texts[1].differs ? "/stderr"
                                             : NULL;
    if (!text)
        return;
    answer_format(a, ": %sdiff ", calls ? "rastrum " : "");
    answer_name(a, r->kept);
    answer_format(a, "/pinned%s ", text);
    answer_name(a, r->kept);
    answer_format(a, "/%s%s", other, text);
}

static void put_kept(struct answer *a, const struct twice_result *r)
{
    char names[NAMES_ROOM];
    const char *dir = r->kept;
    const bool calls = r->recorded;
    if (!dir) {
        if (calls && (r->pinned || r->found.cause_count)) {
            put_label(a, "next");
            answer_format(a, "-o DIR keeps both recordings, for rastrum diff and rastrum view\n");
        }
        return;
    }
    put_label(a, "kept");
    answer_name(a, dir);
    answer_format(a, "/pinned");
    if (r->pinned) {
        answer_format(a, " ");
        answer_name(a, dir);
        answer_format(a, "/pinned-again");
    }
    for (size_t i = 0; i < r->found.cause_count; i++)
        if (r->each[i]) {
            answer_format(a, " ");
            answer_name(a, dir);
            answer_format(a, "/%s", set_names(r->found.causes[i].set, "+", names));
        }
    if (r->pinned)
        put_kept_command(a, r, r->pinned, "pinned-again");
    else if (r->found.cause_count && r->each[0])
        put_kept_command(a, r, r->each[0], set_names(r->found.causes[0].set, "+", names));
    answer_format(a, "\n");
}

void twice_put_text(struct answer *a, const struct twice_result *r)
{
    char names[NAMES_ROOM];
    uint32_t same = same_of(r);
    put_result(a, twice_status(r));
    answer_format(a, " causes=%s runs=%u\n",
                  r->found.cause_count ? set_names(causes_of(&r->found), ",", names) : "none",
                  r->found.runs);
    put_uncontrolled(a, r);
    put_causes(a, r);
    put_legend(a, r);
    if (same) {
        put_label(a, "same");
        answer_format(a, "%s\n", set_names(same, ", ", names));
    }
    if (r->found.shares_vary)
        answer_format(a, "shared   which thread makes which calls depends on the schedule; nothing "
                         "else differs\n");
    put_left_out(a, r);
    put_exit(a, r);
    if (r->found.exhausted)
        answer_format(a, "stopped  after --max-runs: there may be %s\n",
                      r->found.cause_count ? "more causes" : "causes");
    put_kept(a, r);
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static void json_names(struct ras_json *j, const char *key, uint32_t set)
{
    ras_json_array(j, key);
    for (unsigned i = 0; i < TWICE_CONDITIONS; i++)
        if (set & TWICE_BIT(i))
            ras_json_text(j, NULL, twice_condition_rows[i].name);
    ras_json_end(j);
}

/* A document of its own, as `diff --json` has it. */
static void json_calls(struct ras_json *j, const struct divergence *d)
{
    struct ras_sink *sink = NULL;
    const struct ras_compare_options how = {0};
    struct ras_bytes text = {0};
    bool good = (d->calls || d->pens) && ras_sink_memory(&sink, NULL) == RAS_OK;
    if (good && d->calls)
        good = ras_diff_json(sink, d->calls, &how, RAS_LAYOUT_LINE, NULL) == RAS_OK;
    else if (good)
        good = ras_rundiff_json(sink, d->pens, &how, RAS_LAYOUT_LINE, NULL) == RAS_OK;
    if (good)
        text = ras_sink_bytes(sink);
    while (text.len && ((const char *)text.at)[text.len - 1] == '\n')
        text.len--;
    if (text.len)
        ras_json_raw(j, d->calls ? "calls" : "pens", text.at, text.len);
    else
        ras_json_null(j, "calls");
    if (!d->pens)
        ras_json_null(j, "pens");
    else
        ras_json_null(j, "calls");
    ras_sink_drop(sink);
}

static void json_line(struct ras_json *j, const char *key, const struct line_difference *d)
{
    if (!d->differs) {
        ras_json_null(j, key);
        return;
    }
    ras_json_object(j, key);
    ras_json_uint(j, "line", d->line);
    ras_json_text(j, "expected", d->none[0] ? NULL : d->text[0]);
    ras_json_text(j, "actual", d->none[1] ? NULL : d->text[1]);
    ras_json_end(j);
}

/* 128 + N if signal N ended it; null if we did. */
static void json_exit(struct ras_json *j, const char *key, const struct launched *how)
{
    if (how->timed_out || how->too_much || how->too_recorded)
        ras_json_null(j, key);
    else
        ras_json_int(
            j, key, WIFSIGNALED(how->ended) ? 128 + WTERMSIG(how->ended) : WEXITSTATUS(how->ended));
}

static void json_divergence(struct ras_json *j, const struct twice_evidence *e)
{
    const struct divergence *d = &e->divergence;
    ras_json_bool(j, "only_calls", differs_in_calls(e));
    json_calls(j, d);
    json_line(j, "output", &d->texts[0]);
    json_line(j, "error_output", &d->texts[1]);
    ras_json_array(j, "exit");
    json_exit(j, NULL, &d->how[0]);
    json_exit(j, NULL, &d->how[1]);
    ras_json_end(j);
    ras_json_array(j, "files");
    if (d->file_count) {
        ras_json_object(j, NULL);
        ras_json_text(j, "name", d->file);
        ras_json_text(j, "what", d->file_what);
        ras_json_uint(j, "count", d->file_count);
        ras_json_end(j);
    }
    ras_json_end(j);
}

static void json_findings(struct ras_json *j, const struct twice_result *r)
{
    ras_json_array(j, "findings");
    if (r->found.uncontrolled) {
        ras_json_object(j, NULL);
        json_names(j, "conditions", 0);
        ras_json_bool(j, "confirmed", true);
        ras_json_text(j, "advice", r->unpinned);
        if (r->pinned)
            json_divergence(j, r->pinned);
        ras_json_end(j);
    }
    for (size_t i = 0; i < r->found.cause_count; i++) {
        const struct twice_cause *c = &r->found.causes[i];
        ras_json_object(j, NULL);
        json_names(j, "conditions", c->set);
        ras_json_bool(j, "confirmed", c->confirmed);
        ras_json_text(j, "advice",
                      twice_set_size(c->set) == 1
                          ? twice_condition_rows[__builtin_ctz(c->set)].advice
                          : "they are changed together");
        if (r->each[i])
            json_divergence(j, r->each[i]);
        ras_json_end(j);
    }
    ras_json_end(j);
}

void twice_put_json(struct ras_json *j, const struct twice_result *r)
{
    ras_json_object(j, NULL);
    ras_json_uint(j, "schema_version", 1);
    ras_json_text(j, "status", twice_status(r));
    ras_json_uint(j, "runs", r->found.runs);
    json_names(j, "causes", causes_of(&r->found));
    ras_json_bool(j, "uncontrolled", r->found.uncontrolled);
    json_exit(j, "exit", &r->ending);
    json_findings(j, r);
    json_names(j, "same", same_of(r));
    ras_json_array(j, "left_out");
    for (unsigned i = 0; i < TWICE_CONDITIONS; i++)
        if (r->left_out & TWICE_BIT(i)) {
            ras_json_object(j, NULL);
            ras_json_text(j, "condition", twice_condition_rows[i].name);
            ras_json_text(j, "why", launch_why_left_out(r->launch, (enum twice_condition)i));
            ras_json_end(j);
        }
    ras_json_end(j);
    ras_json_bool(j, "calls_recorded", r->recorded);
    ras_json_text(j, "calls_left_out", r->recorded ? NULL : r->why_not_recorded);
    ras_json_bool(j, "shares_vary", r->found.shares_vary);
    ras_json_text(j, "incomplete", r->incomplete);
    ras_json_bool(j, "stopped", r->found.exhausted);
    ras_json_text(j, "kept", r->kept);
    ras_json_end(j);
    ras_json_newline(j);
}
