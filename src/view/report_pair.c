/* report_pair.c - the report of two runs or traces: verdict, staff, what each line says. */
#include "base/error.h"
#include "view/report_page.h"
#include "view/staff_geometry.h"
#include "view/svg.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROWS_SHOWN = 10,
    PLACES_SHOWN = 3,
    PLACES_MOST = 12,
    LONG = 120,
    LINES_MOST = 16,
    WHOLE_MOST = 2048
};

static void put_pen(struct report_page *p, const struct comparison_line *l)
{
    out_text(&p->out, "<span class=\"pen\"><svg viewBox=\"0 0 11 11\" aria-hidden=\"true\">");
    svg_put_glyph(&p->out, l->kind, 5.5, 5.5, 4.6);
    out_text(&p->out, "</svg>");
    html_text(&p->out, l->name);
    out_text(&p->out, "</span>");
}

/* ---- the verdict ------------------------------------------------------------------------- */

static void put_verdict(struct report_page *p, const char *later)
{
    const struct comparison *c = p->comparison;
    out_text(&p->out, "<h1>");
    html_text(&p->out, c->title[0]);
    if (*c->title[1]) {
        out_text(&p->out, "<em>");
        html_text(&p->out, c->title[1]);
        out_text(&p->out, "</em>");
    }
    html_text(&p->out, c->title[2]);
    out_text(&p->out, "</h1>\n<p class=\"lead\">");
    html_text(&p->out, c->cause);
    if (*later)
        html_format(&p->out, " %s", later);
    out_text(&p->out, "</p>\n");
}

static void put_legend(struct report_page *p)
{
    const struct comparison *c = p->comparison;
    out_text(&p->out, "<p class=\"legend\"><span><svg viewBox=\"0 0 44 14\" aria-hidden=\"true\">"
                      "<path class=\"line\" d=\"M0 7H44\"/></svg>");
    html_format(&p->out, "%s: expected", c->name[0]);
    out_text(&p->out, "</span><span><svg viewBox=\"0 0 44 14\" aria-hidden=\"true\">"
                      "<path class=\"voice\" d=\"M0 7H44\"/></svg>");
    html_format(&p->out, "%s: actual", c->name[1]);
    out_text(&p->out, "</span><span>stems: how much goes on; second voice: how much "
                      "differs</span></p>\n");
}

/* ---- the staff --------------------------------------------------------------------------- */

/* Why a side has nothing in a tick, in a word. */
static const char *rest_word(struct report_page *p, const struct comparison_line *l, int side)
{
    const struct comparison *c = p->comparison;
    if (l->missing[side])
        return arena_format(&p->texts, "%s: %s", c->name[side],
                            l->unread[side] ? "cannot be read" : "not there");
    if (l->ending[side].kind >= RAS_CUT)
        return arena_format(&p->texts, "%s: %s", c->name[side],
                            ras_ending_name(l->ending[side].kind));
    return arena_format(&p->texts, "%s has none", c->name[side]);
}

/* "inputs, state and events diverge in tick 300, calls in tick 302" */
static const char *staff_label(struct report_page *p, const uint64_t window[2])
{
    const struct comparison *c = p->comparison;
    const char *text =
        arena_format(&p->texts, "staff of %s, %ss %" PRIu64 " to %" PRIu64,
                     ras_counted(c->line_count, "line").text, c->word, window[0], window[1]);
    for (size_t i = 0; i < c->line_count; i++) {
        const struct comparison_line *l = &c->lines[i];
        if (l->first != RAS_NONE)
            text = arena_format(&p->texts, "%s; %s: %s %" PRIu64, text, l->name, c->word, l->first);
        else
            text = arena_format(&p->texts, "%s; %s: %s", text, l->name,
                                l->diff ? "the same" : "not compared");
    }
    return text;
}

static uint64_t most_of(const struct ras_staff_line *l, const struct ras_staff *counts)
{
    uint64_t most = 0;
    for (uint64_t i = 0; i <= counts->last - counts->first; i++)
        most = l->d[i] != RAS_NONE && l->d[i] > most ? l->d[i] : most;
    return most;
}

static void put_staff(struct report_page *p, const struct ras_staff *counts, const char *id,
                      const uint64_t window[2], double width)
{
    const struct comparison *c = p->comparison;
    struct svg_line lines[LINES_MOST];
    struct ras_staff_line part[LINES_MOST];
    size_t count = c->line_count < LINES_MOST ? c->line_count : LINES_MOST;
    for (size_t i = 0; i < count; i++) {
        const struct comparison_line *l = &c->lines[i];
        size_t skip = (size_t)(window[0] - counts->first);
        part[i] = counts->lines[i];
        part[i].n[0] += skip;
        part[i].n[1] += skip;
        part[i].d += skip;
        lines[i] = (struct svg_line){
            .name = l->name,
            .maker = l->maker,
            .kind = l->kind,
            .first = l->first,
            .counts = &part[i],
            .most = most_of(&counts->lines[i], counts),
            .rest = {rest_word(p, l, 0), rest_word(p, l, 1)},
            .remark = l->failed && !l->missing[0] && !l->missing[1] ? "not compared" : NULL};
    }
    const struct svg_staff s = {.id = id,
                                .label = staff_label(p, window),
                                .lines = lines,
                                .line_count = count,
                                .from = window[0],
                                .to = window[1],
                                .run_from = c->from,
                                .run_to = c->to,
                                .first = c->first,
                                .unison = c->unison,
                                .word = c->word,
                                .width = width};
    svg_put_staff(&p->out, &s);
}

static void put_staffs(struct report_page *p, const struct ras_staff *counts)
{
    const struct comparison *c = p->comparison;
    uint64_t place = p->place == RAS_NONE ? c->from : p->place, wide[2], narrow[2];
    comparison_window(c, place, WINDOW_TICKS, wide);
    comparison_window(c, place, WINDOW_NARROW, narrow);
    put_legend(p);
    out_text(&p->out, "<div class=\"panel wide\">");
    put_staff(p, counts, "w", wide, STAFF_WIDTH);
    out_text(&p->out, "</div>\n<div class=\"panel narrow\">");
    put_staff(p, counts, "s", narrow, STAFF_NARROW);
    out_text(&p->out, "</div>\n");
}

/* ---- what each line says ----------------------------------------------------------------- */

/* A value; a long one is folded, not shortened. */
static void pair_value(struct report_page *p, const char *text, const char *class)
{
    size_t len = text ? strlen(text) : 0;
    out_format(&p->out, "<td class=\"mono %s\">", class);
    if (!text) {
        out_text(&p->out, "<span class=\"dim\">has none</span>");
    } else if (len > LONG) {
        size_t cut = LONG / 2;
        while (cut && ((unsigned char)text[cut] & 0xc0) == 0x80)
            cut--;
        out_text(&p->out, "<details><summary>");
        html_bytes(&p->out, text, cut);
        out_text(&p->out, "\xe2\x80\xa6</summary>");
        html_text(&p->out, text);
        out_text(&p->out, "</details>");
    } else {
        html_text(&p->out, text);
    }
    out_text(&p->out, "</td>");
}

/* A path, which may break after its dots. */
static void put_label(struct report_page *p, const char *label)
{
    out_text(&p->out, "<td class=\"mono path\">");
    while (*label) {
        size_t len = strcspn(label, ".");
        html_bytes(&p->out, label, len + (label[len] == '.'));
        label += len;
        if (*label == '.') {
            out_text(&p->out, "<wbr>");
            label++;
        }
    }
    out_text(&p->out, "</td>");
}

static void pair_row(struct report_page *p, const struct evidence_row *r)
{
    out_text(&p->out, "<tr>");
    put_label(p, r->label);
    pair_value(p, r->expected, "was");
    pair_value(p, r->actual, r->differs ? "now" : "was");
    out_text(&p->out, "</tr>");
}

static void pair_rows(struct report_page *p, const struct evidence_place *e, size_t from, size_t to)
{
    const struct comparison *c = p->comparison;
    out_text(&p->out, "<table><thead><tr><th></th>");
    for (int side = 0; side < 2; side++) {
        out_text(&p->out, "<th>");
        html_format(&p->out, "%s, %s", side ? "actual" : "expected", c->name[side]);
        out_text(&p->out, "</th>");
    }
    out_text(&p->out, "</tr></thead><tbody>");
    for (size_t i = from; i < to; i++)
        pair_row(p, &e->rows[i]);
    out_text(&p->out, "</tbody></table>");
}

static int pair_place(struct report_page *p, const struct ras_divergence *v, struct ras_error *err)
{
    struct evidence_place e;
    if (!evidence_of(&e, &p->texts, v, p->comparison->word))
        return fail_memory(err);
    size_t shown = e.row_count > ROWS_SHOWN + 2 ? ROWS_SHOWN : e.row_count;
    out_text(&p->out, "<p class=\"dim\">");
    if (*e.where)
        html_format(&p->out, "%s: ", e.where);
    html_text(&p->out, e.kind);
    out_text(&p->out, "</p>");
    if (*e.context) {
        out_text(&p->out, "<p class=\"mono\">");
        html_text(&p->out, e.context);
        out_text(&p->out, "</p>");
    }
    if (e.row_count)
        pair_rows(p, &e, 0, shown);
    if (shown < e.row_count) {
        out_format(&p->out, "<details><summary>%s</summary>",
                   ras_counted(e.row_count - shown, "more field").text);
        pair_rows(p, &e, shown, e.row_count);
        if (e.left)
            out_format(&p->out, "<p class=\"dim\">and %zu more: rastrum diff --json has them</p>",
                       e.left);
        out_text(&p->out, "</details>");
    }
    evidence_free(&e);
    return RAS_OK;
}

static size_t places_at(const struct comparison *c, const struct ras_diff *d, uint64_t place,
                        size_t *first)
{
    size_t count = 0;
    for (size_t i = 0; d && i < d->divergence_count; i++)
        if (comparison_is_at(c, &d->divergences[i], place) && !count++)
            *first = i;
    return count;
}

static void put_chip(struct report_page *p, const struct comparison_line *l, size_t places)
{
    const struct comparison *c = p->comparison;
    const char *class = "ok", *text = "the same";
    uint64_t reach = comparison_reach(l);
    if (l->diff && !places && p->place != RAS_NONE && p->place > reach) {
        class = "warn";
        text = arena_format(&p->texts, "known to %s %s", c->word, arena_count(&p->texts, reach));
    } else if (!l->diff) {
        class = "warn";
        text = "not compared";
    } else if (places) {
        class = "part";
        text = arena_format(
            &p->texts, "%s %s%s", c->word, arena_count(&p->texts, p->place),
            places == 1 ? ""
                        : arena_format(&p->texts, ", %s places", arena_count(&p->texts, places)));
    } else if (l->first != RAS_NONE && p->place != RAS_NONE) {
        class = "part";
        text = arena_format(&p->texts, "the same in %s %s, first in %s", c->word,
                            arena_count(&p->texts, p->place), arena_count(&p->texts, l->first));
    }
    out_format(&p->out, "<span class=\"chip %s\">", class);
    html_text(&p->out, text);
    out_text(&p->out, "</span>");
}

static void say_nothing(struct report_page *p, const struct comparison_line *l)
{
    const struct comparison *c = p->comparison;
    out_text(&p->out, "<p>");
    uint64_t reach = comparison_reach(l);
    if (!l->diff)
        html_text(&p->out, l->failed ? l->failed : "not compared");
    else if (p->place > reach)
        html_format(&p->out, "What %s %s has is not known: a side ends after %s %s.", c->word,
                    arena_count(&p->texts, p->place), c->word, arena_count(&p->texts, reach));
    else if (!l->diverged)
        html_format(&p->out, "The same in all %s that were compared.",
                    ras_counted(l->checked, l->diff->word).text);
    else
        html_format(&p->out, "Nothing differs here in %s %s.", c->word,
                    arena_count(&p->texts, p->place));
    out_text(&p->out, "</p>");
}

/* A card: all places that differ in that tick; of a line that diverges later its first. */
static int pair_card(struct report_page *p, const struct comparison_line *l,
                     const struct ras_diff *here, struct ras_error *err)
{
    const struct comparison *c = p->comparison;
    size_t first = 0, count = places_at(c, here, p->place, &first);
    const struct ras_diff *d = here;
    uint64_t place = p->place;
    int status = RAS_OK;
    out_format(&p->out, "<article class=\"panel k%d\"><header>", l->kind);
    put_pen(p, l);
    html_format(&p->out, " %s ", l->maker);
    out_text(&p->out, "<span class=\"grow\"></span>");
    put_chip(p, l, count);
    out_text(&p->out, "</header><div class=\"in\">");
    if (!count && l->diverged && l->first != RAS_NONE && l->first != place) {
        out_text(&p->out, "<p>");
        html_format(&p->out, "The same in %s %s; in %s %s:", c->word, arena_count(&p->texts, place),
                    c->word, arena_count(&p->texts, l->first));
        out_text(&p->out, "</p>");
        d = l->here;
        place = l->first;
        count = places_at(c, d, place, &first);
    }
    if (!count)
        say_nothing(p, l);
    size_t shown = 0;
    for (size_t i = first; count && i < d->divergence_count && status == RAS_OK; i++) {
        if (!comparison_is_at(c, &d->divergences[i], place) || shown == PLACES_MOST)
            continue;
        if (shown++ == PLACES_SHOWN)
            out_format(&p->out, "<details><summary>%s</summary>",
                       ras_counted(count - PLACES_SHOWN, "more place").text);
        status = pair_place(p, &d->divergences[i], err);
    }
    if (count > PLACES_MOST)
        out_format(&p->out, "<p class=\"dim\">and %zu more: rastrum diff --json has them</p>",
                   count - PLACES_MOST);
    if (shown > PLACES_SHOWN)
        out_text(&p->out, "</details>");
    out_text(&p->out, "</div></article>\n");
    return status;
}

/* One row a line: where it diverges first, and in what. */
static int put_summary(struct report_page *p, struct ras_error *err)
{
    const struct comparison *c = p->comparison;
    report_heading(p, "What each line says");
    out_text(&p->out, "<div class=\"panel\" tabindex=\"0\"><table "
                      "class=\"lines\"><thead><tr><th>line</th><th>first</th>"
                      "<th>where</th><th>expected</th><th>actual</th></tr></thead><tbody>");
    for (size_t i = 0; i < c->line_count; i++) {
        const struct comparison_line *l = &c->lines[i];
        const struct ras_divergence *v =
            l->diverged && l->here && l->here->divergence_count ? l->here->divergences : NULL;
        struct evidence_place e = {0};
        if (v && !evidence_of(&e, &p->texts, v, c->word))
            return fail_memory(err);
        const struct evidence_row *row = NULL;
        size_t differ = 0;
        for (size_t k = 0; k < e.row_count; k++)
            if (e.rows[k].differs && !differ++)
                row = &e.rows[k];
        out_text(&p->out, "<tr><td>");
        put_pen(p, l);
        out_text(&p->out, "</td>");
        uint64_t reach = comparison_reach(l);
        const char *first = !l->diff ? "not compared"
                            : !l->diverged && reach != RAS_NONE
                                ? arena_format(&p->texts, "the same to %s %s", c->word,
                                               arena_count(&p->texts, reach))
                            : !l->diverged ? "the same"
                            : l->first == RAS_NONE
                                ? "at no place"
                                : arena_format(&p->texts, "%s%s %s", l->about ? "about " : "",
                                               c->word, arena_count(&p->texts, l->first));
        report_cell(p, "one", first);
        const char *label = row ? row->label : v ? v->kind : l->failed ? l->failed : "";
        const char *more = differ > 1 ? arena_format(&p->texts, " and %zu more", differ - 1) : "";
        const char *path = v && *e.context && l->kind == LINE_CALLS
                               ? arena_format(&p->texts, "%s: ", e.context)
                               : "";
        put_label(p, arena_format(&p->texts, "%s%s%s", path, label, more));
        if (row) {
            pair_value(p, row->expected, "was");
            pair_value(p, row->actual, "now");
        } else {
            out_text(&p->out, "<td></td><td></td>");
        }
        out_text(&p->out, "</tr>\n");
        evidence_free(&e);
    }
    out_text(&p->out, "</tbody></table></div>\n");
    return RAS_OK;
}

static int pair_evidence(struct report_page *p, struct ras_error *err)
{
    const struct comparison *c = p->comparison;
    struct evidence at = {0};
    if (p->place == RAS_NONE)
        return RAS_OK;
    int status = comparison_at(c, p->place, &p->how, &at, err);
    if (status < 0)
        return status;
    report_heading(
        p, arena_format(&p->texts, "Evidence of %s %s", c->word, arena_count(&p->texts, p->place)));
    out_text(&p->out, "<div class=\"says\">");
    for (size_t i = 0; i < c->line_count && status == RAS_OK; i++)
        status = pair_card(p, &c->lines[i], at.lines[i], err);
    out_text(&p->out, "</div>\n");
    comparison_at_free(&at);
    return status;
}

/* ---- all of it --------------------------------------------------------------------------- */

int report_pair(struct report_page *p, struct ras_error *err)
{
    struct comparison *c = p->comparison;
    struct ras_staff *counts = NULL;
    uint64_t window[2];
    int status = RAS_OK;
    if (c->from <= c->to && c->compared) {
        /* All of it, as the page counts, so that both have one scale; of very long runs a part. */
        comparison_window(c, p->place == RAS_NONE ? c->from : p->place, WHOLE_MOST, window);
        status = comparison_count(c, window[0], window[1], &p->how, &counts, err);
    }
    if (status < 0)
        return status;
    put_verdict(p, counts && c->diverged ? comparison_later(c, counts) : "");
    if (counts)
        put_staffs(p, counts);
    ras_staff_free(counts);
    if (c->diverged || c->compared < c->line_count)
        status = put_summary(p, err);
    if (status == RAS_OK && (c->diverged || p->options->has_tick))
        status = pair_evidence(p, err);
    if (status == RAS_OK)
        status = report_pictures(p, err);
    if (status == RAS_OK)
        status = report_endings(p, err);
    if (status == RAS_OK && c->diverged)
        status = report_timeline(p, err);
    if (status == RAS_OK)
        status = report_times(p, err);
    report_settings(p);
    report_commands(p);
    return status;
}
