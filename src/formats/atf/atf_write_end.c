/* atf_write_end.c - how the two files of a thread are flushed, sealed and left. */
#include "base/error.h"
#include "formats/atf/atf_write.h"

#include <stdlib.h>

static int flush_lane(struct ras_atf_writer *w, struct atf_written_lane *lane,
                      struct ras_error *err)
{
    if (!lane->sink)
        return RAS_OK;
    int status = atf_lane_drain(w, lane, err);
    if (status == RAS_OK)
        status = ras_sink_flush(lane->sink, err);
    if (status < 0)
        (void)!ras_sink_rewind(lane->sink, lane->end, NULL);
    return status;
}

/* Details go first: an event whose detail is missing tells less than nothing. */
int ras_atf_writer_flush(struct ras_atf_writer *w, struct ras_error *err)
{
    int status = flush_lane(w, &w->detail, err);
    return status == RAS_OK ? flush_lane(w, &w->index, err) : status;
}

/* The footer, and when that is out, the header over its placeholder. */
static int seal(struct ras_atf_writer *w, struct atf_written_lane *lane, const uint8_t *footer,
                const uint8_t *header, struct ras_error *err)
{
    int status =
        lane->sealed ? RAS_OK : atf_lane_pass(lane, footer, RAS_ATF_FOOTER_SIZE, NULL, 0, err);
    if (status < 0)
        return status;
    lane->sealed = true;
    lane->stop = lane->at;
    status = flush_lane(w, lane, err);
    if (status == RAS_OK)
        status = ras_sink_patch(lane->sink, lane->base, header, RAS_ATF_HEADER_SIZE, err);
    if (status < 0)
        (void)!ras_sink_rewind(lane->sink, lane->end, NULL);
    return status;
}

static int seal_details(struct ras_atf_writer *w, struct ras_error *err)
{
    uint8_t header[RAS_ATF_HEADER_SIZE], footer[RAS_ATF_FOOTER_SIZE];
    struct ras_atf_detail_header *h = &w->detail_header;
    h->event_count = w->details;
    h->bytes_length = w->detail.bytes;
    struct ras_atf_detail_footer f = {.checksum = w->options.no_checksum ? 0 : w->detail.crc,
                                      .event_count = w->details,
                                      .bytes_length = w->detail.bytes,
                                      .time_start_ns = w->detail_first,
                                      .time_end_ns = w->detail_last};
    memcpy(f.magic, ATF_DETAIL_FOOTER_MAGIC, 4);
    ras_atf_detail_header_put(h, header);
    ras_atf_detail_footer_put(&f, footer);
    return seal(w, &w->detail, footer, header, err);
}

static int seal_index(struct ras_atf_writer *w, struct ras_error *err)
{
    uint8_t header[RAS_ATF_HEADER_SIZE], footer[RAS_ATF_FOOTER_SIZE];
    struct ras_atf_index_header *h = &w->header;
    h->flags |= w->detail.sink ? RAS_ATF_HAS_DETAIL : 0;
    h->event_count = (uint32_t)atf_events_taken(w);
    h->footer_offset = h->events_offset + w->index.bytes;
    h->time_start_ns = w->times.first;
    h->time_end_ns = w->times.last;
    struct ras_atf_index_footer f = {.checksum = w->options.no_checksum ? 0 : w->index.crc,
                                     .event_count = h->event_count,
                                     .time_start_ns = w->times.first,
                                     .time_end_ns = w->times.last,
                                     .bytes_written = w->index.bytes};
    memcpy(f.magic, ATF_INDEX_FOOTER_MAGIC, 4);
    ras_atf_index_header_put(h, header);
    ras_atf_index_footer_put(&f, footer);
    return seal(w, &w->index, footer, header, err);
}

int ras_atf_writer_finalize(struct ras_atf_writer *w, struct ras_error *err)
{
    if (w->finalized)
        return fail(err, RAS_EUSAGE, RAS_NONE, "thread %" PRIu32 " is finalized",
                    w->header.thread_id);
    int status = w->detail.sink ? atf_lane_drain(w, &w->detail, err) : RAS_OK;
    if (status == RAS_OK)
        status = atf_lane_drain(w, &w->index, err);
    if (status == RAS_OK && w->detail.sink)
        status = seal_details(w, err);
    if (status == RAS_OK)
        status = seal_index(w, err);
    w->finalized = status == RAS_OK;
    return status;
}

int ras_atf_writer_close(struct ras_atf_writer *w, struct ras_error *err)
{
    if (!w)
        return RAS_OK;
    int status = w->finalized ? RAS_OK : ras_atf_writer_flush(w, err);
    free(w->index.block);
    free(w->detail.block);
    free(w);
    return status;
}

struct atf_written atf_writer_written(const struct ras_atf_writer *w)
{
    return (struct atf_written){.clock_type = w->header.clock_type,
                                .has_events = w->index.bytes,
                                .has_detail = w->detail.sink,
                                .finalized = w->finalized,
                                .times = w->times};
}

unsigned atf_writer_arch(struct ras_atf_writer *w, unsigned arch)
{
    if (arch)
        w->header.arch = w->detail_header.arch = (uint8_t)arch;
    return w->header.arch;
}

void atf_writer_codes(struct ras_atf_writer *w, const struct ras_atf_index_header *like)
{
    w->header.arch = w->detail_header.arch = like->arch;
    w->header.os = w->detail_header.os = like->os;
    w->header.clock_type = like->clock_type;
}
