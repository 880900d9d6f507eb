/* svg.c - the staff as a static picture: one line a pen, one voice until the sides diverge, two
 * from there on. */
#include "view/svg.h"
#include "view/html_escape.h"
#include "view/staff_geometry.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers and attributes -------------------------------------------------------------- */

void svg_number(struct out *out, double value)
{
    if (!(fabs(value) < 1e15))
        value = 0;
    int64_t tenths = (int64_t)llround(value * 10);
    if (tenths < 0) {
        out_byte(out, '-');
        tenths = -tenths;
    }
    out_u64(out, (uint64_t)tenths / 10);
    if (tenths % 10) {
        out_byte(out, '.');
        out_byte(out, (uint8_t)('0' + tenths % 10));
    }
}

void svg_attr(struct out *out, const char *name, double value)
{
    out_byte(out, ' ');
    out_text(out, name);
    out_text(out, "=\"");
    svg_number(out, value);
    out_byte(out, '"');
}

static void svg_segment(struct out *out, const char *class, double x1, double y1, double x2,
                        double y2)
{
    out_format(out, "<line class=\"%s\"", class);
    svg_attr(out, "x1", x1);
    svg_attr(out, "y1", y1);
    svg_attr(out, "x2", x2);
    svg_attr(out, "y2", y2);
    out_text(out, "/>");
}

static void svg_rect(struct out *out, const char *class, double x, double y, double w, double h)
{
    out_format(out, "<rect class=\"%s\"", class);
    svg_attr(out, "x", x);
    svg_attr(out, "y", y);
    svg_attr(out, "width", w > 0 ? w : 0);
    svg_attr(out, "height", h);
    out_text(out, "/>");
}

static void svg_text(struct out *out, const char *class, double x, double y, const char *text)
{
    out_format(out, "<text class=\"%s\"", class);
    svg_attr(out, "x", x);
    svg_attr(out, "y", y);
    out_byte(out, '>');
    html_text(out, text);
    out_text(out, "</text>");
}

static void svg_use(struct out *out, const char *id, const char *what, double x, double y)
{
    out_format(out, "<use href=\"#%s%s\"", id, what);
    svg_attr(out, "x", x);
    svg_attr(out, "y", y);
    out_text(out, "/>");
}

/* A point of a path. */
static void svg_point(struct out *out, char command, double x, double y)
{
    out_byte(out, (uint8_t)command);
    svg_number(out, x);
    out_byte(out, ' ');
    svg_number(out, y);
}

void svg_put_glyph(struct out *out, int kind, double x, double y, double r)
{
    out_format(out, "<path class=\"p%d\" d=\"", kind);
    switch (kind) {
    case 0: /* a triangle */
        svg_point(out, 'M', x - r * .8, y - r);
        svg_point(out, 'L', x + r, y);
        svg_point(out, 'L', x - r * .8, y + r);
        break;
    case 2: /* a square */
    case 4: /* an upright bar */
        svg_point(out, 'M', x - r * (kind == 2 ? .85 : .45), y - r * (kind == 2 ? .85 : 1));
        svg_point(out, 'L', x + r * (kind == 2 ? .85 : .45), y - r * (kind == 2 ? .85 : 1));
        svg_point(out, 'L', x + r * (kind == 2 ? .85 : .45), y + r * (kind == 2 ? .85 : 1));
        svg_point(out, 'L', x - r * (kind == 2 ? .85 : .45), y + r * (kind == 2 ? .85 : 1));
        break;
    case 3: /* a diamond */
        svg_point(out, 'M', x, y - r);
        svg_point(out, 'L', x + r, y);
        svg_point(out, 'L', x, y + r);
        svg_point(out, 'L', x - r, y);
        break;
    default: /* a circle */
        svg_point(out, 'M', x - r * .9, y);
        for (int half = 0; half < 2; half++) {
            out_byte(out, 'A');
            svg_number(out, r * .9);
            out_byte(out, ' ');
            svg_number(out, r * .9);
            out_text(out, " 0 1 1 ");
            svg_number(out, half ? x - r * .9 : x + r * .9);
            out_byte(out, ' ');
            svg_number(out, y);
        }
    }
    out_text(out, "Z\"/>");
}

/* ---- places ------------------------------------------------------------------------------ */

static double tick_width(const struct svg_staff *s)
{
    return (s->width - STAFF_LEFT - STAFF_RIGHT) / (double)(s->to - s->from + 1);
}

/* The middle of a tick. */
static double tick_x(const struct svg_staff *s, uint64_t tick)
{
    return STAFF_LEFT + ((double)(tick - s->from) + .5) * tick_width(s);
}

static double tick_left(const struct svg_staff *s, uint64_t tick)
{
    return tick_x(s, tick) - tick_width(s) / 2;
}

static double line_y(size_t i)
{
    return STAFF_TOP + (double)i * STAFF_GAP;
}

static double last_y(const struct svg_staff *s)
{
    return line_y(s->line_count ? s->line_count - 1 : 0);
}

static uint64_t d_of(const struct svg_line *l, const struct svg_staff *s, uint64_t tick)
{
    return l->counts ? l->counts->d[tick - s->from] : RAS_NONE;
}

static bool has_tick(const struct svg_line *l, const struct svg_staff *s, int side, uint64_t tick)
{
    return l->counts && l->counts->n[side][tick - s->from] != RAS_NONE;
}

static uint64_t most_d(const struct svg_line *l, const struct svg_staff *s)
{
    uint64_t most = l->most;
    for (uint64_t t = s->from; t <= s->to; t++) {
        uint64_t d = d_of(l, s, t);
        most = d != RAS_NONE && d > most ? d : most;
    }
    return most;
}

/* How far below the line the second voice is. */
static double voice_of(uint64_t d, uint64_t most)
{
    if (!d || d == RAS_NONE)
        return 0;
    return VOICE_LEAST + VOICE_SPAN * log2(1 + (double)d) / log2(1 + (double)(most ? most : 1));
}

static double stem_of(uint64_t n)
{
    double height = STEM_LEAST + STEM_SLOPE * log2(1 + (double)n);
    return height < STEM_MOST ? height : STEM_MOST;
}

/* ---- what is behind the notes ------------------------------------------------------------ */

/* Ticks between two bar lines: 5, 10, 25, 50, ... */
static uint64_t bar_step(const struct svg_staff *s)
{
    static const uint64_t steps[] = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000};
    uint64_t count = s->to - s->from + 1;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (count / (BAR_EVERY * steps[i]) <= BARS_MOST)
            return BAR_EVERY * steps[i];
    return count;
}

static bool in_window(const struct svg_staff *s, uint64_t tick)
{
    return tick != RAS_NONE && tick >= s->from && tick <= s->to;
}

static void put_bars(struct out *out, const struct svg_staff *s)
{
    uint64_t step = bar_step(s);
    char number[24];
    for (uint64_t t = (s->from + step - 1) / step * step; t <= s->to && t >= s->from; t += step) {
        double x = tick_left(s, t);
        double apart = in_window(s, s->first) ? x - tick_left(s, s->first) : 1e9;
        bool close =
            s->width > STAFF_NARROW ? apart > -175 && apart < 205 : apart > -110 && apart < 110;
        if (t == s->first)
            continue;
        svg_segment(out, "bar", x, STAFF_TOP, x, last_y(s));
        snprintf(number, sizeof number, "%" PRIu64, t);
        if (!close)
            svg_text(out, "tick", x + 4, STAFF_TOP - 34, number);
    }
}

/* The brace of a score, from the first line to the last. */
static void put_brace(struct out *out, const struct svg_staff *s)
{
    double x = STAFF_LEFT, top = STAFF_TOP - 6, end = last_y(s) + 6, middle = (top + end) / 2;
    svg_segment(out, "open", x, STAFF_TOP - (s->line_count < 2 ? 8 : 0), x,
                last_y(s) + (s->line_count < 2 ? 8 : 0));
    if (s->line_count < 2)
        return;
    double part = (middle - top) / 80, bend = part < 1 ? part : 1; /* few lines are close */
    double inner = 30 * bend, outer = 40 * bend, knee = 34 * bend;
    const double at[][2] = {
        {x - 6, top},     {x - 19, top + knee},    {x - 1, middle - knee},
        {x - 16, middle}, {x - 1, middle + knee},  {x - 19, end - knee},
        {x - 6, end},     {x - 13, end - outer},   {x + 3, middle + inner},
        {x - 16, middle}, {x + 3, middle - inner}, {x - 13, top + outer},
        {x - 6, top},
    };
    out_text(out, "<path class=\"ink\" d=\"");
    for (size_t i = 0; i < sizeof at / sizeof *at; i++)
        svg_point(out, !i ? 'M' : i % 3 == 1 ? 'C' : ' ', at[i][0], at[i][1]);
    out_text(out, "Z\"/>");
}

/* ---- a line ------------------------------------------------------------------------------ */

static void put_names(struct out *out, const struct svg_line *l, double y)
{
    svg_put_glyph(out, l->kind, 15, y - 1, 6);
    svg_text(out, "pen", 30, y - 1, l->name);
    svg_text(out, "maker", 30, y + 14, l->maker);
}

/* The second voice, from its first divergence on: a tinted space and a dashed line. */
static void put_voice(struct out *out, const struct svg_staff *s, const struct svg_line *l,
                      double y, uint64_t most)
{
    if (l->first == RAS_NONE || l->first > s->to || !most)
        return;
    uint64_t t = l->first > s->from ? l->first : s->from;
    double x = l->first >= s->from ? tick_left(s, l->first) : STAFF_LEFT, left = x;
    double right = s->width - STAFF_RIGHT;
    double below = l->first >= s->from ? y : y + voice_of(d_of(l, s, t), most);
    struct out path = {0};
    svg_point(&path, 'M', x, below);
    for (; t <= s->to; t++) {
        uint64_t d = d_of(l, s, t);
        if (d == RAS_NONE || !has_tick(l, s, 1, t))
            break;
        double next = tick_x(s, t), to = y + voice_of(d, most), middle = (x + next) / 2;
        svg_point(&path, 'C', middle, below);
        svg_point(&path, ' ', middle, to);
        svg_point(&path, ' ', next, to);
        x = next;
        below = to;
    }
    if (t > s->to)
        svg_point(&path, 'L', x = right, below);
    out_text(out, "<path class=\"tint\" d=\"");
    out_bytes(out, path.at, path.len);
    svg_point(out, 'L', x, y);
    svg_point(out, 'L', left, y);
    out_text(out, "Z\"/><path class=\"voice\" d=\"");
    out_bytes(out, path.at, path.len);
    out_text(out, "\"/>");
    out->failed |= path.failed;
    out_free(&path);
}

/* What a side lacks, from one tick to another: a rest with its reason. */
static void put_rest(struct out *out, const struct svg_staff *s, const struct svg_line *l, int side,
                     const uint64_t span[2], double y)
{
    double x = tick_left(s, span[0]), end = tick_left(s, span[1]) + tick_width(s);
    double at = side ? y + REST_BELOW : y;
    bool known = d_of(l, s, span[0]) != RAS_NONE;
    const char *why = l->rest[side] ? l->rest[side] : "nothing recorded";
    if (!side)
        svg_segment(out, "away", x, y, end, y);
    double wide = end - x < REST_WIDTH ? REST_WIDTH : REST_WIDTH;
    svg_rect(out, known ? "rest part" : "rest", x + (tick_width(s) - wide) / 2,
             side ? at - REST_HEIGHT / 2 : at - REST_HEIGHT, wide, REST_HEIGHT);
    if (end - x > 40)
        svg_text(out, known ? "why part" : "why", x + (tick_width(s) + wide) / 2 + 5,
                 side ? at + 4 : at - 6, why);
}

static void put_rests(struct out *out, const struct svg_staff *s, const struct svg_line *l,
                      double y)
{
    for (int side = 0; side < 2; side++)
        for (uint64_t t = s->from; t <= s->to; t++) {
            uint64_t span[2] = {t, t};
            if (has_tick(l, s, side, t) || t < s->run_from || t > s->run_to)
                continue;
            while (span[1] < s->to && !has_tick(l, s, side, span[1] + 1) && span[1] < s->run_to)
                span[1]++;
            put_rest(out, s, l, side, span, y);
            t = span[1];
        }
}

static void put_note(struct out *out, const struct svg_staff *s, const struct svg_line *l,
                     uint64_t t, double y, uint64_t most)
{
    uint64_t count = s->to - s->from + 1, d = d_of(l, s, t);
    double x = tick_x(s, t), below = voice_of(d, most);
    const uint64_t *n = has_tick(l, s, 0, t) ? l->counts->n[0] : NULL;
    if (n && count <= DOTS_ABOVE) {
        svg_segment(out, "stem", x + 4, y - 1, x + 4, y - stem_of(n[t - s->from]));
        svg_use(out, s->id, "n", x, y);
    } else if (n) {
        svg_use(out, s->id, "d", x, y);
    }
    if (below > 0 && has_tick(l, s, 1, t))
        svg_use(out, s->id, count <= DOTS_ABOVE ? "h" : "o", x, y + below);
    if (t != l->first)
        return;
    out_text(out, "<circle class=\"ring\"");
    svg_attr(out, "cx", x);
    svg_attr(out, "cy", y + below / 2);
    svg_attr(out, "r", RING_LEAST + below / 4);
    out_text(out, "/>");
}

static void put_staff_line(struct out *out, const struct svg_staff *s, size_t i)
{
    const struct svg_line *l = &s->lines[i];
    double y = line_y(i);
    uint64_t most = most_d(l, s);
    out_text(out, "<g>");
    put_names(out, l, y);
    svg_segment(out, "line", STAFF_LEFT, y, s->width - STAFF_RIGHT, y);
    put_voice(out, s, l, y, most);
    for (uint64_t t = s->from; l->counts && t <= s->to; t++)
        if (s->to - s->from + 1 <= LINES_ABOVE || t == l->first)
            put_note(out, s, l, t, y, most);
    put_rests(out, s, l, y);
    if (l->remark)
        svg_text(out, "why", STAFF_LEFT + 10, y + 16, l->remark);
    out_text(out, "</g>\n");
}

/* ---- the divergence ---------------------------------------------------------------------- */

static void put_mark(struct out *out, const struct svg_staff *s)
{
    char text[80];
    double x = tick_left(s, s->first), end = last_y(s) + 30;
    snprintf(text, sizeof text, "%" PRIu64, s->first);
    double half = 14 + 5.5 * (double)strlen(text);
    svg_segment(out, "thin", x - 3.5, STAFF_TOP - 14, x - 3.5, end);
    svg_segment(out, "thick", x + .5, STAFF_TOP - 14, x + .5, end);
    svg_rect(out, "mark", x + 1 - half, STAFF_TOP - 58, 2 * half, 32);
    svg_text(out, "rehearsal", x + 1, STAFF_TOP - 36, text);
    bool narrow = s->width < 900;
    if (x + half + (narrow ? 70 : 160) < s->width)
        svg_text(out, "says", x + half + 9, STAFF_TOP - 36,
                 narrow ? "two voices" : "from here on two voices");
    if (!s->unison || s->first <= s->run_from || x - half - (narrow ? 60 : 150) < STAFF_LEFT - 60)
        return;
    uint64_t count = s->first - s->run_from;
    snprintf(text, sizeof text, "unison, %" PRIu64 " %.20s%s", count, s->word,
             count == 1 ? "" : "s");
    svg_text(out, "says end", x - half - 8, STAFF_TOP - 36, narrow ? "unison" : text);
}

/* All there is, as a bar with the window in it. */
static void put_run(struct out *out, const struct svg_staff *s)
{
    double y = last_y(s) + STAFF_RUN, width = s->width - STAFF_LEFT - STAFF_RIGHT;
    double all = (double)(s->run_to - s->run_from) + 1;
    uint64_t count = s->run_to - s->run_from + 1;
    char text[80];
    svg_rect(out, "whole", STAFF_LEFT, y, width, 8);
    if (s->first != RAS_NONE && s->first >= s->run_from && s->first <= s->run_to) {
        double x = (double)(s->first - s->run_from) / all * width;
        svg_rect(out, "after", STAFF_LEFT + x, y, width - x, 8);
    }
    double from = (double)(s->from - s->run_from) / all * width;
    double size = (double)(s->to - s->from + 1) / all * width;
    svg_rect(out, "window", STAFF_LEFT + from, y - 3, size < 6 ? 6 : size, 14);
    snprintf(text, sizeof text, "%s%" PRIu64 " %.20s%s", s->width > STAFF_NARROW ? "all, " : "",
             count, s->word, count == 1 ? "" : "s");
    svg_text(out, "maker", 14, y + 8, text);
}

static void put_defs(struct out *out, const char *id)
{
    static const struct {
        const char *name, *class;
        double rx, ry;
    } heads[] = {{"n", "ink", NOTE_RX, NOTE_RY},
                 {"h", "hollow", HOLLOW_RX, HOLLOW_RY},
                 {"d", "ink", 2, 2},
                 {"o", "hollow", 1.8, 1.8}};
    out_text(out, "<defs>");
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        out_format(out, "<ellipse id=\"%s%s\" class=\"%s\"", id, heads[i].name, heads[i].class);
        svg_attr(out, "rx", heads[i].rx);
        svg_attr(out, "ry", heads[i].ry);
        out_text(out, " transform=\"rotate(");
        svg_number(out, NOTE_TILT);
        out_text(out, ")\"/>");
    }
    out_text(out, "</defs>");
}

void svg_put_staff(struct out *out, const struct svg_staff *s)
{
    bool marked = in_window(s, s->first);
    out_text(
        out,
        "<svg class=\"staff\" role=\"img\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ");
    svg_number(out, s->width);
    out_byte(out, ' ');
    svg_number(out, last_y(s) + STAFF_BELOW);
    out_text(out, "\" aria-label=\"");
    html_text(out, s->label);
    out_text(out, "\">");
    put_defs(out, s->id);
    if (marked || (s->first != RAS_NONE && s->first < s->from)) {
        double x = marked ? tick_left(s, s->first) : STAFF_LEFT;
        svg_rect(out, "wash", x, STAFF_TOP - 26, s->width - STAFF_RIGHT - x,
                 last_y(s) - STAFF_TOP + 62);
    }
    put_bars(out, s);
    put_brace(out, s);
    for (size_t i = 0; i < s->line_count; i++)
        put_staff_line(out, s, i);
    if (marked)
        put_mark(out, s);
    put_run(out, s);
    out_text(out, "</svg>\n");
}
