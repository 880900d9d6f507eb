/* svg_time.c - a part of a timeline as a static picture: lanes of slices, instants and counters. */
#include "view/svg_time.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/sort.h"
#include "view/html_escape.h"
#include "view/svg.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TIME_WIDTH 1064.0
#define TIME_LEFT  150.0
#define TIME_TOP   24.0
#define ROW_HEIGHT 11.0
#define LANE_GAP   6.0
#define CHARACTER  5.7 /* of a label, in pixels */
#define TICK_ROOM  46  /* for the number of a tick */

enum {
    LANES_MOST = 16,
    PENS_MOST = 16,
    ROWS_MOST = 8,
    RECORDS_MOST = 40000,
    HEADER = 48,
    ITEM = 16,
    LABEL_LEAST = 30
};

/* What is drawn: a rectangle of a lane. */
struct shape {
    double x, w, y, h;
    uint32_t name;
    uint8_t kind; /* 1 slice, 2 counter, 3 instant, as tiles have it */
};

struct time_picture {
    const struct svg_time *of;
    struct tracks *tracks;
    struct shape *items;
    size_t count, room;
    struct out lanes; /* names */
    double y;         /* of the next lane */
    size_t lane_count;
    int32_t shift;
    struct ras_error *err;
};

/* Ticks of the picture, half-open, where it has columns. */
static void column_range(const struct svg_time *of, size_t range[2])
{
    range[0] = range[1] = 0;
    while (range[0] < of->begin_count && of->begins[range[0]] < of->from)
        range[0]++;
    for (range[1] = range[0]; range[1] < of->begin_count && of->begins[range[1]] < of->to;)
        range[1]++;
}

/* The tick whose column a time is in. */
static size_t column_at(const struct svg_time *of, const size_t range[2], double at)
{
    size_t i = range[0];
    while (i + 1 < range[1] && (double)of->begins[i + 1] <= at)
        i++;
    return i;
}

/* Whether a time is in the part of its tick that is shown. */
static bool is_in_column(const struct svg_time *of, uint64_t at)
{
    size_t range[2];
    column_range(of, range);
    uint64_t begin = of->begins[column_at(of, range, (double)at)];
    return at < begin || at - begin <= of->column;
}

/* A time in its column; what is after the part that is shown is at its right edge. */
static double column_x(const struct time_picture *p, double at)
{
    const struct svg_time *of = p->of;
    size_t range[2];
    column_range(of, range);
    size_t i = column_at(of, range, at);
    double wide = (TIME_WIDTH - TIME_LEFT) / (double)(range[1] - range[0]);
    double share = (at - (double)of->begins[i]) / (double)of->column;
    share = share < 0 ? 0 : share > 1 ? 1 : share;
    return TIME_LEFT + ((double)(i - range[0]) + share * .97) * wide;
}

static double time_x(const struct time_picture *p, double at)
{
    double span = (double)(p->of->to - p->of->from);
    if (p->of->column)
        return column_x(p, at);
    return TIME_LEFT + (at - (double)p->of->from) / span * (TIME_WIDTH - TIME_LEFT);
}

static bool add_shape(struct time_picture *p, const struct shape *s)
{
    if (!array_grow(&p->items, &p->room, p->count + 1, sizeof *p->items))
        return false;
    p->items[p->count++] = *s;
    return true;
}

/* ---- tiles ------------------------------------------------------------------------------- */

/* The extent of an item on the axis, cut to what is shown; false: it is outside. */
static bool item_extent(const struct time_picture *p, const uint8_t *item, uint64_t tile_from,
                        double x[2])
{
    double bucket = ldexp(1, p->shift);
    x[0] = (double)tile_from + load_u16(item) / 64.0 * bucket;
    x[1] = x[0] + load_u16(item + 2) / 64.0 * bucket;
    if (x[1] < (double)p->of->from || x[0] >= (double)p->of->to)
        return false;
    x[0] = x[0] < (double)p->of->from ? (double)p->of->from : x[0];
    x[1] = x[1] > (double)p->of->to ? (double)p->of->to : x[1];
    return true;
}

static float float_at(const uint8_t *at)
{
    uint32_t bits = load_u32(at);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void counter_shape(const struct track_about *about, double value, struct shape *s)
{
    double range = about->max - about->min;
    double share = range > 0 ? (value - about->min) / range : 1;
    share = share < 0 ? 0 : share > 1 ? 1 : share;
    s->h = 1 + share * (2 * ROW_HEIGHT - 3);
    s->y += 2 * ROW_HEIGHT - 1 - s->h;
}

/* One item of a tile as a shape of its lane. */
static bool take_item(struct time_picture *p, const struct track_about *about, const uint8_t *item,
                      unsigned kind, uint64_t tile_from)
{
    double x[2];
    struct shape s = {.kind = (uint8_t)kind, .y = p->y, .h = ROW_HEIGHT - 1};
    unsigned row = kind == 2 ? 0 : load_u16(item + 12);
    if (!item_extent(p, item, tile_from, x) || row >= ROWS_MOST)
        return true;
    s.x = time_x(p, x[0]);
    s.w = time_x(p, x[1]) - s.x;
    if (kind == 2) {
        counter_shape(about, (double)float_at(item + 8), &s);
    } else {
        s.name = load_u32(item + 4);
        s.y += row * ROW_HEIGHT;
    }
    s.w = s.w < 1 ? 1 : s.w;
    return add_shape(p, &s);
}

/* The bytes are our own; they are checked all the same. */
static bool take_tile(struct time_picture *p, const struct track_about *about, struct ras_bytes b)
{
    if (b.len < HEADER || load_u32(b.at + 4) > b.len)
        return true;
    uint64_t from = load_u64(b.at + 16) * TILE_BUCKETS << p->shift;
    unsigned kind = load_u16(b.at + 32);
    uint64_t rows = load_u32(b.at + 36), items = load_u32(b.at + 40);
    uint64_t at = (HEADER + (rows + 1) * 4 + 15) / 16 * 16;
    kind = kind == 4 ? 1 : kind;
    for (uint64_t i = 0; i < items && at + (i + 1) * ITEM <= b.len; i++)
        if (!take_item(p, about, b.at + at + i * ITEM, kind, from))
            return false;
    return true;
}

static int take_tiles(struct time_picture *p, uint32_t track)
{
    uint64_t first = p->of->from >> p->shift >> 10, last = (p->of->to - 1) >> p->shift >> 10;
    const struct track_about about = *tracks_at(p->tracks, track);
    int status = RAS_OK;
    for (uint64_t i = first; i <= last && status == RAS_OK; i++) {
        struct out bytes = {0};
        status = tracks_tile(p->tracks, track, p->shift, i, &bytes, p->err);
        if (status == RAS_OK &&
            (bytes.failed || !take_tile(p, &about, (struct ras_bytes){bytes.at, bytes.len})))
            status = fail_memory(p->err);
        out_free(&bytes);
    }
    return status;
}

/* ---- records ----------------------------------------------------------------------------- */

/* What a track has in the range, exactly. */
struct item_taker {
    struct time_picture *p;
    const struct track_about *about;
    bool nomem;
};

static bool take_record(void *user, const struct track_item *item)
{
    struct item_taker *t = user;
    struct time_picture *p = t->p;
    unsigned kind = t->about->kind == TRACK_COUNTER ? 2 : t->about->kind == TRACK_INSTANT ? 3 : 1;
    struct shape s = {.kind = (uint8_t)kind, .y = p->y, .h = ROW_HEIGHT - 1, .name = item->name};
    uint64_t begin = item->begin < p->of->from ? p->of->from : item->begin;
    uint64_t end = item->end > p->of->to ? p->of->to : item->end;
    if ((kind != 2 && item->row >= ROWS_MOST) || item->begin >= p->of->to ||
        !is_in_column(p->of, begin))
        return true;
    s.x = time_x(p, (double)begin);
    s.w = kind == 1 && end > begin ? time_x(p, (double)end) - s.x : 1;
    s.w = s.w < 1 ? 1 : s.w;
    if (kind == 2)
        counter_shape(t->about, item->value, &s);
    else
        s.y += item->row * ROW_HEIGHT;
    t->nomem = !add_shape(p, &s);
    return !t->nomem && p->count < RECORDS_MOST;
}

static int take_records(struct time_picture *p, uint32_t track)
{
    const struct track_about about = *tracks_at(p->tracks, track);
    struct item_taker t = {p, &about, false};
    int status = tracks_each(p->tracks, track, p->of->from, p->of->to, take_record, &t, p->err);
    return t.nomem ? fail_memory(p->err) : status;
}

/* ---- lanes ------------------------------------------------------------------------------- */

static void lane_name(struct time_picture *p, const struct track_about *about)
{
    out_text(&p->lanes, "<text class=\"lane\" x=\"0\"");
    svg_attr(&p->lanes, "y", p->y + ROW_HEIGHT - 2);
    out_byte(&p->lanes, '>');
    size_t len = strlen(about->name), most = (size_t)((TIME_LEFT - 8) / CHARACTER);
    size_t cut = len > most ? most - 1 : len;
    while (cut && len > most && ((unsigned char)about->name[cut] & 0xc0) == 0x80)
        cut--;
    html_bytes(&p->lanes, about->name, cut);
    out_text(&p->lanes, len > most ? "\xe2\x80\xa6</text>" : "</text>");
}

/* A counter keeps its value until the next one. */
static void stretch_counter(struct time_picture *p, size_t from)
{
    for (size_t i = from; i < p->count; i++) {
        double end = i + 1 < p->count ? p->items[i + 1].x : TIME_WIDTH;
        p->items[i].w = end - p->items[i].x < 1 ? 1 : end - p->items[i].x;
    }
}

static int in_reading_order(const void *a, const void *b)
{
    const struct shape *x = a, *y = b;
    if (x->y != y->y)
        return x->y < y->y ? -1 : 1;
    if (x->x != y->x)
        return x->x < y->x ? -1 : 1;
    return x->w > y->w ? -1 : x->w < y->w;
}

static int by_time(const void *a, const void *b)
{
    const struct shape *x = a, *y = b;
    return x->x < y->x ? -1 : x->x > y->x ? 1 : in_reading_order(a, b);
}

/* Of each trace some lanes of each kind: slices say most, and the ticks have a ruler already. */
static bool is_wanted(const struct time_picture *p, const struct track_about *about,
                      unsigned taken[PENS_MOST][TRACK_FILM + 1])
{
    static const unsigned most[] = {[TRACK_SLICE] = 3, [TRACK_COUNTER] = 1, [TRACK_INSTANT] = 2};
    if (about->kind == TRACK_GROUP || about->kind == TRACK_FILM || !about->records ||
        (about->kind == TRACK_COUNTER && about->min == about->max) || about->pen >= PENS_MOST ||
        about->from >= p->of->to || about->to < p->of->from)
        return false;
    if (about->kind == TRACK_SLICE && p->of->begin_count && !strcmp(about->name, "ticks"))
        return false;
    return taken[about->pen][about->kind] < most[about->kind] && p->lane_count < LANES_MOST;
}

static int add_lane(struct time_picture *p, uint32_t track,
                    unsigned taken[PENS_MOST][TRACK_FILM + 1])
{
    const struct track_about about = *tracks_at(p->tracks, track);
    size_t before = p->count;
    if (!is_wanted(p, &about, taken))
        return RAS_OK;
    int status = p->of->column ? take_records(p, track) : take_tiles(p, track);
    if (status < 0 || p->count == before)
        return status;
    if (about.kind == TRACK_COUNTER) {
        qsort(p->items + before, p->count - before, sizeof *p->items, by_time);
        stretch_counter(p, before);
    }
    uint32_t rows = about.kind == TRACK_COUNTER ? 2
                    : about.rows < ROWS_MOST    ? about.rows
                                                : ROWS_MOST;
    lane_name(p, &about);
    p->y += (rows ? rows : 1) * ROW_HEIGHT + LANE_GAP;
    p->lane_count++;
    taken[about.pen][about.kind]++;
    return RAS_OK;
}

static int wider_first(const void *a, const void *b)
{
    const struct shape *x = a, *y = b;
    if (x->w != y->w)
        return x->w > y->w ? -1 : 1;
    if (x->y != y->y)
        return x->y < y->y ? -1 : 1;
    return x->x < y->x ? -1 : x->x > y->x;
}

/* ---- the picture ------------------------------------------------------------------------- */

/* Names that differ in a number only have one colour, the one that they have in the page. */
static unsigned name_fill(const char *name)
{
    uint32_t hash = 2166136261u;
    for (; *name; name++)
        if (*name < '0' || *name > '9')
            hash = (hash ^ (unsigned char)*name) * 16777619u;
    return hash & 7;
}

static void put_shape(struct out *out, const struct time_picture *p, const struct shape *s)
{
    size_t len = 0;
    const char *name = s->kind == 2 ? "" : tracks_name(p->tracks, s->name, &len);
    name = name ? name : "";
    if (s->kind == 2)
        out_text(out, "<rect class=\"count\"");
    else if (s->kind == 3)
        out_text(out, "<rect class=\"instant\"");
    else
        out_format(out, "<rect class=\"f%u\"", name_fill(name));
    svg_attr(out, "x", s->x);
    svg_attr(out, "y", s->y);
    svg_attr(out, "width", s->w);
    svg_attr(out, "height", s->h);
    out_text(out, "/>");
    size_t most = (size_t)((s->w - 6) / CHARACTER);
    if (s->kind != 1 || s->w < LABEL_LEAST || !len)
        return;
    size_t cut = len > most ? most - 1 : len;
    while (cut && len > most && ((unsigned char)name[cut] & 0xc0) == 0x80)
        cut--;
    out_text(out, "<text class=\"on\"");
    svg_attr(out, "x", s->x + 3);
    svg_attr(out, "y", s->y + s->h - 2);
    out_byte(out, '>');
    html_bytes(out, name, cut);
    out_text(out, len > most ? "\xe2\x80\xa6</text>" : "</text>");
}

static double column_width(const struct svg_time *of)
{
    size_t range[2];
    column_range(of, range);
    return (TIME_WIDTH - TIME_LEFT) / (double)(range[1] > range[0] ? range[1] - range[0] : 1);
}

/* Where ticks begin, each with its number where there is room. */
static void put_ticks(struct out *out, const struct time_picture *p, double end)
{
    const struct svg_time *t = p->of;
    double last = -1000;
    for (size_t i = 0; i < t->begin_count; i++) {
        if (t->begins[i] < t->from || t->begins[i] >= t->to)
            continue;
        uint64_t over = i + 1 < t->begin_count ? t->begins[i + 1] : t->to;
        double x = time_x(p, (double)t->begins[i]);
        double next =
            t->column ? x + column_width(t) : time_x(p, (double)(over < t->to ? over : t->to));
        bool is_cut = t->column && over - t->begins[i] > t->column;
        if (t->first_tick + i == t->marked) {
            out_text(out, "<rect class=\"wash2\"");
            svg_attr(out, "x", x);
            svg_attr(out, "y", TIME_TOP - 6);
            svg_attr(out, "width", next - x);
            svg_attr(out, "height", end - TIME_TOP + 6);
            out_text(out, "/>");
        }
        if (x - last < TICK_ROOM || TIME_WIDTH - x < TICK_ROOM / 2)
            continue;
        last = x;
        out_text(out, "<line class=\"bar\"");
        svg_attr(out, "x1", x);
        svg_attr(out, "y1", TIME_TOP - 6);
        svg_attr(out, "x2", x);
        svg_attr(out, "y2", end);
        out_text(out, "/><text");
        svg_attr(out, "x", x + 3);
        svg_attr(out, "y", TIME_TOP - 9);
        out_format(out, ">%" PRIu64 "</text>", t->first_tick + i);
        if (is_cut) {
            out_text(out, "<text class=\"why end\"");
            svg_attr(out, "x", next - 4);
            svg_attr(out, "y", TIME_TOP - 9);
            out_text(out, ">goes on</text>");
        }
    }
}

static void put_picture(struct out *out, struct time_picture *p)
{
    if (p->count > SVG_TIME_ITEMS) {
        qsort(p->items, p->count, sizeof *p->items, wider_first);
        p->count = SVG_TIME_ITEMS;
    }
    qsort(p->items, p->count, sizeof *p->items, in_reading_order);
    out_text(out, "<svg class=\"time\" role=\"img\" xmlns=\"http://www.w3.org/2000/svg\" "
                  "viewBox=\"0 0 ");
    svg_number(out, TIME_WIDTH);
    out_byte(out, ' ');
    svg_number(out, p->y + 4);
    out_text(out, "\" aria-label=\"");
    html_text(out, p->of->label);
    out_text(out, "\">");
    put_ticks(out, p, p->y);
    out_bytes(out, p->lanes.at, p->lanes.len);
    for (size_t i = 0; i < p->count; i++)
        put_shape(out, p, &p->items[i]);
    out_text(out, "</svg>\n");
}

int svg_put_time(struct out *out, struct tracks *tracks, const struct svg_time *of, bool *drawn,
                 struct ras_error *err)
{
    struct time_picture p = {.of = of, .tracks = tracks, .y = TIME_TOP, .err = err};
    int status = RAS_OK;
    *drawn = false;
    if (of->to <= of->from)
        return RAS_OK;
    while (p.shift < 53 && (of->to - of->from) >> p.shift > TILE_BUCKETS)
        p.shift++;
    unsigned taken[PENS_MOST][TRACK_FILM + 1] = {{0}};
    for (uint32_t i = 0; i < tracks_count(tracks) && status == RAS_OK; i++)
        status = add_lane(&p, i, taken);
    *drawn = status == RAS_OK && p.count;
    if (*drawn)
        put_picture(out, &p);
    out->failed |= p.lanes.failed;
    out_free(&p.lanes);
    free(p.items);
    return status;
}
