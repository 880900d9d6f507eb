/* side_tracks.h - the timeline of a side, as routes use it: numbers of tracks, items as JSON. */
#ifndef VIEW_SIDE_TRACKS_H
#define VIEW_SIDE_TRACKS_H

#include "view/route.h"
#include "view/tracks.h"

/* The number of a track over both sides, and back. */
enum { TRACK_SIDE_SHIFT = 24 };

static inline uint32_t track_number(unsigned side, uint32_t index)
{
    return side << TRACK_SIDE_SHIFT | index;
}

/* Open the timelines of all sides that have none, within the memory of the options. */
int shown_open_tracks(struct shown *, const struct ras_view_options *, struct ras_error *);

/* The timeline of a side: as far as it is built, or in a job all of it. */
int request_tracks(struct request *, unsigned side, struct tracks **);
/* The side and the index of a track by its number. */
int request_track(struct request *, uint64_t number, unsigned *side, uint32_t *index);

/* The source that a track shows; NULL: none. */
const struct shown_source *track_source(const struct shown *, unsigned side,
                                        const struct track_about *);
/* The tick at a time; RAS_NONE: not known. */
uint64_t tracks_tick_at(const struct tracks *, uint64_t time);

/* The time of the cursor's record on the axis of its side; RAS_NONE: it has none. */
uint64_t tracks_time_of(const struct tracks *, const struct ras_trace *, const struct ras_cursor *,
                        const struct ras_record *);

/* The name of an item: a counter has that of its track. */
const char *item_name(const struct tracks *, const struct track_item *);
/* The members of an item: docs/view-protocol.md. */
void json_item(struct json *, const struct shown *, unsigned side, const struct tracks *,
               const struct track_item *);
#endif
