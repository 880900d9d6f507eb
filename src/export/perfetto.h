/* perfetto.h - what the files of the Perfetto writer share. */
#ifndef EXPORT_PERFETTO_H
#define EXPORT_PERFETTO_H

#include "export/proto.h"
#include "export/target.h"

/* Of the thread that a track is, or is in. */
struct perfetto_ids {
    uint64_t pid, tid;
};
struct perfetto_ids perfetto_ids(const struct timeline *, uint32_t track);
/* A TrackDescriptor; `inner` is empty before and after. */
void perfetto_describe(const struct timeline *, uint32_t track, struct out *, struct out *inner);
#endif
