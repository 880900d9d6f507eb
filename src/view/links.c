/* links.c - the slice that a record shows, what it is inside of, and what it contains. */
#include "view/links.h"

#include "base/os.h"

enum {
    CHILDREN_MOST = 16,  /* that are listed */
    CHILDREN_MS = 30,    /* of searching for them */
    CHILDREN_EVERY = 64, /* items between two looks at the clock */
};

struct linked {
    struct request *r;
    unsigned side;
    struct tracks *tracks;
    const struct shown_source *source;
    uint64_t seq;
    struct track_item item; /* what the record shows */
    bool found;
    struct track_item children[CHILDREN_MOST];
    size_t child_count;
    uint64_t child_time, seen, until;
    bool is_late; /* there may be more */
};

static bool link_find(void *user, const struct track_item *item)
{
    struct linked *l = user;
    const struct track_about *about = tracks_at(l->tracks, item->track);
    if (item->seq != l->seq || about->kind == TRACK_COUNTER ||
        track_source(l->r->shown, l->side, about) != l->source)
        return true;
    if (!l->found || about->kind == TRACK_SLICE)
        l->item = *item;
    l->found = true;
    return about->kind != TRACK_SLICE;
}

static bool link_child(void *user, const struct track_item *item)
{
    struct linked *l = user;
    if (++l->seen % CHILDREN_EVERY == 0 && os_boot_ns() > l->until) {
        l->is_late = true;
        return false;
    }
    if (item->row != l->item.row + 1 || item->begin < l->item.begin || item->end > l->item.end)
        return true;
    l->child_time += item->end - item->begin;
    if (l->child_count < CHILDREN_MOST)
        l->children[l->child_count++] = *item;
    return true;
}

static void link_search(struct linked *l, uint64_t time)
{
    struct ras_error ignored;
    if (time >= RAS_NONE - 1)
        return;
    /* A slice that ends with the record is not over the time of the record. */
    (void)!tracks_each(l->tracks, TRACK_NONE, time ? time - 1 : 0, time + 1, link_find, l,
                       &ignored);
    if (!l->found || tracks_at(l->tracks, l->item.track)->kind != TRACK_SLICE)
        return;
    l->until = os_boot_ns() + (uint64_t)CHILDREN_MS * 1000000;
    if (l->item.end > l->item.begin)
        (void)!tracks_each(l->tracks, l->item.track, l->item.begin, l->item.end, link_child, l,
                           &ignored);
}

static void put_slice_of(struct json *j, const struct linked *l)
{
    const struct track_item *item = &l->item;
    if (!l->found) {
        json_null(j, "slice");
        return;
    }
    bool lasts = tracks_at(l->tracks, item->track)->kind == TRACK_SLICE;
    uint64_t length = item->end - item->begin;
    json_object(j, "slice");
    json_uint(j, "track", track_number(l->side, item->track));
    json_uint(j, "row", item->row);
    json_u64_text(j, "begin", item->begin);
    json_u64_text(j, "end", lasts && !item->is_open ? item->end : RAS_NONE);
    json_u64_text(j, "self",
                  lasts && !l->is_late && l->child_time <= length ? length - l->child_time
                                                                  : RAS_NONE);
    json_text(j, "name", item_name(l->tracks, item));
    json_close(j);
}

static void put_link(struct json *j, const struct linked *l, const char *word,
                     const struct track_item *item)
{
    json_object(j, NULL);
    json_text(j, "word", word);
    json_item(j, l->r->shown, l->side, l->tracks, item);
    json_close(j);
}

/* A record that another one belongs to need not be on the timeline. */
static void put_parent(struct json *j, const struct linked *l, uint64_t seq)
{
    json_object(j, NULL);
    json_text(j, "word", "part of");
    json_text(j, "name", "its record");
    json_uint(j, "src", (uint64_t)(l->source - l->r->shown->sources));
    json_u64_text(j, "seq", seq);
    json_null(j, "track");
    json_null(j, "row");
    json_null(j, "time");
    json_close(j);
}

void json_links(struct json *j, struct request *r, const struct shown_source *s,
                const struct ras_cursor *c, const struct ras_record *record)
{
    struct linked l = {.r = r, .side = s->side, .source = s, .seq = record->seq};
    struct track_item above;
    if (request_tracks(r, s->side, &l.tracks) >= 0)
        link_search(&l, tracks_time_of(l.tracks, s->trace, c, record));
    put_slice_of(j, &l);
    json_array(j, "links");
    if (record->parent != RAS_NONE)
        put_parent(j, &l, record->parent);
    if (l.found && l.item.row && tracks_at(l.tracks, l.item.track)->kind == TRACK_SLICE &&
        tracks_near(l.tracks, l.item.track, l.item.row, l.item.begin, NEAR_UP, &above) &&
        above.begin <= l.item.begin && above.end >= l.item.end)
        put_link(j, &l, "inside", &above);
    for (size_t i = 0; i < l.child_count; i++)
        put_link(j, &l, "contains", &l.children[i]);
    json_close(j);
}
