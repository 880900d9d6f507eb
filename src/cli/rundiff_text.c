/* rundiff_text.c - what the pens of two runs say of the tick at which they diverge, as text. */
#include "cli/detail_text.h"
#include "cli/rundirs.h"

#include <inttypes.h>
#include <string.h>

enum { LINES_ALL = 24, LINES_EACH = 6, LINES_MOST = 8, INDENT = 11, DEEPER = 2 };

static void put_rest(struct answer *a, size_t places)
{
    if (places)
        answer_format(a, "%*sand %s of this tick: --json has them\n", INDENT, "",
                      ras_counted(places, "more place").text);
}

/* Of several events or calls of one tick each has a few lines. */
static void rundiff_put_all(struct answer *a, const struct ras_diff *d)
{
    struct page p = {.a = a, .indent = INDENT, .lines = LINES_ALL};
    size_t i = 0;
    for (; i < d->divergence_count && p.lines > 1; i++) {
        const struct ras_divergence *v = &d->divergences[i];
        (void)!line_begins(&p);
        put_places(a, v, "", "tick");
        answer_format(a, ": %s\n", v->kind);
        struct page own = {.a = a,
                           .indent = INDENT + DEEPER,
                           .lines = p.lines < LINES_EACH ? p.lines : LINES_EACH};
        p.lines -= own.lines;
        put_detail(&own, v->detail);
        p.lines += own.lines;
        put_left(&own);
    }
    put_rest(a, d->divergence_count - i);
}

static void put_page(struct answer *a, const struct ras_value *detail)
{
    struct page p = {.a = a, .indent = INDENT, .lines = LINES_MOST};
    put_detail(&p, detail);
    put_left(&p);
}

/* ---- pens -------------------------------------------------------------------------------- */

static void rundiff_put_pen(struct answer *a, const struct ras_rundiff *all,
                            const struct ras_rundiff_pen *pen)
{
    const struct ras_diff *d = pen->diff;
    answer_format(a, "%-9s", pen->format);
    if (!d) {
        answer_format(a, pen->err.status == RAS_ENOTHING ? "" : "not compared: ");
        answer_text(a, pen->err.text, strlen(pen->err.text));
        answer_format(a, "\n");
        return;
    }
    if (!d->divergence_count) {
        answer_format(a, "the same in %s%s\n", d->checked == 1 ? "" : "all of ",
                      ras_counted(d->checked, d->word).text);
        return;
    }
    const struct ras_divergence *v = &d->divergences[0];
    if (pen->tick == RAS_NONE)
        answer_format(a, "at no tick");
    else if (pen->tick > all->first_tick)
        answer_format(a, "the same at tick %" PRIu64 ", then %stick %" PRIu64, all->first_tick,
                      pen->about ? "about " : "", pen->tick);
    else
        answer_format(a, "%stick %" PRIu64, pen->about ? "about " : "", pen->tick);
    size_t places = pen->in_tick ? pen->in_tick->divergence_count : 1;
    if (places > 1 && pen->tick == all->first_tick) {
        answer_format(a, ": %zu places differ\n", places);
        rundiff_put_all(a, pen->in_tick);
        return;
    }
    put_places(a, v, ", ", "tick");
    answer_format(a, ": %s\n", v->kind);
    put_page(a, v->detail);
    put_rest(a, places - 1);
}

void put_rundiff(struct answer *a, const struct ras_rundiff *d)
{
    put_result(a, d->diverged ? "diverged" : d->checked ? "ok" : "unknown");
    if (d->first_tick != RAS_NONE)
        answer_format(a, " tick=%" PRIu64, d->first_tick);
    answer_format(a, " checked=%" PRIu64 "\n", d->checked);
    if (d->settings) {
        answer_format(a, "run.json the two runs were started with different options\n");
        put_page(a, d->settings);
    }
    for (size_t i = 0; i < d->pen_count; i++)
        rundiff_put_pen(a, d, &d->pens[i]);
}
