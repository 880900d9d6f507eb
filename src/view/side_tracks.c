/* side_tracks.c - the timelines of sides, and items of them for people. */
#include "view/side_tracks.h"

#include <stdio.h>

enum {
    JOB_STEP_MS = 50,
    /* A job reads records, not tiles: its timeline needs no more than an index of them. */
    JOB_BUDGET = 8 << 20,
};

int shown_open_tracks(struct shown *shown, const struct ras_view_options *options,
                      struct ras_error *err)
{
    for (unsigned i = 0; i < shown->side_count; i++) {
        struct side *s = &shown->sides[i];
        const struct tracks_options how = {.budget_bytes =
                                               (size_t)(options->memory_bytes / shown->side_count),
                                           .first_track = track_number(i, 0),
                                           .follow = options->follow};
        if (s->tracks)
            continue;
        int status = tracks_open(&s->tracks, s->trace, s->run, &how, err);
        if (status < 0)
            return status;
    }
    return RAS_OK;
}

/* All of it, with progress. */
static int tracks_finish(struct request *r, struct tracks *t)
{
    int status;
    while ((status = tracks_step(t, JOB_STEP_MS, &r->err)) == RAS_OK)
        if (!request_goes_on(r, (uint64_t)(tracks_built(t) * 500), 1000))
            return fail_canceled(&r->err);
    return status < 0 ? status : RAS_OK;
}

int request_tracks(struct request *r, unsigned side, struct tracks **out)
{
    struct ras_view_options how = *r->options;
    *out = NULL;
    if (r->progress && how.memory_bytes > JOB_BUDGET)
        how.memory_bytes = JOB_BUDGET;
    how.follow = how.follow && !r->progress;
    int status = shown_open_tracks(r->shown, &how, &r->err);
    if (status < 0)
        return status;
    *out = r->shown->sides[side].tracks;
    return r->progress ? tracks_finish(r, *out) : RAS_OK;
}

int request_track(struct request *r, uint64_t number, unsigned *side, uint32_t *index)
{
    *side = (unsigned)(number >> TRACK_SIDE_SHIFT);
    *index = (uint32_t)number & ((1u << TRACK_SIDE_SHIFT) - 1);
    int status = shown_open_tracks(r->shown, r->options, &r->err);
    if (status < 0)
        return status;
    if (number > UINT32_MAX || *side >= r->shown->side_count ||
        *index >= tracks_count(r->shown->sides[*side].tracks))
        return fail(&r->err, RAS_ENOTHING, RAS_NONE, "there is no track %" PRIu64, number);
    return RAS_OK;
}

const struct shown_source *track_source(const struct shown *shown, unsigned side,
                                        const struct track_about *about)
{
    const struct side *s = &shown->sides[side];
    for (unsigned i = s->first; i < s->first + s->count; i++)
        if (shown->sources[i].run_pen == about->pen)
            return &shown->sources[i];
    return NULL;
}

uint64_t tracks_tick_at(const struct tracks *t, uint64_t time)
{
    uint64_t first, every, from, to;
    const uint64_t *at;
    bool is_ticks = false;
    size_t count = tracks_ticks(t, &first, &every, &at), low = 0, high = count;
    if (!count)
        return tracks_extent(t, &from, &to, &is_ticks) && is_ticks ? time >> 20 : RAS_NONE;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (at[middle] <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low && every == 1 ? first + low - 1 : RAS_NONE;
}

uint64_t tracks_time_of(const struct tracks *t, const struct ras_trace *trace,
                        const struct ras_cursor *c, const struct ras_record *record)
{
    uint64_t first, every, from, to;
    const uint64_t *at;
    bool is_ticks = false, has_tick = record->flags & RAS_HAS_TICK;
    tracks_extent(t, &from, &to, &is_ticks);
    if (is_ticks)
        return has_tick && record->tick < UINT64_C(1) << 44 ? record->tick << 20 : RAS_NONE;
    size_t count = tracks_ticks(t, &first, &every, &at);
    /* Where ticks are placed, times of a trace that goes by ticks are on another clock. */
    if (ras_has_time(c) && (!count || ras_format_of(trace)->axis == RAS_AXIS_TIME))
        return record->time_ns;
    if (!has_tick || !count || record->tick < first || (record->tick - first) / every >= count)
        return RAS_NONE;
    return at[(record->tick - first) / every];
}

const char *item_name(const struct tracks *t, const struct track_item *item)
{
    const struct track_about *about = tracks_at(t, item->track);
    size_t len;
    const char *name = tracks_name(t, item->name, &len);
    return about->kind == TRACK_COUNTER || !name ? about->name : name;
}

/* "2.5 us", or ticks. */
static void put_length(struct out *out, uint64_t length, bool is_ticks)
{
    static const struct {
        uint64_t scale;
        const char *unit;
    } rows[] = {{1000000000, "s"}, {1000000, "ms"}, {1000, "us"}, {1, "ns"}};
    size_t i = 0;
    if (is_ticks) {
        out_text(out, ras_counted(length >> 20, "tick").text);
        return;
    }
    while (i < 3 && length < rows[i].scale)
        i++;
    if (rows[i].scale == 1)
        out_format(out, "%" PRIu64 " ns", length);
    else
        out_format(out, "%.1f %s", (double)length / (double)rows[i].scale, rows[i].unit);
}

/* One line for people who do not see it. */
static void put_item_text(struct json *j, const struct tracks *t, const struct track_item *item)
{
    const struct track_about *about = tracks_at(t, item->track);
    struct out text = {0};
    uint64_t from, to, tick = tracks_tick_at(t, item->begin);
    bool is_ticks = false;
    tracks_extent(t, &from, &to, &is_ticks);
    out_text(&text, item_name(t, item));
    if (about->kind == TRACK_COUNTER)
        out_format(&text, " %g", item->value);
    if (about->kind == TRACK_SLICE && item->end > item->begin) {
        out_text(&text, ", ");
        put_length(&text, item->end - item->begin, is_ticks);
    }
    if (about->kind == TRACK_SLICE && about->rows > 1)
        out_format(&text, ", depth %" PRIu32, item->row + 1);
    if (tick != RAS_NONE)
        out_format(&text, ", tick %" PRIu64, tick);
    if (text.failed)
        j->out->failed = true;
    else
        json_string(j, "text", text.at, text.len);
    out_free(&text);
}

void json_item(struct json *j, const struct shown *shown, unsigned side, const struct tracks *t,
               const struct track_item *item)
{
    const struct track_about *about = tracks_at(t, item->track);
    const struct shown_source *source = track_source(shown, side, about);
    bool lasts = about->kind == TRACK_SLICE || about->kind == TRACK_FILM;
    json_uint_or_null(j, "src", source ? (uint64_t)(source - shown->sources) : RAS_NONE);
    json_u64_text(j, "seq", item->seq);
    json_uint(j, "track", track_number(side, item->track));
    json_uint(j, "row", item->row);
    json_u64_text(j, "time", item->begin);
    json_u64_text(j, "end", lasts ? item->end : RAS_NONE);
    json_text(j, "name", item_name(t, item));
    put_item_text(j, t, item);
}
