/* aerogpu_toc.c - how a trace is closed: its footer, and its TOC as an index. */
#include "formats/aerogpu/aerogpu_driver.h"

void aero_seal_find(struct aero_seal *s, struct ras_bytes file, uint64_t body)
{
    if (s->looked && s->size == file.len)
        return;
    *s = (struct aero_seal){.size = file.len, .looked = true};
    int status = ras_aero_footer_get(file, &s->footer, &s->why);
    s->claimed =
        file.len >= RAS_AERO_FOOTER_SIZE &&
        aero_magic_begins(aero_slice(file, file.len - RAS_AERO_FOOTER_SIZE, RAS_AERO_FOOTER_SIZE),
                          AERO_MAGIC_FOOTER);
    if (status == RAS_OK)
        status = ras_aero_toc_get(file, &s->footer, &s->toc, &s->why);
    if (status == RAS_OK && s->footer.toc_offset < body)
        status =
            fail(&s->why, RAS_EFORMAT, file.len - 16,
                 "TOC at %" PRIu64 ", the records start at %" PRIu64, s->footer.toc_offset, body);
    s->sealed = status == RAS_OK;
}

uint64_t aero_second_trace(struct ras_bytes file, uint64_t toc)
{
    struct in in = in_bytes(aero_slice(file, toc, UINT64_MAX));
    struct ras_aero_toc t;
    struct ras_aero_footer f;
    if (!aero_toc_get(&in, &t))
        return RAS_NONE;
    in_take(&in, (uint64_t)t.frame_count * RAS_AERO_TOC_ENTRY_SIZE);
    if (!aero_footer_get(&in, &f))
        return RAS_NONE;
    uint64_t at = (uint64_t)(in.at - file.at);
    return aero_magic_get(&in, AERO_MAGIC_HEADER) ? at : RAS_NONE;
}

const char *aero_entry_fault(const struct ras_aero_frame *f, uint64_t body, uint64_t toc_offset)
{
    if (f->start_offset < body || f->start_offset > toc_offset)
        return "start_offset lies outside the records";
    if (f->end_offset < f->start_offset || f->end_offset > toc_offset)
        return "end_offset is before the start or after the records";
    if (f->present_offset &&
        (f->present_offset < f->start_offset || f->present_offset > f->end_offset))
        return "present_offset lies outside the frame";
    return NULL;
}

bool aero_seal_ordered(struct aero_seal *s, struct ras_bytes file, uint64_t body)
{
    if (s->ordered_known)
        return s->ordered;
    s->ordered_known = true;
    s->ordered = s->sealed;
    struct ras_aero_frame last = {0};
    for (uint32_t i = 0; s->ordered && i < s->toc.frame_count; i++) {
        struct ras_aero_frame f = ras_aero_toc_entry(file, &s->footer, i);
        s->ordered =
            !aero_entry_fault(&f, body, s->footer.toc_offset) &&
            (i == 0 || (f.frame_index > last.frame_index && f.start_offset > last.start_offset));
        last = f;
    }
    return s->ordered;
}

/* No BeginFrame among the records from `at` to `to`. */
static bool frameless(struct ras_bytes file, uint64_t at, uint64_t to)
{
    struct ras_aero_record r;
    struct ras_bytes records = aero_slice(file, 0, to);
    int status;
    while ((status = ras_aero_record_get(records, &at, &r, NULL)) == RAS_OK)
        if (r.record_type == RAS_AERO_BEGIN_FRAME)
            return false;
    return status == RAS_END;
}

bool aero_seal_covers(struct aero_seal *s, struct ras_bytes file, uint64_t body)
{
    if (s->covers_known)
        return s->covers;
    s->covers_known = true;
    s->covers = aero_seal_ordered(s, file, body);
    uint64_t at = body;
    for (uint32_t i = 0; s->covers && i < s->toc.frame_count; i++) {
        struct ras_aero_frame f = ras_aero_toc_entry(file, &s->footer, i);
        s->covers = f.start_offset >= at && frameless(file, at, f.start_offset);
        at = f.end_offset;
    }
    s->covers = s->covers && frameless(file, at, s->footer.toc_offset);
    return s->covers;
}

uint32_t aero_toc_behind(const struct aero_seal *s, struct ras_bytes file, uint64_t offset)
{
    uint32_t low = 0, high = s->toc.frame_count;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (ras_aero_toc_entry(file, &s->footer, mid).start_offset <= offset)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

uint32_t aero_toc_frame(const struct aero_seal *s, struct ras_bytes file, uint32_t index)
{
    uint32_t low = 0, high = s->toc.frame_count;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (ras_aero_toc_entry(file, &s->footer, mid).frame_index < index)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}
