/* links.h - what a record is on the timeline, and where one can go from it. */
#ifndef VIEW_LINKS_H
#define VIEW_LINKS_H

#include "view/side_tracks.h"

/* The members "slice" and "links" of the cursor's record. */
void json_links(struct json *, struct request *, const struct shown_source *,
                const struct ras_cursor *, const struct ras_record *);
#endif
