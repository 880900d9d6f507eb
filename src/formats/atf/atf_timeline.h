/* atf_timeline.h - what the two timelines of a session share: tracks and names. */
#ifndef ATF_TIMELINE_H
#define ATF_TIMELINE_H

#include "formats/atf/atf_costs.h"
#include "ops/timeline/timeline_driver.h"

/* The track of a thread, inside that of its process. */
uint32_t atf_timeline_thread(struct timeline *, struct ras_atf_session *, size_t thread);
/* What a function of a process is called. */
uint32_t atf_timeline_name(struct timeline *, const struct atf_process *, uint64_t function_id);

extern const struct timeline_ops atf_lanes;
#endif
