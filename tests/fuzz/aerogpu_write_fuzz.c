/* aerogpu_write_fuzz.c - any calls, written as a GPU trace: everything accepted is there, and the
 * container has no faults. */
#include "fuzz.h"
#include "script.h"
#include <rastrum/aerogpu.h>

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

struct calls {
    struct script in;
    uint64_t records; /* that the trace must hold */
    bool open;
};

static int capture(struct calls *s, struct ras_aero_writer *w)
{
    struct ras_aero_memory memory[3] = {{0}};
    struct ras_bytes table;
    struct ras_aero_capture c = {.submit_flags = (uint32_t)number(&s->in, 4), .memory = memory};
    unsigned shape = (unsigned)number(&s->in, 1);
    c.cmd_stream = data(&s->in);
    table = data(&s->in);
    c.alloc_table = shape & 1 ? &table : NULL;
    c.memory_count = shape >> 1 & 3;
    for (uint32_t i = 0; i < c.memory_count; i++)
        memory[i] = (struct ras_aero_memory){(uint32_t)number(&s->in, 1), 0, number(&s->in, 8),
                                             data(&s->in)};
    int status = ras_aero_writer_capture(w, &c, NULL);
    if (status == RAS_OK)
        s->records += 1 + (shape & 1) + c.memory_count;
    return status;
}

static int submission(struct calls *s, struct ras_aero_writer *w)
{
    struct ras_aero_range ranges[3];
    struct ras_aero_submission sub = {.cmd_stream_blob_id = number(&s->in, 1),
                                      .alloc_table_blob_id = number(&s->in, 1),
                                      .memory_range_count = (uint32_t)number(&s->in, 1) % 4};
    memset(ranges, (int)number(&s->in, 1), sizeof ranges);
    return ras_aero_writer_submission(w, &sub, ranges, NULL);
}

/* One call; RAS_END: it makes no record. */
static int call(struct calls *s, struct ras_aero_writer *w)
{
    uint64_t id;
    uint32_t kind;
    int status;
    switch (number(&s->in, 1) % 8) {
    case 0:
        status = ras_aero_writer_begin_frame(w, (uint32_t)number(&s->in, 1), NULL);
        s->open |= status == RAS_OK;
        return status;
    case 1:
        status = ras_aero_writer_present(w, (uint32_t)number(&s->in, 1), NULL);
        s->open &= status != RAS_OK;
        return status;
    case 2:
        status = ras_aero_writer_end_frame(w, NULL);
        s->open &= status != RAS_OK;
        return status == RAS_OK ? RAS_END : status;
    case 3:
        return ras_aero_writer_packet(w, data(&s->in), NULL);
    case 4:
        kind = (uint32_t)number(&s->in, 2);
        return ras_aero_writer_blob(w, kind, data(&s->in), &id, NULL);
    case 5:
        id = number(&s->in, 8);
        kind = (uint32_t)number(&s->in, 2);
        return ras_aero_writer_blob_as(w, id, kind, data(&s->in), NULL);
    case 6:
        return capture(s, w);
    default:
        return submission(s, w);
    }
}

/* As many records as were accepted, up to the TOC. */
static void count(struct ras_bytes file, uint64_t wanted)
{
    struct ras_aero_header h;
    struct ras_aero_footer f;
    struct ras_aero_toc toc;
    struct ras_aero_record r;
    if (ras_aero_header_get(file, &h, NULL) < 0 || ras_aero_footer_get(file, &f, NULL) < 0 ||
        ras_aero_toc_get(file, &f, &toc, NULL) < 0)
        fuzz_wrong("header, footer or TOC do not decode");
    uint64_t at = RAS_AERO_HEADER_SIZE + (uint64_t)h.meta_len, records = 0;
    struct ras_bytes body = {file.at, (size_t)f.toc_offset};
    while (ras_aero_record_get(body, &at, &r, NULL) == RAS_OK)
        records++;
    if (records != wanted || at != f.toc_offset)
        fuzz_wrong("%u records of %u", (unsigned)records, (unsigned)wanted);
}

/* No finding that is an error without --strict, and none about the closing structures. */
static void verify(struct ras_bytes file)
{
    struct ras_trace *t;
    struct ras_report *report;
    struct ras_verify_options strict = {.strict = true};
    if (ras_open_memory(&t, file.at, file.len, NULL, NULL) < 0)
        fuzz_wrong("the trace does not open");
    if (ras_verify(&report, t, &strict, NULL) < 0)
        fuzz_wrong("the trace is not verified");
    for (size_t i = 0; i < report->finding_count; i++) {
        const struct ras_rule *rule = report->findings[i].rule;
        if (!strcmp(rule->id, "aerogpu.stream.read")) /* the contents of a blob are not checked */
            continue;
        if (rule->severity == RAS_ERROR || !strncmp(rule->id, "aerogpu.footer", 14) ||
            (!strncmp(rule->id, "aerogpu.toc", 11) && strcmp(rule->id, "aerogpu.toc.order") != 0))
            fuzz_wrong("%s", report->findings[i].text);
    }
    ras_report_free(report);
    ras_close(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct calls s = {.in = {bytes, bytes + size}};
    struct ras_aero_writer_options start = {.container_version =
                                                1 + (uint32_t)number(&s.in, 1) % 2};
    struct ras_bytes notes = data(&s.in);
    struct ras_aero_writer *w;
    struct ras_sink *sink;
    start.notes = &notes;
    if (ras_sink_memory(&sink, NULL) < 0)
        return 0;
    if (ras_aero_writer_open(&w, sink, &start, NULL) < 0) {
        ras_sink_drop(sink);
        return 0;
    }
    while (s.in.at < s.in.end) {
        uint64_t before = ras_sink_size(sink);
        int status = call(&s, w);
        s.records += status == RAS_OK;
        if (status != RAS_OK && ras_sink_size(sink) != before)
            fuzz_wrong("a refused call wrote something");
    }
    if (s.open && ras_aero_writer_end_frame(w, NULL) < 0)
        fuzz_wrong("an open frame cannot be ended");
    if (ras_aero_writer_finish(w, NULL) < 0 || ras_aero_writer_close(w, NULL) < 0)
        fuzz_wrong("the trace cannot be finished");
    count(ras_sink_bytes(sink), s.records);
    verify(ras_sink_bytes(sink));
    ras_sink_drop(sink);
    return 0;
}
