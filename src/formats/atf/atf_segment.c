/* atf_segment.c - a durable recording in segments: what is in a lane, and which files say so.
 *
 * A lane goes on in the next segment: it moves there, to a file that says what it has counted
 * before. What it leaves is in the counts of its segment, as of a thread that has ended. */
#include "formats/atf/atf_session.h"
#include "base/memory.h"

#include <stdio.h>

bool atf_beside(struct ras_atf_session *s, const char *dir, size_t dir_len, const char *file,
                struct ras_bytes *out)
{
    char name[4200];
    size_t part;
    int len = snprintf(name, sizeof name, "%.*s%s%s", (int)dir_len, dir, dir_len ? "/" : "", file);
    if (!source_is_dir(s->source) || len < 0 || (size_t)len >= sizeof name ||
        !source_find(s->source, name, &part) || source_load(s->source, part, NULL) < 0)
        return false;
    *out = source_bytes(s->source, part);
    return true;
}

bool atf_lane_base(struct ras_atf_session *s, const struct atf_thread *t, struct atf_base *out)
{
    struct ras_bytes file;
    *out = (struct atf_base){0};
    if (!atf_beside(s, t->dir, t->dir_len, ATF_BASE_NAME, &file) || file.len < BASE_DROPPED ||
        memcmp(file.at, ATF_BASE_MAGIC, 8) != 0)
        return false;
    uint64_t reasons = load_u64(file.at + BASE_REASONS);
    if (reasons > ATF_REASONS_MOST || file.len - BASE_DROPPED < 2 * reasons * sizeof(uint64_t))
        return false;
    out->events = load_u64(file.at + BASE_EVENTS);
    out->details = load_u64(file.at + BASE_DETAILS);
    out->stream_events = load_u64(file.at + BASE_STREAM_EVENTS);
    out->details_dropped = load_u64(file.at + BASE_DETAILS_DROPPED);
    for (uint64_t i = 0; i < reasons; i++) {
        out->dropped[i] = load_u64(file.at + BASE_DROPPED + i * 8);
        out->events_dropped[i] = load_u64(file.at + BASE_DROPPED + (reasons + i) * 8);
    }
    return true;
}

/* The counts of its segment have it as ended. */
static bool has_ended(struct ras_atf_session *s, const struct atf_thread *t)
{
    const struct atf_process *p = &s->processes[t->process];
    struct ras_bytes file;
    if (!atf_beside(s, p->dir, p->dir_len, ATF_COUNTS_NAME, &file) ||
        file.len < COUNTS_HEADER_SIZE || memcmp(file.at, ATF_COUNTS_MAGIC, 8) != 0)
        return false;
    uint64_t reasons = load_u64(file.at + COUNTS_REASONS);
    if (reasons > ATF_REASONS_MOST)
        return false;
    uint64_t size = ENDED_DROPPED + reasons * sizeof(uint64_t);
    for (uint64_t at = load_u64(file.at + COUNTS_RECORDS_AT);
         at <= file.len && file.len - at >= size; at += size)
        if (load_u64(file.at + at + ENDED_THREAD_ID) == t->thread_id)
            return true;
    return false;
}

bool atf_lane_has_not_come(struct ras_atf_session *s, struct atf_thread *t)
{
    struct atf_base base;
    return t->ring_part < 0 && (!atf_index_ready(s, t) || !t->index.count) &&
           atf_lane_base(s, t, &base);
}

bool atf_lane_is_elsewhere(struct ras_atf_session *s, struct atf_thread *t)
{
    return t->ring_part < 0 && (has_ended(s, t) || atf_lane_has_not_come(s, t));
}
