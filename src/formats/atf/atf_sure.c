/* atf_sure.c - what surely is an event in a file that still grows.
 *
 * Where the events of a file end is decided by all of its bytes. While more may
 * come, only those events are told that no continuation can take back: none that
 * reaches into what may become a footer, none beyond what the header promises. So
 * a file read as it comes gives what the whole file gives. */
#include "formats/atf/atf_file.h"

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The first place at which a footer that ends the file, now or later, may begin. */
static uint64_t footer_from(struct ras_bytes bytes, uint64_t at, const char *magic)
{
    uint64_t p = bytes.len > RAS_ATF_FOOTER_SIZE ? bytes.len - RAS_ATF_FOOTER_SIZE : 0;
    for (p = p > at ? p : at; p < bytes.len; p++)
        if (!memcmp(bytes.at + p, magic, (size_t)smaller(bytes.len - p, 4)))
            return p;
    return bytes.len;
}

/* Whether the magic is at `at`, or may still come there. */
static bool may_have(struct ras_bytes bytes, uint64_t at, const char *magic)
{
    if (at >= bytes.len)
        return true;
    return !memcmp(bytes.at + at, magic, (size_t)smaller(bytes.len - at, 4));
}

uint64_t atf_sure_events(const struct ras_atf_index_file *f, struct ras_bytes bytes)
{
    const struct ras_atf_index_header *h = &f->header;
    uint64_t end = footer_from(bytes, f->at, ATF_INDEX_FOOTER_MAGIC);
    if (h->footer_offset >= f->at && may_have(bytes, h->footer_offset, ATF_INDEX_FOOTER_MAGIC))
        end = smaller(end, h->footer_offset);
    uint64_t count = (end - f->at) / RAS_ATF_INDEX_EVENT_SIZE;
    return h->event_count ? smaller(count, h->event_count) : count;
}

uint64_t atf_sure_details(const struct ras_atf_detail_file *f, struct ras_bytes bytes)
{
    const struct ras_atf_detail_header *h = &f->header;
    uint64_t end = footer_from(bytes, f->at, ATF_DETAIL_FOOTER_MAGIC);
    if (!h->event_count || h->bytes_length > bytes.len - f->at)
        return end;
    uint64_t told = f->at + h->bytes_length;
    bool passed =
        bytes.len - told > RAS_ATF_FOOTER_SIZE && !may_have(bytes, told, ATF_DETAIL_FOOTER_MAGIC);
    return passed ? end : smaller(end, told);
}
