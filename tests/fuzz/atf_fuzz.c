/* atf_fuzz.c - any bytes as ATF: a lone file, or cut into the files of a session;
 * through the model and natively. */
#include "fuzz.h"
#include <rastrum/atf.h>

#include <string.h>

enum { PARTS = 5 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Forwards and back along every link; a detail that is reached is one that is there. */
static void look_at_links(struct ras_atf_session *s, size_t thread)
{
    struct ras_atf_index_event event, back;
    struct ras_atf_detail_event detail, again;
    uint64_t count = 0;
    if (ras_atf_detail_count(s, thread, &count, NULL) < 0)
        count = 0;
    for (uint64_t i = 0; ras_atf_index_at(s, thread, i, &event, NULL) == RAS_OK; i++) {
        if (ras_atf_detail_of(s, thread, &event, &detail, NULL) == RAS_OK &&
            event.detail_seq >= count)
            fuzz_wrong("event %u has a detail after the last", event.detail_seq);
        (void)ras_atf_symbol_of(s, thread, event.function_id);
        (void)ras_atf_module_of(s, thread, event.function_id);
    }
    for (uint64_t i = 0; i < count; i++) {
        struct ras_atf_payload payload;
        if (ras_atf_detail_at(s, thread, i, &detail, NULL) != RAS_OK)
            fuzz_wrong("detail %u of %u is not there", (unsigned)i, (unsigned)count);
        ras_atf_payload_get(&detail, RAS_ATF_OPAQUE, &payload);
        if (payload.stack.len > detail.payload.len)
            fuzz_wrong("more stack than payload");
        if (ras_atf_index_of(s, thread, &detail, &back, NULL) == RAS_OK &&
            ras_atf_detail_of(s, thread, &back, &again, NULL) == RAS_OK &&
            again.payload.len > again.total_length)
            fuzz_wrong("more payload than detail");
    }
}

/* The merge gives every event once, in order. */
static void look_at_merge(struct ras_atf_session *s)
{
    struct ras_atf_merge *merge;
    struct ras_atf_merged next, last = {0};
    uint64_t merged = 0, events = 0;
    if (ras_atf_merge_open(&merge, s, NULL) < 0)
        return;
    while (ras_atf_merge_next(merge, &next)) {
        if (merged++ && next.event.timestamp_ns < last.event.timestamp_ns)
            fuzz_wrong("merged out of order");
        last = next;
    }
    ras_atf_merge_close(merge);
    for (size_t i = 0; i < ras_atf_thread_count(s); i++) {
        struct ras_atf_thread thread;
        if (ras_atf_thread_at(s, i, &thread, NULL) == RAS_OK && thread.has_index)
            events += thread.index.count;
    }
    if (merged != events)
        fuzz_wrong("%u events merged of %u", (unsigned)merged, (unsigned)events);
}

static void look_at_session(struct ras_trace *t)
{
    struct ras_atf_session *s = ras_atf_session(t);
    uint64_t first, last;
    bool sorted;
    for (size_t i = 0; i < ras_atf_thread_count(s); i++) {
        (void)!ras_atf_time_range(s, i, &first, &last, &sorted, NULL);
        look_at_links(s, i);
    }
    look_at_merge(s);
    (void)!ras_clock_time(t, "media", 1.5, &first, NULL);
}

static void walk_all(struct ras_trace *t, const struct ras_scan *scan)
{
    struct ras_cursor *c;
    const struct ras_record *r;
    size_t count;
    int status = ras_cursor_open(&c, t, scan, NULL);
    while (status >= 0 && (status = ras_next(c, &r, NULL)) == RAS_OK)
        (void)ras_values(c, &count);
    ras_cursor_close(c);
}

/* The parts are separated by a mark in the bytes; the rest after the last mark is the last part.
 * Names are fixed, so that two threads and a manifest are there. */
static void try_session(const uint8_t *bytes, size_t size)
{
    static const char *const names[PARTS] = {"manifest.json", "thread_0/index.atf",
                                             "thread_0/detail.atf", "thread_1/index.atf",
                                             "thread_1/detail.atf"};
    static const char *const types[] = {"event", "detail", "span", "thread", "function", "module"};
    struct ras_pick picks[6] = {{0}};
    struct ras_part parts[PARTS] = {{0}};
    size_t count = 0;
    while (count < PARTS) {
        const uint8_t *mark = count + 1 < PARTS ? memmem(bytes, size, "#next#", 6) : NULL;
        size_t length = mark ? (size_t)(mark - bytes) : size;
        parts[count] = (struct ras_part){names[count], {bytes, length}};
        count++;
        if (!mark)
            break;
        bytes = mark + 6;
        size -= length + 6;
    }
    struct ras_trace *t;
    if (ras_open_parts(&t, parts, count, NULL, NULL) < 0)
        return;
    for (size_t i = 0; i < 6; i++)
        picks[i].type = types[i];
    walk_all(t, NULL);
    walk_all(t, &(struct ras_scan){.picks = picks, .pick_count = 6});
    walk_all(t, &(struct ras_scan){.merged = true, .picks = picks, .pick_count = 6});
    walk_all(t, &(struct ras_scan){.merged = true,
                                   .choices = &(struct ras_choice){"with-detail", 0},
                                   .choice_count = 1});
    walk_all(t, &(struct ras_scan){.choices = &(struct ras_choice){"with-source", 0},
                                   .choice_count = 1});
    walk_all(t, &(struct ras_scan){.axis = RAS_AXIS_TIME, .from = 1010, .to = 1050});
    look_at_session(t);
    struct ras_report *report;
    struct ras_verify_options all = {.strict = true, .deep = true};
    if (ras_verify(&report, t, &all, NULL) == RAS_OK)
        ras_report_free(report);
    ras_close(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size >= 4 && (!memcmp(bytes, "ATI2", 4) || !memcmp(bytes, "ATD2", 4)))
        fuzz_trace("atf", bytes, size);
    else
        try_session(bytes, size);
    return 0;
}
