/* track_route.c - the routes tracks, tiles, names and near: the timeline. */
#include "base/in.h"
#include "view/side_tracks.h"
#include "view/viewer.h"

#include <stdlib.h>

enum {
    TILES_MOST = 256,
    TILE_REQUEST_SIZE = 4 + 4 + 8,
    TILES_BYTES_MOST = 64 << 20, /* of one answer */
    NAMES_MOST = 4096,
    NAMES_BYTES_MOST = 4 << 20, /* of one answer, before the next page */
};

/* ---- tracks -------------------------------------------------------------------------------- */

static void put_detail(struct json *j, const struct track_about *a)
{
    static const char *const nouns[] = {[TRACK_SLICE] = "slice",
                                        [TRACK_COUNTER] = "value",
                                        [TRACK_INSTANT] = "instant",
                                        [TRACK_FILM] = "frame"};
    struct out text = {0};
    if (a->number != RAS_NONE)
        out_format(&text, "id %" PRIu64 "%s", a->number, a->kind == TRACK_GROUP ? "" : ", ");
    if (a->kind != TRACK_GROUP)
        out_text(&text, ras_counted(a->records, nouns[a->kind]).text);
    if (a->kind == TRACK_SLICE && a->rows > 1)
        out_format(&text, ", depth %" PRIu32, a->rows);
    if (text.failed)
        j->out->failed = true;
    else
        json_string(j, "detail", text.at ? (const char *)text.at : "", text.len);
    out_free(&text);
}

static void put_track(struct json *j, const struct shown *shown, unsigned side, uint32_t i,
                      const struct track_about *a)
{
    static const char *const kinds[] = {[TRACK_GROUP] = "group",
                                        [TRACK_SLICE] = "slice",
                                        [TRACK_COUNTER] = "counter",
                                        [TRACK_INSTANT] = "instant",
                                        [TRACK_FILM] = "film"};
    const struct shown_source *source = track_source(shown, side, a);
    bool has_values = a->kind == TRACK_COUNTER && a->records;
    json_object(j, NULL);
    json_uint(j, "track", track_number(side, i));
    json_uint_or_null(j, "parent",
                      a->parent == TRACK_NONE ? RAS_NONE : track_number(side, a->parent));
    json_text(j, "kind", kinds[a->kind]);
    json_text(j, "pen", source ? source->pen : "");
    json_uint_or_null(j, "src", source ? (uint64_t)(source - shown->sources) : RAS_NONE);
    json_uint_or_null(j, "stream", a->stream == TRACK_NONE ? RAS_NONE : a->stream);
    json_text(j, "name", a->name);
    put_detail(j, a);
    json_uint(j, "rows", a->rows);
    json_text(j, "unit", a->unit);
    if (has_values) {
        json_f64(j, "min", a->min);
        json_f64(j, "max", a->max);
    } else {
        json_null(j, "min");
        json_null(j, "max");
    }
    json_uint(j, "records", a->records);
    json_u64_text(j, "seq_base", a->seq_base);
    json_bool(j, "lossy", a->is_lossy);
    json_close(j);
}

/* Which tracks are lanes, or have lanes in them, or are groups at the top; free() it. */
static bool *tracks_shown(const struct tracks *t)
{
    bool *is_shown = calloc(tracks_count(t) + 1u, sizeof *is_shown);
    for (uint32_t i = 0; is_shown && i < tracks_count(t); i++) {
        const struct track_about *a = tracks_at(t, i);
        uint32_t at = a->kind != TRACK_GROUP || a->parent == TRACK_NONE ? i : TRACK_NONE;
        for (; at != TRACK_NONE && !is_shown[at]; at = tracks_at(t, at)->parent)
            is_shown[at] = true;
    }
    return is_shown;
}

static void put_tick_times(struct json *j, const struct tracks *t)
{
    uint64_t first, every;
    const uint64_t *at;
    size_t count = tracks_ticks(t, &first, &every, &at);
    if (!count) {
        json_null(j, "ticks");
        return;
    }
    json_object(j, "ticks");
    json_uint(j, "first", first);
    json_uint(j, "every", every);
    json_array(j, "at");
    for (size_t i = 0; i < count; i++)
        json_u64_text(j, NULL, at[i]);
    json_close(j);
    json_close(j);
}

static int answer_tracks(struct request *r)
{
    unsigned side = (unsigned)r->args[0].value;
    struct tracks *t;
    int status = request_tracks(r, side, &t);
    if (status < 0)
        return status;
    bool *is_shown = tracks_shown(t);
    if (!is_shown)
        return fail_memory(&r->err);
    struct json j = request_json(r);
    json_array(&j, "tracks");
    for (uint32_t i = 0; i < tracks_count(t); i++)
        if (is_shown[i])
            put_track(&j, r->shown, side, i, tracks_at(t, i));
    json_close(&j);
    free(is_shown);
    put_tick_times(&j, t);
    return request_end(r, &j);
}

/* ---- tiles --------------------------------------------------------------------------------- */

static int answer_tile(struct request *r, struct in *in)
{
    unsigned side;
    uint32_t index, number = in_u32(in);
    int32_t shift = (int32_t)in_u32(in);
    uint64_t place = in_u64(in);
    int status = request_track(r, number, &side, &index);
    if (status < 0)
        return status;
    if (r->out->len > TILES_BYTES_MOST)
        return fail(&r->err, RAS_ELIMIT, RAS_NONE, "the tiles have more than %d MiB together",
                    TILES_BYTES_MOST >> 20);
    return tracks_tile(r->shown->sides[side].tracks, index, shift, place, r->out, &r->err);
}

static int answer_tiles(struct request *r)
{
    struct in in = in_bytes(r->body);
    int status = RAS_OK;
    if (r->body.len % TILE_REQUEST_SIZE || r->body.len > TILES_MOST * TILE_REQUEST_SIZE)
        return fail(&r->err, RAS_EUSAGE, RAS_NONE,
                    "the body has %zu bytes, not up to %d tiles of %d bytes", r->body.len,
                    (int)TILES_MOST, (int)TILE_REQUEST_SIZE);
    r->type = "application/octet-stream";
    while (status >= 0 && in_left(&in))
        status = answer_tile(r, &in);
    return status >= 0 && r->out->failed ? fail_memory(&r->err) : status;
}

/* ---- names --------------------------------------------------------------------------------- */

static int answer_names(struct request *r)
{
    uint64_t from = r->args[1].value;
    struct tracks *t;
    int status = request_tracks(r, (unsigned)r->args[0].value, &t);
    if (status < 0)
        return status;
    size_t count = tracks_name_count(t), begun = r->out->len;
    struct json j = request_json(r);
    json_uint(&j, "from", from);
    json_array(&j, "names");
    uint64_t i = from;
    for (; i < count && i - from < NAMES_MOST && r->out->len - begun < NAMES_BYTES_MOST; i++) {
        size_t len;
        const char *name = tracks_name(t, (uint32_t)i, &len);
        json_string(&j, NULL, name, len);
    }
    json_close(&j);
    json_bool(&j, "more", i < count);
    return request_end(r, &j);
}

/* ---- near ---------------------------------------------------------------------------------- */

static int answer_near(struct request *r)
{
    unsigned side;
    uint32_t index;
    int status = request_track(r, r->args[0].value, &side, &index);
    if (status < 0)
        return status;
    struct tracks *t = r->shown->sides[side].tracks;
    struct track_item item;
    struct json j = request_json(r);
    bool found = tracks_near(t, index, (uint32_t)r->args[1].value, r->args[2].value,
                             (unsigned)r->args[3].value, &item);
    if (found) {
        json_object(&j, "item");
        json_item(&j, r->shown, side, t, &item);
        json_close(&j);
    } else {
        json_null(&j, "item");
    }
    return request_end(r, &j);
}

const struct route track_routes[] = {
    {.path = "tracks", .args = {{"side", ARG_SIDE}}, .answer = answer_tracks},
    {.path = "tiles", .post = true, .answer = answer_tiles},
    {.path = "names",
     .args = {{"side", ARG_SIDE}, {"from", ARG_NUMBER, .optional = true}},
     .answer = answer_names},
    {.path = "near",
     .args = {{"track", ARG_NUMBER},
              {"row", ARG_NUMBER, .most = UINT32_MAX},
              {"time", ARG_NUMBER},
              {"dir", ARG_NUMBER, .most = NEAR_DOWN}},
     .answer = answer_near},
    {0},
};
