/* atf_write.h - what a session's writer asks those of its threads. */
#ifndef ATF_WRITE_H
#define ATF_WRITE_H

#include <rastrum/atf.h>

/* The first and last event as written, and the smallest and largest time. */
struct atf_written_times {
    uint64_t first, last, min, max;
};

struct atf_written {
    uint32_t clock_type;
    bool has_events, has_detail, finalized;
    struct atf_written_times times; /* if has_events */
};
/* What has reached the sinks. */
struct atf_written atf_writer_written(const struct ras_atf_writer *);
/* Begin the detail file, which may stay without details. */
int atf_writer_begin_details(struct ras_atf_writer *, struct ras_error *);
/* ras_atf_writer_event() for an event of any kind. */
int atf_writer_put(struct ras_atf_writer *, const struct ras_atf_index_event *,
                   const struct ras_atf_detail_event *, struct ras_error *);
/* Its headers will say this arch, which was not known before; 0: stays. The one that they say. */
unsigned atf_writer_arch(struct ras_atf_writer *, unsigned arch);
/* Its headers will say arch, os and clock_type as these do, known or not. */
void atf_writer_codes(struct ras_atf_writer *, const struct ras_atf_index_header *);
#endif
