/* sum.c - the route sum: what is in a range of time, by name; and counters in it.
 *
 * Items come in no certain order. Totals are added as they come; the time that a slice has for
 * itself needs its children, so slices are kept, up to a limit, and sorted. */
#include "base/memory.h"
#include "base/sort.h"
#include "view/side_tracks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SUM_NAMES_MOST = 1000,  /* that are listed */
    SUM_ROWS_MOST = 200000, /* that are added up */
    SUM_SLICES_MOST = 1 << 20,
    SUM_EVERY = 1024, /* items between two reports of progress */
};

/* What is added up: slices of a name on a track, or a counter. */
struct sum_row {
    uint32_t track, name;
    uint64_t count;
    double total, self, min, max;
};

struct sum_slice {
    uint32_t track, row, sum; /* index of its sum */
    uint64_t begin, end;
};

struct sum {
    struct request *r;
    struct tracks *tracks;
    uint64_t from, to;
    const struct arg *wanted; /* tracks; none: all */
    unsigned side;
    struct sum_row *rows;
    size_t row_count, row_room;
    uint32_t *slots; /* by hash of track and name: index + 1 */
    size_t slot_count;
    struct sum_slice *slices;
    size_t slice_count, slice_room;
    uint64_t items;
    bool is_lossy; /* more slices than are kept: `self` is not known */
    bool nomem, cancelled, full;
};

static size_t sum_slot(const struct sum *s, uint32_t track, uint32_t name)
{
    uint64_t hash = ((uint64_t)track << 32 | name) * UINT64_C(0x9e3779b97f4a7c15);
    size_t at = (size_t)(hash >> 32) & (s->slot_count - 1);
    while (s->slots[at] &&
           (s->rows[s->slots[at] - 1].track != track || s->rows[s->slots[at] - 1].name != name))
        at = (at + 1) & (s->slot_count - 1);
    return at;
}

static bool sum_more_slots(struct sum *s)
{
    size_t count = s->slot_count ? 2 * s->slot_count : 256;
    uint32_t *slots = calloc(count, sizeof *slots);
    if (!slots)
        return false;
    free(s->slots);
    s->slots = slots;
    s->slot_count = count;
    for (size_t i = 0; i < s->row_count; i++)
        s->slots[sum_slot(s, s->rows[i].track, s->rows[i].name)] = (uint32_t)i + 1;
    return true;
}

/* The sum of a name on a track; NULL: memory is short, or there are too many. */
static struct sum_row *sum_of(struct sum *s, uint32_t track, uint32_t name)
{
    if (s->row_count >= s->slot_count / 2 && !sum_more_slots(s)) {
        s->nomem = true;
        return NULL;
    }
    size_t slot = sum_slot(s, track, name);
    if (s->slots[slot])
        return &s->rows[s->slots[slot] - 1];
    if (s->row_count == SUM_ROWS_MOST) {
        s->full = true;
        return NULL;
    }
    if (!array_grow(&s->rows, &s->row_room, s->row_count + 1, sizeof *s->rows)) {
        s->nomem = true;
        return NULL;
    }
    s->rows[s->row_count] =
        (struct sum_row){.track = track, .name = name, .min = INFINITY, .max = -INFINITY};
    s->slots[slot] = (uint32_t)++s->row_count;
    return &s->rows[s->row_count - 1];
}

static void sum_keep(struct sum *s, const struct track_item *item, uint64_t begin, uint64_t end,
                     const struct sum_row *row)
{
    if (s->slice_count == SUM_SLICES_MOST) {
        s->is_lossy = true;
        return;
    }
    if (!array_grow(&s->slices, &s->slice_room, s->slice_count + 1, sizeof *s->slices)) {
        s->nomem = true;
        return;
    }
    s->slices[s->slice_count++] =
        (struct sum_slice){item->track, item->row, (uint32_t)(row - s->rows), begin, end};
}

static bool sum_wants(const struct sum *s, uint32_t track)
{
    if (!s->wanted->given)
        return true;
    for (size_t i = 0; i < s->wanted->count; i++)
        if (s->wanted->list[i] == track_number(s->side, track))
            return true;
    return false;
}

static bool sum_add(void *user, const struct track_item *item)
{
    struct sum *s = user;
    enum track_kind kind = tracks_at(s->tracks, item->track)->kind;
    bool is_counter = kind == TRACK_COUNTER;
    if (++s->items % SUM_EVERY == 0 && !request_goes_on(s->r, 0, 0)) {
        s->cancelled = true;
        return false;
    }
    if (!sum_wants(s, item->track))
        return true;
    struct sum_row *row = sum_of(s, item->track, is_counter ? UINT32_MAX : item->name);
    if (!row)
        return !s->nomem;
    /* Slices that reach over an end of the range count with what is in it. */
    uint64_t begin = item->begin > s->from ? item->begin : s->from;
    uint64_t end = item->end < s->to ? item->end : s->to;
    double value = is_counter ? item->value : end > begin ? (double)(end - begin) : 0;
    row->count++;
    row->total += value;
    row->self += value;
    row->min = value < row->min ? value : row->min;
    row->max = value > row->max ? value : row->max;
    if (kind == TRACK_SLICE)
        sum_keep(s, item, begin, end > begin ? end : begin, row);
    return !s->nomem;
}

/* ---- time for itself ----------------------------------------------------------------------- */

/* By track and time; of two that begin together the outer one is first. */
static int by_place(const void *a, const void *b, void *context)
{
    const struct sum_slice *x = a, *y = b;
    (void)context;
    if (x->track != y->track)
        return x->track < y->track ? -1 : 1;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

/* Take the time of each slice from the one of the row above in which it is. */
static bool sum_take_children(struct sum *s)
{
    size_t open_room = 0;
    const struct sum_slice **open = NULL; /* the last of each row */
    sort_with(s->slices, s->slice_count, sizeof *s->slices, by_place, NULL);
    for (size_t i = 0; i < s->slice_count; i++) {
        const struct sum_slice *slice = &s->slices[i];
        size_t had = open_room;
        if (!array_grow(&open, &open_room, (size_t)slice->row + 1, sizeof *open)) {
            free(open);
            return false;
        }
        for (size_t k = had; k < open_room; k++)
            open[k] = NULL;
        open[slice->row] = slice;
        const struct sum_slice *above = slice->row ? open[slice->row - 1] : NULL;
        if (above && above->track == slice->track && slice->begin < above->end) {
            uint64_t end = slice->end < above->end ? slice->end : above->end;
            s->rows[above->sum].self -= (double)(end - slice->begin);
        }
    }
    free(open);
    return true;
}

/* ---- the answer ---------------------------------------------------------------------------- */

static int by_total(const void *a, const void *b)
{
    const struct sum_row *x = a, *y = b;
    if (x->total != y->total)
        return x->total < y->total ? 1 : -1;
    if (x->track != y->track)
        return x->track < y->track ? -1 : 1;
    return x->name < y->name ? -1 : x->name > y->name;
}

static void json_time(struct json *j, const char *key, double ns)
{
    json_u64_text(j, key, ns > 0 ? (uint64_t)(ns + 0.5) : 0);
}

static void put_name_sum(const struct sum *s, struct json *j, const struct sum_row *row)
{
    const struct track_item item = {.track = row->track, .name = row->name};
    bool lasts = tracks_at(s->tracks, row->track)->kind == TRACK_SLICE;
    json_object(j, NULL);
    json_text(j, "name", item_name(s->tracks, &item));
    json_uint(j, "track", track_number(s->side, row->track));
    json_uint(j, "count", row->count);
    json_time(j, "total", row->total);
    if (lasts && !s->is_lossy)
        json_time(j, "self", row->self);
    else
        json_null(j, "self");
    json_time(j, "min", row->min);
    json_time(j, "max", row->max);
    json_time(j, "mean", row->total / (double)row->count);
    json_close(j);
}

static void put_counter_sum(const struct sum *s, struct json *j, const struct sum_row *row)
{
    json_object(j, NULL);
    json_uint(j, "track", track_number(s->side, row->track));
    json_text(j, "name", tracks_at(s->tracks, row->track)->name);
    json_f64(j, "min", row->min);
    json_f64(j, "max", row->max);
    json_f64(j, "mean", row->total / (double)row->count);
    json_close(j);
}

/* Those that are counters, or that are not; whether some were left out. */
static bool put_sums(const struct sum *s, struct json *j, bool counters)
{
    size_t listed = 0;
    for (size_t i = 0; i < s->row_count; i++) {
        const struct sum_row *row = &s->rows[i];
        if ((tracks_at(s->tracks, row->track)->kind == TRACK_COUNTER) != counters)
            continue;
        if (listed++ == SUM_NAMES_MOST)
            return true;
        if (counters)
            put_counter_sum(s, j, row);
        else
            put_name_sum(s, j, row);
    }
    return false;
}

static int sum_put(struct sum *s)
{
    struct request *r = s->r;
    if (s->row_count)
        qsort(s->rows, s->row_count, sizeof *s->rows, by_total);
    struct json j = request_json(r);
    json_u64_text(&j, "from", s->from);
    json_u64_text(&j, "to", s->to);
    json_array(&j, "names");
    bool cut = put_sums(s, &j, false);
    json_close(&j);
    json_array(&j, "counters");
    cut = put_sums(s, &j, true) || cut;
    json_close(&j);
    json_uint(&j, "records", s->items);
    json_bool(&j, "cut", cut || s->full);
    return request_end(r, &j);
}

static int sum_collect(struct sum *s)
{
    struct request *r = s->r;
    int status = tracks_each(s->tracks, TRACK_NONE, s->from, s->to, sum_add, s, &r->err);
    if (s->cancelled)
        return fail_canceled(&r->err);
    if (status < 0)
        return status;
    if (!s->nomem && !s->is_lossy)
        s->nomem = !sum_take_children(s);
    return s->nomem ? fail_memory(&r->err) : RAS_OK;
}

static int answer_sum(struct request *r)
{
    struct sum s = {.r = r,
                    .side = (unsigned)r->args[0].value,
                    .from = r->args[1].value,
                    .to = r->args[2].value,
                    .wanted = &r->args[3]};
    if (s.from >= s.to)
        return fail(&r->err, RAS_EUSAGE, RAS_NONE, "the range is empty");
    int status = request_tracks(r, s.side, &s.tracks);
    if (status >= 0)
        status = sum_collect(&s);
    if (status >= 0)
        status = sum_put(&s);
    free(s.rows);
    free(s.slots);
    free(s.slices);
    return status;
}

const struct route sum_routes[] = {
    {.path = "sum",
     .job = true,
     .args = {{"side", ARG_SIDE},
              {"from", ARG_NUMBER},
              {"to", ARG_NUMBER},
              {"tracks", ARG_LIST, .optional = true}},
     .answer = answer_sum},
    {0},
};
