/* report.c - a report as one static HTML file: written in memory, since its size has a limit. */
#include "base/error.h"
#include "base/struct_size.h"
#include "view/report_page.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char policy[] =
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
    "'unsafe-inline'; img-src data:\">\n";

/* The word mark: five lines, of which one departs. */
static void put_brand(struct out *out)
{
    out_text(out, "<span class=\"brand\"><svg width=\"22\" height=\"18\" viewBox=\"0 0 22 18\" "
                  "aria-hidden=\"true\" fill=\"none\" stroke=\"currentColor\">");
    for (int i = 0; i < 5; i++) {
        int y = 20 + 35 * i, end = y + (i - 2) * 9 + 14;
        out_format(out, "<path d=\"M1 %d.%dH12C16 %d.%d 17 %d.%d 21 %d.%d\"%s/>", y / 10, y % 10,
                   y / 10, y % 10, (end - 4) / 10, (end - 4) % 10, end / 10, end % 10,
                   i == 1 ? " stroke=\"var(--part)\"" : "");
    }
    out_text(out, "</svg>rastrum</span>");
}

static void put_start(struct report_page *p, const char *title)
{
    struct out *out = &p->out;
    out_text(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    if (p->options->viewer.len)
        embed_policy(out, p->options->viewer);
    else
        out_text(out, policy);
    out_text(out, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                  "<title>");
    html_text(out, title);
    out_text(out, "</title>\n<style>\n");
    for (const char *const *part = report_style; *part; part++)
        out_text(out, *part);
    out_text(out, "</style>\n");
    embed_styles(out, p->options->viewer);
    out_text(out, "</head>\n<body>\n<main>\n<div class=\"top\">");
    put_brand(out);
    out_text(out, "<span class=\"grow\"></span><span class=\"dim\">rastrum report");
    for (size_t i = 0; i < p->shown->side_count; i++)
        html_format(out, " %s", p->paths[i]);
    out_format(out, " \xc2\xb7 %s</span></div>\n", ras_version());
    out_bytes(out, p->embed_note.at, p->embed_note.len);
}

static void put_end(struct report_page *p)
{
    out_text(&p->out, "<footer>Made by rastrum ");
    html_text(&p->out, ras_version());
    out_text(&p->out, p->options->viewer.len ? ". This file has the viewer in it and loads nothing"
                                             : ". This file has no script and loads nothing");
    out_text(&p->out,
             "; the same traces give the same file.</footer>\n</main>\n</body>\n</html>\n");
}

static const char *page_title(struct report_page *p)
{
    const struct comparison *c = p->comparison;
    if (!c)
        return arena_format(&p->texts, "Report: %s", p->names[0]);
    return arena_format(&p->texts, "%s and %s: %s%s%s", c->name[0], c->name[1], c->title[0],
                        c->title[1], c->title[2]);
}

/* The place that the report is about. */
static int choose_place(struct report_page *p, struct ras_error *err)
{
    const struct comparison *c = p->comparison;
    p->place = RAS_NONE;
    if (!c)
        return RAS_OK;
    p->place = p->options->has_tick ? p->options->tick : c->first;
    if (p->options->has_tick && (c->from > c->to || p->place < c->from || p->place > c->to))
        return fail(err, RAS_EUSAGE, RAS_NONE,
                    "there is no %s %" PRIu64 ": they are %" PRIu64 " to %" PRIu64, c->word,
                    p->place, c->from, c->to);
    return RAS_OK;
}

static int write_page(struct report_page *p, struct ras_html_report *found, struct ras_error *err)
{
    int status = RAS_OK;
    if (p->shown->side_count == 2)
        status = comparison_new(&p->comparison, p->shown, &p->how, err);
    if (status == RAS_OK)
        status = choose_place(p, err);
    if (status == RAS_OK && p->options->viewer.len)
        status = embed_make(p, err);
    if (status < 0)
        return status;
    put_start(p, page_title(p));
    status = p->comparison ? report_pair(p, err) : report_single(p, err);
    embed_put(p);
    put_end(p);
    if (status == RAS_OK && p->out.failed)
        status = fail_memory(err);
    if (status == RAS_OK && p->out.len > RAS_HTML_REPORT_MOST && !p->options->big)
        status = fail(err, RAS_ELIMIT, RAS_NONE,
                      "the report has %zu bytes, more than %" PRIu64
                      ": fewer pictures make it smaller, or allow it to be big",
                      p->out.len, RAS_HTML_REPORT_MOST);
    const struct comparison *c = p->comparison;
    *found = (struct ras_html_report){.compared = c && c->compared,
                                      .diverged = c && c->diverged,
                                      .lost = c ? c->lost : false,
                                      .first = c ? c->first : RAS_NONE,
                                      .size_bytes = p->out.len};
    for (unsigned i = 0; i < p->shown->source_count && !c; i++) {
        const struct shown_source *s = &p->shown->sources[i];
        found->lost |= !s->trace || ras_ending(s->trace).kind >= RAS_CUT;
    }
    if (!c && p->shown->sides[0].run) {
        struct ras_rundir_ended ended;
        ras_rundir_how_ended(p->shown->sides[0].run, &ended);
        found->lost |= !ended.closed || p->shown->sides[0].run->json_err.status != RAS_OK;
    }
    return status;
}

int report_put(struct out *out, const struct shown *shown,
               const struct ras_html_report_options *options, struct ras_html_report *found,
               struct ras_error *err)
{
    struct report_page p = {.out = *out, .shown = shown, .options = options};
    p.how = (struct ras_compare_options){.progress = options->progress, .user = options->user};
    for (unsigned i = 0; i < shown->side_count; i++) {
        const struct origin *o = shown->sides[i].origin;
        p.names[i] = o->name;
        p.paths[i] = o->path ? o->path : o->name;
    }
    int status = write_page(&p, found, err);
    *out = p.out;
    comparison_free(p.comparison);
    out_free(&p.embedded);
    out_free(&p.embed_note);
    arena_free(&p.texts);
    return status;
}

int ras_html_report(struct ras_html_report *out, const char *const *paths, size_t count,
                    const struct ras_html_report_options *options, struct ras_sink *sink,
                    struct ras_error *err)
{
    struct ras_html_report_options own;
    struct ras_html_report found = {.first = RAS_NONE};
    if (!OPTIONS(&own, options, err))
        return RAS_EUSAGE;
    if (count < 1 || count > SIDES_MOST)
        return fail(err, RAS_EUSAGE, RAS_NONE, "a report is of one run or trace, or of two");
    struct origin origins[SIDES_MOST] = {0};
    struct shown shown = {0};
    struct out page = {0};
    int status = RAS_OK;
    for (size_t i = 0; i < count && status == RAS_OK; i++) {
        struct ras_error why = {0};
        status = origin_path(&origins[i], paths[i], own.open, &why);
        if (status == RAS_OK)
            status = shown_add(&shown, &origins[i], &why);
        if (status < 0)
            status = fail(err, status, why.offset, "%.100s: %s", paths[i], why.text);
    }
    if (status == RAS_OK)
        status = report_put(&page, &shown, &own, &found, err);
    if (status == RAS_OK)
        status = ras_sink_write(sink, page.at, page.len, err);
    shown_clear(&shown);
    for (size_t i = 0; i < SIDES_MOST; i++)
        origin_free(&origins[i]);
    out_free(&page);
    if (out)
        *out = found;
    return status;
}
