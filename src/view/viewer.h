/* viewer.h - the state of a view, for the routes that its own thread answers. */
#ifndef VIEW_VIEWER_H
#define VIEW_VIEWER_H

#include "view/jobs.h"

enum { OFFERS_MOST = 256 };

struct ras_view {
    struct ras_view_options options;
    struct origin origins[SIDES_MOST];
    struct origin *offers; /* to choose from */
    size_t offer_count, offer_room;
    struct shown shown;
    struct jobs *jobs;
    uint64_t generation; /* of what is not on a timeline */
    bool settled;        /* nothing to do until something grows */
    uint64_t looked_ns;  /* when it was last checked whether more can be opened */
    struct out out;      /* of the last answer */
};

/* Show these origins instead, which become the view's. Without any nothing is shown. */
int view_show(struct ras_view *, struct origin *origins, size_t count, struct ras_error *);
uint64_t view_generation(const struct ras_view *);

/* The status of HTTP for one of the library; the sentence of a failure as JSON. */
int status_of_failure(int status);
void put_failure(struct out *, uint64_t generation, const char *text, const char *hint);
/* What is known of a job, as an answer; `started`: it is the answer to the request that began it.
 */
int job_answer(struct request *, uint64_t id, bool started);

/* The bytes that are valid in a request: all others are refused. */
bool uri_is_plain(const char *uri, size_t len);
#endif
